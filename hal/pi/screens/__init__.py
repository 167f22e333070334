"""Drivers of screen controller chips.

It may import: hal.*, hal.display, hal.pi, luma, PIL.
"""
