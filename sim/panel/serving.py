"""Serves the panel until a signal stops it: binds a port, opens the browser, prints the address."""

import asyncio
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_address

from aiohttp import web

from firmware.user_error import UserError, printable
from sim.panel.guests import connection_limiter
from sim.panel.guests.access_control import AccessControl
from sim.panel.guests.connection_limiter import ConnectionLimiter
from sim.panel.panel_session import PanelOptions, PanelSession
from sim.panel.server import CLOSE_TIMEOUT, Server

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DOCUMENTATION_ADDRESS = ("192.0.2.1", 9)
"""A reserved address outside of this network; nothing is sent to it."""
PORTS_TO_TRY = 20
BACKLOG = 50
"""Connections that may wait to be accepted; all of them are accepted before one is counted."""


def serve(options: PanelOptions, host: str, listener: socket.socket, *, browser: bool) -> int:
    return asyncio.run(_serve(options, host, listener, browser=browser))


def bound_socket(host: str, port: int) -> socket.socket:
    """A listening socket; raises UserError, with a free port if that one is in use."""
    try:
        return _bind(host, port)
    except (socket.gaierror, UnicodeError):
        raise UserError(f"--host {host}: no such address") from None
    except PermissionError:
        raise UserError(f"port {port} needs root rights; use --port 8765") from None
    except OSError as error:
        free = _free_port(host, port)
        if free is None:
            # The error's own text also has the address.
            raise UserError(f"--host {host}: {os.strerror(error.errno or 0)}") from None
        raise UserError(f"port {port} of {host} is in use; use --port {free}") from None


def _bind(host: str, port: int) -> socket.socket:
    passive = socket.AI_PASSIVE
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=passive)
    family, _, _, _, address = found[0]
    dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    return socket.create_server(address, family=family, dualstack_ipv6=dual)


def _free_port(host: str, port: int) -> int | None:
    for another in range(port + 1, min(port + PORTS_TO_TRY, 65536)):
        with suppress(OSError):
            _bind(host, another).close()
            return another
    return None


async def _serve(
    options: PanelOptions, host: str, listener: socket.socket, *, browser: bool
) -> int:
    stop = asyncio.Event()
    for number in STOP_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    session = PanelSession(options)
    opening, stopping = asyncio.create_task(session.open()), asyncio.create_task(stop.wait())
    await asyncio.wait({opening, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if stop.is_set() or not await opening:
        opening.cancel()
        await session.close()
        return 0 if stop.is_set() else 1
    access = AccessControl(host, _own_names(), _show_code)
    async with serving(session, access, listener):
        address = f"http://{_shown_host(host)}:{listener.getsockname()[1]}/"
        print(f"Tellerbox is at {address}", flush=True)
        print(f"Ledger {printable(options.ledger)}; Ctrl-C stops the box.", flush=True)
        access.start()
        if not (browser and _open_browser(address)):
            print("Open that address in a browser.", flush=True)
        await stop.wait()
    return 0


@asynccontextmanager
async def serving(
    session: PanelSession, access: AccessControl, listener: socket.socket
) -> AsyncIterator[None]:
    """Serve an open session, and close it at the end."""
    server = Server(session, access)
    runner = web.AppRunner(
        server.application(),
        access_log=None,
        logger=connection_limiter.log(),
        shutdown_timeout=CLOSE_TIMEOUT,
    )
    await runner.setup()
    assert runner.server, "the runner has no server after setup"
    protocols = ConnectionLimiter(runner.server, server.page_connections)
    accepting = await asyncio.get_running_loop().create_server(
        protocols, sock=listener, backlog=BACKLOG
    )
    try:
        yield
    finally:
        accepting.close()
        await session.close()
        await runner.cleanup()


def _own_names() -> tuple[str, ...]:
    name = socket.gethostname()
    return (name, f"{name.partition('.')[0]}.local")


def _show_code(code: str) -> None:
    print(f"The next visitor must enter this code: {code}", flush=True)


def _shown_host(host: str) -> str:
    """The host to enter in a browser."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(DOCUMENTATION_ADDRESS)
                return str(probe.getsockname()[0])
            except OSError:
                return socket.gethostname()
    return f"[{host}]" if address.version == 6 else host


def _open_browser(address: str) -> bool:
    """In a thread, because it may block; not a text browser, which would take the terminal."""
    try:
        if isinstance(webbrowser.get(), webbrowser.GenericBrowser):
            return False
    except webbrowser.Error:
        return False
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    return True
