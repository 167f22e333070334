"""Ledgers on disk: who may open them, and what is refused."""

import sqlite3
from pathlib import Path

import pytest

from firmware import ledger_file, schema
from firmware.audit import audit
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused, held_by_box, reading, shared_for_changes
from firmware.records import BANK, JournalFailed, Kind, Purpose
from tests.unit.ledgers_on_disk import (
    BANKING,
    content,
    put_guards_back,
    refusal,
    with_a_game,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return with_a_game(tmp_path / "ledger.db")


def test_a_ledger_survives_the_box(path: Path) -> None:
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        assert (ledger.balance(1), ledger.balance(2)) == (15_000_000, 55_000_000)
    assert not path.with_name("ledger.db-wal").exists()


def test_folders_are_made(tmp_path: Path) -> None:
    with held_by_box(tmp_path / "a" / "b" / "ledger.db") as store:
        Ledger(store, BANKING)
    assert (tmp_path / "a" / "b" / "ledger.db").exists()


def test_an_empty_file_is_a_new_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").touch()
    with held_by_box(tmp_path / "ledger.db") as store:
        assert Ledger(store, BANKING).game == 1


def test_power_that_went_while_a_ledger_was_made(tmp_path: Path) -> None:
    """A database of ours that has no tables yet is as good as none."""
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with held_by_box(tmp_path / "ledger.db") as store:
        assert Ledger(store, BANKING).game == 1


def test_one_box_a_ledger(path: Path) -> None:
    with held_by_box(path):
        assert "in use by another box" in refusal(path)
    with held_by_box(path):
        pass


def test_not_a_database(path: Path) -> None:
    path.write_bytes(b"Dear diary, today I bought the station.\n" * 100)
    assert "this is not a ledger" in refusal(path)


def test_somebody_elses_database(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    assert "this database is not a ledger" in refusal(path)


def test_a_ledger_from_the_future(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()
    assert "written by a newer Tellerbox (format 4, this one knows 3)" in refusal(path)
    with pytest.raises(LedgerRefused, match="newer"), reading(path):
        pass


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    assert "Is a directory" in refusal(tmp_path)


def test_a_truncated_ledger(path: Path) -> None:
    whole = path.read_bytes()
    for size in (20, 100, 511, len(whole) // 2, len(whole) - 100):
        path.write_bytes(whole[:size])
        assert "damaged" in refusal(path), size


def test_a_page_of_zeros(path: Path) -> None:
    """A page that nothing is written on may be zeros; no other may.

    One that a start does not read, of an index, is found by those who look at everything.
    """
    whole = path.read_bytes()
    page = 4096
    before = content(path)
    connection = sqlite3.connect(path)
    (unused,) = connection.execute("PRAGMA freelist_count").fetchone()
    connection.close()
    for start in range(page, len(whole), page):
        path.write_bytes(whole[:start] + bytes(page) + whole[start + page :])
        try:
            assert "damaged" in refusal(path), start
        except pytest.fail.Exception:
            assert content(path) == before, start
            with reading(path) as connection:
                unused -= not any(finding.faults for finding in audit(connection))
    assert unused >= 0


def test_a_flipped_bit_is_harmless_or_found(path: Path) -> None:
    """SQLite does not notice a changed amount; the seals do."""
    whole = path.read_bytes()
    with reading(path) as connection:
        before = connection.execute("SELECT * FROM posting").fetchall()
    found = 0
    for position in range(100, len(whole), 61):
        broken = bytearray(whole)
        broken[position] ^= 0x10
        path.write_bytes(broken)
        try:
            with held_by_box(path) as store:
                after = store._connection.execute("SELECT * FROM posting").fetchall()
            assert after == before, position
        except LedgerRefused:
            found += 1
    assert found > 20


def test_a_changed_amount_is_found(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER posting_no_UPDATE")
    connection.execute("UPDATE posting SET amount = 2000000 WHERE id = 10")
    connection.commit()
    assert "the trigger posting_no_UPDATE is missing or changed" in refusal(path)
    put_guards_back(connection)
    assert "row 10 of table posting is not what was written" in refusal(path)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("posting WHERE id = 10", "row 10 of table posting is missing"),
        ("game WHERE id = 1", "row 1 of table game is missing"),
        ("card WHERE id = 1", "row 1 of table card is missing"),
        ("event WHERE id = 1", "row 1 of table event is missing"),
    ],
)
def test_a_missing_row_is_found(path: Path, row: str, fault: str) -> None:
    with held_by_box(path) as store:
        Ledger(store, BANKING).join(1)
    connection = sqlite3.connect(path)
    connection.execute(f"DROP TRIGGER {row.split()[0]}_no_DELETE")
    connection.execute(f"DELETE FROM {row}")
    put_guards_back(connection)
    assert fault in refusal(path)


@pytest.mark.parametrize("table", ["posting", "card", "event"])
def test_the_last_rows_that_a_checkpoint_covers_are_missed(
    path: Path, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the next ones would have their numbers, and nobody would read them."""
    monkeypatch.setattr("firmware.ledger.CHECKPOINT_EVERY", 1)
    with held_by_box(path) as store:
        Ledger(store, BANKING).join(1)
    connection = sqlite3.connect(path)
    (last,) = connection.execute(f"SELECT max(id) FROM {table}").fetchone()
    connection.execute(f"DROP TRIGGER {table}_no_DELETE")
    connection.execute(f"DELETE FROM {table} WHERE id = {last}")
    put_guards_back(connection)
    assert f"row {last} of table {table} is missing" in refusal(path)


def test_a_checkpoint_covers_nothing_that_its_maker_has_not_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        with shared_for_changes(path) as beside:
            Ledger(beside, BANKING).choose_kind(Kind.FAST)
        monkeypatch.setattr("firmware.ledger.CHECKPOINT_EVERY", 1)
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        assert ledger.refresh()
        ledger.next_game(BANKING)
        assert ledger.current.kind is Kind.FAST


def test_a_changed_event_is_found(path: Path) -> None:
    with held_by_box(path) as store:
        Ledger(store, BANKING).new_game(BANKING, kind=Kind.CLOCK, minutes=90)
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER event_no_UPDATE")
    connection.execute("UPDATE event SET amount = 999 WHERE id = 2")
    put_guards_back(connection)
    assert "row 2 of table event is not what was written" in refusal(path)


def test_a_game_whose_start_is_not_told(path: Path) -> None:
    """Its row is the last one, so that its number leaves no gap."""
    with held_by_box(path) as store:
        Ledger(store, BANKING).new_game(BANKING)
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER event_no_DELETE")
    connection.execute("DELETE FROM event WHERE id = 2")
    put_guards_back(connection)
    assert "nothing says when game 2 was started" in refusal(path)


@pytest.mark.parametrize("table", ["game", "posting", "card", "event"])
@pytest.mark.parametrize("change", ["UPDATE {} SET id = id + 1000", "DELETE FROM {}"])
def test_rows_are_never_changed(path: Path, table: str, change: str) -> None:
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="is never changed"):
        connection.execute(change.format(table))
    connection.close()


def test_reading_does_not_wait_for_the_bank_nor_the_bank_for_reading(path: Path) -> None:
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        with reading(path) as connection:
            connection.execute("BEGIN")
            assert connection.execute("SELECT count(*) FROM posting").fetchone() == (82,)
            ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
            assert connection.execute("SELECT count(*) FROM posting").fetchone() == (82,)
        with reading(path) as connection:
            assert connection.execute("SELECT count(*) FROM posting").fetchone() == (83,)


def test_readers_cannot_write(path: Path) -> None:
    with reading(path) as connection, pytest.raises(sqlite3.OperationalError):
        connection.execute("INSERT INTO setting VALUES ('volume', 1)")


def test_a_box_sees_what_the_command_line_changed(path: Path) -> None:
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        assert not ledger.refresh()
        with shared_for_changes(path) as other:
            Ledger(other, BANKING).forget(2)
        # Until it has looked, its next posting would take a number that is taken.
        with pytest.raises(JournalFailed):
            ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        assert ledger.refresh()
        assert list(ledger.cards) == [1]
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        assert not ledger.refresh()


def test_there_must_be_a_ledger_to_look_into(tmp_path: Path) -> None:
    with pytest.raises(LedgerRefused, match="there is no such ledger"), reading(tmp_path / "x"):
        pass
    with pytest.raises(LedgerRefused, match="there is no such"), shared_for_changes(tmp_path / "x"):
        pass


def test_looking_into_a_broken_file(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 5000)
    with pytest.raises(LedgerRefused, match="damaged"), reading(path):
        pass
    with pytest.raises(LedgerRefused, match="damaged"), shared_for_changes(path):
        pass


def test_where_a_users_ledger_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert str(ledger_file.default_path()) == "/home/ada/.local/state/tellerbox/ledger.db"
    monkeypatch.setenv("XDG_STATE_HOME", "/var/state")
    assert str(ledger_file.default_path("europe")) == "/var/state/tellerbox/ledger-europe.db"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert str(ledger_file.default_path()).startswith("/home/ada/")


def test_going_back_a_game_takes_nothing_for_read_that_was_not(path: Path) -> None:
    """Another program has chosen the next game since the box last looked."""
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.new_game(BANKING)
        with shared_for_changes(path) as beside:
            Ledger(beside, BANKING).choose_kind(Kind.FAST)
        ledger.go_back()
        assert ledger.refresh()
        assert ledger.game == 1
        ledger.next_game(BANKING)
        assert ledger.current.kind is Kind.FAST
        assert [f for finding in audit(store._connection) for f in finding.faults] == []
