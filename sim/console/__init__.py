"""The serial console: a box that a host drives over a line, and the host's end of it.

It may import: firmware, hal.*, hal.display, hal.console, sim.board, sim.script.
"""
