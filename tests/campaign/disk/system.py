"""Intercepts the firmware's own file operations, those that do not go through SQLite.

The firmware creates a ledger's file with ``os.open``, syncs its folder with ``os.fsync``, writes
with ``os.pwrite``, and renames and removes copies. While a disk is attached these functions ask it
first. Writes by other means are not seen; they count once the file is synced.
"""

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.campaign.disk.calls import Call, Disk, Kind
from tests.campaign.disk.shim import disk_of

_open, _fsync, _pwrite, _access = os.open, os.fsync, os.pwrite, os.access
_replace, _rename = os.replace, os.rename
unlink = os.unlink
"""The real function, for a disk's work on its own files."""
_users = 0


@contextmanager
def patched() -> Iterator[None]:
    """Replace the functions of ``os`` meanwhile; may be nested."""
    global _users
    if not _users:
        _install(_CHECKED)
    _users += 1
    try:
        yield
    finally:
        _users -= 1
        if not _users:
            _install(_REAL)


def _install(functions: Mapping[str, Callable[..., Any]]) -> None:
    for name, function in functions.items():
        setattr(os, name, function)


def _locate(path: Any, kwargs: Mapping[str, Any] | None = None) -> tuple[Disk, str] | None:
    """The disk of a path. The last component may be a link, which is not followed."""
    if kwargs and any(value is not None for name, value in kwargs.items() if "dir_fd" in name):
        return None
    folder, name = os.path.split(os.path.abspath(os.fsdecode(path)))
    return disk_of(os.path.join(os.path.realpath(folder), name))


def _check(disk: Disk, call: Call) -> None:
    refusal = disk.check(call)
    if refusal:
        raise OSError(refusal.errno, os.strerror(refusal.errno))


def _checked_open(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
    found = _locate(path, kwargs)
    if found is None:
        return _open(path, flags, *args, **kwargs)
    disk, name = found
    is_new = bool(flags & os.O_CREAT) and not os.path.lexists(path)
    call = Call(Kind.CREATE if is_new else Kind.OPEN, name)
    _check(disk, call)
    if flags & (os.O_WRONLY | os.O_RDWR) and not disk.writable:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))
    descriptor = _open(path, flags, *args, **kwargs)
    disk.done(call)
    return descriptor


def _checked_fsync(descriptor: Any) -> None:
    found = disk_of(os.path.realpath(f"/proc/self/fd/{descriptor}"))
    if found is None:
        _fsync(descriptor)
        return
    disk, name = found
    kind = Kind.SYNC if os.path.isfile(f"/proc/self/fd/{descriptor}") else Kind.SYNC_FOLDER
    _check(disk, Call(kind, name))
    disk.done(Call(kind, name))


def _checked_pwrite(descriptor: int, content: Any, offset: int) -> int:
    found = disk_of(os.path.realpath(f"/proc/self/fd/{descriptor}"))
    if found is None:
        return _pwrite(descriptor, content, offset)
    disk, name = found
    call = Call(Kind.WRITE, name, offset, bytes(content))
    _check(disk, call)
    written = _pwrite(descriptor, content, offset)
    disk.done(call)
    return written


def _checked_access(path: Any, mode: int, **kwargs: Any) -> bool:
    found = _locate(path)
    if found and mode & os.W_OK and not found[0].writable:
        return False
    return _access(path, mode, **kwargs)


def _checked_replace(source: Any, target: Any, **kwargs: Any) -> None:
    _checked_move(_replace, source, target, **kwargs)


def _checked_rename(source: Any, target: Any, **kwargs: Any) -> None:
    _checked_move(_rename, source, target, **kwargs)


def _checked_move(rename: Callable[..., None], source: Any, target: Any, **kwargs: Any) -> None:
    here, there = _locate(source), _locate(target)
    if here is None or there is None or here[0] is not there[0]:
        rename(source, target, **kwargs)
        return
    call = Call(Kind.RENAME, here[1], target=there[1])
    _check(here[0], call)
    rename(source, target, **kwargs)
    here[0].done(call)


def _checked_unlink(path: Any, **kwargs: Any) -> None:
    found = _locate(path, kwargs)
    if found is None:
        unlink(path, **kwargs)
        return
    disk, name = found
    if not os.path.lexists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    _check(disk, Call(Kind.DELETE, name))
    unlink(path, **kwargs)
    disk.done(Call(Kind.DELETE, name))


_CHECKED: dict[str, Callable[..., Any]] = {
    "open": _checked_open,
    "fsync": _checked_fsync,
    "pwrite": _checked_pwrite,
    "access": _checked_access,
    "replace": _checked_replace,
    "rename": _checked_rename,
    "unlink": _checked_unlink,
    "remove": _checked_unlink,
}
_REAL: dict[str, Callable[..., Any]] = {name: getattr(os, name) for name in _CHECKED}
