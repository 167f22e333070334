"""A ledger on disk: who may open it, how it is checked, and what is refused.

Three ways in:

- ``held_by_box``: the box itself. One box a file (a lock says so); the file is
  checked before anything is written to it; a file that cannot be written is
  still read, and every move on it is then refused.
- ``shared_for_changes``: the command line beside a running box.
- ``reading``: looking only. SQLite's write-ahead log lets readers read while
  the box writes, so looking never makes the bank wait.

Every refusal is one sentence, and leaves the file as it was.

A ledger of an older format is brought up to ours by whoever may change it. What it was is
kept beside it first, for the release that wrote it would refuse what it becomes; and no
box may be using it meanwhile, nor anybody else be doing the same.
"""

import fcntl
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from firmware import edition as editions
from firmware import output_file, schema
from firmware.ledger import Ledger
from firmware.mistake import Mistake, one_line
from firmware.records import JournalFailed
from firmware.rows import NONSENSE, Damaged
from firmware.store import Store

_MAGIC = b"SQLite format 3\x00"
_START = 100
"""Bytes of the file's header: the magic, the size of a page, how many pages there are, ..."""
_LOG, _JOURNAL = "-wal", "-journal"
"""What SQLite keeps beside the file: what is not in it yet, or what was in it before."""
_LOG_PAGES = 100
"""Pages in the log, two or three a move, after which SQLite carries them over."""
_PATIENCE = 1.0
"""Seconds to wait for another program's write; ours take milliseconds."""


class LedgerRefused(Mistake):
    """A ledger that cannot be used; a box that has a screen shows LEDGER ERROR.

    What SQLite says of a damaged file may quote it, and is made one line that can be printed.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(one_line(sentence))


_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What looking into a file may raise: SQLite's words may quote a text that is none."""


class Owner(Enum):
    """Whose ledger is meant where none is named: the simulator's knows the simulator's cards."""

    SIMULATOR = "the simulator"
    BOX = "the box on its parts"
    EITHER = "the box that is installed here, or else the simulator"


INSTALLED = "TELLERBOX_LEDGER"
"""Names the ledger of the box that is installed on this machine, for it and for who looks."""


def default_path(edition: str = editions.DEFAULT, owner: Owner = Owner.SIMULATOR) -> Path:
    """Where a ledger lives; a user's has one for each edition, so that none ends another."""
    installed = os.environ.get(INSTALLED)
    if installed and owner is not Owner.SIMULATOR:
        return Path(installed)
    state = os.environ.get("XDG_STATE_HOME", "")
    # The XDG rules say that a relative path there is to be ignored.
    root = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
    name = "box" if owner is Owner.BOX else "ledger"
    return root / "tellerbox" / f"{name if edition == editions.DEFAULT else f'{name}-{edition}'}.db"


@contextmanager
def held_by_box(path: Path, wall_clock: Callable[[], float] = time.time) -> Iterator[Store]:
    """Open a ledger for a box, making it if there is none, and keep others out."""
    created = not os.path.lexists(path)
    with locked(path) as descriptor:
        _refuse_strange_files(path)
        if path.stat().st_size:
            with _readable_or_copy(path) as connection:
                _check(path, connection)
        place = OnDisk(path, descriptor)
        with _writable_or_copy(place, created, wall_clock) as store, closing(store):
            yield store


