"""``python3 -m systemd.installer install|update|uninstall``; called by ``systemd/install``."""

import fcntl
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from systemd.installer import (
    account,
    buses,
    files,
    ledgers,
    packages,
    places,
    release,
    service,
    switch,
)
from systemd.installer.release import Release
from systemd.installer.report import Refused, Trouble, changed, changes, lament, note, working

KERNEL_WORDS = Path("/proc/cmdline")


class Stopped(BaseException):
    """Somebody wants us to end; as with Ctrl-C, what was begun is put back first."""


def main(words: list[str]) -> int:
    # Whatever mask root has: the service must be able to read what is installed here.
    os.umask(0o022)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        _refuse_what_will_not_last()
        with _alone():
            return {"install": install, "update": update, "uninstall": uninstall}[words[0]]()
    except Refused as refusal:
        lament(f"{refusal}; nothing was changed")
        return 1
    except Trouble as trouble:
        lament(f"{trouble}\n{_where_it_stands()}")
        return 1
    except OSError as error:
        lament(f"{error.filename or 'the disk'}: {error.strerror}\n{_where_it_stands()}")
        return 1
    except (KeyboardInterrupt, Stopped):
        lament(f"interrupted\n{_where_it_stands()}")
        return 130


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise Stopped


def _refuse_what_will_not_last() -> None:
    """A system that is laid over with memory is as it was after the next start."""
    if re.search(r"\boverlayroot=(?!disabled)", KERNEL_WORDS.read_text()):
        sentence = "the system is read-only, and would forget this with the next start: switch"
        raise Refused(f"{sentence} the overlay off first, as docs/installing.md says")


@contextmanager
def _alone() -> Iterator[None]:
    """Two at once would trip over each other."""
    folder = os.open(places.HOME.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(folder)
        raise Refused("another installation is under way; let it end first") from None
    try:
        yield
    finally:
        os.close(folder)


def _where_it_stands() -> str:
    current = switch.look().current
    there = f"the release {current.name} goes on as before" if current else "nothing is in use yet"
    return f"tellerbox: {there}; run this again to complete what was begun"


def update() -> int:
    if switch.look().current is None and not switch.TRIAL.exists():
        raise Refused("there is no installation to update: sudo make install")
    return install()


def install() -> int:
    wanted = release.of_checkout()
    release.remove_incomplete()
    packages.install()
    if not wanted.is_complete:
        release.make(wanted)
    buses.switch_on()
    account.create()
    _put_files()
    reason = _put_in_use(wanted)
    if reason:
        return 1
    release.remove_all_but(switch.worth_keeping())
    if changes:
        note(f"Tellerbox {wanted.name} is installed")
    else:
        note(f"nothing to change: Tellerbox {wanted.name} is installed and up to date")
    return 0


def _put_files() -> None:
    command = (places.PARTS / "tellerbox").read_bytes()
    if files.put(places.COMMAND, command, 0o755):
        changed(f"installed the command {places.COMMAND}")
    if not places.CONFIG.exists():
        files.put(places.CONFIG, (places.PARTS / "tellerbox.toml").read_bytes())
        changed(f"wrote {places.CONFIG}, with every setting as a comment")


def _put_in_use(wanted: Release) -> str | None:
    """Switch to a release, and back again when it does not come up; tells why it did not."""
    before = switch.look()
    if before.on_trial and before.proven == wanted:
        _put_ledgers_back()
    new_release = before.current != wanted
    if new_release:
        switch.begin_trial(wanted, before.proven)
    try:
        reason = _start(wanted, new_release or before.on_trial)
    except BaseException:
        if before.proven and before.proven != wanted:
            _go_back(before.proven)
        raise
    if reason is None:
        switch.end_trial(before.proven)
        if new_release:
            changed(f"the release in use is {wanted.name}")
        return None
    if before.proven is None or before.proven == wanted:
        switch.end_trial(None)
        lament(f"the service is not up: {reason}")
        note("`tellerbox selftest` looks at the parts; systemd goes on trying")
        return reason
    lament(f"the release {wanted.name} does not come up: {reason}")
    _go_back(before.proven)
    release.remove_all_but(switch.worth_keeping())
    return reason


def _start(wanted: Release, new_release: bool) -> str | None:
    new_unit = service.put_unit(wanted.unit)
    service.enable()
    if not service.can_be_started():
        note("systemd does not run here: the service starts with the machine")
        return None
    if new_unit:
        service.reload()
    if not (new_release or new_unit) and service.is_up():
        return None
    working("starting the service")
    reason = service.restart()
    if reason is None:
        changed("started the service")
    return reason


def _go_back(proven: Release) -> None:
    """From here on nothing stops us, for a box that works is at stake."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _put_ledgers_back()
    switch.go_back(proven)
    service.put_unit(proven.unit)
    reason = None
    if service.can_be_started():
        service.reload()
        working("starting the previous release again")
        reason = service.restart()
    if reason:
        lament(f"went back to {proven.name}, which does not come up either: {reason}")
    else:
        lament(f"went back to the release {proven.name}, which runs again")


def _put_ledgers_back() -> None:
    """While the newcomer is still the one in use: it can read both, should the power go."""
    if service.can_be_started():
        service.stop()
    ledgers.put_back(switch.formats_before_trial())


def uninstall() -> int:
    service.remove()
    release.remove_all_but(set())
    if places.HOME.exists():
        shutil.rmtree(places.HOME)
        changed(f"removed {places.HOME}")
    for path in (places.COMMAND, places.CONFIG):
        if path.exists():
            path.unlink()
            changed(f"removed {path}")
    buses.leave()
    account.remove()
    kept = account.keeps_ledgers()
    if not changes:
        note("nothing to remove: Tellerbox is not installed")
    if kept:
        note(f"the ledgers are kept in {places.LEDGERS}")
    if changes:
        note("the system packages, and the groups gpio, spi and i2c, stay")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
