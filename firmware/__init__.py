"""The bank: its commands, its loop, and the services around them.

It may import: firmware.bank, firmware.table, firmware.commands, hal.*, hal.display,
hal.pi.open_board, sim.board, sim.commands, sim.panel.box, sim.virtual.
"""

__version__ = "0.2.0"
