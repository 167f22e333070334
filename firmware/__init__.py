"""The bank: its commands, its loop, and the services around them.

It may import: firmware.bank, firmware.table, firmware.commands, hal.*, hal.display, sim.commands.
"""

__version__ = "0.2.0"
