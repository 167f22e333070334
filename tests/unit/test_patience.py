"""What somebody is told who waits at a terminal."""

import io
import threading

from firmware import patience


class Terminal(io.StringIO):
    """Remembers all that was ever written, and lets a test wait for it."""

    def __init__(self, *, is_one: bool = True) -> None:
        super().__init__()
        self._is_one = is_one
        self.lines = threading.Semaphore(0)

    def isatty(self) -> bool:
        return self._is_one

    def write(self, text: str) -> int:
        written = super().write(text)
        self.lines.release()
        return written


def test_who_waits_is_told_again_and_again_and_the_line_is_wiped_away() -> None:
    terminal = Terminal()
    with patience.asked("adding up", terminal, after=0.001, every=0.001):
        for _ in range(3):
            assert terminal.lines.acquire(timeout=30)
    told = terminal.getvalue().split(patience.WIPE)
    assert told[0] == ""
    assert told[-1] == ""
    assert set(told[1:-1]) == {"adding up: 0 s"}


def test_work_that_is_done_soon_says_nothing() -> None:
    terminal = Terminal()
    with patience.asked("adding up", terminal, after=3600):
        pass
    assert terminal.getvalue() == ""


def test_nothing_is_told_where_nobody_sits() -> None:
    file = Terminal(is_one=False)
    before = threading.active_count()
    with patience.asked("adding up", file, after=0):
        assert threading.active_count() == before
    assert file.getvalue() == ""


def test_what_is_told_ends_when_it_is_over_and_does_not_begin_again() -> None:
    terminal = Terminal()
    with patience.asked("adding up", terminal, after=0.001, every=0.001) as waiting:
        assert terminal.lines.acquire(timeout=30)
        waiting.end()
        told = terminal.getvalue()
        assert told.endswith(patience.WIPE)
        waiting.end()
    assert terminal.getvalue() == told
