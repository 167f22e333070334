"""The serial console: whatever comes over the line is answered, and the bank works on.

An input is what happens at both ends, a line of it at a time. One that begins with ``@`` is
done at the box: ``@L4`` puts stock card 4 into the left slot, ``@L`` takes it out, ``@5``
presses a key, ``@ 3000`` lets so many milliseconds pass, ``@!`` pulls the line's plug. All
else comes over the line, with or without an end.
"""

import itertools
import socket
import sqlite3
from collections import deque
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch

import serial

import sim.console
from firmware import schema
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.run_command import Stop
from firmware.store import Store
from hal.console.port import ConsolePort
from hal.events import (
    MILLISECOND,
    SECOND,
    CardIn,
    CardOut,
    Event,
    Instant,
    Key,
    KeyDown,
    KeyUp,
    Slot,
)
from hal.sounds import Sound
from hal.view import View
from sim.console import GREETING, Console, Options
from sim.rig import EPOCH
from sim.scratch import Scratch
from sim.stock import STOCK
from tests.fuzz.contract import is_one_sentence, logged

LONGEST = 1_500
WORDS = tuple(
    word.encode()
    for word in (
        "hands box\r\n", "hands wire\r\n", "learn 1\r\n", "empty\r\n", "new\r\n", "parts\r\n",
        "clock skip\r\n", "clock real\r\n", "hello x\r\n", "help\r\n", "\x03", "@!\n", "@L4\n",
        "@L\n", "@R5\n", "@R\n", "@C\n", "@ 9000\n", "wait 3h\r\n", "hold C 4s\r\n",
        "press F9M\r\n", "press F03 5M\r\n", "press F04 2\r\n", "insert left 1\r\n",
        "insert right 2\r\n",
        "remove left\r\n", "power off\r\n", "power on\r\n", "given edition europe\r\n",
        "expect balance 1 15M\r\n", "expect menu none\r\n", "fault disk full\r\n",
        "fault key 5\r\n", "fault reader left\r\n", "mend reader left\r\n", "fault console\r\n",
        "fault disk cut 2\r\n",
    )
)  # fmt: skip
DONE = "the noise is over"
AFTERWARDS = {
    f"\x03\r\nhello {DONE}\r\n".encode(): " | ".join((GREETING, *DONE.split())),
    b"hands wire\r\n": "ok",
    b"clock real\r\n": "ok",
    b"given cards none\r\n": "ok",
    b"insert left 1\r\n": "ok screen 1 | message NEW CARD | sound card",
    b"press 2M\r\n": "ok screen 17M | sound ok",
    b"expect balance 1 17M\r\n": "ok",
}
"""What the host says when the noise is over, and what it is answered."""
MOST_WAITS = 20_000
"""A box that waits more often than that for so few lines goes round in circles."""
OPTIONS = Options("a socket", 115200, Path("/nowhere/box.db"))
KEYS = {key.value: key for key in Key}
SLOTS = {"L": Slot.LEFT, "R": Slot.RIGHT}


