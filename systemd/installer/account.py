"""The user of the service, its groups, and the ledger folder.

The service owns the ledger folder, and may be in the hands of an attacker. Root changes only
owners there, by ``ownership``; everything else is done as the service's user.
"""

import grp
import os
import pwd

from systemd.installer import commands, ownership, places
from systemd.installer.ownership import NewOwner, Owner
from systemd.installer.report import InstallError, changed, report_error


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
    if not places.LEDGERS.is_dir():
        create_ledger_folder()


def create_ledger_folder() -> None:
    try:
        places.LEDGERS.mkdir(mode=0o755)
        os.chown(places.LEDGERS, *owner())
    except OSError as error:
        raise InstallError(f"cannot create {places.LEDGERS}: {error.strerror}") from error
    changed(f"created {places.LEDGERS} for the ledgers")


def remove() -> None:
    """Remove the user; the service must be stopped."""
    if not exists():
        return
    take_ledgers()
    commands.run("userdel", places.USER)
    if _group_exists(places.USER):
        commands.run("groupdel", places.USER)
    changed(f"removed the user {places.USER}")


def exists() -> bool:
    try:
        owner()
    except KeyError:
        return False
    return True


def owner() -> Owner:
    user = pwd.getpwnam(places.USER)
    return Owner(user.pw_uid, user.pw_gid)


def _group_exists(name: str) -> bool:
    try:
        grp.getgrnam(name)
    except KeyError:
        return False
    return True


def has_foreign_ledgers() -> bool:
    """Return True if ``give_ledgers`` would change something."""
    new_owner = _owner_of_foreign()
    return any(new_owner(status) for _, status in ownership.statuses(places.LEDGERS))


def give_ledgers() -> None:
    """Give the service what others have put into its folder; it must be stopped.

    A file that also has a name elsewhere keeps its owner: it could be any file of the system, to
    which the service has made a hard link.
    """
    if ownership.change(places.LEDGERS, _owner_of_foreign()):
        changed(f"changed the owner of the files in {places.LEDGERS} to {places.USER}")


def report_foreign_ledger() -> None:
    """Name the first file that ``give_ledgers`` leaves alone."""
    user = owner().user
    for path, status in ownership.statuses(places.LEDGERS):
        if status.st_uid != user:
            link = f"{path} is a hard link to a file of another user"
            report_error(f"{link}; the box may be unable to write it: replace it by a copy")
            return


def _owner_of_foreign() -> NewOwner:
    new = owner()
    names = ownership.names_inside(places.LEDGERS)
    return lambda status: new if status.st_uid != new.user and names.are_all(status) else None


def take_ledgers() -> None:
    """Give what belongs to the service to root; the service must be stopped.

    Its user and group numbers may be assigned again, and the new user must not own the ledgers.
    """
    if places.LEDGERS.is_dir():
        ownership.change(places.LEDGERS, owner_of_taken())


def owner_of_taken() -> NewOwner:
    old = owner()
    names = ownership.names_inside(places.LEDGERS)

    def new_owner(status: os.stat_result) -> Owner | None:
        if status.st_uid == old.user:
            return ownership.ROOT
        if status.st_gid == old.group and names.are_all(status):
            return Owner(status.st_uid, ownership.ROOT.group)
        return None

    return new_owner


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
