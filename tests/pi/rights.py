"""Root privileges and Debian packages for the tests on arm64.

The tests mount file systems, change root and emulate. They install missing packages, as root
or with a sudo that needs no password.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

BINFMT = Path("/proc/sys/fs/binfmt_misc")
APT_TIMEOUT = 300.0
"""Seconds to wait for another program that installs packages."""
APT_IS_LOCKED = "Could not get lock"
QEMU_RULE = Path("/usr/lib/binfmt.d/qemu-aarch64.conf")


class Unavailable(Exception):
    """This machine cannot run these tests; the message says why."""


class Failed(AssertionError):
    """A command failed; the message contains its output."""


@cache
def root_prefix() -> tuple[str, ...]:
    """Return the words that run a command as root."""
    if os.geteuid() == 0:
        return ()
    if shutil.which("sudo"):
        sudo = subprocess.run(("sudo", "-n", "true"), capture_output=True, check=False)
        if sudo.returncode == 0:
            return ("sudo", "-n")
    raise Unavailable("these tests need root: run them as root or enable sudo without a password")


def as_root(*command: str | Path, stdin: bytes | None = None) -> bytes:
    """Run a command as root and return what it printed; raise Failed if it fails."""
    done = subprocess.run(
        (*root_prefix(), *map(str, command)), input=stdin, capture_output=True, check=False
    )
    if done.returncode:
        printed = (done.stdout + done.stderr).decode(errors="replace")
        raise Failed(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{printed}")
    return done.stdout


def report(text: str) -> None:
    print(f"tellerbox: {text}", file=sys.stderr, flush=True)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Report the beginning of a step, and at its end how long it took."""
    report(f"{what} ...")
    start = time.monotonic()
    yield
    report(f"{what}: {time.monotonic() - start:.0f} s")


def run_logged(what: str, command: Sequence[str | Path], log: Path) -> None:
    """Run a long command as root with its output in a log; report its last line regularly."""
    start = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen((*root_prefix(), *map(str, command)), stdout=out, stderr=out)
        while True:
            try:
                status = process.wait(timeout=10)
                break
            except subprocess.TimeoutExpired:
                report(f"{what}: {time.monotonic() - start:4.0f} s, {_last_line(log)[:70]}")
    if status:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        raise Failed(f"{what}: exit status {status}\n{tail}")
    report(f"{what}: done in {time.monotonic() - start:.0f} s")


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").replace("\r", "\n").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def install(**wanted: str) -> None:
    """Install each Debian package whose command is missing: `package="command"`."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    names = [name.replace("_", "-") for name, tool in wanted.items() if not _found(tool, path)]
    if not names:
        return
    if not shutil.which("apt-get"):
        raise Unavailable(f"these tests need {', '.join(names)}, and apt-get is missing")
    try:
        with timed(f"installing {', '.join(names)}"):
            _apt_get("update", "-q")
            _apt_get("install", "-qy", "--no-install-recommends", *names)
    except Failed as failure:
        last = str(failure).splitlines()[-1]
        reason = f"these tests need {', '.join(names)}, and apt-get cannot install them: {last}"
        raise Unavailable(reason) from failure


def _apt_get(*words: str) -> None:
    """Retries while another program holds apt's lock: an automatic upgrade, or another worker."""
    give_up = time.monotonic() + APT_TIMEOUT
    while True:
        try:
            as_root("env", "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive", "apt-get", *words)
            return
        except Failed as failure:
            if APT_IS_LOCKED not in str(failure) or time.monotonic() > give_up:
                raise
        time.sleep(2)


def _found(tool: str, path: str) -> bool:
    return Path(tool).exists() if "/" in tool else shutil.which(tool, path=path) is not None


def run_arm64_programs() -> None:
    """Make this kernel run arm64 programs in the emulator, also inside a tree."""
    if os.uname().machine == "aarch64":
        return
    install(qemu_user_static="qemu-aarch64-static")
    if not (BINFMT / "register").exists():
        try:
            as_root("mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT)
        except Failed as failure:
            raise Unavailable(f"this kernel has no binfmt_misc at {BINFMT}") from failure
    if not (BINFMT / "qemu-aarch64").exists():
        # systemd-binfmt does this at boot; a machine without systemd needs it here.
        try:
            as_root("tee", BINFMT / "register", stdin=QEMU_RULE.read_bytes().strip())
        except (Failed, OSError) as failure:
            reason = f"cannot run arm64 programs: {QEMU_RULE} could not be registered"
            raise Unavailable(reason) from failure
