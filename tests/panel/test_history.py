"""The history of a long game: the newest moves, and older ones on demand."""

from pathlib import Path

from playwright.sync_api import expect

from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, Posting
from firmware.storage.ledger_file import shared_for_changes
from sim.panel.ledger.postings import PART
from tests.panel.conftest import OpenPage
from tests.panel.panels import HostedPanel
from tests.panel.user import screen

OPENINGS = 6
"""Postings that are one line together."""


def write_moves(path: Path, count: int) -> None:
    """The bank pays card 1, which pays it back, and so on."""
    moves = range(OPENINGS + 1, OPENINGS + 1 + count)
    ways = ((1, BANK), (BANK, 1))
    with shared_for_changes(path) as store:
        store.replay()
        store.append(*(Posting(n, 1, *ways[n % 2], 10_000, Purpose.ENTRY) for n in moves))


def test_older_moves_are_shown_on_demand(panel: HostedPanel, open_page: OpenPage) -> None:
    """A part at a time; new moves come on top meanwhile."""
    moves = 2 * PART + 50
    write_moves(panel.ledger, moves)
    user = open_page(panel)
    history = user.unfold("history")
    items, older = history.locator("#postings li"), history.get_by_role("button")
    expect(items).to_have_count(PART)
    expect(older).to_have_text("Older moves")
    older.click()
    expect(items).to_have_count(2 * PART)
    oldest = items.last.get_attribute("data-posting")
    assert oldest == str(moves + OPENINGS - 2 * PART + 1)

    user.put(1, "left")
    user.press("2M")
    user.until_shows(screen("17M", left=1))
    expect(items).to_have_count(2 * PART + 1)
    expect(items.first).to_contain_text("The bank pays 2M to card 1")
    user.press("C")
    expect(items).to_have_count(2 * PART + 2)
    expect(items.nth(1).locator("s")).to_contain_text("The bank pays 2M to card 1")
    expect(items.nth(1)).to_contain_text("(taken back)")

    older.focus()
    user.page.keyboard.press("Enter")
    expect(items).to_have_count(moves + 2 + 1)
    expect(items.last).to_contain_text("The game opens: 6 cards have 15M each")
    expect(older).to_be_hidden()
    expect(history.locator("#postings")).to_be_focused()


def test_a_short_game_is_shown_as_a_whole(panel: HostedPanel, open_page: OpenPage) -> None:
    write_moves(panel.ledger, PART - OPENINGS)
    history = open_page(panel).unfold("history")
    expect(history.locator("#postings li")).to_have_count(PART - OPENINGS + 1)
    expect(history.get_by_role("button")).to_be_hidden()


def test_a_game_that_was_left_is_not_mixed_with_the_next(
    panel: HostedPanel, open_page: OpenPage
) -> None:
    write_moves(panel.ledger, 2 * PART)
    user = open_page(panel)
    history = user.unfold("history")
    items = history.locator("#postings li")
    expect(items).to_have_count(PART)
    user.set_pace(60)
    user.hold("C")
    expect(items).to_have_count(1)
    user.release()
    expect(items).to_contain_text("The game opens")
    expect(history.get_by_role("button")).to_be_hidden()
