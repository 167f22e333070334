"""The system checks of the self-test: GPIO library, device files, I²C speed.

This module imports no package of the Pi: it also runs where none is installed.

Tests: tests/drivers/test_selftest.py.
"""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hal.faults import BoardFault
from hal.findings import Access, Finding, Verdict, bad, good
from hal.pi.gpio import PINS, factory_class
from hal.wiring import Wiring

if TYPE_CHECKING:
    from hal.pi.board import PiBoard


class System(Protocol):
    """Information about the machine that the test runs on."""

    @property
    def model(self) -> str | None:
        """The model of the Pi; None if unknown."""

    def access(self, device: str) -> Access: ...

    def i2c_speed(self, bus: int) -> int | None:
        """The configured speed in hertz; None if unknown."""

    def opened(self, wiring: Wiring) -> AbstractContextManager["PiBoard"]:
        """Open the board, and close it at the end."""


class DeviceFile(NamedTuple):
    """A device file, the group that may use it, and what to do if it is missing."""

    path: str
    group: str
    remedy: str


GPIO = DeviceFile(PINS, "gpio", "This does not look like a Raspberry Pi with a current system.")


def spi_files(wiring: Wiring) -> list[DeviceFile]:
    bus = wiring.spi_bus
    how = "sudo raspi-config nonint do_spi 0" if bus == 0 else CONFIG.format(f"spi{bus}-2cs")
    remedy = f"Switch SPI{bus} on, with two chip selects: {how}, then restart the Pi."
    return [DeviceFile(f"/dev/spidev{bus}.{device}", "spi", remedy) for device in (0, 1)]


def i2c_file(wiring: Wiring) -> DeviceFile:
    bus = wiring.i2c_bus
    how = "sudo raspi-config nonint do_i2c 0" if bus == 1 else CONFIG.format(f"i2c{bus}")
    return DeviceFile(f"/dev/i2c-{bus}", "i2c", f"Switch I2C{bus} on: {how}, then restart the Pi.")


CONFIG = "write dtoverlay={} into the system's config.txt"
FAST_I2C = 400_000


def findings(wiring: Wiring, system: System) -> Iterator[Finding]:
    yield _model(system.model)
    yield _library()
    for device in (GPIO, *spi_files(wiring), i2c_file(wiring)):
        yield _device(device, system.access(device.path))
    yield from _i2c_speed(system.i2c_speed(wiring.i2c_bus))


def _model(model: str | None) -> Finding:
    if model:
        return good(f"this is a {model}")
    return Finding(Verdict.NOTE, "this machine does not identify itself as a Raspberry Pi")


def usable(system: System, devices: Iterable[DeviceFile]) -> bool:
    return all(system.access(device.path) is Access.READY for device in devices)


def _library() -> Finding:
    try:
        return good(f"GPIO library: gpiozero uses {factory_class().__name__}")
    except (BoardFault, ImportError) as fault:
        return bad("GPIO library: none that works", f"{fault}.")


def library_works() -> bool:
    return _library().verdict is Verdict.GOOD


def _device(device: DeviceFile, access: Access) -> Finding:
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
        yield bad(
            f"I2C runs at {speed // 1000} kHz: while the screen is drawn, keys wait too long",
            f"Write dtparam=i2c_arm_baudrate={FAST_I2C} into the system's config.txt.",
        )
