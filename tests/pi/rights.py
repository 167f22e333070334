"""Root's rights and Debian's packages on this machine, or one sentence that says what is missing.

The tests of the Pi's own architecture mount, change root and emulate. They ask for
nothing that they can get by themselves: as root, or through a sudo that asks no password.
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
QEMU_RULE = Path("/usr/lib/binfmt.d/qemu-aarch64.conf")


class Unavailable(Exception):
    """This machine cannot run these tests; the sentence says why."""


class Failed(AssertionError):
    """A command did not succeed; the message shows what it printed."""


@cache
def prefix() -> tuple[str, ...]:
    """What to put before a command that root must run."""
    if os.geteuid() == 0:
        return ()
    if shutil.which("sudo"):
        asked = subprocess.run(("sudo", "-n", "true"), capture_output=True, check=False)
        if asked.returncode == 0:
            return ("sudo", "-n")
    raise Unavailable(
        "these tests mount and change root: run them as root, or where sudo asks nothing"
    )


def as_root(*words: str | Path, given: bytes | None = None) -> bytes:
    """What the command printed. Raises Failed, with what it said, when it does not succeed."""
    done = subprocess.run(
        (*prefix(), *map(str, words)), input=given, capture_output=True, check=False
    )
    if done.returncode:
        said = (done.stdout + done.stderr).decode(errors="replace")
        raise Failed(f"{' '.join(map(str, words))}: exit status {done.returncode}\n{said}")
    return done.stdout


def say(text: str) -> None:
    print(f"tellerbox: {text}", file=sys.stderr, flush=True)


@contextmanager
def told(what: str) -> Iterator[None]:
    """Says what is being done, and afterwards how long it took."""
    say(f"{what} ...")
    start = time.monotonic()
    yield
    say(f"{what}: {time.monotonic() - start:.0f} s")


def watched(what: str, words: Sequence[str | Path], log: Path) -> None:
    """Run a long command as root, its output into a log, and its last line shown now and then."""
    start = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen((*prefix(), *map(str, words)), stdout=out, stderr=out)
        while True:
            try:
                status = process.wait(timeout=10)
                break
            except subprocess.TimeoutExpired:
                say(f"{what}: {time.monotonic() - start:4.0f} s, {_last_line(log)[:70]}")
    if status:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-25:])
        raise Failed(f"{what}: exit status {status}\n{tail}")
    say(f"{what}: done in {time.monotonic() - start:.0f} s")


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
        raise Unavailable(f"these tests need {', '.join(names)}, and there is no apt-get")
    try:
        with told(f"installing {', '.join(names)}"):
            as_root("apt-get", "update", "-q")
            quiet = ("env", "DEBIAN_FRONTEND=noninteractive")
            as_root(*quiet, "apt-get", "install", "-qy", "--no-install-recommends", *names)
    except Failed as failure:
        last = str(failure).splitlines()[-1]
        sentence = f"these tests need {', '.join(names)}, and apt-get cannot install them: {last}"
        raise Unavailable(sentence) from failure


def _found(tool: str, path: str) -> bool:
    return Path(tool).exists() if "/" in tool else shutil.which(tool, path=path) is not None


def run_arm64_programs() -> None:
    """See to it that this kernel hands an arm64 program to the emulator, also inside a tree."""
    if os.uname().machine == "aarch64":
        return
    install(qemu_user_static="qemu-aarch64-static")
    if not (BINFMT / "register").exists():
        try:
            as_root("mount", "-t", "binfmt_misc", "binfmt_misc", BINFMT)
        except Failed as failure:
            raise Unavailable(f"this kernel has no binfmt_misc at {BINFMT}") from failure
    if not (BINFMT / "qemu-aarch64").exists():
        # systemd-binfmt does this at boot; a machine without systemd never had it done.
        try:
            as_root("tee", BINFMT / "register", given=QEMU_RULE.read_bytes().strip())
        except (Failed, OSError) as failure:
            sentence = f"arm64 programs cannot be run: {QEMU_RULE} could not be registered"
            raise Unavailable(sentence) from failure
