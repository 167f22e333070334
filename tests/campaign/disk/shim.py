"""The shim: a file system for SQLite that asks a disk first and then does as the real one.

It wraps the file system that SQLite has by default, and takes that place while a disk is
watched; the firmware's own unchanged ``sqlite3.connect`` goes through it. Files that belong
to no watched disk are opened by the real one and never seen here again.
"""

import ctypes
import os
import sqlite3
from ctypes import POINTER, byref, cast, pointer
from typing import Any

from sim.disk import structures
from sim.disk.calls import Call, Disk, Kind
from sim.disk.open_file import (
    HEAD,
    WITH_SHARING,
    WITHOUT_SHARING,
    OpenFile,
    files,
    guarded,
    mishaps,
    sync_folder,
)
from sim.disk.structures import FileHead, FileSystem

OPEN_READONLY = 0x1
OPEN_READWRITE = 0x2
OPEN_CREATE = 0x4
OPEN_JOURNALS = 0x800 | 0x4000 | 0x80000
"""A rollback journal, one of several databases, a write-ahead log."""
ACCESS_READWRITE = 1
NAME = b"tellerbox-disk"

_disks: list[Disk] = []


def watch(disk: Disk) -> None:
    """From now on this disk is asked."""
    _disks.append(disk)
    structures.register(_ours, as_default=True)


def unwatch(disk: Disk) -> None:
    """It is asked no more, but for files that are still open on it."""
    _disks.remove(disk)
    if not _disks:
        structures.register(_real, as_default=True)
    if mishaps:
        mishap = mishaps[0]
        mishaps.clear()
        raise mishap


def disk_of(path: str) -> tuple[Disk, str] | None:
    """The disk that a path is on, and the name there."""
    for disk in reversed(_disks):
        name = disk.name_of(path)
        if name is not None:
            return disk, name
    return None


def _open(_system: int, name: int | None, address: int, flags: int, opened: Any) -> int:
    path = os.fsdecode(ctypes.string_at(name)) if name else ""
    found = disk_of(path) if path else None
    if found is None:
        return int(_real.open(byref(_real), name, address, flags, opened))
    disk, short = found
    head = cast(address, POINTER(FileHead)).contents
    head.methods = None
    is_new = bool(flags & OPEN_CREATE) and not os.path.lexists(path)
    call = Call(Kind.CREATE if is_new else Kind.OPEN, short)
    refusal = disk.asked(call)
    if refusal:
        return refusal.code
    if not disk.writable:
        flags = flags & ~(OPEN_READWRITE | OPEN_CREATE) | OPEN_READONLY
    code = int(_real.open(byref(_real), name, address + HEAD, flags, opened))
    if code == sqlite3.SQLITE_OK:
        file = files[address] = OpenFile(disk, short, address)
        file.syncs_folder = is_new and bool(flags & OPEN_JOURNALS)
        head.methods = pointer(WITH_SHARING if disk.shares_memory else WITHOUT_SHARING)
        disk.done(call)
    return code


def _delete(_system: int, name: int, with_folder: int) -> int:
    path = os.fsdecode(ctypes.string_at(name))
    found = disk_of(path)
    if found is None:
        return int(_real.delete(byref(_real), name, with_folder))
    disk, short = found
    call = Call(Kind.DELETE, short)
    refusal = disk.asked(call)
    if refusal:
        return refusal.code
    code = int(_real.delete(byref(_real), name, 0))
    if code == sqlite3.SQLITE_OK:
        disk.done(call)
        return sync_folder(disk, short) if with_folder else code
    return code


def _access(_system: int, name: int, what: int, answer: Any) -> int:
    found = disk_of(os.fsdecode(ctypes.string_at(name)))
    if found:
        disk, short = found
        refusal = disk.asked(Call(Kind.LOOK, short))
        if refusal:
            return sqlite3.SQLITE_IOERR_ACCESS
        if what == ACCESS_READWRITE and not disk.writable:
            answer[0] = 0
            return sqlite3.SQLITE_OK
    return int(_real.access(byref(_real), name, what, answer))


def _full_pathname(_system: int, name: int, size: int, full: int) -> int:
    return int(_real.full_pathname(byref(_real), name, size, full))


def _sleep(_system: int, microseconds: int) -> int:
    """Waiting for a lock that a fault refuses would be waiting for nothing."""
    if any(disk.hurried for disk in _disks):
        return microseconds
    return int(_real.sleep(byref(_real), microseconds))


def _wrapped(real: FileSystem) -> FileSystem:
    """Ours; what has to do with no file is the real one's own."""
    return FileSystem(
        version=min(real.version, 2),
        file_size=HEAD + real.file_size,
        longest_path=real.longest_path,
        name=NAME,
        app_data=real.app_data,
        open=structures.Open(guarded(_open)),
        delete=structures.Delete(guarded(_delete)),
        access=structures.Access(guarded(_access)),
        full_pathname=structures.FullPathname(guarded(_full_pathname)),
        dl_open=real.dl_open,
        dl_error=real.dl_error,
        dl_sym=real.dl_sym,
        dl_close=real.dl_close,
        randomness=real.randomness,
        sleep=structures.Sleep(guarded(_sleep)),
        current_time=real.current_time,
        get_last_error=real.get_last_error,
        current_time_int64=real.current_time_int64,
    )


_real = structures.default_file_system()
_ours = _wrapped(_real)
