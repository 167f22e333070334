"""What interrupts something half done (N1, N3), and what acknowledges it (N2)."""

from typing import NamedTuple

import pytest

from firmware.bank.house_rules import HouseRules
from firmware.bank.purposes import Purpose
from firmware.table.box import Box
from firmware.table.modes import Mode
from hal.display.messages import Text
from hal.display.sounds import Sound
from hal.events import (
    MILLISECOND,
    SECOND,
    CardsClash,
    Instant,
    PowerLow,
    ReaderBack,
    ReaderLost,
    Slot,
)
from tests.unit.firmware.table.test_box import BANKING, LEFT, RIGHT, Table


class HalfDone(NamedTuple):
    """Something half done, with card 1 on the left and card 2 on the right."""

    keys: str
    needs_left: bool = False
    needs_right: bool = False
    is_list: bool = False

    def needs(self, slot: Slot) -> bool:
        return self.needs_left if slot is LEFT else self.needs_right


HALF_DONE = [
    HalfDone("7", needs_left=True, needs_right=True),
    HalfDone("F", is_list=True),
    HalfDone("F0", is_list=True),
    HalfDone("F04", is_list=True),
    HalfDone("F8", is_list=True),
    HalfDone("F9", is_list=True),
    HalfDone("F1", needs_left=True, needs_right=True),
    HalfDone("F2", needs_right=True),
    HalfDone("F27", needs_right=True),
    HalfDone("F2750K", needs_right=True),
    HalfDone("F3", needs_right=True),
    HalfDone("F4", needs_left=True, needs_right=True),
    HalfDone("F47M", needs_left=True, needs_right=True),
    HalfDone("F5", needs_right=True),
    HalfDone("F6", needs_left=True),
    HalfDone("F61M", needs_left=True),
    HalfDone("F7", needs_left=True, needs_right=True),
    HalfDone("F8M"),
    HalfDone("F03"),
    HalfDone("F0390"),
    HalfDone("F05"),
    HalfDone("F053M"),
    HalfDone("F06"),
]
LISTS = [half_done for half_done in HALF_DONE if half_done.is_list]
OTHERS = [half_done for half_done in HALF_DONE if not half_done.is_list]
each = pytest.mark.parametrize("half_done", HALF_DONE, ids=lambda half_done: half_done.keys)


def new_table() -> Table:
    """A second game, so that there is one with moves to go back to."""
    table = Table()
    table.ledger.move(5, 6, 1_000, Purpose.ENTRY)
    table.ledger.new_game(BANKING)
    table.box = Box(table.ledger, table.now)
    return table


@pytest.fixture
def table() -> Table:
    """Card 2 has paid card 1 two millions, and both are in."""
    table = new_table()
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("2M")
    return table


def assert_interrupted(table: Table) -> None:
    """Every key of an amount is refused, and no money moves."""
    before = table.ledger.accounts
    assert (table.message, table.status) == ("NOT DONE", "banking")
    for key in "5,MKG":
        assert table.press(key) == (Sound.ERROR,)
        assert table.message == "NOT DONE"
    assert table.ledger.accounts == before


# What interrupts


@each
@pytest.mark.parametrize("slot", Slot)
def test_a_card_that_is_taken_out(table: Table, half_done: HalfDone, slot: Slot) -> None:
    table.press(half_done.keys)
    mode = table.box.mode
    sounds = table.remove(slot)
    if half_done.needs(slot):
        assert sounds == (Sound.ERROR,)
        assert_interrupted(table)
    else:
        assert sounds == ()
        assert table.box.mode is mode


@each
@pytest.mark.parametrize("slot", Slot)
def test_a_lost_reader(table: Table, half_done: HalfDone, slot: Slot) -> None:
    table.press(half_done.keys)
    mode = table.box.mode
    sounds = table.box.handle(ReaderLost(table.now, slot))
    if half_done.needs(slot):
        assert sounds == (Sound.ERROR,)
        assert_interrupted(table)
    else:
        assert sounds == ()
        assert table.box.mode is mode


