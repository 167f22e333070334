from firmware.records import BANK, Purpose
from hal.events import SECOND
from tests.bench import evening


def test_the_evening_of_the_bench_is_what_it_says() -> None:
    rig = evening.play_evening()
    next_posting = rig.ledger.move(BANK, 1, 1_000, Purpose.ENTRY).id
    assert next_posting == evening.PLAYERS + evening.MOVES + 1
    assert rig.now == evening.HOURS * 3600 * SECOND
