"""A box that is worked over its serial console, by a host that floods the line in between.

The console is the real one, at its end of a pseudo terminal, in a thread of its own; what it
answers is all that is seen of the box. The wall's clock stands still, so that the bank's time
passes only where a line says so, and how fast this machine is makes no difference.
"""

import os
import pty
import select
import threading
import tty
from collections.abc import Sequence
from pathlib import Path
from random import Random

from firmware.edition import Edition
from hal.console.port import ConsolePort
from hal.events import Event, Instant
from hal.sounds import Sound
from hal.view import View
from sim.console import Console, Options
from sim.scratch import beside
from sim.script import Action
from sim.storm.ledger_reader import LedgerReader
from sim.storm.model import lines as scripts
from sim.storm.seen import Books, Seen, dark

LEDGER = "box.db"
A_LOOK = 0.02
"""Seconds for which the box waits for the host to say something."""
PATIENCE = 60.0
"""Seconds for an answer; a console that takes longer hangs."""
A_WRITE = 512
CTRL_C = b"\x03"
NOISE = bytes(set(range(256)) - set(CTRL_C))
MOST_FLOODED = 12_000
"""Bytes."""

UNSEEN = ("card", "volume", "tenants", "edition", "minutes_left", "page")
"""What a console does not tell."""


class StillClock:
    def now(self) -> Instant:
        return Instant(0)


class DeafScreen:
    def show(self, view: View) -> None:
        """Nobody looks."""


class DumbBuzzer:
    def play(self, sound: Sound, volume: int) -> None:
        """Nobody listens."""


class Shelf:
    """A board without any parts, which only waits for the line. Fits StandingBoard."""

    def __init__(self) -> None:
        self.clock, self.screen, self.buzzer = StillClock(), DeafScreen(), DumbBuzzer()
        self._listens_to: list[int] = []

    def rest(self, asleep: bool) -> None: ...

    def wait(self, until: Instant | None) -> Sequence[Event]:
        if until is None or until > self.clock.now():
            select.select(self._listens_to, [], [], A_LOOK)
        return ()

    def interrupt(self) -> None: ...

    def listen(self, descriptor: int) -> None:
        self._listens_to.append(descriptor)

    def deafen(self, descriptor: int) -> None:
        self._listens_to.remove(descriptor)

    def inventory(self) -> Sequence[str]:
        return ("no parts",)


class Stop:
    asked = False


class Line:
    """The host's end. It never waits for a box that does not read."""

    def __init__(self) -> None:
        self._ours, self._theirs = pty.openpty()
        tty.setraw(self._theirs)
        os.set_blocking(self._ours, False)
        self.port = os.ttyname(self._theirs)
        self._heard = b""

    def send(self, what: bytes) -> list[str]:
        """All of it, as fast as the line takes it; what was answered meanwhile."""
        answers = []
        while what:
            readable, writable, _ = select.select([self._ours], [self._ours], [], PATIENCE)
            assert readable or writable, "the console does not listen any more"
            if readable:
                answers += self._take_in()
            if writable:
                what = what[os.write(self._ours, what[:A_WRITE]) :]
        return answers

    def receive(self) -> list[str]:
        """The next answers; there must be one in time."""
        while True:
            assert select.select([self._ours], [], [], PATIENCE)[0], "the console does not answer"
            answers = self._take_in()
            if answers:
                return answers

    def _take_in(self) -> list[str]:
        *lines, self._heard = (self._heard + os.read(self._ours, 4096)).split(b"\n")
        return [line.decode("ascii", "replace").strip() for line in lines]

    def close(self) -> None:
        os.close(self._ours)
        os.close(self._theirs)


class ConsoleTable:
    """Fits ``sim.storm.table.Table``."""

    unseen = UNSEEN
    takes_time = False

    def __init__(self, folder: Path, edition: Edition, given: Sequence[str]) -> None:
        self._line = Line()
        self._stop = Stop()
        self._started = threading.Event()
        self._box = threading.Thread(target=self._run, args=(folder / LEDGER,), daemon=True)
        self._box.start()
        self._started.wait(PATIENCE)
        self._dice = Random(len(given))
        self._hellos = 0
        self._answer = ""
        self._moment = 0
        self._operation = 0
        self.last_view: View | None = None
        self.powered = True
        for line in ("clock skip", "new", *given, ""):
            self._say(line)
        self._ledger = LedgerReader(beside(folder / LEDGER), edition, stays=False)

    def _run(self, ledger: Path) -> None:
        """In the console's own thread, as all that touches its ledger."""
        shelf = Shelf()
        port = ConsolePort(self._line.port, 115_200, shelf)
        port.open()
        try:
            console = Console(Options(self._line.port, 115_200, ledger), port, shelf, self._stop)
            self._started.set()
            console.talk()
        finally:
            port.close()

    def play(self, line: str, step: Action) -> None:
        del step
        self._operation += 1
        if line == "fault console":
            self._flood()
            return
        words = line.split()
        self._say(line)
        if words[0] in ("wait", "hold"):
            self._moment += scripts.milliseconds(words[-1])
        self.powered = {"power off": False, "power on": True}.get(line, self.powered)

    def _say(self, line: str) -> None:
        self._line.send(f"{line}\n".encode())
        (self._answer,) = self._line.receive()
        assert self._answer.startswith("ok"), f"{line!r} was answered with {self._answer!r}"

    def _flood(self) -> None:
        """Anything at all, but for what means something; then we find the beginning again."""
        flood = bytes(self._dice.choices(NOISE, k=self._dice.randrange(1, MOST_FLOODED)))
        self._line.send(self._dice.choice((flood, flood.replace(b"\n", b"x"), CTRL_C + flood)))
        self._hellos += 1
        word = f"flood-{self._hellos}"
        answers = self._line.send(CTRL_C + f"\nhello {word}\n".encode())
        while not answers[-1:] or not answers[-1].endswith(word):
            answers = self._line.receive()
        self._say("wait 1ms")  # what was heard before it is past
        self._moment += 1

    @property
    def moment(self) -> int:
        return self._moment

    def seen(self) -> Seen:
        return seen_in(self._answer, self._ledger.books(self._operation))

    def faults(self) -> Sequence[str]:
        return self._ledger.faults()

    def put_away(self) -> None:
        self._ledger.close()
        self._stop.asked = True
        self._line.send(b"\n")
        self._box.join(PATIENCE)
        self._line.close()


def seen_in(answer: str, books: Books) -> Seen:
    """What an answer says of the box: ``ok screen 14M | message NO FUNDS | sound error``."""
    told = dict(part.partition(" ")[::2] for part in answer.removeprefix("ok ").split(" | "))
    asleep = told.get("the") == "box sleeps"
    if told.get("the") == "power is off":
        return dark(books)
    words = told.get("table", "").split()
    return dark(books)._replace(
        lit=True,
        field=told.get("screen", ""),
        message=told.get("message", ""),
        sound=told.get("sound", ""),
        asleep=asleep,
        menu=told.get("menu", ""),
        table=tuple(zip(words[::2], words[1::2], strict=True)),
    )
