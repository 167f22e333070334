"""Reads the files of the checkout that are installed: each once, before anything changes.

What is installed is then what was hashed, also if the checkout changes meanwhile. An ordinary user
owns the checkout: a link in it could stand for a file that only root can read, and a FIFO would
block.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from systemd.installer import places
from systemd.installer.report import Refused
from systemd.installer.walk import Entry, walk

Sources = Mapping[str, bytes]
"""The contents of files, by the path in the checkout."""

INSTALLED = (
    *("firmware", "hal", "sim", "pyproject.toml", "README.md", "LICENSE", "locks/pi.txt"),
    *("systemd/tellerbox.service", "systemd/tellerbox", "systemd/tellerbox.toml"),
)
MAX_BYTES = 50_000_000
"""Ten times the size of the sources; something larger was left there by mistake."""


def read() -> Sources:
    found: dict[str, bytes] = {}
    left = MAX_BYTES
    for entry in walk(places.CHECKOUT, _is_left_out):
        if entry.is_folder:
            continue
        content = _content(entry, left)
        left -= len(content)
        found[_relative(entry).as_posix()] = content
    for part in INSTALLED:
        if not any(below(found, (part,))):
            raise Refused(f"{places.CHECKOUT / part} is missing: fetch the checkout again")
    return found


def below(sources: Sources, parts: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of these files and of all files in these folders."""
    for part in parts:
        paths = (path for path in sources if path == part or path.startswith(f"{part}/"))
        for path in sorted(paths, key=lambda path: path.split("/")):
            yield path, sources[path]


def _relative(entry: Entry) -> PurePosixPath:
    return PurePosixPath(entry.path.relative_to(places.CHECKOUT))


def _is_left_out(entry: Entry) -> bool:
    path = _relative(entry)
    return path.name == "__pycache__" or not any(
        path.is_relative_to(part) or PurePosixPath(part).is_relative_to(path) for part in INSTALLED
    )


def _content(entry: Entry, limit: int) -> bytes:
    """Return what a file contains; refuse anything else, and what is too large."""
    if not entry.is_file:
        kind = "a symbolic link" if stat.S_ISLNK(entry.status.st_mode) else "a special file"
        raise Refused(f"{entry.path} is {kind}: replace it by a file, or remove it")
    try:
        # By its descriptor. O_NONBLOCK: another program may hold a lease on it.
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(entry.by_descriptor, flags), "rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise Refused(f"cannot read {entry.path}: {error.strerror}") from error
    if len(content) > limit:
        raise Refused(f"{entry.path} is too large to be a part of Tellerbox: remove it")
    return content


def write(sources: Sources, folder: Path, parts: tuple[str, ...]) -> None:
    """Write these files, and the files of these folders, into a folder."""
    for path, content in below(sources, parts):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
