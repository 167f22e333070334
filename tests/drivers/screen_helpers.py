"""What is on the glass, for the tests of the screen: the views to show, and how to look."""

from hal.picture import draw
from hal.view import View
from tests import golden
from tests.drivers.harness import Bench, intercept

VIEWS = golden.views()
FRENCH_VIEWS = golden.french_views()


def typed(field: str) -> View:
    return VIEWS["entry"]._replace(field=field)


def same(b: Bench, view: View) -> bool:
    return b.hardware.oled.picture().tobytes() == draw(view).tobytes()


def pictures_seen(b: Bench) -> set[bytes]:
    """What is on the glass after each transfer from here on."""
    through, seen = b.hardware.i2c, set[bytes]()

    def watch(address: int, payload: bytes) -> None:
        through(address, payload)
        seen.add(b.hardware.oled.picture().tobytes())

    intercept(b.hardware, "i2c", watch)
    return seen
