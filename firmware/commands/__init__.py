"""One module for each command of ``tellerbox`` that needs no simulator.

It may import: firmware, hal.*, hal.display, hal.pi.open_board, sim.console.session, sim.virtual.
"""
