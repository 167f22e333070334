"""The ledger on disk: SQLite, its schema, locks, recovery and audits.

It may import: firmware.bank, firmware.user_error, firmware.wording, hal.display.sounds.
"""
