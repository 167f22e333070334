"""The software board while a script is recorded: one input at a time, as in a script.

Each input is written as a script line first, and the box carries out that line, so the script
reproduces what was seen. For that, the box's time differs a little from wall time:

- Time stops for a second after each input, and then catches up, so keys that are typed in a row
  become one line. All timeouts of the box are a second or longer, so they are not late; only the
  minutes of a timed game may end up to a second late.
- After that it advances in steps of a tenth of a second, counted from the last input.
- Only C can be held, and M when the box asks for it (F5). Any other key is released at once. C and
  M are released at the next input, or when the box has done what they are held for: a script cannot
  do two things at a time.
"""

from collections.abc import Sequence
from typing import NamedTuple

from firmware.table.box import HOLD_M, LONG_C
from hal.display.messages import Text
from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import MILLISECOND, SECOND, Event, Instant, Key
from sim.panel.actions import BoxAction, PressKey, PutCard, TakeCard
from sim.panel.box.link import Link
from sim.panel.box.pace import PacedWaiter
from sim.panel.box.panel_board import PanelBoard
from sim.panel.messages import BoxStart, Observation

PAUSE = 1 * SECOND
"""How long time stops after an input."""
STEP = 100 * MILLISECOND
HELD_FOR = {Key.CANCEL: LONG_C, Key.MILLIONS: HOLD_M}
"""Keys that can be held, and the time after which the box acts."""


class HeldKey(NamedTuple):
    """A key that is down."""

    key: Key
    since: Instant


class RecordingBoard(PanelBoard):
    """Sends each line of the script, with what could be expected after it."""

    def __init__(self, link: Link, start: BoxStart, waiter: PacedWaiter | None = None) -> None:
        super().__init__(link, start, waiter)
        self._line: str | None = "power on"
        """The line of the current input, until it is sent."""
        self._written_until = self.clock.now()
        self._last_input = self.clock.now()
        self._held: HeldKey | None = None
        self._sent_view = self._lasting_view

    def wait(self, until: Instant | None) -> Sequence[Event]:
        if not self.pending:
            self._write_line()
        if self._held and self.clock.now() >= self._held.since + HELD_FOR[self._held.key]:
            self._release_held(self._held)
        return super().wait(until)

    def _current_time(self) -> Instant:
        since = self._waiter.now() - self._last_input
        if since < PAUSE:
            return self.clock.now()
        return Instant(self._last_input + since // STEP * STEP)

    def _waiter_time(self, moment: Instant) -> Instant:
        steps = -((self._last_input - moment) // STEP)
        return Instant(self._last_input + max(PAUSE, steps * STEP))

    def _apply(self, action: BoxAction) -> None:
        if not isinstance(action, PressKey | PutCard | TakeCard):
            super()._apply(action)
            return
        if self._held:
            self._link.put_back(action)
            self._release_held(self._held)
            return
        self._write_wait()
        self._restart_time()
        match action:
            case PutCard(card, slot):
                self._line = f"insert {slot.value} {card}"
            case TakeCard(card):
                self._line = f"remove {self._slot_of(card).value}"
        super()._apply(action)

    def _press(self, key: Key) -> None:
        self.keypad.press(key)
        if key is Key.CANCEL or (key is Key.MILLIONS and self._is_hold_asked):
            self._held = HeldKey(key, self.clock.now())
        else:
            self._line = f"press {key.value}"
            self.keypad.let_go(key)

    def _release(self, key: Key) -> None:
        if self._held and self._held.key is key:
            self._release_held(self._held)

    def _release_held(self, held: HeldKey) -> None:
        self._held = None
        time, name = self.clock.now() - held.since, held.key.value
        self._line = f"hold {name} {duration(time)}" if time else f"press {name}"
        self._restart_time()
        self.keypad.let_go(held.key)

    @property
    def _is_hold_asked(self) -> bool:
        message = self.screen.view.message
        return message is not None and message.ask is Text.HOLD_M

    def _restart_time(self) -> None:
        """Count time from this input."""
        self._last_input = self.clock.now()
        self._waiter.set_time(self._last_input)

    def _write_line(self) -> None:
        """Write the line of the last input, or a wait if time alone has changed the screen."""
        if self._line is not None:
            self._write(self._line)
            self._line = None
        elif self._lasting_view != self._sent_view and self._held is None:
            self._write_wait()

    @property
    def _lasting_view(self) -> View:
        """The view without the minutes left, which a script cannot expect."""
        return self.screen.view._replace(minutes_left=None)

    def _write_wait(self) -> None:
        if self.clock.now() > self._written_until:
            self._write(f"wait {duration(self.clock.now() - self._written_until)}")

    def _write(self, line: str) -> None:
        self._link.step(line, self._observation())
        self._written_until = self.clock.now()
        self._sent_view = self._lasting_view
        self.buzzer.played.clear()

    def _observation(self) -> Observation:
        view = self.screen.view
        sounds = [sound.value for sound in self.buzzer.played if sound is not Sound.KEY]
        return Observation(
            field=view.field,
            message=str(view.message or ""),
            menu=view.menu.names if view.menu else "",
            status=view.status if view.middle or view.minutes_left is None else "",
            card=view.card,
            lit=view.lit,
            volume=view.volume,
            sound=sounds[-1] if sounds else None,
        )


def duration(microseconds: int) -> str:
    """In the script language's format."""
    milliseconds = microseconds // MILLISECOND
    seconds, rest = divmod(milliseconds, 1000)
    return f"{milliseconds}ms" if rest else f"{seconds}s"
