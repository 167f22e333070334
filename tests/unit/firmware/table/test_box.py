"""The box in cases that scripts cannot express: events of drivers, late events, a failing disk."""

import pytest

from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.house_rules import BY_THE_BOOK, HouseRules
from firmware.bank.ledger import Ledger
from firmware.storage.store import Store
from firmware.table.box import Box
from hal.display.sounds import Sound
from hal.display.view import Occupant
from hal.events import (
    MILLISECOND,
    SECOND,
    CardIn,
    CardOut,
    CardsClash,
    Instant,
    Key,
    KeyDown,
    KeyUp,
    PowerGood,
    PowerLow,
    ReaderBack,
    ReaderLost,
    Slot,
)

BANKING = editions.load("banking")
CARDS = {number: bytes([number] * 4) for number in range(1, 8)}


class Table:
    """A box and a clock, and inputs that may overlap."""

    def __init__(
        self, edition: Edition = BANKING, known: int = 6, house: HouseRules = BY_THE_BOOK
    ) -> None:
        self.store = Store.in_memory()
        self.ledger = Ledger(self.store, edition)
        self.ledger.know([CARDS[n] for n in range(1, known + 1)])
        self.now = Instant(1_000 * SECOND)
        self.box = Box(self.ledger, self.now, house=house)

    def wait(self, duration: int) -> tuple[Sound, ...]:
        self.now = Instant(self.now + duration)
        return self.box.advance(self.now)

    def down(self, key: str) -> tuple[Sound, ...]:
        return self.box.handle(KeyDown(self.now, Key(key)))

    def up(self, key: str) -> tuple[Sound, ...]:
        return self.box.handle(KeyUp(self.now, Key(key)))

    def press(self, keys: str) -> tuple[Sound, ...]:
        sounds: tuple[Sound, ...] = ()
        for key in keys:
            sounds = self.down(key) + self.up(key)
        return sounds

    def hold(self, key: str, duration: int) -> tuple[Sound, ...]:
        return self.down(key) + self.wait(duration) + self.up(key)

    def insert(self, slot: Slot, number: int) -> tuple[Sound, ...]:
        return self.box.handle(CardIn(self.now, slot, CARDS[number]))

    def remove(self, slot: Slot) -> tuple[Sound, ...]:
        return self.box.handle(CardOut(self.now, slot))

    @property
    def message(self) -> str:
        return str(self.box.view.message or "")

    @property
    def status(self) -> str:
        return self.box.view.status

    @property
    def field(self) -> str:
        return self.box.view.field


LEFT, RIGHT = Slot.LEFT, Slot.RIGHT


def test_s11_two_cards_in_one_slot() -> None:
    table = Table()
    assert table.box.handle(CardsClash(table.now, LEFT)) == (Sound.ERROR,)
    assert table.message == "ONE CARD"
    assert table.field == "-----"
    assert table.press("5") == (Sound.ERROR,)
    assert table.box.view.occupants == (Occupant.REFUSED, Occupant.NONE)
    table.remove(LEFT)
    assert table.message == ""


def test_s11_a_second_card_ends_the_visit_of_the_first() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1M")
    table.box.handle(CardsClash(table.now, LEFT))
    assert table.message == "ONE CARD"
    table.remove(LEFT)
    table.insert(LEFT, 1)
    table.press("C")
    assert table.message == "NOTHING TO UNDO"


def test_s11_the_clash_wakes_a_sleeping_box() -> None:
    table = Table()
    table.wait(60 * SECOND)
    assert table.box.asleep
    table.box.handle(CardsClash(table.now, LEFT))
    assert not table.box.asleep


def test_c4_a_countdown_shows_from_the_first_second_on() -> None:
    table = Table()
    table.down("C")
    table.wait(999 * MILLISECOND)
    assert table.message == ""
    table.wait(1 * MILLISECOND)
    assert table.message == "NEW GAME IN 2"
    table.wait(999 * MILLISECOND)
    assert table.message == "NEW GAME IN 2"
    table.wait(1 * MILLISECOND)
    assert table.message == "NEW GAME IN 1"
    assert table.wait(999 * MILLISECOND) == ()
    assert table.wait(1 * MILLISECOND) == (Sound.NEW_GAME,)
    assert table.message == "NEW GAME"
    assert table.wait(2 * SECOND) == ()
    assert table.message == ""
    assert table.up("C") == ()


def test_c4_the_countdown_shows_on_a_blocked_box_until_c_is_released() -> None:
    table = Table()
    table.insert(LEFT, 7)
    table.down("C")
    table.wait(1 * SECOND)
    assert table.message == "NEW GAME IN 2"
    table.up("C")
    assert table.message == "UNKNOWN CARD"


