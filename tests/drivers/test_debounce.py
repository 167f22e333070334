"""Debouncing: which changes count, and at what time."""

from itertools import combinations

import pytest

from hal.events import MILLISECOND as MS
from hal.events import SECOND, Event, Instant, Key, KeyDown, KeyUp
from hal.pi.debounce import Debounce, has_ghost

Contacts = frozenset[tuple[int, int]]
OPEN: Contacts = frozenset()
ONE = frozenset({(0, 0)})


class Pad:
    """A debouncer; times are in microseconds."""

    def __init__(self) -> None:
        self.debounce = Debounce()
        self.at(-SECOND, OPEN)

    def at(self, now: int, closed: Contacts, edge: int | None = None) -> list[str]:
        """Update the contacts and return the events: ``+1 2000`` is key 1 down at 2000."""
        instant = Instant(now if edge is None else edge)
        return [word(event) for event in self.debounce.update(closed, instant, Instant(now))]


def word(event: Event) -> str:
    assert isinstance(event, KeyDown | KeyUp)
    return f"{'+' if isinstance(event, KeyDown) else '-'}{event.key.value} {event.at}"


def test_positions_of_the_keys() -> None:
    pad = Pad()
    for row, letters in enumerate(("123M", "456K", "789C", ",0GF")):
        for column, letter in enumerate(letters):
            now = (row * 4 + column) * SECOND
            closed = frozenset({(row, column)})
            assert pad.at(now, closed) == [f"+{letter} {now}"]
            assert pad.at(now + 100 * MS, OPEN) == [f"-{letter} {now + 100 * MS}"]
    assert pad.debounce.quiet is False
    pad.at(20 * SECOND, OPEN)
    assert pad.debounce.quiet


def test_changes_within_25_ms_are_bounce() -> None:
    pad = Pad()
    assert pad.at(0, ONE) == ["+1 0"]
    assert pad.at(3 * MS, OPEN) == []
    assert pad.at(24_999, OPEN) == []
    # At the end of the lock the new state counts, from when the contact opened.
    assert pad.at(25 * MS, OPEN) == ["-1 3000"]


def test_contact_that_closes_again_within_the_lock_stays_down() -> None:
    pad = Pad()
    pad.at(0, ONE)
    assert pad.at(3 * MS, OPEN) == []
    assert pad.at(9 * MS, ONE) == []
    assert pad.at(40 * MS, ONE) == []
    assert pad.at(90 * MS, OPEN) == ["-1 90000"]


def test_lock_starts_at_the_scan_and_not_at_the_edge() -> None:
    pad = Pad()
    assert pad.at(10 * MS, ONE, edge=2 * MS) == ["+1 2000"]
    assert pad.at(34_999, OPEN) == []
    assert pad.at(35 * MS, OPEN) == ["-1 34999"]


def test_tap_that_bounces_while_the_loop_is_busy_is_one_tap() -> None:
    """Down at 0; the loop is busy until 18 ms; the release bounces until 33 ms."""
    pad = Pad()
    assert pad.at(0, ONE) == ["+1 0"]
    assert pad.at(18 * MS, OPEN, edge=1 * MS) == []
    assert pad.at(28 * MS, OPEN) == ["-1 1000"]
    assert pad.at(31 * MS, ONE) == []
    assert pad.at(41 * MS, OPEN) == []
    assert pad.at(60 * MS, OPEN) == []
    assert pad.debounce.quiet


def test_edge_of_a_missed_tap_does_not_shorten_the_next_lock() -> None:
    """The loop was busy for a fifth of a second."""
    pad = Pad()
    assert pad.at(200 * MS, ONE, edge=2 * MS) == ["+1 2000"]
    assert pad.at(203 * MS, OPEN) == []
    assert pad.at(206 * MS, ONE) == []
    assert pad.at(300 * MS, OPEN) == ["-1 300000"]


def test_key_that_is_down_at_the_first_scan_is_stuck() -> None:
    pad = Debounce()
    assert pad.update(ONE, Instant(0), Instant(0)) == []
    assert pad.stuck == {Key.ONE}
    assert pad.update(ONE, Instant(SECOND), Instant(SECOND)) == []
    assert pad.update(OPEN, Instant(2 * SECOND), Instant(2 * SECOND)) == []
    assert pad.quiet


def test_release_all_makes_keys_stuck() -> None:
    pad = Pad()
    pad.at(0, ONE)
    assert [word(event) for event in pad.debounce.release_all(Instant(SECOND))] == ["-1 1000000"]
    assert pad.debounce.release_all(Instant(2 * SECOND)) == []
    assert pad.debounce.stuck == {Key.ONE}
    assert pad.at(3 * SECOND, ONE) == []
    assert pad.at(4 * SECOND, OPEN) == []
    assert pad.debounce.quiet


def test_release_is_locked_too() -> None:
    pad = Pad()
    pad.at(0, ONE)
    assert pad.at(60 * MS, OPEN) == ["-1 60000"]
    assert pad.at(70 * MS, ONE) == []
    assert not pad.debounce.quiet
    assert pad.at(84 * MS, OPEN) == []
    assert pad.at(85 * MS, OPEN) == []
    assert pad.debounce.quiet
    assert pad.at(86 * MS, ONE) == ["+1 86000"]


def test_key_is_stuck_after_exactly_ten_minutes() -> None:
    pad = Pad()
    pad.at(0, ONE)
    assert pad.at(599_999_999, ONE) == []
    assert pad.debounce.stuck == frozenset()
    assert not pad.debounce.only_stuck
    assert pad.at(600 * SECOND, ONE) == ["-1 600000000"]
    assert pad.debounce.stuck == {Key.ONE}
    assert pad.debounce.only_stuck
    assert not pad.debounce.quiet
    assert pad.at(601 * SECOND, ONE) == []  # reported once
    assert pad.at(602 * SECOND, ONE | {(1, 1)}) == ["+5 602000000"]
    assert not pad.debounce.only_stuck
    assert pad.at(603 * SECOND, ONE) == ["-5 603000000"]
    assert not pad.debounce.only_stuck  # it may still bounce
    assert pad.at(604 * SECOND, ONE) == []
    assert pad.debounce.only_stuck
    assert pad.at(605 * SECOND, OPEN) == []
    assert pad.debounce.quiet
    assert pad.at(606 * SECOND, ONE) == ["+1 606000000"]


@pytest.mark.parametrize("rows", list(combinations(range(4), 2)))
@pytest.mark.parametrize("columns", list(combinations(range(4), 2)))
def test_rectangle_may_have_a_ghost(rows: tuple[int, int], columns: tuple[int, int]) -> None:
    corners = [(row, column) for row in rows for column in columns]
    assert has_ghost(frozenset(corners))
    for missing in corners:
        assert not has_ghost(frozenset(corners) - {missing})


def test_rows_columns_and_diagonals_have_no_ghost() -> None:
    assert not has_ghost(frozenset((2, column) for column in range(4)))
    assert not has_ghost(frozenset((row, 3) for row in range(4)))
    assert not has_ghost(frozenset((place, place) for place in range(4)))


def test_ghost_blocks_presses_but_not_releases() -> None:
    pad = Pad()
    assert pad.at(0, frozenset({(0, 0)})) == ["+1 0"]
    assert pad.at(SECOND, frozenset({(0, 0), (0, 1)})) == ["+2 1000000"]
    corners = frozenset({(0, 0), (0, 1), (1, 0), (1, 1)})
    assert pad.at(2 * SECOND, corners) == []
    assert pad.at(3 * SECOND, corners - {(0, 0)}) == ["-1 3000000", "+4 3000000", "+5 3000000"]
