"""``tellerbox cards``: its output, which on a failing disk matches what the next start finds."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from firmware import cli
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.storage.ledger_file import opened_by_box, reading
from firmware.storage.opening import DiskLocation
from firmware.storage.store import Store
from sim.board.stock import players
from tests.campaign.disk.card import DiskFault, SdCard
from tests.unit.command_line import RunCli

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

    def forget_on_a_failing_disk(ledger: Ledger, number: int) -> None:
        ledger.ask_replacement(3)
        target.card.fail(DiskFault.SYNC)
        forget(ledger, number)

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


def test_locked_ledger_is_not_reported_as_damaged(run_cli: RunCli, played: Path) -> None:
    connection = sqlite3.connect(played, isolation_level=None)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("BEGIN EXCLUSIVE")
    output = run_cli("cards", "forget", "1", "--ledger", played)
    connection.close()
    assert output.err == (
        f"tellerbox: {played}: another program has locked this ledger; close that program first\n"
    )
