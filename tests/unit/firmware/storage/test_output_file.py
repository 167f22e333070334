"""A backup or a report is complete, or it does not exist."""

import os
from pathlib import Path

import pytest

from firmware.storage.output_file import written
from firmware.user_error import UserError


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    ledger = tmp_path / "ledger.db"
    ledger.write_text("the ledger")
    return ledger


def write(target: Path, ledger: Path, *, force: bool = False) -> None:
    with written(target, ledger=ledger, force=force) as partial:
        assert not partial.exists()
        partial.write_text("new")
        assert not target.exists() or target.read_text() != "new"


def test_the_file_appears_when_it_is_complete(tmp_path: Path, ledger: Path) -> None:
    write(tmp_path / "copy", ledger)
    assert (tmp_path / "copy").read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["copy", "ledger.db"]


def test_a_failure_keeps_the_file_that_was_there(tmp_path: Path, ledger: Path) -> None:
    target = tmp_path / "copy"
    target.write_text("old")

    def fail() -> None:
        with written(target, ledger=ledger, force=True) as partial:
            partial.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(UserError, match="cannot be written: No space left on device"):
        fail()
    assert target.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["copy", "ledger.db"]


def test_a_partial_file_of_a_power_cut_is_replaced(tmp_path: Path, ledger: Path) -> None:
    (tmp_path / "copy.tellerbox-part").write_text("left over")
    write(tmp_path / "copy", ledger)
    assert sorted(os.listdir(tmp_path)) == ["copy", "ledger.db"]


def test_an_existing_file_needs_force(tmp_path: Path, ledger: Path) -> None:
    target = tmp_path / "copy"
    target.write_text("old")
    with pytest.raises(UserError, match="already exists; name another file, or add --force"):
        write(target, ledger)
    write(target, ledger, force=True)
    assert target.read_text() == "new"


def test_the_ledger_is_never_overwritten_under_any_name(tmp_path: Path, ledger: Path) -> None:
    (tmp_path / "link").hardlink_to(ledger)
    (tmp_path / "symlink").symlink_to(ledger)
    for name in ("ledger.db", "link", "symlink"):
        with pytest.raises(UserError, match="is the ledger itself"):
            write(tmp_path / name, ledger, force=True)
    assert ledger.read_text() == "the ledger"
