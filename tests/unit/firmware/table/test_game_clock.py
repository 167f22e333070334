"""The clock of a timed game (F22)."""

from firmware.bank import edition as editions
from firmware.bank.game import Game
from firmware.bank.records import GameStarted, Kind, Record, TimePlayed
from firmware.table.game_clock import GameClock
from hal.events import MINUTE, SECOND, Instant

BANKING = editions.load("banking")
NOW = Instant(1_000 * SECOND)


def clock(minutes: int, *records: Record) -> GameClock:
    game = Game.of((GameStarted(1, BANKING, 1, Kind.CLOCK, minutes), *records))
    found = GameClock.of(game, NOW)
    assert found
    return found


def test_other_games_have_no_clock() -> None:
    assert GameClock.of(Game.of((GameStarted(1, BANKING, 1, Kind.FAST),)), NOW) is None


def test_minutes_pass() -> None:
    running = clock(2)
    assert (running.left, running.next_minute) == (2, NOW + MINUTE)
    running = running.minute_over()
    assert (running.left, running.next_minute) == (1, NOW + 2 * MINUTE)
    assert (running.minute_over().left, running.minute_over().next_minute) == (0, None)


def test_a_clock_continues_after_a_restart() -> None:
    """Half of the second minute has passed already."""
    running = clock(3, TimePlayed(1, 90_000))
    assert (running.left, running.next_minute) == (2, NOW + 30 * SECOND)
    assert running.played(Instant(NOW + 10 * SECOND)) == 100_000


def test_played_time_does_not_exceed_the_game() -> None:
    assert clock(1).played(Instant(NOW + 5 * MINUTE)) == 60_000
    over = clock(1, TimePlayed(1, 600_000))
    assert (over.left, over.next_minute) == (0, None)
