"""The command line: output, error messages, exit statuses."""

import argparse
import io
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from firmware import cli
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.storage.ledger_file import opened_by_box
from tests.unit.command_line import TELLERBOX, RunCli, type_into_sim

pytestmark = pytest.mark.usefixtures("home")


def test_ledger_without_a_game(run_cli: RunCli, tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()
    for command in (
        ("ledger", "accounts"),
        ("ledger", "history"),
        ("ledger", "report"),
        ("cards",),
    ):
        output = run_cli(*command, "--ledger", empty)
        assert output.status == 1
        assert output.err.startswith(f"tellerbox: {empty}: ")
        assert "Traceback" not in output.err


DAMAGE = {
    "a deleted posting": "DELETE FROM posting WHERE id = 9",
    "a changed amount": "UPDATE posting SET amount = 77 WHERE id = 9",
    "a deleted card": "DELETE FROM card WHERE id = 3",
    "a missing table": "DROP TABLE card",
    "an invalid edition": "UPDATE game SET edition = 'x = 1' WHERE id = 2",
    "an invalid volume": "INSERT INTO setting VALUES ('volume', 9)",
    "a foreign table": "CREATE TABLE bribe (amount INTEGER)",
    "a deleted event": "DELETE FROM event WHERE id = 1",
    "a changed event": "UPDATE event SET game = 1 WHERE what = 'started'",
    "an invalid kind": "UPDATE event SET text = 'slow' WHERE what = 'started'",
    "an invalid format": "PRAGMA user_version = -5",
}


@pytest.mark.parametrize("name", DAMAGE)
def test_every_command_reports_damage_in_one_line(run_cli: RunCli, played: Path, name: str) -> None:
    connection = sqlite3.connect(played)
    guards = [
        row[0] for row in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
    ]
    for table in ("game", "posting", "card", "event"):
        for verb in ("UPDATE", "DELETE"):
            connection.execute(f"DROP TRIGGER {table}_no_{verb}")
    connection.execute(DAMAGE[name])
    for guard in guards:
        with suppress(sqlite3.OperationalError):
            connection.execute(guard)
    connection.commit()
    connection.close()
    before = played.read_bytes()
    box = type_into_sim("insert left 1", "press 1M", options=("--ledger", played))
    assert (box.status, box.err.count("\n"), "damaged (" in box.err) == (1, 1, True), box.err
    assert run_cli("ledger", "verify", "--ledger", played).status == 1
    for command in (
        ("ledger", "accounts"),
        ("ledger", "history"),
        ("ledger", "games"),
        ("ledger", "report"),
        ("ledger", "report", "--html", played.with_name("copy.html")),
        ("ledger", "backup", played.with_name("copy.db")),
        ("cards",),
        ("cards", "forget", "1"),
        ("cards", "replace", "1"),
    ):
        output = run_cli(*command, "--ledger", played)
        assert output.err == "" or (output.status == 1 and output.err.startswith("tellerbox: "))
        if command[0] == "cards" and len(command) > 1:
            assert output.status == 1, command
    assert played.read_bytes() == before
    assert not played.with_name("copy.db").exists()
    assert not played.with_name("copy.html.tellerbox-part").exists()


@pytest.mark.parametrize("name", [b"\xe9.db", b"x" * 300, b"a%20b?c#d.db"])
def test_unusual_file_names(run_cli: RunCli, tmp_path: Path, name: bytes) -> None:
    ledger = tmp_path / os.fsdecode(name)
    box = type_into_sim("insert left 1", options=("--ledger", ledger))
    output = run_cli("ledger", "accounts", "--ledger", ledger)
    assert "Traceback" not in box.err + output.err
    assert box.status == output.status == (1 if len(name) > 255 else 0)


@pytest.mark.parametrize("command", ["play -", "sim --text", "--help", "ledger accounts", "cards"])
@pytest.mark.parametrize("streams", ["<&-", ">&-", ">/dev/full", "2>&-", "<&- >&- 2>&-"])
def test_closed_and_full_streams(command: str, streams: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{' '.join(TELLERBOX)} {command} {streams}"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr + done.stdout
    assert "Exception" not in done.stderr


def test_help_names_every_command(run_cli: RunCli) -> None:
    output = run_cli("--help")
    assert output.status == 0
    for command in ("sim", "play", "ledger", "cards"):
        assert f"\n    {command} " in output.out
        assert run_cli(command, "--help").status == 0
    assert run_cli("--version").out.startswith("tellerbox 0.")


@pytest.mark.parametrize(
    "arguments", [(), ("fly",), ("play",), ("sim", "--fly"), ("ledger",), ("cards", "forget", "x")]
)
def test_invalid_arguments_print_the_usage(run_cli: RunCli, arguments: tuple[str, ...]) -> None:
    output = run_cli(*arguments)
    assert output.status == 2
    assert output.err.startswith("usage: tellerbox")


def test_closed_pipe_is_no_error(played: Path) -> None:
    """``tellerbox ledger history | head -1`` prints no error."""
    command = " ".join([sys.executable, "-m", "firmware", "ledger", "history"])
    done = subprocess.run(
        ["sh", "-c", f"{command} --ledger {played} | true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""


# Text from the command line in messages

HOSTILE = "\x1b[2J\x07\rx\ny\u202e\x9b"
TERMINATES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("run",): ("--board", "virtual", "--console", "no-such-port"),
    ("sim",): ("--text",),
    ("play",): ("--serial", "no-such-port", "--by-hand"),
    ("selftest",): ("--board", "virtual", "--no-input"),
}
"""Options with which a command ends by itself."""
NEEDS: dict[tuple[str, ...], str] = {
    ("play",): "no.box",
    ("ledger", "backup"): "copy.db",
    ("cards", "forget"): "1",
}
"""What a command needs besides an option."""


def options_with_text() -> Iterator[tuple[tuple[str, ...], str]]:
    """All commands and subcommands, with each option and argument that takes a text."""
    for name in cli.COMMANDS:
        [command] = [
            action.choices[name]
            for action in cli._parser([name])._actions
            if isinstance(action.choices, dict)
        ]
        yield from options_of(command, (name,))


def options_of(
    parser: argparse.ArgumentParser, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    for action in parser._actions:
        if isinstance(action.choices, dict):
            for name, command in action.choices.items():
                yield from options_of(command, (*words, name))
        elif action.nargs != 0:
            yield words, (action.option_strings or [""])[0]


OPTIONS = list(options_with_text())


def test_options_with_text_are_found() -> None:
    assert (("run",), "--console") in OPTIONS
    assert (("sim",), "--host") in OPTIONS
    assert (("play",), "--serial") in OPTIONS
    assert (("cards", "name"), "") in OPTIONS
    assert len(OPTIONS) > 40


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with opened_by_box(path) as store:
        Ledger(store, editions.load("banking")).know([b"one."])
    return path


@pytest.mark.parametrize(
    ("words", "option"), OPTIONS, ids=[f"{' '.join(words)} {option}" for words, option in OPTIONS]
)
def test_no_message_has_control_characters(
    run_cli: RunCli,
    ledger: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    option: str,
) -> None:
    """The text is the name of a folder, so that no command can read or write it."""
    (tmp_path / HOSTILE).mkdir()
    (tmp_path / "no.box").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    given = [option, HOSTILE, *filter(None, [NEEDS.get(words)])] if option else [HOSTILE]
    if words[0] in ("cards", "ledger") and option != "--ledger":
        given += ["--ledger", str(ledger)]
    # The host is of the page, which is not served in a terminal.
    ends = () if option == "--host" else TERMINATES.get(words, ())
    output = run_cli(*words, *ends, *given)
    assert output.status in (1, 2), output.out
    for text in (output.out, output.err):
        assert all(letter.isprintable() or letter == "\n" for letter in text), repr(text)
    assert "\ny" not in output.err


@pytest.mark.parametrize("word", [f"--{HOSTILE}", HOSTILE])
@pytest.mark.parametrize("words", [(), ("cards",), ("ledger",), ("play", "no.box")])
def test_unknown_words_are_quoted_without_control_characters(
    run_cli: RunCli, words: tuple[str, ...], word: str
) -> None:
    output = run_cli(*words, word)
    assert output.status == 2
    assert all(letter.isprintable() or letter == "\n" for letter in output.err), repr(output.err)
    assert "\ny" not in output.err


def test_percent_sign_in_the_default_of_the_ledger(
    run_cli: RunCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TELLERBOX_LEDGER", "/tmp/a%b\x1b.db")
    output = run_cli("ledger", "--help")
    assert (output.status, output.err) == (0, "")
    assert "/tmp/a%b .db" in " ".join(output.out.split())
