"""The drivers for the parts of a Raspberry Pi, on the packages made for it.

It may import: hal.*, hal.display, hal.pi, RPi, gpiozero.
"""
