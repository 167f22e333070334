"""The box behind the panel: the firmware's own process, and its boards.

It may import: firmware, hal.*, hal.display, hal.pi, sim.board, sim.chips, sim.learn, sim.panel,
sim.virtual, PIL.
"""
