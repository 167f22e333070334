"""The glyphs of the big field, drawn as the segments of an LCD.

Thirty-two pixels high and legible from across a table. They are drawn here
rather than taken from a font, because no free bitmap font has digits this large
that still fit five abreast with a comma and a unit in 128 pixels.
"""

from functools import cache

from PIL import Image, ImageDraw

DIGIT_WIDTH = 17
DIGIT_HEIGHT = 32
_STROKE = 5
_RIGHT = DIGIT_WIDTH - 1
_BOTTOM = DIGIT_HEIGHT - 1
_MIDDLE = (DIGIT_HEIGHT - _STROKE) // 2

# The seven segments as corners: left, top, right, bottom.
_SEGMENTS = {
    "a": (0, 0, _RIGHT, _STROKE - 1),
    "b": (DIGIT_WIDTH - _STROKE, 0, _RIGHT, _MIDDLE + _STROKE - 1),
    "c": (DIGIT_WIDTH - _STROKE, _MIDDLE, _RIGHT, _BOTTOM),
    "d": (0, DIGIT_HEIGHT - _STROKE, _RIGHT, _BOTTOM),
    "e": (0, _MIDDLE, _STROKE - 1, _BOTTOM),
    "f": (0, 0, _STROKE - 1, _MIDDLE + _STROKE - 1),
    "g": (0, _MIDDLE, _RIGHT, _MIDDLE + _STROKE - 1),
}
_LIT = {
    "0": "abcdef",
    "1": "bc",
    "2": "abged",
    "3": "abgcd",
    "4": "fgbc",
    "5": "afgcd",
    "6": "afgedc",
    "7": "abc",
    "8": "abcdefg",
    "9": "abcdfg",
    "-": "g",
}
# The outer corners are cut where two segments meet there, so that digits look round.
_CORNERS = {"fa": (0, 0, 1, 1), "ab": (_RIGHT, 0, -1, 1), "cd": (_RIGHT, _BOTTOM, -1, -1)}
_CORNERS["de"] = (0, _BOTTOM, 1, -1)

_M = [(0, 31), (0, 0), (5, 0), (9, 12), (13, 0), (18, 0), (18, 31), (14, 31)]
_M += [(14, 13), (11, 22), (7, 22), (4, 13), (4, 31)]
_K = [(0, 0), (4, 0), (4, 12), (12, 0), (17, 0), (8, 15), (17, 31), (12, 31), (4, 18)]
_K += [(4, 31), (0, 31)]
_LETTERS = {"M": _M, "K": _K}


@cache
def big_glyph(letter: str) -> Image.Image:
    """A digit, the comma, the dash or a unit letter, ready to be pasted."""
    if letter in _LIT:
        return _digit(_LIT[letter])
    if letter == ",":
        return _comma()
    return _unit(_LETTERS[letter])


def _digit(lit: str) -> Image.Image:
    glyph = Image.new("1", (DIGIT_WIDTH, DIGIT_HEIGHT))
    pen = ImageDraw.Draw(glyph)
    for segment in lit:
        pen.rectangle(_SEGMENTS[segment], fill=1)
    for pair, (x, y, right, down) in _CORNERS.items():
        if all(segment in lit for segment in pair):
            pen.point([(x, y), (x + right, y), (x, y + down)], fill=0)
    return glyph


def _comma() -> Image.Image:
    glyph = Image.new("1", (_STROKE, DIGIT_HEIGHT))
    pen = ImageDraw.Draw(glyph)
    pen.rectangle((0, 22, 4, 26), fill=1)
    pen.polygon([(4, 27), (4, 28), (1, 31), (0, 31), (2, 27)], fill=1)
    return glyph


def _unit(corners: list[tuple[int, int]]) -> Image.Image:
    glyph = Image.new("1", (max(x for x, _ in corners) + 1, DIGIT_HEIGHT))
    ImageDraw.Draw(glyph).polygon(corners, fill=1)
    return glyph
