"""What the box shows and plays: views, messages, the renderer, fonts and melodies.

It may import: hal.display.fonts, hal.events, PIL.
"""
