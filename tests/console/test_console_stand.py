"""The stand of a box under a console, on parts that report what a test says."""

import pytest

from firmware import edition as editions
from firmware.ledger import Ledger
from firmware.store import Store
from hal.events import SECOND, CardIn, Event, Instant, Key, KeyDown, KeyUp, PowerLow, Slot
from sim.console_board import ConsoleBoard
from sim.console_stand import PATIENCE, ConsoleStand
from sim.fault import ReaderDead
from sim.player import Unmet
from sim.running import Start
from sim.script_words import ScriptError
from sim.stock import STOCK, players
from tests.reporting_board import ReportingBoard

BANKING = editions.load("banking")
LEFT, RIGHT = Slot.LEFT, Slot.RIGHT


def stand_on(*reports: Event, by_hand: bool = True) -> ConsoleStand:
    stand = ConsoleStand(ConsoleBoard(ReportingBoard(*reports)), lambda: None)
    ledger = Ledger(Store.in_memory(), BANKING)
    ledger.know(players(BANKING))
    stand.by_hand = by_hand
    stand.board.clock.hold()
    stand.start(Start(lambda: ledger, BANKING))
    return stand


def shown(stand: ConsoleStand) -> str:
    assert stand.view is not None
    return stand.view.field


def card(slot: Slot, number: int) -> CardIn:
    return CardIn(Instant(0), slot, STOCK[number - 1])


def test_quick_fingers_press_the_next_key_before_they_let_go_of_the_last() -> None:
    one, two = Key.ONE, Key.TWO
    at = Instant(0)
    keys = (KeyDown(at, one), KeyDown(at, two), KeyUp(at, one), KeyUp(at, two))
    stand = stand_on(card(LEFT, 1), *keys)
    stand.put(LEFT, STOCK[0])
    stand.hold(one, 0)
    stand.hold(two, 0)
    assert shown(stand) == "12"


def test_nobody_there_is_told_after_five_minutes_and_the_box_lives_on() -> None:
    stand = stand_on()
    with pytest.raises(Unmet, match="expected somebody at the box"):
        stand.put(LEFT, STOCK[0])
    assert stand.board.wall.now() >= PATIENCE
    assert stand.now == 0  # for the bank no time has passed
    stand.pause()
    for _ in range(400):
        stand.idle(None)
    assert not stand.by_hand
    assert stand.asleep


def test_a_card_of_a_person_who_has_left_can_be_taken_out_by_the_wire() -> None:
    stand = stand_on(card(LEFT, 1))
    stand.put(LEFT, STOCK[0])
    stand.by_hand = False
    stand.take(LEFT)
    assert shown(stand) == "-----"


def test_a_restarted_bank_is_told_of_what_the_parts_saw_and_what_the_wire_put_in() -> None:
    stand = stand_on(card(LEFT, 1), PowerLow(Instant(0)), by_hand=False)
    stand.pass_time(SECOND)
    stand.put(RIGHT, STOCK[1])
    stand.stop()
    ledger = Ledger(Store.in_memory(), BANKING)
    ledger.know(players(BANKING))
    stand.start(Start(lambda: ledger, BANKING))
    assert shown(stand) == "2"  # left first, so the right one's number is the one seen
    assert stand.view is not None
    assert stand.view.tenants == (1, 2)
    assert str(stand.view.message) == "LOW POWER"


def test_nothing_of_a_real_box_breaks_because_a_script_says_so() -> None:
    stand = stand_on()
    with pytest.raises(ScriptError, match="'fault reader left' needs a simulated box"):
        stand.cause(ReaderDead(LEFT))
