"""A box driven over its serial console, by a host that floods the line now and then.

The console is the real one, in its own thread at one end of a pseudo terminal. The box is observed
through its answers only. The wall clock is stopped, so the bank's time passes only where a line
says so, and the speed of this machine makes no difference.
"""

import os
import pty
import select
import threading
import tty
from collections.abc import Sequence
from pathlib import Path
from random import Random

from firmware.bank.edition import Edition
from firmware.commands.run import StopFlag
from hal.console.port import ConsolePort
from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import Event, Instant
from sim.console.scratch import beside
from sim.console.session import Console, ConsoleOptions
from sim.script.language import ScriptAction
from tests.campaign.storm.ledger_reader import LedgerReader
from tests.campaign.storm.model import lines as scripts
from tests.campaign.storm.observation import LedgerSummary, Observation, dark

LEDGER = "box.db"
POLL = 0.02
"""Seconds that the box waits for input from the host."""
TIMEOUT = 60.0
"""Seconds to wait for an answer before the console counts as hung."""
MAX_WRITE = 512
CTRL_C = b"\x03"
NOISE = bytes(set(range(256)) - set(CTRL_C))
MAX_FLOOD = 12_000
"""Bytes."""

UNOBSERVABLE = ("card", "volume", "occupants", "edition", "minutes_left", "status", "page")
"""What a console does not report."""


class StoppedClock:
    def now(self) -> Instant:
        return Instant(0)


class NullScreen:
    def show(self, view: View) -> None: ...


class NullBuzzer:
    def play(self, sound: Sound, volume: int) -> None: ...


class EmptyBoard:
    """A board without parts that only waits for the serial line. Implements RunnableBoard."""

    def __init__(self) -> None:
        self.clock, self.screen, self.buzzer = StoppedClock(), NullScreen(), NullBuzzer()
        self._descriptors: list[int] = []

    def connect(self) -> None: ...

    def rest(self, asleep: bool) -> None: ...

    def wait(self, until: Instant | None) -> Sequence[Event]:
        if until is None or until > self.clock.now():
            select.select(self._descriptors, [], [], POLL)
        return ()

    def interrupt(self) -> None: ...

    def listen(self, descriptor: int) -> None:
        self._descriptors.append(descriptor)

    def deafen(self, descriptor: int) -> None:
        self._descriptors.remove(descriptor)

    def inventory(self) -> Sequence[str]:
        return ("no parts",)


class HostPort:
    """The host's end of the line. It never blocks on a box that does not read."""

    def __init__(self) -> None:
        self._ours, self._theirs = pty.openpty()
        tty.setraw(self._theirs)
        os.set_blocking(self._ours, False)
        self.port = os.ttyname(self._theirs)
        self._buffer = b""

    def send(self, content: bytes) -> list[str]:
        """Send everything; return the answers received meanwhile."""
        answers = []
        while content:
            readable, writable, _ = select.select([self._ours], [self._ours], [], TIMEOUT)
            assert readable or writable, "the console stopped reading"
            if readable:
                answers += self._read()
            if writable:
                content = content[os.write(self._ours, content[:MAX_WRITE]) :]
        return answers

    def receive(self) -> list[str]:
        """Wait for the next answers."""
        while True:
            assert select.select([self._ours], [], [], TIMEOUT)[0], "the console does not answer"
            answers = self._read()
            if answers:
                return answers

    def _read(self) -> list[str]:
        *lines, self._buffer = (self._buffer + os.read(self._ours, 4096)).split(b"\n")
        return [line.decode("ascii", "replace").strip() for line in lines]

    def close(self) -> None:
        os.close(self._ours)
        os.close(self._theirs)


class ConsoleTable:
    """Implements ``tests.campaign.storm.table.Table``."""

    unobservable = UNOBSERVABLE
    takes_time = False

    def __init__(self, folder: Path, edition: Edition, given: Sequence[str]) -> None:
        self._host = HostPort()
        self._stop = StopFlag()
        self._started = threading.Event()
        self._box = threading.Thread(target=self._run, args=(folder / LEDGER,), daemon=True)
        self._box.start()
        self._started.wait(TIMEOUT)
        self._rng = Random(len(given))
        self._floods = 0
        self._answer = ""
        self._elapsed = 0
        self._operation = 0
        self.last_view: View | None = None
        self.powered = True
        for line in ("clock skip", "new", *given, ""):
            self._send(line)
        self._ledger = LedgerReader(beside(folder / LEDGER), edition, keep_open=False)

    def _run(self, ledger: Path) -> None:
        """Run the console in its own thread, which alone touches its ledger."""
        board = EmptyBoard()
        port = ConsolePort(self._host.port, 115_200, board)
        port.open()
        try:
            console = Console(
                ConsoleOptions(self._host.port, 115_200, ledger), port, board, self._stop
            )
            self._started.set()
            console.talk()
        finally:
            port.close()

    def play(self, line: str, step: ScriptAction) -> None:
        del step
        self._operation += 1
        if line == "fault console":
            self._flood()
            return
        words = line.split()
        self._send(line)
        if words[0] in ("wait", "hold"):
            self._elapsed += scripts.milliseconds(words[-1])
        self.powered = {"power off": False, "power on": True}.get(line, self.powered)

    def _send(self, line: str) -> None:
        self._host.send(f"{line}\n".encode())
        (self._answer,) = self._host.receive()
        assert self._answer.startswith("ok"), f"{line!r} was answered by {self._answer!r}"

    def _flood(self) -> None:
        """Send random bytes, then resynchronise."""
        flood = bytes(self._rng.choices(NOISE, k=self._rng.randrange(1, MAX_FLOOD)))
        self._host.send(self._rng.choice((flood, flood.replace(b"\n", b"x"), CTRL_C + flood)))
        self._floods += 1
        word = f"flood-{self._floods}"
        answers = self._host.send(CTRL_C + f"\nhello {word}\n".encode())
        while not answers[-1:] or not answers[-1].endswith(word):
            answers = self._host.receive()
        self._send("wait 1ms")  # discards what was received before
        self._elapsed += 1

    @property
    def elapsed(self) -> int:
        return self._elapsed

    def observe(self) -> Observation:
        return observed_in(self._answer, self._ledger.summary(self._operation))

    def audit(self) -> Sequence[str]:
        return self._ledger.audit()

    def close(self) -> None:
        self._ledger.close()
        self._stop.asked = True
        self._host.send(b"\n")
        self._box.join(TIMEOUT)
        self._host.close()


def observed_in(answer: str, summary: LedgerSummary) -> Observation:
    """Parse an answer such as ``ok screen 14M | message NO FUNDS | sound error``."""
    fields = dict(part.partition(" ")[::2] for part in answer.removeprefix("ok ").split(" | "))
    asleep = fields.get("the") == "box sleeps"
    if fields.get("the") == "power is off":
        return dark(summary)
    words = fields.get("table", "").split()
    return dark(summary)._replace(
        lit=True,
        field=fields.get("screen", ""),
        message=fields.get("message", ""),
        sound=fields.get("sound", ""),
        asleep=asleep,
        menu=fields.get("menu", ""),
        table=tuple(zip(words[::2], words[1::2], strict=True)),
    )
