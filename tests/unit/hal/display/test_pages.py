"""Pictures in the format of the controllers."""

from PIL import Image

from hal.display.pages import PAGES, packed
from hal.display.renderer import SIZE


def test_a_pixel_is_one_bit_of_one_byte() -> None:
    for x, y in ((0, 0), (127, 0), (0, 63), (5, 20), (127, 63)):
        picture = Image.new("1", SIZE)
        picture.putpixel((x, y), 1)
        pages = packed(picture)
        assert len(pages) == PAGES
        assert {len(page) for page in pages} == {SIZE[0]}
        lit = [
            (column, page)
            for page, content in enumerate(pages)
            for column in range(SIZE[0])
            if content[column]
        ]
        assert lit == [(x, y // 8)]
        assert pages[y // 8][x] == 1 << y % 8
