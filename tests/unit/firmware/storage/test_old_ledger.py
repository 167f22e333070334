"""Ledgers of older formats: migrated without loss, with a copy of the old format."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firmware.bank.ledger import Admission, Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, JournalFailed, Kind
from firmware.storage import ledger_check, ledger_file, opening, schema
from firmware.storage.audit import audit
from firmware.storage.ledger_file import LedgerRefused, opened_by_box, reading, shared_for_changes
from firmware.storage.store import Store
from tests.unit.firmware.storage.ledgers_on_disk import (
    BANKING,
    as_other_user,
    content,
    played_ledger,
    refusal,
)

FORMAT_1 = Path(__file__).parents[2] / "ledgers" / "format-1.db"
"""Two games of six cards, as the box wrote them before there was an F key."""
FORMAT_2 = FORMAT_1.with_name("format-2.db")
"""As the box wrote it before there were checkpoints: the first game was resumed."""
FORMAT_3 = FORMAT_1.with_name("format-3.db")
"""As the box wrote it under the first edition of the rules.

``tellerbox sim --text`` of that release was typed the following. Game 1: cards 1 to 5 move money
(card 2 pays 500K, which C takes back, and a fine; card 3 sells for 3M; card 4 goes bankrupt to card
3), and card 6 is only put in. Game 2, against the clock: card 6 pays 3M to card 2, and 500K that
it gets back; card 3 gets its salary; FORGET 5; a minute passes. BACK to game 1, which writes a
checkpoint: card 3 pays card 1 250K, taken back with C, then 100K; FORGET 6; a new card takes number
5; EDITION europe. Then ``tellerbox cards replace 2``, and after a restart the final count: 3M and
500K for card 1, 40K for card 2, nothing for card 3, which stays in the left slot.
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return played_ledger(tmp_path / "ledger.db")


def test_failed_migration_is_rolled_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, "CREATE NONSENSE;"))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(connection)
    assert schema.version_of(connection) == 0
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


# A ledger of the first format