@pytest.mark.parametrize("keys", ["7", "F2", "F", "F03"])
def test_both_cards_out_interrupt_once(table: Table, keys: str) -> None:
    table.press(keys)
    sounds = table.remove(RIGHT) + table.remove(LEFT)
    assert sounds == ((Sound.ERROR,) if keys in ("7", "F2") else ())


def side_of(half_done: HalfDone) -> Slot:
    return RIGHT if half_done.needs_right else LEFT


def one_card(half_done: HalfDone) -> Table:
    """Card 2 alone, on the side that is needed."""
    table = new_table()
    table.insert(LEFT, 1)
    table.press("2MG")
    table.remove(LEFT)
    table.insert(side_of(half_done), 2)
    table.press(half_done.keys)
    return table


ALONE = [
    half_done
    for half_done in HALF_DONE
    if half_done.keys not in ("F4", "F47M")  # they need both cards
]
each_alone = pytest.mark.parametrize("half_done", ALONE, ids=lambda half_done: half_done.keys)


@each_alone
def test_a_good_card_interrupts_nothing(half_done: HalfDone) -> None:
    table = one_card(half_done)
    slot = side_of(half_done).other
    before = table.box.view
    mode = table.box.mode
    assert table.insert(slot, 3) == (Sound.CARD,)
    after = table.box.view
    assert (after.field, after.message, after.card, after.table) == (
        before.field,
        before.message,
        None,
        before.table,
    )
    assert after.occupant(slot) == 3
    assert table.box.mode is mode
    if mode is Mode.MENU:
        assert after.status == before.status  # who pays whom is settled


@each_alone
def test_a_refused_card_interrupts_anything(half_done: HalfDone) -> None:
    table = one_card(half_done)
    slot = side_of(half_done).other
    assert table.insert(slot, 7) == (Sound.ERROR,)
    assert table.message == "UNKNOWN CARD"
    assert table.box.mode is Mode.BLOCKED
    for key in "5CF":  # they are refused, so they acknowledge nothing
        assert table.press(key) == (Sound.ERROR,)
        assert table.message == "UNKNOWN CARD"
    assert table.remove(slot) == ()
    assert_interrupted(table)


def test_two_cards_in_one_slot_interrupt(table: Table) -> None:
    table.remove(RIGHT)
    table.press("7")
    table.box.handle(CardsClash(table.now, RIGHT))
    assert table.message == "ONE CARD"
    table.remove(RIGHT)
    assert_interrupted(table)


def test_another_card_in_the_same_slot_counts_as_taken_out_first(table: Table) -> None:
    table.press("7")
    assert table.insert(RIGHT, 3) == (Sound.ERROR, Sound.CARD)
    assert_interrupted(table)


@pytest.mark.parametrize("half_done", LISTS, ids=lambda half_done: half_done.keys)
def test_a_list_closes_after_fifteen_seconds(table: Table, half_done: HalfDone) -> None:
    table.press(half_done.keys)
    assert table.wait(15 * SECOND - MILLISECOND) == ()
    assert table.box.mode is Mode.MENU
    assert table.wait(MILLISECOND) == ()  # without a sound
    assert_interrupted(table)


def test_a_card_keeps_a_list_open_for_fifteen_seconds_more(table: Table) -> None:
    table.press("F")
    table.wait(10 * SECOND)
    table.remove(LEFT)
    table.wait(10 * SECOND)
    table.insert(LEFT, 3)
    table.wait(15 * SECOND - MILLISECOND)
    assert table.box.view.menu
    table.wait(MILLISECOND)
    assert_interrupted(table)


@pytest.mark.parametrize("half_done", OTHERS, ids=lambda half_done: half_done.keys)
def test_an_entry_and_a_question_end_with_sleep_alone(table: Table, half_done: HalfDone) -> None:
    table.press(half_done.keys)
    shown = table.box.view
    table.wait(60 * SECOND - MILLISECOND)
    assert table.box.view == shown
    assert table.wait(MILLISECOND) == ()
    assert table.box.asleep
    table.press("C")
    assert_interrupted(table)


