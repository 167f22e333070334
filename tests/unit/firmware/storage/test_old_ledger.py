"""Ledgers of an older format: brought up to ours without loss, and kept as they were."""

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

from firmware import ledger_check, ledger_file, on_disk, schema
from firmware.audit import audit
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused, held_by_box, reading, shared_for_changes
from firmware.records import BANK, POT, JournalFailed, Kind, Purpose
from firmware.store import Store
from tests.unit.ledgers_on_disk import (
    BANKING,
    as_nobody,
    content,
    refusal,
    with_a_game,
)

FORMAT_1 = Path(__file__).with_name("ledgers") / "format-1.db"
"""Two games of six cards, as the box wrote them before there was an F key."""
FORMAT_2 = FORMAT_1.with_name("format-2.db")
"""As the box wrote it before there were checkpoints: the first game, gone back to."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return with_a_game(tmp_path / "ledger.db")


def test_a_failed_migration_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
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
    """The ledger that was kept, as a backup leaves it and as a box does."""
    path = tmp_path / "old.db"
    shutil.copyfile(FORMAT_1, path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {request.param}")
    connection.close()
    return path


def is_as_it_was(ledger: Ledger) -> bool:
    """Whether the second game of the old ledger stands as it was left."""
    held = {1: 1_000_000, 2: 18_250_000, 3: 14_750_000, 4: 15_000_000, 5: 15_000_000, 6: 15_000_000}
    return (
        ledger.game == 2
        and ledger.game_before == 1
        and ledger.accounts == {BANK: -79_000_000, **held}
        and ledger.edition == BANKING
        and ledger.current.kind is Kind.NORMAL
        and list(ledger.cards) == [1, 2, 3, 4, 5, 6]
        and ledger.volume == 3
        and ledger.replacing == 6
    )


def test_an_old_ledger_migrates_without_loss(old: Path) -> None:
    before = content(old)
    assert {table: len(found) for table, found in before.items()} == {
        "game": 2,
        "posting": 23,
        "card": 7,
        "setting": 1,
    }
    with held_by_box(old) as store:
        assert is_as_it_was(Ledger(store, BANKING))
    assert content(old) == {**before, "event": [], "checkpoint": []}
    connection = sqlite3.connect(old)
    assert schema.version_of(connection) == schema.VERSION
    assert schema.faults(connection) == []
    assert [finding.faults for finding in audit(connection) if finding.faults] == []
    connection.close()


def test_a_bit_in_the_tables_of_an_old_ledger(tmp_path: Path) -> None:
    """SQLite then quotes what is no text; whoever looks is told so in a sentence, too."""
    path = tmp_path / "old.db"
    path.write_bytes(FORMAT_2.read_bytes().replace(b"((game IS NULL)", b"((\xe7ame IS NULL)"))
    sentence = f"{path}: this ledger is damaged (what it says of its tables is no text)"
    assert refusal(path).startswith(sentence)
    with pytest.raises(LedgerRefused) as caught, reading(path):
        pytest.fail("it was opened")
    assert str(caught.value).startswith(sentence)


def test_postings_whose_games_are_lost(tmp_path: Path) -> None:
    """One bit says how many rows a page has."""
    path = tmp_path / "old.db"
    content = bytearray(FORMAT_1.read_bytes())
    assert content[0x1000:0x1005] == b"\x0d\0\0\0\2", (
        "the page of the games, of which there are two"
    )
    content[0x1004] = 0
    path.write_bytes(content)
    assert "this ledger is damaged (row 1 of table game is missing)" in refusal(path)


def test_a_bit_that_an_old_ledgers_tables_can_do_with(tmp_path: Path) -> None:
    """SQLite does not mind; but it is not what we once wrote."""
    path = tmp_path / "old.db"
    path.write_bytes(FORMAT_2.read_bytes().replace(b"REFERENCES game", b"REFERENCES \xe7ame"))
    assert "this ledger is damaged (the table event is missing or changed)" in refusal(path)


def test_a_ledger_of_the_second_format_goes_on_where_it_was(tmp_path: Path) -> None:
    """A game that was gone back to, in its final count, with another one chosen for later."""
    path = tmp_path / "old.db"
    shutil.copyfile(FORMAT_2, path)
    before = content(path)
    with held_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        assert (ledger.game, ledger.game_before, ledger.last_posting) == (1, 2, 21)
        assert ledger.accounts == {
            BANK: -77_000_000,
            POT: 250_000,
            **dict(enumerate((18_250_000, 13_510_000, 14_990_000), start=1)),
            **dict.fromkeys((4, 5), 15_000_000),
            6: 0,
        }
        assert list(ledger.cards) == [*ledger.players, 4, 5] == [1, 2, 3, 4, 5]
        assert [ledger.current.worth(card) for card in (1, 2, 3)] == [21_250_000, 13_550_000, None]
        assert (ledger.current.counting, ledger.volume) == (True, 3)
        assert ledger.current.milliseconds_played == 65_000
        ledger.next_game(BANKING)
        assert ledger.edition.name == "europe"
        assert (ledger.current.kind, ledger.current.minutes) == (Kind.CLOCK, 90)
    assert content(path)["posting"][:21] == before["posting"]
    assert content(kept(path, 2)) == before
    with reading(path) as connection:
        assert [fault for finding in audit(connection) for fault in finding.faults] == []


def test_an_old_ledger_goes_on_being_played(old: Path) -> None:
    with held_by_box(old) as store:
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
    with held_by_box(old) as store:
        ledger = Ledger(store, BANKING)
        assert (ledger.game, ledger.current.kind, ledger.game_before) == (3, Kind.FAST, 2)
        ledger.go_back()
        assert (ledger.balance(1), ledger.balance(2), ledger.balance(3)) == (
            0,
            18_000_000,
            15_000_000,
        )
        assert list(ledger.current.out) == [1]
        assert [f for finding in audit(store._connection) for f in finding.faults] == []


def test_an_old_ledger_is_changed_beside_a_box(old: Path) -> None:
    before = content(old)
    with shared_for_changes(old) as store:
        ledger = Ledger(store, BANKING)
        assert is_as_it_was(ledger)
        ledger.forget(1)
    after = content(old)
    assert after["posting"][:23] == before["posting"]
    assert after["card"][:7] == before["card"]
    with held_by_box(old) as store:
        assert list(Ledger(store, BANKING).cards) == [2, 3, 4, 5, 6]


def test_looking_into_an_old_ledger_does_not_change_it(old: Path) -> None:
    before = old.read_bytes()
    with reading(old) as connection:
        assert schema.version_of(connection) == schema.VERSION
        assert is_as_it_was(Ledger(Store(connection), BANKING))
        assert [finding.faults for finding in audit(connection) if finding.faults] == []
    assert old.read_bytes() == before
    assert not kept(old).exists()


def test_a_read_only_old_ledger_is_read_and_not_changed() -> None:
    folder = Path(tempfile.mkdtemp(prefix="tellerbox-test-"))
    old = folder / "old.db"
    shutil.copyfile(FORMAT_1, old)
    old.chmod(0o444)
    folder.chmod(0o555)

    def act() -> None:
        with reading(old) as connection:
            assert is_as_it_was(Ledger(Store(connection), BANKING))
        with held_by_box(old) as store:
            ledger = Ledger(store, BANKING)
            assert is_as_it_was(ledger)
            for change in (
                lambda: ledger.move(BANK, 1, 1_000, Purpose.ENTRY),
                ledger.go_back,
                lambda: ledger.join(1),
            ):
                with pytest.raises(JournalFailed):
                    change()
            assert is_as_it_was(ledger)

    try:
        as_nobody(act)
        assert old.read_bytes() == FORMAT_1.read_bytes()
        assert os.listdir(folder) == ["old.db"]
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


CUT_OFF = """
import os, signal, sys
from pathlib import Path
from firmware import schema
from firmware.ledger_file import held_by_box
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
with held_by_box(Path(sys.argv[1])):
    print(passed)
