"""Restores the ledgers that a rolled-back release has migrated.

A newer release migrates a ledger when it opens it, and keeps a copy of the old format beside
it (``firmware/storage/ledger_file.py``). The older release refuses the new format. If the new
release, the candidate, does not come up, the copy replaces the ledger.

A power cut leaves a complete ledger under the usual name at every moment: the candidate's
until the copy replaces it with one rename. The candidate stays active until then, and can
read both formats.

All of this is done as the user of the service (``service_user``), who made the ledgers: SQLite
follows links and creates files beside a ledger, and root must not do that in this folder.
"""

import fcntl
import os
import sqlite3
import stat
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from urllib.parse import quote

from systemd.installer import files, places, service_user
from systemd.installer.report import InstallError, report_error
from systemd.installer.walk import walk


def formats() -> dict[str, int]:
    """Return the format of each ledger that the box may use, by path."""
    try:
        found: dict[str, int] = service_user.run(_formats)
    except InstallError as error:
        problem = f"cannot read the ledgers in {places.LEDGERS}: {error}"
        raise InstallError(f"{problem}; run sudo systemctl stop tellerbox first") from error
    return found


def _formats() -> dict[str, int]:
    paths = {entry.path for entry in walk(places.LEDGERS) if entry.path.suffix == ".db"}
    found = {str(path): _format(path) for path in sorted({*paths, *_named_in_config()})}
    return {path: number for path, number in found.items() if number}


def _named_in_config() -> Iterator[Path]:
    try:
        text = files.read(places.CONFIG).decode().removeprefix("\ufeff")
        named = tomllib.loads(text).get("ledger")
    except (OSError, ValueError, InstallError):
        return  # the box reports errors in its config
    if isinstance(named, str) and named and "\0" not in named:
        yield places.CONFIG.parent / named


def restore(before: dict[str, int]) -> None:
    """Restore every ledger that has been migrated since; the box must be stopped."""
    for name, number in before.items():
        try:
            aside = service_user.run(partial(_restored, Path(name), number))
        except InstallError as error:
            problem = f"cannot restore the old format of {name}: {error}"
            report_error(f"{problem}; docs/installing.md says how to do it by hand")
        else:
            if aside:
                result = f"restored {name} as it was before the update"
                report_error(f"{result}; moves made since then are in {aside}")


def _restored(path: Path, number: int) -> str | None:
    """Restore a ledger if it has been migrated; return the new path of the migrated one."""
    if _format(path) <= number:
        return None
    return str(_replace_with_copy(path, _kept_copy(path, number)))


def _format(path: Path) -> int:
    """Read with SQLite, because a newer value may be in the WAL; 0 if it is not readable."""
    try:
        os.close(_opened(path))  # before SQLite opens it: closing drops SQLite's locks
        with closing(_connect(path, "ro")) as ledger:
            return int(ledger.execute("PRAGMA user_version").fetchone()[0])
    except (OSError, InstallError, sqlite3.Error):
        return 0


def _opened(path: Path, more: int = 0) -> int:
    """Open a ledger; anything but a file, as a FIFO that would block, raises InstallError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | more)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InstallError(f"{path} is not a file")
    return descriptor


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
    lock = _opened(path)
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
    file = _opened(path, os.O_NOFOLLOW)
    try:
        with suppress(PermissionError):  # it keeps an owner that only root could change
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
    aside = next(name for name in names if not os.path.lexists(name) or _is_same(name, path))
    if not os.path.lexists(aside):
        os.link(path, aside)
    return aside


def _is_same(name: Path, path: Path) -> bool:
    return os.path.samestat(name.lstat(), path.lstat())
