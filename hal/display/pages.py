"""A picture as the screen's controllers keep it: eight pages of eight rows."""

from PIL import Image

PAGES = 8


def packed(picture: Image.Image) -> list[bytes]:
    """The picture as eight pages, a byte for eight rows, the top row lowest.

    Turned upside down and transposed, every column is a row of eight whole bytes, the last
    page first; Pillow does both in C.
    """
    turned = picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM).transpose(Image.Transpose.TRANSPOSE)
    columns = turned.tobytes()
    return [columns[PAGES - 1 - page :: PAGES] for page in range(PAGES)]
