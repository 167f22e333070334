"""A log that was left beside a ledger is written again, before anything else is written.

After a failed sync the kernel takes for written what never was: it can be read, but the commits
to come would lie behind a gap. To write it again is dangerous, too, for a card may spoil the
sector that it is writing when the power goes, and nothing but these sectors holds the newest
moves. So a second copy of the log is on disk for as long as that takes; where a start finds one,
the power has gone meanwhile, and the copy is put back.

SQLite has no lock on a log: to open one here, and to close it, lets go of none.
"""

import os
from pathlib import Path

from firmware import raw_file

COPY = ".copy"
"""What the copy's name ends with."""
_MAGIC = b"\x37\x7f\x06"
"""The first bytes of a log."""
_SALTS = slice(16, 24)
"""Of its header: others each time that SQLite begins the log anew."""


def write_again(log: Path) -> None:
    """Make a log whole on disk, and not only in memory; raises OSError.

    Nobody else may write to it meanwhile.
    """
    content = log.read_bytes()
    copy = _copy_of(log)
    partial = copy.with_name(copy.name + ".part")
    partial.unlink(missing_ok=True)  # a longer one may be left of a start that was interrupted
    _write(partial, content)
    os.replace(partial, copy)
    raw_file.sync_folder(log)
    _write(log, content)
    _remove(copy)


def put_back(log: Path) -> None:
    """Repair a log that was being written again when the power went; raises OSError.

    Nobody may have it open meanwhile.
    """
    copy = _copy_of(log)
    if not copy.exists():
        return
    content = whole(log)
    if content != raw_file.content_beside(log):
        _write(log, content)
    _remove(copy)


def whole(log: Path) -> bytes:
    """What a log holds, or held before the power went while it was being written again."""
    found, copy = raw_file.content_beside(log), raw_file.content_beside(_copy_of(log))
    begun_anew = found.startswith(_MAGIC) and found[_SALTS] != copy[_SALTS]
    if not found or found.startswith(copy) or begun_anew:
        return found  # the copy is older
    return copy


def _copy_of(log: Path) -> Path:
    return log.with_name(log.name + COPY)


def _write(path: Path, content: bytes) -> None:
    """On return it is on disk; its name need not be."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        done = 0
        while done < len(content):
            done += os.pwrite(file, content[done:], done)
        os.fsync(file)
    finally:
        os.close(file)


def _remove(copy: Path) -> None:
    """Not to be found by any later start: by then the log will have gone on."""
    os.unlink(copy)
    raw_file.sync_folder(copy)
