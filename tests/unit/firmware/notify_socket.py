"""What systemd would hear of a service."""

import socket


class Systemd:
    """A socket that keeps what it is told."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + address[1:] if address.startswith("@") else address)
        self._socket.settimeout(5)

    def heard(self) -> str:
        return self._socket.recv(4096).decode()

    def until_heard(self, what: str) -> None:
        """Fails after five seconds in which nothing is said at all."""
        while not self.heard().startswith(what):
            continue

    def heard_in(self, seconds: float) -> bool:
        """Whether anything is said within so many seconds."""
        self._socket.settimeout(seconds)
        try:
            return bool(self._socket.recv(4096))
        except (TimeoutError, BlockingIOError):
            return False
        finally:
            self._socket.settimeout(5)

    def close(self) -> None:
        self._socket.close()
