"""A game with the mouse: rents, mistakes, salaries, new games, sleep, power cuts.

A test that checks something transient stops the box's time first, with the page's button.
"""

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

from hal.display.messages import Message, Text
from hal.display.view import Occupant
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.panels import PanelProcess
from tests.panel.user import DARK, User, screen


def test_with_no_card_in(user: User) -> None:
    """S5, S8, V1: a digit is refused, and the comma changes the volume."""
    user.set_pace(0)
    user.until_shows(screen("-----"))
    user.until_announced("-----")
    user.press("5")
    user.until_shows(screen("-----", Text.NO_CARD))
    for volume in (3, 0, 1):
        user.press(",")
        user.until_shows(screen("-----", Message(Text.VOLUME, str(volume)), volume=volume))


def test_a_rent_is_paid(user: User) -> None:
    """S1, S2, S3, M4: right pays left; the payer's balance shows first, then the other."""
    user.set_pace(0)
    user.put(2, "left")
    user.until_shows(screen("2", card=2, left=2, status="B>2"))
    user.put(1, "right")
    user.until_shows(screen("1", card=1, left=2, right=1, status="1>2"))
    user.press("1,4")
    user.until_shows(screen("1,4", left=2, right=1, status="1>2"))
    user.press("M")
    user.until_shows(screen("13,6M", left=2, right=1, status="1>2 1,4M"))
    user.set_pace(10)
    user.until_shows(screen("16,4M", left=2, right=1, status="1>2 1,4M", balance_of=2))
    user.take("right")
    user.until_shows(screen("16,4M", left=2, status="B>2"))


def test_a_wrong_amount_is_corrected(user: User) -> None:
    """C1, C2: C clears an entry, and undoes a payment."""
    user.set_pace(0)
    user.put(2, "left")
    user.put(1, "right")
    user.press("14")
    user.until_shows(screen("14", left=2, right=1))
    user.press("C")
    user.until_shows(screen("15M", left=2, right=1))
    user.press("14M")
    user.until_shows(screen("1M", left=2, right=1, status="1>2 14M"))
    user.press("C")
    user.until_shows(screen("15M", left=2, right=1, status="UNDO 14M"))
    user.press("1,4M")
    user.until_shows(screen("13,6M", left=2, right=1))


def test_a_refusal_shows_its_message(user: User) -> None:
    """G1, M8: no money moves."""
    user.set_pace(0)
    user.put(1, "right")
    user.press("16M")
    user.until_shows(screen("15M", Text.NO_FUNDS, right=1))
    user.until_announced("15M. NO FUNDS")


def test_go_twice(user: User) -> None:
    """S7: the salary is paid once per insertion of the card."""
    user.set_pace(0)
    user.put(1, "left")
    user.press("G")
    user.until_shows(screen("17M", left=1))
    user.press("G")
    user.until_shows(screen("17M", Text.ALREADY_PAID, left=1))
    user.take("left")
    user.until_shows(screen())
    user.put(1, "left")
    user.press("G")
    user.until_shows(screen("19M", left=1))


def test_holding_c_starts_a_new_game(user: User) -> None:
    """C4: three seconds with a countdown; accounts and history are reset."""
    user.put(1, "left")
    user.press("G")
    user.until_shows(screen("17M", left=1))
    announcements = user.record_announcements()
    user.hold("C")
    user.until_announced("15M. NEW GAME")
    user.release()
    assert [text for text in announcements() if "NEW GAME" in text] == [
        "17M. NEW GAME IN 2",
        "17M. NEW GAME IN 1",
        "15M. NEW GAME",
    ]
    user.until_shows(screen("15M", left=1))
    listed = user.unfold("history").locator("li")
    expect(listed).to_have_count(1)
    expect(listed).to_contain_text("6 cards have 15M each")
    expect(user.unfold("accounts").locator('[data-account="1"]')).to_contain_text("15M")


def test_c_released_early_does_nothing(user: User) -> None:
    """C4: held for more than one second and less than three."""
    user.put(1, "left")
    user.press("G")
    user.hold("C")
    user.until_announced("17M. NEW GAME IN 2")
    user.release()
    user.until_shows(screen("17M", left=1))


def test_sleep_and_wake(user: User) -> None:
    """P1, P2, N2: sleep interrupts the entry; the digit or card that wakes the box counts."""
    user.set_pace(0)
    user.put(1, "left")
    user.press("7")
    user.until_shows(screen("7", left=1))
    user.skip_minute()
    user.until_shows(DARK)
    user.until_announced("asleep")
    user.press("5")
    user.until_shows(screen("15M", Text.NOT_DONE, left=1, status="banking"))
    user.press("C")
    user.until_shows(screen("15M", left=1, status="B>1"))
    user.skip_minute()
    user.until_shows(DARK)
    user.press("5")
    user.until_shows(screen("5", left=1))
    user.press("C")
    user.skip_minute()
    user.until_shows(DARK)
    user.press("G")
    user.until_shows(screen("15M", Text.PRESS_AGAIN, left=1))
    user.skip_minute()
    user.until_shows(DARK)
    user.put(3, "right")
    user.until_shows(screen("3", card=3, left=1, right=3))


def test_a_power_cut_during_an_entry(own_panel: PanelProcess, open_page: OpenPage) -> None:
    """P3: the payment is kept, the entry is lost, and the process was killed."""
    user = open_page(own_panel)
    user.set_pace(0)
    user.put(2, "left")
    user.put(1, "right")
    user.press("1,4M")
    user.until_shows(screen("13,6M", left=2, right=1))
    user.press("1,5")
    user.until_shows(screen("1,5", left=2, right=1))
    before = children(own_panel)

    user.toggle_power()
    user.until_shows(DARK)
    user.until_announced("no power")
    assert children(own_panel) == []

    user.toggle_power()
    user.until_shows(screen("1", card=1, left=2, right=1))
    assert len(children(own_panel)) == 1
    assert children(own_panel) != before
    user.set_pace(10)
    user.until_shows(screen("13,6M", left=2, right=1))
    verified = subprocess.run(
        [sys.executable, "-m", "firmware", "ledger", "--ledger", str(own_panel.ledger), "verify"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stderr


def test_cards_are_moved_without_power(user: User) -> None:
    """P3: cards in the slots at the start count as just put in, left first."""
    user.set_pace(0)
    user.put(1, "left")
    user.toggle_power()
    user.until_announced("no power")
    user.put(4, "right")
    user.toggle_power()
    user.until_shows(screen("4", card=4, left=1, right=4))


def test_a_stranger_blocks_the_box(user: User) -> None:
    """S10, S12: no number is free; the message stays until the card is taken out."""
    user.set_pace(0)
    user.put(1, "left")
    user.put(9, "right")
    blocked = screen("-----", Text.UNKNOWN_CARD, left=1, right=Occupant.REFUSED)
    user.until_shows(blocked)
    user.press("5")
    user.until_shows(blocked)
    user.take("right")
    user.until_shows(screen("15M", left=1))


def test_another_edition_has_its_own_cards(start_panel: StartPanel, open_page: OpenPage) -> None:
    """S10, M2: eight cards and two strangers."""
    user = open_page(start_panel("--edition", "france98"))
    assert user.cards() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    user.set_pace(10)
    user.put(8, "left")
    user.until_shows(screen("150K", left=8, edition="france98"))


def children(panel: PanelProcess) -> list[int]:
    """The running child processes of the panel."""
    listed = Path(f"/proc/{panel.process.pid}/task").glob("*/children")
    return [int(number) for file in listed for number in file.read_text().split()]
