"""What the self-test asks the system: its GPIO library, its device files, its I²C speed.

Nothing here loads a package of the Pi before it is known that one works.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from hal.faults import BoardFault
from hal.findings import Access, Finding, Verdict, bad, good
from hal.pi.gpio import factory_class


class System(Protocol):
    """The machine that the test runs on: what it says of itself."""

    @property
    def model(self) -> str | None:
        """Which Pi it is; None when it does not say."""
        ...

    def access(self, device: str) -> Access: ...

    @property
    def i2c_speed(self) -> int | None:
        """In hertz, as the system was set up; None when it does not say."""
        ...


class Device(NamedTuple):
    """A device file, and what brings it."""

    path: str
    group: str
    remedy: str


SPI_REMEDY = "Switch SPI on: sudo raspi-config nonint do_spi 0, then restart the Pi."
DEVICES = (
    Device(
        "/dev/gpiochip0", "gpio", "This does not look like a Raspberry Pi with a current system."
    ),
    Device("/dev/spidev0.0", "spi", SPI_REMEDY),
    Device("/dev/spidev0.1", "spi", SPI_REMEDY + " An overlay for one chip select must go."),
    Device(
        "/dev/i2c-1",
        "i2c",
        "Switch I2C on: sudo raspi-config nonint do_i2c 0, then restart the Pi.",
    ),
)
FAST_I2C = 400_000


def findings(system: System) -> Iterator[Finding]:
    yield _model(system.model)
    yield _library()
    yield from (_device(device, system.access(device.path)) for device in DEVICES)
    yield from _i2c_speed(system.i2c_speed)


def _model(model: str | None) -> Finding:
    if model:
        return good(f"this is a {model}")
    return Finding(Verdict.NOTE, "this machine does not say that it is a Raspberry Pi")


def usable(system: System, group: str) -> bool:
    """Whether all device files of a group may be used."""
    files = [device.path for device in DEVICES if device.group == group]
    return all(system.access(path) is Access.READY for path in files)


def _library() -> Finding:
    try:
        return good(f"GPIO library: gpiozero uses {factory_class().__name__}")
    except (BoardFault, ImportError) as fault:
        return bad("GPIO library: none that works", f"{fault}.")


def library_works() -> bool:
    return _library().verdict is Verdict.GOOD


def _device(device: Device, access: Access) -> Finding:
    what = f"{device.path} {access.value}"
    match access:
        case Access.READY:
            return good(what)
        case Access.MISSING:
            return bad(what, device.remedy)
        case Access.FORBIDDEN:
            joining = f"sudo usermod -aG {device.group} $USER"
            return bad(what, f"Join its group: {joining}, then log in again.")


def _i2c_speed(speed: int | None) -> Iterator[Finding]:
    if speed is not None and speed < FAST_I2C:
        yield Finding(
            Verdict.NOTE,
            f"I2C runs at {speed // 1000} kHz, and the screen is slow",
            f"Write dtparam=i2c_arm_baudrate={FAST_I2C} into the system's config.txt.",
        )
