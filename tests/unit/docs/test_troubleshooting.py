"""docs/troubleshooting.md explains every message of the box and quotes real texts."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from hal.display.messages import Text
from hal.display.renderer import TEST
from hal.events import SECOND, Key, Slot
from sim.board.software_harness import SoftwareHarness
from sim.board.stock import STOCK

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "troubleshooting.md"

WITHOUT_WORDS = {Text.WHOLE_AMOUNT, Text.NAME}
SEEN = sorted({text.english.strip() for text in set(Text) - WITHOUT_WORDS} | {TEST})
"""Every message on the screen that has words; a whole amount and a name stand alone."""


def without_code(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


def prose() -> str:
    return without_code(PAGE.read_text(encoding="utf-8"))


def anchor(heading: str) -> str:
    """Return the anchor that code hosting sites generate for a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@cache
def headings(file: Path) -> list[str]:
    return re.findall(r"^#+ (.*)$", without_code(file.read_text(encoding="utf-8")), re.MULTILINE)


def links() -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", prose())


def index() -> dict[str, str]:
    """Return the first table: symptoms to anchors."""
    rows = re.findall(r"^\| (.+) \| \[.+\]\(#(.+)\) \|$", prose(), re.MULTILINE)
    return dict(rows)


def section(wanted: str) -> str:
    """Return the text under a heading, up to the next."""
    _before, *parts = re.split(r"^#+ (.*)$", prose(), flags=re.MULTILINE)
    found = dict(zip(map(anchor, parts[::2]), parts[1::2], strict=True))
    return found[wanted]


@pytest.mark.parametrize("message", SEEN)
def test_every_message_is_in_the_index_and_has_an_entry(message: str) -> None:
    anchors = [target for symptom, target in index().items() if f"`{message}`" in symptom]
    assert len(anchors) == 1, f"{message} is in {len(anchors)} rows of the index"
    title = next(heading for heading in headings(PAGE) if anchor(heading) == anchors[0])
    entry = title + section(anchors[0])
    assert re.search(rf"[`\w]{re.escape(message)}\b|`{re.escape(message)}\b", entry), (
        f"#{anchors[0]} does not mention {message}"
    )


def test_the_index_links_to_every_entry() -> None:
    entries = re.findall(r"^### (.*)$", prose(), re.MULTILINE)
    assert {anchor(entry) for entry in entries} == set(index().values())


def test_an_entry_has_advice_for_the_table_and_the_builder() -> None:
    for entry in set(index().values()) - {"information", "it-is-slow"}:
        text = section(entry)
        has_both = entry == "buses-and-permissions" or (
            re.search("at the table", text, re.IGNORECASE) and "**The builder:**" in text
        )
        assert has_both, entry


@pytest.mark.parametrize("link", sorted(set(links())))
def test_every_link_has_a_target(link: str) -> None:
    path, _, wanted = link.partition("#")
    file = PAGE.parent / path if path else PAGE
    assert file.exists(), f"{file.name} does not exist"
    if wanted:
        assert wanted in map(anchor, headings(file))


# Quotations


@cache
def sentences() -> list[str]:
    """Every string of the firmware, the drivers and the console, with … for placeholders."""
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
def test_every_quotation_is_a_text_of_the_program(quoted: str) -> None:
    wanted = " ".join(quoted.split())
    assert any(wanted in sentence for sentence in sentences()), wanted


def test_the_keys_on_the_page_bring_back_the_previous_game() -> None:
    text = section("a-new-game-was-started-by-mistake")
    keys = re.findall("`([0-9FM])`", text)
    assert keys == ["F", "0", "6", "M"]
    harness = SoftwareHarness().begin_new(editions.load("banking"), stock_known=True)
    harness.insert(Slot.LEFT, STOCK[0])
    harness.press((Key.TWO, Key.MILLIONS))
    harness.hold(Key.CANCEL, 3 * SECOND)
    harness.press(tuple(Key(key) for key in keys))
    assert harness.balance(1) == 17_000_000
    assert str(harness.view and harness.view.message) == "GAME BACK"
