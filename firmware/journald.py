"""Writes the log as structured entries to systemd's journal, if stderr leads there.

``journalctl -t tellerbox TELLERBOX_PART=slots`` shows the entries of one part, ``-p warning`` only
warnings and errors. An entry is one datagram with one field per line. The systemd-python package
would need a C library and its headers on every Pi.
"""

import logging
import os
import socket
import sys
from contextlib import suppress

from firmware.user_error import printable

SOCKET = "/run/systemd/journal/socket"
NAME = "tellerbox"
PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3}
"""Syslog priorities: lower is more severe."""
CRITICAL = 2
ERROR_MARK = "<3>"
"""The prefix of a plain line with the priority "error"."""


def begin_log() -> None:
    """Log to the journal, or as plain lines to stderr."""
    if stderr_is_the_journal():
        handler: logging.Handler = JournalHandler()
        handler.setFormatter(PrintableFormatter())
    else:
        handler = logging.StreamHandler()
        handler.setFormatter(PrintableFormatter("%(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


def stderr_is_the_journal() -> bool:
    """Compare stderr with the stream that systemd set up; stderr may be redirected."""
    with suppress(OSError, ValueError):
        found = os.fstat(sys.stderr.fileno())
        return os.environ.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"
    return False


class PrintableFormatter(logging.Formatter):
    """Formats a record; its message has no control characters, whatever name it quotes."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # overrides it
        return printable(super().formatMessage(record))


class JournalHandler(logging.Handler):
    """Sends each record as one entry, without blocking."""

    def __init__(self, address: str = SOCKET) -> None:
        super().__init__()
        self._address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):
            self._socket.sendto(entry(self.format(record), record), self._address)

    def close(self) -> None:
        self._socket.close()
        super().close()


def entry(message: str, record: logging.LogRecord) -> bytes:
    """A record in the journal's native format."""
    fields = {
        "MESSAGE": message,
        "PRIORITY": str(PRIORITIES.get(record.levelno, CRITICAL)),
        "SYSLOG_IDENTIFIER": NAME,
        "TELLERBOX_PART": record.name.removeprefix(f"{NAME}."),
        "CODE_FILE": record.pathname,
        "CODE_LINE": str(record.lineno),
        "CODE_FUNC": record.funcName or "",
    }
    return b"".join(_field(name, value.encode(errors="replace")) for name, value in fields.items())


def _field(name: str, value: bytes) -> bytes:
    """One line; a value with line breaks, such as a traceback, is preceded by its length."""
    if b"\n" not in value:
        return name.encode() + b"=" + value + b"\n"
    return name.encode() + b"\n" + len(value).to_bytes(8, "little") + value + b"\n"
