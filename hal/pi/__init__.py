"""The drivers for the real parts of a Raspberry Pi, on the packages made for it."""
