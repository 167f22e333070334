"""Walks a folder that another user may change meanwhile, by descriptors instead of paths.

A path can mean another file a moment later; a descriptor cannot. ``O_PATH`` finds a file without
opening it, so that no link is followed, and a FIFO or a file with a lease does not block.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

MAX_DEPTH = 32
"""Deeper folders are left out: each level keeps two descriptors open."""
_FIND = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class Entry(NamedTuple):
    path: Path
    """For messages, and for the caller's own rules about names."""
    descriptor: int
    """Found with ``O_PATH``; closed when the walk goes on."""
    status: os.stat_result

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.status.st_mode)

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.status.st_mode)

    @property
    def by_descriptor(self) -> str:
        """A path that the kernel resolves to this file, whatever its name means by now."""
        return f"/proc/self/fd/{self.descriptor}"


def _nothing(_entry: Entry) -> bool:
    return False


def walk(top: Path, left_out: Callable[[Entry], bool] = _nothing) -> Iterator[Entry]:
    """Yield a file, or a folder and then everything in it. Raises OSError for the top only.

    What is removed meanwhile is left out, and so is a folder that this user cannot list.
    """
    with _found(top, None) as entry:
        yield from _with_contents(entry, left_out, MAX_DEPTH)


def _with_contents(entry: Entry, left_out: Callable[[Entry], bool], depth: int) -> Iterator[Entry]:
    if left_out(entry):
        return
    yield entry
    if not entry.is_folder or not depth:
        return
    with suppress(FileNotFoundError, PermissionError), _listed(entry) as folder:
        for name in sorted(os.listdir(folder)):
            with suppress(FileNotFoundError), _found(entry.path / name, folder) as inner:
                yield from _with_contents(inner, left_out, depth - 1)


@contextmanager
def _found(path: Path, folder: int | None) -> Iterator[Entry]:
    """The entry of that name in a folder; without a folder, links in the path are followed."""
    if folder is None:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    else:
        descriptor = os.open(path.name, _FIND, dir_fd=folder)
    try:
        yield Entry(path, descriptor, os.fstat(descriptor))
    finally:
        os.close(descriptor)


@contextmanager
def _listed(entry: Entry) -> Iterator[int]:
    folder = os.open(".", _LIST, dir_fd=entry.descriptor)
    try:
        yield folder
    finally:
        os.close(folder)
