"""A process that serves many panels, which is faster than one process for each test.

``python -m tests.panel.panel_host`` reads folders from standard input, one a line. A new folder
opens a panel with a new ledger in it, and the answer is the page's address. The same folder again
closes the panel, and the answer is ``closed``.
"""

import argparse
import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from firmware.config import Config
from sim.commands import sim as sim_command
from sim.panel.guests.access_control import AccessControl
from sim.panel.panel_session import PanelOptions, PanelSession
from sim.panel.serving import bound_socket, serving

LOOPBACK = "127.0.0.1"


async def host() -> None:
    """Run until standard input ends."""
    panels: dict[str, AsyncExitStack] = {}
    loop = asyncio.get_running_loop()
    while folder := (await loop.run_in_executor(None, sys.stdin.readline)).strip():
        if folder in panels:
            await panels.pop(folder).aclose()
            print("closed", flush=True)
        else:
            panels[folder] = AsyncExitStack()
            print(await _open(panels[folder], Path(folder)), flush=True)
    for stack in panels.values():
        await stack.aclose()


async def _open(stack: AsyncExitStack, folder: Path) -> str:
    parser = argparse.ArgumentParser()
    sim_command.options(parser)
    args = parser.parse_args(["--ledger", str(folder / "ledger.db")])
    session = PanelSession(sim_command.begun(PanelOptions, args, Config()))
    assert await session.open()
    listener = stack.enter_context(bound_socket(LOOPBACK, 0))
    await stack.enter_async_context(serving(session, AccessControl(LOOPBACK, (), print), listener))
    return f"http://{LOOPBACK}:{listener.getsockname()[1]}/"


if __name__ == "__main__":
    asyncio.run(host())
