"""docs/troubleshooting.md has every message of the box, and quotes what the box really says."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from firmware import edition as editions
from hal.events import SECOND, Key, Slot
from hal.picture import TEST
from hal.view import Text
from sim.rig import Rig
from sim.stock import STOCK

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "troubleshooting.md"

SEEN = [*(text.value for text in Text if text is not Text.WHOLE_AMOUNT), TEST]
"""All that a person may read; a whole amount has no words."""


def without_code(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


def prose() -> str:
    return without_code(PAGE.read_text(encoding="utf-8"))


def anchor(heading: str) -> str:
    """As code hosting sites make it of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@cache
def headings(file: Path) -> list[str]:
    return re.findall(r"^#+ (.*)$", without_code(file.read_text(encoding="utf-8")), re.MULTILINE)


def links() -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", prose())


def index() -> dict[str, str]:
    """Each row of the first table: what the person sees, and the anchor to look at."""
    rows = re.findall(r"^\| (.+) \| \[.+\]\(#(.+)\) \|$", prose(), re.MULTILINE)
    return dict(rows)


def section(wanted: str) -> str:
    """What stands under a heading, up to the next."""
    _before, *parts = re.split(r"^#+ (.*)$", prose(), flags=re.MULTILINE)
    found = dict(zip(map(anchor, parts[::2]), parts[1::2], strict=True))
    return found[wanted]


@pytest.mark.parametrize("message", SEEN)
def test_every_message_is_in_the_index_and_has_an_entry(message: str) -> None:
    places = [goal for seen, goal in index().items() if f"`{message}`" in seen]
    assert len(places) == 1, f"{message} is in {len(places)} rows of the index"
    named = next(heading for heading in headings(PAGE) if anchor(heading) == places[0])
    entry = named + section(places[0])
    assert re.search(rf"`{message}\b", entry), f"#{places[0]} does not speak of {message}"


def test_the_index_leads_to_every_entry() -> None:
    entries = re.findall(r"^### (.*)$", prose(), re.MULTILINE)
    assert {anchor(entry) for entry in entries} == set(index().values())


def test_an_entry_tells_both_what_to_do() -> None:
    for entry in set(index().values()) - {"it-only-tells-you-something", "it-is-slow"}:
        text = section(entry)
        told = entry == "buses-and-permissions" or (
            re.search("at the table", text, re.IGNORECASE) and "**The builder:**" in text
        )
        assert told, entry


@pytest.mark.parametrize("link", sorted(set(links())))
def test_every_link_leads_somewhere(link: str) -> None:
    path, _, wanted = link.partition("#")
    file = PAGE.parent / path if path else PAGE
    assert file.exists(), f"{file.name} is not there"
    if wanted:
        assert wanted in map(anchor, headings(file))


# What it quotes


@cache
def sentences() -> list[str]:
    """Every text in the firmware, the drivers and the console, with … for what is put in."""
    found = []
    for package in ("firmware", "hal"):
        for file in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.append(node.value.replace("%s", "…"))
                elif isinstance(node, ast.JoinedStr):
                    parts = [p.value if isinstance(p, ast.Constant) else "…" for p in node.values]
                    found.append("".join(map(str, parts)))
    return found


@pytest.mark.parametrize("quoted", sorted(set(re.findall("“(.+?)”", prose(), re.DOTALL))))
def test_what_it_quotes_is_what_the_box_says(quoted: str) -> None:
    wanted = " ".join(quoted.split())
    assert any(wanted in sentence for sentence in sentences()), wanted


def test_a_lost_game_comes_back_by_the_keys_that_it_names() -> None:
    told = section("a-new-game-was-started-by-mistake")
    keys = re.findall("`([0-9FM])`", told)
    assert keys == ["F", "0", "6", "M"]
    rig = Rig.new(editions.load("banking"), stock_known=True)
    rig.insert(Slot.LEFT, STOCK[0])
    rig.press((Key.TWO, Key.MILLIONS))
    rig.hold(Key.CANCEL, 3 * SECOND)
    rig.press(tuple(Key(key) for key in keys))
    assert rig.balance(1) == 17_000_000
    assert str(rig.view and rig.view.message) == "GAME BACK"
