"""Changing the owner of files in a folder that its hostile owner changes meanwhile.

Unless these tests run as root, the new owner is the old one: the kernel then still records a change
of the file's status.
"""

import ctypes
import errno
import os
import random
import signal
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from systemd.installer import ownership
from systemd.installer.ownership import Owner
from systemd.installer.report import InstallError
from systemd.installer.walk import MAX_DEPTH

NEW = Owner(65534, 65534) if os.geteuid() == 0 else Owner(os.geteuid(), os.getegid())
FILES = 30
CALLS = ("chmod", "chown", "fstat", "listdir", "lstat", "open", "scandir")
"""All calls with which a walk looks at files or changes them."""


def give(top: Path) -> list[Path]:
    return ownership.change(top, lambda _status: NEW)


def give_by_path(top: Path) -> None:
    """As the installer did it before."""
    for folder, folders, names in os.walk(top):
        for name in (*folders, *names):
            os.chown(os.path.join(folder, name), *NEW, follow_symlinks=False)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """The service's folder."""
    folder = tmp_path / "lib"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder with files of another user."""
    folder = tmp_path / "outside"
    fill(folder)
    return folder


def fill(folder: Path) -> None:
    folder.mkdir()
    for number in range(FILES):
        (folder / str(number)).touch()


def status(path: Path) -> tuple[int, ...]:
    found = path.lstat()
    return found.st_uid, found.st_gid, found.st_mode, found.st_ctime_ns


def statuses(folder: Path) -> list[tuple[int, ...]]:
    return [status(path) for path in (folder, *sorted(folder.iterdir()))]


def exchanger(one: Path, other: Path) -> Callable[[], object]:
    """Return a function that exchanges two names at once."""
    exchange, here, flag = ctypes.CDLL(None).renameat2, -100, 2
    names = os.fsencode(one), os.fsencode(other)
    return lambda: exchange(here, names[0], here, names[1], flag)


@pytest.fixture
def exchange(top: Path, outside: Path) -> Callable[[], object]:
    """Exchanges a folder of the service and a link to the folder outside."""
    fill(top / "games")
    (top / "link").symlink_to(outside)
    return exchanger(top / "games", top / "link")


def before_calls(monkeypatch: pytest.MonkeyPatch, move: Callable[[], object]) -> None:
    """Make a move before about every second of CALLS."""
    decide = random.Random(1)

    def with_move(action: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **more: object) -> object:
            if decide.random() < 0.5:
                move()
            return action(*given, **more)

        return call

    for name in CALLS:
        monkeypatch.setattr(os, name, with_move(getattr(os, name)))


@pytest.mark.parametrize(
    ("walk", "is_deceived"), [(give, False), (give_by_path, True)], ids=["ours", "by path"]
)
def test_a_folder_that_is_swapped_for_a_link_hands_out_nothing(
    top: Path,
    outside: Path,
    exchange: Callable[[], object],
    walk: Callable[[Path], object],
    is_deceived: bool,
) -> None:
    """The attack is real: a walk by path does not withstand it."""
    before = statuses(outside)
    with pytest.MonkeyPatch.context() as patch:
        before_calls(patch, exchange)
        for _ in range(20):
            walk(top)
    assert (statuses(outside) != before) == is_deceived


@pytest.mark.long
def test_a_race_hands_out_nothing(top: Path, outside: Path, exchange: Callable[[], object]) -> None:
    """The same, by a process that exchanges the names as fast as it can."""
    before = statuses(outside)
    child = os.fork()
    if child == 0:
        while True:
            exchange()
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            give(top)
        assert statuses(outside) == before
        deadline = time.monotonic() + 300
        while statuses(outside) == before and time.monotonic() < deadline:
            give_by_path(top)
        assert statuses(outside) != before
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_files_and_folders_change_but_nothing_that_a_link_stands_for(
    top: Path, outside: Path
) -> None:
    (top / "folder").mkdir()
    inside = [top, top / "folder", top / "folder" / "box.db"]
    inside[-1].touch()
    (top / "link").symlink_to(outside)
    (top / "folder" / "link").symlink_to(outside / "1")
    os.mkfifo(top / "fifo")
    before = statuses(outside)
    assert give(top) == inside
    assert statuses(outside) == before
    assert all((path.stat().st_uid, path.stat().st_gid) == NEW for path in inside)


def test_a_program_does_not_run_as_its_new_owner(top: Path) -> None:
    for number, mode in enumerate((0o6755, 0o4644, 0o2644, 0o644)):
        (top / str(number)).touch()
        (top / str(number)).chmod(mode)
    give(top)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in sorted(top.iterdir())]
    assert modes == [0o755, 0o644, 0o644, 0o644]


def test_a_folder_of_the_file_system_keeps_its_owner(top: Path) -> None:
    """Only root's is one."""
    kept = top / "lost+found"
    kept.mkdir()
    (kept / "1").touch()
    changed = give(top)
    assert changed == ([top] if os.geteuid() == 0 else [top, kept, kept / "1"])


def test_folders_in_folders_end_somewhere(top: Path) -> None:
    """Each level costs two descriptors."""
    top.joinpath(*["x"] * 2 * MAX_DEPTH).mkdir(parents=True)
    assert len(give(top)) == 1 + MAX_DEPTH


def test_a_disk_that_refuses_is_named(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", "/proc/self/fd/9")

    monkeypatch.setattr(os, "chown", refuse)
    with pytest.raises(InstallError, match=f"^cannot change the owner of {top}: Read-only file"):
        give(top)


def test_only_files_with_all_their_names_inside_are_known(top: Path, tmp_path: Path) -> None:
    (top / "alone").touch()
    (top / "twice").touch()
    os.link(top / "twice", top / "again")
    (tmp_path / "elsewhere").touch()
    os.link(tmp_path / "elsewhere", top / "linked")
    names = ownership.names_inside(top)
    found = {path.name: names.are_all(status) for path, status in ownership.statuses(top)}
    assert found == {"lib": True, "alone": True, "twice": True, "again": True, "linked": False}
