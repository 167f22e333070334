"""A SQLite VFS that asks a disk before each call and then calls the real VFS.

It replaces the default VFS while a disk is attached, so the firmware's unchanged
``sqlite3.connect`` goes through it. Files outside the attached disks are opened by the real VFS and
never seen here again.
"""

import ctypes
import os
import sqlite3
from ctypes import POINTER, byref, cast, pointer
from typing import Any

from tests.campaign.disk import structures
from tests.campaign.disk.calls import Call, Disk, Kind
from tests.campaign.disk.open_file import (
    HEAD,
    WITH_SHARING,
    WITHOUT_SHARING,
    OpenFile,
    callback_errors,
    files,
    guarded,
    sync_folder,
)
from tests.campaign.disk.structures import FileHead, FileSystem

OPEN_READONLY = 0x1
OPEN_READWRITE = 0x2
OPEN_CREATE = 0x4
OPEN_JOURNALS = 0x800 | 0x4000 | 0x80000
"""A rollback journal, a super-journal, or a write-ahead log."""
ACCESS_READWRITE = 1
NAME = b"tellerbox-disk"

_disks: list[Disk] = []


def attach(disk: Disk) -> None:
    """Check calls with this disk from now on."""
    _disks.append(disk)
    structures.register(_wrapper, as_default=True)


def detach(disk: Disk) -> None:
    """Stop checking with this disk, except for files that are still open on it."""
    _disks.remove(disk)
    if not _disks:
        structures.register(_real, as_default=True)
    if callback_errors:
        error = callback_errors[0]
        callback_errors.clear()
        raise error


def disk_of(path: str) -> tuple[Disk, str] | None:
    """The disk of a path, and the name on it."""
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
    refusal = disk.check(call)
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
    refusal = disk.check(call)
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
        refusal = disk.check(Call(Kind.ACCESS, short))
        if refusal:
            return sqlite3.SQLITE_IOERR_ACCESS
        if what == ACCESS_READWRITE and not disk.writable:
            answer[0] = 0
            return sqlite3.SQLITE_OK
    return int(_real.access(byref(_real), name, what, answer))


def _full_pathname(_system: int, name: int, size: int, full: int) -> int:
    return int(_real.full_pathname(byref(_real), name, size, full))


def _sleep(_system: int, microseconds: int) -> int:
    """Do not wait for a lock that a fault refuses."""
    if any(disk.skips_sleep for disk in _disks):
        return microseconds
    return int(_real.sleep(byref(_real), microseconds))


def _wrap(real: FileSystem) -> FileSystem:
    """Our VFS; functions that do not concern files are the real ones."""
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
_wrapper = _wrap(_real)
