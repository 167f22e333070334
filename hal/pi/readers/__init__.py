"""Drivers of card reader chips.

It may import: hal.*, hal.pi, mfrc522, RPi.
"""
