"""An open file on an attached disk: each call is checked by the disk and then passed on.

The file is a head with our methods, followed by the real file in the same block of memory. An
exception must not leave a callback, because C cannot catch it: SQLite gets an I/O error, and the
exception is raised when the disk is detached.

Memory-mapped reads are not offered (our methods end before them): they could not be checked.
"""

import ctypes
import functools
import os
import sqlite3
from collections.abc import Callable
from ctypes import POINTER, cast
from typing import Any, ParamSpec

from tests.campaign.disk import structures
from tests.campaign.disk.calls import Call, Disk, Kind
from tests.campaign.disk.structures import FileHead, Methods

SHM_LOCK = 2
FCNTL_MMAP_SIZE = 18
IOCAP_POWERSAFE_OVERWRITE = 0x1000
"""The one device property that is passed on, because our disks have it; whether it applies is set
by SQLite and the URI (``psow``). No SD card has the others, such as atomic writes.
"""

HEAD = ctypes.sizeof(FileHead)

P = ParamSpec("P")

callback_errors: list[BaseException] = []
"""Exceptions raised in callbacks."""


def guarded(callback: Callable[P, int]) -> Callable[P, int]:
    """Wrap a callback so that no exception leaves it."""

    @functools.wraps(callback)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            return callback(*args, **kwargs)
        except BaseException as error:
            callback_errors.append(error)
            return sqlite3.SQLITE_IOERR

    return wrapper


class OpenFile:
    """A file on an attached disk, and the methods of the real file."""

    def __init__(self, disk: Disk, name: str, address: int) -> None:
        self.disk = disk
        self.name = name
        self.real = address + HEAD
        self.methods: Methods = cast(self.real, POINTER(FileHead)).contents.methods.contents
        self.read = self.methods.read
        self.write = self.methods.write
        self.shm_lock = self.methods.shm_lock
        self.syncs_folder = False
        """Whether its name is new: SQLite then syncs the folder once after the file."""
        self._power_cuts = disk.power_cuts

    @property
    def is_stale(self) -> bool:
        """Whether the power was cut since it was opened."""
        return self.disk.power_cuts != self._power_cuts

    def refused(self, call: Call) -> int:
        """SQLite's error code if the call must fail, otherwise 0."""
        if self.is_stale:
            return sqlite3.SQLITE_IOERR
        refusal = self.disk.check(call)
        return refusal.code if refusal else sqlite3.SQLITE_OK


files: dict[int, OpenFile] = {}


def _refused(file: OpenFile, kind: Kind, offset: int = 0) -> int:
    return file.refused(Call(kind, file.name, offset))


def _close(address: int) -> int:
    file = files.pop(address)
    return int(file.methods.close(file.real))


def _read(address: int, buffer: int, amount: int, offset: int) -> int:
    file = files[address]
    code = _refused(file, Kind.READ, offset)
    return code or int(file.read(file.real, buffer, amount, offset))


def _write(address: int, buffer: int, amount: int, offset: int) -> int:
    file = files[address]
    call = Call(Kind.WRITE, file.name, offset, ctypes.string_at(buffer, amount))
    code = file.refused(call) or int(file.write(file.real, buffer, amount, offset))
    if code == sqlite3.SQLITE_OK:
        file.disk.done(call)
    return code


def _truncate(address: int, size: int) -> int:
    file = files[address]
    code = _refused(file, Kind.TRUNCATE, size) or int(file.methods.truncate(file.real, size))
    if code == sqlite3.SQLITE_OK:
        file.disk.done(Call(Kind.TRUNCATE, file.name, size))
    return code


def _sync(address: int, _how: int) -> int:
    """The real disk is not synced: it only stores the simulated one's files."""
    file = files[address]
    code = _refused(file, Kind.SYNC)
    if code:
        return code
    file.disk.done(Call(Kind.SYNC, file.name))
    if file.syncs_folder:
        file.syncs_folder = False
        return sync_folder(file.disk, file.name)
    return sqlite3.SQLITE_OK


def sync_folder(disk: Disk, name: str) -> int:
    call = Call(Kind.SYNC_FOLDER, os.path.dirname(name))
    refusal = disk.check(call)
    if refusal:
        return sqlite3.SQLITE_IOERR_DIR_FSYNC
    disk.done(call)
    return sqlite3.SQLITE_OK


def _file_size(address: int, size: Any) -> int:
    file = files[address]
    return _refused(file, Kind.SIZE) or int(file.methods.file_size(file.real, size))


def _lock(address: int, level: int) -> int:
    file = files[address]
    return _refused(file, Kind.LOCK) or int(file.methods.lock(file.real, level))


def _unlock(address: int, level: int) -> int:
    file = files[address]
    return int(file.methods.unlock(file.real, level))


def _check_reserved_lock(address: int, held: Any) -> int:
    file = files[address]
    return _refused(file, Kind.LOCK) or int(file.methods.check_reserved_lock(file.real, held))


def _file_control(address: int, what: int, argument: int) -> int:
    if what == FCNTL_MMAP_SIZE:
        return sqlite3.SQLITE_NOTFOUND
    file = files[address]
    return int(file.methods.file_control(file.real, what, argument))


def _sector_size(address: int) -> int:
    file = files[address]
    return int(file.methods.sector_size(file.real))


def _device_characteristics(address: int) -> int:
    file = files[address]
    return int(file.methods.device_characteristics(file.real)) & IOCAP_POWERSAFE_OVERWRITE


def _shm_map(address: int, region: int, size: int, extend: int, where: Any) -> int:
    file = files[address]
    refused = _refused(file, Kind.MAP)
    return refused or int(file.methods.shm_map(file.real, region, size, extend, where))


def _shm_lock(address: int, offset: int, count: int, flags: int) -> int:
    file = files[address]
    code = _refused(file, Kind.LOCK) if flags & SHM_LOCK else sqlite3.SQLITE_OK
    return code or int(file.shm_lock(file.real, offset, count, flags))


def _shm_barrier(address: int) -> None:
    file = files.get(address)
    if file:
        file.methods.shm_barrier(file.real)


def _shm_unmap(address: int, delete: int) -> int:
    """Shared memory is lost with the power and created anew."""
    file = files[address]
    return int(file.methods.shm_unmap(file.real, 0 if file.is_stale else delete))


def _methods(version: int) -> Methods:
    return Methods(
        version=version,
        close=structures.Close(guarded(_close)),
        read=structures.Read(guarded(_read)),
        write=structures.Write(guarded(_write)),
        truncate=structures.Truncate(guarded(_truncate)),
        sync=structures.Sync(guarded(_sync)),
        file_size=structures.FileSize(guarded(_file_size)),
        lock=structures.Lock(guarded(_lock)),
        unlock=structures.Unlock(guarded(_unlock)),
        check_reserved_lock=structures.CheckReservedLock(guarded(_check_reserved_lock)),
        file_control=structures.FileControl(guarded(_file_control)),
        sector_size=structures.SectorSize(guarded(_sector_size)),
        device_characteristics=structures.DeviceCharacteristics(guarded(_device_characteristics)),
        shm_map=structures.ShmMap(guarded(_shm_map)),
        shm_lock=structures.ShmLock(guarded(_shm_lock)),
        shm_barrier=structures.ShmBarrier(_shm_barrier),
        shm_unmap=structures.ShmUnmap(guarded(_shm_unmap)),
    )


WITHOUT_SHARING = _methods(1)
WITH_SHARING = _methods(2)
