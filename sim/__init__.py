"""What stands in for hardware.

It may import: firmware, hal, sim.
"""
