"""The self-test of a newly built box: its checks, and which wire a failure points to.

It may import: hal.*, hal.display, hal.pi, smbus2.
"""
