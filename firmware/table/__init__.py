"""The box as the table works it: keys, cards and time in, a view and sounds out. No I/O.

It may import: firmware.bank, firmware.table.menu, hal.events, hal.display.
"""
