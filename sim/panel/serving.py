"""Serves the panel until somebody stops it: takes a port, opens the browser, tells the terminal."""

import asyncio
import signal
import socket
import threading
import webbrowser
from ipaddress import ip_address

from aiohttp import web

from firmware.mistake import Mistake
from sim.panel import crowd
from sim.panel.crowd import Crowd
from sim.panel.doorkeeper import Doorkeeper
from sim.panel.room import Options, Room
from sim.panel.server import LEAVE_TAKING, Server

__all__ = ["Options", "serve", "taken"]

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ANOTHER_NET = ("192.0.2.1", 9)
"""An address that is kept for documentation: nothing is sent there."""
TRIES = 20
AT_ONCE = 50
"""Lines that may be waiting to be opened; so many are opened before one of them is counted."""


def serve(options: Options, host: str, door: socket.socket, *, browser: bool) -> int:
    return asyncio.run(_serve(options, host, door, browser=browser))


def taken(host: str, port: int) -> socket.socket:
    """The port, ours from here on; or one sentence with another one that is free."""
    try:
        return _bound(host, port)
    except (socket.gaierror, UnicodeError):
        raise Mistake(f"--host {host}: there is no such address") from None
    except PermissionError:
        raise Mistake(f"port {port} is not for everybody; say --port 8765") from None
    except OSError as error:
        free = _free_port(host, port)
        if free is None:
            raise Mistake(f"--host {host}: {error.strerror}") from None
        raise Mistake(
            f"port {port} of {host} is taken; {free} is free: say --port {free}"
        ) from None


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    door = socket.socket(family, kind, protocol)
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(address)
        door.listen()
    except OSError:
        door.close()
        raise
    return door


def _free_port(host: str, port: int) -> int | None:
    for another in range(port + 1, min(port + TRIES, 65536)):
        try:
            _bound(host, another).close()
        except OSError:
            continue
        return another
    return None


async def _serve(options: Options, host: str, door: socket.socket, *, browser: bool) -> int:
    stop = asyncio.Event()
    for number in STOPPING:
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    room = Room(options)
    doorkeeper = Doorkeeper(host, _own_names(), _show_code)
    server = Server(room, doorkeeper)
    runner = web.AppRunner(
        server.application(), access_log=None, logger=crowd.log(), shutdown_timeout=LEAVE_TAKING
    )
    await runner.setup()
    opening, stopping = asyncio.create_task(room.open()), asyncio.create_task(stop.wait())
    await asyncio.wait({opening, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if stop.is_set() or not await opening:
        opening.cancel()
        await room.close()
        await runner.cleanup()
        return 0 if stop.is_set() else 1
    assert runner.server, "the runner was set up"
    lines = Crowd(runner.server, server.pages)
    open_door = await asyncio.get_running_loop().create_server(lines, sock=door, backlog=AT_ONCE)
    address = f"http://{_shown_host(host)}:{door.getsockname()[1]}/"
    print(f"Tellerbox is at {address}", flush=True)
    print(f"Ledger {options.ledger}; Ctrl-C stops the box.", flush=True)
    doorkeeper.open()
    if not (browser and _open_browser(address)):
        print("Open that address in a browser.", flush=True)
    await stop.wait()
    open_door.close()
    await room.close()
    await runner.cleanup()
    return 0


def _own_names() -> tuple[str, ...]:
    name = socket.gethostname()
    return (name, f"{name.partition('.')[0]}.local")


def _show_code(code: str) -> None:
    print(f"Whoever visits the page is asked for this code, once: {code}", flush=True)


def _shown_host(host: str) -> str:
    """What a person types into a browser."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            try:
                line.connect(ANOTHER_NET)
                return str(line.getsockname()[0])
            except OSError:
                return socket.gethostname()
    return f"[{host}]" if address.version == 6 else host


def _open_browser(address: str) -> bool:
    """Beside us, for it may take a while; a text browser would take the terminal away."""
    try:
        if isinstance(webbrowser.get(), webbrowser.GenericBrowser):
            return False
    except webbrowser.Error:
        return False
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    return True