def test_d14_the_next_key_releases_c() -> None:
    """A fast typist presses the next key before C is up; C acts first."""
    table = Table()
    table.insert(LEFT, 1)
    table.press("12")
    table.down("C")
    assert table.down("3") == (Sound.KEY, Sound.KEY)
    assert table.field == "3"
    assert table.up("C") == ()
    assert table.field == "3"


def test_d14_the_next_key_ends_a_countdown() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.down("C")
    table.wait(2 * SECOND)
    assert table.down("5") == (Sound.KEY,)
    assert table.wait(5 * SECOND) == ()
    assert table.message == ""


def test_c1_duration_is_measured_by_the_events() -> None:
    """The loop was busy, and gets the release after 0.9 s late."""
    table = Table()
    table.insert(LEFT, 1)
    table.press("1M")
    pressed = table.now
    table.down("C")
    table.wait(1500 * MILLISECOND)
    released = KeyUp(Instant(pressed + 900 * MILLISECOND), Key.CANCEL)
    assert table.box.handle(released) == (Sound.UNDO,)


def test_time_never_goes_back() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.wait(5 * SECOND)
    table.box.advance(Instant(table.now - 5 * SECOND))
    assert table.field == "15M"


def test_a_key_that_is_down_cannot_go_down_again() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.down("5")
    assert table.down("5") == ()
    assert table.field == "5"
    table.up("5")
    assert table.up("5") == ()


def test_p1_a_second_key_that_is_down_keeps_the_box_awake() -> None:
    table = Table()
    table.down("1")
    table.down("2")
    table.up("1")
    table.wait(120 * SECOND)
    assert not table.box.asleep
    assert table.box.deadline is None
    table.up("2")
    table.wait(60 * SECOND)
    assert table.box.asleep
    assert table.box.deadline is None


def test_another_card_without_a_removal() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1M")
    assert table.insert(LEFT, 2) == (Sound.CARD,)
    table.press("C")
    assert table.message == "NOTHING TO UNDO"


def test_a_removal_from_an_empty_slot_is_ignored() -> None:
    table = Table()
    table.insert(LEFT, 1)
    assert table.remove(RIGHT) == ()
    assert table.box.view.card == 1


def test_s12_two_refused_cards() -> None:
    table = Table()
    table.insert(LEFT, 7)
    table.insert(RIGHT, 7)
    assert table.message == "SAME CARD"
    table.remove(RIGHT)
    assert table.message == "UNKNOWN CARD"
    table.remove(LEFT)
    assert table.message == ""


def test_the_status_row_shows_the_slots() -> None:
    table = Table(known=2)
    table.insert(LEFT, 2)
    table.insert(RIGHT, 5)
    assert [table.box.view.occupant(slot) for slot in Slot] == [2, 3]
    table.press("C")
    assert [table.box.view.occupant(slot) for slot in Slot] == [2, Occupant.NONE]


SMALL = """\
name = "small"
currency = "bead"
cards = 6
opening_balance = 90_000
salary = 10_000
entry_minimum = 1
entry_maximum = 999_990
step = 1
jail_fine = 1
units = { M = 100, K = 10 }
utility_rent = { one = 1, both = 1 }
dice = { count = 2, sides = 6 }
[mortgage]
interest_percent = 10
round_up_to = 1
buyer_lifting_pays = "value"
buyer_keeping_pays_interest = false
[fast_game]
deeds = 2
deeds_are_paid = true
ends_at_bankruptcy = 2
houses_before_hotel = 3
[timed_game]
ends_at = "duration"
deeds = 0
in_rulebook = true
"""


def test_m8_full() -> None:
    table = Table(editions.parse("small", SMALL))
    table.insert(LEFT, 1)
    full = 99_999 * 100
    for _ in range(9):
        assert table.press("99999K")[0] is Sound.OK
    assert table.press("90990K")[0] is Sound.OK  # 90 000 + 9 × 999 990 + 909 900 = 9 999 810
    assert table.press("10K") == (Sound.ERROR,)
    assert table.message == "FULL"
    assert table.field == "99998M"
    assert table.press("9K")[0] is Sound.OK
    assert table.ledger.balance(1) == full
    assert table.field == "99999M"
    assert table.press("G") == (Sound.ERROR,)
    assert table.message == "FULL"
    table.insert(RIGHT, 2)
    assert table.press("1K") == (Sound.ERROR,)
    assert table.message == "FULL"  # a transfer is refused as a whole
    assert (table.ledger.balance(1), table.ledger.balance(2)) == (full, 90_000)
    table.press("90000K")
    assert table.message == "NO FUNDS"  # M9: before FULL
    table.remove(RIGHT)
    table.press("C")
    assert table.ledger.balance(1) == full - 90


