"""Plays scripts on a box at the other end of a line, by wire or by hand.

The box itself checks the expectations. By hand, each input becomes an instruction for a person, and
the box waits until its own readers and keys report it.
"""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from firmware.user_error import UserError
from hal.events import SECOND, Key
from sim.board.fault import not_here
from sim.board.stock import STOCK
from sim.console.wire import ConsoleClient
from sim.script.language import Hold, Insert, Press, Remove, Script, ScriptAction, Step, Wait

TRIES = 3
"""How often a script is started that a person plays wrong."""
PERSON_TIMEOUT = 300.0
"""Seconds that a person may take for one line."""
_TOOK = re.compile(r"took (\d+)ms$")

KEY_NAMES = {Key.GO: "GO (\u2190)", Key.COMMA: "the comma"}


class Result(NamedTuple):
    """The result of one script."""

    file: str
    verdict: str
    """``ok``, ``FAIL``, or ``–`` if it was not played."""
    reason: str = ""
    """Where it failed and why, or why it was not played."""
    answers: tuple[float, ...] = ()
    """Seconds until the box answered each line that does not wait."""
    screens: tuple[int, ...] = ()
    """Milliseconds from each input by hand until the screen was updated."""

    @property
    def failed(self) -> bool:
        return self.verdict == "FAIL"


class WrongInput(Exception):
    """A person did something else than the script says."""


class WirePlayer:
    """Plays one script after the other on one box."""

    def __init__(
        self,
        wire: ConsoleClient,
        tell: Callable[[str], None],
        *,
        by_hand: bool = False,
        skip_waits: bool = False,
    ) -> None:
        self._wire = wire
        self._tell = tell
        self._by_hand = by_hand
        self._skip_waits = skip_waits
        self._answers: list[float] = []
        self._screens: list[int] = []

    def prepare(self, scripts: Sequence[Script]) -> None:
        """Set up the box; by hand, let it learn the cards that the scripts need."""
        self._must("clock skip" if self._skip_waits else "clock real")
        self._must("hands wire")
        if not self._by_hand:
            return
        self._must("hands box")
        self._clear_slots()
        steps = [step for script in scripts for _, step in script.steps]
        needed = {step.uid for step in steps if isinstance(step, Insert)}
        numbers = [n for n, uid in enumerate(STOCK, 1) if uid in needed]
        if numbers:
            self._tell(
                f"These scripts use {len(numbers)} of your cards; the box learns them first."
            )
        for number in numbers:
            self._learn(number)

    def _learn(self, number: int) -> None:
        for _ in range(TRIES):
            answer = self._ask_by_hand(f"learn {number}", f"Put your card {number} into a slot.")
            self._ask_by_hand("empty", "Take it out again.")
            if answer.startswith("ok"):
                return
            self._tell(f"    {answer}")
        raise UserError(f"{self._wire.name}: card {number} could not be learned")

    def play(self, script: Script) -> Result:
        reason = why_not_by_wire(script)
        if self._by_hand:
            reason = reason or why_not_by_hand(script)
        if reason:
            return Result(script.file, "–", reason)
        for tries_left in reversed(range(TRIES)):
            self._answers, self._screens = [], []
            try:
                reason = self._play_once(script)
            except WrongInput as wrong:
                self._tell(
                    f"    No: {wrong}. " + ("The script starts again." if tries_left else "")
                )
                reason = f"{script.file}: {wrong}, {TRIES} times"
                continue
            break
        verdict = "FAIL" if reason else "ok"
        return Result(script.file, verdict, reason, tuple(self._answers), tuple(self._screens))

    def _play_once(self, script: Script) -> str:
        """Return where it failed and why, or an empty text."""
        if self._by_hand:
            self._begin_by_hand()
            self._tell(f"— {script.file}")
        else:
            self._must("new")
        steps = dict(script.steps)
        for number, line in enumerate(script.lines, start=1):
            text = line.partition("#")[0].strip()
            if not text:
                continue
            step = steps.get(number)
            answer = self._carry_out(text, step)
            if self._by_hand and isinstance(step, ScriptAction) and answer.startswith("no: "):
                raise WrongInput(answer.removeprefix("no: "))
            if not answer.startswith("ok"):
                return f"{script.file}:{number}: {answer.removeprefix('no: ')}"
        return ""

    def _carry_out(self, text: str, step: Step | None) -> str:
        seconds = _length(step)
        if self._by_hand and isinstance(step, Insert | Remove | Press | Hold):
            answer = self._ask_by_hand(text, instruction(step), seconds)
            if took := _TOOK.search(answer):
                self._screens.append(int(took[1]))
            return answer
        if seconds > 2 and not self._skip_waits:
            self._tell(f"({seconds:.0f} seconds pass ...)")
        began = time.monotonic()
        answer = self._wire.ask(text, seconds)
        if not seconds:
            self._answers.append(time.monotonic() - began)
        return answer

    def _ask_by_hand(self, line: str, asked: str, seconds: float = 0.0) -> str:
        # The box must wait before the person acts.
        self._wire.say(line)
        self._tell(f"    {asked}")
        return self._wire.answer(line, seconds + PERSON_TIMEOUT)

    def _begin_by_hand(self) -> None:
        """Begin with empty slots. A card comes back if its reader was lost for a moment."""
        for _ in range(TRIES - 1):
            self._clear_slots()
            if self._wire.ask("new").startswith("ok"):
                return
        self._clear_slots()
        self._must("new")

    def _clear_slots(self) -> None:
        self._ask_by_hand("empty", "Both slots must be empty now.")

    def _must(self, line: str) -> None:
        answer = self._wire.ask(line)
        if not answer.startswith("ok"):
            raise UserError(f"{self._wire.name}: {line}: {answer}")


def _length(step: Step | None) -> float:
    return step.duration / SECOND if isinstance(step, Wait | Hold) else 0.0


def why_not_by_wire(script: Script) -> str:
    """Return why no real box can play this, or an empty text."""
    return "".join(f"line {number}: {not_here(fault)}" for number, fault in script.faults[:1])


def why_not_by_hand(script: Script) -> str:
    """Return why it cannot be played with stock cards, or an empty text."""
    for number, step in script.steps:
        if isinstance(step, Insert) and step.uid not in STOCK:
            return f"line {number} needs a card with the UID {step.uid.hex().upper()}"
    return ""


def instruction(step: Insert | Remove | Press | Hold) -> str:
    """Return an input as an instruction for a person."""
    match step:
        case Insert(slot=slot, uid=uid):
            return f"Put card {STOCK.index(uid) + 1} into the {slot.value} slot."
        case Remove(slot=slot):
            return f"Take the card out of the {slot.value} slot."
        case Press(keys=keys):
            return f"Press {_named(keys)}."
        case Hold(key=key, duration=duration):
            seconds = f"{duration / SECOND:g} seconds"
            return f"Press {_named([key])} and hold it for at least {seconds}, then let go."


def _named(keys: Iterable[Key]) -> str:
    return "  ".join(KEY_NAMES.get(key, key.value) for key in keys)
