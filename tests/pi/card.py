"""A memory card for the emulator, as forgetful as a real one when the power goes.

A card takes a write into its own memory, says that it has it, and keeps it for good some
time later, in any order; only a flush makes it say the truth. Killing the emulator over a
plain image file would never lose a write, however rarely the firmware or the file system
asked for a flush. This card can: when the plug is pulled, of each 4 KiB that were written
and not flushed it keeps an older state or a newer one, as the dice say.

It is a server of the network block device protocol on a socket, which the emulator uses as
its disk. A block of 4 KiB is never torn: the file system's superblock has one checksum
over two sectors and would not survive that, on a real card either.
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

# Of the protocol: the greeting, the option that ends the haggling, and the requests.
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


class Forgotten(NamedTuple):
    """What a pulled plug did to the card."""

    unflushed: int
    """Blocks that had been written and not flushed."""
    lost: int
    """Of those, the ones that went back to an older state."""


class Gone(Exception):
    """The emulator is no longer there."""


class Card:
    """A card in its slot; the image file always has the newest of everything."""

    def __init__(self, image: Path, path: Path) -> None:
        self.path = path
        self.writes = 0
        self.flushes = 0
        self._file = os.open(image, os.O_RDWR)
        self._size = os.fstat(self._file).st_size
        self._older: dict[int, list[bytes]] = {}
        """Of each block with unflushed writes, what it held before each of them."""
        self._cut: tuple[int, Callable[[], None]] | None = None
        path.unlink(missing_ok=True)
        self._slot = socket.socket(socket.AF_UNIX)
        self._slot.bind(short(path))
        self._slot.listen(1)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        mistake: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._slot.close()
        self._thread.join(10)
        os.close(self._file)

    # The plug

    def cut_at_write(self, number: int, pull: Callable[[], None]) -> None:
        """Pull the plug when that many more writes have come: before the last one is taken."""
        self._cut = (self.writes + number, pull)

    def lose_power(self, dice: random.Random, share: float) -> Forgotten:
        """Call when the emulator is gone. Each unflushed block goes back with that chance."""
        self._thread.join(10)
        assert not self._thread.is_alive(), "the emulator is still there"
        lost = 0
        for block, older in sorted(self._older.items()):
            if dice.random() < share:
                os.pwrite(self._file, dice.choice(older), block * BLOCK)
                lost += 1
        told = Forgotten(len(self._older), lost)
        self._older.clear()
        return told

    # The protocol

    def _serve(self) -> None:
        try:
            line, _ = self._slot.accept()
        except OSError:
            return  # nobody came
        with line:
            try:
                self._agree(line)
                while self._answer(line):
                    pass
            except (Gone, OSError):
                return

    def _agree(self, line: socket.socket) -> None:
        line.sendall(GREETING)
        _read(line, 4)
        while True:
            _, option, length = OPTION.unpack(_read(line, OPTION.size))
            _read(line, length)
            if option == OPT_GO:
                flags = HAS_FLAGS | SEND_FLUSH
                about = struct.pack(">HQH", INFO_EXPORT, self._size, flags)
                line.sendall(_option_reply(option, REP_INFO, about))
                line.sendall(_option_reply(option, REP_ACK))
                return
            known = option == OPT_ABORT
            line.sendall(_option_reply(option, REP_ACK if known else REP_UNSUPPORTED))

    def _answer(self, line: socket.socket) -> bool:
        _, _, kind, handle, offset, length = REQUEST.unpack(_read(line, REQUEST.size))
        error, content = 0, b""
        if kind == READ:
            content = os.pread(self._file, length, offset)
        elif kind == WRITE:
            self._write(offset, _read(line, length))
        elif kind == FLUSH:
            self.flushes += 1
            # The host keeps its power: what is in the file is safe, and need not be synced.
            self._older.clear()
        elif kind == DISCONNECT:
            return False
        else:
            error = NOT_SUPPORTED
        line.sendall(REPLY.pack(REPLY_MAGIC, error, handle) + content)
        return True

    def _write(self, offset: int, content: bytes) -> None:
        self.writes += 1
        if self._cut is not None and self.writes >= self._cut[0]:
            _, pull = self._cut
            self._cut = None
            pull()
            raise Gone
        for block in range(offset // BLOCK, -(-(offset + len(content)) // BLOCK)):
            older = self._older.setdefault(block, [])
            older.append(os.pread(self._file, BLOCK, block * BLOCK))
        os.pwrite(self._file, content, offset)


def short(path: Path) -> str:
    """A path for a socket, which may have no more than a hundred characters."""
    return min(str(path), os.path.relpath(path), key=len)


def _option_reply(option: int, kind: int, about: bytes = b"") -> bytes:
    return OPTION_REPLY.pack(OPTION_REPLY_MAGIC, option, kind, len(about)) + about


def _read(line: socket.socket, length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        part = line.recv(length - len(parts))
        if not part:
            raise Gone
        parts += part
    return bytes(parts)
