"""A board under a console: the inputs of a script join what the box's own parts report.

It stands between the bank and the box's board: screen and buzzer are the real ones, the status row
of the screen shows a T, and the bank's time is the script's.
"""

from collections.abc import Sequence

from hal.display.view import dark
from hal.events import Event, Instant
from hal.last_known import LastKnown
from hal.parts import RunnableBoard, Screen
from sim.board.software_board import RecordingBuzzer, RecordingScreen
from sim.console.script_clock import ScriptClock


class MarkedScreen(RecordingScreen):
    """The real screen, with a T in its status row."""

    def __init__(self, real: Screen) -> None:
        super().__init__(lambda view: real.show(view._replace(test=True)))
        self._real = real

    def go_dark(self) -> None:
        """The power is off."""
        self.view = None
        self._real.show(dark(0, ""))


class ConsoleBoard:
    """A ``hal.parts.Board`` on a board that a program can run on."""

    def __init__(self, board: RunnableBoard) -> None:
        self._board = board
        self.wall = board.clock
        self.clock = ScriptClock(board.clock)
        self.screen = MarkedScreen(board.screen)
        self.buzzer = RecordingBuzzer(board.buzzer.play)
        self.skips = False
        """Whether a script's waits are skipped."""
        self.last_known = LastKnown()
        """What the box's own parts have reported."""
        self.told: list[Event] = []
        """Events of the box's own parts that were passed to the bank during this wait."""
        self.latest: Instant | None = None
        """When a wait ends at the latest, in wall time."""
        self.inputs: list[Event] = []
        """The script's events that the next wait returns."""

    def rest(self, asleep: bool) -> None:
        self._board.rest(asleep)

    def wait(self, until: Instant | None) -> Sequence[Event]:
        """Return the script's inputs at once; without any, wait for the own parts."""
        inputs, self.inputs = self.inputs, []
        if inputs:
            return inputs
        stop = self.clock.stop
        end = until if stop is None else stop if until is None else min(until, stop)
        if self.skips and stop is not None and end is not None:
            self.clock.jump(end)
        ends = [self.latest, None if end is None else self.clock.on_the_wall(end)]
        seen = self.look(min((end for end in ends if end is not None), default=None))
        self.told += seen
        return [event._replace(at=self.clock.of_the_wall(event.at)) for event in seen]

    def look(self, until: Instant | None) -> Sequence[Event]:
        """Wait for the own parts, in wall time."""
        events = self._board.wait(until)
        for event in events:
            self.last_known.update(event)
        return events
