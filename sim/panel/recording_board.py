"""The software board while a script is recorded: one thing at a time, as in a script.

What hands do becomes a line first, and the line is then what happens to the box; so the
script cannot differ from what was seen. To that end the box's time is bent a little, where
nobody can see it:

- For a second after a hand has done something, time stands still, and then catches up. What
  the box does by itself it does a second or more after the last key or card, so it does it
  when it always would (but for a minute of a game against the clock, which may be seen to
  end a second late); and keys typed one after the other are one line.
- Then it goes in steps of a tenth of a second, from where the last hand left it.
- Only C can be held. Any other key counts as let go at once, and C when something else is
  done or when the new game has begun: a script cannot do two things at a time.
"""

from collections import deque
from collections.abc import Sequence

from firmware.box import LONG_C
from hal.events import MILLISECOND, SECOND, Event, Instant, Key, KeyDown, KeyUp
from hal.sounds import Sound
from hal.view import View
from sim.panel.actions import Done, Press, Put, Take
from sim.panel.link import Link
from sim.panel.messages import Seen, Start
from sim.panel.pace import PacedWaiter
from sim.panel.software_board import SoftwareBoard

STILL = 1 * SECOND
STEP = 100 * MILLISECOND


class RecordingBoard(SoftwareBoard):
    """Tells each line of the script, with what could be expected after it."""

    def __init__(self, link: Link, start: Start, waiter: PacedWaiter | None = None) -> None:
        super().__init__(link, start, waiter)
        self._line: str | None = "power on"
        """What is happening to the box in this turn."""
        self._written = self.clock.now()
        """Up to this instant the script has been written."""
        self._last_hand = self.clock.now()
        self._c_since: Instant | None = None
        self._told = self._lasting
        self._put_off: deque[Done] = deque()

    def wait(self, until: Instant | None) -> Sequence[Event]:
        if not self._first:
            self._write_what_came()
        if self._c_since is not None and self.clock.now() >= self._c_since + LONG_C:
            return self._let_go_of_c()
        return super().wait(until)

    def _coming(self) -> Instant:
        since = self._waiter.now() - self._last_hand
        if since < STILL:
            return self.clock.now()
        return Instant(self._last_hand + since // STEP * STEP)

    def _when_comes(self, moment: Instant) -> Instant:
        steps = -((self._last_hand - moment) // STEP)
        return Instant(self._last_hand + max(STILL, steps * STEP))

    def _next(self) -> Done | None:
        return self._put_off.popleft() if self._put_off else super()._next()

    def _obey(self, done: Done) -> Sequence[Event]:
        if not isinstance(done, Press | Put | Take):
            return super()._obey(done)
        if self._c_since is not None:
            self._put_off.appendleft(done)
            return self._let_go_of_c()
        self._write_wait()
        self._hand_came()
        match done:
            case Put(card, slot):
                self._line = f"insert {slot.value} {card}"
            case Take(card):
                self._line = f"remove {self._slots[card].value}"
        return super()._obey(done)

    def _press(self, key: Key) -> Sequence[Event]:
        now = self.clock.now()
        if key is Key.CANCEL:
            self._c_since = now
            return [KeyDown(now, key)]
        self._line = f"press {key.value}"
        return [KeyDown(now, key), KeyUp(now, key)]

    def _release(self, key: Key) -> Sequence[Event]:
        return self._let_go_of_c() if key is Key.CANCEL and self._c_since is not None else ()

    def _let_go_of_c(self) -> Sequence[Event]:
        assert self._c_since is not None, "C is not down"
        held = self.clock.now() - self._c_since
        self._c_since = None
        self._line = f"hold C {duration(held)}" if held else "press C"
        self._hand_came()
        return [KeyUp(self.clock.now(), Key.CANCEL)]

    def _hand_came(self) -> None:
        """From here on time is counted anew."""
        self._last_hand = self.clock.now()
        self._waiter.put(self._last_hand)

    def _write_what_came(self) -> None:
        """A line is done, or time alone has changed what shows."""
        if self._line is not None:
            self._write(self._line)
            self._line = None
        elif self._lasting != self._told and self._c_since is None:
            self._write_wait()

    @property
    def _lasting(self) -> View:
        """What shows, but for a clock that runs: no script can say how late it is."""
        return self.screen.view._replace(minutes_left=None)

    def _write_wait(self) -> None:
        if self.clock.now() > self._written:
            self._write(f"wait {duration(self.clock.now() - self._written)}")

    def _write(self, line: str) -> None:
        self._link.step(line, self._seen())
        self._written = self.clock.now()
        self._told = self._lasting
        self.buzzer.played.clear()

    def _seen(self) -> Seen:
        view = self.screen.view
        sounds = [sound.value for sound in self.buzzer.played if sound is not Sound.KEY]
        return Seen(
            field=view.field,
            message=str(view.message or ""),
            menu=view.menu.names if view.menu else "",
            card=view.card,
            lit=view.lit,
            volume=view.volume,
            sound=sounds[-1] if sounds else None,
        )


def duration(microseconds: int) -> str:
    """As scripts write it."""
    milliseconds = microseconds // MILLISECOND
    seconds, rest = divmod(milliseconds, 1000)
    return f"{milliseconds}ms" if rest else f"{seconds}s"
