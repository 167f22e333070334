"""Installs, starts and removes the service, and checks that it stays up."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from systemd.installer import commands, files, places
from systemd.installer.report import InstallError, changed, info, progress

NAME = "tellerbox.service"
START_TIMEOUT = 60
STOP_TIMEOUT = 10
"""Seconds in addition: a restart stops the running box first."""
STABLE_SECONDS = 5
"""How long it must stay up after it has started."""
LOG_LINES = "10"


def can_be_started() -> bool:
    """Return True if systemd runs; it does not while an image is prepared in a chroot."""
    return Path("/run/systemd/system").is_dir() and shutil.which("systemctl") is not None


def install_unit(unit: Path) -> bool:
    """Install a unit file; return True if it differs from the installed one."""
    if not files.write(places.UNIT, unit.read_bytes()):
        return False
    changed(f"installed the unit {places.UNIT}")
    return True


def enable() -> None:
    """Start the service at boot; this works without a running systemd."""
    if shutil.which("systemctl") is None:
        info("systemctl is missing: the service is not enabled")
    elif not commands.succeeds("systemctl", "is-enabled", "--quiet", NAME):
        commands.run("systemctl", "enable", NAME)
        changed("enabled the service at boot")


def is_active() -> bool:
    return commands.succeeds("systemctl", "is-active", "--quiet", NAME)


def reload() -> None:
    commands.run("systemctl", "daemon-reload")


def stop() -> None:
    commands.succeeds("systemctl", "stop", NAME)


@contextmanager
def stopped() -> Iterator[None]:
    """Stop the service; afterwards start it again if it ran. It keeps its release meanwhile."""
    if not can_be_started():
        yield
        return
    was_active = is_active()
    stop()
    _require_stopped()
    try:
        yield
    finally:
        if was_active:
            commands.succeeds("systemctl", "start", NAME)


def _require_stopped() -> None:
    if is_active():
        raise InstallError(f"the service does not stop: run sudo systemctl kill -s KILL {NAME}")


def restart() -> str | None:
    """Restart with the installed unit and the active release; return why it is not up."""
    since = f"@{int(time.time())}"
    # Earlier failures must not count towards the start limit.
    commands.succeeds("systemctl", "reset-failed", NAME)
    try:
        done = subprocess.run(
            ("systemctl", "restart", NAME),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=START_TIMEOUT + STOP_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _reason("it was not ready after a minute", since)
    if done.returncode:
        return _reason("it did not start", since)
    first = _main_pid()
    for _ in range(STABLE_SECONDS):
        time.sleep(1)
        if not is_active() or _main_pid() != first:
            return _reason("it started but did not stay up", since)
    return None


def _main_pid() -> str:
    return commands.output("systemctl", "show", "--property=MainPID", "--value", NAME).strip()


def _reason(sentence: str, since: str) -> str:
    commands.succeeds("journalctl", "--sync")
    query = ("--unit", NAME, "--since", since, "--lines", LOG_LINES, "--output=cat", "--no-pager")
    lines = commands.output("journalctl", *query).splitlines()
    return "\n".join([sentence, *(f"    {line}" for line in lines)])


def remove() -> None:
    """Stop and disable the service, and remove its unit and drop-ins."""
    if places.UNIT.exists() and shutil.which("systemctl"):
        now = ("--now",) if can_be_started() else ()
        progress("stopping the service")
        commands.succeeds("systemctl", "disable", *now, NAME)
    if can_be_started():
        _require_stopped()
    for path in (places.UNIT, places.DROP_INS):
        if files.remove(path):
            changed(f"removed {path}")
    if can_be_started():
        commands.succeeds("systemctl", "daemon-reload")
        commands.succeeds("systemctl", "reset-failed", NAME)
