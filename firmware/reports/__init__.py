"""A game as a report: text for a terminal, HTML for a browser.

It may import: firmware.*, firmware.bank, firmware.storage.
"""