def fuzz_one(data: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, patch.object(serial, "Serial", lambda *_, **__: Plug(theirs)):
        for end in (ours, theirs):
            end.setblocking(False)
        table = Table(ours, data)
        port = ConsolePort("a socket", 115200, table)
        port.open()
        with patch.object(sim.console, "Scratch", MemoryScratch), logged("tellerbox.console"):
            Console(OPTIONS, port, table, table.stop).talk()
    wanted = list(AFTERWARDS.values())
    assert table.answers[-len(wanted) :] == wanted, table.answers[-len(wanted) :]
    for answer in table.answers:
        is_one_sentence(answer)
        assert answer.startswith(("ok", "no: ", "error: ", GREETING)), answer
        assert "the console failed" not in answer, answer


class Circles(BaseException):
    """Not an Exception, which the console would survive."""


class MemoryScratch(Scratch):
    """A scratch ledger that takes no time; files have a target of their own."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._connection = sqlite3.connect(":memory:", isolation_level=None)

    def opened(self) -> Store:
        return Store(self._connection, lambda: EPOCH)

    def begun_anew(self, edition: Edition, known: Sequence[bytes]) -> Store:
        self.close()
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        self._connection.deserialize(_begun(edition, tuple(known)))
        return self.opened()

    def close(self) -> None:
        self._connection.close()


@lru_cache(64)
def _begun(edition: Edition, known: tuple[bytes, ...]) -> bytes:
    """The bytes of a ledger with a new game; to make one takes longer than all else here."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        schema.migrate(connection)
        ledger = Ledger(Store(connection, lambda: EPOCH), edition)
        if known:
            ledger.know(known)
        return connection.serialize()


class Plug:
    """Stands in for pyserial: bytes that are there, and nothing that waits."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    def fileno(self) -> int:
        return self._line.fileno()

    def read(self, most: int) -> bytes:
        try:
            heard = self._line.recv(most)
        except BlockingIOError:
            return b""
        if PULLED in heard:
            raise OSError("the line's plug was pulled")
        return heard

    def close(self) -> None:
        """The socket is used again when the port is found again."""


PULLED = b"\xff!plug!\xff"


class Table:
    """A board on which one thing happens each time somebody waits; and the host's end."""

    def __init__(self, line: socket.socket, data: bytes) -> None:
        self._line = line
        self._coming = deque(data.splitlines(keepends=True))
        self._now = Instant(0)
        self._inside: set[Slot] = set()
        self._heard = b""
        self._waits = itertools.count()
        self._quiet = iter((True,) * 5)
        self._afterwards = iter(AFTERWARDS.items())
        self._wanted: str | None = None
        self.answers: list[str] = []
        self.stop = Stop()
        self.clock = self.screen = self.buzzer = self

    def now(self) -> Instant:
        return self._now

    def show(self, view: View) -> None:
        del view

    def play(self, sound: Sound, volume: int) -> None:
        del sound, volume

    def rest(self, asleep: bool) -> None:
        del asleep

    def listen(self, descriptor: int) -> None:
        del descriptor

    deafen = listen

    def interrupt(self) -> None:
        """Nobody is ever really waiting."""

    def inventory(self) -> Sequence[str]:
        return ("a table",)

    def wait(self, until: Instant | None) -> Sequence[Event]:
        if next(self._waits) > MOST_WAITS:
            raise Circles(self._wanted, self.answers[-1:])
        self._hear()
        if self._coming:
            return self._happen(self._coming.popleft(), until)
        if self._inside:
            return [CardOut(self._now, self._inside.pop())]
        # A port that was lost is found again, before anybody talks to it.
        if not next(self._quiet, False) and self._speak():
            return ()
        self._pass(until, 2 * SECOND)
        return ()

    def _pass(self, until: Instant | None, most: int) -> None:
        end = self._now + most
        self._now = Instant(max(self._now, end if until is None else min(until, end)))

    # The box's own parts

    def _happen(self, said: bytes, until: Instant | None) -> Sequence[Event]:
        word = said.rstrip().decode("ascii", "replace")
        match list(word):
            case ["@", ("L" | "R") as side, *card] if len(card) < 2:
                return self._cards(SLOTS[side], "".join(card))
            case ["@", key] if key in KEYS:
                return [KeyDown(self._now, KEYS[key]), KeyUp(self._now, KEYS[key])]
            case ["@", "!"]:
                self._line.send(PULLED)
                return ()
            case ["@", " ", *digits] if "".join(digits).isdecimal() and len(digits) < 7:
                self._pass(until, int("".join(digits)) * MILLISECOND)
                return ()
        self._line.send(said)
        return ()

    def _cards(self, slot: Slot, card: str) -> Sequence[Event]:
        if card.isdecimal() and slot not in self._inside:
            self._inside.add(slot)
            return [CardIn(self._now, slot, STOCK[int(card) - 1])]
        if not card and slot in self._inside:
            self._inside.remove(slot)
            return [CardOut(self._now, slot)]
        return ()

    # The host

    def _hear(self) -> None:
        try:
            while heard := self._line.recv(65536):
                self._heard += heard
        except BlockingIOError:
            pass
        *whole, self._heard = self._heard.split(b"\r\n")
        self.answers += [line.decode("ascii") for line in whole]

    def _speak(self) -> bool:
        """Say the next line when the one before has been answered; True when one was said."""
        if self._wanted is not None and self.answers[-1:] != [self._wanted]:
            return False
        line, self._wanted = next(self._afterwards, (b"", None))
        self.stop.asked = not line
        self._line.send(line)
        return bool(line)
