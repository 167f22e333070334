"""The store on a disk that refuses writes, or whose writes have an uncertain outcome."""

import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, Checkpoint, JournalFailed
from firmware.storage.ledger_file import opened_by_box, shared_for_changes
from firmware.storage.opening import DiskLocation
from sim.board.stock import players
from tests.campaign.disk.card import DiskFault, SdCard

BANKING = editions.load("banking")


@pytest.fixture(params=[True, False], ids=["log", "journal"])
def card(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[SdCard]:
    with SdCard(tmp_path, random.Random(0), shares_memory=request.param) as card:
        yield card


@pytest.fixture
def path(card: SdCard, tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        Ledger(store, BANKING).know(players(BANKING))
    assert card.operations
    return path


class Openings:
    """Counts how often the file is opened for writing, and can refuse it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.refused = False
        opened = DiskLocation.open

        def counted(location: DiskLocation) -> sqlite3.Connection:
            self.count += 1
            if self.refused:
                raise sqlite3.OperationalError("the file is read-only")
            return opened(location)

        monkeypatch.setattr(DiskLocation, "open", counted)


@pytest.fixture
def openings(path: Path, monkeypatch: pytest.MonkeyPatch) -> Openings:
    """Counts from the ledger's creation on."""
    assert path.exists()
    return Openings(monkeypatch)


def forget_card_2(path: Path) -> None:
    """What ``tellerbox cards forget 2`` does in another terminal."""
    with shared_for_changes(path) as store:
        Ledger(store, BANKING).forget(2)


def test_start_in_a_resumed_game_reads_no_rows_of_other_games(path: Path) -> None:
    """However long the other game was."""
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(1, 2, 1_000, Purpose.ENTRY)
        ledger.new_game(BANKING)
        for _ in range(20):
            ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        ledger.go_back()
        base, *others = store.replay()
        assert isinstance(base, Checkpoint)
        assert (base.game.started.game, base.last_posting) == (1, ledger.state.last_posting)
        assert others == []


# The box has started on a read-only disk (D4), and reads from a copy


def test_changes_of_others_are_seen_when_the_disk_works_again(card: SdCard, path: Path) -> None:
    card.fail(DiskFault.READ_ONLY)
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        assert not ledger.refresh()
        card.fail(None)
        forget_card_2(path)
        assert ledger.refresh()
        assert list(ledger.cards) == [1, 3, 4, 5, 6]
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        assert not ledger.refresh()


def test_changes_of_others_are_seen_while_the_box_cannot_write(
    path: Path, openings: Openings
) -> None:
    openings.refused = True
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        openings.refused = False
        forget_card_2(path)
        openings.refused = True
        assert ledger.refresh()
        assert list(ledger.cards) == [1, 3, 4, 5, 6]
        assert not ledger.refresh()
        with pytest.raises(JournalFailed, match="the file is read-only"):
            ledger.move(BANK, 1, 1_000, Purpose.ENTRY)


def test_refresh_of_an_unchanged_file_does_not_open_it(path: Path, openings: Openings) -> None:
    """Only a move does."""
    openings.refused = True
    with opened_by_box(path) as store:
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


def test_stale_copy_is_kept_until_it_can_be_replaced(
    card: SdCard, path: Path, openings: Openings, monkeypatch: pytest.MonkeyPatch
) -> None:
    card.fail(DiskFault.READ_ONLY)
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        card.fail(None)
        forget_card_2(path)
        openings.refused = True

        def unreadable(_: DiskLocation) -> sqlite3.Connection:
            raise sqlite3.OperationalError("disk I/O error")

        with monkeypatch.context() as patch:
            patch.setattr(DiskLocation, "recovered_copy", unreadable)
            assert not ledger.refresh()
        assert ledger.balance(2) == BANKING.opening_balance
        assert ledger.refresh()
        assert list(ledger.cards) == [1, 3, 4, 5, 6]


# A sync has failed, and the outcome is uncertain (D27)


# Without a log the rollback journal restores the file, so there is no doubt.
@pytest.mark.parametrize("card", [True], indirect=True, ids=["log"])
def test_each_refresh_in_doubt_opens_the_file_once(
    card: SdCard, path: Path, openings: Openings
) -> None:
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        card.fail(DiskFault.SYNC)
        openings.refused = True
        with pytest.raises(JournalFailed):
            ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        before = openings.count
        for refreshes in range(1, 4):
            assert not ledger.refresh()
            assert ledger.in_doubt
            assert openings.count == before + refreshes
        card.fail(None)
        openings.refused = False
        assert ledger.refresh()
        assert not ledger.in_doubt
        assert openings.count == before + 4
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
