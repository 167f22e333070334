"""A box and the model side by side: each line is played on both, and both must look the same.

Mostly there is one thing that can have come of a line. Where the disk refused something, or the
power went in the middle, there are a few: the model is then played once for each, and those
that the box agrees with are carried on. A box that agrees with none has failed.
"""

import sqlite3
import traceback
from collections.abc import Sequence
from pathlib import Path

from firmware import edition as editions
from firmware.mistake import Mistake
from firmware.records import JournalFailed
from sim.script import Action, Reader, Step
from sim.stock import STOCK
from sim.storm.model import lines as scripts
from sim.storm.model.look import Look
from sim.storm.model.model import Model
from sim.storm.outcomes import answered, interrupted, unlike_each_other
from sim.storm.seen import (
    NO_BOOKS,
    Books,
    Seen,
    books_of_model,
    dark,
    differences,
    expectations,
    seen_of_box,
    seen_of_model,
)
from sim.storm.table import Board, RigTable, Table

AUDIT_EVERY = 7
"""Power cuts."""
TAKEN_BY_HANDS = 250
"""Milliseconds, at the most, that a box on drivers is ahead of the model."""


class Failed(Exception):
    """The box did something that it must not."""

    def __init__(self, what: list[str], expected: Sequence[str] = ()) -> None:
        super().__init__("\n".join(what))
        self.what = what
        self.expected = list(expected)
        """Lines of a script that would have held."""


class Senseless(Exception):
    """A line that makes no sense as things stand, such as power for a box that has it."""


