"""Bitmap fonts, each a picture.

``6x10`` and ``8x13B`` are X.org's misc-fixed, which are in the public domain. ``6x12`` is its 6x13
with one row less, so that capitals are eight pixels high, and with the accents above capitals of
full height. They have all letters of Latin-1 from the space on, 32 in a row.

``figures`` and ``figures-narrow`` have the figures of the big field (``hal/display/digits.py``), 26
pixels apart. They were drawn from the outlines of DejaVu Sans Condensed Bold, whose licence is in
DEJAVU-LICENSE.txt: each outline was thinned by about half a pixel, fitted to a whole number of
pixels, and the 5 got a thinner bar and more room below it. The dash was drawn by hand.

``capitals`` has the letters of the message line (``hal/display/capitals.py``), 16 pixels apart,
from DejaVu Sans Condensed as FreeType hints it at twelve rows. In its second and third row, letters
have lost one and two columns that were like their neighbours.

It may import: PIL.
"""

from functools import cache
from pathlib import Path

from PIL import Image


@cache
def sheet(name: str) -> Image.Image:
    """The one-bit picture with this name."""
    with Image.open(Path(__file__).parent / f"{name}.png") as picture:
        return picture.convert("1")