@pytest.fixture(params=["DELETE", "WAL"])
def old(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """In the journal modes of a backup and of a box."""
    path = tmp_path / "old.db"
    shutil.copyfile(FORMAT_1, path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {request.param}")
    connection.close()
    return path


def is_unchanged(ledger: Ledger) -> bool:
    """Whether the second game of the old ledger is as it was left."""
    held = {1: 1_000_000, 2: 18_250_000, 3: 14_750_000, 4: 15_000_000, 5: 15_000_000, 6: 15_000_000}
    return (
        ledger.game == 2
        and ledger.state.game_before == 1
        and ledger.accounts == {BANK: -79_000_000, **held}
        and ledger.edition == BANKING
        and ledger.current.kind is Kind.NORMAL
        and list(ledger.cards) == [1, 2, 3, 4, 5, 6]
        and ledger.state.volume == 3
        and ledger.state.replacing == 6
    )


def test_old_ledger_is_migrated_without_loss(old: Path) -> None:
    before = content(old)
    assert {table: len(found) for table, found in before.items()} == {
        "game": 2,
        "posting": 23,
        "card": 7,
        "setting": 1,
    }
    with opened_by_box(old) as store:
        assert is_unchanged(Ledger(store, BANKING))
    assert content(old) == {**before, "event": [], "checkpoint": []}
    connection = sqlite3.connect(old)
    assert schema.version_of(connection) == schema.VERSION
    assert schema.faults(connection) == []
    assert [finding.faults for finding in audit(connection) if finding.faults] == []
    connection.close()


def test_old_schema_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """SQLite then quotes text that cannot be decoded."""
    path = tmp_path / "old.db"
    path.write_bytes(FORMAT_2.read_bytes().replace(b"((game IS NULL)", b"((\xe7ame IS NULL)"))
    sentence = f"{path}: this ledger is damaged (the schema is not valid UTF-8)"
    assert refusal(path).startswith(sentence)
    with pytest.raises(LedgerRefused) as caught, reading(path):
        pytest.fail("the ledger was opened")
    assert str(caught.value).startswith(sentence)


def test_postings_without_games_are_refused(tmp_path: Path) -> None:
    """One flipped bit changes the number of rows in a page."""
    path = tmp_path / "old.db"
    content = bytearray(FORMAT_1.read_bytes())
    assert content[0x1000:0x1005] == b"\x0d\0\0\0\2", "not the page of the two games"
    content[0x1004] = 0
    path.write_bytes(content)
    assert "this ledger is damaged (row 1 of table game is missing)" in refusal(path)


def test_old_schema_with_a_flipped_bit_is_refused(tmp_path: Path) -> None:
    """SQLite accepts it, but it differs from our schema. The migration makes some tables anew."""
    path = tmp_path / "old.db"
    path.write_bytes(FORMAT_2.read_bytes().replace(b"REFERENCES game", b"REFERENCES \xe7ame"))
    assert "this ledger is damaged (the table posting is missing or changed)" in refusal(path)


def test_ledger_of_the_second_format_continues(tmp_path: Path) -> None:
    """A resumed game in its final count, with an edition and a kind chosen for the next game."""
    path = tmp_path / "old.db"
    shutil.copyfile(FORMAT_2, path)
    before = content(path)
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        assert (ledger.game, ledger.state.game_before, ledger.state.last_posting) == (1, 2, 21)
        assert ledger.accounts == {
            BANK: -77_000_000,
            POT: 250_000,
            **dict(enumerate((18_250_000, 13_510_000, 14_990_000), start=1)),
            **dict.fromkeys((4, 5), 15_000_000),
            6: 0,
        }
        assert list(ledger.cards) == [*ledger.players, 4, 5] == [1, 2, 3, 4, 5]
        assert ledger.not_counted == [3]
        assert [ledger.current.worth(card) for card in (1, 2, 3)] == [21_250_000, 13_550_000, None]
        assert (ledger.current.counting, ledger.state.volume) == (True, 3)
        assert ledger.current.milliseconds_played == 65_000
        ledger.next_game(BANKING)
        assert ledger.edition.name == "europe"
        assert (ledger.current.kind, ledger.current.minutes) == (Kind.CLOCK, 90)
    assert content(path)["posting"][:21] == before["posting"]
    assert content(kept(path, 2)) == before
    with reading(path) as connection:
        assert [fault for finding in audit(connection) for fault in finding.faults] == []


# A ledger of the third format, the last one under the first edition of the rules


@pytest.fixture
def third(tmp_path: Path) -> Path:
    path = tmp_path / "old.db"
    shutil.copyfile(FORMAT_3, path)
    return path


IN_GAME_1 = {1: 18_600_000, 2: 13_000_000, 3: 31_400_000, 4: 0, 5: 15_000_000, 6: 0}
IN_GAME_2 = dict(enumerate((15_000_000, 18_000_000, 17_000_000, 15_000_000), start=1))


def faults_of(connection: sqlite3.Connection) -> list[str]:
    return [fault for finding in audit(connection) for fault in finding.faults]


def test_ledger_of_the_third_format_continues(third: Path) -> None:
    before = content(third)
    assert len(before["checkpoint"]) == 1
    with opened_by_box(third) as store:
        ledger = Ledger(store, BANKING)
        assert (ledger.game, ledger.state.game_before, ledger.state.last_posting) == (1, 2, 31)
        assert ledger.accounts == {BANK: -78_000_000, **IN_GAME_1}
        assert list(ledger.cards) == [1, 2, 3, 4, 5]
        assert ledger.cards[5] == bytes.fromhex("0417A1B2C3D407")
        assert (ledger.state.replacing, ledger.state.volume, ledger.state.names) == (2, 3, {})
        assert list(ledger.current.out) == [4]
        moves = [(move.id, ledger.current.is_taken_back(move)) for move in ledger.history]
        taken_back = [9, 27]
        assert moves == [(n, n in taken_back) for n in (29, 27, 13, 12, 11, 9, 8, 7)]
        ledger.next_game(BANKING)
        assert (ledger.edition.name, ledger.current.kind) == ("europe", Kind.NORMAL)
    after = content(third)
    assert after["posting"][:31] == before["posting"]
    assert after["event"][:25] == before["event"]
    assert after["card"] == before["card"]
    assert after["checkpoint"] == []
    assert content(kept(third, 3)) == before
    with reading(third) as connection:
        assert faults_of(connection) == []


def test_d47_who_was_only_put_in_is_no_player(third: Path) -> None:
    """Card 5 was put in, in game 1, and cards 1, 4 and 5 in game 2."""
    with opened_by_box(third) as store:
        ledger = Ledger(store, BANKING)
        assert [event[1] for event in content(third)["event"]].count("joined") == 11
        assert ledger.players == [1, 2, 3]
        ledger.go_back()
        assert ledger.players == [2, 3]


def test_d47_an_old_count_is_one_amount_for_each_card(third: Path) -> None:
    worths = [22_100_000, 13_040_000, 31_400_000, None, None]
    with opened_by_box(third) as store:
        ledger = Ledger(store, BANKING)
        assert ledger.current.counting
        assert [ledger.current.worth(n) for n in range(1, 6)] == worths
        assert ledger.all_counted
        ledger.count(1, 1_000_000)
    with opened_by_box(third) as store:
        ledger = Ledger(store, BANKING)
        assert ledger.current.worth(1) == 23_100_000
        assert [ledger.uncount(1) for _ in range(3)] == [True, True, False]
        assert ledger.current.worth(1) == IN_GAME_1[1]
        assert [ledger.uncount(3), ledger.uncount(2)] == [False, True]
        assert faults_of(store._connection) == []
    with opened_by_box(third) as store:
        assert [Ledger(store, BANKING).current.worth(n) for n in (1, 2)] == [18_600_000, 13_000_000]


def test_d47_a_move_erases_an_old_count(third: Path) -> None:
    with opened_by_box(third) as store:
        ledger = Ledger(store, BANKING)
        ledger.leave_count()
        assert ledger.current.worth(2) == 13_040_000
        ledger.move(3, BANK, 1_000_000, Purpose.FINE)
    with opened_by_box(third) as store:
        ledger = Ledger(store, BANKING)
        assert [ledger.current.worth(n) for n in (1, 2, 3)] == [None] * 3
        assert ledger.not_counted == [1, 2, 3]
        ledger.open_count(present=2)
        ledger.count(2, 1_000_000)
        ledger.move(2, BANK, 1_000_000, Purpose.FINE)
        assert ledger.current.worth(2) == 13_000_000
        assert faults_of(store._connection) == []


def test_card_forgotten_in_one_game_has_its_account_in_the_other(third: Path) -> None:
    """F19, S10: as long as the old release has not gone back to that game, as with card 5."""
    with opened_by_box(third) as store:
        ledger = Ledger(store, BANKING)
        admission = ledger.admit(b"new.", elsewhere=2)
        assert admission == Admission(6)
        assert ledger.balance(6) == 15_000_000
        ledger.go_back()
        held = {**IN_GAME_2, 5: 15_000_000, 6: 12_000_000}
        assert ledger.accounts == {BANK: -sum(held.values()), **held}
        assert ledger.players == [2, 3, 6]
        assert ledger.current.milliseconds_played >= 60_000
        assert faults_of(store._connection) == []
    with opened_by_box(third) as store:
        assert Ledger(store, BANKING).accounts == {BANK: -sum(held.values()), **held}


def test_forgotten_card_with_an_old_count_is_restored(third: Path) -> None:
    with opened_by_box(third) as store:
        ledger = Ledger(store, BANKING)
        ledger.count(1, 1_000_000)
        card = ledger.forget(1)
        assert ledger.current.worth(1) is None
    with opened_by_box(third) as store:
        ledger = Ledger(store, BANKING)
        ledger.restore(card)
        assert ledger.current.worth(1) == 23_100_000
        assert [ledger.uncount(1) for _ in range(3)] == [True, True, False]
        assert faults_of(store._connection) == []


def test_moves_of_an_old_ledger_are_made_again(third: Path) -> None:
    with opened_by_box(third) as store:
        ledger = Ledger(store, BANKING)
        move = next(move for move in ledger.history if move.id == 27)
        again = ledger.make_again(move)
        assert [found.id for found in ledger.history][:2] == [again.id, 29]
        assert faults_of(store._connection) == []


def test_power_cuts_during_the_migration_of_the_third_format(third: Path) -> None:
    before, whole = content(third), third.read_bytes()
    moments = int(migrated_until(third, 0).stdout)
    migrated = content(third)
    assert migrated == {**before, "checkpoint": []}
    for moment in range(1, moments, moments // 8):
        third.write_bytes(whole)
        assert migrated_until(third, moment).returncode == -signal.SIGKILL, moment
        assert content(third) == before, moment
        with opened_by_box(third):
            pass
        assert content(third) == migrated, moment


def test_old_ledger_can_be_played(old: Path) -> None:
    with opened_by_box(old) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(1, BANK, 1_000_000, Purpose.BANKRUPTCY)
        ledger.move(2, 3, 250_000, Purpose.RENT)
        ledger.go_back()
        assert ledger.accounts == {
            BANK: -93_400_000,
            1: 17_600_000,
            2: 16_400_000,
            3: 14_400_000,
            4: 15_000_000,
            5: 15_000_000,
            6: 15_000_000,
        }
        ledger.move(4, 1, 2_000_000, Purpose.ENTRY)
        ledger.go_back()
        ledger.new_game(BANKING, kind=Kind.FAST)
    with opened_by_box(old) as store:
        ledger = Ledger(store, BANKING)
        assert (ledger.game, ledger.current.kind, ledger.state.game_before) == (3, Kind.FAST, 2)
        ledger.go_back()
        assert (ledger.balance(1), ledger.balance(2), ledger.balance(3)) == (
            0,
            18_000_000,
            15_000_000,
        )
        assert list(ledger.current.out) == [1]
        assert [f for finding in audit(store._connection) for f in finding.faults] == []


def test_command_migrates_an_old_ledger(old: Path) -> None:
    before = content(old)
    with shared_for_changes(old) as store:
        ledger = Ledger(store, BANKING)
        assert is_unchanged(ledger)
        ledger.forget(1)
    after = content(old)
    assert after["posting"][:23] == before["posting"]
    assert after["card"][:7] == before["card"]
    with opened_by_box(old) as store:
        assert list(Ledger(store, BANKING).cards) == [2, 3, 4, 5, 6]


def test_reading_an_old_ledger_does_not_change_it(old: Path) -> None:
    before = old.read_bytes()
    with reading(old) as connection:
        assert schema.version_of(connection) == schema.VERSION
        assert is_unchanged(Ledger(Store(connection), BANKING))
        assert [finding.faults for finding in audit(connection) if finding.faults] == []
    assert old.read_bytes() == before
    assert not kept(old).exists()


def test_read_only_old_ledger_is_read_and_not_changed() -> None:
    folder = Path(tempfile.mkdtemp(prefix="tellerbox-test-"))
    old = folder / "old.db"
    shutil.copyfile(FORMAT_1, old)
    old.chmod(0o444)
    folder.chmod(0o555)

    def act() -> None:
        with reading(old) as connection:
            assert is_unchanged(Ledger(Store(connection), BANKING))
        with opened_by_box(old) as store:
            ledger = Ledger(store, BANKING)
            assert is_unchanged(ledger)
            for change in (
                lambda: ledger.move(BANK, 1, 1_000, Purpose.ENTRY),
                ledger.go_back,
                lambda: ledger.name(1, "Ana"),
            ):
                with pytest.raises(JournalFailed):
                    change()
            assert is_unchanged(ledger)

    try:
        as_other_user(act)
        assert old.read_bytes() == FORMAT_1.read_bytes()
        assert os.listdir(folder) == ["old.db"]
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


CUT_OFF = """
import os, signal, sys
from pathlib import Path
from firmware.storage import schema
from firmware.storage.ledger_file import opened_by_box
moment, migrate = int(sys.argv[2]), schema.migrate
passed = 0
def count():
    global passed
    passed += 1
    if passed == moment:
        os.kill(os.getpid(), signal.SIGKILL)
    return 0
def watched(connection):
    connection.set_progress_handler(count, 10)
    migrate(connection)
    connection.set_progress_handler(None, 0)
schema.migrate = watched
with opened_by_box(Path(sys.argv[1])):
    print(passed)
"""
"""Is killed at a given step of SQLite's migration; with 0 it finishes."""


def migrated_until(path: Path, moment: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CUT_OFF, str(path), str(moment)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_interrupted_migration_leaves_the_old_ledger(old: Path) -> None:
    before = content(old)
    whole = old.read_bytes()

    def migrate(moment: int) -> subprocess.CompletedProcess[str]:
        old.write_bytes(whole)
        return migrated_until(old, moment)

    moments = int(migrate(0).stdout)
    assert content(old) == {**before, "event": [], "checkpoint": []}
    for moment in range(1, moments, moments // 8):
        assert migrate(moment).returncode == -signal.SIGKILL, moment
        assert content(old) == before, moment
        with opened_by_box(old) as store:
            assert is_unchanged(Ledger(store, BANKING))
        assert content(old) == {**before, "event": [], "checkpoint": []}, moment


def test_damaged_old_ledger_is_refused_before_it_is_migrated(old: Path) -> None:
    connection = sqlite3.connect(old)
    query = "SELECT sql FROM sqlite_master WHERE name = 'posting_no_UPDATE'"
    (guard,) = connection.execute(query).fetchone()
    connection.execute("DROP TRIGGER posting_no_UPDATE")
    connection.execute("UPDATE posting SET amount = 77 WHERE id = 20")
    connection.execute(guard)
    connection.commit()
    connection.close()
    assert "row 20 of table posting does not match its checksum" in refusal(old)


# The copy of the old format, for the release that wrote it


def kept(old: Path, number: int = 1) -> Path:
    return old.with_name(f"old.format-{number}.db")


def definitions(path: Path) -> list[tuple[object, ...]]:
    """Every table and trigger, and the version of the format."""
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT * FROM sqlite_master ORDER BY name").fetchall()
    version = connection.execute("PRAGMA user_version").fetchall()
    connection.close()
    return found + version


def set_volume(path: Path, value: int) -> None:
    """Change the ledger as an old box would."""
    connection = sqlite3.connect(path)
    connection.execute("UPDATE setting SET value = ? WHERE name = 'volume'", (value,))
    connection.commit()
    connection.close()


@pytest.mark.parametrize("opened", [opened_by_box, shared_for_changes])
def test_old_format_is_kept(old: Path, opened: Callable[[Path], Any]) -> None:
    old.chmod(0o640)
    before, tables = content(old), definitions(old)
    with opened(old):
        # It is complete already, and one file: renaming it is enough to restore it.
        assert not kept(old).with_name("old.format-1.db-wal").exists()
        assert kept(old).read_bytes()[18:20] == b"\1\1", "it has a write-ahead log"
    assert sorted(os.listdir(old.parent)) == ["old.db", "old.format-1.db"]
    assert kept(old).stat().st_mode & 0o777 == 0o640
    assert (content(kept(old)), definitions(kept(old))) == (before, tables)
    connection = sqlite3.connect(kept(old))
    assert schema.version_of(connection) == 1
    connection.close()
    kept(old).replace(old)
    with opened_by_box(old) as store:
        assert is_unchanged(Ledger(store, BANKING))


def test_copy_of_the_old_format_includes_the_log(tmp_path: Path) -> None:
    shutil.copyfile(FORMAT_1, tmp_path / "played.db")
    connection = sqlite3.connect(tmp_path / "played.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE setting SET value = 1 WHERE name = 'volume'")
    connection.commit()
    for ending in ("", "-wal"):
        shutil.copyfile(tmp_path / f"played.db{ending}", tmp_path / f"old.db{ending}")
    connection.close()
    assert (tmp_path / "old.db-wal").stat().st_size
    with opened_by_box(tmp_path / "old.db") as store:
        assert Ledger(store, BANKING).state.volume == 1
    assert content(tmp_path / "old.format-1.db")["setting"] == [("volume", 1)]


def test_ledger_without_migration_is_not_copied(path: Path, tmp_path: Path) -> None:
    with opened_by_box(path):
        pass
    with shared_for_changes(path):
        pass
    with opened_by_box(tmp_path / "new.db"):
        pass
    sqlite3.connect(tmp_path / "empty.db").close()
    with opened_by_box(tmp_path / "empty.db"):
        pass
    assert sorted(os.listdir(tmp_path)) == ["empty.db", "ledger.db", "new.db"]


def test_copy_of_the_old_format_is_durable_before_the_migration(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, replace, durable = os.fsync, os.replace, opening._make_durable

    def record_sync(number: int) -> None:
        done.append(f"sync {os.path.basename(os.readlink(f'/proc/self/fd/{number}'))}")
        fsync(number)

    def record_rename(source: Path, goal: Path) -> None:
        done.append(f"rename {source.name} {goal.name}")
        replace(source, goal)

    def record_migration(connection: sqlite3.Connection) -> None:
        done.append("migrate")
        durable(connection)

    monkeypatch.setattr(os, "fsync", record_sync)
    monkeypatch.setattr(os, "replace", record_rename)
    monkeypatch.setattr(opening, "_make_durable", record_migration)
    with opened_by_box(old):
        pass
    copy, folder = kept(old).name, old.parent.name
    assert done == [
        f"sync {copy}.tellerbox-part",
        f"rename {copy}.tellerbox-part {copy}",
        f"sync {folder}",
        "migrate",
        f"sync {folder}",
    ]


CUT_WHILE_KEEPING = """
import os, signal, sys
from pathlib import Path
from firmware.storage import ledger_file, opening
moment, passed = int(sys.argv[2]), 0
def cut_off(act):
    def counted(*given):
        global passed
        passed += 1
        if passed == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return act(*given)
    return counted
os.fsync, os.replace = cut_off(os.fsync), cut_off(os.replace)
opening._make_durable = cut_off(opening._make_durable)
with ledger_file.opened_by_box(Path(sys.argv[1])):
    pass
"""


@pytest.mark.parametrize("moment", [1, 2, 3, 4])
def test_power_cut_before_the_migration(old: Path, moment: int) -> None:
    """An earlier copy is replaced, because the old box may have continued meanwhile."""
    before = content(old)
    done = subprocess.run(
        [sys.executable, "-c", CUT_WHILE_KEEPING, str(old), str(moment)], check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert content(old) == before
    assert kept(old).exists() == (moment > 2)
    assert not kept(old).exists() or content(kept(old)) == before
    set_volume(old, 2)
    with opened_by_box(old) as store:
        assert Ledger(store, BANKING).state.volume == 2
    assert content(kept(old)) == {**before, "setting": [("volume", 2)]}
    assert sorted(os.listdir(old.parent)) == ["old.db", "old.format-1.db"]


FULL_FOR_A_COPY = """
import resource, sys
from pathlib import Path
from firmware.bank import edition as editions
from firmware.storage import ledger_file, opening
from firmware.bank.ledger import Admission, Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, JournalFailed
keep = opening._keep_old_format
def on_a_full_disk(*given):
    resource.setrlimit(resource.RLIMIT_FSIZE, (9000, resource.RLIM_INFINITY))
    try:
        keep(*given)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
opening._keep_old_format = on_a_full_disk
path = Path(sys.argv[2])
if sys.argv[1] == "box":
    with ledger_file.opened_by_box(path) as store:
        ledger = Ledger(store, editions.load("banking"))
        print(ledger.balance(2))
        try:
            ledger.move(BANK, 2, 1_000, Purpose.ENTRY)
        except JournalFailed:
            print("refused", ledger.balance(2))
else:
    try:
        with ledger_file.shared_for_changes(path):
            print("opened")
    except ledger_file.LedgerRefused as refusal:
        print(refusal)
"""


def open_on_a_full_disk(who: str, old: Path) -> subprocess.CompletedProcess[str]:
    """Open it on a disk without space for a copy; it must stay untouched."""
    before = old.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", FULL_FOR_A_COPY, who, str(old)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert old.read_bytes() == before
    assert os.listdir(old.parent) == ["old.db"]
    return done


def test_without_space_for_a_copy_an_old_ledger_is_read_only(old: Path) -> None:
    done = open_on_a_full_disk("box", old)
    assert done.stdout == "18250000\nrefused 18250000\n"
    [sentence] = done.stderr.splitlines()
    first = f"tellerbox: {old}: cannot be written (the copy of its older format failed: "
    assert sentence.startswith(f"{first}{kept(old)}: cannot be written: ")
    assert sentence.endswith("; every move is refused")


def test_damaged_copy_is_not_kept(
    old: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A worn-out card may return other data than was written."""
    before = content(old)
    check = ledger_check.check

    def worn_out(path: Path, connection: sqlite3.Connection) -> None:
        if path.suffix == ".tellerbox-part":
            connection.execute("DROP TRIGGER game_no_UPDATE")
        check(path, connection)

    monkeypatch.setattr(ledger_check, "check", worn_out)
    with opened_by_box(old) as store, pytest.raises(JournalFailed):
        Ledger(store, BANKING).move(BANK, 2, 1_000, Purpose.ENTRY)
    assert "the copy of its older format failed: " in capsys.readouterr().err
    assert content(old) == before
    assert os.listdir(old.parent) == ["old.db"]


def test_without_space_for_a_copy_a_command_is_refused(old: Path) -> None:
    done = open_on_a_full_disk("command", old)
    [sentence] = done.stdout.splitlines()
    first = f"{old}: cannot be written: the copy of its older format failed: "
    assert sentence.startswith(f"{first}{kept(old)}: cannot be written: ")


def test_command_does_not_change_an_old_ledger_in_a_read_only_folder() -> None:
    folder = Path(tempfile.mkdtemp(prefix="tellerbox-test-"))
    old = folder / "old.db"
    shutil.copyfile(FORMAT_1, old)
    old.chmod(0o666)
    folder.chmod(0o555)

    def act() -> None:
        sentence = "cannot be written: the folder is read-only"
        with pytest.raises(LedgerRefused, match=sentence), shared_for_changes(old):
            pass

    try:
        as_other_user(act)
        assert old.read_bytes() == FORMAT_1.read_bytes()
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_command_does_not_migrate_the_ledger_of_a_running_box(old: Path) -> None:
    """An older box could not continue."""
    before = old.read_bytes()
    with (
        ledger_file.locked(old),
        pytest.raises(LedgerRefused, match="in use by another box; stop it first"),
        shared_for_changes(old),
    ):
        pass
    assert old.read_bytes() == before
    assert not kept(old).exists()
