"""The plug of the box: puts the firmware's process under power, and pulls it.

To pull it is to kill the process, with no chance to tidy up: what was not on disk is gone, as
on a table.
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
from sim.panel.actions import Done
from sim.panel.messages import Start

ROOT = Path(__file__).parent.parent.parent
PATIENCE = 5
"""Seconds that a box may take to end by itself."""


def _given_path() -> list[str]:
    given = os.environ.get("PYTHONPATH", "")
    return [given] if given else []


class Plug:
    """At most one process has power at a time."""

    def __init__(self, told: Callable[[dict[str, Any]], None], died: Callable[[], None]) -> None:
        self._told = told
        self._died = died
        """Is told when a box ends that nobody has ended."""
        self._process: Process | None = None
        self._listening: asyncio.Task[None] | None = None

    async def put_in(self, start: Callable[[], Start]) -> None:
        """Asks how to start when the process is there: hands do not stand still meanwhile."""
        assert self._process is None, "the plug is in"
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # the folder that somebody happens to be in is not for us to import from
            "-m",
            "sim.panel.firmware_process",
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *_given_path()])},
            start_new_session=True,  # Ctrl-C in the terminal is for the panel, which then stops it
        )
        self._process = process
        self._write(json.dumps(start()._asdict()))
        self._listening = asyncio.create_task(self._listen(self._process))

    def tell(self, done: Done) -> None:
        """A hand does something; a box without power does not notice."""
        if self._process:
            self._write(actions.write(done))

    def _write(self, line: str) -> None:
        assert self._process, "there is nobody to tell"
        assert self._process.stdin
        with suppress(ConnectionError):
            self._process.stdin.write(line.encode() + b"\n")

    async def pull(self) -> None:
        if self._process:
            process, self._process = self._process, None
            with suppress(ProcessLookupError):
                process.kill()
            await self._end()

    async def switch_off(self) -> None:
        """Let the box end by itself, as a panel that closes wants it."""
        if self._process:
            process, self._process = self._process, None
            assert process.stdin
            process.stdin.close()
            try:
                await asyncio.wait_for(process.wait(), PATIENCE)
            except TimeoutError:
                process.kill()
            await self._end()

    async def _end(self) -> None:
        """What it had shown by then was shown; then there is nothing more."""
        assert self._listening
        await self._listening

    async def _listen(self, process: Process) -> None:
        assert process.stdout
        while line := await process.stdout.readline():
            # The last line may have been cut off with the power.
            if line.endswith(b"\n"):
                self._told(json.loads(line))
        await process.wait()
        if self._process is process:
            self._process = None
            self._died()
