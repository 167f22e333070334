"""A memory card for the emulator that loses unflushed writes in a power cut.

A real card acknowledges a write before it is durable, and makes writes durable in any order;
only a flush guarantees it. Killing the emulator over a plain image file would never lose a
write, even if the firmware or the file system never flushed. This card keeps a random older
or newer state of each block that was written and not flushed.

It is a server of the network block device protocol on a socket, which the emulator uses as
its disk. Blocks of 4 KiB are never torn: the superblock has one checksum over two sectors,
and would not survive that on a real card either.
"""

import os
import random
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

BLOCK = 4096

# The NBD protocol: greeting, options, requests.
GREETING = b"NBDMAGICIHAVEOPT" + struct.pack(">H", 0b11)
OPTION = struct.Struct(">8sII")
OPTION_REPLY = struct.Struct(">QIII")
OPTION_REPLY_MAGIC = 0x3E889045565A9
OPT_ABORT, OPT_GO = 2, 7
REP_ACK, REP_INFO, REP_UNSUPPORTED = 1, 3, 2**31 + 1
INFO_EXPORT = 0
HAS_FLAGS, SEND_FLUSH = 1, 4
REQUEST = struct.Struct(">IHHQQI")
REPLY = struct.Struct(">IIQ")
REPLY_MAGIC = 0x67446698
READ, WRITE, DISCONNECT, FLUSH = 0, 1, 2, 3
NOT_SUPPORTED = 95


class LostWrites(NamedTuple):
    unflushed: int
    """Blocks that were written and not flushed."""
    lost: int
    """How many of those went back to an older state."""


class Disconnected(Exception):
    """The emulator has closed the connection."""


class MemoryCard:
    """Serves an image file, which always has the newest state of each block."""

    def __init__(self, image: Path, path: Path) -> None:
        self.path = path
        self.writes = 0
        self.flushes = 0
        self._file = os.open(image, os.O_RDWR)
        self._size = os.fstat(self._file).st_size
        self._older: dict[int, list[bytes]] = {}
        """The earlier states of each block since the last flush."""
        self._cut: tuple[int, Callable[[], None]] | None = None
        path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(short(path))
        self._listener.listen(1)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.close()
        self._thread.join(10)
        os.close(self._file)

    # Power cuts

    def cut_at_write(self, count: int, cut_power: Callable[[], None]) -> None:
        """Cut the power at the given write from now, before it is executed."""
        self._cut = (self.writes + count, cut_power)

    def lose_power(self, rng: random.Random, chance: float) -> LostWrites:
        """Revert each unflushed block with the given chance; the emulator must have ended."""
        self._thread.join(10)
        assert not self._thread.is_alive(), "the emulator is still connected"
        lost = 0
        for block, older in sorted(self._older.items()):
            if rng.random() < chance:
                os.pwrite(self._file, rng.choice(older), block * BLOCK)
                lost += 1
        result = LostWrites(len(self._older), lost)
        self._older.clear()
        return result

    # The protocol

    def _serve(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return  # closed before the emulator connected
        with connection:
            try:
                self._negotiate(connection)
                while self._answer(connection):
                    pass
            except (Disconnected, OSError):
                return

    def _negotiate(self, connection: socket.socket) -> None:
        connection.sendall(GREETING)
        _read(connection, 4)
        while True:
            _, option, length = OPTION.unpack(_read(connection, OPTION.size))
            _read(connection, length)
            if option == OPT_GO:
                flags = HAS_FLAGS | SEND_FLUSH
                about = struct.pack(">HQH", INFO_EXPORT, self._size, flags)
                connection.sendall(_option_reply(option, REP_INFO, about))
                connection.sendall(_option_reply(option, REP_ACK))
                return
            known = option == OPT_ABORT
            connection.sendall(_option_reply(option, REP_ACK if known else REP_UNSUPPORTED))

    def _answer(self, connection: socket.socket) -> bool:
        _, _, kind, handle, offset, length = REQUEST.unpack(_read(connection, REQUEST.size))
        error, content = 0, b""
        if kind == READ:
            content = os.pread(self._file, length, offset)
        elif kind == WRITE:
            self._write(offset, _read(connection, length))
        elif kind == FLUSH:
            self.flushes += 1
            # No fsync: the host does not lose power.
            self._older.clear()
        elif kind == DISCONNECT:
            return False
        else:
            error = NOT_SUPPORTED
        connection.sendall(REPLY.pack(REPLY_MAGIC, error, handle) + content)
        return True

    def _write(self, offset: int, content: bytes) -> None:
        self.writes += 1
        if self._cut is not None and self.writes >= self._cut[0]:
            _, cut_power = self._cut
            self._cut = None
            cut_power()
            raise Disconnected
        for block in range(offset // BLOCK, -(-(offset + len(content)) // BLOCK)):
            older = self._older.setdefault(block, [])
            older.append(os.pread(self._file, BLOCK, block * BLOCK))
        os.pwrite(self._file, content, offset)


def short(path: Path) -> str:
    """Return the shorter form of a socket's path, which is limited to about 100 characters."""
    return min(str(path), os.path.relpath(path), key=len)


def _option_reply(option: int, kind: int, about: bytes = b"") -> bytes:
    return OPTION_REPLY.pack(OPTION_REPLY_MAGIC, option, kind, len(about)) + about


def _read(connection: socket.socket, length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        part = connection.recv(length - len(parts))
        if not part:
            raise Disconnected
        parts += part
    return bytes(parts)
