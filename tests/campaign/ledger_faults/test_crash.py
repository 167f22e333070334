"""Crash at every write: after each operation of the disk the ledger opens, and nothing is lost."""

import sqlite3
from pathlib import Path
from typing import get_args

import pytest

from firmware import left_log, on_disk, raw_file
from firmware.records import Checkpoint, Posting, Purpose, Record
from firmware.store import Store
from sim.disk.calls import Call, Kind
from sim.disk.surface import PAGE, SECTOR, Spoilt
from tests.faults import aftermath, crash, evening
from tests.faults.aftermath import Bench
from tests.faults.chronicle import Chronicle
from tests.faults.crash import QUICK, Cutter
from tests.faults.stories import STORIES, Story, starting_again

EVERYTHING = set(get_args(Record)) - {Checkpoint}
"""That a table can make happen; checkpoints come by themselves."""


@pytest.mark.parametrize("name", STORIES)
def test_nothing_is_lost_wherever_the_power_goes(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = crash.cut_through(name, QUICK)
    with capsys.disabled():
        print(f"\n{name}: {figures}")
    assert [str(wound) for wound in figures.wounds[:5]] == []
    assert figures.cuts > 2.5 * figures.operations


@pytest.mark.parametrize("name", ["wal", "delete"])
def test_the_evening_has_everything_in_it(name: str) -> None:
    chronicle = STORIES[name].told()
    records = [record for appended in chronicle.records for record in appended]
    assert {type(record) for record in records} >= EVERYTHING
    assert {posting.purpose for posting in postings(records)} == set(Purpose)
    assert chronicle.moves >= 200


def postings(records: list[Record]) -> list[Posting]:
    return [record for record in records if isinstance(record, Posting)]


def test_the_log_is_written_back_in_the_middle_of_the_evening() -> None:
    chronicle = STORIES["wal"].told()
    operations = chronicle.recording.operations
    back = [
        number
        for number, call in enumerate(operations, start=1)
        if call.kind is Kind.WRITE and call.name == evening.LEDGER
    ]
    closed = min(
        number
        for number, call in enumerate(operations, start=1)
        if call.kind is Kind.DELETE and call.name == f"{evening.LEDGER}-wal"
    )
    assert any(chronicle.appended[0] < number < closed - 200 for number in back)


def log_writes(chronicle: Chronicle) -> list[tuple[int, Call]]:
    """The writes to the log, and how many operations had been done after each."""
    return [
        (number, call)
        for number, call in enumerate(chronicle.recording.operations, start=1)
        if call.kind is Kind.WRITE and call.name == f"{evening.LEDGER}-wal"
    ]


def test_a_log_that_is_put_back_may_be_spoilt_once_more() -> None:
    """The power goes while a left log is written again, and then while it is put back."""
    chronicle = STORIES["left-log"].told()
    number, call = log_writes(chronicle)[0]
    for sector in (0, len(call.content) // SECTOR // 2, len(call.content) // SECTOR):
        spoilt = chronicle.recording.image_after(number, Spoilt(sector, PAGE))
        again = starting_again(spoilt, shares_memory=True)
        assert first_wound(again) == "all is well"
        assert log_writes(again)[0][1].content == call.content, "it was put back"


# The test itself is proven: bugs that are put in are found


def short_evening(*, shares_memory: bool = True) -> Story:
    return STORIES["wal"]._replace(
        play=lambda table: evening.play(table, rounds=1), shares_memory=shares_memory
    )


def first_wound(chronicle: Chronicle) -> str:
    with aftermath.folder() as folder:
        figures = Cutter(chronicle, Bench(folder)).cut_everywhere(until_wounded=True)
        return figures.wounds[0].what if figures.wounds else "all is well"


@pytest.mark.parametrize("shares_memory", [True, False])
@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_a_commit_without_sync_is_found(
    monkeypatch: pytest.MonkeyPatch, synchronous: str, shares_memory: bool
) -> None:
    def make_careless(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")

    monkeypatch.setattr(on_disk, "_make_durable", make_careless)
    chronicle = short_evening(shares_memory=shares_memory).told()
    monkeypatch.undo()
    assert first_wound(chronicle) != "all is well"


def test_a_name_that_was_not_synced_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """In DELETE mode nothing else syncs the folder before the first move is shown."""
    monkeypatch.setattr(raw_file, "sync_folder", lambda _: None)

    def make_nearly_durable(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous = FULL")

    monkeypatch.setattr(on_disk, "_make_durable", make_nearly_durable)
    chronicle = short_evening(shares_memory=False).told()
    monkeypatch.undo()
    assert "0 appends are there" in first_wound(chronicle)


def test_a_log_that_is_written_over_its_only_copy_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def write_over(log: Path) -> None:
        left_log._write(log, log.read_bytes())

    monkeypatch.setattr(left_log, "write_again", write_over)
    chronicle = STORIES["left-log"].told()
    monkeypatch.undo()
    assert "what never was" in first_wound(chronicle)


def test_a_copy_of_a_log_that_is_not_put_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    chronicle = STORIES["left-log"].told()
    monkeypatch.setattr(left_log, "put_back", lambda _: None)
    assert "what never was" in first_wound(chronicle)


def test_a_screen_before_the_commit_is_found() -> None:
    """As if each screen had gone out when the disk had still some operations to do."""
    chronicle = short_evening().told()
    early = chronicle._replace(shown=[number - 4 for number in chronicle.shown])
    assert "was shown" in first_wound(early)


def test_half_a_move_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each record in a transaction of its own."""
    append = Store.append

    def one_by_one(self: Store, *records: Record) -> None:
        for record in records:
            append(self, record)

    monkeypatch.setattr(Store, "append", one_by_one)
    chronicle = short_evening().told()
    monkeypatch.undo()
    assert "what never was" in first_wound(chronicle)