@pytest.mark.parametrize(
    ("keys", "stray"),
    [
        ("F", ","),
        ("F0", "7"),
        ("F0", ","),
        ("F04", "0"),
        ("F04", ","),
        ("F1", "5"),
        ("F1", ","),
        ("F5", "5"),
        ("F5", ","),
        ("F7", "5"),
        ("F06", "5"),
        ("F06", ","),
        ("F8", "5"),
        ("F8M", "5"),
        ("F9", "5"),
        ("F9", ","),
    ],
)
def test_a_digit_or_comma_that_is_not_wanted(table: Table, keys: str, stray: str) -> None:
    table.press(keys)
    assert table.press(stray) == (Sound.ERROR,)
    assert_interrupted(table)


@pytest.mark.parametrize(
    ("keys", "stray"),
    [
        ("F", "MKG"),
        ("F0", "MKG"),
        ("F04", "MKG"),
        ("F8", "K"),
        ("F9", "KG"),
        ("F2", "G"),
        ("F03", ",KG"),
        ("F05", ",KG"),
        ("F053M", ",KG"),
        ("F5", "KG"),
        ("F2750K", "KG"),
        ("F4", ",G"),
    ],
)
def test_what_is_refused_without_a_message_closes_nothing(
    table: Table, keys: str, stray: str
) -> None:
    table.press(keys)
    shown = table.box.view
    for key in stray:
        assert table.press(key) == (Sound.ERROR,)
        assert table.box.view == shown


@pytest.mark.parametrize(
    ("keys", "again", "field", "message"),
    [
        ("F2750K", "5", "5", "MORTGAGE"),
        ("F2750K", ",", "0,", "MORTGAGE"),
        ("F61M", "3", "3", "SELL"),
        ("F47M", "9", "9", "UTILITY"),
        ("F053M", "4", "4", "FORGET"),
    ],
)
def test_a_digit_types_anew_what_was_typed(
    table: Table, keys: str, again: str, field: str, message: str
) -> None:
    table.press(keys)
    assert table.press(again) == (Sound.KEY,)
    assert (table.field, table.message) == (field, message)


def test_a_refusal_at_m_is_no_interruption(table: Table) -> None:
    table.press("12M")
    assert table.press("1M") == (Sound.OK,)  # card 2 has nothing left
    table.press("F5")
    assert table.press("M") == (Sound.ERROR,)
    assert (table.message, table.status) == ("NO FUNDS", "2>1")
    assert table.press("5") == (Sound.KEY,)


@pytest.mark.parametrize("keys", ["7C", "FC", "F2C", "7F", "F2F", "7F2750KM"])
def test_completing_c_and_f_are_no_interruptions(table: Table, keys: str) -> None:
    table.press(keys)
    assert table.box.mode is not Mode.INTERRUPTED
    assert table.message != "NOT DONE"


def test_a_list_offers_what_the_cards_that_are_in_allow() -> None:
    table = Table(known=6)
    table.ledger.new_game(BANKING)
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("F")
    both = table.box.view.menu
    assert both
    assert both.names == "BANKRUPT MORTGAGE INTEREST UTILITY FINE SELL COUNT GAME"
    table.remove(RIGHT)
    left = table.box.view.menu
    assert left
    assert left.names == "SELL COUNT GAME"


def test_a_page_that_no_longer_exists_gives_way_to_the_first() -> None:
    table = Table(house=HouseRules(pot=True))
    table.insert(RIGHT, 2)
    table.press("FF")
    menu = table.box.view.menu
    assert menu
    assert [item.content.text for item in menu.shown] == [Text.POT]
    assert table.insert(LEFT, 1) == (Sound.CARD,)  # nothing is in the pot
    menu = table.box.view.menu
    assert menu
    assert menu.shown[0].content.text is Text.BANKRUPT
    assert table.press("6") == (Sound.KEY,)
    assert table.message == "SELL"


def test_a_new_card_is_silent_while_something_is_half_done() -> None:
    """No number and no NEW CARD show; C takes the number back when nothing is half done."""
    table = Table(known=2)
    table.insert(RIGHT, 2)
    table.press("F2")
    assert table.insert(LEFT, 5) == (Sound.CARD,)
    assert (table.message, table.field, table.status) == ("MORTGAGE", "0", "2>B")
    assert table.box.view.occupants == (3, 2)
    assert table.press("C") == (Sound.KEY,)
    assert table.press("C") == (Sound.UNDO,)
    assert 3 not in table.ledger.cards


