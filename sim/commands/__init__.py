"""The commands of ``tellerbox`` that need the simulator.

It may import: firmware, hal.*, hal.display, sim.
"""
