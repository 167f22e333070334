"""Everything that the F key opens.

It may import: firmware.bank, firmware.table, firmware.user_error, hal.events, hal.display.
"""
