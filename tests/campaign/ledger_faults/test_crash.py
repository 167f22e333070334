"""Power cuts after each disk operation: the ledger opens, and nothing is lost."""

import sqlite3
from pathlib import Path
from typing import get_args

import pytest

from firmware.bank.purposes import Purpose
from firmware.bank.records import Checkpoint, Counted, Posting, Record
from firmware.storage import file_locks, opening, wal_recovery
from firmware.storage.store import Store
from tests.campaign.disk.calls import Call, Kind
from tests.campaign.disk.surface import PAGE, SECTOR, Spoilt
from tests.campaign.ledger_faults import crash, evening, recovery
from tests.campaign.ledger_faults.crash import QUICK, PowerCutter
from tests.campaign.ledger_faults.recorded_run import RecordedRun
from tests.campaign.ledger_faults.recovery import RecoveryCheck
from tests.campaign.ledger_faults.workloads import WORKLOADS, Workload, starting_again

EVERYTHING = set(get_args(Record)) - {Checkpoint, Counted}
"""Every record that a table can cause.

Checkpoints are written automatically, and ``Counted`` only stands in ledgers of older formats.
"""


WHOLE_GAMES = ("wal", "delete")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long) if name in WHOLE_GAMES else name
        for name in WORKLOADS
    ],
)
def test_power_cut_anywhere_loses_nothing(name: str) -> None:
    result = crash.cut_through(name, QUICK)
    print(f"{name}: {result}")
    assert [str(problem) for problem in result.problems[:5]] == []
    assert result.cuts > 2.5 * result.operations


@pytest.mark.timeout(300)
@pytest.mark.parametrize("shares_memory", [True, False], ids=WHOLE_GAMES)
def test_power_cut_anywhere_in_one_round_loses_nothing(shares_memory: bool) -> None:
    """One round has each kind of write; whole games add the rare ones."""
    assert first_problem(short_evening(shares_memory=shares_memory).record()) == "none"


@pytest.mark.parametrize("name", ["wal", "delete"])
def test_evening_writes_every_kind_of_record(name: str) -> None:
    run = WORKLOADS[name].record()
    records = [record for appended in run.records for record in appended]
    assert {type(record) for record in records} >= EVERYTHING
    assert {posting.purpose for posting in postings(records)} == set(Purpose)
    assert run.moves >= 200


def postings(records: list[Record]) -> list[Posting]:
    return [record for record in records if isinstance(record, Posting)]


def test_log_is_checkpointed_during_the_evening() -> None:
    run = WORKLOADS["wal"].record()
    operations = run.recording.operations
    checkpoint_writes = [
        number
        for number, call in enumerate(operations, start=1)
        if call.kind is Kind.WRITE and call.name == evening.LEDGER
    ]
    closed = min(
        number
        for number, call in enumerate(operations, start=1)
        if call.kind is Kind.DELETE and call.name == f"{evening.LEDGER}-wal"
    )
    assert any(run.appended[0] < number < closed - 200 for number in checkpoint_writes)


def log_writes(run: RecordedRun) -> list[tuple[int, Call]]:
    """The writes to the log, with the operation count after each."""
    return [
        (number, call)
        for number, call in enumerate(run.recording.operations, start=1)
        if call.kind is Kind.WRITE and call.name == f"{evening.LEDGER}-wal"
    ]


def test_restored_log_may_be_spoilt_again() -> None:
    """The power is cut while a left-behind log is rewritten, and again while it is restored."""
    run = WORKLOADS["left-log"].record()
    number, call = log_writes(run)[0]
    for sector in (0, len(call.content) // SECTOR // 2, len(call.content) // SECTOR):
        spoilt = run.recording.image_after(number, Spoilt(sector, PAGE))
        again = starting_again(spoilt, shares_memory=True)
        assert first_problem(again) == "none"
        assert log_writes(again)[0][1].content == call.content, "the log was not restored"


# Planted bugs must be found


def short_evening(*, shares_memory: bool = True) -> Workload:
    return WORKLOADS["wal"]._replace(
        play=lambda table: evening.play(table, rounds=1), shares_memory=shares_memory
    )


def first_problem(run: RecordedRun) -> str:
    with recovery.folder() as folder:
        result = PowerCutter(run, RecoveryCheck(folder)).cut_everywhere(stop_at_first=True)
        return result.problems[0].what if result.problems else "none"


@pytest.mark.parametrize("shares_memory", [True, False])
@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_finds_commit_without_sync(
    monkeypatch: pytest.MonkeyPatch, synchronous: str, shares_memory: bool
) -> None:
    def without_sync(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")

    monkeypatch.setattr(opening, "_make_durable", without_sync)
    run = short_evening(shares_memory=shares_memory).record()
    monkeypatch.undo()
    assert first_problem(run) != "none"


def test_finds_unsynced_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """In DELETE mode nothing else syncs the folder before the first move is shown."""
    monkeypatch.setattr(file_locks, "sync_folder", lambda _: None)

    def without_folder_sync(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous = FULL")

    monkeypatch.setattr(opening, "_make_durable", without_folder_sync)
    run = short_evening(shares_memory=False).record()
    monkeypatch.undo()
    assert first_problem(run).startswith("0 of ")


def test_finds_log_overwritten_without_copy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def write_over(log: Path) -> None:
        wal_recovery._write(log, log.read_bytes())

    monkeypatch.setattr(wal_recovery, "rewrite", write_over)
    run = WORKLOADS["left-log"].record()
    monkeypatch.undo()
    assert "impossible state" in first_problem(run)


def test_finds_log_copy_that_is_not_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    run = WORKLOADS["left-log"].record()
    monkeypatch.setattr(wal_recovery, "restore", lambda _: None)
    assert "impossible state" in first_problem(run)


def test_finds_view_before_commit() -> None:
    """As if each view had been shown some operations too early."""
    run = short_evening().record()
    early = run._replace(shown=[number - 4 for number in run.shown])
    assert "was shown" in first_problem(early)


def test_finds_half_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each record in its own transaction."""
    append = Store.append

    def one_by_one(self: Store, *records: Record) -> None:
        for record in records:
            append(self, record)

    monkeypatch.setattr(Store, "append", one_by_one)
    run = short_evening().record()
    monkeypatch.undo()
    assert "impossible state" in first_problem(run)
