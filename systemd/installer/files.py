"""Files that are there whole or not at all, whenever the power goes."""

import os
from pathlib import Path

from systemd.installer.report import Trouble


def put(path: Path, content: bytes, mode: int = 0o644) -> bool:
    """Write a file unless it is so already; tells whether it was written."""
    try:
        if path.is_file() and path.read_bytes() == content and path.stat().st_mode & 0o777 == mode:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.new")
        with new.open("wb") as file:
            os.chmod(file.fileno(), mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise Trouble(f"{path} cannot be written: {error.strerror}") from error
    return True


def link(path: Path, target: str) -> None:
    """Let a link lead to a target, from one moment to the next."""
    try:
        new = path.with_name(f".{path.name}.new")
        new.unlink(missing_ok=True)
        new.symlink_to(target)
        new.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise Trouble(f"{path} cannot be switched: {error.strerror}") from error


def sync_folder(folder: Path) -> None:
    """Make names durable, not only what is in the files."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
