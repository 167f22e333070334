"""A card spoils pages, or somebody writes: what was told stays, and nothing shows in pieces."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from firmware import edition as editions
from firmware import on_disk, raw_file
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused, held_by_box
from firmware.on_disk import OnDisk, private_copy
from firmware.records import BANK, Purpose
from firmware.store import Store
from sim.disk.card import SdCard
from sim.disk.surface import PAGE, Image, Lost, Spoilt
from sim.stock import players
from tests.unit.ledgers_on_disk import with_a_game

BANKING = editions.load("banking")


@pytest.fixture
def card(tmp_path: Path) -> Iterator[SdCard]:
    (tmp_path / "card").mkdir()
    with SdCard(tmp_path / "card", random.Random(0)) as card:
        yield card


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "card" / "ledger.db"


def move(ledger: Ledger) -> None:
    ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)


def spoilt_by_a_move(card: SdCard, ledger: Ledger) -> Iterator[Image]:
    """What is on the card if the power goes within a move, in each page that it writes."""
    recording = card.record()
    move(ledger)
    for moment in recording.moments():
        written = moment.surface.last_write
        sectors = len(list(written.sectors())) if written else 0
        yield from (moment.surface.surviving(Spoilt(at, PAGE)) for at in range(sectors))


def lay_out(folder: Path, image: Image) -> None:
    folder.mkdir()
    for name, content in image.items():
        (folder / name).write_bytes(content)


def balance_on(image: Image, folder: Path) -> int:
    lay_out(folder, image)
    with held_by_box(folder / "ledger.db") as store:
        return Ledger(store, BANKING).balance(1)


def test_a_move_does_not_touch_the_pages_of_the_one_before(
    card: SdCard, path: Path, tmp_path: Path
) -> None:
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        for moves in range(1, 4):
            move(ledger)
            images = list(spoilt_by_a_move(card, ledger))
            found = {
                balance_on(image, tmp_path / f"{moves}-{number}")
                for number, image in enumerate(images)
            }
            assert len(images) > 16
            assert min(found) == ledger.balance(1) - 1_000_000


def test_nor_those_of_the_last_one_before_the_power_went(
    card: SdCard, path: Path, tmp_path: Path
) -> None:
    """Of what SQLite writes after a move, up to where the next one may begin, not all is synced."""
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        move(ledger)
        survived = card.would_survive(Lost())
    folder = tmp_path / "later"
    lay_out(folder, survived)
    with (
        SdCard(folder, random.Random(0)) as later,
        held_by_box(folder / "ledger.db") as store,
    ):
        ledger = Ledger(store, BANKING)
        assert ledger.balance(1) == 16_000_000
        images = list(spoilt_by_a_move(later, ledger))
        found = {balance_on(image, tmp_path / str(number)) for number, image in enumerate(images)}
        assert len(images) > 16
        assert min(found) == 16_000_000


def test_the_log_stays_short(path: Path) -> None:
    """However many moves there are: the next start reads all of it, and writes it again."""
    path.parent.mkdir()
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        for _ in range(100):
            move(ledger)
            ledger.move(1, BANK, 1_000_000, Purpose.ENTRY)
        assert path.with_name("ledger.db-wal").stat().st_size < 128 * PAGE


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (b"CREATE TABLE game", b"CREATE TA\xc2LE game"),
        (b"triggergame_no_UPDATEgame", b"triggergame_no_\xd5PDATEgame"),
    ],
)
def test_tables_that_rot_under_a_box_are_a_failure_like_any_other(
    tmp_path: Path, ours: bytes, theirs: bytes
) -> None:
    """SQLite quotes what is no text; a box that opens its file anew refuses moves, and lives."""
    path = with_a_game(tmp_path / "ledger.db")
    path.write_bytes(path.read_bytes().replace(ours, theirs))
    with path.open("rb") as file:
        place = OnDisk(path, file.fileno())
        for look in (place.open, place.as_at_the_next_start):
            with pytest.raises(sqlite3.Error, match="what it says of its tables is no text"):
                look()


# A copy to look at, of a ledger that somebody else writes to meanwhile


def test_a_copy_is_of_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is carried over and begun anew between two looks: neither belongs to the other."""
    path, read = tmp_path / "ledger.db", raw_file.content
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.know(players(BANKING))
        looks = []

        def slow_look(descriptor: int) -> bytes:
            content = read(descriptor)
            looks.append(ledger.balance(1))
            if len(looks) < 3:
                store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                move(ledger)
            return content

        monkeypatch.setattr(raw_file, "content", slow_look)
        with raw_file.held(path) as descriptor, closing(private_copy(path, descriptor)) as copy:
            assert Ledger(Store(copy), BANKING).balance(1) == ledger.balance(1)
        assert len(looks) == 3


def test_a_ledger_that_never_rests_is_refused_and_not_shown_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, marks = with_a_game(tmp_path / "ledger.db"), count()
    monkeypatch.setattr(on_disk, "_mark", lambda _: (next(marks),))
    never = pytest.raises(LedgerRefused, match="somebody writes to it all the time")
    with raw_file.held(path) as descriptor, never:
        private_copy(path, descriptor)
