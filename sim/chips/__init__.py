"""Models of the chips, written from their data sheets. They share nothing with the drivers.

It may import: PIL.
"""
