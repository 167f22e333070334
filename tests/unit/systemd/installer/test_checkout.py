"""What the installer reads in the checkout, which an ordinary user owns."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from systemd.installer import checkout, places, release
from systemd.installer.report import Refused

CONTENTS = {
    "LICENSE": "MIT",
    "README.md": "# Tellerbox",
    "firmware/__init__.py": '__version__ = "1.2.3"\n',
    "firmware/bank/editions/banking.toml": "[money]\n",
    "hal/__init__.py": "",
    "locks/pi.txt": "setuptools==80\n",
    "pyproject.toml": "[project]\n",
    "sim/__init__.py": "",
    "systemd/tellerbox": "#!/bin/sh\n",
    "systemd/tellerbox.service": "[Unit]\n",
    "systemd/tellerbox.toml": "#pot = false\n",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout."""
    folder = tmp_path / "checkout"
    for name, text in CONTENTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(places, "CHECKOUT", folder)
    return folder


def test_only_what_is_installed_is_read(here: Path) -> None:
    (here / "firmware" / "__pycache__").mkdir()
    (here / "firmware" / "__pycache__" / "link").symlink_to("/etc/passwd")
    (here / "tests").symlink_to("/")
    (here / "locks" / "test.txt").symlink_to("/etc/passwd")
    found = {path: content.decode() for path, content in checkout.read().items()}
    assert found == CONTENTS


def test_the_checkout_of_these_tests_can_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    sources = checkout.read()
    assert release.of(sources).name.startswith("0.")
    assert not [path for path in sources if "__pycache__" in path]


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/shadow")


def fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def listening(path: Path) -> None:
    path.unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        # The whole path may be too long for a socket.
        before = os.open(".", os.O_RDONLY)
        os.chdir(path.parent)
        listener.bind(path.name)
        os.fchdir(before)
        os.close(before)


def dangling(path: Path) -> None:
    """As an editor leaves it beside an open file."""
    path.with_name(".#open.py").symlink_to("missing")


def linked_folder(path: Path) -> None:
    path.parent.rename(path.parents[1] / "elsewhere")
    path.parent.symlink_to("elsewhere")


@pytest.mark.parametrize(
    ("make", "name", "kind"),
    [
        (link, "sim/__init__.py", "a symbolic link"),
        (fifo, "sim/__init__.py", "a special file"),
        (listening, "sim/__init__.py", "a special file"),
        (dangling, "sim/.#open.py", "a symbolic link"),
        (linked_folder, "sim", "a symbolic link"),
    ],
)
def test_what_is_no_file_is_refused_by_name(
    here: Path, make: Callable[[Path], None], name: str, kind: str
) -> None:
    make(here / "sim/__init__.py")
    with pytest.raises(Refused) as refusal:
        checkout.read()
    advice = "replace it by a file, or remove it"
    assert str(refusal.value) == f"{here / name} is {kind}: {advice}"


def test_what_is_too_large_is_refused(here: Path) -> None:
    with (here / "hal" / "image").open("wb") as file:
        file.truncate(checkout.MAX_BYTES * 100)
    with pytest.raises(Refused, match="image is too large to be a part of Tellerbox"):
        checkout.read()


@pytest.mark.parametrize("name", ["LICENSE", "systemd/tellerbox", "hal/__init__.py"])
def test_what_is_missing_is_named(here: Path, name: str) -> None:
    (here / name).unlink()
    with pytest.raises(Refused, match="is missing: fetch the checkout again"):
        checkout.read()


def test_what_was_hashed_is_installed(here: Path, tmp_path: Path) -> None:
    """The checkout changes between the two."""
    sources = checkout.read()
    name = release.of(sources)
    (here / "sim/__init__.py").unlink()
    (here / "sim/__init__.py").symlink_to("/etc/shadow")
    (here / "firmware/__init__.py").write_text('__version__ = "6.6.6"\n')
    copy = tmp_path / "copy"
    checkout.write(sources, copy, ("firmware", "sim"))
    written = {
        path.relative_to(copy).as_posix(): path.read_text()
        for path in copy.rglob("*")
        if path.is_file()
    }
    assert written == {path: text for path, text in CONTENTS.items() if path[:3] in ("fir", "sim")}
    assert release.of(sources) == name
    assert name.name.startswith("1.2.3-")


def test_the_name_of_a_release_depends_on_what_is_hashed(here: Path) -> None:
    before = release.of(checkout.read())
    (here / "README.md").write_text("another")
    assert release.of(checkout.read()) == before
    (here / "systemd/tellerbox.service").write_text("another")
    assert release.of(checkout.read()) != before
