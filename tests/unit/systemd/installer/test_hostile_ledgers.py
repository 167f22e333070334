"""Ledgers in a folder that its owner, the service, has prepared against the installer."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from systemd.installer import ledgers, places

FORMAT_1 = Path(__file__).parents[2] / "ledgers" / "format-1.db"


@pytest.fixture
def ledger(kept: Path) -> Path:
    return put_ledger(kept / "box.db")


def put_ledger(path: Path) -> Path:
    shutil.copyfile(FORMAT_1, path)
    return owned_by_service(path)


def owned_by_service(path: Path) -> Path:
    folder = path.parent.stat()
    os.chown(path, folder.st_uid, folder.st_gid, follow_symlinks=False)
    return path


def migrate(path: Path) -> None:
    """Keep a copy, and raise the format; only the number of the format matters here."""
    copy = path.with_name("box.format-1.db")
    shutil.copyfile(path, copy)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 2")
    for each in path.parent.iterdir():
        owned_by_service(each)


def make_fifo(path: Path) -> None:
    os.mkfifo(path, 0o666)


def make_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [make_fifo, make_folder])
def test_what_is_no_file_is_no_ledger(ledger: Path, make: Callable[[Path], None]) -> None:
    make(ledger.with_name("another.db"))
    assert ledgers.formats() == {str(ledger): 1}


def test_a_config_that_is_a_fifo_names_no_ledger(ledger: Path) -> None:
    make_fifo(places.CONFIG)
    assert ledgers.formats() == {str(ledger): 1}


@pytest.mark.parametrize("named", ["a\\u0000.db", "/dev/zero", ".", "/", "missing/box.db"])
def test_a_config_that_names_no_ledger(ledger: Path, named: str) -> None:
    places.CONFIG.write_text(f'ledger = "{named}"\n')
    assert ledgers.formats() == {str(ledger): 1}


def test_a_link_gives_no_access_to_the_ledgers_of_others(ledger: Path, tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    foreign = shutil.copyfile(FORMAT_1, private / "box.db")
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    (ledger.parent / "link.db").symlink_to(foreign)
    private.chmod(0o700 if os.geteuid() == 0 else 0)
    try:
        assert ledgers.formats() == {str(ledger): 1}
    finally:
        private.chmod(0o700)


def test_a_ledger_that_has_become_a_link_is_not_written(ledger: Path, tmp_path: Path) -> None:
    """Root would merge the log of another user's database, and give its owner the copy."""
    migrate(ledger)
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    foreign = private / "box.db"
    ledger.rename(foreign)
    if os.geteuid() == 0:
        os.chown(foreign, 0, 0)
    with closing(sqlite3.connect(foreign)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    ledger.symlink_to(foreign)
    before = foreign.read_bytes()
    private.chmod(0o700 if os.geteuid() == 0 else 0)
    try:
        ledgers.restore({str(ledger): 1})
    finally:
        private.chmod(0o700)
    assert foreign.read_bytes() == before
    assert ledger.is_symlink()


def test_a_ledger_is_restored_with_the_rights_of_the_service(ledger: Path) -> None:
    migrate(ledger)
    ledgers.restore({str(ledger): 1})
    assert ledgers.formats() == {str(ledger): 1, str(aside(ledger)): 2}
    assert {path.stat().st_uid for path in ledger.parent.iterdir()} == {ledger.parent.stat().st_uid}


def aside(ledger: Path) -> Path:
    return ledger.with_name("box.format-2.aside-1.db")


def test_a_copy_that_is_a_fifo_is_reported(
    ledger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    migrate(ledger)
    copy = ledger.with_name("box.format-1.db")
    copy.unlink()
    make_fifo(copy)
    ledgers.restore({str(ledger): 1})
    problem = f"cannot restore the old format of {ledger}: {copy} is missing"
    assert problem in capsys.readouterr().err


def test_a_copy_that_is_a_link_changes_nothing_outside(
    ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    migrate(ledger)
    copy = ledger.with_name("box.format-1.db")
    foreign = tmp_path / "foreign.db"
    copy.rename(foreign)
    foreign.chmod(0o600)
    if os.geteuid() == 0:
        os.chown(foreign, 0, 0)
    copy.symlink_to(foreign)
    before = foreign.stat()
    ledgers.restore({str(ledger): 1})
    after = foreign.stat()
    assert (after.st_uid, stat.S_IMODE(after.st_mode)) == (before.st_uid, 0o600)
    assert f"cannot restore the old format of {ledger}" in capsys.readouterr().err


def test_names_that_are_taken_by_dangling_links_are_passed_over(ledger: Path) -> None:
    migrate(ledger)
    aside(ledger).symlink_to("missing")
    ledgers.restore({str(ledger): 1})
    second = ledger.with_name("box.format-2.aside-2.db")
    assert ledgers.formats() == {str(ledger): 1, str(second): 2}
