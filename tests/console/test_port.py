"""The box's end of the line: what a host does not read, and what no line may do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hal.console.line import PtyLine
from hal.console.port import MOST_UNSENT, SEND_EVERY, ConsolePort
from sim.console import Console, Options
from tests.reporting_board import ReportingBoard


class NeverAsked:
    """Nobody stops this box."""

    asked = False


@pytest.fixture
def line() -> Iterator[PtyLine]:
    made = PtyLine()
    yield made
    made.close()


def test_what_the_line_does_not_take_is_sent_soon_and_without_being_asked(line: PtyLine) -> None:
    board = ReportingBoard()
    port = ConsolePort(line.port, 115200, board)
    port.open()
    assert port.due is None
    said = 0
    while port.due is None:
        port.answer("x" * 98)
        said += 1
    assert port.due == board.clock.now() + SEND_EVERY
    for _ in range(MOST_UNSENT):
        port.answer("dropped")  # nobody reads: this takes no memory
    assert len(port._unsent) <= MOST_UNSENT
    read = b""
    while port.due is not None:
        read += line.receive(1)
        port.listen()
    while part := line.receive(0.2):
        read += part
    assert read.count(b"x" * 98) == said
    port.close()


def test_a_fault_of_our_own_is_told_and_the_box_stays(line: PtyLine, tmp_path: Path) -> None:
    board = ReportingBoard()
    port = ConsolePort(line.port, 115200, board)
    port.open()
    console = Console(Options(line.port, 115200, tmp_path / "box.db"), port, board, NeverAsked())

    def stumble(_words: list[str]) -> str:
        raise KeyError

    console._words["parts"] = stumble
    assert console._answer("parts") == "error: the console failed, 'new' helps: KeyError"
    assert console._answer("press 1").startswith("error: the console failed")
    assert console._answer("new") == "ok"
    assert console._answer("insert left 1") == "ok screen 1 | sound card"
    console.scratch.close()
    port.close()
