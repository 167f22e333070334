"""Automated accessibility checks with axe-core, in several states and both languages."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from hal.display.messages import Message, Text
from tests.panel.conftest import OpenPage, StartPanel, missing
from tests.panel.panels import HostedPanel, PanelProcess
from tests.panel.user import User, listed, ranked, screen

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
CODE = re.compile(r"\b\d{4} \d{4} \d{4}\b")
"""The one-time code in the terminal."""
LOCALES = ["en-GB", pytest.param("fr-FR", marks=pytest.mark.long)]
PANELS = ("accounts", "history", "time", "faults", "recording", "shortcuts")


@pytest.fixture(scope="module")
def axe() -> str:
    if not AXE.exists():
        missing("axe-core is not installed: run tools/setup browser")
    return AXE.read_text(encoding="utf-8")


def violations(page: Page, axe: str) -> list[str]:
    """One line each: the rule, and where it is violated."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(axe)
    found: list[dict[str, Any]] = page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{rule['id']} ({rule['help']}): {node['target']} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("locale", LOCALES)
def test_axe_finds_nothing(
    own_panel: PanelProcess, open_page: OpenPage, axe: str, locale: str
) -> None:
    """A new page; all unfolded, with cards and a refusal; no power; recording; disconnected."""
    user = open_page(own_panel, locale=locale)
    user.until_shows(screen())
    assert violations(user.page, axe) == [], "a new page"

    for panel in PANELS:
        user.unfold(panel)
    user.put(1, "left")
    user.put(9, "right")
    user.drag(user.rack(3), user.slot("left"))
    expect(user.page.locator("#toast")).not_to_be_empty()
    user.rack(2).click()
    assert violations(user.page, axe) == [], "cards, a refusal, and everything unfolded"

    user.page.keyboard.press("Escape")
    user.toggle_power()
    user.set_fault("screen", on=True)
    assert violations(user.page, axe) == [], "without power"
    user.toggle_power()
    user.set_fault("screen", on=False)

    user.page.locator("#record").click()
    expect(user.page.locator("#recording-mark")).to_be_visible()
    user.put(1, "left")
    expect(user.page.locator("#script")).to_contain_text("insert left 1")
    assert violations(user.page, axe) == [], "while recording"

    own_panel.stop()
    expect(user.page.locator("#lost")).to_be_visible()
    assert violations(user.page, axe) == [], "disconnected"


@pytest.mark.parametrize("locale", LOCALES)
def test_axe_finds_nothing_in_menus_and_tables(
    panel: HostedPanel, open_page: OpenPage, axe: str, locale: str
) -> None:
    """A list, and a table with a bankrupt card."""
    user = open_page(panel, locale=locale)
    user.set_pace(0)
    for name in ("accounts", "history", "shortcuts"):
        user.unfold(name)
    user.press("F")
    user.until_shows(listed({"9": Text.COUNT, "0": Text.GAME}))
    assert violations(user.page, axe) == [], "a list"
    user.put(1, "left")
    user.put(2, "right")
    user.press("F1")
    user.hold("M")
    user.until_shows(screen("0", Message(Text.WINNER, "1"), left=1, right=2))
    user.release()
    user.take("right")
    user.take("left")
    user.press("F9")
    held: dict[int, str | Text] = {1: "30M", 3: "15M", 4: "15M", 5: "15M", 6: "15M", 2: Text.OUT}
    user.until_shows(ranked(Message(Text.COUNT, ask=Text.PRESS_M), held))
    expect(user.page.locator('[data-account="2"] .out')).to_be_visible()
    assert violations(user.page, axe) == [], "a table"


@pytest.mark.parametrize("locale", LOCALES)
def test_axe_finds_nothing_in_a_task(
    panel: HostedPanel, open_page: OpenPage, axe: str, locale: str
) -> None:
    """With a hint, with a mistake, and done; on a laptop and on a phone."""
    user = open_page(panel, locale=locale)
    user.page.locator("#learn").click()
    user.page.locator("#lesson-hint").click()
    user.until_announced("-----")
    assert violations(user.page, axe) == [], "a hint"
    user.put(1, "left")
    said = user.page.locator("#lesson-said")
    for keys, outcome in (("2K", "advice"), ("20M", "wrong"), ("C2M", "done")):
        user.press(keys)
        expect(said).to_have_attribute("data-outcome", outcome)
        user.page.set_viewport_size(ViewportSize(width=360, height=740))
        assert violations(user.page, axe) == [], f"{outcome} on a phone"
        user.page.set_viewport_size(ViewportSize(width=1100, height=760))
        assert violations(user.page, axe) == [], outcome


def test_axe_finds_nothing_on_a_phone(panel: HostedPanel, open_page: OpenPage, axe: str) -> None:
    user = open_page(panel, viewport=ViewportSize(width=360, height=740))
    user.unfold("accounts")
    user.put(2, "right")
    assert violations(user.page, axe) == []


def test_axe_finds_nothing_on_the_code_page(
    start_panel: StartPanel, browser: Browser, axe: str
) -> None:
    """Also after a wrong code; the right code opens the panel."""
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
        page.locator("#code").fill(CODE.findall(panel.output())[-1])
        page.keyboard.press("Enter")
        page.locator("#pixels[d]").wait_for(state="attached")
        page.close()


def test_the_screen_is_announced_and_keys_have_names(user: User) -> None:
    """The live region and the picture's name have the same text."""
    region = user.page.locator("#announce")
    expect(region).to_have_attribute("aria-live", "polite")
    user.set_pace(0)
    user.put(1, "right")
    user.until_announced("card 1")
    user.press("16M")
    user.until_announced("15M. NO FUNDS")
    expect(user.page.locator("#screen")).to_have_accessible_name("15M. NO FUNDS")
    for key, name in {
        "5": "5",
        "M": "M, millions",
        "K": "K, thousands",
        "C": "C, clear or take back; hold 3 seconds for a new game",
        "G": "GO ←, salary",
        ",": "comma, or volume with no card in",
        "F": "F, list of the banker’s other tasks",
    }.items():
        expect(user.key(key)).to_have_accessible_name(name)
        expect(user.key(key)).to_have_role("button")
