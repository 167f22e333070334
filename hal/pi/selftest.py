"""The self-test, for the person with a soldering iron: looks at one thing after the other.

First what needs nobody: the GPIO library, the device files, the chips on their buses, the
keypad at rest. Then, if a person is there, every key, a card in each slot, a pattern and
a tone. It runs to the end whatever it finds, so that one evening mends everything.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from smbus2 import SMBus, i2c_msg

from hal.events import MILLISECOND, SECOND, CardIn, CardOut, Event, Instant, Key, KeyDown, Slot
from hal.faults import BoardFault
from hal.findings import Access, Finding, Person, Verdict, bad, good
from hal.pattern import pattern
from hal.pi import diagnosis
from hal.pi.board import PiBoard
from hal.pi.debounce import KEYS
from hal.pi.gpio import REMEDY, factory_class
from hal.pi.reader import Reader
from hal.pi.screen import I2C_BUS
from hal.sounds import LOUDEST, Sound
from hal.wiring import Wiring


class Site(Protocol):
    """The machine that the test runs on: what it says of itself, and its board."""

    @property
    def model(self) -> str: ...

    def access(self, device: str) -> Access: ...

    @property
    def i2c_speed(self) -> int | None:
        """In hertz, as the system was set up; None when it does not say."""
        ...

    def opened(self, wiring: Wiring) -> AbstractContextManager[PiBoard]: ...


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
STOP_FIRST = "If the box is running, stop it first: sudo systemctl stop tellerbox."
FAST_I2C = 400_000
NOP = (0x00, 0xE3)
"""A command that does nothing, for whichever controller the screen has."""
USUAL_ADDRESSES = (0x3C, 0x3D)

READINGS = 50
"""Of VersionReg: enough to meet a loose contact."""
AT_REST = 200 * MILLISECOND
PATIENCE_FOR_A_KEY = 8 * SECOND
PATIENCE_FOR_A_CARD = 20 * SECOND


class Selftest:
    """One run. What has failed once is not tried again in another way."""

    def __init__(self, wiring: Wiring, site: Site, person: Person | None) -> None:
        self._wiring = wiring
        self._site = site
        self._person = person
        self._silent = set(Slot)
        """The slots whose readers have not answered."""
        self._screen_answers = False

    def findings(self) -> Iterator[Finding]:
        """All findings, one by one as they are made."""
        yield good(f"this is a {self._site.model}")
        yield _library()
        yield from (_device(device, self._site.access(device.path)) for device in DEVICES)
        yield from _i2c_speed(self._site.i2c_speed)
        if self._ready("spi"):
            yield from self._readers()
        if self._ready("i2c"):
            yield self._screen()
        try:
            with self._site.opened(self._wiring) as board:
                yield from self._on_the_board(board)
        except BoardFault as fault:
            yield bad(f"the board cannot be opened: {fault}", STOP_FIRST)

    def _ready(self, group: str) -> bool:
        files = [device.path for device in DEVICES if device.group == group]
        return all(self._site.access(path) is Access.READY for path in files)

    # What needs nobody

    def _readers(self) -> Iterator[Finding]:
        try:
            readers = {
                Slot.LEFT: Reader(0, self._wiring.left_reset),
                Slot.RIGHT: Reader(1, self._wiring.right_reset),
            }
        except Exception as error:  # each GPIO library has exceptions of its own
            yield bad(f"the readers cannot be opened: {error}", STOP_FIRST)
            return
        self._silent = {slot for slot, reader in readers.items() if not reader.revive()}
        if self._silent == set(Slot):
            yield diagnosis.both_silent(self._wiring)
        for slot, reader in readers.items():
            versions = [reader.version() for _ in range(READINGS)]
            yield diagnosis.reader(self._wiring, slot, versions, self._light(slot))
        for slot, reader in readers.items():
            if slot not in self._silent:
                yield diagnosis.reset_line(self._wiring, slot, _silenced_by(reader, readers))
        for reader in readers.values():
            reader.close()

    def _light(self, slot: Slot) -> bool | None:
        """Whether a silent reader has power, if anybody can look."""
        if self._person is None or slot not in self._silent:
            return None
        return self._person.sees_light(diagnosis.READERS[slot])

    def _screen(self) -> Finding:
        address = self._wiring.screen_address
        error = _no_answer_at(address)
        self._screen_answers = error is None
        others = [other for other in USUAL_ADDRESSES if error and other != address]
        found = next((other for other in others if _no_answer_at(other) is None), None)
        return diagnosis.screen(self._wiring, error, found)

    # What needs the whole board

    def _on_the_board(self, board: PiBoard) -> Iterator[Finding]:
        down = {event.key for event in _during(board, AT_REST) if isinstance(event, KeyDown)}
        yield diagnosis.keys_at_rest(self._wiring, down)
        if not board.hears_edges:
            yield Finding(
                Verdict.NOTE,
                "the GPIO library gives no edges, and the keypad is scanned all the time",
                f"The box rests better with rpi-lgpio: {REMEDY}.",
            )
        if self._person is not None:
            yield from self._with_a_person(board, self._person)

    def _with_a_person(self, board: PiBoard, person: Person) -> Iterator[Finding]:
        seen = {key: _pressed(board, person, key) for row in KEYS for key in row}
        yield from diagnosis.keys(self._wiring, seen)
        for slot in Slot:
            if slot not in self._silent:
                yield diagnosis.card(self._wiring, slot, _card_seen(board, person, slot))
        if self._screen_answers:
            board.show_picture(pattern())
            yield diagnosis.pattern(self._wiring, person.sees_pattern())
            board.show_picture(None)
        board.buzzer.play(Sound.NEW_GAME, LOUDEST)
        _during(board, 1 * SECOND)
        yield diagnosis.tone(self._wiring, person.hears_tone())


def findings(wiring: Wiring, site: Site, person: Person | None) -> Iterator[Finding]:
    return Selftest(wiring, site, person).findings()


def _library() -> Finding:
    try:
        return good(f"GPIO library: gpiozero uses {factory_class().__name__}")
    except BoardFault as fault:
        return bad("GPIO library", f"{fault}.")


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


def _silenced_by(held: Reader, readers: dict[Slot, Reader]) -> dict[Slot, bool]:
    held.hold_in_reset()
    silenced = {slot: not reader.is_alive() for slot, reader in readers.items()}
    held.revive()
    return silenced


def _no_answer_at(address: int) -> OSError | None:
    bus = SMBus(I2C_BUS)
    try:
        bus.i2c_rdwr(i2c_msg.write(address, NOP))
    except OSError as error:
        return error
    finally:
        bus.close()
    return None


def _during(board: PiBoard, duration: int) -> list[Event]:
    """Everything that is reported for a while."""
    end = Instant(board.clock.now() + duration)
    happened: list[Event] = []
    while board.clock.now() < end:
        happened += board.wait(end)
    return happened


def _first(board: PiBoard, patience: int, *kinds: type[Event]) -> Event | None:
    """The first event of some kinds; None when the patience is over."""
    end = Instant(board.clock.now() + patience)
    while board.clock.now() < end:
        for event in board.wait(end):
            if isinstance(event, kinds):
                return event
    return None


def _pressed(board: PiBoard, person: Person, key: Key) -> Key | None:
    person.press(key)
    seen = _first(board, PATIENCE_FOR_A_KEY, KeyDown)
    return seen.key if isinstance(seen, KeyDown) else None


def _card_seen(board: PiBoard, person: Person, slot: Slot) -> Slot | None:
    person.put_card(slot)
    seen = _first(board, PATIENCE_FOR_A_CARD, CardIn)
    person.take_card(slot)
    if not isinstance(seen, CardIn):
        return None
    _first(board, PATIENCE_FOR_A_CARD, CardOut)
    return seen.slot