"""
"""Migrates, and is killed at a moment of SQLite's work on it; at 0 it comes to the end."""


def test_a_migration_that_is_cut_off_leaves_the_old_ledger(old: Path) -> None:
    before = content(old)
    whole = old.read_bytes()

    def migrate(moment: int) -> subprocess.CompletedProcess[str]:
        old.write_bytes(whole)
        return subprocess.run(
            [sys.executable, "-c", CUT_OFF, str(old), str(moment)],
            capture_output=True,
            text=True,
            check=False,
        )

    moments = int(migrate(0).stdout)
    assert content(old) == {**before, "event": [], "checkpoint": []}
    for moment in range(1, moments, moments // 8):
        assert migrate(moment).returncode == -signal.SIGKILL, moment
        assert content(old) == before, moment
        with held_by_box(old) as store:
            assert is_as_it_was(Ledger(store, BANKING))
        assert content(old) == {**before, "event": [], "checkpoint": []}, moment


def test_a_damaged_old_ledger_is_refused_before_it_is_migrated(old: Path) -> None:
    connection = sqlite3.connect(old)
    query = "SELECT sql FROM sqlite_master WHERE name = 'posting_no_UPDATE'"
    (guard,) = connection.execute(query).fetchone()
    connection.execute("DROP TRIGGER posting_no_UPDATE")
    connection.execute("UPDATE posting SET amount = 77 WHERE id = 20")
    connection.execute(guard)
    connection.commit()
    connection.close()
    assert "row 20 of table posting is not what was written" in refusal(old)


# What is kept of it, for the release that wrote it


def kept(old: Path, number: int = 1) -> Path:
    return old.with_name(f"old.format-{number}.db")


def definitions(path: Path) -> list[tuple[object, ...]]:
    """Every table and guard as SQLite has them, and the format's number."""
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT * FROM sqlite_master ORDER BY name").fetchall()
    version = connection.execute("PRAGMA user_version").fetchall()
    connection.close()
    return found + version


def set_volume(path: Path, value: int) -> None:
    """A change such as an old box makes."""
    connection = sqlite3.connect(path)
    connection.execute("UPDATE setting SET value = ? WHERE name = 'volume'", (value,))
    connection.commit()
    connection.close()


@pytest.mark.parametrize("opened", [held_by_box, shared_for_changes])
def test_an_old_ledger_is_kept_as_it_was(old: Path, opened: Callable[[Path], Any]) -> None:
    old.chmod(0o640)
    before, tables = content(old), definitions(old)
    with opened(old):
        # Whole even now, and of one file: whoever puts it back needs nothing but its name.
        assert not kept(old).with_name("old.format-1.db-wal").exists()
        assert kept(old).read_bytes()[18:20] == b"\1\1", "no log belongs to it"
    assert sorted(os.listdir(old.parent)) == ["old.db", "old.format-1.db"]
    assert kept(old).stat().st_mode & 0o777 == 0o640
    assert (content(kept(old)), definitions(kept(old))) == (before, tables)
    connection = sqlite3.connect(kept(old))
    assert schema.version_of(connection) == 1
    connection.close()
    kept(old).replace(old)
    with held_by_box(old) as store:
        assert is_as_it_was(Ledger(store, BANKING))


def test_what_is_kept_has_what_was_only_in_the_log(tmp_path: Path) -> None:
    shutil.copyfile(FORMAT_1, tmp_path / "played.db")
    connection = sqlite3.connect(tmp_path / "played.db")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("UPDATE setting SET value = 1 WHERE name = 'volume'")
    connection.commit()
    for ending in ("", "-wal"):
        shutil.copyfile(tmp_path / f"played.db{ending}", tmp_path / f"old.db{ending}")
    connection.close()
    assert (tmp_path / "old.db-wal").stat().st_size
    with held_by_box(tmp_path / "old.db") as store:
        assert Ledger(store, BANKING).volume == 1
    assert content(tmp_path / "old.format-1.db")["setting"] == [("volume", 1)]


def test_nothing_is_kept_of_a_ledger_that_need_not_change(path: Path, tmp_path: Path) -> None:
    with held_by_box(path):
        pass
    with shared_for_changes(path):
        pass
    with held_by_box(tmp_path / "new.db"):
        pass
    sqlite3.connect(tmp_path / "unborn.db").close()
    with held_by_box(tmp_path / "unborn.db"):
        pass
    assert sorted(os.listdir(tmp_path)) == ["ledger.db", "new.db", "unborn.db"]


def test_what_is_kept_is_durable_before_the_ledger_is_touched(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, replace, durable = os.fsync, os.replace, on_disk._make_durable

    def synced(number: int) -> None:
        done.append(f"sync {os.path.basename(os.readlink(f'/proc/self/fd/{number}'))}")
        fsync(number)

    def renamed(source: Path, goal: Path) -> None:
        done.append(f"rename {source.name} {goal.name}")
        replace(source, goal)

    def touched(connection: sqlite3.Connection) -> None:
        done.append("migrate")
        durable(connection)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    monkeypatch.setattr(on_disk, "_make_durable", touched)
    with held_by_box(old):
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
from firmware import ledger_file, on_disk
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
on_disk._make_durable = cut_off(on_disk._make_durable)
with ledger_file.held_by_box(Path(sys.argv[1])):
    pass
"""


@pytest.mark.parametrize("moment", [1, 2, 3, 4])
def test_power_that_goes_before_the_migration(old: Path, moment: int) -> None:
    """Whatever is there already is replaced, for the old box may have gone on meanwhile."""
    before = content(old)
    done = subprocess.run(
        [sys.executable, "-c", CUT_WHILE_KEEPING, str(old), str(moment)], check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert content(old) == before
    assert kept(old).exists() == (moment > 2)
    assert not kept(old).exists() or content(kept(old)) == before
    set_volume(old, 2)
    with held_by_box(old) as store:
        assert Ledger(store, BANKING).volume == 2
    assert content(kept(old)) == {**before, "setting": [("volume", 2)]}
    assert sorted(os.listdir(old.parent)) == ["old.db", "old.format-1.db"]


FULL_FOR_A_COPY = """
import resource, sys
from pathlib import Path
from firmware import edition as editions, ledger_file, on_disk
from firmware.ledger import Ledger
from firmware.records import BANK, JournalFailed, Purpose
keep = on_disk._keep
def on_a_full_disk(*given):
    resource.setrlimit(resource.RLIMIT_FSIZE, (9000, resource.RLIM_INFINITY))
    try:
        keep(*given)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
on_disk._keep = on_a_full_disk
path = Path(sys.argv[2])
if sys.argv[1] == "box":
    with ledger_file.held_by_box(path) as store:
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


def on_a_full_disk(who: str, old: Path) -> subprocess.CompletedProcess[str]:
    """Open it where there is no room for a copy; that it was left alone."""
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


def test_without_room_for_a_copy_an_old_ledger_is_only_looked_at(old: Path) -> None:
    done = on_a_full_disk("box", old)
    assert done.stdout == "18250000\nrefused 18250000\n"
    [sentence] = done.stderr.splitlines()
    assert sentence.startswith(f"tellerbox: {old}: cannot be written (a copy of its older format ")
    assert f"must be kept first, and {kept(old)}: cannot be written: " in sentence
    assert sentence.endswith("; every move is refused")


def test_a_copy_that_is_not_sound_is_not_kept(
    old: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A card that is worn out may give back something else than it was given."""
    before = content(old)
    check = ledger_check.check

    def worn_out(path: Path, connection: sqlite3.Connection) -> None:
        if path.suffix == ".tellerbox-part":
            connection.execute("DROP TRIGGER card_no_UPDATE")
        check(path, connection)

    monkeypatch.setattr(on_disk, "check", worn_out)
    with held_by_box(old) as store, pytest.raises(JournalFailed):
        Ledger(store, BANKING).move(BANK, 2, 1_000, Purpose.ENTRY)
    assert "must be kept first, and" in capsys.readouterr().err
    assert content(old) == before
    assert os.listdir(old.parent) == ["old.db"]


def test_without_room_for_a_copy_the_command_line_is_refused(old: Path) -> None:
    done = on_a_full_disk("command", old)
    [sentence] = done.stdout.splitlines()
    first = f"{old}: cannot be written: a copy of its older format must be kept first, and "
    assert sentence.startswith(f"{first}{kept(old)}: cannot be written: ")


def test_an_old_ledger_in_a_read_only_folder_is_not_changed_by_the_command_line() -> None:
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
        as_nobody(act)
        assert old.read_bytes() == FORMAT_1.read_bytes()
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_the_command_line_brings_no_ledger_up_to_date_under_a_box(old: Path) -> None:
    """An older box could not go on with it."""
    before = old.read_bytes()
    with (
        ledger_file.locked(old),
        pytest.raises(LedgerRefused, match="in use by another box; stop it first"),
        shared_for_changes(old),
    ):
        pass
    assert old.read_bytes() == before
    assert not kept(old).exists()
