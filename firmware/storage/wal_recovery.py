"""Rewrites a stale write-ahead log before anything else is written.

After a failed sync the kernel marks pages as clean that never reached the disk. They can be read,
but later commits would lie behind a gap. Rewriting the log in place is risky, too: a power cut
may destroy the sector that is being written, and only these sectors hold the newest moves. So a
copy of the log stays on disk meanwhile. If a start finds that copy, it restores the log from it.

SQLite never locks a log, so opening and closing one here releases no locks.
"""

import os
from pathlib import Path

from firmware.storage import file_locks

COPY = ".copy"
"""The suffix of the copy."""
_MAGIC = b"\x37\x7f\x06"
"""The first bytes of a log."""
_SALTS = slice(16, 24)
"""A part of the header that changes each time SQLite restarts the log."""


def rewrite(log: Path) -> None:
    """Make a log durable. Raises OSError.

    The caller must keep other writers out.
    """
    content = log.read_bytes()
    copy = _copy_of(log)
    partial = copy.with_name(copy.name + ".part")
    partial.unlink(missing_ok=True)  # an interrupted start may have left a longer one
    _write(partial, content)
    os.replace(partial, copy)
    file_locks.sync_folder(log)
    _write(log, content)
    _remove(copy)


def restore(log: Path) -> None:
    """Repair a log if the power was cut during its rewrite. Raises OSError.

    No other program may have the ledger open.
    """
    copy = _copy_of(log)
    if not copy.exists():
        return
    content = recovered(log)
    if content != file_locks.side_file_content(log):
        _write(log, content)
    _remove(copy)


def recovered(log: Path) -> bytes:
    """The content of a log, undamaged by an interrupted rewrite."""
    found, copy = file_locks.side_file_content(log), file_locks.side_file_content(_copy_of(log))
    was_restarted = found.startswith(_MAGIC) and found[_SALTS] != copy[_SALTS]
    if not found or found.startswith(copy) or was_restarted:
        return found  # the copy is older
    return copy


def _copy_of(log: Path) -> Path:
    return log.with_name(log.name + COPY)


def _write(path: Path, content: bytes) -> None:
    """Write and sync the content; the name need not be durable."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        done = 0
        while done < len(content):
            done += os.pwrite(file, content[done:], done)
        os.fsync(file)
    finally:
        os.close(file)


def _remove(copy: Path) -> None:
    """Remove it durably: by the next start the log will have newer moves."""
    os.unlink(copy)
    file_locks.sync_folder(copy)
