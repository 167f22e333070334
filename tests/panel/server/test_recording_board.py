"""A recorded script passes when played, for any input, and is readable."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from firmware.bank import edition as editions
from firmware.bank.house_rules import BY_THE_BOOK, HouseRules
from hal.events import Key, Slot
from sim.board.software_harness import SoftwareHarness
from sim.panel.actions import PressKey, PutCard, ReleaseKey, SetPace, Skip, TakeCard
from sim.script.language import Expect, Subject, read_script
from sim.script.player import Unmet, perform
from tests.panel.server.planned_input import Cut, Plan, PlannedRun

BANKING = editions.load("banking")
EXAMPLES = 100
MANY_EXAMPLES = 1500


def recorded(
    folder: Path, plans: list[Plan], edition: str = "banking", house: HouseRules = BY_THE_BOOK
) -> list[str]:
    return PlannedRun(folder, editions.load(edition), plans, house).record()


def play(lines: list[str]) -> None:
    """Raises Unmet if the script fails; only a dark screen may be expected to be empty."""
    script = read_script("recorded", lines, BANKING)
    harness = SoftwareHarness().begin_new(
        script.edition, stock_known=script.stock_known, house=script.house
    )
    for _number, step in script.steps:
        perform(harness, step)
        dark = harness.view is None or not harness.view.lit
        assert step != Expect(Subject.SCREEN, "") or dark, "a list or a table shows"


def typed(keys: str) -> list[Plan]:
    taps = [((200, PressKey(Key(key))), (80, ReleaseKey(Key(key)))) for key in keys]
    return [plan for tap in taps for plan in tap]


def test_a_rent_reads_like_a_handwritten_script(tmp_path: Path) -> None:
    lines = recorded(
        tmp_path,
        [
            (500, PutCard(1, Slot.RIGHT)),
            (400, PutCard(2, Slot.LEFT)),
            *typed("1,4M"),
            (2500, PressKey(Key.CANCEL)),
            (90, ReleaseKey(Key.CANCEL)),
        ],
    )
    assert lines == [
        "# recorded at the front panel",
        "",
        "insert right 1",
        "expect card 1",
        "expect screen 1",
        "expect status 1>B",
        "expect sound card",
        "insert left 2",
        "expect card 2",
        "expect screen 2",
        "expect status 1>2",
        "expect sound card",
        "press 1,4M",
        "expect card none",
        "expect screen 13,6M",
        "expect status 1>2 1,4M",
        "expect sound ok",
        "wait 2s",
        "expect screen 16,4M",
        "wait 500ms",
        "press C",
        "expect screen 15M",
        "expect status UNDO 1,4M",
        "expect sound undo",
        "wait 60s",
        "expect asleep",
    ]
    play(lines)


def test_a_long_c_and_a_power_cut(tmp_path: Path) -> None:
    lines = recorded(
        tmp_path,
        [
            (100, PutCard(1, Slot.LEFT)),
            *typed("2M"),
            (300, Cut((TakeCard(1), PutCard(3, Slot.RIGHT)))),
            (1500, PressKey(Key.CANCEL)),
            (3400, ReleaseKey(Key.CANCEL)),
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


def test_a_c_between_one_and_three_seconds_keeps_its_duration(tmp_path: Path) -> None:
    lines = recorded(tmp_path, [(100, PressKey(Key.CANCEL)), (1730, ReleaseKey(Key.CANCEL))])
    assert "hold C 1700ms" in lines
    play(lines)


def test_m_is_held_for_a_bankruptcy(tmp_path: Path) -> None:
    """F5: a second is recorded, however long the finger stays on the key."""
    held_m: list[Plan] = [(2_000, PressKey(Key.MILLIONS)), (2_500, ReleaseKey(Key.MILLIONS))]
    lines = recorded(tmp_path, [(0, PutCard(2, Slot.RIGHT)), *typed("F1"), *held_m])
    asked = lines.index("expect message BANKRUPT? HOLD M")
    held = next(line for line in lines[asked:] if line.startswith("hold M"))
    assert held == "hold M 1s"
    assert lines[-1] == "expect balance 2 0"
    play(lines)


def test_m_that_is_let_go_early_is_pressed(tmp_path: Path) -> None:
    held_m: list[Plan] = [(2_000, PressKey(Key.MILLIONS)), (300, ReleaseKey(Key.MILLIONS))]
    lines = recorded(tmp_path, [(0, PutCard(2, Slot.RIGHT)), *typed("F1"), *held_m])
    assert lines[lines.index("press M") + 1] == "expect sound error"
    assert not [line for line in lines if "balance" in line]  # nothing has moved
    play(lines)


def test_m_that_ends_an_amount_is_not_held(tmp_path: Path) -> None:
    held_m: list[Plan] = [(200, PressKey(Key.MILLIONS)), (2_500, ReleaseKey(Key.MILLIONS))]
    lines = recorded(tmp_path, [(0, PutCard(2, Slot.RIGHT)), *typed("3"), *held_m])
    assert "press 3M" in lines
    play(lines)


def test_another_edition_and_an_exact_amount(tmp_path: Path) -> None:
    lines = recorded(tmp_path, [(0, PutCard(8, Slot.LEFT)), *typed("7M")], "europe")
    assert lines[1] == "given edition europe"
    assert lines[-1] == "expect balance 8 1507"
    play(lines)


def test_a_skipped_minute_is_a_wait(tmp_path: Path) -> None:
    lines = recorded(tmp_path, [(1000, Skip())])
    assert lines[-2:] == ["wait 60s", "expect asleep"]
    play(lines)


def test_each_choice_after_f_is_a_line(tmp_path: Path) -> None:
    """F1, F4, F6: the list is expected, then the choice, then the typed amount."""
    lines = recorded(tmp_path, [(0, PutCard(2, Slot.RIGHT)), *typed("F2"), *typed("1,5MM")])
    assert lines[lines.index("press F") : -1] == [
        "press F",
        "expect card none",
        "expect menu BANKRUPT MORTGAGE INTEREST FINE COUNT GAME",
        "expect status banking",
        "press 2",
        "expect screen 0",
        "expect message MORTGAGE",
        "expect status 2>B",
        "press 1,5M",
        "expect screen 1,65M",
        "expect message MORTGAGE? M",
        "press M",
        "expect screen 13,35M",
        "expect message",
        "expect status 2>B 1,65M",
        "expect sound ok",
        "wait 60s",
        "expect asleep",
    ]
    assert lines[-1] == "expect balance 2 13,35M"
    play(lines)


def test_a_list_with_two_pages_and_a_table(tmp_path: Path) -> None:
    """F1, F15: neither has a text in the big field; both pages belong to one list."""
    house = HouseRules(pot=True, strict_undo=True)
    held_c: list[Plan] = [(200, PressKey(Key.CANCEL)), (1_700, ReleaseKey(Key.CANCEL))]
    keys = [*typed("FFF9G"), *held_c]
    lines = recorded(tmp_path, [(0, PutCard(2, Slot.RIGHT)), *keys], house=house)
    assert lines[1:3] == ["given pot true", "given undo rulebook"]
    offered = "expect menu BANKRUPT MORTGAGE INTEREST FINE COUNT GAME POT"
    assert lines[lines.index("press F") : lines.index("wait 15s")] == [
        "press F",
        "expect card none",
        offered,
        "expect status banking",
        "press F",
        offered,
        "press F",
        offered,
        "press 9",
        "expect message COUNT? M",
        "press G",
        "expect sound error",
        "hold C 1700ms",
        "expect message COUNT? M",
    ]
    play(lines)


def test_the_final_count_is_expected_at_the_end(tmp_path: Path) -> None:
    """F16, F17: the worth of each card, and the winner."""
    lines = recorded(
        tmp_path,
        [
            (0, PutCard(1, Slot.LEFT)),
            *typed("2M"),
            *typed("F9M"),
            *typed("2,5M"),
            (100, TakeCard(1)),
            (100, PutCard(2, Slot.LEFT)),
            (100, TakeCard(2)),
        ],
    )
    assert "expect message WINNER 1" in lines
    assert lines[-2:] == ["expect worth 1 19,5M", "expect worth 2 15M"]
    play(lines)


NEW_GAME: list[Plan] = [(200, PressKey(Key.CANCEL)), (3_000, ReleaseKey(Key.CANCEL))]


def test_amounts_of_another_edition_have_no_units(tmp_path: Path) -> None:
    """F18, F20: units mean what they mean in the script's edition."""
    in_europe: list[Plan] = [*typed("F044"), *NEW_GAME, (500, PutCard(1, Slot.LEFT)), *typed("7K")]
    lines = recorded(tmp_path, [*in_europe, *typed("2000M")])
    assert "expect message NEXT europe" in lines
    assert lines[-1] == "expect balance 1 3500"
    play(lines)
    lines = recorded(
        tmp_path, [(0, PutCard(1, Slot.LEFT)), *typed("F041"), *NEW_GAME, *typed("2M")], "europe"
    )
    assert lines[-1] == "expect balance 1 17000000"
    play(lines)


