"""Views, pictures and drivers for the tests of the screen."""

from hal.display.renderer import draw
from hal.display.view import View
from hal.pi.screens.display import Display
from hal.pi.screens.registry import screen_driver
from hal.wiring import Wiring
from sim.virtual.hardware import Hardware, VirtualAlarm, drivers
from tests import golden
from tests.drivers.harness import Bench, intercept

VIEWS = golden.views()
FRENCH_VIEWS = golden.french_views()


def typed(field: str) -> View:
    return VIEWS["entry"]._replace(field=field)


def screen_with(chip: str) -> tuple[Hardware, Display]:
    """Return a screen driver alone, on the model of its chip."""
    hardware = Hardware(Wiring(screen_chip=chip))
    drivers(hardware)
    return hardware, screen_driver(chip)(hardware.wiring, VirtualAlarm(hardware))


def same(b: Bench, view: View) -> bool:
    return b.hardware.oled.picture().tobytes() == draw(view).tobytes()


def pictures_seen(b: Bench) -> set[bytes]:
    """Collect the pictures after each transfer from now on."""
    original, seen = b.hardware.i2c, set[bytes]()

    def watch(address: int, payload: bytes) -> None:
        original(address, payload)
        seen.add(b.hardware.oled.picture().tobytes())

    intercept(b.hardware, "i2c", watch)
    return seen
