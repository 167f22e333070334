"""The log in systemd's journal."""

import logging
import os
import socket
import sys
from pathlib import Path

import pytest

from firmware import journald
from firmware.cli import main
from firmware.journald import JournalHandler


def record(message: str, level: int = logging.WARNING) -> logging.LogRecord:
    return logging.LogRecord("tellerbox.slots", level, "slots.py", 7, message, ("left",), None)


def fields(sent: bytes) -> dict[str, str]:
    """Parse an entry in the journal's native format."""
    found = {}
    while sent:
        name, _, rest = sent.partition(b"\n")
        if b"=" in name:
            key, _, value = name.partition(b"=")
        else:
            length = int.from_bytes(rest[:8], "little")
            key, value, rest = name, rest[8 : 8 + length], rest[8 + length + 1 :]
        found[key.decode()] = value.decode()
        sent = rest
    return found


def test_entry_has_its_part_and_priority(tmp_path: Path) -> None:
    reader = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    reader.bind(str(tmp_path / "journal"))
    handler = JournalHandler(str(tmp_path / "journal"))
    handler.emit(record("the %s reader does not answer"))
    got = fields(reader.recv(4096))
    assert got["MESSAGE"] == "the left reader does not answer"
    assert got["TELLERBOX_PART"] == "slots"
    assert got["SYSLOG_IDENTIFIER"] == "tellerbox"
    assert got["PRIORITY"] == "4"
    handler.close()
    reader.close()


@pytest.mark.parametrize(
    ("level", "priority"),
    [(logging.DEBUG, "7"), (logging.INFO, "6"), (logging.ERROR, "3"), (logging.CRITICAL, "2")],
)
def test_priorities_are_those_of_syslog(level: int, priority: str) -> None:
    assert fields(journald.entry("", record("%s", level)))["PRIORITY"] == priority


def test_message_of_several_lines_is_one_entry() -> None:
    got = fields(journald.entry("first\nsecond=2\n", record("%s")))
    assert got["MESSAGE"] == "first\nsecond=2\n"
    assert got["CODE_LINE"] == "7"


def test_missing_journal_is_ignored(tmp_path: Path) -> None:
    JournalHandler(str(tmp_path / "missing")).emit(record("%s"))


def test_redirected_stderr_is_not_the_journal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    assert not journald.stderr_is_the_journal()
    with (tmp_path / "stream").open("w") as stream:
        found = os.fstat(stream.fileno())
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")
        assert journald.stderr_is_the_journal()
        monkeypatch.setenv("JOURNAL_STREAM", "8:1")
        assert not journald.stderr_is_the_journal()


def test_error_message_has_its_priority_in_the_journal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with (tmp_path / "stream").open("w") as stream:
        found = os.fstat(stream.fileno())
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")
        assert main(["run", "--board", "virtual", "--config", str(tmp_path / "none.toml")]) == 1
        monkeypatch.setenv("JOURNAL_STREAM", "8:1")
        assert main(["run", "--board", "virtual", "--config", str(tmp_path / "none.toml")]) == 1
    marked, plain = (tmp_path / "stream").read_text().splitlines()
    assert marked == f"<3>{plain}"
    assert plain.startswith("tellerbox: ")


def test_a_name_in_a_message_is_one_line() -> None:
    formatter = journald.PrintableFormatter("%(name)s: %(message)s")
    found = record("a folder named \x1b[2J\n%s")
    assert formatter.format(found) == "tellerbox.slots: a folder named  [2J left"
