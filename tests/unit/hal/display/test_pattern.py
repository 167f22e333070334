"""The test picture has lit and dark pixels in every row and column, so any dead line shows."""

from hal.display.pattern import pattern
from hal.display.renderer import HEIGHT, SIZE, WIDTH


def test_every_row_and_column_has_lit_and_dark_pixels() -> None:
    picture = pattern()
    assert picture.size == SIZE
    # Without the frame, whose lines are lit from end to end.
    for x in range(1, WIDTH - 1):
        assert picture.crop((x, 0, x + 1, HEIGHT)).getextrema() == (0, 1)
    for y in range(1, HEIGHT - 1):
        assert picture.crop((0, y, WIDTH, y + 1)).getextrema() == (0, 1)
