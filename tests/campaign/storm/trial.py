"""A box and the model side by side, compared after each line.

Usually a line has one outcome. If the disk refused something, or the power was cut in the middle,
it has a few: the model then plays each of them, and those that match the box are kept. If none
matches, the box has failed.
"""

import sqlite3
import traceback
from collections.abc import Sequence
from pathlib import Path

from firmware.bank import edition as editions
from firmware.bank.records import JournalFailed
from firmware.user_error import UserError
from sim.board.stock import STOCK
from sim.script.language import ScriptAction, ScriptReader, Step
from tests.campaign.storm.model import lines as scripts
from tests.campaign.storm.model.model import Model
from tests.campaign.storm.model.screen import Screen
from tests.campaign.storm.observation import (
    EMPTY_SUMMARY,
    LedgerSummary,
    Observation,
    dark,
    differences,
    expectations,
    observe_box,
    observe_model,
    summary_of_model,
)
from tests.campaign.storm.outcomes import disk_outcomes, distinct, interrupted_outcomes
from tests.campaign.storm.table import Board, HarnessTable, Table

AUDIT_EVERY = 7
"""Power cuts."""
MAX_AHEAD = 250
"""Milliseconds that a box on drivers may be ahead of the model."""


class BoxFailed(Exception):
    """The box did something wrong."""

    def __init__(self, what: list[str], expected: Sequence[str] = ()) -> None:
        super().__init__("\n".join(what))
        self.what = what
        self.expected = list(expected)
        """Lines of a script that should have held."""


class InvalidLine(Exception):
    """A line that is invalid in the current state, such as power for a powered box."""


