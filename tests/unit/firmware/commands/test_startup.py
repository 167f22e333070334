"""Who has the last word on the next game's edition: the table, the config file, or who starts."""

import argparse
import random
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from firmware import bank
from firmware import edition as editions
from firmware.config import Config
from firmware.ledger_file import LedgerRefused, Owner
from firmware.records import BANK, Kind, Purpose
from sim.disk.card import DiskFault, SdCard

EUROPE = editions.load("europe")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger in which europe, and a fast game, were chosen on the box."""
    path = tmp_path / "box.db"
    with opened(path) as found:
        found.ledger.know([b"one."])
        found.ledger.choose_edition(EUROPE)
        found.ledger.choose_kind(Kind.FAST)
    return path


def opened(
    path: Path, *, config: str | None = None, said: str | None = None, new_game: bool = False
) -> AbstractContextManager[bank.Bank]:
    args = argparse.Namespace(ledger=path, edition=said, new_game=new_game)
    return bank.opened(args, Config(edition=config), Owner.BOX)


def test_the_table_comes_before_the_config_file(path: Path) -> None:
    with opened(path, config="disney") as found:
        assert found.ledger.game == 1  # no start of the box ends a game, not even an untouched one
        assert found.next_edition.name == "europe"
        found.ledger.next_game(found.next_edition)
        assert (found.ledger.edition.name, found.ledger.current.kind) == ("europe", Kind.FAST)
    with opened(path, config="disney") as found:
        assert (found.ledger.game, found.ledger.edition.name) == (2, "europe")


def test_who_starts_the_box_comes_before_the_table(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(path, said="disney") as found:
        found.ledger.next_game(found.next_edition)
        assert (found.ledger.edition.name, found.ledger.current.kind) == ("disney", Kind.FAST)
    assert "the next new game will be disney" in capsys.readouterr().err


def test_a_new_game_from_the_command_line_is_what_was_chosen(path: Path) -> None:
    with opened(path, config="banking", new_game=True) as found:
        assert (found.ledger.edition.name, found.ledger.current.kind) == ("europe", Kind.FAST)
    with opened(path, said="disney", new_game=True) as found:
        assert (found.ledger.edition.name, found.ledger.current.kind) == ("disney", Kind.NORMAL)


def test_without_a_choice_the_config_file_says(tmp_path: Path) -> None:
    path = tmp_path / "box.db"
    with opened(path, config="disney") as found:
        found.ledger.know([b"one."])
        found.ledger.move(BANK, 1, 100, Purpose.ENTRY)
    with opened(path, config="europe") as found:
        assert (found.ledger.edition.name, found.next_edition.name) == ("disney", "europe")


def test_a_choice_is_played_with_the_newest_figures(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mended = editions.parse("europe", EUROPE.source.replace("salary = 200", "salary = 210"))
    load = editions.load
    monkeypatch.setattr(editions, "load", lambda name: mended if name == "europe" else load(name))
    with opened(path) as found:
        found.ledger.next_game(found.next_edition)
        assert found.ledger.edition.salary == 210


@pytest.mark.parametrize("said", [None, "disney"])
def test_d4_a_choice_that_cannot_be_written_keeps_nobody_from_looking(
    path: Path, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mended = editions.parse("europe", EUROPE.source.replace("salary = 200", "salary = 210"))
    load = editions.load
    monkeypatch.setattr(editions, "load", lambda name: mended if name == "europe" else load(name))
    with SdCard(path.parent, random.Random(1)) as card:
        card.fail(DiskFault.READ_ONLY)
        with opened(path, said=said) as found:
            assert found.ledger.balance(1) == 15_000_000
            assert found.next_edition == EUROPE  # as it was chosen, until something can be written
            card.fail(None)
            found.ledger.next_game(found.next_edition)
            assert found.ledger.edition == EUROPE


def test_d4_nor_does_another_edition_for_a_game_that_is_untouched(tmp_path: Path) -> None:
    path = tmp_path / "box.db"
    with opened(path) as found:
        found.ledger.know([b"one."])
    with SdCard(tmp_path, random.Random(1)) as card:
        card.fail(DiskFault.READ_ONLY)
        with opened(path, config="europe") as found:
            assert found.ledger.edition.name == "banking"
            assert found.next_edition.name == "europe"
        with pytest.raises(LedgerRefused, match="no game can be started in it"):
            opened(path, new_game=True).__enter__()
