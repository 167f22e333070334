"""The tables of F's entries and of GAME's: names and rules agree with docs/rules.md."""

import re
from pathlib import Path

import pytest

from firmware.table.menu import entries, game_menu
from firmware.table.menu.menu_entry import MenuEntry

ROOT = Path(__file__).parents[5]
ROWS = [entry for page in (*entries.PAGES, game_menu.PAGE) for entry in page.values()]
RULES = dict(
    re.findall(r"^- \*\*(F\d+)\*\* (.*)", (ROOT / "docs/rules.md").read_text("utf-8"), re.MULTILINE)
)


@pytest.mark.parametrize("entry", ROWS, ids=lambda entry: entry.name.name)
def test_an_entry_is_described_by_its_rule(entry: MenuEntry) -> None:
    assert f"`{entry.name.english}`" in RULES[entry.rule]
    assert entry.rule == entry.name.rule


def test_no_entry_has_two_rows() -> None:
    assert len({entry.name for entry in ROWS}) == len(ROWS)
