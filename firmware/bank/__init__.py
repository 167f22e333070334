"""The bank's rules: money, editions, games and the ledger. No I/O, except to read an edition.

It may import: firmware.toml_table, firmware.user_error, hal.events, hal.display.sounds.
"""