def test_s7_a_refused_salary_does_not_count_as_paid() -> None:
    table = Table(editions.parse("small", SMALL.replace("salary = 10_000", "salary = 9_999_000")))
    table.insert(LEFT, 1)
    for _ in range(2):
        assert table.press("G") == (Sound.ERROR,)
        assert (table.message, table.field) == ("FULL", "900M")


@pytest.fixture
def failing() -> Table:
    """A box whose disk has just become read-only."""
    table = Table(known=4)
    table.insert(LEFT, 1)
    table.press("1M")
    table.store._connection.execute("PRAGMA query_only = ON")
    return table


def test_d3_a_failing_disk_refuses_moves(failing: Table) -> None:
    assert failing.press("2M") == (Sound.ERROR,)
    assert failing.message == "ERROR"
    assert failing.field == "16M"
    failing.press("G")
    assert failing.message == "ERROR"
    failing.wait(2 * SECOND)
    assert failing.press("C") == (Sound.KEY,)  # it only clears the message (G3)
    assert failing.message == ""
    assert failing.press("C") == (Sound.ERROR,)
    assert failing.message == "ERROR"
    failing.store._connection.execute("PRAGMA query_only = OFF")
    assert failing.press("G") == (Sound.OK,)  # the refused salary does not count as paid
    failing.press("C")
    assert failing.press("C") == (Sound.UNDO,)
    assert failing.field == "15M"


def test_d3_a_failing_disk_starts_no_new_game(failing: Table) -> None:
    failing.down("C")
    assert failing.wait(3 * SECOND) == (Sound.ERROR,)
    assert failing.message == "ERROR"
    failing.up("C")
    assert failing.ledger.game == 1
    failing.store._connection.execute("PRAGMA query_only = OFF")
    assert failing.press("C") == (Sound.KEY,)  # it only clears the message (G3)
    assert failing.press("C") == (Sound.UNDO,)  # the earlier move can still be reversed


def test_d10_a_failing_disk_refuses_a_new_card(failing: Table) -> None:
    assert failing.insert(RIGHT, 6) == (Sound.ERROR,)
    assert failing.message == "ERROR"
    failing.wait(10 * SECOND)
    assert failing.message == "ERROR"  # it blocks, so that the bank cannot pay instead
    assert failing.press("5") == (Sound.ERROR,)
    failing.remove(RIGHT)
    assert failing.field == "16M"


def test_d3_a_failing_disk_keeps_the_volume(failing: Table) -> None:
    failing.remove(LEFT)
    failing.press(",")
    assert failing.message == "ERROR"
    assert failing.box.volume == 2


def test_d3_a_failing_disk_forgets_no_card(failing: Table) -> None:
    failing.store._connection.execute("PRAGMA query_only = OFF")
    failing.insert(RIGHT, 6)
    failing.store._connection.execute("PRAGMA query_only = ON")
    assert failing.press("C") == (Sound.ERROR,)
    assert failing.message == "ERROR"
    assert failing.box.view.occupants == (1, 5)


def test_d12_a_replacement_shows_replaced() -> None:
    table = Table()
    table.ledger.ask_replacement(3)
    assert table.insert(LEFT, 7) == (Sound.CARD,)
    assert table.message == "REPLACED"
    assert table.box.view.card == 3


@pytest.mark.parametrize("named", [False, True])
def test_n6_a_name_shows_as_long_as_the_number(named: bool) -> None:
    table = Table()
    if named:
        table.ledger.name(2, "Zoé")
    table.insert(LEFT, 2)
    assert (table.field, table.message) == ("2", "Zoé" if named else "")
    table.wait(SECOND - MILLISECOND)
    assert table.message == ("Zoé" if named else "")
    table.wait(MILLISECOND)
    assert (table.field, table.message) == ("15M", "")


def test_n6_a_key_ends_the_name() -> None:
    table = Table()
    table.ledger.name(2, "Ana")
    table.insert(LEFT, 2)
    table.press("5")
    assert (table.field, table.message) == ("5", "")


