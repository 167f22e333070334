"""A store on a disk that takes no writes, or does not say what became of one."""

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware import edition as editions
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box, shared_for_changes
from firmware.on_disk import OnDisk
from firmware.records import BANK, Checkpoint, JournalFailed, Purpose
from sim.disk.card import DiskFault, SdCard
from sim.stock import players

BANKING = editions.load("banking")


@pytest.fixture(params=[True, False], ids=["log", "journal"])
def card(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[SdCard]:
    with SdCard(tmp_path, random.Random(0), shares_memory=request.param) as card:
        yield card


@pytest.fixture
def path(card: SdCard, tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with held_by_box(path) as store:
        Ledger(store, BANKING).know(players(BANKING))
    assert card.operations
    return path


class Openings:
    """How often the file itself was opened to be written to, and whether that is refused."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.refused = False
        opened = OnDisk.open

        def counted(place: OnDisk) -> sqlite3.Connection:
            self.count += 1
            if self.refused:
                raise sqlite3.OperationalError("the file is read-only")
            return opened(place)

        monkeypatch.setattr(OnDisk, "open", counted)


@pytest.fixture
def openings(path: Path, monkeypatch: pytest.MonkeyPatch) -> Openings:
    """From when the ledger has been made on."""
    assert path.exists()
    return Openings(monkeypatch)


def change_beside(path: Path) -> None:
    with shared_for_changes(path) as store:
        Ledger(store, BANKING).forget(2)


def test_a_start_in_a_game_that_was_gone_back_to_reads_nothing_that_lies_between(
    path: Path,
) -> None:
    """However long the game was that was played meanwhile."""
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.new_game(BANKING)
        for _ in range(20):
            ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        ledger.go_back()
        base, *told = store.replay().records
        assert isinstance(base, Checkpoint)
        assert (base.game.started.game, base.last_posting) == (1, ledger.last_posting)
        assert told == []


# The box has started on a disk that takes no writes (D4), and reads from a copy


def test_what_others_write_is_seen_when_the_disk_is_mended(card: SdCard, path: Path) -> None:
    card.fail(DiskFault.READ_ONLY)
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        assert not ledger.refresh()
        card.fail(None)
        change_beside(path)
        assert ledger.refresh()
        assert list(ledger.cards) == [1, 3, 4, 5, 6]
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        assert not ledger.refresh()


def test_what_others_write_is_seen_where_only_they_may(path: Path, openings: Openings) -> None:
    openings.refused = True
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        openings.refused = False
        change_beside(path)
        openings.refused = True
        assert ledger.refresh()
        assert list(ledger.cards) == [1, 3, 4, 5, 6]
        assert not ledger.refresh()
        with pytest.raises(JournalFailed, match="the file is read-only"):
            ledger.move(BANK, 1, 1_000, Purpose.ENTRY)


def test_where_nobody_writes_the_disk_is_left_alone(path: Path, openings: Openings) -> None:
    """Only a move asks it."""
    openings.refused = True
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        assert openings.count == 1
        for _ in range(5):
            assert not ledger.refresh()
        assert openings.count == 1
        with pytest.raises(JournalFailed, match="the file is read-only"):
            ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        assert openings.count == 2
        openings.refused = False
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)


def test_a_copy_that_cannot_be_made_anew_is_kept(
    card: SdCard, path: Path, openings: Openings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is made as soon as that is possible."""
    card.fail(DiskFault.READ_ONLY)
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        card.fail(None)
        change_beside(path)
        openings.refused = True

        def unreadable(_: OnDisk) -> sqlite3.Connection:
            raise sqlite3.OperationalError("disk I/O error")

        with monkeypatch.context() as patch:
            patch.setattr(OnDisk, "as_at_the_next_start", unreadable)
            assert not ledger.refresh()
        assert ledger.balance(2) == BANKING.opening_balance
        assert ledger.refresh()
        assert list(ledger.cards) == [1, 3, 4, 5, 6]


# A sync has failed, and nobody knows what came of it (D27)


# Without a log the journal puts back what was there, and nobody is in doubt.
@pytest.mark.parametrize("card", [True], indirect=True, ids=["log"])
def test_in_a_doubt_the_file_is_opened_once_each_time(
    card: SdCard, path: Path, openings: Openings
) -> None:
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        card.fail(DiskFault.SYNC)
        openings.refused = True
        with pytest.raises(JournalFailed):
            ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        tried = openings.count
        for asked in range(1, 4):
            assert not ledger.refresh()
            assert ledger.in_doubt
            assert openings.count == tried + asked
        card.fail(None)
        openings.refused = False
        assert ledger.refresh()
        assert not ledger.in_doubt
        assert openings.count == tried + 4
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
