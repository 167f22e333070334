"""The harness of a box with a console, on a board that reports given events."""

import pytest

from firmware.bank import edition as editions
from hal.events import SECOND, CardIn, Event, Instant, Key, KeyDown, KeyUp, PowerLow, Slot
from sim.board.fault import ReaderDead
from sim.board.stock import STOCK
from sim.console.console_board import ConsoleBoard
from sim.console.console_harness import PERSON_TIMEOUT, ConsoleHarness
from sim.script.player import Unmet
from sim.script.words import ScriptError
from tests.reporting_board import ReportingBoard

BANKING = editions.load("banking")
LEFT, RIGHT = Slot.LEFT, Slot.RIGHT


def harness_on(*reports: Event, by_hand: bool = True) -> ConsoleHarness:
    harness = ConsoleHarness(ConsoleBoard(ReportingBoard(*reports)), lambda: None)
    harness.by_hand = by_hand
    harness.board.clock.hold()
    return harness.begin_new(BANKING, stock_known=True)


def shown(harness: ConsoleHarness) -> str:
    assert harness.view is not None
    return harness.view.field


def card(slot: Slot, number: int) -> CardIn:
    return CardIn(Instant(0), slot, STOCK[number - 1])


def test_next_key_may_go_down_before_the_last_one_is_up() -> None:
    one, two = Key.ONE, Key.TWO
    at = Instant(0)
    keys = (KeyDown(at, one), KeyDown(at, two), KeyUp(at, one), KeyUp(at, two))
    harness = harness_on(card(LEFT, 1), *keys)
    harness.insert(LEFT, STOCK[0])
    harness.hold(one, 0)
    harness.hold(two, 0)
    assert shown(harness) == "12"


def test_missing_person_is_reported_after_five_minutes() -> None:
    harness = harness_on()
    with pytest.raises(Unmet, match="expected an input at the box"):
        harness.insert(LEFT, STOCK[0])
    assert harness.board.wall.now() >= PERSON_TIMEOUT
    assert harness.now == 0  # the bank's clock stood still
    harness.pause()
    for _ in range(400):
        harness.idle(None)
    assert not harness.by_hand
    assert harness.asleep


def test_host_can_remove_a_card_that_was_put_in_by_hand() -> None:
    harness = harness_on(card(LEFT, 1))
    harness.insert(LEFT, STOCK[0])
    harness.by_hand = False
    harness.remove(LEFT)
    assert shown(harness) == "-----"


def test_restarted_bank_gets_cards_and_faults_that_were_there_before() -> None:
    harness = harness_on(card(LEFT, 1), PowerLow(Instant(0)), by_hand=False)
    harness.wait(SECOND)
    harness.insert(RIGHT, STOCK[1])
    harness.power_off()
    harness.power_on()
    assert shown(harness) == "2"  # left first, so the right card's number shows
    assert harness.view is not None
    assert harness.view.occupants == (1, 2)
    assert str(harness.view.message) == "LOW POWER"


def test_fault_lines_are_refused() -> None:
    harness = harness_on()
    with pytest.raises(ScriptError, match="'fault reader left' needs a simulated box"):
        harness.cause(ReaderDead(LEFT))
