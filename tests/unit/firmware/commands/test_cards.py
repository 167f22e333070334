"""``tellerbox cards``: its output, which on a failing disk matches what the next start finds."""

import random
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, Self

import pytest

from firmware import cli
from firmware.bank import edition as editions
from firmware.bank.ledger import ForgottenCard, Ledger
from firmware.bank.names import NAME_RULE
from firmware.bank.purposes import Purpose
from firmware.storage.ledger_file import opened_by_box, reading
from firmware.storage.opening import DiskLocation
from firmware.storage.store import Store
from firmware.table.box import Box
from hal.display.sounds import Sound
from hal.events import CardIn, CardOut, Instant, Key, KeyDown, KeyUp, Slot
from sim.board.stock import players
from tests.campaign.disk.card import DiskFault, SdCard
from tests.unit.command_line import TELLERBOX, RunCli

pytestmark = pytest.mark.usefixtures("home")

BANKING = editions.load("banking")
FORGOTTEN = "Card 2 is forgotten; its number is free.\n"


class FailingLedger(NamedTuple):
    """A ledger on a card that can fail; a box may have it open."""

    path: Path
    card: SdCard
    box: ExitStack

    def forget(self) -> int:
        return cli.main(["cards", "forget", "2", "--ledger", str(self.path)])

    def known_after_a_power_cut(self) -> list[int]:
        self.card.cut()
        self.box.close()
        self.card.restore()
        with reading(self.path) as connection:
            return list(Ledger(Store(connection), BANKING).cards)


@pytest.fixture(params=range(6))
def seed(request: pytest.FixtureRequest) -> int:
    """Decides what a failed sync has written."""
    return int(request.param)


