"""Changes the owner of what lies in a folder whose owner may be hostile.

Only the files and folders that are found in it change, never what a link stands for.
"""

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from systemd.installer.report import InstallError
from systemd.installer.walk import Entry, walk

NewOwner = Callable[[os.stat_result], "Owner | None"]
"""Returns the owner that a file or folder gets, or None if it keeps its own."""
KEPT = "lost+found"
"""Belongs to the file system of a partition that is mounted there."""


class Owner(NamedTuple):
    user: int
    group: int


ROOT = Owner(0, 0)


def change(top: Path, new_owner: NewOwner) -> list[Path]:
    """Change the owner of a folder and everything in it; return what has changed."""
    changed = []
    for entry in _files_and_folders(top):
        owner = new_owner(entry.status)
        if owner is not None:
            _set(entry, owner)
            changed.append(entry.path)
    return changed


def _set(entry: Entry, owner: Owner) -> None:
    try:
        os.chown(entry.by_descriptor, *owner)
        if entry.is_file:
            # A program with these bits would run as its new owner. The old one cannot set them now.
            mode = stat.S_IMODE(os.fstat(entry.descriptor).st_mode)
            os.chmod(entry.by_descriptor, mode & ~(stat.S_ISUID | stat.S_ISGID))
    except OSError as error:
        problem = f"cannot change the owner of {entry.path}: {error.strerror}"
        raise InstallError(problem) from error


def statuses(top: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield what ``change`` asks about."""
    for entry in _files_and_folders(top):
        yield entry.path, entry.status


def _files_and_folders(top: Path) -> Iterator[Entry]:
    return (entry for entry in walk(top, _is_kept) if entry.is_file or entry.is_folder)


def _is_kept(entry: Entry) -> bool:
    return entry.path.name == KEPT and entry.is_folder and entry.status.st_uid == ROOT.user


class NamesInside(NamedTuple):
    """How many names each file has in a folder."""

    counts: Counter[tuple[int, int]]

    def are_all(self, status: os.stat_result) -> bool:
        """Return False if a file has a name elsewhere, too: a hard link may be to any file."""
        known = self.counts[status.st_dev, status.st_ino]
        return stat.S_ISDIR(status.st_mode) or known >= status.st_nlink


def names_inside(top: Path) -> NamesInside:
    return NamesInside(Counter((status.st_dev, status.st_ino) for _, status in statuses(top)))
