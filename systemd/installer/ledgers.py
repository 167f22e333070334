"""The ledgers of a box while a release is on trial.

A newer release may bring a ledger to a format of its own when it opens it, and the release
before then refuses it. It keeps the ledger as it was beside it (``firmware/ledger_file.py``),
and when the newcomer does not come up, that copy takes the ledger's place again.

Wherever the power cuts this off, there is a ledger under the usual name: the newcomer's,
with all its moves, until the copy takes its place in one renaming. The newcomer is the one
in use until after that; should it start once more, it can read the copy, too.
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
from systemd.installer.report import Trouble, lament


def formats() -> dict[str, int]:
    """The format of each ledger that the box may be using, by its path."""
    paths = {*places.LEDGERS.rglob("*.db"), *_named_in_config()}
    found = {str(path): _format(path) for path in sorted(paths)}
    return {path: number for path, number in found.items() if number}


def _named_in_config() -> Iterator[Path]:
    try:
        named = tomllib.loads(places.CONFIG.read_text(encoding="utf-8-sig")).get("ledger")
    except (OSError, ValueError):
        return  # the box will say what is wrong with it
    if isinstance(named, str) and named:
        yield places.CONFIG.parent / named


def put_back(before: dict[str, int]) -> None:
    """Every ledger that has another format now is again what it was; no box may be running."""
    for name, number in before.items():
        path = Path(name)
        if _format(path) <= number:
            continue
        try:
            aside = _exchange(path, _kept(path, number))
        except (OSError, sqlite3.Error, Trouble) as error:
            reason = getattr(error, "strerror", None) or error
            told = f"{path} has a newer format now, and could not be put back: {reason}"
            lament(f"{told}; docs/installing.md says how to do it by hand")
        else:
            told = f"{path} is again what it was before the update"
            lament(f"{told}; moves made since then are in {aside}")


def _format(path: Path) -> int:
    """By SQLite, since a log beside the file may know better; 0 if it cannot be read."""
    try:
        with closing(_opened(path, "ro")) as ledger:
            return int(ledger.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error:
        return 0


def _opened(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(path))}?mode={mode}"
    return sqlite3.connect(uri, uri=True, isolation_level=None)


def _kept(path: Path, number: int) -> Path:
    kept = path.with_name(f"{path.stem}.format-{number}{path.suffix}")
    if _format(kept) != number:
        raise Trouble(f"there is no {kept}")
    return kept


def _exchange(path: Path, kept: Path) -> Path:
    """Let a kept copy take its ledger's place; tells where the ledger is now."""
    with _alone_with(path) as now:
        _fold_log_in(path)
        _give(kept, now)
        aside = _second_name(path)
        # Before the renaming: neither may a log come back that is not the copy's, nor may
        # the newcomer's ledger have but the name that is taken from it.
        files.sync_folder(path.parent)
        kept.replace(path)
        files.sync_folder(path.parent)
    return aside


@contextmanager
def _alone_with(path: Path) -> Iterator[os.stat_result]:
    """Hold the lock that a box holds; closed last, for that ends SQLite's own locks."""
    lock = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(lock)
    except BlockingIOError:
        raise Trouble("a box is still using it") from None
    finally:
        os.close(lock)


def _fold_log_in(path: Path) -> None:
    """A ledger that is but one file can be renamed in one step."""
    with closing(_opened(path, "rw")) as ledger:
        ledger.execute("PRAGMA journal_mode = DELETE")
    if path.with_name(f"{path.name}-wal").exists():
        raise Trouble("its log cannot be folded in")


def _give(kept: Path, like: os.stat_result) -> None:
    # Not through a link: the folder is not ours, and we are root.
    file = os.open(kept, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fchown(file, like.st_uid, like.st_gid)
        os.fchmod(file, stat.S_IMODE(like.st_mode))
        os.fsync(file)
    finally:
        os.close(file)


def _second_name(path: Path) -> Path:
    """A name that stays the newcomer's ledger's; the one from a run that was cut off will do.

    What a migration keeps is called otherwise, so that no later one replaces it.
    """
    stem = f"{path.stem}.format-{_format(path)}.aside"
    names = (path.with_name(f"{stem}-{number}{path.suffix}") for number in count(1))
    aside = next(name for name in names if not os.path.lexists(name) or name.samefile(path))
    if not os.path.lexists(aside):
        os.link(path, aside)
    return aside
