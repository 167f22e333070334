"""Bugs planted in the bank; the storm must find each within twenty seeds.

They are patched in from outside; the firmware has no hooks for them.
"""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, JournalFailed, Posting, Record
from firmware.storage import opening
from firmware.storage.store import Store
from firmware.table import box
from firmware.table.box import Box
from hal.display.sounds import Sound
from hal.events import MILLISECOND, Slot
from tests.campaign.storm import fault_schedule
from tests.campaign.storm.evening import Evening, Failure, Plan
from tests.campaign.storm.fault_schedule import FaultKind
from tests.campaign.storm.table import Board

SEEDS = range(1, 21)
HOURS = 0.5

Patch = pytest.MonkeyPatch


def commit_without_sync(patch: Patch, synchronous: str = "OFF") -> None:
    """A power cut loses moves that were shown."""

    def without_sync(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")

    patch.setattr(opening, "_make_durable", without_sync)


def sync_at_checkpoints_only(patch: Patch) -> None:
    """SQLite's documentation recommends this for a write-ahead log; a bank cannot use it."""
    commit_without_sync(patch, "NORMAL")


def view_before_commit(patch: Patch) -> None:
    """A move is shown at once and written at the next event."""
    append, changed = Store.append, Store.changed_elsewhere
    pending: dict[int, list[tuple[Record, ...]]] = {}

    def append_late(store: Store, *records: Record) -> None:
        flush(store)
        if _is_move(records):
            pending.setdefault(id(store), []).append(records)
        else:
            append(store, *records)

    def flush(store: Store) -> None:
        for records in pending.pop(id(store), []):
            append(store, *records)

    def changed_elsewhere(store: Store) -> bool:
        flush(store)
        return changed(store)

    # Power cuts only: a refusal by the disk would come too late to be shown.
    only_cuts = {kind: int(kind is FaultKind.POWER_IN_COMMIT) for kind in FaultKind}
    patch.setattr(fault_schedule, "WEIGHTS", only_cuts)
    patch.setattr(Store, "append", append_late)
    patch.setattr(Store, "changed_elsewhere", changed_elsewhere)


def one_sided_reversal(patch: Patch) -> None:
    """A rent that is taken back goes to the bank instead of the card that paid it."""
    reverse = Ledger.reverse

    def refund_to_bank(ledger: Ledger, posting: Posting) -> None:
        if BANK in posting.accounts:
            reverse(ledger, posting)
        else:
            amount, what = posting.amount, Purpose.REVERSAL
            ledger._record(ledger._posting(posting.payee, BANK, amount, what, posting.id))

    patch.setattr(Ledger, "reverse", refund_to_bank)


def lost_removal(patch: Patch) -> None:
    """A card that is removed while the box sleeps stays inserted for the bank."""
    card_out = Box._card_out

    def ignore_when_asleep(sleeping_box: Box, slot: Slot) -> tuple[Sound, ...]:
        return () if sleeping_box.asleep else card_out(sleeping_box, slot)

    patch.setattr(Box, "_card_out", ignore_when_asleep)


def swallowed_error(patch: Patch) -> None:
    """A move that could not be written counts as made."""
    append = Store.append

    def swallow(store: Store, *records: Record) -> None:
        try:
            append(store, *records)
        except JournalFailed:
            if not _is_move(records):
                raise

    patch.setattr(Store, "append", swallow)


def sleep_a_millisecond_late(patch: Patch) -> None:
    """The box falls asleep a millisecond after sixty seconds (G4)."""
    patch.setattr(box, "SLEEP_AFTER", box.SLEEP_AFTER + MILLISECOND)


def _is_move(records: tuple[Record, ...]) -> bool:
    return len(records) == 1 and isinstance(records[0], Posting)


BUGS: list[Callable[[Patch], None]] = [
    commit_without_sync,
    sync_at_checkpoints_only,
    view_before_commit,
    one_sided_reversal,
    lost_removal,
    swallowed_error,
    sleep_a_millisecond_late,
]


def find(seeds: range) -> tuple[int, Failure] | None:
    for seed in seeds:
        failure = Evening(Plan(seed, HOURS, Board.SOFTWARE)).play()
        # Ignore failures before the first line.
        if failure and not failure.lines[-1].startswith("given "):
            return seed, failure
    return None


@pytest.mark.parametrize("bug", BUGS)
def test_bug_is_found(bug: Callable[[Patch], Any], monkeypatch: Patch) -> None:
    bug(monkeypatch)
    found = find(SEEDS)
    assert found, f"no seed in {SEEDS} found {bug.__name__}"
    print(bug.__name__, "by seed", found[0], *found[1].what, sep="\n  ")
