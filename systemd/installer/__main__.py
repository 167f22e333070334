"""``python3 -m systemd.installer install|update|uninstall``; called by ``systemd/install``."""

import fcntl
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from systemd.installer import (
    account,
    buses,
    checkout,
    environment,
    files,
    ledgers,
    packages,
    places,
    release,
    service,
    switch,
)
from systemd.installer.checkout import Sources
from systemd.installer.release import Release
from systemd.installer.report import (
    InstallError,
    Refused,
    changed,
    changes,
    info,
    progress,
    report_error,
)

KERNEL_COMMAND_LINE = Path("/proc/cmdline")


class Terminated(BaseException):
    """SIGTERM or SIGHUP arrived; handled like Ctrl-C."""


def main(arguments: list[str]) -> int:
    environment.apply()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _terminate)
    try:
        _refuse_overlay_root()
        with _locked():
            return {"install": install, "update": update, "uninstall": uninstall}[arguments[0]]()
    except Refused as refusal:
        report_error(f"{refusal}; nothing was changed")
        return 1
    except InstallError as error:
        report_error(f"{error}\n{_state_and_advice()}")
        return 1
    except OSError as error:
        report_error(f"{error.filename or 'the disk'}: {error.strerror}\n{_state_and_advice()}")
        return 1
    except (KeyboardInterrupt, Terminated):
        report_error(f"interrupted\n{_state_and_advice()}")
        return 130


def _terminate(_number: int, _frame: FrameType | None) -> None:
    raise Terminated


def _refuse_overlay_root() -> None:
    """Refuse to write into an overlay in memory, which the next boot discards."""
    if re.search(r"\boverlayroot=(?!disabled)", KERNEL_COMMAND_LINE.read_text()):
        raise Refused(
            "the root file system is an overlay in memory: disable the overlay first"
            " (docs/installing.md)"
        )


@contextmanager
def _locked() -> Iterator[None]:
    """Refuse to run beside another installer."""
    # Only root can open this file; any user could lock a folder that is readable.
    lock = os.open(places.LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise Refused("another installer is running; wait until it has ended") from None
    try:
        yield
    finally:
        os.close(lock)


def _state_and_advice() -> str:
    current = switch.read_state().current
    state = f"the release {current.name} stays active" if current else "no release is active yet"
    return f"tellerbox: {state}; run the command again to continue"


def update() -> int:
    if switch.read_state().current is None and not switch.TRIAL.exists():
        raise Refused("there is no installation to update: run sudo make install")
    return install()


def install() -> int:
    sources = checkout.read()
    wanted = release.of(sources)
    release.remove_incomplete()
    packages.install()
    if not wanted.is_complete:
        release.build(wanted, sources)
    buses.enable()
    account.create()
    _give_ledgers_to_the_service()
    _install_files(sources)
    reason = _activate(wanted)
    if reason:
        return 1
    release.remove_all_but(switch.releases_to_keep())
    if changes:
        info(f"Tellerbox {wanted.name} is installed")
    else:
        info(f"nothing to change: Tellerbox {wanted.name} is installed and up to date")
    return 0


def _give_ledgers_to_the_service() -> None:
    if account.has_foreign_ledgers():
        with service.stopped():
            account.give_ledgers()
    account.report_foreign_ledger()


def _install_files(sources: Sources) -> None:
    if files.write(places.COMMAND, sources["systemd/tellerbox"], 0o755):
        changed(f"installed the command {places.COMMAND}")
    if not places.CONFIG.exists():
        files.write(places.CONFIG, sources["systemd/tellerbox.toml"])
        changed(f"wrote {places.CONFIG}, with every setting as a comment")


def _activate(wanted: Release) -> str | None:
    """Switch to a release, and roll back if it does not come up; return why it did not."""
    before = switch.read_state()
    if before.on_trial and before.proven == wanted:
        _restore_ledgers()
    new_release = before.current != wanted
    if new_release:
        switch.begin_trial(wanted, before.proven)
    try:
        reason = _start(wanted, new_release or before.on_trial)
    except BaseException:
        if before.proven and before.proven != wanted:
            _roll_back(before.proven)
        raise
    if reason is None:
        switch.end_trial(before.proven)
        if new_release:
            changed(f"switched to the release {wanted.name}")
        return None
    if before.proven is None or before.proven == wanted:
        switch.end_trial(None)
        report_error(f"the service does not come up: {reason}")
        info("`tellerbox selftest` checks the parts; systemd keeps retrying")
        return reason
    report_error(f"the release {wanted.name} does not come up: {reason}")
    _roll_back(before.proven)
    release.remove_all_but(switch.releases_to_keep())
    return reason


def _start(wanted: Release, new_release: bool) -> str | None:
    new_unit = service.install_unit(wanted.unit)
    service.enable()
    if not service.can_be_started():
        info("systemd is not running: the service starts at the next boot")
        return None
    if new_unit:
        service.reload()
    if not (new_release or new_unit) and service.is_active():
        return None
    progress("starting the service")
    reason = service.restart()
    if reason is None:
        changed("started the service")
    return reason


def _roll_back(proven: Release) -> None:
    """Restore the proven release; signals are ignored, because the box must work afterwards."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _restore_ledgers()
    switch.roll_back(proven)
    service.install_unit(proven.unit)
    reason = None
    if service.can_be_started():
        service.reload()
        progress("restarting the previous release")
        reason = service.restart()
    if reason:
        report_error(
            f"rolled back to the release {proven.name}, which does not come up either: {reason}"
        )
    else:
        report_error(f"rolled back to the release {proven.name}, which is running again")


def _restore_ledgers() -> None:
    """Called while the candidate is still active: it can read both formats after a power cut."""
    if service.can_be_started():
        service.stop()
    ledgers.restore(switch.formats_before_trial())


def uninstall() -> int:
    service.remove()
    release.remove_all_but(set())
    for path in (places.HOME, places.COMMAND, places.CONFIG):
        if files.remove(path):
            changed(f"removed {path}")
    buses.remove()
    account.remove()
    kept = account.ledgers_remain()
    if not changes:
        info("nothing to remove: Tellerbox is not installed")
    if kept:
        info(f"the ledgers are kept in {places.LEDGERS}")
    if changes:
        info("the system packages and the groups gpio, spi and i2c are kept")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
