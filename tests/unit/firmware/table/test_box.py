"""What the box does where no script can reach: drivers' events, late events, a failing disk."""

import pytest

from firmware import edition as editions
from firmware.box import Box
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.store import Store
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
from hal.sounds import Sound
from hal.view import Tenant

BANKING = editions.load("banking")
CARDS = {number: bytes([number] * 4) for number in range(1, 8)}


class Table:
    """A box, a clock, and hands that can do two things at once."""

    def __init__(self, edition: Edition = BANKING, known: int = 6) -> None:
        self.store = Store.in_memory()
        self.ledger = Ledger(self.store, edition)
        self.ledger.know([CARDS[n] for n in range(1, known + 1)])
        self.now = Instant(1_000 * SECOND)
        self.box = Box(self.ledger, self.now)

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

    def insert(self, slot: Slot, number: int) -> tuple[Sound, ...]:
        return self.box.handle(CardIn(self.now, slot, CARDS[number]))

    def remove(self, slot: Slot) -> tuple[Sound, ...]:
        return self.box.handle(CardOut(self.now, slot))

    @property
    def message(self) -> str:
        return str(self.box.view.message or "")

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
    assert table.box.view.tenants == (Tenant.REFUSED, Tenant.NOBODY)
    table.remove(LEFT)
    assert table.message == ""


def test_s11_a_second_card_joins_one_that_is_in() -> None:
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


def test_c4_the_countdown_shows_while_blocked_and_goes_when_let_go() -> None:
    table = Table()
    table.insert(LEFT, 7)
    table.down("C")
    table.wait(1 * SECOND)
    assert table.message == "NEW GAME IN 2"
    table.up("C")
    assert table.message == "UNKNOWN CARD"


def test_c1_the_next_key_lets_go_of_c() -> None:
    """A quick typist presses the next key before C is up: C comes first."""
    table = Table()
    table.insert(LEFT, 1)
    table.press("12")
    table.down("C")
    assert table.down("3") == (Sound.KEY, Sound.KEY)
    assert table.field == "3"
    assert table.up("C") == ()
    assert table.field == "3"


def test_c4_the_next_key_ends_a_countdown() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.down("C")
    table.wait(2 * SECOND)
    assert table.down("5") == (Sound.KEY,)
    assert table.wait(5 * SECOND) == ()
    assert table.message == ""


def test_c1_is_judged_by_the_finger_not_by_the_loop() -> None:
    """The loop was busy: it learns late that C was let go after 0,9 s."""
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


def test_a_slot_that_reports_another_card_without_a_removal() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1M")
    assert table.insert(LEFT, 2) == (Sound.CARD,)
    table.press("C")
    assert table.message == "NOTHING TO UNDO"


def test_a_removal_from_an_empty_slot_is_nothing() -> None:
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


def test_the_status_row_knows_the_slots() -> None:
    table = Table(known=2)
    table.insert(LEFT, 2)
    table.insert(RIGHT, 5)
    assert [table.box.view.tenant(slot) for slot in Slot] == [2, 3]
    table.press("C")
    assert [table.box.view.tenant(slot) for slot in Slot] == [2, Tenant.NOBODY]


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
    assert table.message == "FULL"  # a transfer is refused whole
    assert (table.ledger.balance(1), table.ledger.balance(2)) == (full, 90_000)
    table.press("90000K")
    assert table.message == "NO FUNDS"  # M9: before FULL
    table.remove(RIGHT)
    table.press("C")
    assert table.ledger.balance(1) == full - 90


def test_s7_a_salary_that_does_not_fit_drops_the_entry_and_may_be_paid_later() -> None:
    table = Table(editions.parse("small", SMALL.replace("salary = 10_000", "salary = 9_999_000")))
    table.insert(LEFT, 1)
    table.press("12")
    table.press("G")
    assert table.message == "FULL"
    assert table.field == "900M"
    table.press("G")
    assert table.message == "FULL"


@pytest.fixture
def sick() -> Table:
    """A box whose disk has just become read-only."""
    table = Table(known=4)
    table.insert(LEFT, 1)
    table.press("1M")
    table.store._connection.execute("PRAGMA query_only = ON")
    return table


def test_a_failing_disk_refuses_the_move_and_the_box_goes_on(sick: Table) -> None:
    assert sick.press("2M") == (Sound.ERROR,)
    assert sick.message == "ERROR"
    assert sick.field == "16M"
    sick.press("G")
    assert sick.message == "ERROR"
    sick.wait(2 * SECOND)
    sick.press("C")
    assert sick.message == "ERROR"
    sick.store._connection.execute("PRAGMA query_only = OFF")
    sick.wait(2 * SECOND)
    assert sick.press("G") == (Sound.OK,)  # the failed salary did not count
    sick.press("C")
    assert sick.press("C") == (Sound.UNDO,)
    assert sick.field == "15M"