class Trial:
    """One box, one model, and the lines that they were given."""

    def __init__(
        self, given: Sequence[str], board: Board, folder: Path, *, onlooker: bool = False
    ) -> None:
        """An onlooker is a program that has the ledger open, and reads."""
        self.lines: list[str] = []
        self._reader = Reader(editions.load(editions.DEFAULT))
        for line in given:
            self._read(line)
        self._screen_away = False
        self._disk_bad = False
        self._table = self._opened(board, folder, onlooker=onlooker)
        self._candidates = [scripts.new_model(given, STOCK)]
        self._cuts = 0
        self.struck = 0
        """How often the power went in the middle of a line."""

    def _opened(self, board: Board, folder: Path, *, onlooker: bool) -> Table:
        edition, house = self._reader.edition, self._reader.house
        if board is Board.CONSOLE:
            # Loaded only now: it needs a serial port's package.
            from sim.storm.console_table import ConsoleTable

            return ConsoleTable(folder, edition, self.lines)
        stock_known = "given cards none" not in self.lines
        return RigTable(board, folder, edition, house, stock_known=stock_known, onlooker=onlooker)

    def begin(self) -> None:
        """Before the first line, too, both must look the same."""
        self._look()

    @property
    def model(self) -> Model:
        return self._candidates[0]

    def play(self, line: str) -> None:
        """Raises Failed when the box and the model differ after it, or the box falls over."""
        table = self._table
        if line == "power on" and table.powered:
            raise Senseless(line)
        step = self._read(line)
        assert step is not None, "there is nothing on this line"
        was_on, began = table.powered or line == "power on", table.moment
        self._perform(line, step)
        self._notice(line)
        self._let_hands_take(table.moment - began, line)
        if was_on and not table.powered and line != "power off":
            self._power_went(line)
        elif table.powered and self._disk_bad:
            self._disk_refused(line)
        else:
            for model in self._candidates:
                scripts.play(model, line, STOCK)
        self._cuts += was_on and not table.powered
        self._look()

    def end(self) -> None:
        """The evening is over: the whole ledger has to add up."""
        self._audit()

    def put_away(self) -> None:
        self._table.put_away()

    def _read(self, line: str) -> Step | None:
        step = self._reader.read(line)
        self.lines.append(line)
        return step

    # The box

    def _perform(self, line: str, step: Step) -> None:
        assert isinstance(step, Action), f"{step} is not done to a box"
        try:
            self._table.play(line, step)
        except Exception as error:  # whatever it is, a box must not fall over
            told = " ".join(traceback.format_exception_only(error)).strip()
            where = traceback.extract_tb(error.__traceback__)[-1]
            at = f"{Path(where.filename).name}, line {where.lineno}"
            raise Failed([f"the box fell over: {told} ({at})"]) from error

    def _notice(self, line: str) -> None:
        """What a line says of things that the model knows nothing of."""
        match line.split():
            case [("fault" | "mend") as verb, "screen"]:
                self._screen_away = verb == "fault"
            case ["fault", "disk", what]:
                self._disk_bad = what != "cut"
            case ["mend", "disk"]:
                self._disk_bad = False

    def _let_hands_take(self, took: int, line: str) -> None:
        """On chips hands take time, which the model lives through before it acts."""
        words = line.split()
        asked = scripts.milliseconds(words[-1]) if words[0] in ("wait", "hold") else 0
        if took > asked:
            for model in self._candidates:
                model.wait(took - asked)

    # What can have come of a line

    def _power_went(self, line: str) -> None:
        """In the middle of it: what was shown is on disk, of the rest nobody knows."""
        self.struck += 1
        survivors = []
        for model in self._candidates:
            before = seen_of_model(model)
            *parts, (whole, after) = list(interrupted(model, line))
            without = [before, *(seen for _, seen in parts)]
            certain = self._was_shown(line, without, after)
            survivors += [whole] if certain else [*(part for part, _ in parts), whole]
        self._candidates = survivors

    def _was_shown(self, line: str, without: list[Seen], after: Seen) -> bool:
        """Whether a view went out that shows what a line has come to.

        One that would have shown without it, too, says nothing. And while time passes views come
        and go, and none says which instant it is of.
        """
        view = self._table.last_view
        if view is None or line.startswith(("wait", "hold")):
            return False
        shown = seen_of_box(view, None, False, NO_BOOKS)
        others = [_on_screen(seen) for seen in without]
        return _on_screen(shown) == _on_screen(after) and _on_screen(after) not in others

    def _disk_refused(self, line: str) -> None:
        self._candidates = [one for model in self._candidates for one in answered(model, line)]

    # Looking at both

    def _look(self) -> None:
        box = self._seen_of_box()
        expected = [(self._expected_of(model, box), model) for model in self._candidates]
        agreeing = [model for seen, model in expected if seen == box]
        if not agreeing:
            nearest, _ = min(expected, key=lambda one: len(differences(box, one[0])))
            raise Failed(differences(box, nearest), expectations(box, nearest))
        self._candidates = unlike_each_other(agreeing) if agreeing[1:] else agreeing
        if self._cuts == AUDIT_EVERY and self._table.powered:
            self._cuts = 0
            self._audit()

    def _audit(self) -> None:
        faults = self._table.faults()
        if faults:
            raise Failed([f"the audit says: {fault}" for fault in faults])

    def _seen_of_box(self) -> Seen:
        try:
            return self._table.seen()
        except (Mistake, JournalFailed, AssertionError, sqlite3.Error) as error:
            raise Failed([f"the ledger cannot be read: {error}"]) from error

    def _expected_of(self, model: Model, box: Seen) -> Seen:
        """What the model says must be seen; what cannot be is as it is."""
        seen = dark(books_of_model(model)) if self._screen_away else seen_of_model(model)
        unseen = self._table.unseen
        if model.in_doubt:
            # Nobody knows what is on disk, so nobody can expect it there.
            unseen = (*unseen, *Books._fields, "volume", "edition")
        if unseen:
            seen = seen._replace(**{name: getattr(box, name) for name in unseen})
        if self._table.takes_time and seen.minutes_left not in (None, box.minutes_left):
            # A box counts from when it starts, the model from when the cards are seen: a minute may
            # end in between. People keep away from whatever else ends.
            seen = seen._replace(minutes_left=Look(model).minutes_left(TAKEN_BY_HANDS))
        return seen


def _on_screen(seen: Seen) -> tuple[object, ...]:
    return (seen.field, seen.message, seen.card, seen.tenants, seen.menu, seen.table)
