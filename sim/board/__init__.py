"""The software board: parts without hardware, and the harness that operates a box.

It may import: firmware.app, firmware.bank, firmware.storage, hal.*, hal.display, hal.pi.debounce,
tests.campaign.disk.
"""
