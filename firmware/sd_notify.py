"""Notifies systemd that the box is ready, that its loop is running, and that it stops.

Each notification is one datagram to the socket in NOTIFY_SOCKET. The existing packages need a C
library or are unmaintained, and are longer than this module.
"""

import os
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress

from hal.events import Event, Instant
from hal.parts import RunnableBoard

PINGS = 3
"""Watchdog pings per watchdog timeout."""
SEND_TIMEOUT = 0.2
"""Seconds. The bank waits no longer than this for a busy systemd."""


class SystemdNotifier:
    """Sends notifications to systemd; does nothing if systemd did not start the box."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        self.ping_interval = _ping_interval(environment) if self._address else None
        """Microseconds between two watchdog pings; None without a watchdog."""

    def ready(self) -> None:
        """The box shows its screen, and its keys work."""
        self._send("READY=1")

    def status(self, status: str) -> None:
        """Say what the box does, for ``systemctl status``."""
        self._send(f"STATUS={status}")

    def alive(self) -> None:
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        self._send("STOPPING=1")

    def _send(self, message: str) -> None:
        if not self._address:
            return
        # A leading @ means the abstract namespace, which a NUL marks.
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.settimeout(SEND_TIMEOUT)
            notify.sendto(message.encode(), address)


def _ping_interval(environment: Mapping[str, str]) -> int | None:
    try:
        limit = int(environment.get("WATCHDOG_USEC", ""))
        meant_for = int(environment.get("WATCHDOG_PID", os.getpid()))
    except ValueError:
        return None
    return limit // PINGS if limit > 0 and meant_for == os.getpid() else None


class SupervisedBoard:
    """A board that pings the watchdog on every wait, so that a call that hangs triggers it.

    No wait is longer than the time to the next ping. Callers of ``wait`` must accept that it
    returns early without events, as with any board.
    """

    def __init__(self, board: RunnableBoard, notifier: SystemdNotifier, ping_interval: int) -> None:
        self._board = board
        self._notifier = notifier
        self._ping_interval = ping_interval
        self._ping_at = board.clock.now()
        self.clock, self.screen, self.buzzer = board.clock, board.screen, board.buzzer
        self.connect, self.rest, self.inventory = board.connect, board.rest, board.inventory
        self.interrupt = board.interrupt
        self.listen, self.deafen = board.listen, board.deafen

    def wait(self, until: Instant | None) -> Sequence[Event]:
        now = self.clock.now()
        if now >= self._ping_at:
            self._notifier.alive()
            self._ping_at = Instant(now + self._ping_interval)
        return self._board.wait(self._ping_at if until is None else min(until, self._ping_at))


def supervised(board: RunnableBoard, notifier: SystemdNotifier) -> RunnableBoard:
    """The board, with watchdog pings if systemd wants them."""
    if notifier.ping_interval is None:
        return board
    return SupervisedBoard(board, notifier, notifier.ping_interval)
