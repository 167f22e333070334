"""What happens at a table, by the mouse: rents, mistakes, salaries, new games, sleep, power cuts.

Where a test looks at something that the box shows only for a while, it stops the box's time
first, by the button that the page has for it.
"""

import subprocess
import sys
from pathlib import Path

from playwright.sync_api import expect

from hal.view import Message, Tenant, Text
from tests.panel.conftest import OpenPage, StartPanel
from tests.panel.hands import DARK, Hands, screen
from tests.panel.served import Served


def test_with_no_card_in(hands: Hands) -> None:
    """S5, S8, V1: the glass says so, a digit is refused, and the comma changes the volume."""
    hands.at_pace(0)
    hands.until_shows(screen("-----"))
    hands.until_said("-----")
    hands.press("5")
    hands.until_shows(screen("-----", Text.NO_CARD))
    for volume in (3, 0, 1):
        hands.press(",")
        hands.until_shows(screen("-----", Message(Text.VOLUME, str(volume)), volume=volume))


def test_a_rent_is_paid(hands: Hands) -> None:
    """S1, S2, S3, M4: right pays left; the payer's balance shows first, then the other."""
    hands.at_pace(0)
    hands.put(2, "left")
    hands.until_shows(screen("2", card=2, left=2))
    hands.put(1, "right")
    hands.until_shows(screen("1", card=1, left=2, right=1))
    hands.press("1,4")
    hands.until_shows(screen("1,4", left=2, right=1))
    hands.press("M")
    hands.until_shows(screen("13,6M", left=2, right=1))
    hands.at_pace(10)
    hands.until_shows(screen("16,4M", left=2, right=1))
    hands.take("right")
    hands.until_shows(screen("16,4M", left=2))


def test_a_wrong_amount_is_corrected(hands: Hands) -> None:
    """C1, C2: C clears what is being typed, and takes back what was paid."""
    hands.at_pace(0)
    hands.put(2, "left")
    hands.put(1, "right")
    hands.press("14")
    hands.until_shows(screen("14", left=2, right=1))
    hands.press("C")
    hands.until_shows(screen("15M", left=2, right=1))
    hands.press("14M")
    hands.until_shows(screen("1M", left=2, right=1))
    hands.press("C")
    hands.until_shows(screen("15M", left=2, right=1))
    hands.press("1,4M")
    hands.until_shows(screen("13,6M", left=2, right=1))


def test_a_refusal_shows_its_message(hands: Hands) -> None:
    """G1, M8: it moves no money, and says why."""
    hands.at_pace(0)
    hands.put(1, "right")
    hands.press("16M")
    hands.until_shows(screen("15M", Text.NO_FUNDS, right=1))
    hands.until_said("15M. NO FUNDS")


def test_go_twice(hands: Hands) -> None:
    """S7: the salary is paid once for each time that the card is put in."""
    hands.at_pace(0)
    hands.put(1, "left")
    hands.press("G")
    hands.until_shows(screen("17M", left=1))
    hands.press("G")
    hands.until_shows(screen("17M", Text.ALREADY_PAID, left=1))
    hands.take("left")
    hands.until_shows(screen())
    hands.put(1, "left")
    hands.press("G")
    hands.until_shows(screen("19M", left=1))


def test_a_new_game_by_holding_c(hands: Hands) -> None:
    """C4: three seconds, a countdown from the first one on; accounts and history begin anew."""
    hands.put(1, "left")
    hands.press("G")
    hands.until_shows(screen("17M", left=1))
    said = hands.note_what_is_said()
    hands.hold("C")
    hands.until_said("15M. NEW GAME")
    hands.let_go()
    assert [text for text in said() if "NEW GAME" in text] == [
        "17M. NEW GAME IN 2",
        "17M. NEW GAME IN 1",
        "15M. NEW GAME",
    ]
    hands.until_shows(screen("15M", left=1))
    listed = hands.unfold("history").locator("li")
    expect(listed).to_have_count(1)
    expect(listed).to_contain_text("6 cards have 15M each")
    expect(hands.unfold("accounts").locator('[data-account="1"]')).to_contain_text("15M")


