"""The user of the service, its groups, and the ledger folder."""

import grp
import os
import pwd
from collections.abc import Iterator
from pathlib import Path

from systemd.installer import commands, places
from systemd.installer.report import InstallError, changed


def create() -> None:
    for group in places.GROUPS:
        if not _group_exists(group):
            commands.run("groupadd", "--system", group)
            changed(f"created the group {group}")
    if not exists():
        options = ("--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin")
        home = ("--home-dir", str(places.LEDGERS))
        commands.run("useradd", *options, *home, places.USER)
        changed(f"created the user {places.USER}")
    lacking = [group for group in places.GROUPS if places.USER not in grp.getgrnam(group).gr_mem]
    if lacking:
        commands.run("usermod", "--append", "--groups", ",".join(lacking), places.USER)
        changed(f"added the user {places.USER} to the groups {', '.join(lacking)}")
    _chown_ledgers(places.USER)


def remove() -> None:
    if not exists():
        return
    # The user id may be assigned again; the new user must not own the ledgers.
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


def _chown_ledgers(user: str) -> None:
    try:
        found = places.LEDGERS.is_dir()
        places.LEDGERS.mkdir(mode=0o755, exist_ok=True)
        owner = pwd.getpwnam(user)
        foreign = [path for path in _ledgers() if path.lstat().st_uid != owner.pw_uid]
        for path in foreign:
            os.chown(path, owner.pw_uid, owner.pw_gid, follow_symlinks=False)
    except OSError as error:
        raise InstallError(f"cannot prepare {places.LEDGERS}: {error.strerror}") from error
    if not found:
        changed(f"created {places.LEDGERS} for the ledgers")
    elif foreign:
        changed(f"changed the owner of the files in {places.LEDGERS} to {user}")


def _ledgers() -> Iterator[Path]:
    """The folder and everything in it, except ``lost+found`` of a partition mounted there."""
    if not places.LEDGERS.is_dir():
        return
    yield places.LEDGERS
    for folder, folders, names in os.walk(places.LEDGERS):
        if "lost+found" in folders:
            folders.remove("lost+found")
        yield from (Path(folder, name) for name in (*folders, *names))


def ledgers_remain() -> bool:
    """Remove the ledger folder if it is empty; return True if it is not."""
    try:
        places.LEDGERS.rmdir()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    changed(f"removed {places.LEDGERS}, which was empty")
    return False
