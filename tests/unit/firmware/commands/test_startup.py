"""Precedence of the edition and the language: command line, choice at the table, config file."""

import argparse
import random
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, Kind
from firmware.commands import startup
from firmware.config import Config
from firmware.storage.ledger_file import LedgerRefused, Owner
from hal.display.messages import Language
from tests.campaign.disk.card import DiskFault, SdCard

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
) -> AbstractContextManager[startup.Bank]:
    args = argparse.Namespace(ledger=path, edition=said, new_game=new_game)
    return startup.opened(args, Config(edition=config), Owner.BOX)


def test_choice_at_the_table_overrides_the_config_file(path: Path) -> None:
    with opened(path, config="disney") as found:
        assert (
            found.ledger.game == 1
        )  # a choice at the table ends no game at a start, not even an untouched one
        assert found.next_edition.name == "europe"
        found.ledger.next_game(found.next_edition)
        assert (found.ledger.edition.name, found.ledger.current.kind) == ("europe", Kind.FAST)
    with opened(path, config="disney") as found:
        assert (found.ledger.game, found.ledger.edition.name) == (2, "europe")


def test_command_line_overrides_the_choice_at_the_table(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(path, said="disney") as found:
        found.ledger.next_game(found.next_edition)
        assert (found.ledger.edition.name, found.ledger.current.kind) == ("disney", Kind.FAST)
    assert "the next new game will be disney" in capsys.readouterr().err


def test_new_game_from_the_command_line_has_the_chosen_kind_and_edition(path: Path) -> None:
    with opened(path, config="banking", new_game=True) as found:
        assert (found.ledger.edition.name, found.ledger.current.kind) == ("europe", Kind.FAST)
    with opened(path, said="disney", new_game=True) as found:
        assert (found.ledger.edition.name, found.ledger.current.kind) == ("disney", Kind.NORMAL)


def test_without_a_choice_the_config_file_applies(tmp_path: Path) -> None:
    path = tmp_path / "box.db"
    with opened(path, config="disney") as found:
        found.ledger.know([b"one."])
        found.ledger.move(BANK, 1, 100, Purpose.ENTRY)
    with opened(path, config="europe") as found:
        assert (found.ledger.edition.name, found.next_edition.name) == ("disney", "europe")


def test_chosen_edition_has_the_newest_figures(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mended = editions.parse("europe", EUROPE.source.replace("salary = 200", "salary = 210"))
    load = editions.load
    monkeypatch.setattr(editions, "load", lambda name: mended if name == "europe" else load(name))
    with opened(path) as found:
        found.ledger.next_game(found.next_edition)
        assert found.ledger.edition.salary == 210


@pytest.mark.parametrize("said", [None, "disney"])
def test_d4_game_shows_although_new_figures_cannot_be_written(
    path: Path, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mended = editions.parse("europe", EUROPE.source.replace("salary = 200", "salary = 210"))
    load = editions.load
    monkeypatch.setattr(editions, "load", lambda name: mended if name == "europe" else load(name))
    with SdCard(path.parent, random.Random(1)) as card:
        card.fail(DiskFault.READ_ONLY)
        with opened(path, said=said) as found:
            assert found.ledger.balance(1) == 15_000_000
            assert (
                found.next_edition == EUROPE
            )  # with the stored figures, until the disk can be written
            card.fail(None)
            found.ledger.next_game(found.next_edition)
            assert found.ledger.edition == EUROPE


def test_d4_game_shows_although_another_edition_cannot_be_started(tmp_path: Path) -> None:
    path = tmp_path / "box.db"
    with opened(path) as found:
        found.ledger.know([b"one."])
    with SdCard(tmp_path, random.Random(1)) as card:
        card.fail(DiskFault.READ_ONLY)
        with opened(path, config="europe") as found:
            assert found.ledger.edition.name == "banking"
            assert found.next_edition.name == "europe"
        with pytest.raises(LedgerRefused, match="no game can be started in this ledger"):
            opened(path, new_game=True).__enter__()


# The language


@pytest.mark.parametrize(
    ("words", "config_file", "wanted"),
    [
        ([], None, Language.ENGLISH),
        ([], "", Language.ENGLISH),
        ([], "language = 'fr'", Language.FRENCH),
        (["--language", "fr"], None, Language.FRENCH),
        (["--language", "fr"], "language = 'en'", Language.FRENCH),
        (["--language", "en"], "language = 'fr'", Language.ENGLISH),
    ],
)
def test_precedence_of_the_language(
    words: list[str], config_file: str | None, wanted: Language, tmp_path: Path
) -> None:
    if config_file is not None:
        (tmp_path / "box.toml").write_text(config_file)
        words = [*words, "--config", str(tmp_path / "box.toml")]
    for owner in (Owner.BOX, Owner.SIMULATOR):
        parser = argparse.ArgumentParser()
        startup.add_options(parser, owner)
        assert startup.settings_of(parser.parse_args(words)).language is wanted


def test_unknown_language_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    startup.add_options(parser, Owner.BOX)
    with pytest.raises(SystemExit):
        parser.parse_args(["--language", "de"])
    assert "argument --language: invalid choice: 'de'" in capsys.readouterr().err
