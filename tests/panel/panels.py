"""Panels for tests: in a process of their own, as ``tellerbox sim``, or many in one process."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

TIMEOUT = 20.0
ADDRESS = re.compile(r"^Tellerbox is at (http://\S+/)$", re.MULTILINE)

LAST_LINE = "Open that address in a browser.\n"


class HostedPanel(NamedTuple):
    """A panel of a PanelHost."""

    url: str
    ledger: Path


class PanelHost:
    """A process that serves many panels, one for each test."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders = folders
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.panel.panel_host"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    @contextmanager
    def panel(self) -> Iterator[HostedPanel]:
        folder = self._folders.mktemp("panel")
        yield HostedPanel(self._request(folder), folder / "ledger.db")
        assert self._request(folder) == "closed"

    def _request(self, folder: Path) -> str:
        assert self._process.stdin
        assert self._process.stdout
        print(folder, file=self._process.stdin, flush=True)
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        """Wait until it exits; the status must be 0."""
        self._process.communicate(timeout=TIMEOUT)
        assert self._process.returncode == 0


class PanelProcess:
    """``tellerbox sim --no-browser`` with its own ledger, started at once.

    With ``--learn``, which excludes ``--ledger``, it is the default ledger in another home.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self._learns = "--learn" in options
        self._home = folder
        self.ledger = folder / ("tellerbox/ledger.db" if self._learns else "ledger.db")
        self._log = folder / "log"
        self._options = options
        self._port = 0
        self.start()

    def start(self) -> None:
        """Use a free port the first time, and the same one from then on."""
        arguments = ["sim", "--no-browser", "--port", str(self._port)]
        if not self._learns:
            arguments += ["--ledger", str(self.ledger)]
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "firmware", *arguments, *self._options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "XDG_STATE_HOME": str(self._home)},
            )
        self._started_at = time.monotonic()

    @property
    def age(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._started_at

    @property
    def url(self) -> str:
        """Wait until the panel prints its address."""
        while not (found := ADDRESS.search(self.output())):
            assert self.process.poll() is None, f"the panel exited:\n{self.output()}"
            assert self.age < TIMEOUT, f"timeout: no address:\n{self.output()}"
            time.sleep(0.02)
        self._port = int(found[1].rstrip("/").rpartition(":")[2])
        return found[1]

    @property
    def port(self) -> int:
        return self._port or int(self.url.rstrip("/").rpartition(":")[2])

    def startup_output(self) -> str:
        """Everything that the panel prints when it starts."""
        assert self.url
        while LAST_LINE not in self.output():
            assert self.age < TIMEOUT, f"timeout: no last line:\n{self.output()}"
            time.sleep(0.02)
        return self.output()

    def output(self) -> str:
        """Everything printed since the start."""
        return self._log.read_text(encoding="utf-8")

    def stop(self) -> int:
        """Send SIGINT, once it is up; returns the exit status."""
        assert self.url
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(TIMEOUT)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(TIMEOUT)

    def close(self) -> None:
        """Stop it, if it still runs; the status must be 0."""
        if self.process.poll() is not None:
            return
        try:
            status = self.stop()
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        assert status == 0, f"exit status {status}:\n{self.output()}"
