"""What systemd is told: that the box is up, that its loop goes round, that it stops.

The protocol is one datagram for each thing that is said, to a socket that the environment
names. It is written here by hand because the packages for it either need a C library or
have rested for years, and are longer than this.
"""

import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress

from hal.events import Event, Instant
from hal.parts import Buzzer, Clock, Screen, StandingBoard

FEEDS = 3
"""How often the watchdog is fed in the time after which it bites."""


BUSY = 0.2
"""Seconds."""


class Service:
    """Systemd, if it started us; somebody who does not listen otherwise."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        self.feed_every = _feed_every(environment) if self._address else None
        """Microseconds from one feeding of the watchdog to the next; None: there is none."""

    def ready(self, status: str) -> None:
        """The first screen is drawn; say what the box is doing."""
        self._tell(f"READY=1\nSTATUS={status}")

    def alive(self) -> None:
        self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        self._tell("STOPPING=1")

    def _tell(self, what: str) -> None:
        if not self._address:
            return
        # An address that begins with @ is in the abstract namespace, which a NUL marks.
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        # For a systemd that is too busy to listen the bank waits no longer than that.
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.settimeout(BUSY)
            line.sendto(what.encode(), address)


def _feed_every(environment: Mapping[str, str]) -> int | None:
    try:
        limit = int(environment.get("WATCHDOG_USEC", ""))
        meant_for = int(environment.get("WATCHDOG_PID", os.getpid()))
    except ValueError:
        return None
    return limit // FEEDS if limit > 0 and meant_for == os.getpid() else None


class SupervisedBoard:
    """A board whose loop feeds the watchdog: a call that never returns starves it.

    No wait is longer than the time to the next feeding. A wait that ends early with nothing
    to tell is nothing new to whoever waits.
    """

    def __init__(self, board: StandingBoard, service: Service, feed_every: int) -> None:
        self._board = board
        self._service = service
        self._feed_every = feed_every
        self._feed_at = board.clock.now()

    @property
    def clock(self) -> Clock:
        return self._board.clock

    @property
    def screen(self) -> Screen:
        return self._board.screen

    @property
    def buzzer(self) -> Buzzer:
        return self._board.buzzer

    def rest(self, asleep: bool) -> None:
        self._board.rest(asleep)

    def wait(self, until: Instant | None) -> Sequence[Event]:
        now = self.clock.now()
        if now >= self._feed_at:
            self._service.alive()
            self._feed_at = Instant(now + self._feed_every)
        return self._board.wait(self._feed_at if until is None else min(until, self._feed_at))

    def interrupt(self) -> None:
        self._board.interrupt()

    def listen(self, descriptor: int) -> None:
        self._board.listen(descriptor)

    def deafen(self, descriptor: int) -> None:
        self._board.deafen(descriptor)

    def inventory(self) -> Sequence[str]:
        return self._board.inventory()


def supervised(board: StandingBoard, service: Service) -> StandingBoard:
    """The board, with its watchdog if there is one."""
    if service.feed_every is None:
        return board
    return SupervisedBoard(board, service, service.feed_every)
