"""A recorded script passes when played, whatever hands did, and reads as if it were written."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from firmware import edition as editions
from hal.events import Key, Slot
from sim.panel.actions import Press, Put, Release, SetPace, Skip, Take
from sim.player import Unmet, perform
from sim.rig import Rig
from sim.script import read_script
from tests.panel.server.planned_hands import Cut, Plan, Session

BANKING = editions.load("banking")


def recorded(folder: Path, plans: list[Plan], edition: str = "banking") -> list[str]:
    return Session(folder, editions.load(edition), plans).record()


def play(lines: list[str]) -> None:
    """Raises Unmet where the script does not hold."""
    script = read_script("recorded", lines, BANKING)
    rig = Rig.new(script.edition, stock_known=script.stock_known, house=script.house)
    for _number, step in script.steps:
        perform(rig, step)


def typed(keys: str) -> list[Plan]:
    taps = [((200, Press(Key(key))), (80, Release(Key(key)))) for key in keys]
    return [plan for tap in taps for plan in tap]


def test_a_rent_reads_as_somebody_would_write_it(tmp_path: Path) -> None:
    lines = recorded(
        tmp_path,
        [
            (500, Put(1, Slot.RIGHT)),
            (400, Put(2, Slot.LEFT)),
            *typed("1,4M"),
            (2500, Press(Key.CANCEL)),
            (90, Release(Key.CANCEL)),
        ],
    )
    assert lines == [
        "# recorded at the front panel",
        "",
        "insert right 1",
        "expect card 1",
        "expect screen 1",
        "expect sound card",
        "insert left 2",
        "expect card 2",
        "expect screen 2",
        "expect sound card",
        "press 1,4M",
        "expect card none",
        "expect screen 13,6M",
        "expect sound ok",
        "wait 2s",
        "expect screen 16,4M",
        "wait 500ms",
        "press C",
        "expect screen 15M",
        "expect sound undo",
        "wait 60s",
        "expect asleep",
    ]
    play(lines)


def test_a_long_c_is_held_and_a_cut_power_is_cut(tmp_path: Path) -> None:
    lines = recorded(
        tmp_path,
        [
            (100, Put(1, Slot.LEFT)),
            *typed("2M"),
            (300, Cut((Take(1), Put(3, Slot.RIGHT)))),
            (1500, Press(Key.CANCEL)),
            (3400, Release(Key.CANCEL)),
        ],
    )
    assert "hold C 3s" in lines
    assert lines[lines.index("power off") :][:4] == [
        "power off",
        "remove left",
        "insert right 3",
        "power on",
    ]
    play(lines)


def test_a_c_let_go_between_one_and_three_seconds_is_held_so_long(tmp_path: Path) -> None:
    lines = recorded(tmp_path, [(100, Press(Key.CANCEL)), (1730, Release(Key.CANCEL))])
    assert "hold C 1700ms" in lines
    play(lines)


def test_another_edition_and_an_exact_amount_are_named(tmp_path: Path) -> None:
    lines = recorded(tmp_path, [(0, Put(8, Slot.LEFT)), *typed("7M")], "europe")
    assert lines[1] == "given edition europe"
    assert lines[-1] == "expect balance 8 1507"
    play(lines)


def test_a_minute_that_was_skipped_is_waited_for(tmp_path: Path) -> None:
    lines = recorded(tmp_path, [(1000, Skip())])
    assert lines[-2:] == ["wait 60s", "expect asleep"]
    play(lines)


def test_an_expectation_that_does_not_hold_is_noticed_here() -> None:
    with pytest.raises(Unmet, match="expected screen 16M, got -----"):
        play(["expect screen 16M"])


SLOTS = st.sampled_from(Slot)
CARDS = st.sampled_from((1, 1, 2, 3, 9))
AFTER = st.one_of(
    st.integers(0, 1_500),
    st.sampled_from((0, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 3_000, 59_999, 60_000, 61_000)),
)
KEYS = st.sampled_from([*"1055,,MMKCCCCG", "F"]).map(Key)
MOVES = st.one_of(st.builds(Put, CARDS, SLOTS), st.builds(Take, CARDS))
HANDS = st.one_of(KEYS.map(Press), KEYS.map(Release), MOVES)
CUTS = st.lists(MOVES, max_size=3).map(lambda moved: Cut(tuple(moved)))
OTHERS = st.one_of(st.sampled_from((0, 1, 10, 60)).map(SetPace), st.just(Skip()), CUTS)
PLANS = st.lists(st.tuples(AFTER, st.one_of(HANDS, HANDS, HANDS, OTHERS)), max_size=40)


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(plans=PLANS)
@example(plans=[(0, Put(1, Slot.LEFT)), (0, Press(Key.FIVE)), (999, Press(Key.CANCEL))])
def test_whatever_hands_do_the_script_passes(tmp_path: Path, plans: list[Plan]) -> None:
    play(recorded(tmp_path, [*plans, (0, SetPace(1))]))
