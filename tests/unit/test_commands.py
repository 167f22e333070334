"""The command line as a person meets it: answers, sentences, exit statuses."""

import csv
import io
import json
import os
import pty
import select
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from firmware import edition as editions
from firmware.cli import main
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box
from firmware.records import BANK, POT, Kind, Purpose

OLD_LEDGER = Path(__file__).with_name("ledgers") / "format-1.db"
"""Two games, as the box wrote them before there was an F key."""

TELLERBOX = [sys.executable, "-m", "firmware"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, so that no test meets a real game."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    return tmp_path


class Said:
    """What a command answered."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


Tell = Callable[..., Said]


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Tell:
    def tell(*arguments: str | Path) -> Said:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        out, err = capsys.readouterr()
        return Said(status, out, err)

    return tell


def converse(*lines: str, options: tuple[str | Path, ...] = ()) -> Said:
    """Type lines into ``tellerbox sim --text`` through a pipe."""
    done = subprocess.run(
        [*TELLERBOX, "sim", "--text", *map(str, options)],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    return Said(done.returncode, done.stdout, done.stderr)


# play


def test_play_says_what_passed(tell: Tell, tmp_path: Path) -> None:
    (tmp_path / "a.box").write_text("insert left 1\nexpect card 1\nwait 3h\nexpect asleep\n")
    said = tell("play", tmp_path / "a.box")
    assert said.status == 0
    assert said.out == f"ok {tmp_path}/a.box\n1 passed, 0 failed\n"


def test_play_stops_a_file_and_goes_on_with_the_next(tell: Tell, tmp_path: Path) -> None:
    (tmp_path / "a.box").write_text("\nexpect screen 15M\nexpect screen 16M\n")
    (tmp_path / "b.box").write_text("expect screen -----\n")
    said = tell("play", tmp_path / "a.box", tmp_path / "b.box")
    assert said.status == 1
    assert said.err == f"{tmp_path}/a.box:2: expected screen 15M, got -----\n"
    assert said.out == f"ok {tmp_path}/b.box\n1 passed, 1 failed\n"


@pytest.mark.parametrize(
    ("line", "got"),
    [
        ("expect message NO CARD", "expected message NO CARD, got nothing"),
        ("expect message \x1b[31mX", "expected message  [31mX, got nothing"),  # no colours
        ("expect screen", "expected screen, got -----"),
        ("expect card 1", "expected card 1, got none"),
        ("expect balance 1 14M", "expected balance 1 14M, got 15M"),
        ("expect balance 9 1M", "expected balance 9 1M, got no card 9"),
        ("expect sound ok", "expected sound ok, got none"),
        ("expect volume 0", "expected volume 0, got 2"),
        ("expect asleep", "expected asleep, got awake"),
        ("wait 60s\nexpect awake", "expected awake, got asleep"),
        ("wait 60s\nexpect screen 1", "expected screen 1, got nothing"),
    ],
)
def test_what_an_expectation_got(tell: Tell, tmp_path: Path, line: str, got: str) -> None:
    (tmp_path / "a.box").write_text(line)
    said = tell("play", tmp_path / "a.box")
    assert said.status == 1
    assert said.err.endswith(f": {got}\n")


def test_play_runs_nothing_when_a_script_is_wrong(tell: Tell, tmp_path: Path) -> None:
    (tmp_path / "a.box").write_text("expect screen 15M\n")
    (tmp_path / "b.box").write_text("expect awake\nfly\n")
    (tmp_path / "c.box").write_bytes(b"# ok\n# caf\xe9\n")
    missing = tmp_path / "d.box"
    said = tell("play", *(tmp_path / name for name in ("a.box", "b.box", "c.box", "d.box")))
    assert said.status == 2
    assert said.out == ""
    assert f"{tmp_path}/b.box:2: there is no 'fly'" in said.err
    assert f"{tmp_path}/c.box:2: this is not a UTF-8 text" in said.err
    assert f"{missing}:1: cannot be read: No such file or directory" in said.err
    assert said.err.count("\n") == 3


def test_play_reads_standard_input(tell: Tell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"expect screen 1M\n")))
    said = tell("play", "-")
    assert said.status == 1
    assert said.err == "-:1: expected screen 1M, got -----\n"


def test_play_traces_events_screens_and_sounds(tell: Tell, tmp_path: Path) -> None:
    (tmp_path / "a.box").write_text(
        "insert left 1\nwait 1s\npress M\nremove left\nwait 60s\npower off\npower on\n"
    )
    lines = tell("play", "--trace", tmp_path / "a.box").out.split("\n")
    assert lines[:15] == [
        "0:00:00.000  power  on",
        "0:00:00.000  screen -----",
        "0:00:00.000  card   A1C0FFEE in left",
        "0:00:00.000  screen 1",
        "0:00:00.000  sound  card",
        "0:00:01.000  screen 15M",
        "0:00:01.000  key    M down",
        "0:00:01.000  screen 15M | NO AMOUNT",
        "0:00:01.000  sound  error",
        "0:00:01.000  key    M up",
        "0:00:01.000  card   out of left",
        "0:00:01.000  screen -----",
        "0:01:01.000  screen dark",
        "0:01:01.000  power  off",
        "0:01:01.000  power  on",
    ]


# the prompt


def test_the_ledger_survives_restarts() -> None:
    first = converse("insert left 1", "press 2M", "remove left")
    assert first.status == 0
    assert "screen 17M | sound ok" in first.out
    assert "█" in first.out
    second = converse("insert left 1", "expect balance 1 17M", "wait 1s", "expect screen 17M")
    assert second.status == 0, second.err


def test_the_prompt_explains_itself_and_its_users_mistakes() -> None:
    said = converse("help", "hop", "given cards none", "expect screen 1M", "", "quit", "hop")
    assert said.status == 1
    assert "hold C 3s" in said.out
    assert said.err.split("\n")[:3] == [
        "there is no 'hop'; a line begins with "
        "given, insert, remove, press, hold, wait, power, fault, mend, expect",
        "'given' belongs into a script; here, start with --edition, --cards or --config",
        "expected screen 1M, got -----",
    ]
    assert said.err.count("hop") == 1


def test_power_off_at_the_prompt() -> None:
    said = converse("insert left 1", "power off", "press 1", "power on", "expect card 1")
    assert "the power is off" in said.out
    assert "'press' makes no sense while the power is off" in said.err


def test_what_breaks_at_the_prompt() -> None:
    said = converse(
        "insert left 1",
        "fault reader left",
        "expect message LEFT READER",
        "fault screen",
        "mend screen",
        "mend reader left",
        "expect card 1",
        "fault disk full",
        "mend disk",
    )
    assert "screen ----- | message LEFT READER" in said.out
    assert "the screen is unplugged" in said.out
    assert said.err.strip().split("\n") == [
        "your ledger lies on a real disk here; its faults belong into a script",
        "'mend' takes what is broken, and nothing is",
    ]


def test_waiting_at_the_prompt_is_real_and_announced() -> None:
    start = time.monotonic()
    said = converse("insert left 1", "hold C 3s", "expect message NEW GAME")
    assert "(3 seconds pass ...)" in said.out
    assert time.monotonic() - start >= 3
    assert said.status == 0, said.err


def test_editions_have_ledgers_of_their_own(home: Path) -> None:
    converse("insert left 1", "press 2M")
    said = converse(
        "insert left 8", "wait 1s", "expect screen 1500", options=("--edition", "europe")
    )
    assert said.status == 0, said.err
    assert sorted(path.name for path in (home / ".local/state/tellerbox").glob("*.db")) == [
        "ledger-europe.db",
        "ledger.db",
    ]


def test_another_edition_waits_for_the_next_new_game(tmp_path: Path) -> None:
    ledger = tmp_path / "l.db"
    converse("insert left 1", "press 2M", options=("--ledger", ledger))
    said = converse(
        "insert left 1",
        "expect balance 1 17M",
        "hold C 3s",
        "expect balance 1 1500M",
        options=("--ledger", ledger, "--edition", "europe"),
    )
    assert "a game of edition banking is going on; the next new game will be europe" in said.err
    assert "screen 1500" in said.out


def test_an_untouched_game_gives_way_and_new_game_says_so(tmp_path: Path) -> None:
    ledger = tmp_path / "l.db"
    converse(options=("--ledger", ledger))
    said = converse("expect balance 1 1500", options=("--ledger", ledger, "--edition", "europe"))
    assert said.status == 0, said.err
    converse("insert left 1", "press 10M", options=("--ledger", ledger))
    said = converse("expect balance 1 1500", options=("--ledger", ledger, "--new-game"))
    assert said.status == 0, said.err


def test_a_new_box_may_know_no_card(tmp_path: Path) -> None:
    said = converse(
        "insert left 4",
        "expect card 1",
        "expect message NEW CARD",
        options=("--ledger", tmp_path / "l.db", "--cards", "none"),
    )
    assert said.status == 0, said.err


def test_a_config_file_and_what_comes_before_it(tmp_path: Path) -> None:
    config = tmp_path / "box.toml"
    config.write_text(f'edition = "disney"\nledger = "{tmp_path}/d.db"\n')
    assert f"edition disney, ledger {tmp_path}/d.db" in converse(options=("--config", config)).out
    said = converse(
        options=("--config", config, "--edition", "france98", "--ledger", tmp_path / "f")
    )
    assert "edition france98" in said.out
    config.write_text("edition = 7\n")
    said = converse(options=("--config", config))
    assert said.status == 1
    assert said.err == f"tellerbox: {config}:1: edition must be a text in quotes, not 7\n"


def test_a_ledger_that_is_refused_shows_on_the_screen(tmp_path: Path) -> None:
    bad = tmp_path / "bad.db"
    bad.write_text("not a ledger at all, just some words in a file")
    said = converse(options=("--ledger", bad))
    assert said.status == 1
    assert said.err == f"tellerbox: {bad}: this is not a ledger; it was left untouched\n"
    assert "█" in said.out
    assert "Traceback" not in said.err


def test_a_terminal_that_knows_no_blocks() -> None:
    done = subprocess.run(
        [*TELLERBOX, "sim", "--text"],
        input="insert left 1\n",
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0
    assert "screen 1 | sound card" in done.stdout
    assert "Traceback" not in done.stderr


def test_at_a_terminal_there_is_completion_and_history(home: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "dumb"
        os.execv(TELLERBOX[0], [*TELLERBOX, "sim", "--text"])
    seen = read_until(terminal, "box> ")
    assert "⠀" in seen or "█" in seen
    os.write(terminal, b"insert l\t 1\n")
    assert "screen 1" in read_until(terminal, "sound card")
    os.write(terminal, b"quit\n")
    read_until(terminal, "\0")
    assert os.waitpid(pid, 0)[1] == 0
    assert "insert left 1" in (home / ".local/state/tellerbox/history").read_text()


def read_until(terminal: int, text: str) -> str:
    """What a terminal shows until a text appears in it, or it closes."""
    seen = b""
    while text.encode() not in seen:
        assert select.select([terminal], [], [], 20)[0], seen.decode(errors="replace")
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    return seen.decode(errors="replace")


# ledger and cards


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A ledger with two games; the second has a salary, a rent, and a reversal."""
    ledger = tmp_path / "played.db"
    converse("insert left 1", "press 2M", options=("--ledger", ledger))
    said = converse(
        "insert left 1",
        "press G",
        "insert right 2",
        "press 1,5M",
        "press 600K",
        "press C",
        options=("--ledger", ledger, "--new-game"),
    )
    assert said.status == 0, said.err
    return ledger


def test_accounts(tell: Tell, played: Path) -> None:
    said = tell("ledger", "--ledger", played, "accounts")
    assert said.status == 0
    lines = said.out.split("\n")
    assert lines[0].split() == ["account", "balance", "in", "full"]
    assert lines[1].split() == ["card", "1", "18,5M", "18", "500", "000"]
    assert lines[2].split() == ["card", "2", "13,5M", "13", "500", "000"]
    assert lines[7].split() == ["bank", "-92M", "-92", "000", "000"]
    assert lines[8] == "game 2, edition banking; all accounts sum to 0"


def test_history(tell: Tell, played: Path) -> None:
    lines = tell("ledger", "history", "--ledger", played).out.strip().split("\n")
    assert len(lines) == 1 + 6 + 4
    assert [line.split()[-1] for line in lines[-4:-2]] == ["salary", "entry"]
    assert lines[-2].endswith("card 2  card 1  600K    entry (reversed)")
    assert lines[-1].endswith("card 1  card 2  600K    reversal of 16")
    first = tell("ledger", "history", "--ledger", played, "--game", "1").out.strip().split("\n")
    assert len(first) == 1 + 6 + 1
    said = tell("ledger", "history", "--ledger", played, "--game", "9")
    assert (said.status, said.err) == (1, f"tellerbox: {played}: there is no game 9\n")


def test_history_for_other_programs(tell: Tell, played: Path) -> None:
    records = json.loads(tell("ledger", "history", "--ledger", played, "--json").out)
    assert records[-1]["reverses"] == records[-2]["id"] == 16
    assert records[-1]["amount"] == 600_000
    assert (records[-1]["payer"], records[-1]["payee"]) == (1, 2)
    assert records[-1]["purpose"] == "reversal"
    table = list(
        csv.DictReader(io.StringIO(tell("ledger", "history", "--ledger", played, "--csv").out))
    )
    assert [row["id"] for row in table] == [str(record["id"]) for record in records]
    assert table[0]["amount"] == "15000000"
    said = tell("ledger", "history", "--json", "--csv")
    assert said.status == 2


def test_games(tell: Tell, played: Path) -> None:
    lines = tell("ledger", "games", "--ledger", played).out.strip().split("\n")
    assert lines[0].split() == ["game", "edition", "kind", "started", "postings", "now"]
    assert lines[1].startswith("1     banking  normal  ")
    assert lines[1].endswith("  7")
    assert lines[2].startswith("2     banking  normal  ")
    assert lines[2].endswith("  10        being played")


@pytest.fixture
def took_turns(tmp_path: Path) -> Path:
    """The first of three games is being played again, and has a pot."""
    path = tmp_path / "turns.db"
    banking = editions.load("banking")
    with held_by_box(path) as store:
        ledger = Ledger(store, banking)
        ledger.know([b"\x01" * 4, b"\x02" * 4])
        ledger.new_game(editions.load("europe"), kind=Kind.FAST)
        ledger.go_back()
        ledger.move(1, POT, 500_000, Purpose.FINE)
        ledger.new_game(banking, kind=Kind.CLOCK, minutes=90)
        ledger.move(BANK, 1, 2_000_000, Purpose.SALARY)
        ledger.go_back()
        ledger.move(1, BANK, 600_000, Purpose.MORTGAGE)
        ledger.reverse(ledger.move(2, 1, 15_000_000, Purpose.BANKRUPTCY))
    return path


def test_games_that_took_turns(tell: Tell, took_turns: Path) -> None:
    lines = tell("ledger", "games", "--ledger", took_turns).out.rstrip().split("\n")
    starts = [
        "1     banking  normal        ",
        "2     europe   fast          ",
        "3     banking  clock 90 min  ",
    ]
    ends = ("  6         being played", "  2", "  3")
    for line, start, end in zip(lines[1:], starts, ends, strict=True):
        assert line.startswith(start)
        assert line.endswith(end)


def test_the_game_that_is_being_played_is_the_one_that_is_meant(
    tell: Tell, took_turns: Path
) -> None:
    lines = tell("ledger", "accounts", "--ledger", took_turns).out.strip().split("\n")
    assert lines[1].split() == ["card", "1", "13,9M", "13", "900", "000"]
    assert lines[2].split() == ["card", "2", "15M", "15", "000", "000"]
    assert lines[3].split() == ["pot", "500K", "500", "000"]
    assert lines[4].split() == ["bank", "-29,4M", "-29", "400", "000"]
    assert lines[5] == "game 1, edition banking; all accounts sum to 0"
    lines = tell("ledger", "history", "--ledger", took_turns).out.strip().split("\n")
    assert len(lines) == 1 + 6
    assert lines[3].endswith("  card 1  pot     500K    fine")
    assert lines[4].endswith("  card 1  bank    600K    mortgage")
    assert lines[5].endswith("  card 2  card 1  15M     bankruptcy (reversed)")
    assert lines[6].endswith("  card 1  card 2  15M     reversal of 10")
    assert "salary" in tell("ledger", "history", "--ledger", took_turns, "--game", "3").out
    assert "Game 1, as it stands" in tell("ledger", "report", "--ledger", took_turns).out
    assert tell("ledger", "verify", "--ledger", took_turns).status == 0


def test_a_game_without_a_pot_shows_none(tell: Tell, played: Path) -> None:
    assert "pot" not in tell("ledger", "accounts", "--ledger", played).out


def test_an_old_ledger_is_looked_at_and_left_as_it_is(tell: Tell, tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    old.write_bytes(OLD_LEDGER.read_bytes())
    lines = tell("ledger", "games", "--ledger", old).out.strip().split("\n")
    assert [line.split()[2] for line in lines] == ["kind", "normal", "normal"]
    assert lines[1].endswith(" 12")
    assert lines[2].endswith(" 11        being played")
    assert "reversal of 20" in tell("ledger", "history", "--ledger", old).out
    assert "18,25M" in tell("ledger", "accounts", "--ledger", old).out
    assert "Card 2 has the most money so far." in tell("ledger", "report", "--ledger", old).out
    assert "takes over number 6" in tell("cards", "--ledger", old).out
    said = tell("ledger", "verify", "--ledger", old)
    assert said.out.endswith("The ledger is sound.\n"), said.err
    copy = tmp_path / "copy.db"
    assert tell("ledger", "backup", copy, "--ledger", old).status == 0
    assert tell("ledger", "verify", "--ledger", copy).status == 0
    assert old.read_bytes() == OLD_LEDGER.read_bytes()
    # And then it is played on.
    said = converse(
        "insert left 2", "press G", "expect balance 2 20,25M", options=("--ledger", old)
    )
    assert said.status == 0, said.err
    assert tell("ledger", "verify", "--ledger", old).status == 0
    assert len(tell("ledger", "history", "--ledger", old).out.strip().split("\n")) == 1 + 12


def test_verify_says_what_it_checked(tell: Tell, played: Path) -> None:
    said = tell("ledger", "verify", "--ledger", played)
    assert said.status == 0
    assert said.out.endswith("The ledger is sound.\n")
    for what in ("integrity check", "schema", "seals", "balances", "reversals (1)", "cards"):
        assert what in said.out


def test_verify_finds_a_forged_row(tell: Tell, played: Path) -> None:
    connection = sqlite3.connect(played)
    connection.execute("DROP TRIGGER posting_no_UPDATE")
    connection.execute("UPDATE posting SET amount = 1 WHERE id = 3")
    connection.commit()
    connection.close()
    said = tell("ledger", "verify", "--ledger", played)
    assert said.status == 1
    assert "the trigger posting_no_UPDATE is missing or changed" in said.out
    assert said.err == f"tellerbox: {played}: the ledger is not sound; faults found: 1\n"


def test_a_backup_is_a_checked_ledger(tell: Tell, played: Path, tmp_path: Path) -> None:
    copy = tmp_path / "stick" / "copy.db"
    said = tell("ledger", "backup", copy, "--ledger", played)
    assert said.status == 1
    assert "cannot be written" in said.err
    copy.parent.mkdir()
    assert tell("ledger", "backup", copy, "--ledger", played).status == 0
    assert os.listdir(copy.parent) == ["copy.db"]
    assert tell("ledger", "verify", "--ledger", copy).status == 0
    said = tell("ledger", "backup", copy, "--ledger", played)
    assert (said.status, "is there already" in said.err) == (1, True)
    assert tell("ledger", "backup", copy, "--force", "--ledger", played).status == 0
    said = tell("ledger", "backup", played, "--force", "--ledger", played)
    assert "is the ledger itself" in said.err


def test_all_of_it_works_while_a_box_runs(tell: Tell, played: Path, tmp_path: Path) -> None:
    box = subprocess.Popen(
        [*TELLERBOX, "sim", "--text", "--ledger", str(played)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert box.stdin
    assert box.stdout
    box.stdin.write("insert right 3\npress 1M\n")
    box.stdin.flush()
    while "screen 14M" not in box.stdout.readline():
        pass
    assert "14M" in tell("ledger", "accounts", "--ledger", played).out
    assert "card 3" in tell("ledger", "history", "--ledger", played).out
    assert tell("ledger", "verify", "--ledger", played).status == 0
    assert tell("ledger", "backup", tmp_path / "b.db", "--ledger", played).status == 0
    refused = converse(options=("--ledger", played))
    assert refused.err == f"tellerbox: {played}: this ledger is in use by another box\n"
    # A lost card, replaced from the command line in the middle of the game.
    assert tell("cards", "replace", "6", "--ledger", played).status == 0
    out, _ = box.communicate("insert left 9\nexpect card 6\nremove left\npress 2M\n")
    assert "message REPLACED" in out
    assert "screen 12M" in out
    assert box.returncode == 0


def test_cards(tell: Tell, played: Path) -> None:
    said = tell("cards", "--ledger", played)
    assert said.out.split("\n")[1].split() == ["1", "18,5M", "a1", "c0", "ff", "ee"]
    said = tell("cards", "--ledger", played, "forget", "1")
    assert said.out == "Card 1 is forgotten; its number is free.\n"
    said = tell("cards", "forget", "1", "--ledger", played)
    assert said.err == f"tellerbox: {played}: there is no card 1; known: 2, 3, 4, 5, 6\n"
    assert tell("ledger", "verify", "--ledger", played).status == 0
    tell("cards", "replace", "2", "--ledger", played)
    assert "takes over number 2" in tell("cards", "--ledger", played).out


def test_a_ledger_without_a_game(tell: Tell, tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()
    for command in (
        ("ledger", "accounts"),
        ("ledger", "history"),
        ("ledger", "report"),
        ("cards",),
    ):
        said = tell(*command, "--ledger", empty)
        assert said.status == 1
        assert said.err.startswith(f"tellerbox: {empty}: ")
        assert "Traceback" not in said.err


DAMAGE = {
    "a deleted posting": "DELETE FROM posting WHERE id = 9",
    "a changed amount": "UPDATE posting SET amount = 77 WHERE id = 9",
    "a deleted card": "DELETE FROM card WHERE id = 3",
    "a missing table": "DROP TABLE card",
    "an edition that is none": "UPDATE game SET edition = 'x = 1' WHERE id = 2",
    "a volume that is none": "INSERT INTO setting VALUES ('volume', 9)",
    "a strange table": "CREATE TABLE bribe (amount INTEGER)",
    "a deleted event": "DELETE FROM event WHERE id = 1",
    "a changed event": "UPDATE event SET game = 1 WHERE what = 'started'",
    "a kind that is none": "UPDATE event SET text = 'slow' WHERE what = 'started'",
    "a strange format": "PRAGMA user_version = -5",
}


def test_a_setting_that_nobody_reads_is_found_by_verify(tell: Tell, played: Path) -> None:
    with closing(sqlite3.connect(played)) as connection, connection:
        connection.execute("INSERT INTO setting VALUES ('bribe', 1)")
    said = tell("ledger", "verify", "--ledger", played)
    assert said.status == 1
    assert "the setting bribe cannot be 1" in said.out + said.err


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_met_everywhere_with_a_sentence(tell: Tell, played: Path, name: str) -> None:
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
    box = converse("insert left 1", "press 1M", options=("--ledger", played))
    assert (box.status, box.err.count("\n"), "damaged (" in box.err) == (1, 1, True), box.err
    assert tell("ledger", "verify", "--ledger", played).status == 1
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
        said = tell(*command, "--ledger", played)
        assert said.err == "" or (said.status == 1 and said.err.startswith("tellerbox: "))
        if command[0] == "cards" and len(command) > 1:
            assert said.status == 1, command
    assert played.read_bytes() == before
    assert not played.with_name("copy.db").exists()
    assert not played.with_name("copy.html.tellerbox-part").exists()


def test_a_backup_takes_no_other_file_away(tell: Tell, played: Path, tmp_path: Path) -> None:
    """Neither the ledger itself, whatever its name ends with, nor what lies beside the copy."""
    ledger = played.rename(tmp_path / "copy.db.part")
    notes = tmp_path / "other.db.part"
    notes.write_text("to do")
    for copy in ("copy.db", "other.db"):
        assert tell("ledger", "backup", tmp_path / copy, "--ledger", ledger).status == 0
    assert ledger.exists()
    assert notes.read_text() == "to do"


def test_a_backup_replaces_nothing_but_files(tell: Tell, played: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path / "pipe", tmp_path):
        said = tell("ledger", "backup", "--force", target, "--ledger", played)
        assert said.status == 1
        assert said.err == f"tellerbox: {target}: is not a file that could be replaced\n"
    assert (tmp_path / "pipe").is_fifo()


def test_a_locked_ledger_is_not_a_damaged_one(tell: Tell, played: Path) -> None:
    connection = sqlite3.connect(played, isolation_level=None)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("BEGIN EXCLUSIVE")
    said = tell("cards", "forget", "1", "--ledger", played)
    connection.close()
    assert said.err == f"tellerbox: {played}: another program has locked this ledger\n"


@pytest.mark.parametrize("name", [b"\xe9.db", b"x" * 300, b"a%20b?c#d.db"])
def test_names_of_ledgers(tell: Tell, tmp_path: Path, name: bytes) -> None:
    ledger = tmp_path / os.fsdecode(name)
    box = converse("insert left 1", options=("--ledger", ledger))
    said = tell("ledger", "accounts", "--ledger", ledger)
    assert "Traceback" not in box.err + said.err
    assert box.status == said.status == (1 if len(name) > 255 else 0)


@pytest.mark.parametrize("command", ["play -", "sim --text", "--help", "ledger accounts", "cards"])
@pytest.mark.parametrize("streams", ["<&-", ">&-", ">/dev/full", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_or_full(command: str, streams: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{' '.join(TELLERBOX)} {command} {streams}"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in done.stderr + done.stdout
    assert "Exception" not in done.stderr


def test_a_script_that_never_ends(tell: Tell) -> None:
    said = tell("play", "/dev/zero")
    assert said.status == 2
    assert said.err == "/dev/zero:1: is too long for a script: more than 1000000 bytes\n"


# the command itself


def test_help_names_every_command(tell: Tell) -> None:
    said = tell("--help")
    assert said.status == 0
    for command in ("sim", "play", "ledger", "cards"):
        assert f"\n    {command} " in said.out
        assert tell(command, "--help").status == 0
    assert tell("--version").out.startswith("tellerbox 0.")


@pytest.mark.parametrize(
    "arguments", [(), ("fly",), ("play",), ("sim", "--fly"), ("ledger",), ("cards", "forget", "x")]
)
def test_arguments_that_make_no_sense(tell: Tell, arguments: tuple[str, ...]) -> None:
    said = tell(*arguments)
    assert said.status == 2
    assert said.err.startswith("usage: tellerbox")


def test_a_reader_that_leaves_early(played: Path) -> None:
    """``tellerbox ledger history | head -1`` ends without a word."""
    command = " ".join([sys.executable, "-m", "firmware", "ledger", "history"])
    done = subprocess.run(
        ["sh", "-c", f"{command} --ledger {played} | true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
