"""Lines with several possible outcomes, and parsing of console answers."""

import pytest

from tests.campaign.storm.console_table import observed_in
from tests.campaign.storm.evening import replay, temporary_folder
from tests.campaign.storm.observation import LedgerSummary
from tests.campaign.storm.table import Board
from tests.campaign.storm.trial import InvalidLine, Trial

EMPTY = LedgerSummary((None,) * 8, (None,) * 8, 0, (), 2, False)


@pytest.mark.parametrize("operation", range(1, 12))
def test_cut_during_move_is_atomic(operation: int) -> None:
    lines = [
        *("insert left 1", "insert right 2", "press 3M", "press 4"),
        *(f"fault disk cut {operation}", "press M", "power off", "power on", "press C"),
    ]
    failed, played = replay(lines, Board.SOFTWARE)
    assert failed is None, failed
    assert played == len(lines)


@pytest.mark.parametrize("second_reader", [False, True])
@pytest.mark.parametrize("how", ["full", "read-only", "sync", "write"])
@pytest.mark.parametrize("ends", [["mend disk", "press 2M"], ["power off", "mend disk"]])
def test_shown_moves_survive_disk_faults(how: str, ends: list[str], second_reader: bool) -> None:
    lines = [
        *("insert left 1", "insert right 2", "press 3M", f"fault disk {how}"),
        *("press 1", "press M", "press C", "remove right", "press G", "wait 12s"),
        *(*ends, "wait 12s", *["power on"] * ("power off" in ends), "press C", "press G"),
    ]
    failed, _ = replay(lines, Board.SOFTWARE, second_reader=second_reader)
    assert failed is None, failed


@pytest.mark.parametrize("pause", [59_800, 59_940, 60_100])
def test_minute_may_end_during_input(pause: int) -> None:
    """Drivers take time to detect a card; the game clock (F22) does not wait for them."""
    lines = [
        *("press F035M", "hold C 3s", "insert left 1", "insert right 2", "power off", "power on"),
        *("wait 30s", "press 5", f"wait {pause - 30_000}ms", "press C"),
    ]
    failed, _ = replay(lines, Board.VIRTUAL)
    assert failed is None, failed


def test_pending_count_is_dropped_by_power_cut() -> None:
    """Time ran out while in doubt (D27); the last minute is replayed before the count opens."""
    lines = [
        *("insert left 2", "press F0", "press 31M", "hold C 3300ms", "wait 30s"),
        *("fault disk sync", "wait 33300ms", "remove left", "power off", "mend disk", "power on"),
        *("press C", "insert left 4", "fault disk sync", "press G", "mend disk", "press M"),
        "wait 2m",
    ]
    failed, _ = replay(lines, Board.SOFTWARE)
    assert failed is None, failed


def test_power_on_is_invalid_when_powered() -> None:
    with temporary_folder() as folder:
        trial = Trial([], Board.SOFTWARE, folder)
        with pytest.raises(InvalidLine):
            trial.play("power on")
        trial.close()


def test_console_answers_are_parsed() -> None:
    observed = observed_in("ok screen 14M | message NO FUNDS | sound error", EMPTY)
    assert (observed.field, observed.message, observed.sound, observed.asleep) == (
        "14M",
        "NO FUNDS",
        "error",
        False,
    )
    observed = observed_in("ok screen | menu HISTORY COUNT GAME", EMPTY)
    assert (observed.field, observed.menu) == ("", "HISTORY COUNT GAME")
    observed = observed_in("ok screen | table 2 17M 1 OUT | message WINNER 2 | sound ok", EMPTY)
    assert (observed.table, observed.message) == ((("2", "17M"), ("1", "OUT")), "WINNER 2")
    assert observed_in("ok the box sleeps", EMPTY).asleep
    assert not observed_in("ok the power is off", EMPTY).lit