@pytest.fixture(params=[True, False], ids=["log", "journal"])
def shares_memory(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(params=[True, False], ids=["beside a box", "alone"])
def target(
    tmp_path: Path, seed: int, shares_memory: bool, request: pytest.FixtureRequest
) -> Iterator[FailingLedger]:
    path = tmp_path / "ledger.db"
    with SdCard(tmp_path, random.Random(seed), shares_memory=shares_memory) as card:
        with ExitStack() as box:
            Ledger(box.enter_context(opened_by_box(path)), BANKING).know(players(BANKING))
            if not request.param:
                box.close()
            yield FailingLedger(path, card, box)
        card.fail(None)


@pytest.fixture
def failing(target: FailingLedger, monkeypatch: pytest.MonkeyPatch) -> FailingLedger:
    """Syncs fail from now on; the first sync of the log has succeeded."""
    forget = Ledger.forget

    def forget_on_a_failing_disk(ledger: Ledger, number: int) -> ForgottenCard:
        ledger.ask_replacement(3)
        target.card.fail(DiskFault.SYNC)
        return forget(ledger, number)

    monkeypatch.setattr(Ledger, "forget", forget_on_a_failing_disk)
    return target


def test_single_failed_sync_is_resolved(
    failing: FailingLedger, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = DiskLocation.open

    def repaired(location: DiskLocation) -> object:
        failing.card.fail(None)
        return opened(location)

    monkeypatch.setattr(DiskLocation, "open", repaired)
    status = failing.forget()
    failing.card.fail(None)
    out, err = capsys.readouterr()
    known = failing.known_after_a_power_cut()
    if status == 0:
        assert (out, err) == (FORGOTTEN, "")
        assert known == [1, 3, 4, 5, 6]
    else:
        assert err.startswith(f"tellerbox: {failing.path}: cannot be written: ")
        assert known == [1, 2, 3, 4, 5, 6]


def test_uncertain_result_is_reported_as_uncertain(
    failing: FailingLedger, capsys: pytest.CaptureFixture[str]
) -> None:
    """While every sync fails."""
    assert failing.forget() != 0
    failing.card.fail(None)
    out, err = capsys.readouterr()
    assert out == ""
    [sentence] = err.splitlines()
    known = failing.known_after_a_power_cut()
    if ": it is uncertain whether this was written (" in sentence:
        assert sentence.endswith("when the disk works again, run `tellerbox cards` to find out")
        assert known in ([1, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6])
    else:
        assert sentence.startswith(f"tellerbox: {failing.path}: cannot be written: ")
        assert known == [1, 2, 3, 4, 5, 6]


def test_change_survives_a_power_cut(target: FailingLedger) -> None:
    assert target.forget() == 0
    assert target.known_after_a_power_cut() == [1, 3, 4, 5, 6]


def test_cards(run_cli: RunCli, played: Path) -> None:
    output = run_cli("cards", "--ledger", played)
    assert output.out.split("\n")[1].split() == ["1", "18,5M", "a1", "c0", "ff", "ee"]
    output = run_cli("cards", "--ledger", played, "forget", "1")
    assert output.out == "Card 1 is forgotten; its number is free.\n"
    output = run_cli("cards", "forget", "1", "--ledger", played)
    assert output.err == (f"tellerbox: {played}: card 1 is not known; known cards: 2, 3, 4, 5, 6\n")
    assert run_cli("ledger", "verify", "--ledger", played).status == 0
    run_cli("cards", "replace", "2", "--ledger", played)
    assert "takes over number 2" in run_cli("cards", "--ledger", played).out


def test_names(run_cli: RunCli, played: Path) -> None:
    """N6, D48: as they were typed, also letters of French."""
    for number, name in (("1", "Zoé"), ("2", "Zoé"), ("3", "D'Al-Bo Ri"), ("4", "ÀÉÎÕÜç")):
        output = run_cli("cards", "name", number, name, "--ledger", played)
        assert (output.status, output.out) == (0, f"Card {number} is {name}.\n")
    lines = run_cli("cards", "--ledger", played).out.split("\n")
    assert lines[0].split() == ["card", "name", "balance", "UID"]
    assert lines[1].split()[:3] == ["1", "Zoé", "18,5M"]
    assert "D'Al-Bo Ri" in lines[3]
    assert lines[5].split()[:2] == ["5", "15M"]
    # An accent that comes as a character of its own, as some systems send it.
    output = run_cli("cards", "name", "5", "Zoe\u0301", "--ledger", played)
    assert (output.status, output.out) == (0, "Card 5 is Zoé.\n")
    assert run_cli("cards", "name", "2", "--ledger", played).out == "Card 2 has no name.\n"
    assert run_cli("cards", "name", "1", "", "--ledger", played).out == "Card 1 has no name.\n"
    lines = run_cli("cards", "--ledger", played).out.split("\n")
    assert lines[1].split()[:2] == ["1", "18,5M"]
    assert run_cli("ledger", "verify", "--ledger", played).status == 0


@pytest.mark.parametrize(
    "name", ["Anastasia M", "A  B", " A", "Card 2", "Łukasz", "Ana!", "\x1b[2J", "x" * 600]
)
def test_bad_names_are_refused(run_cli: RunCli, played: Path, name: str) -> None:
    before = played.read_bytes()
    output = run_cli("cards", "name", "1", name, "--ledger", played)
    assert (output.status, output.out) == (1, "")
    [sentence] = output.err.splitlines()
    assert sentence.startswith("tellerbox: ")
    assert sentence.endswith(f" cannot be a name: {NAME_RULE}")
    assert "\x1b" not in sentence
    assert played.read_bytes() == before


@pytest.mark.parametrize("command", [("name", "7", "Ana"), ("replace", "7"), ("forget", "7")])
def test_unknown_card_is_refused(run_cli: RunCli, played: Path, command: tuple[str, ...]) -> None:
    output = run_cli("cards", *command, "--ledger", played)
    known = "known cards: 1, 2, 3, 4, 5, 6"
    assert (output.status, output.out) == (1, "")
    assert output.err == f"tellerbox: {played}: card 7 is not known; {known}\n"


def test_forgotten_card_loses_its_name(run_cli: RunCli, played: Path) -> None:
    run_cli("cards", "name", "1", "Ana", "--ledger", played)
    run_cli("cards", "forget", "1", "--ledger", played)
    assert "Ana" not in run_cli("cards", "--ledger", played).out


def test_replacement_is_cancelled(run_cli: RunCli, played: Path) -> None:
    """D12."""
    asked = run_cli("cards", "replace", "2", "--ledger", played)
    assert asked.out == "The next unknown card put in takes over number 2 and its balance.\n"
    waits = run_cli("cards", "--ledger", played).out.split("\n")[-2]
    assert waits == (
        "The next unknown card takes over number 2; "
        "to end the waiting, run: tellerbox cards replace --cancel"
    )
    ended = run_cli("cards", "replace", "--cancel", "--ledger", played)
    assert (ended.status, ended.out) == (0, "The waiting replacement is cancelled.\n")
    assert "takes over" not in run_cli("cards", "--ledger", played).out
    again = run_cli("cards", "replace", "--cancel", "--ledger", played)
    assert (again.status, again.out) == (1, "")
    assert again.err == f"tellerbox: {played}: no replacement is waiting\n"
    assert run_cli("ledger", "verify", "--ledger", played).status == 0


@pytest.mark.parametrize("given", [(), ("2", "--cancel"), ("--cancel", "2")])
def test_replace_needs_a_number_or_cancel(
    run_cli: RunCli, played: Path, given: tuple[str, ...]
) -> None:
    before = played.read_bytes()
    output = run_cli("cards", "replace", *given, "--ledger", played)
    assert (output.status, output.out) == (1, "")
    assert output.err == (
        "tellerbox: name either the lost card's number or --cancel, as in: cards replace 3\n"
    )
    assert played.read_bytes() == before


def test_name_beside_a_running_box(run_cli: RunCli, played: Path) -> None:
    """N6, D30: nothing is interrupted, and the box shows the name the next time."""
    with opened_by_box(played) as store:
        box = Box(Ledger(store, BANKING), Instant(0))
        uid = Ledger(store, BANKING).cards[1]
        box.handle(CardIn(Instant(0), Slot.LEFT, uid))
        for key in (Key.ONE, Key.COMMA, Key.FIVE):
            box.handle(KeyDown(Instant(1), key))
            box.handle(KeyUp(Instant(1), key))
        named = run_cli("cards", "name", "1", "Zoé", "--ledger", played)
        assert (named.status, named.out) == (0, "Card 1 is Zoé.\n")
        assert box.handle(KeyDown(Instant(2), Key.MILLIONS)) == (Sound.OK,)
        assert box.view.field == "20M"
        box.handle(KeyUp(Instant(2), Key.MILLIONS))
        box.handle(CardOut(Instant(3), Slot.LEFT))
        box.handle(CardIn(Instant(4), Slot.LEFT, uid))
        assert (box.view.field, str(box.view.message)) == ("1", "Zoé")


def test_locked_ledger_is_not_reported_as_damaged(run_cli: RunCli, played: Path) -> None:
    connection = sqlite3.connect(played, isolation_level=None)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("BEGIN EXCLUSIVE")
    output = run_cli("cards", "forget", "1", "--ledger", played)
    connection.close()
    assert output.err == (
        f"tellerbox: {played}: another program has locked this ledger; close that program first\n"
    )


# A command beside a box that writes at the same time


def box_just_before(
    monkeypatch: pytest.MonkeyPatch, command: str, write: Callable[[], object]
) -> None:
    """Let the box write after the command has read the ledger, and before it writes."""
    method = getattr(Ledger, command)

    def overtaken(ledger: Ledger, *given: int) -> object:
        monkeypatch.setattr(Ledger, command, method)
        write()
        return method(ledger, *given)

    monkeypatch.setattr(Ledger, command, overtaken)


@pytest.mark.parametrize(
    ("command", "given", "said"),
    [
        ("forget", ("forget", "2"), "Card 2 is forgotten; its number is free.\n"),
        ("name", ("name", "2", "Ana"), "Card 2 is Ana.\n"),
        (
            "ask_replacement",
            ("replace", "2"),
            "The next unknown card put in takes over number 2 and its balance.\n",
        ),
    ],
    ids=["forget", "name", "replace"],
)
def test_command_that_is_overtaken_tries_again(
    run_cli: RunCli,
    played: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    given: tuple[str, ...],
    said: str,
) -> None:
    with opened_by_box(played) as store:
        box = Ledger(store, BANKING)

        def write() -> None:
            box.move(2, 1, 1_000_000, Purpose.ENTRY)
            box.forget(3)

        box_just_before(monkeypatch, command, write)
        output = run_cli("cards", *given, "--ledger", played)
        assert (output.status, output.out, output.err) == (0, said, "")
        assert box.refresh() is (command != "name")
        assert list(box.cards) == ([1, 4, 5, 6] if command == "forget" else [1, 2, 4, 5, 6])
    assert run_cli("ledger", "verify", "--ledger", played).status == 0


def test_command_whose_card_is_gone_says_so(
    run_cli: RunCli, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened_by_box(played) as store:
        box = Ledger(store, BANKING)
        box_just_before(monkeypatch, "ask_replacement", lambda: box.forget(2))
        output = run_cli("cards", "replace", "2", "--ledger", played)
        known = "known cards: 1, 3, 4, 5, 6"
        assert output.err == f"tellerbox: {played}: card 2 is not known; {known}\n"
        box_just_before(monkeypatch, "ask_replacement", lambda: None)
        assert run_cli("cards", "replace", "3", "--ledger", played).status == 0
        assert box.refresh()
        box_just_before(monkeypatch, "cancel_replacement", lambda: box.admit(b"new."))
        output = run_cli("cards", "replace", "--cancel", "--ledger", played)
        assert output.err == f"tellerbox: {played}: no replacement is waiting\n"
        assert (output.status, output.out) == (1, "")


class PlayingBox:
    """``tellerbox sim --text`` in a process of its own."""

    def __init__(self, ledger: Path) -> None:
        self._process = subprocess.Popen(
            [*TELLERBOX, "sim", "--text", "--ledger", str(ledger)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._shown()

    def ask(self, line: str) -> str:
        """Type a line; what shows then."""
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._shown()

    def _shown(self) -> str:
        assert self._process.stdout
        for answer in self._process.stdout:
            if answer.startswith("screen "):
                return answer.strip()
        raise AssertionError("the box has ended")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            assert self._process.stdin
            self._process.stdin.close()


@pytest.mark.long
@pytest.mark.timeout(300)
def test_commands_in_a_loop_beside_a_box_that_plays_in_a_loop(
    run_cli: RunCli, tmp_path: Path
) -> None:
    """Two real processes, whose writes meet a few hundred times."""
    ledger = tmp_path / "ledger.db"
    commands = [("replace", "5"), ("forget", "3"), ("replace", "--cancel"), ("name", "4", "Ana")]
    with PlayingBox(ledger) as box:
        box.ask("insert right 2")
        for again in range(60):
            box.ask("insert left 1")
            for words in commands:
                given = [*TELLERBOX, "cards", words[0], "--ledger", str(ledger), *words[1:]]
                with subprocess.Popen(
                    given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
                ) as command:
                    while command.poll() is None:
                        for keys in ("10K", "C"):
                            shown = box.ask(f"press {keys}")
                            assert "sound error" not in shown, f"{again}, {words}: {shown}"
                    assert command.stderr
                    assert (command.returncode, command.stderr.read()) == (0, ""), words
            box.ask("remove left")
            assert "NEW CARD" in box.ask("insert left 3")
            box.ask("remove left")
    assert run_cli("ledger", "verify", "--ledger", ledger).status == 0