def test_an_entry_is_paid_by_the_cards_that_are_in_at_its_end() -> None:
    """A card put in keeps the entry (S4); the status row shows who will pay."""
    table = Table()
    table.insert(LEFT, 1)
    table.press("1,5")
    assert table.status == "B>1"
    table.insert(RIGHT, 2)
    assert (table.field, table.status) == ("1,5", "2>1")
    assert table.press("M") == (Sound.OK,)
    assert (table.ledger.balance(1), table.ledger.balance(2)) == (16_500_000, 13_500_000)


def test_a_question_is_paid_by_the_cards_that_were_in_when_it_was_asked() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("2M")
    table.press("F7")
    table.insert(RIGHT, 2)
    assert (table.field, table.message, table.status) == ("2M", "AGAIN? M", "B>1")
    assert table.press("M") == (Sound.OK,)
    assert (table.ledger.balance(1), table.ledger.balance(2)) == (19_000_000, 15_000_000)


# What acknowledges


@pytest.fixture
def interrupted(table: Table) -> Table:
    """Card 2 was taken out during an entry; card 1 is still in."""
    table.press("7")
    table.remove(RIGHT)
    return table


def test_a_short_c_does_nothing_else(interrupted: Table) -> None:
    before = interrupted.ledger.accounts
    assert interrupted.press("C") == (Sound.KEY,)
    assert (interrupted.message, interrupted.status) == ("", "B>1")
    assert interrupted.ledger.accounts == before
    assert interrupted.press("3M") == (Sound.OK,)
    assert interrupted.press("C") == (Sound.UNDO,)


def test_f_opens_its_list(interrupted: Table) -> None:
    assert interrupted.press("F") == (Sound.KEY,)
    assert interrupted.box.view.menu
    assert interrupted.press("C") == (Sound.KEY,)
    assert (interrupted.message, interrupted.box.mode) == ("", Mode.READY)


def test_a_new_game_ends_it(interrupted: Table) -> None:
    assert interrupted.hold("C", 3 * SECOND) == (Sound.NEW_GAME,)
    assert interrupted.press("3M") == (Sound.OK,)


def test_a_start_ends_it(interrupted: Table) -> None:
    interrupted.box = Box(interrupted.ledger, interrupted.now)
    interrupted.insert(LEFT, 1)
    assert interrupted.press("3M") == (Sound.OK,)


@pytest.mark.parametrize("held", [1 * SECOND, 2 * SECOND])
def test_a_c_that_is_not_short_ends_nothing(interrupted: Table, held: int) -> None:
    assert interrupted.hold("C", held) == ()
    assert_interrupted(interrupted)


def test_c_that_was_down_before_the_interruption_ends_nothing(table: Table) -> None:
    """It was to clear the entry, which is no longer there."""
    table.press("7")
    table.down("C")
    assert table.remove(RIGHT) == (Sound.ERROR,)
    assert table.up("C") == ()
    assert_interrupted(table)


