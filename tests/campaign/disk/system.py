"""The few calls by which the firmware itself, and not SQLite, works on a disk's names.

It makes a new ledger's file with ``os.open``, syncs its folder with ``os.fsync``, may write
with ``os.pwrite``, and renames and removes copies. While a disk is watched these functions of
``os`` ask it first, too. What Python writes into a file by other ways nobody sees; it is on
the disk once it was synced.
"""

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sim.disk.calls import Call, Disk, Kind
from sim.disk.shim import disk_of

_open, _fsync, _pwrite, _access = os.open, os.fsync, os.pwrite, os.access
_replace, _rename = os.replace, os.rename
unlink = os.unlink
"""The real one, for a disk that works on its own files."""
_watching = 0


@contextmanager
def watched() -> Iterator[None]:
    """The functions of ``os`` ask the disks meanwhile; several may be watched at once."""
    global _watching
    if not _watching:
        _put_in_place(_ASKING)
    _watching += 1
    try:
        yield
    finally:
        _watching -= 1
        if not _watching:
            _put_in_place(_REAL)


def _put_in_place(functions: Mapping[str, Callable[..., Any]]) -> None:
    for name, function in functions.items():
        setattr(os, name, function)


def _found(path: Any, kwargs: Mapping[str, Any] | None = None) -> tuple[Disk, str] | None:
    """The disk that a name lies on; the name itself may be a link, which is not followed."""
    if kwargs and any(value is not None for name, value in kwargs.items() if "dir_fd" in name):
        return None
    folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))
    return disk_of(os.path.join(os.path.realpath(folder), name))


def _ask(disk: Disk, call: Call) -> None:
    refusal = disk.asked(call)
    if refusal:
        raise OSError(refusal.errno, os.strerror(refusal.errno))


def _asking_open(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
    found = _found(path, kwargs)
    if found is None:
        return _open(path, flags, *args, **kwargs)
    disk, name = found
    is_new = bool(flags & os.O_CREAT) and not os.path.lexists(path)
    call = Call(Kind.CREATE if is_new else Kind.OPEN, name)
    _ask(disk, call)
    if flags & (os.O_WRONLY | os.O_RDWR) and not disk.writable:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))
    descriptor = _open(path, flags, *args, **kwargs)
    disk.done(call)
    return descriptor


def _asking_fsync(descriptor: Any) -> None:
    found = disk_of(os.path.realpath(f"/proc/self/fd/{descriptor}"))
    if found is None:
        _fsync(descriptor)
        return
    disk, name = found
    kind = Kind.SYNC if os.path.isfile(f"/proc/self/fd/{descriptor}") else Kind.SYNC_FOLDER
    _ask(disk, Call(kind, name))
    disk.done(Call(kind, name))


def _asking_pwrite(descriptor: int, content: Any, offset: int) -> int:
    found = disk_of(os.path.realpath(f"/proc/self/fd/{descriptor}"))
    if found is None:
        return _pwrite(descriptor, content, offset)
    disk, name = found
    call = Call(Kind.WRITE, name, offset, bytes(content))
    _ask(disk, call)
    written = _pwrite(descriptor, content, offset)
    disk.done(call)
    return written


def _asking_access(path: Any, mode: int, **kwargs: Any) -> bool:
    found = _found(path)
    if found and mode & os.W_OK and not found[0].writable:
        return False
    return _access(path, mode, **kwargs)


def _asking_replace(source: Any, target: Any, **kwargs: Any) -> None:
    _renamed(_replace, source, target, **kwargs)


def _asking_rename(source: Any, target: Any, **kwargs: Any) -> None:
    _renamed(_rename, source, target, **kwargs)


def _renamed(rename: Callable[..., None], source: Any, target: Any, **kwargs: Any) -> None:
    here, there = _found(source), _found(target)
    if here is None or there is None or here[0] is not there[0]:
        rename(source, target, **kwargs)
        return
    call = Call(Kind.RENAME, here[1], target=there[1])
    _ask(here[0], call)
    rename(source, target, **kwargs)
    here[0].done(call)


def _asking_unlink(path: Any, **kwargs: Any) -> None:
    found = _found(path, kwargs)
    if found is None:
        unlink(path, **kwargs)
        return
    disk, name = found
    if not os.path.lexists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    _ask(disk, Call(Kind.DELETE, name))
    unlink(path, **kwargs)
    disk.done(Call(Kind.DELETE, name))


_ASKING: dict[str, Callable[..., Any]] = {
    "open": _asking_open,
    "fsync": _asking_fsync,
    "pwrite": _asking_pwrite,
    "access": _asking_access,
    "replace": _asking_replace,
    "rename": _asking_rename,
    "unlink": _asking_unlink,
    "remove": _asking_unlink,
}
_REAL: dict[str, Callable[..., Any]] = {name: getattr(os, name) for name in _ASKING}
