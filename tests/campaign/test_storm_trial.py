"""What a trial makes of a line of which several things can have come, and of an answer."""

import pytest

from sim.storm.console_table import seen_in
from sim.storm.evening import a_folder, replayed
from sim.storm.seen import Books
from sim.storm.table import Board
from sim.storm.trial import Senseless, Trial

NOTHING = Books((None,) * 8, (None,) * 8, 0, (), 2, False)


@pytest.mark.parametrize("operation", range(1, 12))
def test_a_cut_in_a_move_leaves_it_whole_or_undone(operation: int) -> None:
    lines = [
        *("insert left 1", "insert right 2", "press 3M", "press 4"),
        *(f"fault disk cut {operation}", "press M", "power off", "power on", "press C"),
    ]
    failed, played = replayed(lines, Board.SIM)
    assert failed is None, failed
    assert played == len(lines)


@pytest.mark.parametrize("onlooker", [False, True])
@pytest.mark.parametrize("how", ["full", "read-only", "sync", "write"])
@pytest.mark.parametrize("ends", [["mend disk", "press 2M"], ["power off", "mend disk"]])
def test_what_a_bad_disk_was_said_to_have_is_there(
    how: str, ends: list[str], onlooker: bool
) -> None:
    lines = [
        *("insert left 1", "insert right 2", "press 3M", f"fault disk {how}"),
        *("press 1", "press M", "press C", "remove right", "press G", "wait 12s"),
        *(*ends, "wait 12s", *["power on"] * ("power off" in ends), "press C", "press G"),
    ]
    failed, _ = replayed(lines, Board.SIM, onlooker=onlooker)
    assert failed is None, failed


@pytest.mark.parametrize("pause", [59_800, 59_940, 60_100])
def test_a_minute_may_end_while_hands_are_at_it(pause: int) -> None:
    """Drivers take their time to see a card; the clock of a game (F22) does not wait for them."""
    lines = [
        *("press F035M", "hold C 3s", "insert left 1", "insert right 2", "power off", "power on"),
        *("wait 30s", "press 5", f"wait {pause - 30_000}ms", "press C"),
    ]
    failed, _ = replayed(lines, Board.VIRTUAL)
    assert failed is None, failed


def test_a_count_that_waits_for_the_disk_does_not_outlive_the_power() -> None:
    """Time was up in a doubt (D27); the last minute is played again, and nothing opens before."""
    lines = [
        *("insert left 2", "press F0", "press 31M", "hold C 3300ms", "wait 30s"),
        *("fault disk sync", "wait 33300ms", "remove left", "power off", "mend disk", "power on"),
        *("press C", "insert left 4", "fault disk sync", "press G", "mend disk", "press M"),
        "wait 2m",
    ]
    failed, _ = replayed(lines, Board.SIM)
    assert failed is None, failed


def test_a_power_cut_is_not_a_matter_of_taste() -> None:
    with a_folder() as folder:
        trial = Trial([], Board.SIM, folder)
        with pytest.raises(Senseless):
            trial.play("power on")
        trial.put_away()


def test_an_answer_is_read_as_it_was_said() -> None:
    seen = seen_in("ok screen 14M | message NO FUNDS | sound error", NOTHING)
    assert (seen.field, seen.message, seen.sound, seen.asleep) == (
        "14M",
        "NO FUNDS",
        "error",
        False,
    )
    seen = seen_in("ok screen | menu HISTORY COUNT GAME", NOTHING)
    assert (seen.field, seen.menu) == ("", "HISTORY COUNT GAME")
    seen = seen_in("ok screen | table 2 17M 1 OUT | message WINNER 2 | sound ok", NOTHING)
    assert (seen.table, seen.message) == ((("2", "17M"), ("1", "OUT")), "WINNER 2")
    assert seen_in("ok the box sleeps", NOTHING).asleep
    assert not seen_in("ok the power is off", NOTHING).lit
