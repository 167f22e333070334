"""Clients that hang up in the middle of something: nothing is logged, and the panel goes on."""

import socket
import struct
from collections.abc import Callable
from contextlib import ExitStack
from typing import NamedTuple

import aiohttp

from sim.panel.guests.connection_limiter import MAX_CONNECTIONS
from tests.panel.conftest import StartPanel
from tests.panel.panels import PanelProcess
from tests.panel.server.page_connection import run

HANDSHAKE = (
    b"GET /box HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
FORM = (
    b"POST /code HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 17\r\n\r\n"
)


def get(path: str) -> bytes:
    return f"GET /{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


SENT = {
    "in a page": 30 * get(""),
    "in the largest file": 100 * get("style.css"),
    "in a form": FORM + b"code=1",
    "in a handshake": HANDSHAKE,
    "in a frame": HANDSHAKE + b"\x81\x85abcd12345\x81\x85ab",
    "in a ping": HANDSHAKE + 30 * b"\x89\x80abcd",
    "silent": b"",
}


def is_answered(sent: bytes) -> bool:
    return sent.endswith(b"\r\n\r\n")


class Client(NamedTuple):
    """A connection that takes in little, so that the server has to wait for it."""

    socket: socket.socket

    @classmethod
    def of(cls, panel: PanelProcess, stack: ExitStack) -> "Client":
        client = stack.enter_context(socket.socket())
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        client.settimeout(10)
        client.connect(("127.0.0.1", panel.port))
        return cls(client)

    def send(self, content: bytes) -> None:
        """The limiter may have closed the connection meanwhile."""
        try:
            self.socket.sendall(content)
        except ConnectionError:
            return

    def reset(self) -> None:
        """Close it at once, without a farewell."""
        linger = struct.pack("ii", 1, 0)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.socket.close()


def test_a_client_that_resets_is_not_logged(start_panel: StartPanel) -> None:
    def attack(panel: PanelProcess, stack: ExitStack) -> None:
        for sent in SENT.values():
            for _ in range(40):
                client = Client.of(panel, stack)
                client.send(sent)
                if is_answered(sent):
                    client.socket.recv(1)
                client.reset()

    check_nothing_is_logged(start_panel, attack)


def test_a_slow_client_whose_connection_is_needed_is_not_logged(start_panel: StartPanel) -> None:
    """The panel closes the oldest of too many connections, here in the middle of a file."""

    def attack(panel: PanelProcess, stack: ExitStack) -> None:
        for _ in range(20):
            slow = Client.of(panel, stack)
            slow.send(SENT["in the largest file"])
            slow.socket.recv(1)
        for _ in range(MAX_CONNECTIONS):
            other = Client.of(panel, stack)
            other.send(get("icon.svg"))
            other.socket.recv(1)

    check_nothing_is_logged(start_panel, attack)


def check_nothing_is_logged(
    start_panel: StartPanel, attack: Callable[[PanelProcess, ExitStack], None]
) -> None:
    panel = start_panel()
    before = panel.startup_output()
    with ExitStack() as stack:
        attack(panel, stack)

    async def work() -> None:
        async with aiohttp.ClientSession() as session, session.get(panel.url) as got:
            assert got.status == 200

    run(work())
    panel.close()
    assert panel.output().removeprefix(before) == ""
