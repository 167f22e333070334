"""The picture that the self-test shows: a frame around a chequerboard.

Every row and every column has lit and dark pixels, so that a dead or shifted line is visible.
"""

from PIL import Image, ImageDraw

from hal.display.renderer import HEIGHT, WIDTH

SQUARE = 8
"""Width and height of a square in pixels."""


def pattern() -> Image.Image:
    picture = Image.new("1", (WIDTH, HEIGHT))
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 0, WIDTH - 1, HEIGHT - 1), outline=1)
    for x in range(SQUARE, WIDTH - SQUARE, SQUARE):
        for y in range(SQUARE, HEIGHT - SQUARE, SQUARE):
            if (x + y) // SQUARE % 2:
                pen.rectangle((x, y, x + SQUARE - 1, y + SQUARE - 1), fill=1)
    return picture
