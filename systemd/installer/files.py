"""Atomic and durable writes: after a power cut a file is the old one or the new one."""

import os
import shutil
import stat
from pathlib import Path

from systemd.installer.report import InstallError

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def write(path: Path, content: bytes, mode: int = 0o644) -> bool:
    """Write a file unless it already has this content and mode; return True if written."""
    try:
        if path.is_file() and path.read_bytes() == content and path.stat().st_mode & 0o777 == mode:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.new")
        new.unlink(missing_ok=True)  # of an interrupted run
        with open(os.open(new, _NEW, mode), "wb") as file:
            os.chmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise InstallError(f"cannot write {path}: {error.strerror}") from error
    return True


def symlink(path: Path, target: str) -> None:
    """Create or replace a symbolic link atomically."""
    try:
        new = path.with_name(f".{path.name}.new")
        new.unlink(missing_ok=True)
        new.symlink_to(target)
        new.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise InstallError(f"cannot link {path} to {target}: {error.strerror}") from error


def read(path: Path) -> bytes:
    """Read a file; anything else, as a FIFO that would block, raises InstallError."""
    # O_NONBLOCK: only for the opening of what turns out to be no file.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise InstallError(f"{path} is not a file: remove it")
        return file.read()


def remove(path: Path) -> bool:
    """Remove a file, a link, or a folder with its contents; return True if it existed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()
    else:
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