class Trial:
    """One box, one model, and the lines that they were given."""

    def __init__(
        self, given: Sequence[str], board: Board, folder: Path, *, second_reader: bool = False
    ) -> None:
        """A second reader is a program that has the ledger open for reading."""
        self.lines: list[str] = []
        self._reader = ScriptReader(editions.load(editions.DEFAULT))
        for line in given:
            self._read(line)
        self._screen_dead = False
        self._disk_faulty = False
        self._table = self._open_table(board, folder, second_reader=second_reader)
        self._candidates = [scripts.new_model(given, STOCK)]
        self._cuts = 0
        self.interrupted_lines = 0
        """How often the power was cut in the middle of a line."""

    def _open_table(self, board: Board, folder: Path, *, second_reader: bool) -> Table:
        edition, house = self._reader.edition, self._reader.house
        if board is Board.CONSOLE:
            # Imported late: it needs pyserial.
            from tests.campaign.storm.console_table import ConsoleTable

            return ConsoleTable(folder, edition, self.lines)
        return HarnessTable(
            *(board, folder, edition, house),
            stock_known="given cards none" not in self.lines,
            names=self._reader.names,
            second_reader=second_reader,
        )

    def begin(self) -> None:
        """Compare before the first line."""
        self._compare()

    @property
    def model(self) -> Model:
        return self._candidates[0]

    def play(self, line: str) -> None:
        """Play a line. Raises BoxFailed if the box raises, or differs from the model afterwards."""
        table = self._table
        if line == "power on" and table.powered:
            raise InvalidLine(line)
        step = self._read(line)
        assert step is not None, f"not an input line: {line!r}"
        was_on, began = table.powered or line == "power on", table.elapsed
        self._perform(line, step)
        self._track_faults(line)
        self._pass_driver_time(table.elapsed - began, line)
        if was_on and not table.powered and line != "power off":
            self._play_cut(line)
        elif table.powered and self._disk_faulty:
            self._play_on_faulty_disk(line)
        else:
            for model in self._candidates:
                scripts.play(model, line, STOCK)
        self._cuts += was_on and not table.powered
        self._compare()

    def end(self) -> None:
        """Audit the whole ledger at the end of the evening."""
        self._audit()

    def close(self) -> None:
        self._table.close()

    def _read(self, line: str) -> Step | None:
        step = self._reader.read(line)
        self.lines.append(line)
        return step

    # The box

    def _perform(self, line: str, step: Step) -> None:
        assert isinstance(step, ScriptAction), f"not an action: {step}"
        try:
            self._table.play(line, step)
        except Exception as error:  # a box must not raise anything
            message = " ".join(traceback.format_exception_only(error)).strip()
            where = traceback.extract_tb(error.__traceback__)[-1]
            at = f"{Path(where.filename).name}, line {where.lineno}"
            raise BoxFailed([f"the box raised {message} ({at})"]) from error

    def _track_faults(self, line: str) -> None:
        """Track faults that the model does not know."""
        match line.split():
            case [("fault" | "mend") as verb, "screen"]:
                self._screen_dead = verb == "fault"
            case ["fault", "disk", what]:
                self._disk_faulty = what != "cut"
            case ["mend", "disk"]:
                self._disk_faulty = False

    def _pass_driver_time(self, took: int, line: str) -> None:
        """Let the model pass the time that the drivers took."""
        words = line.split()
        scripted = scripts.milliseconds(words[-1]) if words[0] in ("wait", "hold") else 0
        if took > scripted:
            for model in self._candidates:
                model.wait(took - scripted)

    # Possible outcomes

    def _play_cut(self, line: str) -> None:
        """The power was cut during a line: what was shown is on disk, the rest is uncertain."""
        self.interrupted_lines += 1
        survivors = []
        for model in self._candidates:
            before = observe_model(model)
            *parts, (whole, after) = list(interrupted_outcomes(model, line))
            without = [before, *(observed for _, observed in parts)]
            certain = self._was_shown(line, without, after)
            survivors += [whole] if certain else [*(part for part, _ in parts), whole]
        self._candidates = survivors

    def _was_shown(self, line: str, without: list[Observation], after: Observation) -> bool:
        """Whether a view showed the result of the line.

        A view that would also have shown without the line proves nothing, and so does any view
        while time passes.
        """
        view = self._table.last_view
        if view is None or line.startswith(("wait", "hold")):
            return False
        shown = observe_box(view, None, False, EMPTY_SUMMARY)
        others = [_on_screen(observed) for observed in without]
        return _on_screen(shown) == _on_screen(after) and _on_screen(after) not in others

    def _play_on_faulty_disk(self, line: str) -> None:
        self._candidates = [one for model in self._candidates for one in disk_outcomes(model, line)]

    # Comparison

    def _compare(self) -> None:
        box = self._observe_box()
        expected = [(self._expected_of(model, box), model) for model in self._candidates]
        matching = [model for observed, model in expected if observed == box]
        if not matching:
            nearest, _ = min(expected, key=lambda one: len(differences(box, one[0])))
            raise BoxFailed(differences(box, nearest), expectations(box, nearest))
        self._candidates = distinct(matching) if matching[1:] else matching
        if self._cuts == AUDIT_EVERY and self._table.powered:
            self._cuts = 0
            self._audit()

    def _audit(self) -> None:
        faults = self._table.audit()
        if faults:
            raise BoxFailed([f"audit: {fault}" for fault in faults])

    def _observe_box(self) -> Observation:
        try:
            return self._table.observe()
        except (UserError, JournalFailed, AssertionError, sqlite3.Error) as error:
            raise BoxFailed([f"the ledger cannot be read: {error}"]) from error

    def _expected_of(self, model: Model, box: Observation) -> Observation:
        """What the model expects; unobservable fields are copied from the box."""
        observed = dark(summary_of_model(model)) if self._screen_dead else observe_model(model)
        unobservable = self._table.unobservable
        if model.in_doubt:
            # The contents of the disk are unknown.
            unobservable = (
                *unobservable,
                *LedgerSummary._fields,
                "volume",
                "edition",
                "status",
                "minutes_left",
            )
        if unobservable:
            observed = observed._replace(**{name: getattr(box, name) for name in unobservable})
        if self._table.takes_time and observed.minutes_left not in (None, box.minutes_left):
            # A box counts from its start, the model from when the cards are detected; a minute may
            # end in between. Players keep away from all other deadlines.
            ahead = Screen(model).minutes_left(MAX_AHEAD)
            status = observed.status
            if status == f"{observed.minutes_left} MIN":
                status = f"{ahead} MIN"
            observed = observed._replace(minutes_left=ahead, status=status)
        return observed


def _on_screen(observed: Observation) -> tuple[object, ...]:
    return (
        observed.field,
        observed.message,
        observed.card,
        observed.occupants,
        observed.status,
        observed.menu,
        observed.table,
    )