def test_c_that_was_to_acknowledge_undoes_nothing(interrupted: Table) -> None:
    """Both slots were empty for a second while C was down."""
    before = interrupted.ledger.accounts
    interrupted.remove(LEFT)
    interrupted.wait(SECOND // 2)
    interrupted.down("C")
    interrupted.wait(SECOND // 2)
    assert interrupted.box.mode is Mode.NO_CARD
    assert interrupted.up("C") == ()
    assert interrupted.message == ""
    assert interrupted.ledger.accounts == before


@pytest.mark.parametrize(("key", "sound"), [("F", Sound.KEY), ("5", Sound.KEY)])
def test_the_next_key_lets_go_of_c(interrupted: Table, key: str, sound: Sound) -> None:
    """C acknowledges first, then the key counts (D14)."""
    interrupted.down("C")
    assert interrupted.down(key) == (Sound.KEY, sound)
    assert interrupted.up("C") == ()
    assert interrupted.box.mode in (Mode.MENU, Mode.TYPING)


def test_c_acknowledges_whatever_refusal_shows(interrupted: Table) -> None:
    interrupted.remove(LEFT)
    interrupted.press("5")
    assert interrupted.message == "NO CARD"
    assert interrupted.press("C") == (Sound.KEY,)
    assert (interrupted.message, interrupted.box.mode) == ("", Mode.NO_CARD)


def test_sleep_and_waking_end_nothing(interrupted: Table) -> None:
    interrupted.wait(60 * SECOND)
    assert (interrupted.message, interrupted.status) == ("", "")
    assert interrupted.press("K") == (Sound.KEY,)
    assert_interrupted(interrupted)


# Both slots empty for a second


def test_empty_slots_acknowledge_after_exactly_a_second(interrupted: Table) -> None:
    interrupted.remove(LEFT)
    assert interrupted.box.deadline == interrupted.now + SECOND
    interrupted.wait(SECOND - MILLISECOND)
    assert (interrupted.message, interrupted.box.mode) == ("NOT DONE", Mode.INTERRUPTED_NO_CARD)
    assert interrupted.wait(MILLISECOND) == ()
    assert (interrupted.message, interrupted.box.mode) == ("", Mode.NO_CARD)


def test_a_card_that_comes_back_within_the_second(interrupted: Table) -> None:
    interrupted.remove(LEFT)
    interrupted.wait(SECOND - MILLISECOND)
    assert interrupted.insert(LEFT, 1) == (Sound.CARD,)
    interrupted.wait(10 * SECOND)
    assert_interrupted(interrupted)
    interrupted.remove(LEFT)
    interrupted.wait(SECOND - MILLISECOND)
    assert interrupted.message == "NOT DONE"
    interrupted.wait(MILLISECOND)
    assert interrupted.message == ""


def test_a_card_put_in_after_exactly_a_second_is_served(interrupted: Table) -> None:
    interrupted.remove(LEFT)
    interrupted.now = Instant(interrupted.now + SECOND)
    interrupted.insert(LEFT, 1)
    assert interrupted.press("3M") == (Sound.OK,)


def test_the_second_counts_from_the_interruption_if_that_is_later() -> None:
    table = Table()
    table.wait(10 * SECOND)
    table.press("F,")
    assert (table.message, table.box.mode) == ("NOT DONE", Mode.INTERRUPTED_NO_CARD)
    table.wait(SECOND - MILLISECOND)
    assert table.message == "NOT DONE"
    table.wait(MILLISECOND)
    assert table.message == ""


def test_keys_while_both_slots_are_empty(interrupted: Table) -> None:
    """As with no card in (S8, V1); only G is refused with NOT DONE."""
    interrupted.remove(LEFT)
    for key in "5MK":
        assert interrupted.press(key) == (Sound.ERROR,)
        assert interrupted.message == "NO CARD"
    assert interrupted.press("G") == (Sound.ERROR,)
    assert interrupted.message == "NOT DONE"
    assert interrupted.press(",") == (Sound.VOLUME,)
    assert interrupted.message == "VOLUME 3"
    assert interrupted.press("F") == (Sound.KEY,)
    assert interrupted.box.view.menu


def test_a_lost_reader_counts_as_occupied(interrupted: Table) -> None:
    """A card may be in its slot. The second begins when the reader answers."""
    interrupted.box.handle(ReaderLost(interrupted.now, RIGHT))
    interrupted.remove(LEFT)
    interrupted.wait(10 * SECOND)
    assert_interrupted(interrupted)
    interrupted.box.handle(ReaderBack(interrupted.now, RIGHT))
    interrupted.wait(SECOND - MILLISECOND)
    modes = [interrupted.box.mode]
    interrupted.wait(MILLISECOND)
    modes.append(interrupted.box.mode)
    assert modes == [Mode.INTERRUPTED_NO_CARD, Mode.NO_CARD]


def test_the_slot_of_a_forgotten_card_is_empty() -> None:
    table = Table(known=0)
    table.insert(LEFT, 1)
    assert table.press("C") == (Sound.UNDO,)
    table.press("F,")
    assert table.message == "NOT DONE"
    table.wait(SECOND)
    assert table.message == ""


def test_a_forgotten_card_that_leaves_interrupts_nothing() -> None:
    table = Table(known=0)
    table.insert(LEFT, 1)
    table.press("C")
    table.insert(RIGHT, 2)
    table.press("7")
    assert table.remove(LEFT) == ()
    assert table.field == "7"


def test_the_second_also_runs_while_the_box_sleeps(interrupted: Table) -> None:
    interrupted.wait(60 * SECOND)
    interrupted.remove(LEFT)
    assert interrupted.box.deadline == interrupted.now + SECOND
    interrupted.wait(SECOND)
    assert interrupted.box.asleep
    interrupted.press("C")
    assert (interrupted.message, interrupted.box.mode) == ("", Mode.NO_CARD)


# Which message shows


def test_not_done_gives_way_to_messages_that_pass(interrupted: Table) -> None:
    interrupted.remove(LEFT)
    interrupted.press(",")
    interrupted.insert(LEFT, 1)
    assert (interrupted.message, interrupted.field) == ("NOT DONE", "1")
    interrupted.remove(LEFT)
    interrupted.press(",")
    assert interrupted.message == "VOLUME 0"


def test_not_done_hides_what_is_wrong_with_the_box(interrupted: Table) -> None:
    interrupted.box.handle(PowerLow(interrupted.now))
    interrupted.box.handle(ReaderLost(interrupted.now, RIGHT))
    assert interrupted.message == "NOT DONE"
    interrupted.press("C")
    assert interrupted.message == "LOW POWER"


@pytest.mark.parametrize("left_after", [True, False])
def test_not_done_hides_the_final_count(table: Table, left_after: bool) -> None:
    """And who has still to be counted."""
    table.remove(RIGHT)
    table.press("F9M")
    assert (table.message, table.status) == ("FINAL COUNT", "COUNT")
    table.press("F" if left_after else "7")
    sounds = table.wait(15 * SECOND) if left_after else table.remove(LEFT)
    assert sounds == (() if left_after else (Sound.ERROR,))
    assert (table.message, table.status) == ("NOT DONE", "banking")
    assert table.press("C") == (Sound.KEY,)
    assert (table.message, table.status) == ("FINAL COUNT" if left_after else "STILL 2", "COUNT")
    assert table.ledger.current.counting


def test_a_countdown_shows_before_not_done(interrupted: Table) -> None:
    interrupted.down("C")
    interrupted.wait(SECOND)
    assert interrupted.message == "NEW GAME IN 2"
    interrupted.up("C")
    assert interrupted.message == "NOT DONE"


# Waking (P2)


@pytest.fixture
def asleep() -> Table:
    """Card 1 is in on the left."""
    table = Table()
    table.insert(LEFT, 1)
    table.wait(60 * SECOND)
    return table


@pytest.mark.parametrize("key", "CMKGF")
def test_a_key_that_only_wakes_sounds_key(asleep: Table, key: str) -> None:
    before = asleep.ledger.accounts
    assert asleep.down(key) == (Sound.KEY,)
    assert asleep.wait(5 * SECOND) == ()  # however long it is held
    assert asleep.up(key) == ()
    assert not asleep.box.asleep
    assert asleep.ledger.game == 1
    assert asleep.ledger.accounts == before


@pytest.mark.parametrize("key", "CMK")
def test_c_and_the_units_say_nothing(asleep: Table, key: str) -> None:
    asleep.press(key)
    assert (asleep.message, asleep.field, asleep.status) == ("", "15M", "B>1")


def test_g_asks_to_be_pressed_again(asleep: Table) -> None:
    asleep.press("G")
    assert (asleep.message, asleep.status) == ("PRESS AGAIN", "B>1")
    asleep.wait(2 * SECOND)
    assert asleep.message == ""
    assert asleep.press("G") == (Sound.OK,)


def test_f_asks_to_be_pressed_again_and_refuses_digits(asleep: Table) -> None:
    asleep.press("F")
    assert (asleep.message, asleep.status) == ("PRESS AGAIN", "banking")
    asleep.wait(2 * SECOND)
    assert_interrupted(asleep)
    assert asleep.press("F") == (Sound.KEY,)
    assert asleep.box.view.menu


@pytest.mark.parametrize("slot", Slot)
@pytest.mark.parametrize(("key", "shown"), [("1", "1"), (",", "0,"), ("0", "0")])
def test_digits_and_commas_count(slot: Slot, key: str, shown: str) -> None:
    table = Table()
    table.insert(slot, 1)
    table.wait(60 * SECOND)
    assert table.press(key) == (Sound.KEY,)
    assert table.field == shown


def test_a_comma_that_wakes_makes_a_small_amount(asleep: Table) -> None:
    assert asleep.press(",5M") == (Sound.OK,)
    assert asleep.ledger.balance(1) == 15_500_000


@pytest.mark.parametrize("key", "5,MKCGF")
def test_without_a_card_every_key_only_wakes(key: str) -> None:
    table = Table()
    table.wait(60 * SECOND)
    assert table.press(key) == (Sound.KEY,)
    assert (table.field, table.message, table.box.mode) == ("-----", "", Mode.NO_CARD)
    assert table.box.volume == 2


@pytest.mark.parametrize("key", "MKCGF")
def test_a_blocked_box_is_woken_and_says_why_it_is_blocked(asleep: Table, key: str) -> None:
    asleep.insert(RIGHT, 7)
    asleep.wait(60 * SECOND)
    assert asleep.press(key) == (Sound.KEY,)
    assert asleep.message == "UNKNOWN CARD"
    asleep.remove(RIGHT)
    assert asleep.message == ("NOT DONE" if key == "F" else "")


@pytest.mark.parametrize("key", "5,")
def test_a_blocked_box_refuses_the_digit_that_wakes_it(asleep: Table, key: str) -> None:
    asleep.insert(RIGHT, 7)
    asleep.wait(60 * SECOND)
    assert asleep.press(key) == (Sound.ERROR,)
    assert (asleep.box.asleep, asleep.message) == (False, "UNKNOWN CARD")


def test_waking_an_interrupted_box(interrupted: Table) -> None:
    """G shows nothing of its own; F does, for two seconds; a digit is refused."""
    interrupted.wait(60 * SECOND)
    assert interrupted.press("G") == (Sound.KEY,)
    assert interrupted.message == "NOT DONE"
    interrupted.wait(60 * SECOND)
    assert interrupted.press("F") == (Sound.KEY,)
    assert interrupted.message == "PRESS AGAIN"
    interrupted.wait(2 * SECOND)
    assert interrupted.message == "NOT DONE"
    interrupted.wait(60 * SECOND)
    assert interrupted.press("5") == (Sound.ERROR,)
    assert (interrupted.box.asleep, interrupted.message) == (False, "NOT DONE")


# G during an entry (S7)


def test_g_asks_for_the_entry_to_be_cleared() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1,5")
    assert table.press("G") == (Sound.ERROR,)
    assert (table.message, table.field) == ("CLEAR FIRST", "1,5")
    assert table.press("C") == (Sound.KEY,)  # the message does not keep C from clearing it
    assert (table.message, table.field) == ("", "15M")
    assert table.press("G") == (Sound.OK,)
    table.press("1")
    assert table.press("G") == (Sound.ERROR,)
    assert table.message == "CLEAR FIRST"  # before ALREADY PAID
    table.insert(RIGHT, 2)
    assert table.press("G") == (Sound.ERROR,)
    assert (table.message, table.field) == ("LEFT CARD ONLY", "1")
    assert table.press("C") == (Sound.KEY,)
    assert (table.message, table.field) == ("", "1")  # G3


def test_an_entry_goes_on_after_clear_first() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1")
    table.press("G")
    assert table.press("5M") == (Sound.OK,)
    assert table.ledger.balance(1) == 30_000_000


# C is judged when it is pressed


def test_c_on_a_box_that_has_become_blocked_is_refused() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1M")
    table.down("C")
    table.insert(RIGHT, 7)
    assert table.up("C") == (Sound.ERROR,)
    assert table.ledger.balance(1) == 16_000_000


def test_c_on_a_box_that_was_blocked_is_refused() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1M")
    table.insert(RIGHT, 7)
    table.down("C")
    table.remove(RIGHT)
    assert table.up("C") == (Sound.ERROR,)
    assert table.ledger.balance(1) == 16_000_000