def test_a_failing_disk_starts_no_new_game(sick: Table) -> None:
    sick.down("C")
    assert sick.wait(3 * SECOND) == (Sound.ERROR,)
    assert sick.message == "ERROR"
    sick.up("C")
    assert sick.ledger.game == 1
    sick.store._connection.execute("PRAGMA query_only = OFF")
    sick.wait(2 * SECOND)
    assert sick.press("C") == (Sound.UNDO,)  # what could be reversed still can


def test_a_failing_disk_turns_a_new_card_away(sick: Table) -> None:
    assert sick.insert(RIGHT, 6) == (Sound.ERROR,)
    assert sick.message == "ERROR"
    sick.wait(10 * SECOND)
    assert sick.message == "ERROR"  # it blocks: nobody may be paid by mistake
    assert sick.press("5") == (Sound.ERROR,)
    sick.remove(RIGHT)
    assert sick.field == "16M"


def test_a_failing_disk_keeps_the_volume(sick: Table) -> None:
    sick.remove(LEFT)
    sick.press(",")
    assert sick.message == "ERROR"
    assert sick.box.volume == 2


def test_a_failing_disk_forgets_no_card(sick: Table) -> None:
    sick.store._connection.execute("PRAGMA query_only = OFF")
    sick.insert(RIGHT, 6)
    sick.store._connection.execute("PRAGMA query_only = ON")
    assert sick.press("C") == (Sound.ERROR,)
    assert sick.message == "ERROR"
    assert sick.box.view.tenants == (1, 5)


def test_a_replaced_card_says_so() -> None:
    table = Table()
    table.ledger.ask_replacement(3)
    assert table.insert(LEFT, 7) == (Sound.CARD,)
    assert table.message == "REPLACED"
    assert table.box.view.card == 3
    table.press("C")
    assert table.message == "NOTHING TO UNDO"


def test_the_deadline_is_when_the_view_next_changes() -> None:
    table = Table()
    assert table.box.deadline == table.now + 60 * SECOND
    table.insert(LEFT, 1)
    assert table.box.deadline == table.now + 1 * SECOND
    table.press("M")
    assert table.box.deadline == table.now + 2 * SECOND
    table.wait(2 * SECOND)
    table.insert(RIGHT, 2)
    table.press("1M")
    assert table.box.deadline == table.now + 2 * SECOND


def test_g2_a_slow_disk_takes_nothing_away_from_a_message() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.down("M")
    late = Instant(table.now + 3 * SECOND)
    table.box.shown(late)
    assert table.box.deadline == late + 2 * SECOND
    table.box.advance(Instant(late + 2 * SECOND - 1))
    assert table.message == "NO AMOUNT"
    table.box.advance(Instant(late + 2 * SECOND))
    assert table.message == ""


def test_s1_nor_from_a_number() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.box.shown(Instant(table.now + 3 * SECOND))
    assert table.box.view.card == 1


def test_p1_showing_late_skips_nothing_that_falls_due_meanwhile() -> None:
    table = Table()
    table.box.shown(table.now)
    table.wait(60 * SECOND - 1)
    table.box.shown(Instant(table.now + 10))
    table.wait(100)
    assert table.box.asleep


def test_p1_sixty_seconds_count_from_what_was_shown() -> None:
    table = Table()
    table.insert(LEFT, 1)
    late = Instant(table.now + 5 * MILLISECOND)
    table.box.shown(late)
    table.box.shown(Instant(late + SECOND))  # said once; this is about nothing
    table.box.advance(Instant(late + 60 * SECOND - 1))
    assert not table.box.asleep
    table.box.advance(Instant(late + 60 * SECOND))
    assert table.box.asleep


def test_a_reader_that_is_away_is_told_and_the_other_slot_goes_on() -> None:
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
    table.wait(2 * SECOND)
    assert table.message == "LEFT READER"
    table.box.handle(ReaderLost(table.now, RIGHT))
    assert (table.message, table.field) == ("LEFT READER", "-----")
    table.box.handle(ReaderBack(table.now, LEFT))
    assert table.message == "RIGHT READER"
    table.insert(LEFT, 1)
    table.box.handle(ReaderBack(table.now, RIGHT))
    assert table.message == ""


def test_a_weak_supply_is_told_for_as_long_as_it_lasts_and_stops_nothing() -> None:
    table = Table()
    table.insert(RIGHT, 1)
    table.wait(SECOND)
    assert table.box.handle(PowerLow(table.now)) == ()
    assert (table.field, table.message) == ("15M", "LOW POWER")
    assert table.press("1M") == (Sound.OK,)
    table.press("M")
    assert table.message == "NO AMOUNT"
    table.wait(2 * SECOND)
    table.box.handle(ReaderLost(table.now, LEFT))
    assert table.message == "LOW POWER"  # the likely cause comes first
    table.wait(60 * SECOND)
    table.box.handle(PowerLow(table.now))
    assert table.box.asleep
    table.box.handle(PowerGood(table.now))
    table.press("C")
    assert table.message == "LEFT READER"
