"""Debouncing, contact by contact: which edge counts, and at what time."""

from itertools import combinations

import pytest

from hal.events import MILLISECOND as MS
from hal.events import SECOND, Event, Instant, Key, KeyDown, KeyUp
from hal.pi.debounce import Debounce, has_ghost

Contacts = frozenset[tuple[int, int]]
NOTHING: Contacts = frozenset()
ONE = frozenset({(0, 0)})


class Pad:
    """A debouncer, told how the contacts are at some time in microseconds."""

    def __init__(self) -> None:
        self.of = Debounce()
        self.at(-SECOND, NOTHING)

    def at(self, now: int, closed: Contacts, edge: int | None = None) -> list[str]:
        """What is told, as ``+1 2000``: key 1 went down at 2000."""
        instant = Instant(now if edge is None else edge)
        return [word(event) for event in self.of.take_in(closed, instant, Instant(now))]


def word(event: Event) -> str:
    assert isinstance(event, KeyDown | KeyUp)
    return f"{'+' if isinstance(event, KeyDown) else '-'}{event.key.value} {event.at}"


def test_the_letters_are_where_they_are_printed() -> None:
    pad = Pad()
    for row, letters in enumerate(("123M", "456K", "789C", ",0GF")):
        for column, letter in enumerate(letters):
            now = (row * 4 + column) * SECOND
            closed = frozenset({(row, column)})
            assert pad.at(now, closed) == [f"+{letter} {now}"]
            assert pad.at(now + 100 * MS, NOTHING) == [f"-{letter} {now + 100 * MS}"]
    assert pad.of.quiet is False
    pad.at(20 * SECOND, NOTHING)
    assert pad.of.quiet


def test_what_follows_within_25_ms_is_bounce() -> None:
    pad = Pad()
    assert pad.at(0, ONE) == ["+1 0"]
    assert pad.at(3 * MS, NOTHING) == []
    assert pad.at(24_999, NOTHING) == []
    # At the end of the lock it counts how the contact stands, since it opened.
    assert pad.at(25 * MS, NOTHING) == ["-1 3000"]


def test_a_contact_that_closes_again_within_the_lock_was_never_open() -> None:
    pad = Pad()
    pad.at(0, ONE)
    assert pad.at(3 * MS, NOTHING) == []
    assert pad.at(9 * MS, ONE) == []
    assert pad.at(40 * MS, ONE) == []
    assert pad.at(90 * MS, NOTHING) == ["-1 90000"]


def test_the_lock_counts_from_the_look_and_not_from_the_edge() -> None:
    pad = Pad()
    assert pad.at(10 * MS, ONE, edge=2 * MS) == ["+1 2000"]
    assert pad.at(34_999, NOTHING) == []
    assert pad.at(35 * MS, NOTHING) == ["-1 34999"]


def test_a_tap_that_bounces_while_the_loop_is_busy_is_one_tap() -> None:
    """Down at 0; the loop draws until 18 ms, and the finger is just leaving, bouncing to 33."""
    pad = Pad()
    assert pad.at(0, ONE) == ["+1 0"]
    assert pad.at(18 * MS, NOTHING, edge=1 * MS) == []
    assert pad.at(28 * MS, NOTHING) == ["-1 1000"]
    assert pad.at(31 * MS, ONE) == []
    assert pad.at(41 * MS, NOTHING) == []
    assert pad.at(60 * MS, NOTHING) == []
    assert pad.of.quiet


def test_an_edge_of_a_tap_that_was_missed_does_not_shorten_the_lock_of_the_next() -> None:
    """The loop was busy for a fifth of a second."""
    pad = Pad()
    assert pad.at(200 * MS, ONE, edge=2 * MS) == ["+1 2000"]
    assert pad.at(203 * MS, NOTHING) == []
    assert pad.at(206 * MS, ONE) == []
    assert pad.at(300 * MS, NOTHING) == ["-1 300000"]


