"""The parts checks of the self-test: chips on their buses, keys, cards.

First come the automatic checks; then, with a person, every key, a card in each slot, a
pattern and a tone. A failure does not end the test, so one run finds all faults.

Tests: tests/drivers/test_selftest.py.
"""

from collections.abc import Iterator

from smbus2 import SMBus, i2c_msg

from hal.display.pattern import pattern
from hal.display.sounds import LOUDEST, Sound
from hal.events import MILLISECOND, SECOND, CardIn, CardOut, Event, Instant, Key, KeyDown, Slot
from hal.faults import BoardFault
from hal.findings import Finding, Person, Verdict, bad
from hal.pi.board import PiBoard
from hal.pi.debounce import KEYS
from hal.pi.gpio import REMEDY
from hal.pi.hardware_errors import HARDWARE_ERRORS
from hal.pi.readers.card_reader import CardReader
from hal.pi.readers.registry import reader_factory
from hal.pi.screens.registry import screen_driver
from hal.pi.selftest import diagnosis
from hal.pi.selftest.system_check import System, i2c_file, spi_files, usable
from hal.wiring import READERS, Wiring

STOP_FIRST = "If the box is running, stop it first: Ctrl-C where it runs, or its service."
USUAL_ADDRESSES = (0x3C, 0x3D)

READINGS = 50
"""Of a reader's version: enough to detect a loose contact."""
AT_REST = 200 * MILLISECOND
KEY_TIMEOUT = 8 * SECOND
CARD_TIMEOUT = 20 * SECOND
TONE = 1 * SECOND


class PartsCheck:
    """One run. A part that failed a check is left out of the later ones."""

    def __init__(self, wiring: Wiring, system: System, person: Person | None) -> None:
        self._wiring = wiring
        self._system = system
        self._person = person
        self._silent = set(Slot)
        """The slots whose readers do not answer."""
        self._screen_answers = False
        self._inside: set[Slot] = set()
        """The slots with a card in them."""

    def findings(self) -> Iterator[Finding]:
        if usable(self._system, spi_files(self._wiring)):
            try:
                yield from self._readers()
            except HARDWARE_ERRORS as error:
                yield bad(f"the readers cannot be opened: {error}", STOP_FIRST)
        if usable(self._system, [i2c_file(self._wiring)]):
            yield self._screen()
        try:
            with self._system.opened(self._wiring) as board:
                yield from self._board_checks(board)
        except BoardFault as fault:
            yield bad(f"the board cannot be opened: {fault}", STOP_FIRST)

    # Automatic checks

    def _readers(self) -> Iterator[Finding]:
        readers = {slot: reader_factory(self._wiring, slot)() for slot in Slot}
        self._silent = {slot for slot, reader in readers.items() if not reader.revive()}
        if self._silent == set(Slot):
            yield diagnosis.both_silent(self._wiring)
        for slot, reader in readers.items():
            versions = [reader.version() for _ in range(READINGS)]
            lit = self._is_lit(slot)
            yield diagnosis.reader(self._wiring, slot, versions, reader.VERSIONS, lit)
        for slot, reader in readers.items():
            if slot not in self._silent:
                yield diagnosis.reset_line(self._wiring, slot, _silenced_by(reader, readers))
        for reader in readers.values():
            reader.close()

    def _is_lit(self, slot: Slot) -> bool | None:
        """Whether the light of a silent reader is lit; None if unknown."""
        if self._person is None or slot not in self._silent:
            return None
        return self._person.sees_light(READERS[slot])

    def _screen(self) -> Finding:
        address = self._wiring.screen_address
        error = self._error_at(address)
        self._screen_answers = error is None
        others = [other for other in USUAL_ADDRESSES if error and other != address]
        found = next((other for other in others if self._error_at(other) is None), None)
        return diagnosis.screen(self._wiring, error, found)

    def _error_at(self, address: int) -> OSError | None:
        probe = screen_driver(self._wiring.screen_chip).PROBE
        bus = SMBus(self._wiring.i2c_bus)
        try:
            bus.i2c_rdwr(i2c_msg.write(address, probe))
        except OSError as error:
            return error
        finally:
            bus.close()
        return None

    # Checks on the open board

    def _board_checks(self, board: PiBoard) -> Iterator[Finding]:
        down = {event.key for event in self._events(board, AT_REST) if isinstance(event, KeyDown)}
        yield diagnosis.keys_at_rest(self._wiring, down | board.keypad.stuck)
        if not board.keypad.has_edges:
            yield Finding(
                Verdict.NOTE,
                "the GPIO library gives no edges, and the keypad is scanned all the time",
                f"With rpi-lgpio an idle box uses less power: {REMEDY}.",
            )
        if self._person is not None:
            yield from self._manual_checks(board, self._person)

    def _manual_checks(self, board: PiBoard, person: Person) -> Iterator[Finding]:
        seen = {key: self._key_seen(board, person, key) for row in KEYS for key in row}
        yield from diagnosis.keys(self._wiring, seen)
        for slot in Slot:
            if slot not in self._silent:
                yield diagnosis.card(self._wiring, slot, self._card_seen(board, person, slot))
        if self._screen_answers:
            board.show_picture(pattern())
            yield diagnosis.pattern(self._wiring, person.sees_pattern())
            board.show_picture(None)
        board.buzzer.play(Sound.NEW_GAME, LOUDEST)
        list(self._events(board, TONE))
        yield diagnosis.tone(self._wiring, person.hears_tone())

    def _key_seen(self, board: PiBoard, person: Person, key: Key) -> Key | None:
        person.press(key)
        seen = self._wait_for(board, KEY_TIMEOUT, KeyDown)
        return seen.key if isinstance(seen, KeyDown) else None

    def _card_seen(self, board: PiBoard, person: Person, slot: Slot) -> Slot | None:
        """Ask for a card, unless one is in; return the slot in which it was seen."""
        if slot not in self._inside:
            person.put_card(slot)
            self._wait_for(board, CARD_TIMEOUT, CardIn)
        seen = next((where for where in (slot, slot.other) if where in self._inside), None)
        person.take_card(slot)
        if seen:
            self._wait_for(board, CARD_TIMEOUT, CardOut)
        return seen

    def _wait_for(self, board: PiBoard, timeout: int, kind: type[Event]) -> Event | None:
        """Wait for an event of a kind; None after the timeout."""
        return next((e for e in self._events(board, timeout) if isinstance(e, kind)), None)

    def _events(self, board: PiBoard, duration: int) -> Iterator[Event]:
        """Yield the events of some time."""
        end = Instant(board.clock.now() + duration)
        while board.clock.now() < end:
            events = board.wait(end)
            for event in events:
                match event:
                    case CardIn(slot=slot):
                        self._inside.add(slot)
                    case CardOut(slot=slot):
                        self._inside.discard(slot)
            yield from events


def _silenced_by(held: CardReader, readers: dict[Slot, CardReader]) -> dict[Slot, bool]:
    held.hold_in_reset()
    silenced = {slot: not reader.is_alive() for slot, reader in readers.items()}
    held.revive()
    return silenced