def test_a_resumed_game_has_its_own_units_again(tmp_path: Path) -> None:
    """F20: and its own balances."""
    lines = recorded(
        tmp_path,
        [
            (0, PutCard(1, Slot.LEFT)),
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


def test_a_running_clock_splits_no_wait(tmp_path: Path) -> None:
    """F22: the box falls asleep during a minute, and wakes when the last one is over."""
    lines = recorded(tmp_path, [*typed("F032M"), *NEW_GAME, (30_000, PutCard(1, Slot.LEFT))])
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


def test_a_minute_that_ends_just_after_an_input_is_recorded_exactly(tmp_path: Path) -> None:
    """F22: although time stops for a second after each input while recording."""
    lines = recorded(tmp_path, [*typed("F031M"), *NEW_GAME, (59_900, PutCard(1, Slot.LEFT))])
    after = lines[lines.index("insert left 1") :]
    assert after[5:8] == ["wait 100ms", "expect card none", "expect screen 15M"]
    assert after[8] == "expect message TIME"
    assert after[9:11] == ["expect status COUNT", "expect sound alarm"]
    play(lines)


def test_play_raises_if_an_expectation_fails() -> None:
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
MOVES = st.one_of(st.builds(PutCard, CARDS, SLOTS), st.builds(TakeCard, CARDS))
INPUT = st.one_of(KEYS.map(PressKey), KEYS.map(ReleaseKey), MOVES)
CUTS = st.lists(MOVES, max_size=3).map(lambda moved: Cut(tuple(moved)))
OTHERS = st.one_of(st.sampled_from((0, 1, 10, 60)).map(SetPace), st.just(Skip()), CUTS)
ANYTHING = st.tuples(AFTER, st.one_of(INPUT, INPUT, INPUT, OTHERS)).map(lambda plan: [plan])
FUNCTIONS = st.one_of(
    # Complete entries of F, whether the list offers them or not.
    st.sampled_from(("F1M", "F21MM", "F3,5MM", "F47KM", "F47MM", "F5M", "F61MM", "F7M", "FF11MM")),
    st.sampled_from(("F8MM", "F8GMM", "F9", "F9M", "FF2M", "FF21MM")),
    st.sampled_from(("F01", "F02", "F031M", "F032M", "F041", "F043", "F044", "F051MM", "F06M")),
).map(typed)
NEW_GAMES = st.just(NEW_GAME)
CARDS_IN = st.lists(MOVES, min_size=1, max_size=3).map(lambda moved: [(100, m) for m in moved])
PLANS = st.lists(
    st.one_of(ANYTHING, ANYTHING, CARDS_IN, CARDS_IN, FUNCTIONS, FUNCTIONS, NEW_GAMES),
    min_size=8,
    max_size=20,
).map(lambda parts: [plan for part in parts for plan in part])
HOUSES = st.builds(HouseRules, pot=st.booleans(), strict_undo=st.booleans())


@pytest.mark.no_cover
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plans=PLANS, edition=st.sampled_from(("banking", "duel-masters")), house=HOUSES)
@example(
    plans=[(0, PutCard(1, Slot.LEFT)), (0, PressKey(Key.FIVE)), (999, PressKey(Key.CANCEL))],
    edition="banking",
    house=BY_THE_BOOK,
)
def test_the_script_passes_for_any_input(
    tmp_path: Path, plans: list[Plan], edition: str, house: HouseRules
) -> None:
    play(recorded(tmp_path, [*plans, (0, SetPace(1))], edition, house))


@pytest.mark.long
@settings(max_examples=MANY_EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plans=PLANS, edition=st.sampled_from(("banking", "duel-masters")), house=HOUSES)
def test_the_script_passes_for_much_more_input(
    tmp_path: Path, plans: list[Plan], edition: str, house: HouseRules
) -> None:
    play(recorded(tmp_path, [*plans, (0, SetPace(1))], edition, house))
