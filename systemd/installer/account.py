"""The user that the box runs as, its groups, and the folder with the ledgers."""

import grp
import os
import pwd
from collections.abc import Iterator
from pathlib import Path

from systemd.installer import commands, places
from systemd.installer.report import Trouble, changed


def create() -> None:
    for group in places.GROUPS:
        if not _group_exists(group):
            commands.run("groupadd", "--system", group)
            changed(f"made the group {group}")
    if not exists():
        options = ("--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin")
        home = ("--home-dir", str(places.LEDGERS))
        commands.run("useradd", *options, *home, places.USER)
        changed(f"made the user {places.USER}")
    lacking = [group for group in places.GROUPS if places.USER not in grp.getgrnam(group).gr_mem]
    if lacking:
        commands.run("usermod", "--append", "--groups", ",".join(lacking), places.USER)
        changed(f"the user {places.USER} is in the groups {', '.join(lacking)}")
    _give_ledgers_to(places.USER)


def remove() -> None:
    if not exists():
        return
    # The number may one day belong to somebody else, who should not own the ledgers then.
    for path in _ledgers():
        os.chown(path, 0, 0, follow_symlinks=False)
    commands.run("userdel", places.USER)
    if _group_exists(places.USER):
        commands.run("groupdel", places.USER)
    changed(f"removed the user {places.USER}")


def exists() -> bool:
    try:
        pwd.getpwnam(places.USER)
    except KeyError:
        return False
    return True


def _group_exists(name: str) -> bool:
    try:
        grp.getgrnam(name)
    except KeyError:
        return False
    return True


def _give_ledgers_to(user: str) -> None:
    try:
        found = places.LEDGERS.is_dir()
        places.LEDGERS.mkdir(mode=0o755, exist_ok=True)
        owner = pwd.getpwnam(user)
        strangers = [path for path in _ledgers() if path.lstat().st_uid != owner.pw_uid]
        for path in strangers:
            os.chown(path, owner.pw_uid, owner.pw_gid, follow_symlinks=False)
    except OSError as error:
        raise Trouble(f"{places.LEDGERS} cannot be prepared: {error.strerror}") from error
    if not found:
        changed(f"made {places.LEDGERS} for the ledgers")
    elif strangers:
        changed(f"found {places.LEDGERS}, and gave what is in it to the user {user}")


def _ledgers() -> Iterator[Path]:
    """The folder and all in it, but for what a file system of its own keeps there."""
    if not places.LEDGERS.is_dir():
        return
    yield places.LEDGERS
    for folder, folders, names in os.walk(places.LEDGERS):
        if "lost+found" in folders:
            folders.remove("lost+found")
        yield from (Path(folder, name) for name in (*folders, *names))


def keeps_ledgers() -> bool:
    """Whether there is anything to keep; a folder in which no game was ever played is not."""
    try:
        places.LEDGERS.rmdir()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    changed(f"removed {places.LEDGERS}, which was empty")
    return False
