"""A picture in the format of the screen controllers: eight pages of eight rows."""

from PIL import Image

PAGES = 8


def packed(picture: Image.Image) -> list[bytes]:
    """Return a picture as pages; each byte is eight rows of a column, the top one in bit 0.

    Flipped and transposed, each column of the picture is a row of eight bytes, the last page
    first; Pillow does both in C.
    """
    turned = picture.transpose(Image.Transpose.FLIP_TOP_BOTTOM).transpose(Image.Transpose.TRANSPOSE)
    columns = turned.tobytes()
    return [columns[PAGES - 1 - page :: PAGES] for page in range(PAGES)]
