"""A board under a console: what a script does joins what its own parts report.

It stands between the bank and any other board. Keys and cards of the script come in
above the readers and the keypad; screen and buzzer are told what they are always told, but
for the word TEST; and the bank's time is the script's.
"""

from collections.abc import Sequence
from typing import NamedTuple

from hal.events import Event, Instant
from hal.parts import Buzzer, Screen, StandingBoard
from hal.sounds import Sound
from hal.standing import Standing
from hal.view import View, dark
from sim.script_clock import ScriptClock


class MarkedScreen:
    """The real screen, with TEST in its status row; remembers what it shows."""

    def __init__(self, real: Screen) -> None:
        self._real = real
        self.view: View | None = None

    def show(self, view: View) -> None:
        self.view = view
        self._real.show(view._replace(test=True))

    def go_dark(self) -> None:
        """The power is off."""
        self.view = None
        self._real.show(dark(0, ""))


class HeardBuzzer(NamedTuple):
    """The real buzzer, and a list of what it played."""

    real: Buzzer
    played: list[Sound]

    def play(self, sound: Sound, volume: int) -> None:
        self.played.append(sound)
        self.real.play(sound, volume)


class ConsoleBoard:
    """Fits ``hal.parts.Board``, on any board that a program can stand on."""

    def __init__(self, board: StandingBoard) -> None:
        self._board = board
        self.wall = board.clock
        self.clock = ScriptClock(board.clock)
        self.screen = MarkedScreen(board.screen)
        self.buzzer = HeardBuzzer(board.buzzer, [])
        self.skips = False
        """Whether time is skipped where a script waits."""
        self.standing = Standing()
        """What the box's own parts see."""
        self.told: list[Event] = []
        """What the own parts saw and the bank was told, in passing."""
        self.latest: Instant | None = None
        """No wait goes on for longer, by the wall."""
        self._coming: list[Event] = []

    def rest(self, asleep: bool) -> None:
        self._board.rest(asleep)

    def bring(self, *events: Event) -> None:
        """These happen next."""
        self._coming += events

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """What was brought; if that is nothing, what the own parts tell meanwhile."""
        brought, self._coming = self._coming, []
        if brought:
            return brought
        stop = self.clock.stop
        end = until if stop is None else stop if until is None else min(until, stop)
        if self.skips and stop is not None and end is not None:
            self.clock.jump(end)
        ends = [self.latest, None if end is None else self.clock.on_the_wall(end)]
        seen = self.look(min((end for end in ends if end is not None), default=None))
        self.told += seen
        return [event._replace(at=self.clock.of_the_wall(event.at)) for event in seen]

    def look(self, until: Instant | None) -> Sequence[Event]:
        """What the own parts tell, in the wall's time."""
        events = self._board.wait(until)
        for event in events:
            self.standing.take_in(event)
        return events

    def forget_coming(self) -> None:
        """What was brought to a bank that is gone."""
        self._coming.clear()

    def inventory(self) -> Sequence[str]:
        return self._board.inventory()
