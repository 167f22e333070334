"""Drivers of card reader chips.

It may import: hal.*, mfrc522, RPi.
"""
