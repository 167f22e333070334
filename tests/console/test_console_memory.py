"""A box must not use more and more memory, however many lines come over its console."""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path

import pytest

from firmware.commands.run import StopFlag
from hal.console.line import PtyLine
from hal.console.port import ConsolePort
from sim.console.session import Console, ConsoleOptions
from tests.campaign.years.test_memory import MemoryUse, measure
from tests.campaign.years.year import in_memory
from tests.reporting_board import ReportingBoard

LINES = (
    *("insert left 1", "press 10K10K10K10K", "press C", "expect balance 1 15M", "remove left"),
    *("insert right uid:04A1B2C3", "press 1", "remove right", "press F9C", "wait 100ms", ""),
    *("insert left 2", "press F8", "press GG,MM", "hold C 2s", "remove left"),
    *("dance", "press 1\x01", "x" * 300, "insert left 11", "expect screen 3", "parts", "help"),
)
"""Moves, things half done, expectations that do not hold, and lines that are wrong."""


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=in_memory()) as made:
        yield Path(made)


class InProcess:
    """A console whose lines are not sent, on a board of the tests, which keeps a record."""

    def __init__(self, folder: Path) -> None:
        self._line, self._board = PtyLine(), ReportingBoard()
        self._port = ConsolePort(self._line.port, 115200, self._board)
        self._port.open()
        options = ConsoleOptions(self._line.port, 115200, folder / "box.db")
        self._console = Console(options, self._port, self._board, StopFlag())

    def memory_after(self, lines: int) -> MemoryUse:
        """What is in use on a new box, whose game is empty."""
        for line in islice(cycle(LINES), lines):
            self._console._answer(line)
        assert self._console._answer("new") == "ok"
        self._board.waits.clear()
        self._board.buzzer.played.clear()
        return measure(self._console)

    def close(self) -> None:
        self._console.scratch.close()
        self._port.close()
        self._line.close()


def test_lines_do_not_grow_memory(folder: Path) -> None:
    with closing(InProcess(folder)) as console:
        # First everything fills up that is limited.
        before = console.memory_after(1_200)
        after = console.memory_after(1_200)
    assert after.grown(before) == {}
    # An object per line would be more than a thousand.
    assert after.blocks - before.blocks < 800
