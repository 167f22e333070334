"""The log in systemd's journal: one datagram an entry, a field a line."""

import logging
import os
import socket
import sys
from pathlib import Path

import pytest

from firmware import journal
from firmware.cli import main
from firmware.journal import JournalHandler


def record(message: str, level: int = logging.WARNING) -> logging.LogRecord:
    return logging.LogRecord("tellerbox.slots", level, "slots.py", 7, message, ("left",), None)


def fields(sent: bytes) -> dict[str, str]:
    """The journal's format, read as its documentation says."""
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


def test_an_entry_has_its_part_and_its_weight(tmp_path: Path) -> None:
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
def test_weights_are_those_of_syslog(level: int, priority: str) -> None:
    assert fields(journal.entry("", record("%s", level)))["PRIORITY"] == priority


def test_several_lines_stay_one_entry() -> None:
    got = fields(journal.entry("first\nsecond=2\n", record("%s")))
    assert got["MESSAGE"] == "first\nsecond=2\n"
    assert got["CODE_LINE"] == "7"


def test_a_journal_that_is_away_stops_nothing(tmp_path: Path) -> None:
    JournalHandler(str(tmp_path / "nobody")).emit(record("%s"))


def test_only_a_stderr_that_leads_to_the_journal_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    assert not journal.stderr_is_the_journal()
    with (tmp_path / "stream").open("w") as stream:
        found = os.fstat(stream.fileno())
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("JOURNAL_STREAM", f"{found.st_dev}:{found.st_ino}")
        assert journal.stderr_is_the_journal()
        monkeypatch.setenv("JOURNAL_STREAM", "8:1")
        assert not journal.stderr_is_the_journal()


def test_a_mistake_is_an_error_in_the_journal_too(
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