def test_what_is_down_at_the_first_look_is_stuck() -> None:
    pad = Debounce()
    assert pad.take_in(ONE, Instant(0), Instant(0)) == []
    assert pad.stuck == {Key.ONE}
    assert pad.take_in(ONE, Instant(SECOND), Instant(SECOND)) == []
    assert pad.take_in(NOTHING, Instant(2 * SECOND), Instant(2 * SECOND)) == []
    assert pad.quiet


def test_what_is_out_of_sight_is_let_go_and_stuck() -> None:
    pad = Pad()
    pad.at(0, ONE)
    assert [word(event) for event in pad.of.lose_sight(Instant(SECOND))] == ["-1 1000000"]
    assert pad.of.lose_sight(Instant(2 * SECOND)) == []
    assert pad.of.stuck == {Key.ONE}
    assert pad.at(3 * SECOND, ONE) == []
    assert pad.at(4 * SECOND, NOTHING) == []
    assert pad.of.quiet


def test_the_release_is_locked_too() -> None:
    pad = Pad()
    pad.at(0, ONE)
    assert pad.at(60 * MS, NOTHING) == ["-1 60000"]
    assert pad.at(70 * MS, ONE) == []
    assert not pad.of.quiet
    assert pad.at(84 * MS, NOTHING) == []
    assert pad.at(85 * MS, NOTHING) == []
    assert pad.of.quiet
    assert pad.at(86 * MS, ONE) == ["+1 86000"]


def test_a_key_held_for_ten_minutes_is_stuck_and_not_one_second_sooner() -> None:
    pad = Pad()
    pad.at(0, ONE)
    assert pad.at(599_999_999, ONE) == []
    assert pad.of.stuck == frozenset()
    assert not pad.of.only_stuck
    assert pad.at(600 * SECOND, ONE) == ["-1 600000000"]
    assert pad.of.stuck == {Key.ONE}
    assert pad.of.only_stuck
    assert not pad.of.quiet
    assert pad.at(601 * SECOND, ONE) == []  # told once
    assert pad.at(602 * SECOND, ONE | {(1, 1)}) == ["+5 602000000"]
    assert not pad.of.only_stuck
    assert pad.at(603 * SECOND, ONE) == ["-5 603000000"]
    assert not pad.of.only_stuck  # it may still bounce
    assert pad.at(604 * SECOND, ONE) == []
    assert pad.of.only_stuck
    assert pad.at(605 * SECOND, NOTHING) == []
    assert pad.of.quiet
    assert pad.at(606 * SECOND, ONE) == ["+1 606000000"]


@pytest.mark.parametrize("rows", list(combinations(range(4), 2)))
@pytest.mark.parametrize("columns", list(combinations(range(4), 2)))
def test_any_rectangle_hides_a_ghost(rows: tuple[int, int], columns: tuple[int, int]) -> None:
    corners = [(row, column) for row in rows for column in columns]
    assert has_ghost(frozenset(corners))
    for missing in corners:
        assert not has_ghost(frozenset(corners) - {missing})


def test_a_whole_row_and_a_whole_column_hide_none() -> None:
    assert not has_ghost(frozenset((2, column) for column in range(4)))
    assert not has_ghost(frozenset((row, 3) for row in range(4)))
    assert not has_ghost(frozenset((place, place) for place in range(4)))


def test_while_a_ghost_hides_nothing_goes_down_but_what_was_down_can_go_up() -> None:
    pad = Pad()
    assert pad.at(0, frozenset({(0, 0)})) == ["+1 0"]
    assert pad.at(SECOND, frozenset({(0, 0), (0, 1)})) == ["+2 1000000"]
    corners = frozenset({(0, 0), (0, 1), (1, 0), (1, 1)})
    assert pad.at(2 * SECOND, corners) == []
    assert pad.at(3 * SECOND, corners - {(0, 0)}) == ["-1 3000000", "+4 3000000", "+5 3000000"]
