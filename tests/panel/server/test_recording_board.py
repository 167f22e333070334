"""A recorded script passes when played, whatever hands did, and reads as if it were written."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from firmware import edition as editions
from firmware.house import BY_THE_BOOK, House
from hal.events import Key, Slot
from sim.panel.actions import Press, Put, Release, SetPace, Skip, Take
from sim.player import Unmet, perform
from sim.rig import Rig
from sim.script import Expect, Subject, read_script
from tests.panel.server.planned_hands import Cut, Plan, Session

BANKING = editions.load("banking")


def recorded(
    folder: Path, plans: list[Plan], edition: str = "banking", house: House = BY_THE_BOOK
) -> list[str]:
    return Session(folder, editions.load(edition), plans, house).record()


def play(lines: list[str]) -> None:
    """Raises Unmet where the script does not hold; only a dark screen is said to be empty."""
    script = read_script("recorded", lines, BANKING)
    rig = Rig.new(script.edition, stock_known=script.stock_known, house=script.house)
    for _number, step in script.steps:
        perform(rig, step)
        dark = rig.view is None or not rig.view.lit
        assert step != Expect(Subject.SCREEN, "") or dark, "a list or a table shows"


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


def test_what_f_does_is_a_line_for_each_choice(tmp_path: Path) -> None:
    """F1, F4, F6: the list is expected, then what was chosen from it, then what was typed."""
    lines = recorded(tmp_path, [(0, Put(2, Slot.RIGHT)), *typed("F2"), *typed("1,5MM")])
    assert lines[lines.index("press F") : -1] == [
        "press F",
        "expect card none",
        "expect menu ALL MORTGAGE INTEREST JAIL COUNT GAME",
        "press 2",
        "expect screen 0",
        "expect message MORTGAGE",
        "press 1,5M",
        "expect screen 1,65M",
        "expect message M = MORTGAGE",
        "press M",
        "expect screen 13,35M",
        "expect message",
        "expect sound ok",
        "wait 60s",
        "expect asleep",
    ]
    assert lines[-1] == "expect balance 2 13,35M"
    play(lines)


def test_a_list_that_is_turned_over_and_a_table_say_what_they_can(tmp_path: Path) -> None:
    """F1, F15: neither has a text in the big field; the other page is of the same list."""
    house = House(pot=True, strict_undo=True)
    held_c: list[Plan] = [(200, Press(Key.CANCEL)), (1_700, Release(Key.CANCEL))]
    keys = [*typed("FFF9G"), *held_c]
    lines = recorded(tmp_path, [(0, Put(2, Slot.RIGHT)), *keys], house=house)
    assert lines[1:3] == ["given pot true", "given undo rulebook"]
    offered = "expect menu ALL MORTGAGE INTEREST JAIL COUNT GAME POT"
    assert lines[lines.index("press F") : lines.index("wait 15s")] == [
        "press F",
        "expect card none",
        offered,
        "press F",
        offered,
        "press F",
        offered,
        "press 9",
        "expect message M = COUNT",
        "press G",
        "expect sound error",
        "hold C 1700ms",
        "expect message M = COUNT",
    ]
    play(lines)


def test_what_was_counted_is_expected_in_the_end(tmp_path: Path) -> None:
    """F16, F17: the worth of each card, and who has won."""
    lines = recorded(
        tmp_path,
        [
            (0, Put(1, Slot.LEFT)),
            *typed("F9M"),
            *typed("2,5M"),
            (100, Take(1)),
            (100, Put(2, Slot.LEFT)),
            (100, Take(2)),
        ],
    )
    assert "expect message WINNER 1" in lines
    assert lines[-2:] == ["expect worth 1 17,5M", "expect worth 2 15M"]
    play(lines)


NEW_GAME: list[Plan] = [(200, Press(Key.CANCEL)), (3_000, Release(Key.CANCEL))]


def test_amounts_of_another_edition_are_written_out(tmp_path: Path) -> None:
    """F18, F20: letters mean what they mean in the edition that is given."""
    in_europe: list[Plan] = [*typed("F044"), *NEW_GAME, (500, Put(1, Slot.LEFT)), *typed("7K")]
    lines = recorded(tmp_path, [*in_europe, *typed("2000M")])
    assert "expect message NEXT europe" in lines
    assert lines[-1] == "expect balance 1 3500"
    play(lines)
    lines = recorded(
        tmp_path, [(0, Put(1, Slot.LEFT)), *typed("F041"), *NEW_GAME, *typed("2M")], "europe"
    )
    assert lines[-1] == "expect balance 1 17000000"
    play(lines)


def test_a_game_that_was_gone_back_to_has_its_own_letters_again(tmp_path: Path) -> None:
    """F20: and its own balances, whatever was played since."""
    lines = recorded(
        tmp_path,
        [
            (0, Put(1, Slot.LEFT)),
            *typed("2M"),
            *typed("F044"),
            *NEW_GAME,
            (100, Cut()),
            *typed("F06M"),
        ],
    )
    assert "expect message GAME BACK" in lines
    assert lines[-1] == "expect balance 1 17M"
    play(lines)


def test_a_clock_that_runs_cuts_no_wait_in_two(tmp_path: Path) -> None:
    """F22: the box falls asleep in the midst of a minute, and is woken when the last is over."""
    lines = recorded(tmp_path, [*typed("F032M"), *NEW_GAME, (30_000, Put(1, Slot.LEFT))])
    after = lines[lines.index("insert left 1") :]
    assert [line for line in after if line.startswith(("wait", "expect a", "expect message"))] == [
        "wait 1s",
        "wait 59s",
        "expect asleep",
        "wait 30s",
        "expect awake",
        "expect message TIME",
        "wait 2s",
        "expect message FINAL COUNT",
        "wait 58s",
        "expect asleep",
        "expect message",
    ]
    assert "expect sound alarm" in after
    play(lines)


def test_a_minute_that_ends_just_after_a_hand_ends_when_it_does(tmp_path: Path) -> None:
    """F22: though time stands still for a second after a hand, while one records."""
    lines = recorded(tmp_path, [*typed("F031M"), *NEW_GAME, (59_900, Put(1, Slot.LEFT))])
    after = lines[lines.index("insert left 1") :]
    assert after[4:7] == ["wait 100ms", "expect card none", "expect screen 15M"]
    assert after[7:9] == ["expect message TIME", "expect sound alarm"]
    play(lines)


def test_an_expectation_that_does_not_hold_is_noticed_here() -> None:
    with pytest.raises(Unmet, match="expected screen 16M, got -----"):
        play(["expect screen 16M"])


SLOTS = st.sampled_from(Slot)
CARDS = st.sampled_from((1, 1, 2, 3, 9))
AFTER = st.one_of(
    st.integers(0, 1_500),
    st.sampled_from((0, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 3_000, 59_999, 60_000, 61_000)),
    st.sampled_from((14_999, 15_000, 120_000)),
)
KEYS = st.sampled_from([*"1055,,MMKCCCCGFF9"]).map(Key)
MOVES = st.one_of(st.builds(Put, CARDS, SLOTS), st.builds(Take, CARDS))
HANDS = st.one_of(KEYS.map(Press), KEYS.map(Release), MOVES)
CUTS = st.lists(MOVES, max_size=3).map(lambda moved: Cut(tuple(moved)))
OTHERS = st.one_of(st.sampled_from((0, 1, 10, 60)).map(SetPace), st.just(Skip()), CUTS)
ANYTHING = st.tuples(AFTER, st.one_of(HANDS, HANDS, HANDS, OTHERS)).map(lambda plan: [plan])
FUNCTIONS = st.one_of(
    # What F is for, from its list to the money; whether it is offered is another matter.
    st.sampled_from(("F1M", "F21MM", "F3,5MM", "F47KM", "F47MM", "F5M", "F61MM", "F7M", "FF11MM")),
    st.sampled_from(("F8MM", "F8GMM", "F9", "F9M", "FF2M", "FF21MM")),
    st.sampled_from(("F01", "F02", "F031M", "F032M", "F041", "F043", "F044", "F051M", "F06M")),
).map(typed)
NEW_GAMES = st.just(NEW_GAME)
CARDS_IN = st.lists(MOVES, min_size=1, max_size=3).map(lambda moved: [(100, m) for m in moved])
PLANS = st.lists(
    st.one_of(ANYTHING, ANYTHING, CARDS_IN, CARDS_IN, FUNCTIONS, FUNCTIONS, NEW_GAMES),
    min_size=8,
    max_size=20,
).map(lambda parts: [plan for part in parts for plan in part])
HOUSES = st.builds(House, pot=st.booleans(), strict_undo=st.booleans())


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(plans=PLANS, edition=st.sampled_from(("banking", "duel-masters")), house=HOUSES)
@example(
    plans=[(0, Put(1, Slot.LEFT)), (0, Press(Key.FIVE)), (999, Press(Key.CANCEL))],
    edition="banking",
    house=BY_THE_BOOK,
)
def test_whatever_hands_do_the_script_passes(
    tmp_path: Path, plans: list[Plan], edition: str, house: House
) -> None:
    play(recorded(tmp_path, [*plans, (0, SetPace(1))], edition, house))
