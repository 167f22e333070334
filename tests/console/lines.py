"""A box in a process of its own, with the host's end of its console."""

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hal.console.line import PtyLine
from sim.console.wire import ConsoleClient

PATIENCE = 20.0


class BoxOnLine:
    """``tellerbox run --board virtual --console``, and the host's end of its line."""

    def __init__(self, folder: Path, *, module: str = "firmware", port: str = "") -> None:
        self._folder = folder
        self._module = module
        self.line = PtyLine()
        self._port = port or self.line.port
        if port:
            Path(port).symlink_to(self.line.port)
        self.wire = ConsoleClient(self.line, "the box")
        self.ledger = folder / "box.db"
        self.scratch = folder / "box-scratch.db"
        self.start()

    def start(self) -> None:
        words = ["run", "--board", "virtual", "--ledger", str(self.ledger)]
        self._log = (self._folder / "log").open("a")
        self.process = subprocess.Popen(
            [sys.executable, "-m", self._module, *words, "--console", self._port],
            stderr=self._log,
            stdin=subprocess.PIPE,
            text=True,
        )
        self.wire.greet(PATIENCE)

    def log(self) -> str:
        return (self._folder / "log").read_text()

    def until_logged(self, text: str) -> None:
        give_up = time.monotonic() + PATIENCE
        while text not in self.log():
            assert time.monotonic() < give_up, f"{text!r} was never logged"
            time.sleep(0.01)

    def until_read(self) -> None:
        """Wait until the box has read everything that was sent to it.

        Polling the box's end of the line makes the kernel deliver what is still in transit;
        FIONREAD does not.
        """
        box_end = os.open(self.line.port, os.O_RDONLY | os.O_NOCTTY)
        try:
            give_up = time.monotonic() + PATIENCE
            while select.select([box_end], [], [], 0)[0]:
                assert time.monotonic() < give_up, "the box does not read what it is sent"
                time.sleep(0.01)
        finally:
            os.close(box_end)

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()
        self._log.close()
        self.line.close()


@contextmanager
def box_on_line(folder: Path, *, module: str = "firmware", port: str = "") -> Iterator[BoxOnLine]:
    box = BoxOnLine(folder, module=module, port=port)
    try:
        yield box
    finally:
        box.close()
