"""Writing and removing files as root."""

import os
from pathlib import Path

import pytest

from systemd.installer import files
from systemd.installer.report import InstallError


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_what_lies_where_a_file_is_prepared_is_replaced(tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside"
    outside.write_text("kept")
    new = tmp_path / ".file.new"
    new.symlink_to(outside) if kind == "link" else os.mkfifo(new)
    assert files.write(tmp_path / "file", b"text", 0o755)
    assert outside.read_text() == "kept"
    assert (tmp_path / "file").read_text() == "text"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o755
    assert not new.exists()


def test_removing_a_link_keeps_what_it_stands_for(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").touch()
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert files.remove(link)
    assert (folder / "file").exists()
    assert files.remove(folder)
    assert not files.remove(folder)


def test_a_fifo_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(InstallError, match=r"fifo is not a file: remove it$"):
        files.read(tmp_path / "fifo")
