"""Opening ledger files, and the files that are refused."""

import sqlite3
from pathlib import Path

import pytest

from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, JournalFailed, Kind
from firmware.storage import ledger_file, rows, schema
from firmware.storage.audit import audit
from firmware.storage.ledger_file import LedgerRefused, opened_by_box, reading, shared_for_changes
from tests.unit.firmware.storage.ledgers_on_disk import (
    BANKING,
    content,
    played_ledger,
    refusal,
    restore_triggers,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return played_ledger(tmp_path / "ledger.db")


def test_ledger_survives_a_restart(path: Path) -> None:
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        assert (ledger.balance(1), ledger.balance(2)) == (15_000_000, 55_000_000)
    assert not path.with_name("ledger.db-wal").exists()


def test_missing_folders_are_created(tmp_path: Path) -> None:
    with opened_by_box(tmp_path / "a" / "b" / "ledger.db") as store:
        Ledger(store, BANKING)
    assert (tmp_path / "a" / "b" / "ledger.db").exists()


def test_empty_file_becomes_a_new_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").touch()
    with opened_by_box(tmp_path / "ledger.db") as store:
        assert Ledger(store, BANKING).game == 1


def test_power_cut_while_a_ledger_was_created(tmp_path: Path) -> None:
    """A database without tables counts as empty."""
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with opened_by_box(tmp_path / "ledger.db") as store:
        assert Ledger(store, BANKING).game == 1


def test_only_one_box_opens_a_ledger(path: Path) -> None:
    with opened_by_box(path):
        assert "in use by another box" in refusal(path)
    with opened_by_box(path):
        pass


def test_text_file_is_refused(path: Path) -> None:
    path.write_bytes(b"Dear diary, today I bought the station.\n" * 100)
    assert "this is not a ledger" in refusal(path)


def test_foreign_database_is_refused(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    assert "this database is not a ledger" in refusal(path)


def test_newer_format_is_refused(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()
    assert "written by a newer Tellerbox (format 5, this version supports 4)" in refusal(path)
    with pytest.raises(LedgerRefused, match="newer"), reading(path):
        pass


def test_folder_is_refused(tmp_path: Path) -> None:
    assert "Is a directory" in refusal(tmp_path)


def test_truncated_ledger_is_refused(path: Path) -> None:
    whole = path.read_bytes()
    for size in (20, 100, 511, len(whole) // 2, len(whole) - 100):
        path.write_bytes(whole[:size])
        assert "damaged" in refusal(path), size


def test_page_of_zeros_is_found(path: Path) -> None:
    """Only an unused page may be zeros.

    The audit finds a page that a start does not read, such as one of an index.
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


def test_flipped_bit_is_harmless_or_found(path: Path) -> None:
    """SQLite does not detect a changed amount; the seals do."""
    whole = path.read_bytes()
    with reading(path) as connection:
        before = connection.execute("SELECT * FROM posting").fetchall()
    found = 0
    for position in range(100, len(whole), 61):
        broken = bytearray(whole)
        broken[position] ^= 0x10
        path.write_bytes(broken)
        try:
            with opened_by_box(path) as store:
                after = store._connection.execute("SELECT * FROM posting").fetchall()
            assert after == before, position
        except LedgerRefused:
            found += 1
    assert found > 20


def test_changed_amount_is_found(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER posting_no_UPDATE")
    connection.execute("UPDATE posting SET amount = 2000000 WHERE id = 10")
    connection.commit()
    assert "the trigger posting_no_UPDATE is missing or changed" in refusal(path)
    restore_triggers(connection)
    assert "row 10 of table posting does not match its checksum" in refusal(path)


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("posting WHERE id = 10", "row 10 of table posting is missing"),
        ("game WHERE id = 1", "row 1 of table game is missing"),
        ("card WHERE id = 1", "row 1 of table card is missing"),
        ("event WHERE id = 1", "row 1 of table event is missing"),
    ],
)
def test_missing_row_is_found(path: Path, row: str, fault: str) -> None:
    with opened_by_box(path) as store:
        Ledger(store, BANKING).open_count(present=1)
    connection = sqlite3.connect(path)
    connection.execute(f"DROP TRIGGER {row.split()[0]}_no_DELETE")
    connection.execute(f"DELETE FROM {row}")
    restore_triggers(connection)
    assert fault in refusal(path)


@pytest.mark.parametrize("table", ["posting", "card", "event"])
def test_missing_last_row_before_a_checkpoint_is_found(
    path: Path, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise new rows would get the missing numbers, and never be read."""
    monkeypatch.setattr("firmware.bank.ledger.CHECKPOINT_EVERY", 1)
    with opened_by_box(path) as store:
        Ledger(store, BANKING).open_count(present=1)
    connection = sqlite3.connect(path)
    (last,) = connection.execute(f"SELECT max(id) FROM {table}").fetchone()
    connection.execute(f"DROP TRIGGER {table}_no_DELETE")
    connection.execute(f"DELETE FROM {table} WHERE id = {last}")
    restore_triggers(connection)
    assert f"row {last} of table {table} is missing" in refusal(path)


def test_checkpoint_does_not_cover_rows_that_its_writer_has_not_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        with shared_for_changes(path) as other:
            Ledger(other, BANKING).choose_kind(Kind.FAST)
        monkeypatch.setattr("firmware.bank.ledger.CHECKPOINT_EVERY", 1)
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        assert ledger.refresh()
        ledger.next_game(BANKING)
        assert ledger.current.kind is Kind.FAST


def test_changed_event_is_found(path: Path) -> None:
    with opened_by_box(path) as store:
        Ledger(store, BANKING).new_game(BANKING, kind=Kind.CLOCK, minutes=90)
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER event_no_UPDATE")
    connection.execute("UPDATE event SET amount = 999 WHERE id = 2")
    restore_triggers(connection)
    assert "row 2 of table event does not match its checksum" in refusal(path)


@pytest.mark.parametrize(
    ("table", "row", "fault"),
    [
        ("posting", (83, 1, BANK, 1, 10**17, "entry", None, 0), "the amount in row 83 of table po"),
        ("posting", (83, 1, BANK, 1, 2**63 - 1, "entry", None, 0), "the amount in row 83 of table"),
        ("card", (3, "replacement", 7, None, 0), "an unknown card is to be replaced"),
        ("card", (3, "known", 9, "aabbccdd", 0), "the number in row 3 of table card is 9; it must"),
        ("event", (2, "next kind", None, 0, 2**62, "clock", 0, 0), "the amount in row 2 of table"),
        ("event", (2, "next kind", None, 0, 1000, "clock", 0, 0), "the length of a game is 1000"),
        ("event", (2, "amount counted", 1, 1, -5, "", 0, 0), "the amount in row 2 of table event"),
        ("event", (2, "counted in", 1, 9, 0, "", 0, 0), "event 2 names card 9, which does not"),
        ("setting", ("milliseconds of game 1", 2**63 - 1), "the time played in game 1 is 92233720"),
        ("setting", ("volume", 4), "there is no volume 4"),
    ],
)
def test_row_that_a_box_could_not_go_on_with_is_refused(
    path: Path, table: str, row: rows.Row, fault: str
) -> None:
    """Its checksum is right."""
    connection = sqlite3.connect(path)
    if table == "setting":
        connection.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", row)
    else:
        connection.execute(rows.INSERT[table], (*row, rows.seal(table, row)))
    connection.commit()
    connection.close()
    sentence = refusal(path)
    assert "this ledger is damaged (" in sentence
    assert fault in sentence


def test_missing_start_event_is_found(path: Path) -> None:
    """Its row is the last one, so its number leaves no gap."""
    with opened_by_box(path) as store:
        Ledger(store, BANKING).new_game(BANKING)
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER event_no_DELETE")
    connection.execute("DELETE FROM event WHERE id = 2")
    restore_triggers(connection)
    assert "the start of game 2 is not recorded" in refusal(path)


@pytest.mark.parametrize("table", ["game", "posting", "card", "event"])
@pytest.mark.parametrize("change", ["UPDATE {} SET id = id + 1000", "DELETE FROM {}"])
def test_rows_are_never_changed(path: Path, table: str, change: str) -> None:
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="is never changed"):
        connection.execute(change.format(table))
    connection.close()


def test_reader_and_writer_do_not_block_each_other(path: Path) -> None:
    with opened_by_box(path) as store:
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


def test_box_sees_changes_of_a_command(path: Path) -> None:
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        assert not ledger.refresh()
        with shared_for_changes(path) as other:
            Ledger(other, BANKING).forget(2)
        # Until it refreshes, its next posting would use a number that is taken.
        with pytest.raises(JournalFailed):
            ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        assert ledger.refresh()
        assert list(ledger.cards) == [1]
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        assert not ledger.refresh()


def test_missing_ledger_is_refused(tmp_path: Path) -> None:
    for opened in (reading, shared_for_changes):
        with pytest.raises(LedgerRefused, match="does not exist"), opened(tmp_path / "x"):
            pass


def test_damaged_file_is_refused(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 5000)
    with pytest.raises(LedgerRefused, match="damaged"), reading(path):
        pass
    with pytest.raises(LedgerRefused, match="damaged"), shared_for_changes(path):
        pass


def test_default_path_of_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert str(ledger_file.default_path()) == "/home/ada/.local/state/tellerbox/ledger.db"
    monkeypatch.setenv("XDG_STATE_HOME", "/var/state")
    assert str(ledger_file.default_path("europe")) == "/var/state/tellerbox/ledger-europe.db"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert str(ledger_file.default_path()).startswith("/home/ada/")


def test_going_back_a_game_does_not_hide_other_changes(path: Path) -> None:
    """Another program has chosen the next game since the last refresh."""
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        ledger.new_game(BANKING)
        with shared_for_changes(path) as other:
            Ledger(other, BANKING).choose_kind(Kind.FAST)
        ledger.go_back()
        assert ledger.refresh()
        assert ledger.game == 1
        ledger.next_game(BANKING)
        assert ledger.current.kind is Kind.FAST
        assert [f for finding in audit(store._connection) for f in finding.faults] == []
