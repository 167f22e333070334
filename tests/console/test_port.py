"""The box's port: unread answers are limited, and a bug does not stop the console."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.commands.run import StopFlag
from hal.console.line import PtyLine
from hal.console.port import MOST_UNSENT, SEND_EVERY, ConsolePort
from sim.console.session import Console, ConsoleOptions
from tests.reporting_board import ReportingBoard


@pytest.fixture
def line() -> Iterator[PtyLine]:
    made = PtyLine()
    yield made
    made.close()


def test_unsent_answers_are_sent_later(line: PtyLine) -> None:
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
        port.answer("dropped")  # the host does not read; this takes no memory
    assert len(port._unsent) <= MOST_UNSENT
    read = b""
    while port.due is not None:
        read += line.receive(1)
        port.listen()
    while part := line.receive(0.2):
        read += part
    assert read.count(b"x" * 98) == said
    port.close()


def test_bug_is_reported_and_the_console_continues(line: PtyLine, tmp_path: Path) -> None:
    board = ReportingBoard()
    port = ConsolePort(line.port, 115200, board)
    port.open()
    console = Console(
        ConsoleOptions(line.port, 115200, tmp_path / "box.db"), port, board, StopFlag()
    )

    def raise_key_error(_words: list[str]) -> str:
        raise KeyError

    console._commands["parts"] = raise_key_error
    assert console._answer("parts") == "error: the console failed; send 'new': KeyError"
    assert console._answer("press 1").startswith("error: the console failed")
    assert console._answer("new") == "ok"
    assert console._answer("insert left 1") == "ok screen 1 | sound card"
    console.scratch.close()
    port.close()