def test_n6_other_messages_show_before_a_name() -> None:
    table = Table()
    table.ledger.name(2, "Ana")
    table.ledger.ask_replacement(2)
    table.insert(LEFT, 7)
    assert table.message == "REPLACED"
    table.wait(SECOND)
    table.box.handle(PowerLow(table.now))
    table.insert(LEFT, 2)
    table.insert(LEFT, 7)
    assert (table.field, table.message) == ("2", "LOW POWER")
    table.box.handle(PowerGood(table.now))
    assert table.message == "Ana"


def test_the_deadline_is_the_next_change_of_the_view() -> None:
    table = Table()
    assert table.box.deadline == table.now + 60 * SECOND
    table.insert(LEFT, 1)
    assert table.box.deadline == table.now + 1 * SECOND
    table.press("M")  # the message of a refusal does not end by itself (G2)
    assert table.box.deadline == table.now + 60 * SECOND
    table.remove(LEFT)
    table.press(",")
    assert table.box.deadline == table.now + 2 * SECOND
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("1M")
    assert table.box.deadline == table.now + 2 * SECOND


def test_g2_a_message_that_is_drawn_late_shows_for_two_seconds() -> None:
    table = Table()
    table.down(",")
    late = Instant(table.now + 3 * SECOND)
    table.box.shown(late)
    assert table.box.deadline == late + 2 * SECOND
    table.box.advance(Instant(late + 2 * SECOND - 1))
    assert table.message == "VOLUME 3"
    table.box.advance(Instant(late + 2 * SECOND))
    assert table.message == ""


def test_g2_the_message_of_a_refusal_stays() -> None:
    """Until the next key, a card, or sleep; also if it is drawn late."""
    table = Table()
    table.insert(LEFT, 1)
    table.press("M")
    table.box.shown(Instant(table.now + 5 * MILLISECOND))
    table.wait(59 * SECOND)
    assert table.message == "NO AMOUNT"
    table.insert(RIGHT, 2)
    assert table.message == ""
    table.press("M")
    table.remove(RIGHT)
    assert table.message == ""
    table.press("M")
    table.press("5")
    assert table.message == ""
    table.press("CM")
    table.wait(60 * SECOND)
    table.press("C")  # it wakes the box
    assert (table.box.asleep, table.message) == (False, "")


def test_s1_a_number_that_is_drawn_late_still_shows() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.box.shown(Instant(table.now + 3 * SECOND))
    assert table.box.view.card == 1


def test_p1_a_late_view_does_not_skip_sleep() -> None:
    table = Table()
    table.box.shown(table.now)
    table.wait(60 * SECOND - 1)
    table.box.shown(Instant(table.now + 10))
    table.wait(100)
    assert table.box.asleep


def test_p1_sixty_seconds_count_from_the_view() -> None:
    table = Table()
    table.insert(LEFT, 1)
    late = Instant(table.now + 5 * MILLISECOND)
    table.box.shown(late)
    table.box.shown(Instant(late + SECOND))  # the view has not changed, so this has no effect
    table.box.advance(Instant(late + 60 * SECOND - 1))
    assert not table.box.asleep
    table.box.advance(Instant(late + 60 * SECOND))
    assert table.box.asleep


def test_d6_a_lost_reader_is_reported_and_the_other_slot_works() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.box.handle(ReaderLost(table.now, LEFT))
    assert table.message == "LEFT READER"
    assert table.field == "15M"  # card 2 alone
    assert table.press("1M") == (Sound.OK,)
    assert table.ledger.balance(1) == 15_000_000
    table.press("M")
    assert table.message == "NO AMOUNT"
    table.press("C")
    assert table.message == "LEFT READER"
    table.box.handle(ReaderLost(table.now, RIGHT))
    assert (table.message, table.field) == ("LEFT READER", "-----")
    table.box.handle(ReaderBack(table.now, LEFT))
    assert table.message == "RIGHT READER"
    table.insert(LEFT, 1)
    table.box.handle(ReaderBack(table.now, RIGHT))
    assert table.message == ""


def test_d19_a_weak_supply_is_reported_and_refuses_nothing() -> None:
    table = Table()
    table.insert(RIGHT, 1)
    table.wait(SECOND)
    assert table.box.handle(PowerLow(table.now)) == ()
    assert (table.field, table.message) == ("15M", "LOW POWER")
    assert table.press("1M") == (Sound.OK,)
    table.press("M")
    assert table.message == "NO AMOUNT"
    table.press("C")
    table.box.handle(ReaderLost(table.now, LEFT))
    assert table.message == "LOW POWER"  # it comes first, because it may be the cause
    table.wait(60 * SECOND)
    table.box.handle(PowerLow(table.now))
    assert table.box.asleep
    table.box.handle(PowerGood(table.now))
    table.press("C")
    assert table.message == "LEFT READER"
