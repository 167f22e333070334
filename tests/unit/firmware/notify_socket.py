"""A stand-in for systemd's notification socket."""

import socket


class NotifySocket:
    """Receives the notifications of a service."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + address[1:] if address.startswith("@") else address)
        self._socket.settimeout(5)

    def receive(self) -> str:
        return self._socket.recv(4096).decode()

    def receive_until(self, start: str) -> None:
        """Fails after five seconds without any notification."""
        while not self.receive().startswith(start):
            continue

    def receives_within(self, seconds: float) -> bool:
        """Whether a notification arrives within this time."""
        self._socket.settimeout(seconds)
        try:
            return bool(self._socket.recv(4096))
        except (TimeoutError, BlockingIOError):
            return False
        finally:
            self._socket.settimeout(5)

    def close(self) -> None:
        self._socket.close()
