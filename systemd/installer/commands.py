"""Runs other programs, long ones with progress lines."""

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from typing import IO

from systemd.installer.report import InstallError, progress

PROGRESS_INTERVAL = 10
"""Seconds between two progress lines of a long command."""
LINES_SHOWN = 12
"""How many of its last lines are shown of a failed command."""


class Failed(InstallError):
    """A program failed; the message ends with its last lines of output."""


def succeeds(*command: str) -> bool:
    return _run(command).returncode == 0


def output(*command: str) -> str:
    """Return what a program prints, or nothing if it fails."""
    done = _run(command)
    return done.stdout if done.returncode == 0 else ""


def run(*command: str) -> None:
    done = _run(command)
    if done.returncode:
        raise Failed(_message(command, done.returncode, done.stdout))


def _run(command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, error.strerror or str(error))


def run_long(what: str, *command: str, settings: Mapping[str, str] | None = None) -> None:
    """Run a program that takes minutes; an interrupt terminates it."""
    progress(what)
    start = time.monotonic()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **(settings or {})},
        )
        try:
            while True:
                try:
                    status = process.wait(PROGRESS_INTERVAL)
                    break
                except subprocess.TimeoutExpired:
                    last = (_lines(log) or ["still running"])[-1]
                    progress(f"{time.monotonic() - start:.0f} s: {last[:70]}")
        except BaseException:
            process.terminate()
            process.wait()
            raise
        if status:
            raise Failed(_message(command, status, "\n".join(_lines(log))))


def _lines(log: IO[bytes]) -> list[str]:
    # pread: the program shares the file offset and writes at the end.
    text = os.pread(log.fileno(), os.fstat(log.fileno()).st_size, 0).decode(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _message(command: tuple[str, ...], status: int, printed: str) -> str:
    last = "\n".join(f"    {line}" for line in printed.splitlines()[-LINES_SHOWN:])
    return f"{' '.join(command[:4])} failed with status {status}:\n{last}"
