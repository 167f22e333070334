"""The script language: its reader, its player and its prompt.

It may import: firmware, hal.*, hal.display, sim.board, PIL.
"""
