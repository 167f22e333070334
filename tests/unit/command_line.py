"""Runs the command line in tests, and types into ``tellerbox sim --text``."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

TELLERBOX = [sys.executable, "-m", "firmware"]


class Output:
    """The exit status and the output of a command."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


RunCli = Callable[..., Output]


def type_into_sim(*lines: str, options: tuple[str | Path, ...] = ()) -> Output:
    """Type lines into ``tellerbox sim --text`` through a pipe."""
    done = subprocess.run(
        [*TELLERBOX, "sim", "--text", *map(str, options)],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "128"},
    )
    return Output(done.returncode, done.stdout, done.stderr)
