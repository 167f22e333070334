"""The service: its unit, and whether it comes up and stays up."""

import shutil
import subprocess
import time
from pathlib import Path

from systemd.installer import commands, files, places
from systemd.installer.report import changed, note, working

NAME = "tellerbox.service"
MINUTE = 60
STOPPING = 10
"""Seconds on top of the minute: the box before it has to stop first."""
SETTLING = 5
"""Seconds that it must stay up, once it is."""
LAST_LINES = "10"


def can_be_started() -> bool:
    """Whether systemd runs here; it does not in a tree that is only being prepared."""
    return Path("/run/systemd/system").is_dir() and shutil.which("systemctl") is not None


def put_unit(unit: Path) -> bool:
    """Install a unit file; tells whether it is another one than before."""
    if not files.put(places.UNIT, unit.read_bytes()):
        return False
    changed(f"installed the unit {places.UNIT}")
    return True


def enable() -> None:
    """Let it start with the machine; that needs no running systemd."""
    if shutil.which("systemctl") is None:
        note("there is no systemctl: the service is not enabled")
    elif not commands.succeeds("systemctl", "is-enabled", "--quiet", NAME):
        commands.run("systemctl", "enable", NAME)
        changed("the service starts with the machine")


def is_up() -> bool:
    return commands.succeeds("systemctl", "is-active", "--quiet", NAME)


def reload() -> None:
    commands.run("systemctl", "daemon-reload")


def stop() -> None:
    commands.succeeds("systemctl", "stop", NAME)


def restart() -> str | None:
    """Start it anew with the unit and release that are there now; tells why it is not up."""
    since = f"@{int(time.time())}"
    # Earlier failures must not count against this start.
    commands.succeeds("systemctl", "reset-failed", NAME)
    try:
        done = subprocess.run(
            ("systemctl", "restart", NAME),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=MINUTE + STOPPING,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _reason("it was not ready after a minute", since)
    if done.returncode:
        return _reason("it did not start", since)
    first = _process()
    for _ in range(SETTLING):
        time.sleep(1)
        if not is_up() or _process() != first:
            return _reason("it started, and did not stay up", since)
    return None


def _process() -> str:
    return commands.ask("systemctl", "show", "--property=MainPID", "--value", NAME).strip()


def _reason(sentence: str, since: str) -> str:
    commands.succeeds("journalctl", "--sync")
    words = ("--unit", NAME, "--since", since, "--lines", LAST_LINES, "--output=cat", "--no-pager")
    lines = commands.ask("journalctl", *words).splitlines()
    return "\n".join([sentence, *(f"    {line}" for line in lines)])


def remove() -> None:
    """Stop it, and take its unit away."""
    if places.UNIT.exists() and shutil.which("systemctl"):
        now = ("--now",) if can_be_started() else ()
        working("stopping the service")
        commands.succeeds("systemctl", "disable", *now, NAME)
    for path in (places.UNIT, places.DROP_INS):
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
        else:
            continue
        changed(f"removed {path}")
    if can_be_started():
        commands.succeeds("systemctl", "daemon-reload")
        commands.succeeds("systemctl", "reset-failed", NAME)