@contextmanager
def shared_for_changes(path: Path) -> Iterator[Store]:
    """Open an existing ledger beside the box that may be using it."""
    _must_exist(path)
    _refuse_strange_files(path)
    with ExitStack() as stack:
        if _is_older(path):
            stack.enter_context(locked(path, "; stop it first, for the format is an older one"))
        connection = stack.enter_context(closing(_connect(path, "rw")))
        _check(path, connection)
        _must_be_begun(path, connection)
        try:
            _prepare(path, connection)
        except (sqlite3.Error, Mistake) as error:
            raise LedgerRefused(f"{path}: cannot be written: {error}") from None
        yield Store(connection)


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open an existing ledger to look into it."""
    _must_exist(path)
    _refuse_strange_files(path)
    with _readable_or_copy(path) as connection:
        _check_version(path, connection)
        _must_be_begun(path, connection)
        if schema.version_of(connection) == schema.VERSION:
            yield connection
            return
    # An older format is for the box to migrate; a copy can be looked at meanwhile.
    with _copy(path) as connection:
        yield connection


def _is_older(path: Path) -> bool:
    with _readable_or_copy(path) as connection:
        _check_version(path, connection)
        return _has_older_format(connection)


def _has_older_format(connection: sqlite3.Connection) -> bool:
    return 0 < schema.version_of(connection) < schema.VERSION


def _must_be_begun(path: Path, connection: sqlite3.Connection) -> None:
    if schema.version_of(connection) == 0:
        raise LedgerRefused(f"{path}: no game has been started in it yet")


def _must_exist(path: Path) -> None:
    try:
        path.stat()
    except FileNotFoundError:
        raise LedgerRefused(
            f"{path}: there is no such ledger; a box makes one when it starts"
        ) from None
    except OSError as error:
        raise LedgerRefused(f"{path}: cannot be read: {error.strerror}") from None


@contextmanager
def locked(path: Path, advice: str = "") -> Iterator[int]:
    """Hold the file's lock, by a descriptor; the kernel lets go of it however the box dies.

    ``flock`` and SQLite's own locks do not meet, but closing any descriptor of
    the file would drop SQLite's: this one is opened first and closed last.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = os.O_RDONLY if path.exists() else os.O_RDWR | os.O_CREAT
        lock = os.open(path, mode | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise LedgerRefused(f"{path}: cannot be opened: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise LedgerRefused(f"{path}: this ledger is in use by another box{advice}") from None
    try:
        yield lock
    finally:
        os.close(lock)


def _refuse_strange_files(path: Path) -> None:
    """Look at the first bytes, before SQLite does anything with the file.

    With a log or a journal beside it they say nothing: the power went in the middle of a write,
    and SQLite knows what is to be there, or was there before.
    """
    if _lies_beside(path, _LOG) or _lies_beside(path, _JOURNAL):
        return
    try:
        with path.open("rb") as file:
            start = file.read(_START)
    except OSError as error:
        raise LedgerRefused(f"{path}: cannot be read: {error.strerror}") from None
    if start and not start.startswith(_MAGIC):
        raise LedgerRefused(f"{path}: this is not a ledger; it was left untouched")
    if start and _cut_short(path, start):
        raise _damaged(path, Damaged("its end is missing"))


def _cut_short(path: Path, start: bytes) -> bool:
    """SQLite reads what is missing as zeros, and less than a page as an empty database."""
    page, pages = (int.from_bytes(start[at:end], "big") for at, end in ((16, 18), (28, 32)))
    page = 65536 if page == 1 else page  # the file format's own way to write it
    if len(start) < _START or page == 0:
        return True
    found, rest = divmod(path.stat().st_size, page)
    return rest != 0 or found < pages


def _lies_beside(path: Path, ending: str) -> bool:
    """Whether SQLite has left something beside the file."""
    try:
        return path.with_name(path.name + ending).stat().st_size > 0
    except OSError:
        return False


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    try:
        return _connection(path, mode)
    except sqlite3.Error as error:
        raise LedgerRefused(f"{path}: cannot be opened: {error}") from None


def _connection(path: Path, mode: str) -> sqlite3.Connection:
    # psow=0: when the power goes in the middle of a write, an SD card may spoil all of the sector
    # that it was writing, and what was written there before. So no two commits share one.
    uri = f"file:{quote(os.fsencode(path.absolute()))}?mode={mode}&psow=0"
    return sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)


def _check(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a ledger that is not ours, too new, or damaged."""
    _check_version(path, connection)
    try:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as copy:
            if _has_older_format(connection):
                # What an older format says is read in ours, before the file itself is touched.
                connection.backup(copy)
                schema.migrate(copy)
                connection = copy
            if schema.version_of(connection) == schema.VERSION:
                _check_rows(connection)
    except (sqlite3.Error, Damaged, JournalFailed, *NONSENSE) as error:
        raise _damaged(path, error) from None


def _check_rows(connection: sqlite3.Connection) -> None:
    for fault in schema.faults(connection):
        raise Damaged(fault)
    store = Store(connection)
    if store.has_game():
        Ledger(store, editions.load(editions.DEFAULT))
    else:
        store.replay()


def _check_version(path: Path, connection: sqlite3.Connection) -> None:
    try:
        found = connection.execute("PRAGMA application_id").fetchone()[0]
        version = schema.version_of(connection)
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except _UNREADABLE as error:
        raise _damaged(path, error) from None
    # No table and no version: the power went while the ledger was being made.
    unborn = tables == 0 and version == 0
    if found != schema.APPLICATION_ID and not unborn:
        raise LedgerRefused(f"{path}: this database is not a ledger; it was left untouched")
    if version < 0:
        raise _damaged(path, Damaged(f"there is no format {version}"))
    if version > schema.VERSION:
        raise LedgerRefused(
            f"{path}: this ledger was written by a newer Tellerbox (format {version}, this one "
            f"knows {schema.VERSION}); it was left untouched"
        )


def _damaged(path: Path, error: Exception) -> LedgerRefused:
    code = getattr(error, "sqlite_errorcode", None)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LedgerRefused(f"{path}: another program has locked this ledger")
    return LedgerRefused(f"{path}: this ledger is damaged ({error}); it was left untouched")


def _prepare(path: Path, connection: sqlite3.Connection) -> None:
    """Make a ledger ready to be written to: durable, and of our format."""
    if _has_older_format(connection):
        _keep(path, connection)
    _make_durable(connection)
    schema.migrate(connection)


def _keep(path: Path, connection: sqlite3.Connection) -> None:
    """Beside the ledger, a checked copy that can take its place; an earlier one is replaced.

    In one file, without a log, so that a single renaming puts it back.
    """
    kept = path.with_name(f"{path.stem}.format-{schema.version_of(connection)}{path.suffix}")
    try:
        with output_file.written(kept, ledger=path, force=True) as partial:
            with closing(sqlite3.connect(partial)) as copy:
                connection.backup(copy)
                copy.execute("PRAGMA journal_mode = DELETE")
                _check(partial, copy)
            shutil.copymode(path, partial)
    except Mistake as mistake:
        raise Mistake(f"a copy of its older format must be kept first, and {mistake}") from None


def _make_durable(connection: sqlite3.Connection) -> None:
    """A commit that returns is on the card.

    EXTRA is FULL in a write-ahead log, and where a file system allows no such log
    it also syncs the folder after the journal is deleted. The log is kept short, because the
    next start reads all of it, and writes it again.
    """
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")


@contextmanager
def _writable_or_copy(
    place: "OnDisk", created: bool, wall_clock: Callable[[], float]
) -> Iterator[Store]:
    """The ledger to write to; where the disk allows no writing, a copy to read from."""
    path = place.path
    try:
        connection = place.open()
    except sqlite3.Error as error:
        reason = str(error)
    else:
        yield Store(connection, wall_clock, place)
        return
    if created:
        for ending in ("", _LOG, _JOURNAL, "-shm"):
            with suppress(OSError):
                path.with_name(path.name + ending).unlink(missing_ok=True)
        raise LedgerRefused(f"{path}: a new ledger cannot be made here: {reason}")
    print(
        f"tellerbox: {path}: cannot be written ({reason}); every move is refused", file=sys.stderr
    )
    with _copy(path) as connection:
        yield Store(connection, wall_clock, place, is_copy=True)


class OnDisk(NamedTuple):
    """A ledger that a box holds; every failure is an sqlite3.Error."""

    path: Path
    descriptor: int
    """Of the file, for as long as it is held."""

    def open(self) -> sqlite3.Connection:
        """Ready to be written to."""
        if not os.access(self.path, os.W_OK):
            raise sqlite3.OperationalError("the file is read-only")
        if not os.access(self.path.absolute().parent, os.W_OK):
            raise sqlite3.OperationalError("the folder is read-only")
        log_is_left = _lies_beside(self.path, _LOG)
        connection = _connection(self.path, "rw")
        try:
            if log_is_left:
                self._write_log_again(connection)
                # The log begins anew: the first commit to come shares no sector with the last.
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            _prepare(self.path, connection)
            _sync_folder(self.path)
        except sqlite3.Error:
            connection.close()
            raise
        except (OSError, Mistake) as error:
            connection.close()
            reason = getattr(error, "strerror", None) or str(error)
            raise sqlite3.OperationalError(reason) from None
        return connection

    def _write_log_again(self, connection: sqlite3.Connection) -> None:
        """Make the log whole on disk, and not only in memory, where it can be read.

        After a failed sync the kernel takes for written what never was; the next commits would
        come to lie behind a gap. SQLite holds no lock by way of this file, so that closing it
        once more lets go of none.
        """
        connection.execute("BEGIN IMMEDIATE")  # nobody else writes to it meanwhile
        try:
            _write_again(self.path.with_name(self.path.name + _LOG))
        finally:
            connection.rollback()

    @contextmanager
    def as_at_the_next_start(self) -> Iterator[sqlite3.Connection]:
        """From a copy, in which nobody else keeps alive what SQLite has in memory."""
        with ExitStack() as stack:
            try:
                found = stack.enter_context(_copy(self.path, self.descriptor))
            except LedgerRefused as refusal:
                raise sqlite3.OperationalError(str(refusal)) from None
            yield found


def _write_again(path: Path) -> None:
    """Write a file's own bytes into it, and sync them."""
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        content = path.read_bytes()
        done = 0
        while done < len(content):
            done += os.pwrite(file, content[done:], done)
        os.fsync(file)
    finally:
        os.close(file)


def _sync_folder(path: Path) -> None:
    """Make the file's name durable, not only its content."""
    folder = os.open(path.absolute().parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def _readable_or_copy(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only look; where SQLite may not make its side files, a copy to look at.

    Nor may it put back there what a journal has.
    """
    if _lies_beside(path, _JOURNAL):
        with _copy(path) as connection:
            yield connection
        return
    with closing(_connect(path, "ro")) as connection:
        try:
            schema.version_of(connection)
        except sqlite3.OperationalError:
            pass
        except _UNREADABLE as error:
            raise _damaged(path, error) from None
        else:
            yield connection
            return
    with _copy(path) as connection:
        yield connection


@contextmanager
def _copy(path: Path, descriptor: int | None = None) -> Iterator[sqlite3.Connection]:
    """A private copy, with what lies beside it, that refuses every write.

    Where SQLite has the file open it is read by a descriptor that is there already: to close
    another one would drop SQLite's locks, and other programs would take the log for left over.
    """
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with ExitStack() as stack:
        try:
            folder = tempfile.TemporaryDirectory(prefix="tellerbox-", dir=memory)
            copy = Path(stack.enter_context(folder)) / "ledger.db"
            if descriptor is None:
                shutil.copyfile(path, copy)
            else:
                copy.write_bytes(os.pread(descriptor, os.fstat(descriptor).st_size, 0))
            for ending in (_LOG, _JOURNAL):
                if path.with_name(path.name + ending).exists():
                    shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
            connection = stack.enter_context(closing(_connect(copy, "rw")))
            schema.migrate(connection)
            connection.execute("PRAGMA query_only = ON")
        except (OSError, *_UNREADABLE) as error:
            raise LedgerRefused(f"{path}: cannot be read: {error}") from None
        yield connection
