"""The serial line of the console: framing, the box's port and the host's line.

It may import: hal.*, serial.
"""
