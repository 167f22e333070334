"""``tellerbox cards`` on a disk that fails: what is said is what the next start will find."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from firmware import cli
from firmware import edition as editions
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box, reading
from firmware.on_disk import OnDisk
from firmware.store import Store
from sim.disk.card import DiskFault, SdCard
from sim.stock import players

BANKING = editions.load("banking")
FORGOTTEN = "Card 2 is forgotten; its number is free.\n"


class Desk(NamedTuple):
    """A ledger on a card that can fail, and perhaps a box that has it open."""

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
    """For the dice that say what a sync that failed has done."""
    return int(request.param)


@pytest.fixture(params=[True, False], ids=["log", "journal"])
def shares_memory(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(params=[True, False], ids=["beside a box", "alone"])
def desk(
    tmp_path: Path, seed: int, shares_memory: bool, request: pytest.FixtureRequest
) -> Iterator[Desk]:
    path = tmp_path / "ledger.db"
    with SdCard(tmp_path, random.Random(seed), shares_memory=shares_memory) as card:
        with ExitStack() as box:
            Ledger(box.enter_context(held_by_box(path)), BANKING).know(players(BANKING))
            if not request.param:
                box.close()
            yield Desk(path, card, box)
        card.fail(None)


@pytest.fixture
def failing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """No sync of what is being written works; that of the log's first bytes has worked."""
    forget = Ledger.forget

    def on_a_sick_disk(ledger: Ledger, number: int) -> None:
        ledger.ask_replacement(3)
        desk.card.fail(DiskFault.SYNC)
        forget(ledger, number)

    monkeypatch.setattr(Ledger, "forget", on_a_sick_disk)
    return desk


def test_a_sync_that_fails_once_is_found_out(
    failing: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = OnDisk.open

    def mended(place: OnDisk) -> object:
        failing.card.fail(None)
        return opened(place)

    monkeypatch.setattr(OnDisk, "open", mended)
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


def test_what_nobody_knows_is_not_called_undone(
    failing: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    """As long as no sync works."""
    assert failing.forget() != 0
    failing.card.fail(None)
    out, err = capsys.readouterr()
    assert out == ""
    [sentence] = err.splitlines()
    known = failing.known_after_a_power_cut()
    if ": nobody knows whether this was written (" in sentence:
        assert sentence.endswith("; tellerbox cards will tell, once the disk is in order")
        assert known in ([1, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6])
    else:
        assert sentence.startswith(f"tellerbox: {failing.path}: cannot be written: ")
        assert known == [1, 2, 3, 4, 5, 6]


def test_the_box_goes_on_with_what_was_changed(desk: Desk) -> None:
    assert desk.forget() == 0
    assert desk.known_after_a_power_cut() == [1, 3, 4, 5, 6]
