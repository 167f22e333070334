"""The automated check of accessibility: axe-core, in several states and both languages."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from hal.view import Message, Text
from tests.panel.conftest import OpenPage, StartPanel, missing
from tests.panel.hands import Hands, listed, ranked, screen
from tests.panel.served import Served

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
CODE = re.compile(r"\b\d{6}\b")
"""The one-time code, as the terminal shows it."""
PARTS = ("accounts", "history", "time", "faults", "recording", "shortcuts")


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.exists():
        missing("axe-core is not installed: run tools/setup browser")
    return AXE.read_text(encoding="utf-8")


def violations(page: Page, axe: str) -> list[str]:
    """Each as a line: the rule, and where it is broken."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(axe)
    found: list[dict[str, Any]] = page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{rule['id']} ({rule['help']}): {node['target']} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("locale", ["en-GB", "fr-FR"])
def test_axe_finds_nothing(panel: Served, open_page: OpenPage, axe: str, locale: str) -> None:
    """Fresh; all unfolded; cards in, one of them picked up; a refusal; recording; lost."""
    hands = open_page(panel, locale=locale)
    hands.until_shows(screen())
    assert violations(hands.page, axe) == [], "a fresh page"

    for part in PARTS:
        hands.unfold(part)
    hands.put(1, "left")
    hands.put(9, "right")
    hands.drag(hands.rack(3), hands.slot("left"))
    expect(hands.page.locator("#toast")).not_to_be_empty()
    hands.rack(2).click()
    assert violations(hands.page, axe) == [], "cards, a refusal, and everything unfolded"

    hands.page.keyboard.press("Escape")
    hands.work_power()
    hands.work_fault("screen", on=True)
    assert violations(hands.page, axe) == [], "without power"
    hands.work_power()
    hands.work_fault("screen", on=False)

    hands.page.locator("#record").click()
    expect(hands.page.locator("#on-air")).to_be_visible()
    hands.put(1, "left")
    expect(hands.page.locator("#script")).to_contain_text("insert left 1")
    assert violations(hands.page, axe) == [], "while recording"

    panel.stop()
    expect(hands.page.locator("#lost")).to_be_visible()
    assert violations(hands.page, axe) == [], "without a line"


@pytest.mark.parametrize("locale", ["en-GB", "fr-FR"])
def test_axe_finds_nothing_in_what_f_opens(
    panel: Served, open_page: OpenPage, axe: str, locale: str
) -> None:
    """A list, a table with somebody who is out, and that beside the box."""
    hands = open_page(panel, locale=locale)
    hands.at_pace(0)
    for part in ("accounts", "history", "shortcuts"):
        hands.unfold(part)
    hands.press("F")
    hands.until_shows(listed({"9": Text.COUNT, "0": Text.GAME}))
    assert violations(hands.page, axe) == [], "a list"
    hands.put(1, "left")
    hands.put(2, "right")
    hands.press("F1M")
    hands.until_shows(screen("0", left=1, right=2))
    hands.take("right")
    hands.take("left")
    hands.press("F9")
    held: dict[int, str | Text] = {1: "30M", 3: "15M", 4: "15M", 5: "15M", 6: "15M", 2: Text.OUT}
    hands.until_shows(ranked(Message(Text.COUNT, lead="M ="), held))
    expect(hands.page.locator('[data-account="2"] .out')).to_be_visible()
    assert violations(hands.page, axe) == [], "a table"


def test_axe_finds_nothing_on_a_phone(panel: Served, open_page: OpenPage, axe: str) -> None:
    hands = open_page(panel, viewport=ViewportSize(width=360, height=740))
    hands.unfold("accounts")
    hands.put(2, "right")
    assert violations(hands.page, axe) == []


def test_axe_finds_nothing_at_the_door(start_panel: StartPanel, browser: Browser, axe: str) -> None:
    """The page that asks for the one-time code, also after a wrong one; the right one opens."""
    panel = start_panel("--host", "0.0.0.0")
    for locale in ("en-GB", "fr-FR"):
        page = browser.new_page(locale=locale)
        page.goto(f"http://127.0.0.1:{panel.port}/")
        expect(page.locator("#code")).to_be_visible()
        assert violations(page, axe) == []
        page.locator("#code").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.locator("#wrong")).not_to_be_empty()
        assert violations(page, axe) == []
        page.locator("#code").fill(CODE.findall(panel.said())[-1])
        page.keyboard.press("Enter")
        page.locator("#pixels[d]").wait_for(state="attached")
        page.close()


def test_the_screen_is_announced_and_keys_have_names(hands: Hands) -> None:
    """The screen as text, politely; and the picture has the same text as its name."""
    region = hands.page.locator("#announce")
    expect(region).to_have_attribute("aria-live", "polite")
    hands.at_pace(0)
    hands.put(1, "right")
    hands.until_said("card 1")
    hands.press("16M")
    hands.until_said("15M. NO FUNDS")
    expect(hands.page.locator("#glass")).to_have_accessible_name("15M. NO FUNDS")
    for key, name in {
        "5": "5",
        "M": "M, millions",
        "K": "K, thousands",
        "C": "C, clear or take back; hold 3 seconds for a new game",
        "G": "GO, salary",
        ",": "comma, or volume with no card in",
        "F": "F, list of the banker’s other tasks",
    }.items():
        expect(hands.key(key)).to_have_accessible_name(name)
        expect(hands.key(key)).to_have_role("button")