def test_c_let_go_early_does_nothing(hands: Hands) -> None:
    """C4: held for longer than a second and shorter than three."""
    hands.put(1, "left")
    hands.press("G")
    hands.hold("C")
    hands.until_said("17M. NEW GAME IN 2")
    hands.let_go()
    hands.until_shows(screen("17M", left=1))


def test_sleep_and_wake(hands: Hands) -> None:
    """P1, P2: dark after a minute, an entry dropped; a digit or a card wakes it and counts."""
    hands.at_pace(0)
    hands.put(1, "left")
    hands.press("7")
    hands.until_shows(screen("7", left=1))
    hands.skip_a_minute()
    hands.until_shows(DARK)
    hands.until_said("asleep")
    hands.press("5")
    hands.until_shows(screen("5", left=1))
    hands.skip_a_minute()
    hands.until_shows(DARK)
    hands.press("C")
    hands.until_shows(screen("15M", left=1))
    hands.skip_a_minute()
    hands.until_shows(DARK)
    hands.put(3, "right")
    hands.until_shows(screen("3", card=3, left=1, right=3))


def test_the_power_is_cut_in_the_middle_of_an_entry(hands: Hands, panel: Served) -> None:
    """P3: what was shown is there, what was being typed is not, and the process was killed."""
    hands.at_pace(0)
    hands.put(2, "left")
    hands.put(1, "right")
    hands.press("1,4M")
    hands.until_shows(screen("13,6M", left=2, right=1))
    hands.press("1,5")
    hands.until_shows(screen("1,5", left=2, right=1))
    before = children(panel)

    hands.work_power()
    hands.until_shows(DARK)
    hands.until_said("no power")
    assert children(panel) == []

    hands.work_power()
    hands.until_shows(screen("1", card=1, left=2, right=1))
    assert len(children(panel)) == 1
    assert children(panel) != before
    hands.at_pace(10)
    hands.until_shows(screen("13,6M", left=2, right=1))
    verified = subprocess.run(
        [sys.executable, "-m", "firmware", "ledger", "--ledger", str(panel.ledger), "verify"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stderr


def test_cards_may_be_moved_while_there_is_no_power(hands: Hands) -> None:
    """P3: what lies in the slots at the start counts as just put in, left first."""
    hands.at_pace(0)
    hands.put(1, "left")
    hands.work_power()
    hands.until_said("no power")
    hands.put(4, "right")
    hands.work_power()
    hands.until_shows(screen("4", card=4, left=1, right=4))


def test_a_stranger_blocks_the_box(hands: Hands) -> None:
    """S10, S12: all numbers are taken; the message stays until the card is taken out."""
    hands.at_pace(0)
    hands.put(1, "left")
    hands.put(9, "right")
    blocked = screen("-----", Text.UNKNOWN_CARD, left=1, right=Tenant.REFUSED)
    hands.until_shows(blocked)
    hands.press("5")
    hands.until_shows(blocked)
    hands.take("right")
    hands.until_shows(screen("15M", left=1))


def test_another_edition_has_its_own_cards(start_panel: StartPanel, open_page: OpenPage) -> None:
    """S10, M2: eight cards, and two strangers beyond them."""
    hands = open_page(start_panel("--edition", "france98"))
    assert hands.cards() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    hands.at_pace(10)
    hands.put(8, "left")
    hands.until_shows(screen("150K", left=8, edition="france98"))


def children(panel: Served) -> list[int]:
    """The processes that the panel has started, and that are still there."""
    listed = Path(f"/proc/{panel.process.pid}/task").glob("*/children")
    return [int(number) for file in listed for number in file.read_text().split()]
