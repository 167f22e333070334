"""Starts, stops and kills the firmware's process.

A kill is a power cut: the firmware cannot clean up, and what is not on disk is lost.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sim.panel import actions
from sim.panel.actions import BoxAction
from sim.panel.messages import BoxStart

ROOT = Path(__file__).parent.parent.parent
STOP_TIMEOUT = 5
"""Seconds for the firmware to exit before it is killed."""


class BoxProcess:
    """At most one process runs at a time."""

    def __init__(
        self, on_message: Callable[[dict[str, Any]], None], on_exit: Callable[[], None]
    ) -> None:
        self._on_message = on_message
        self._on_exit = on_exit
        """Called only if the process exits without ``kill`` or ``stop``."""
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self, options: Callable[[], BoxStart]) -> None:
        """Get the options only when the process exists: cards and keys may change meanwhile."""
        assert self._process is None, "the process is running already"
        path = filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))
        self._process = process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # do not import from the working directory
            "-m",
            "sim.panel.box.firmware_process",
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
            start_new_session=True,  # Ctrl-C must reach the panel only; it stops the box
        )
        self._write(json.dumps(options()._asdict()))
        self._reading = asyncio.create_task(self._read(process))

    def send(self, *box_actions: BoxAction) -> None:
        """Without power the box ignores them."""
        if self._process:
            for action in box_actions:
                self._write(actions.write(action))

    def _write(self, line: str) -> None:
        assert self._process, "the process is not running"
        assert self._process.stdin
        with suppress(ConnectionError):
            self._process.stdin.write(line.encode() + b"\n")

    async def kill(self) -> None:
        if self._process:
            process, self._process = self._process, None
            with suppress(ProcessLookupError):
                process.kill()
            await self._finish_reading()

    async def stop(self) -> None:
        """Close its standard input, and wait until it exits."""
        if self._process:
            process, self._process = self._process, None
            assert process.stdin
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), STOP_TIMEOUT)
            except TimeoutError:
                process.kill()
            await self._finish_reading()

    async def _finish_reading(self) -> None:
        """Pass on all messages that were sent before the process ended."""
        assert self._reading
        await self._reading

    async def _read(self, process: Process) -> None:
        assert process.stdout
        while line := await process.stdout.readline():
            # A kill may have cut off the last line.
            if line.endswith(b"\n"):
                self._on_message(json.loads(line))
        await process.wait()
        if self._process is process:
            self._process = None
            self._on_exit()
