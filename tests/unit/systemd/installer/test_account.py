"""Whose the files in the folder of the ledgers are, after an installation and a removal.

Only root can give files away: otherwise the tests ask what it would do.
"""

import os
import shutil
from pathlib import Path

import pytest

from systemd.installer import account, ownership, report
from systemd.installer.ownership import Owner

IS_ROOT = os.geteuid() == 0


def owner_of(path: Path) -> Owner:
    status = path.lstat()
    return Owner(status.st_uid, status.st_gid)


@pytest.fixture(autouse=True)
def no_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "changes", [])


def test_files_of_an_admin_become_the_services(kept: Path) -> None:
    (kept / "copied.db").touch()
    assert account.has_foreign_ledgers() == IS_ROOT
    account.give_ledgers()
    assert not account.has_foreign_ledgers()
    assert owner_of(kept / "copied.db") == account.owner()


def test_a_hard_link_to_a_file_of_another_user_stays_theirs(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign = tmp_path / "shadow"
    foreign.touch()
    before = owner_of(foreign)
    os.link(foreign, kept / "box.db")
    assert not account.has_foreign_ledgers()
    account.give_ledgers()
    account.report_foreign_ledger()
    assert owner_of(foreign) == before
    assert report.changes == []
    assert (f"{kept / 'box.db'} is a hard link" in capsys.readouterr().err) == IS_ROOT


def test_both_names_of_a_ledger_are_its_own(kept: Path) -> None:
    """As after a power cut during a rollback."""
    (kept / "box.db").touch()
    os.link(kept / "box.db", kept / "box.format-3.aside-1.db")
    account.give_ledgers()
    assert owner_of(kept / "box.db") == account.owner()


def test_removing_takes_what_is_the_services(kept: Path, tmp_path: Path) -> None:
    service = account.owner()
    ledger, others, foreign = kept / "box.db", kept / "others", tmp_path / "foreign"
    for path in (ledger, others, foreign):
        path.touch()
    os.link(foreign, kept / "linked")
    (kept / "link").symlink_to(foreign)
    if not IS_ROOT:
        would = account.owner_of_taken()
        assert would(ledger.stat()) == ownership.ROOT
        return
    os.chown(ledger, *service)
    os.chown(others, 1234, service.group)
    os.chown(foreign, 1234, service.group)
    account.take_ledgers()
    assert owner_of(kept) == owner_of(ledger) == ownership.ROOT
    assert owner_of(others) == (1234, 0)
    assert owner_of(foreign) == (1234, service.group)


def test_a_program_of_the_service_is_no_program_of_root(kept: Path) -> None:
    program = kept / "shell"
    shutil.copyfile("/bin/true", program)
    if IS_ROOT:
        os.chown(program, *account.owner())
        program.chmod(0o6755)
        account.take_ledgers()
        assert program.stat().st_mode & 0o7777 == 0o755


def test_a_new_folder_is_the_services(kept: Path) -> None:
    kept.rmdir()
    account.create_ledger_folder()
    assert owner_of(kept) == account.owner()
    assert report.changes == [f"created {kept} for the ledgers"]
