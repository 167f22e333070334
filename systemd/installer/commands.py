"""Runs other programs: the short ones, and the long ones with a sign of life."""

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from typing import IO

from systemd.installer.report import Trouble, working

SIGN_OF_LIFE = 10
"""Seconds between two lines that say how far a long command is."""
LAST_WORDS = 12
"""Lines of a failed command that are worth showing."""


class Failed(Trouble):
    """A program did not succeed; the message has its last words."""


def succeeds(*words: str) -> bool:
    return _run(words).returncode == 0


def ask(*words: str) -> str:
    """What a program prints, or nothing when it does not succeed."""
    done = _run(words)
    return done.stdout if done.returncode == 0 else ""


def run(*words: str) -> None:
    done = _run(words)
    if done.returncode:
        raise Failed(_sentence(words, done.returncode, done.stdout))


def _run(words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return subprocess.CompletedProcess(words, 127, error.strerror or str(error))


def run_long(what: str, *words: str, settings: Mapping[str, str] | None = None) -> None:
    """Run a program that takes minutes; when we are stopped, so is it."""
    working(what)
    start = time.monotonic()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=_environment(settings)
        )
        try:
            while True:
                try:
                    status = process.wait(SIGN_OF_LIFE)
                    break
                except subprocess.TimeoutExpired:
                    last = (_lines(log) or ["still at it"])[-1]
                    working(f"{time.monotonic() - start:.0f} s: {last[:70]}")
        except BaseException:
            process.terminate()
            process.wait()
            raise
        if status:
            raise Failed(_sentence(words, status, "\n".join(_lines(log))))


def _environment(settings: Mapping[str, str] | None) -> dict[str, str]:
    """Without the caller's own Python, which would get into the new one."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | dict(settings or {})


def _lines(log: IO[bytes]) -> list[str]:
    # By its own position: the program writes at the end of the same file.
    text = os.pread(log.fileno(), os.fstat(log.fileno()).st_size, 0).decode(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _sentence(words: tuple[str, ...], status: int, said: str) -> str:
    last = "\n".join(f"    {line}" for line in said.splitlines()[-LAST_WORDS:])
    return f"{' '.join(words[:4])} failed with status {status}:\n{last}"
