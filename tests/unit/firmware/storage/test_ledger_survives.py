"""Ledgers after a killed process, on a full disk, and on a read-only one."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, JournalFailed
from firmware.storage import ledger_file, schema
from firmware.storage.ledger_file import LedgerRefused, opened_by_box, reading, shared_for_changes
from firmware.storage.opening import DiskLocation
from tests.unit.firmware.storage.ledgers_on_disk import (
    BANKING,
    as_other_user,
    played_ledger,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return played_ledger(tmp_path / "ledger.db")


KILLED = """
import sys
from pathlib import Path
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.storage.ledger_file import opened_by_box
with opened_by_box(Path(sys.argv[1])) as store:
    ledger = Ledger(store, editions.load("banking"))
    while True:
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
        print(ledger.balance(1), flush=True)
        ledger.move(1, BANK, 1_000, Purpose.ENTRY)
        print(ledger.balance(1), flush=True)
"""


def test_every_reported_move_survives_a_kill(path: Path) -> None:
    box = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert box.stdout
    reported = [int(box.stdout.readline()) for _ in range(101)]
    box.send_signal(signal.SIGKILL)
    reported += [int(line) for line in box.stdout.read().split("\n") if line]
    box.wait()
    with opened_by_box(path) as store:
        ledger = Ledger(store, BANKING)
        postings = store._connection.execute("SELECT count(*) FROM posting").fetchone()[0]
    # At most one more move: durable, but killed before it was reported.
    assert postings - 82 in (len(reported), len(reported) + 1)
    assert ledger.balance(1) in (reported[-1], reported[-2])


def test_new_ledger_on_a_full_disk_leaves_no_files(tmp_path: Path) -> None:
    code = (
        "import resource, sys; from pathlib import Path;"
        "from firmware.storage.ledger_file import opened_by_box, LedgerRefused;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY));"
        "opened_by_box(Path(sys.argv[1])).__enter__()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "new.db")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "LedgerRefused" in done.stderr
    assert "a new ledger cannot be made here: " in done.stderr
    assert os.listdir(tmp_path) == []


def test_full_disk_does_not_delete_a_ledger_that_another_box_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new.db"
    made = played_ledger(tmp_path / "made.db")
    lock = ledger_file.locked

    @contextmanager
    def after_another_box(path: Path) -> Iterator[int]:
        made.rename(path)
        with lock(path) as descriptor:
            yield descriptor

    def full(_location: DiskLocation) -> sqlite3.Connection:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(ledger_file, "locked", after_another_box)
    monkeypatch.setattr(DiskLocation, "open", full)
    with opened_by_box(path) as store:
        assert Ledger(store, BANKING).balance(2) == 55_000_000
    assert path.exists()


@pytest.fixture
def public(path: Path) -> Iterator[Path]:
    """The ledger in a folder that another user can read but not write."""
    folder = Path(tempfile.mkdtemp(prefix="tellerbox-test-"))
    shutil.copy(path, folder / "ledger.db")
    (folder / "ledger.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder / "ledger.db"
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_read_only_ledger_is_read_and_every_move_refused(public: Path) -> None:
    before = public.read_bytes()

    def act() -> None:
        with opened_by_box(public) as store:
            ledger = Ledger(store, BANKING)
            assert ledger.balance(2) == 55_000_000
            with pytest.raises(JournalFailed):
                ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
            assert ledger.balance(1) == 15_000_000

    as_other_user(act)
    assert public.read_bytes() == before
    assert os.listdir(public.parent) == ["ledger.db"]


def test_read_only_ledger_can_be_read(public: Path) -> None:
    def act() -> None:
        with reading(public) as connection:
            assert connection.execute("SELECT count(*) FROM posting").fetchone() == (82,)

    as_other_user(act)


@pytest.mark.parametrize("opened", [opened_by_box, shared_for_changes, reading])
def test_read_only_ledger_of_a_newer_format_is_refused(
    public: Path, opened: Callable[[Path], Any]
) -> None:
    """SQLite cannot open it there; its version is read from a copy."""
    public.chmod(0o644)
    connection = sqlite3.connect(public)
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()
    public.chmod(0o444)

    def act() -> None:
        with pytest.raises(LedgerRefused, match="written by a newer Tellerbox"), opened(public):
            pass

    as_other_user(act)


def test_ledger_that_cannot_be_created_is_refused() -> None:
    folder = Path(tempfile.mkdtemp(prefix="tellerbox-test-"))
    folder.chmod(0o555)

    def act() -> None:
        with (
            pytest.raises(LedgerRefused, match="cannot be opened: Permission denied"),
            opened_by_box(folder / "ledger.db"),
        ):
            pass

    as_other_user(act)
    folder.rmdir()
