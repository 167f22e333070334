"""The evening of the benchmark has the moves and hours that it states."""

from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from hal.events import SECOND
from tests.bench import evening


def test_evening_has_the_stated_moves_and_hours() -> None:
    harness = evening.play_evening()
    next_posting = harness.ledger.move(BANK, 1, 1_000, Purpose.ENTRY).id
    assert next_posting == evening.PLAYERS + evening.MOVES + 1
    assert harness.now == evening.HOURS * 3600 * SECOND
