"""Plays every script in tests/scenarios, and sees that every rule has one."""

import re
from pathlib import Path

import pytest

from firmware import edition as editions
from sim.player import perform
from sim.rig import Rig
from sim.script import read_script

ROOT = Path(__file__).parent.parent
SCENARIOS = sorted((ROOT / "tests" / "scenarios").glob("*.box"))


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenario_holds(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    script = read_script(path.name, lines, editions.load(editions.DEFAULT))
    rig = Rig.new(script.edition, stock_known=script.stock_known, house=script.house)
    for _number, step in script.steps:
        perform(rig, step)
        assert sum(rig.ledger.accounts.values()) == 0


def test_every_rule_has_a_scenario_named_after_it() -> None:
    rules = re.findall(r"^- \*\*([A-Z]\d+)\*\*", (ROOT / "docs" / "rules.md").read_text(), re.M)
    named = {path.stem.split("-")[0].upper() for path in SCENARIOS}
    assert len(rules) >= 34
    assert set(rules) - named == set()


def test_every_scenario_expects_something() -> None:
    for path in SCENARIOS:
        assert re.search(r"^expect ", path.read_text(), re.M), path.name
