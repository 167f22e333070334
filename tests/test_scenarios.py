"""Plays every script in tests/scenarios, and sees that every rule has one."""

import re
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from sim.board.software_harness import SoftwareHarness
from sim.script.language import Script, read_script
from sim.script.player import begin, perform

ROOT = Path(__file__).parent.parent
SCENARIOS = sorted((ROOT / "tests" / "scenarios").glob("*.box"))
WHOLE_GAMES = [path for path in SCENARIOS if path.stem.startswith("game-")]


def read(path: Path) -> Script:
    lines = path.read_text(encoding="utf-8").split("\n")
    return read_script(path.name, lines, editions.load(editions.DEFAULT))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario_holds(path: Path) -> None:
    script = read(path)
    harness = begin(SoftwareHarness(), script)
    try:
        for _number, step in script.steps:
            perform(harness, step)
            assert sum(harness.ledger.accounts.values()) == 0
    finally:
        harness.put_away()


def test_every_rule_has_a_scenario_named_after_it() -> None:
    rules = re.findall(r"^- \*\*([A-Z]\d+)\*\*", (ROOT / "docs" / "rules.md").read_text(), re.M)
    named = {path.stem.split("-")[0].upper() for path in SCENARIOS}
    assert len(rules) >= 34
    assert set(rules) - named == set()


def test_every_scenario_expects_something() -> None:
    for path in SCENARIOS:
        assert re.search(r"^expect ", path.read_text(), re.M), path.name


@pytest.mark.parametrize("edition", editions.names())
def test_every_edition_has_its_rulebook(edition: str) -> None:
    script = read(ROOT / "tests" / "scenarios" / f"rulebook-{edition}.box")
    assert script.edition.name == edition


@pytest.mark.parametrize("path", WHOLE_GAMES, ids=lambda path: path.stem)
def test_a_whole_game_has_what_an_evening_has(path: Path) -> None:
    lines = path.read_text().split("\n")
    for line in ("hold C 3s", "press C", "expect asleep", "power off", "expect sound alarm"):
        assert line in lines, line


@pytest.mark.parametrize("path", WHOLE_GAMES, ids=lambda path: path.stem)
def test_a_whole_game_ends_with_a_winner_and_every_balance(path: Path) -> None:
    _game, winner, end = path.read_text().rpartition("expect message WINNER ")
    assert winner
    assert re.search("^expect worth [1-8] [1-9]", end, re.M)
    looked_at = re.findall("^expect balance ([1-8]) ", end, re.M)
    assert looked_at == [str(n + 1) for n in range(read(path).edition.cards)]
