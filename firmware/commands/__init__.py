"""One module for each command of ``tellerbox`` that needs no simulator.

It may import: firmware, hal.*, hal.display, sim.console.session.
"""
