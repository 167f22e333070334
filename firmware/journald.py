"""The log as structured entries of systemd's journal, where that is who reads it.

``journalctl -t tellerbox TELLERBOX_PART=slots`` then shows what one part had to say, and
``-p warning`` what went wrong. The journal takes one datagram an entry, a field a line;
the package that does the same needs a C library and its headers on every Pi.
"""

import logging
import os
import socket
import sys
from contextlib import suppress

SOCKET = "/run/systemd/journal/socket"
NAME = "tellerbox"
PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3}
"""The journal counts as syslog does: the smaller, the worse."""
WORST = 2
ERROR_MARK = "<3>"
"""At the beginning of a plain line: its weight."""


def begin_log() -> None:
    """To the journal, or as plain lines to whoever started the box."""
    if stderr_is_the_journal():
        logging.basicConfig(level=logging.INFO, handlers=[JournalHandler()])
    else:
        logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")


def stderr_is_the_journal() -> bool:
    """Systemd says which file it connected to the journal; ours may have been redirected."""
    with suppress(OSError, ValueError):
        found = os.fstat(sys.stderr.fileno())
        return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"
    return False


class JournalHandler(logging.Handler):
    """Sends each record as one entry, and never keeps the bank waiting for it."""

    def __init__(self, address: str = SOCKET) -> None:
        super().__init__()
        self._address = address
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._line.setblocking(False)

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):
            self._line.sendto(entry(self.format(record), record), self._address)

    def close(self) -> None:
        self._line.close()
        super().close()


def entry(message: str, record: logging.LogRecord) -> bytes:
    """A record in the journal's own format."""
    fields = {
        "MESSAGE": message,
        "PRIORITY": str(PRIORITIES.get(record.levelno, WORST)),
        "SYSLOG_IDENTIFIER": NAME,
        "TELLERBOX_PART": record.name.removeprefix(f"{NAME}."),
        "CODE_FILE": record.pathname,
        "CODE_LINE": str(record.lineno),
        "CODE_FUNC": record.funcName or "",
    }
    return b"".join(_field(name, value.encode(errors="replace")) for name, value in fields.items())


def _field(name: str, value: bytes) -> bytes:
    """One line; a value with several, such as a traceback, is preceded by its length instead."""
    if b"\n" not in value:
        return name.encode() + b"=" + value + b"\n"
    return name.encode() + b"\n" + len(value).to_bytes(8, "little") + value + b"\n"
