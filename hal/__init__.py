"""The parts of the box: events, protocols and the wiring.

It may import: hal.display, hal.pi.readers.registry, hal.pi.screens.registry.
"""
