"""Draws the screen's picture with characters, for ``tellerbox sim --text``."""

from PIL import Image

_HALVES = " ▄▀█"
"""Indexed by two pixels, one above the other: the upper counts two, the lower one."""

_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Which bit each of the two by four dots of a Braille character has."""


def characters(picture: Image.Image, columns: int) -> str:
    """Draw a picture in half blocks, or in Braille dots if it would not fit."""
    width, height = picture.size
    lit = picture.convert("1").convert("L").tobytes()

    def pixel(x: int, y: int) -> bool:
        return lit[y * width + x] > 0

    if columns >= width:
        rows = [
            "".join(_HALVES[2 * pixel(x, y) + pixel(x, y + 1)] for x in range(width))
            for y in range(0, height, 2)
        ]
    else:
        rows = [
            "".join(
                chr(
                    _BRAILLE
                    + sum(
                        _DOTS[dy][dx] * pixel(x + dx, y + dy) for dy in range(4) for dx in range(2)
                    )
                )
                for x in range(0, width, 2)
            )
            for y in range(0, height, 4)
        ]
    return "\n".join(rows)
