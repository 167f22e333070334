"""The part of the self-test that touches the parts: chips on their buses, keys, cards.

First what needs nobody; then, if a person is there, every key, a card in each slot, a
pattern and a tone. It runs to the end whatever it finds, so that one evening mends
everything.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from smbus2 import SMBus, i2c_msg

from hal.events import MILLISECOND, SECOND, CardIn, CardOut, Event, Instant, Key, KeyDown, Slot
from hal.faults import BoardFault
from hal.findings import Finding, Person, Verdict, bad
from hal.pattern import pattern
from hal.pi import diagnosis
from hal.pi.board import PiBoard
from hal.pi.debounce import KEYS
from hal.pi.gpio import REMEDY
from hal.pi.reader import Reader
from hal.pi.screen import NOP
from hal.pi.system_check import System, i2c_file, spi_files, usable
from hal.pi.trouble import TROUBLE
from hal.sounds import LOUDEST, Sound
from hal.wiring import READERS, Wiring

STOP_FIRST = "If the box is running, stop it first: Ctrl-C where it runs, or its service."
COMMAND = 0x00
"""The control byte before a command, for whichever controller the screen has."""
USUAL_ADDRESSES = (0x3C, 0x3D)

READINGS = 50
"""Of VersionReg: enough to meet a loose contact."""
AT_REST = 200 * MILLISECOND
PATIENCE_FOR_A_KEY = 8 * SECOND
PATIENCE_FOR_A_CARD = 20 * SECOND


class Site(System, Protocol):
    """The machine, and the board that hangs on it."""

    def opened(self, wiring: Wiring) -> AbstractContextManager[PiBoard]: ...


class PartsCheck:
    """One run. What has failed once is not tried again in another way."""

    def __init__(self, wiring: Wiring, site: Site, person: Person | None) -> None:
        self._wiring = wiring
        self._site = site
        self._person = person
        self._silent = set(Slot)
        """The slots whose readers have not answered."""
        self._screen_answers = False
        self._inside: set[Slot] = set()
        """The slots in which a card has been seen."""

    def findings(self) -> Iterator[Finding]:
        """All findings, one by one as they are made."""
        if usable(self._site, spi_files(self._wiring)):
            yield from self._readers()
        if usable(self._site, [i2c_file(self._wiring)]):
            yield self._screen()
        try:
            with self._site.opened(self._wiring) as board:
                yield from self._on_the_board(board)
        except BoardFault as fault:
            yield bad(f"the board cannot be opened: {fault}", STOP_FIRST)

    # What needs nobody

    def _readers(self) -> Iterator[Finding]:
        try:
            yield from self._each_reader()
        except TROUBLE as error:
            yield bad(f"the readers cannot be opened: {error}", STOP_FIRST)

    def _each_reader(self) -> Iterator[Finding]:
        readers = {
            Slot.LEFT: Reader(self._wiring.spi_bus, 0, self._wiring.left_reset),
            Slot.RIGHT: Reader(self._wiring.spi_bus, 1, self._wiring.right_reset),
        }
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
        return self._person.sees_light(READERS[slot])

    def _screen(self) -> Finding:
        address = self._wiring.screen_address
        error = self._no_answer_at(address)
        self._screen_answers = error is None
        others = [other for other in USUAL_ADDRESSES if error and other != address]
        found = next((other for other in others if self._no_answer_at(other) is None), None)
        return diagnosis.screen(self._wiring, error, found)

    def _no_answer_at(self, address: int) -> OSError | None:
        bus = SMBus(self._wiring.i2c_bus)
        try:
            bus.i2c_rdwr(i2c_msg.write(address, (COMMAND, NOP)))
        except OSError as error:
            return error
        finally:
            bus.close()
        return None

    # What needs the whole board

    def _on_the_board(self, board: PiBoard) -> Iterator[Finding]:
        down = {event.key for event in self._during(board, AT_REST) if isinstance(event, KeyDown)}
        yield diagnosis.keys_at_rest(self._wiring, down | board.stuck_keys)
        if not board.hears_edges:
            yield Finding(
                Verdict.NOTE,
                "the GPIO library gives no edges, and the keypad is scanned all the time",
                f"The box rests better with rpi-lgpio: {REMEDY}.",
            )
        if self._person is not None:
            yield from self._with_a_person(board, self._person)

    def _with_a_person(self, board: PiBoard, person: Person) -> Iterator[Finding]:
        seen = {key: self._pressed(board, person, key) for row in KEYS for key in row}
        yield from diagnosis.keys(self._wiring, seen)
        for slot in Slot:
            if slot not in self._silent:
                yield diagnosis.card(self._wiring, slot, self._card_seen(board, person, slot))
        if self._screen_answers:
            board.show_picture(pattern())
            yield diagnosis.pattern(self._wiring, person.sees_pattern())
            board.show_picture(None)
        board.buzzer.play(Sound.NEW_GAME, LOUDEST)
        self._during(board, 1 * SECOND)
        yield diagnosis.tone(self._wiring, person.hears_tone())

    def _pressed(self, board: PiBoard, person: Person, key: Key) -> Key | None:
        person.press(key)
        seen = self._first(board, PATIENCE_FOR_A_KEY, KeyDown)
        return seen.key if isinstance(seen, KeyDown) else None

    def _card_seen(self, board: PiBoard, person: Person, slot: Slot) -> Slot | None:
        """A card that lies in the slot already will do."""
        if slot not in self._inside:
            person.put_card(slot)
            self._first(board, PATIENCE_FOR_A_CARD, CardIn)
        seen = next((where for where in (slot, slot.other) if where in self._inside), None)
        person.take_card(slot)
        if seen:
            self._first(board, PATIENCE_FOR_A_CARD, CardOut)
        return seen

    def _during(self, board: PiBoard, duration: int) -> list[Event]:
        """Everything that is reported for a while."""
        end = Instant(board.clock.now() + duration)
        happened: list[Event] = []
        while board.clock.now() < end:
            happened += self._wait(board, end)
        return happened

    def _first(self, board: PiBoard, patience: int, kind: type[Event]) -> Event | None:
        """The first event of a kind; None when the patience is over."""
        end = Instant(board.clock.now() + patience)
        while board.clock.now() < end:
            for event in self._wait(board, end):
                if isinstance(event, kind):
                    return event
        return None

    def _wait(self, board: PiBoard, end: Instant) -> Sequence[Event]:
        events = board.wait(end)
        for event in events:
            match event:
                case CardIn(slot=slot):
                    self._inside.add(slot)
                case CardOut(slot=slot):
                    self._inside.discard(slot)
        return events


def _silenced_by(held: Reader, readers: dict[Slot, Reader]) -> dict[Slot, bool]:
    held.hold_in_reset()
    silenced = {slot: not reader.is_alive() for slot, reader in readers.items()}
    held.revive()
    return silenced
