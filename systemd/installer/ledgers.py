"""Restores the ledgers that a rolled-back release has migrated.

A newer release migrates a ledger when it opens it, and keeps a copy of the old format beside
it (``firmware/storage/ledger_file.py``). The older release refuses the new format. If the new
release, the candidate, does not come up, the copy replaces the ledger.

A power cut leaves a complete ledger under the usual name at every moment: the candidate's
until the copy replaces it with one rename. The candidate stays active until then, and can
read both formats.
"""

import fcntl
import os
import sqlite3
import stat
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import quote

from systemd.installer import files, places
from systemd.installer.report import InstallError, report_error


def formats() -> dict[str, int]:
    """Return the format of each ledger that the box may use, by path."""
    paths = {*places.LEDGERS.rglob("*.db"), *_named_in_config()}
    found = {str(path): _format(path) for path in sorted(paths)}
    return {path: number for path, number in found.items() if number}


def _named_in_config() -> Iterator[Path]:
    try:
        named = tomllib.loads(places.CONFIG.read_text(encoding="utf-8-sig")).get("ledger")
    except (OSError, ValueError):
        return  # the box reports errors in its config
    if isinstance(named, str) and named:
        yield places.CONFIG.parent / named


def restore(before: dict[str, int]) -> None:
    """Restore every ledger that has been migrated since; the box must be stopped."""
    for name, number in before.items():
        path = Path(name)
        if _format(path) <= number:
            continue
        try:
            aside = _replace_with_copy(path, _kept_copy(path, number))
        except (OSError, sqlite3.Error, InstallError) as error:
            reason = getattr(error, "strerror", None) or error
            problem = f"cannot restore the old format of {path}: {reason}"
            report_error(f"{problem}; docs/installing.md says how to do it by hand")
        else:
            result = f"restored {path} as it was before the update"
            report_error(f"{result}; moves made since then are in {aside}")


def _format(path: Path) -> int:
    """Read with SQLite, because a newer value may be in the WAL; 0 if it is not readable."""
    try:
        with closing(_connect(path, "ro")) as ledger:
            return int(ledger.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error:
        return 0


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(path))}?mode={mode}"
    return sqlite3.connect(uri, uri=True, isolation_level=None)


def _kept_copy(path: Path, number: int) -> Path:
    copy = path.with_name(f"{path.stem}.format-{number}{path.suffix}")
    if _format(copy) != number:
        raise InstallError(f"{copy} is missing")
    return copy


def _replace_with_copy(path: Path, copy: Path) -> Path:
    """Replace a ledger with its kept copy; return the new path of the ledger."""
    with _locked(path) as status:
        _merge_wal(path)
        _copy_owner(status, copy)
        aside = _link_aside(path)
        # Before the rename: the removal of the WAL must be durable, or it could be applied to
        # the copy; and the second name of the candidate's ledger, or it could be lost.
        files.sync_folder(path.parent)
        copy.replace(path)
        files.sync_folder(path.parent)
    return aside


@contextmanager
def _locked(path: Path) -> Iterator[os.stat_result]:
    """Hold the lock that a box holds.

    The file is closed last, because closing any descriptor drops SQLite's own locks.
    """
    lock = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(lock)
    except BlockingIOError:
        raise InstallError("a box is still using it") from None
    finally:
        os.close(lock)


def _merge_wal(path: Path) -> None:
    """Merge the WAL into the ledger, so that one rename moves all of it."""
    with closing(_connect(path, "rw")) as ledger:
        ledger.execute("PRAGMA journal_mode = DELETE")
    if path.with_name(f"{path.name}-wal").exists():
        raise InstallError("its WAL cannot be merged")


def _copy_owner(source: os.stat_result, path: Path) -> None:
    # Never follow a link: another user owns the folder, and this runs as root.
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fchown(file, source.st_uid, source.st_gid)
        os.fchmod(file, stat.S_IMODE(source.st_mode))
        os.fsync(file)
    finally:
        os.close(file)


def _link_aside(path: Path) -> Path:
    """Give the candidate's ledger a second name; reuse that of an interrupted run.

    The name differs from those of migration copies, so that no migration overwrites it.
    """
    stem = f"{path.stem}.format-{_format(path)}.aside"
    names = (path.with_name(f"{stem}-{number}{path.suffix}") for number in count(1))
    aside = next(name for name in names if not os.path.lexists(name) or name.samefile(path))
    if not os.path.lexists(aside):
        os.link(path, aside)
    return aside
