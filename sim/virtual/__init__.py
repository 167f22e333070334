"""The virtual board: the drivers of ``hal/pi`` on models of the chips, and the stand-ins between.

It may import: firmware.user_error, hal, sim.board, sim.chips, RPi, gpiozero.
"""
