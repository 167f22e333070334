"""A panel in a process of its own: ``tellerbox sim``, and where it can be found."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 20.0
ADDRESS = re.compile(r"^Tellerbox is at (http://\S+/)$", re.MULTILINE)


class Served:
    """``tellerbox sim --no-browser`` with a ledger of its own, started at once."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.ledger = folder / "ledger.db"
        self._log = folder / "log"
        self._options = options
        self._port = 0
        self.start()

    def start(self) -> None:
        """On any free port the first time, on the same one from then on."""
        words = ["sim", "--no-browser", "--port", str(self._port), "--ledger", str(self.ledger)]
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "firmware", *words, *self._options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._began = time.monotonic()

    @property
    def age(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._began

    @property
    def url(self) -> str:
        """As soon as it says where it is."""
        while not (told := ADDRESS.search(self.said())):
            assert self.process.poll() is None, f"it ended at once:\n{self.said()}"
            assert self.age < PATIENCE, f"no address came:\n{self.said()}"
            time.sleep(0.02)
        self._port = int(told[1].rstrip("/").rpartition(":")[2])
        return told[1]

    @property
    def port(self) -> int:
        return self._port or int(self.url.rstrip("/").rpartition(":")[2])

    def said(self) -> str:
        """All that it has printed since it was started."""
        return self._log.read_text(encoding="utf-8")

    def stop(self) -> int:
        """As Ctrl-C does, once it is up; returns the exit status."""
        assert self.url
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    def close(self) -> None:
        """Stops it, if nobody has yet; it must end well."""
        if self.process.poll() is not None:
            return
        try:
            status = self.stop()
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        assert status == 0, f"exit status {status}:\n{self.said()}"
