"""Drivers of screen controller chips.

It may import: hal.*, hal.display, luma, PIL.
"""
