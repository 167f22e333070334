"""Fuzzes the serial console: every line must be answered, and the bank must keep working.

An input is a sequence of lines. A line that starts with ``@`` happens at the box: ``@L4`` inserts
stock card 4 into the left slot, ``@L`` removes it, ``@5`` presses a key, ``@ 3000`` lets 3000
milliseconds pass, ``@!`` unplugs the serial line. All others are sent over the line.
"""

import fcntl
import itertools
import socket
import sqlite3
import termios
from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch

import serial

import sim.console.session
from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.commands.run import StopFlag
from firmware.storage import schema
from firmware.storage.store import Store
from hal.console.port import ConsolePort
from hal.display.sounds import Sound
from hal.display.view import View
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
from sim.board.harness import EPOCH
from sim.board.stock import STOCK
from sim.console.scratch import Scratch
from sim.console.session import GREETING, Console, ConsoleOptions
from tests.campaign.fuzz.contract import check_one_sentence, logged

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
FINAL_EXCHANGE = {
    f"\x03\r\nhello {DONE}\r\n".encode(): " | ".join((GREETING, *DONE.split())),
    b"hands wire\r\n": "ok",
    b"clock real\r\n": "ok",
    b"given cards none\r\n": "ok",
    b"insert left 1\r\n": "ok screen 1 | message NEW CARD | sound card",
    b"press 2M\r\n": "ok screen 17M | sound ok",
    b"expect balance 1 17M\r\n": "ok",
}
"""What the host sends after the noise, and the expected answers."""
MAX_WAITS = 20_000
"""A box that waits more often than this for so few lines is in a livelock."""
OPTIONS = ConsoleOptions("a socket", 115200, Path("/nowhere/box.db"))
KEYS = {key.value: key for key in Key}
SLOTS = {"L": Slot.LEFT, "R": Slot.RIGHT}


def fuzz_one(data: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, patch.object(serial, "Serial", lambda *_, **__: SocketSerial(theirs)):
        for end in (ours, theirs):
            end.setblocking(False)
        board = FuzzBoard(ours, data)
        port = ConsolePort("a socket", 115200, board)
        port.open()
        with (
            patch.object(sim.console.session, "Scratch", MemoryScratch),
            logged("tellerbox.console"),
        ):
            Console(OPTIONS, port, board, board.stop).talk()
    expected = list(FINAL_EXCHANGE.values())
    assert board.answers[-len(expected) :] == expected, board.answers[-len(expected) :]
    for answer in board.answers:
        check_one_sentence(answer)
        assert answer.startswith(("ok", "no: ", "error: ", GREETING)), answer
        assert "the console failed" not in answer, answer


class Livelock(BaseException):
    """Not an Exception, which the console would survive."""


class MemoryScratch(Scratch):
    """A scratch ledger in memory; files have their own target."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._connection = sqlite3.connect(":memory:", isolation_level=None)

    def opened(self) -> Store:
        return Store(self._connection, lambda: EPOCH)

    def replaced(self, edition: Edition, known: Sequence[bytes], names: Mapping[int, str]) -> Store:
        self.close()
        self._connection = sqlite3.connect(":memory:", isolation_level=None)
        named = tuple(names.items())
        self._connection.deserialize(_new_ledger_bytes(edition, tuple(known), named))
        return self.opened()

    def close(self) -> None:
        self._connection.close()


@lru_cache(64)
def _new_ledger_bytes(
    edition: Edition, known: tuple[bytes, ...], named: tuple[tuple[int, str], ...]
) -> bytes:
    """The bytes of a ledger with a new game, cached because creating one is slow."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        schema.migrate(connection)
        ledger = Ledger(Store(connection, lambda: EPOCH), edition)
        if known:
            ledger.know(known, dict(named))
        return connection.serialize()


class SocketSerial:
    """Stands in for pyserial, without blocking."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    def fileno(self) -> int:
        return self._line.fileno()

    @property
    def in_waiting(self) -> int:
        count = array("i", [0])
        fcntl.ioctl(self._line, termios.FIONREAD, count)
        return count[0]

    def read(self, most: int) -> bytes:
        try:
            received = self._line.recv(most)
        except BlockingIOError:
            return b""
        if UNPLUG in received:
            raise OSError("the serial line was unplugged")
        return received

    def close(self) -> None:
        """Keep the socket open, for when the port is reopened."""


UNPLUG = b"\xff!plug!\xff"


class FuzzBoard:
    """A board on which one thing happens at each wait, and the host's end of the line."""

    def __init__(self, line: socket.socket, data: bytes) -> None:
        self._line = line
        self._pending = deque(data.splitlines(keepends=True))
        self._now = Instant(0)
        self._inside: set[Slot] = set()
        self._buffer = b""
        self._waits = itertools.count()
        self._quiet = iter((True,) * 5)
        self._exchange = iter(FINAL_EXCHANGE.items())
        self._expected: str | None = None
        self.answers: list[str] = []
        self.stop = StopFlag()
        self.clock = self.screen = self.buzzer = self

    def now(self) -> Instant:
        return self._now

    def show(self, view: View) -> None:
        del view

    def play(self, sound: Sound, volume: int) -> None:
        del sound, volume

    def connect(self) -> None: ...

    def rest(self, asleep: bool) -> None:
        del asleep

    def listen(self, descriptor: int) -> None:
        del descriptor

    deafen = listen

    def interrupt(self) -> None: ...

    def inventory(self) -> Sequence[str]:
        return ("a fuzzed board",)

    def wait(self, until: Instant | None) -> Sequence[Event]:
        if next(self._waits) > MAX_WAITS:
            raise Livelock(self._expected, self.answers[-1:])
        self._receive()
        if self._pending:
            return self._perform(self._pending.popleft(), until)
        if self._inside:
            return [CardOut(self._now, self._inside.pop())]
        # Let the port be reopened before the host sends anything.
        if not next(self._quiet, False) and self._send_next():
            return ()
        self._pass_time(until, 2 * SECOND)
        return ()

    def _pass_time(self, until: Instant | None, most: int) -> None:
        end = self._now + most
        self._now = Instant(max(self._now, end if until is None else min(until, end)))

    # The box

    def _perform(self, line: bytes, until: Instant | None) -> Sequence[Event]:
        word = line.rstrip().decode("ascii", "replace")
        match list(word):
            case ["@", ("L" | "R") as side, *card] if len(card) < 2:
                return self._cards(SLOTS[side], "".join(card))
            case ["@", key] if key in KEYS:
                return [KeyDown(self._now, KEYS[key]), KeyUp(self._now, KEYS[key])]
            case ["@", "!"]:
                self._line.send(UNPLUG)
                return ()
            case ["@", " ", *digits] if "".join(digits).isdecimal() and len(digits) < 7:
                self._pass_time(until, int("".join(digits)) * MILLISECOND)
                return ()
        self._line.send(line)
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

    def _receive(self) -> None:
        try:
            while received := self._line.recv(65536):
                self._buffer += received
        except BlockingIOError:
            pass
        *whole, self._buffer = self._buffer.split(b"\r\n")
        self.answers += [line.decode("ascii") for line in whole]

    def _send_next(self) -> bool:
        """Send the next line once the previous one was answered; True if a line was sent."""
        if self._expected is not None and self.answers[-1:] != [self._expected]:
            return False
        line, self._expected = next(self._exchange, (b"", None))
        self.stop.asked = not line
        self._line.send(line)
        return bool(line)
