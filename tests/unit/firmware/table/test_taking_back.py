"""C takes back the newest thing, a move or a new number (C2, S10), and what shows after it.

Right after HISTORY and FORGET it makes a move again, or restores a card (C5, F19).
"""

import pytest

from firmware.bank.house_rules import HouseRules
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.table.box import Box
from firmware.table.modes import Mode
from hal.display.sounds import Sound
from hal.events import SECOND, ReaderLost, Slot
from tests.unit.firmware.table.test_box import BANKING, CARDS, LEFT, RIGHT, Table

NOTHING = ((Sound.ERROR,), "NOTHING TO UNDO")


def undo(table: Table) -> tuple[tuple[Sound, ...], str]:
    """Press C; clear the message of a refusal first."""
    if table.message:
        table.press("C")
    return table.press("C"), table.message


UNDONE = ((Sound.UNDO,), "")


def test_numbers_are_taken_back_the_newest_first() -> None:
    table = Table(known=0)
    table.insert(RIGHT, 1)
    table.insert(LEFT, 2)
    table.wait(2 * SECOND)
    assert undo(table) == UNDONE
    assert list(table.ledger.cards) == [1]
    assert undo(table) == UNDONE
    assert not table.ledger.cards
    assert undo(table) == NOTHING


def test_a_number_that_is_newer_than_a_move() -> None:
    table = Table(known=1)
    table.insert(LEFT, 1)
    table.press("1M")
    table.insert(RIGHT, 2)
    table.wait(2 * SECOND)
    assert undo(table) == UNDONE
    assert list(table.ledger.cards) == [1]
    assert table.ledger.balance(1) == 16_000_000
    assert table.status == "B>1"
    assert undo(table) == UNDONE
    assert table.ledger.balance(1) == 15_000_000
    assert undo(table) == NOTHING


def test_a_number_that_is_older_than_a_move_of_another_card() -> None:
    """Both cards are in when the bank pays one of them (F6)."""
    table = Table(known=1)
    table.insert(RIGHT, 2)
    table.insert(LEFT, 1)
    table.press("F62MM")
    assert table.ledger.balance(1) == 16_000_000
    assert undo(table) == UNDONE
    assert undo(table) == UNDONE
    assert list(table.ledger.cards) == [1]


def test_a_number_with_a_move_stays_even_if_the_move_is_taken_back() -> None:
    table = Table(known=0)
    table.insert(LEFT, 1)
    table.press("G")
    assert undo(table) == UNDONE
    assert undo(table) == NOTHING
    assert list(table.ledger.cards) == [1]


def test_nothing_older_is_reached_if_the_newest_card_has_left() -> None:
    table = Table(known=1)
    table.insert(LEFT, 1)
    table.press("1M")
    table.insert(RIGHT, 2)
    table.remove(RIGHT)
    assert undo(table) == NOTHING
    table.insert(RIGHT, 2)  # another visit
    assert undo(table) == NOTHING
    assert table.ledger.balance(1) == 16_000_000


def test_nothing_older_is_reached_if_a_card_of_the_newest_move_has_left() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1M")
    table.insert(RIGHT, 2)
    table.press("2M")
    table.remove(RIGHT)
    assert undo(table) == NOTHING
    assert table.ledger.balance(1) == 18_000_000


def test_history_opens_the_way_to_what_is_older() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("1M")
    table.insert(RIGHT, 2)
    table.press("2M")
    table.remove(RIGHT)
    assert table.press("F8MM") == (Sound.UNDO,)
    assert table.ledger.balance(1) == 16_000_000
    table.press("K")  # C would make it again (C5)
    assert undo(table) == UNDONE
    assert table.ledger.balance(1) == 15_000_000


def test_a_new_game_leaves_nothing_to_take_back() -> None:
    table = Table(known=0)
    table.insert(LEFT, 1)
    table.hold("C", 3 * SECOND)
    table.wait(2 * SECOND)
    assert undo(table) == NOTHING
    assert list(table.ledger.cards) == [1]


# Which balance shows


@pytest.fixture
def table() -> Table:
    """Card 1 on the left has 15M, card 2 on the right has 14M."""
    table = Table()
    table.insert(RIGHT, 2)
    table.press("1M")
    table.insert(LEFT, 1)
    table.wait(SECOND)
    return table


def test_the_payers(table: Table) -> None:
    table.press("2M")
    table.wait(2 * SECOND)
    assert table.field == "17M"  # the payee's
    assert undo(table) == UNDONE
    assert (table.field, table.status) == ("14M", "UNDO 2M")


def test_the_payees_if_the_bank_paid(table: Table) -> None:
    table.press("F62MM")
    assert undo(table) == UNDONE
    assert (table.field, table.status) == ("15M", "UNDO 1M")
    table.wait(50 * SECOND)
    assert (table.field, table.status) == ("15M", "UNDO 1M")  # until the next key or card
    table.press("K")
    assert (table.field, table.status) == ("14M", "2>1")


def test_the_payees_if_the_payer_has_left(table: Table) -> None:
    """HISTORY takes back a move of card 3 to card 1; card 2 is on the right."""
    table.remove(RIGHT)
    table.insert(RIGHT, 3)
    table.press("5M")
    table.remove(RIGHT)
    table.insert(RIGHT, 2)
    assert table.press("F8MM") == (Sound.UNDO,)
    assert (table.field, table.status) == ("15M", "UNDO 5M")


def test_the_right_cards_if_no_card_of_the_move_is_in(table: Table) -> None:
    table.remove(RIGHT)
    table.insert(RIGHT, 3)
    table.press("5M")
    table.remove(RIGHT)
    table.remove(LEFT)
    table.insert(LEFT, 4)
    table.insert(RIGHT, 2)
    assert table.press("F8MM") == (Sound.UNDO,)
    assert (table.field, table.status) == ("14M", "UNDO 5M")


def test_no_card_is_in(table: Table) -> None:
    table.remove(RIGHT)
    table.remove(LEFT)
    assert table.press("F8MM") == (Sound.UNDO,)
    assert (table.field, table.status) == ("-----", "UNDO 1M")


def test_a_refused_undo_changes_no_status(table: Table) -> None:
    table.press("14M")
    table.press("F8M")
    table.remove(RIGHT)
    table.press("C")
    assert undo(table) == NOTHING
    assert table.status == "B>1"


# A replacement (D12), and an account that a new card has found (S10)


@pytest.fixture
def replaced() -> Table:
    """Card 7 has taken over number 3, which holds 16M, on the left."""
    table = Table()
    table.ledger.move(BANK, 3, 1_000_000, Purpose.ENTRY)
    table.ledger.ask_replacement(3)
    table.insert(LEFT, 7)
    assert (table.field, table.message) == ("3", "REPLACED")
    return table


def test_a_replacement_is_taken_back_and_waits_again(replaced: Table) -> None:
    table = replaced
    assert table.press("C") == (Sound.UNDO,)
    assert (table.ledger.cards[3], table.ledger.state.replacing) == (CARDS[3], 3)
    assert table.field == "-----", "for the bank the slot is empty"
    assert table.press("5") == (Sound.ERROR,)
    table.remove(LEFT)
    assert table.insert(LEFT, 3) == (Sound.CARD,)
    table.wait(SECOND)
    assert table.field == "16M"
    table.insert(RIGHT, 7)
    assert table.message == "UNKNOWN CARD", "card 3 is in, and all six numbers are taken"


def test_a_replacement_with_a_move_stays(replaced: Table) -> None:
    replaced.press("1M")
    assert undo(replaced) == UNDONE
    assert undo(replaced) == NOTHING
    assert replaced.ledger.cards[3] == CARDS[7]


def test_a_replacement_that_left_stays(replaced: Table) -> None:
    replaced.remove(LEFT)
    assert undo(replaced) == NOTHING
    replaced.insert(LEFT, 7)
    assert undo(replaced) == NOTHING


def test_a_replacement_is_taken_back_after_what_is_newer(replaced: Table) -> None:
    """The card that was lost comes back, and takes another number."""
    table = replaced
    table.press("K")
    table.ledger.forget(6)
    table.insert(RIGHT, 3)
    assert (table.field, table.message) == ("6", "NEW CARD")
    assert table.press("C") == (Sound.UNDO,)
    assert undo(table) == UNDONE
    assert table.ledger.cards[3] == CARDS[3]
    assert 6 not in table.ledger.cards
    table.remove(RIGHT)
    table.insert(RIGHT, 3)
    table.wait(SECOND)
    assert (table.field, table.status) == ("16M", "3>B")


def test_an_account_that_was_found_is_left_as_it_was_found() -> None:
    table = Table()
    table.ledger.move(3, 1, 4_000_000, Purpose.ENTRY)
    table.ledger.new_game(BANKING)
    table.ledger.forget(3)
    table.ledger.go_back()
    table.box = Box(table.ledger, table.now)
    table.insert(LEFT, 7)
    assert (table.field, table.message) == ("3", "NEW CARD")
    table.wait(2 * SECOND)
    assert table.field == "11M"
    assert undo(table) == UNDONE
    assert 3 not in table.ledger.cards
    assert table.ledger.balance(3) == 11_000_000
    table.remove(LEFT)
    table.insert(LEFT, 3)
    table.wait(2 * SECOND)
    assert table.field == "11M"


# A move is made again (C5, F13, D44)


AGAIN = ((Sound.OK,), "")


def take_back(table: Table) -> None:
    """HISTORY takes back the newest move."""
    assert table.press("F8MM") == (Sound.UNDO,)
    assert table.message == "C = AGAIN"


def test_c_makes_the_move_again(table: Table) -> None:
    table.press("2M")
    take_back(table)
    assert table.status == "UNDO 2M"
    table.wait(50 * SECOND)
    assert table.message == "C = AGAIN", "until the next key or card"
    assert (table.press("C"), table.message) == AGAIN
    assert (table.field, table.status) == ("12M", "2>1 2M")
    table.wait(2 * SECOND)
    assert table.field == "17M", "the payee's"
    assert undo(table) == UNDONE, "afterwards it is a move like any other"
    assert table.ledger.balance(2) == 14_000_000


def test_c_reaches_what_is_older_once_another_key_was_pressed(table: Table) -> None:
    table.press("2M")
    take_back(table)
    assert table.press("K") == (Sound.ERROR,)
    assert table.message == "NO AMOUNT"
    assert undo(table) == UNDONE
    assert table.ledger.balance(2) == 15_000_000


@pytest.mark.parametrize("slot", Slot)
def test_a_card_ends_the_offer(table: Table, slot: Slot) -> None:
    table.press("2M")
    take_back(table)
    table.remove(slot)
    assert table.message == ""
    table.insert(slot, 3)
    table.wait(SECOND)
    assert undo(table)[0] != (Sound.OK,)
    assert table.ledger.balance(1) == 15_000_000


def test_the_lost_reader_of_a_card_ends_the_offer() -> None:
    table = Table()
    table.ledger.move(1, 2, 2_000_000, Purpose.ENTRY)
    table.insert(LEFT, 1)
    take_back(table)
    table.box.handle(ReaderLost(table.now, LEFT))
    assert table.message == "LEFT READER", "C does what the screen announces"
    assert (table.press("C"), table.message) == NOTHING
    assert table.ledger.balance(1) == 15_000_000


@pytest.mark.parametrize("slot", Slot)
def test_a_lost_reader_without_a_card_leaves_the_offer(slot: Slot) -> None:
    table = Table()
    table.ledger.move(1, 2, 2_000_000, Purpose.ENTRY)
    take_back(table)
    table.box.handle(ReaderLost(table.now, slot))
    assert table.message == "C = AGAIN"
    assert table.press("C") == (Sound.OK,)
    assert table.ledger.balance(1) == 13_000_000


def test_sleep_ends_the_offer(table: Table) -> None:
    table.press("2M")
    take_back(table)
    table.wait(60 * SECOND)
    assert table.press("C") == (Sound.KEY,)
    assert table.message == ""
    assert undo(table) == UNDONE
    assert table.ledger.balance(2) == 15_000_000, "it was the move before"


def test_a_c_that_is_not_short_ends_the_offer(table: Table) -> None:
    table.press("2M")
    take_back(table)
    assert table.hold("C", 2 * SECOND) == ()
    assert undo(table) == UNDONE
    assert table.ledger.balance(2) == 15_000_000


def test_an_old_move_needs_no_card(table: Table) -> None:
    table.remove(LEFT)
    table.remove(RIGHT)
    take_back(table)
    assert (table.press("C"), table.message) == AGAIN
    assert (table.field, table.status) == ("-----", "2>B 1M")
    assert undo(table) == UNDONE
    assert table.ledger.balance(2) == 15_000_000


def test_c_takes_it_back_as_long_as_those_that_were_in_have_stayed_in(table: Table) -> None:
    table.press("2M")
    table.remove(LEFT)
    take_back(table)
    assert table.press("C") == (Sound.OK,)
    assert table.field == "12M", "the payee is not in: only the right card shows"
    table.wait(2 * SECOND)
    assert table.field == "12M"
    table.insert(LEFT, 1)
    table.wait(SECOND)
    assert undo(table) == UNDONE
    assert table.ledger.balance(1) == 15_000_000
    table.press("F8MM")
    assert (table.message, table.ledger.balance(1)) == ("", 17_000_000)
    table.remove(RIGHT)
    assert undo(table) == NOTHING


def test_the_payees_balance_shows_at_once_if_another_card_is_on_the_right(table: Table) -> None:
    """D44."""
    table.press("2M")
    table.remove(RIGHT)
    table.insert(RIGHT, 3)
    take_back(table)
    assert table.press("C") == (Sound.OK,)
    assert (table.field, table.status) == ("17M", "2>1 2M")


def test_a_move_that_the_balances_do_not_allow_any_more(table: Table) -> None:
    table.press("10M")
    take_back(table)
    table.press("K")
    table.press("5M")
    table.press("F8GM")
    assert table.message == "AGAIN? M"
    assert table.status == "2>1"
    assert table.press("M") == (Sound.ERROR,)
    assert (table.message, table.box.mode) == ("NO FUNDS", Mode.READY)


def test_a_salary_made_again_counts_as_paid() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("G")
    take_back(table)
    assert table.press("C") == (Sound.OK,)
    assert (table.field, table.status) == ("17M", "B>1 2M")
    assert table.press("G") == (Sound.ERROR,)
    assert table.message == "ALREADY PAID"
    assert undo(table) == UNDONE
    assert table.press("G") == (Sound.OK,)


def test_a_bankruptcy_is_not_made_again(table: Table) -> None:
    table.press("F1")
    table.hold("M", SECOND)
    assert table.press("F8MM") == (Sound.UNDO,)
    assert table.message == "", "it offers nothing"
    assert undo(table) == UNDONE
    assert table.ledger.balance(2) == 15_000_000
    table.press("F8")
    assert table.message == "2>1 BANKRUPT UNDONE"
    assert table.press("M") == (Sound.ERROR,)
    assert table.message == "2>1 BANKRUPT UNDONE"


def test_no_move_is_made_again_with_a_player_who_is_out(table: Table) -> None:
    table.press("2M")
    take_back(table)
    table.press("F1")
    table.hold("M", SECOND)
    table.press("F8GM")
    assert table.message == "AGAIN? M"
    assert table.press("M") == (Sound.ERROR,)
    assert table.message == "OUT"


def test_history_makes_a_move_again(table: Table) -> None:
    table.press("2M")
    take_back(table)
    table.press("F8")
    assert (table.field, table.message) == ("2M", "2>1 PAID UNDONE")
    assert table.press("M") == (Sound.KEY,)
    assert (table.field, table.message, table.status) == ("2M", "AGAIN? M", "2>1")
    assert table.press("K") == (Sound.ERROR,)
    assert table.message == "2>1 PAID UNDONE", "it withdraws the question"
    table.press("M")
    assert (table.press("M"), table.message) == AGAIN
    assert (table.field, table.status) == ("12M", "2>1 2M")
    table.press("F8")
    assert table.message == "2>1 PAID 0S", "the older one is no longer listed"
    table.press("G")
    assert table.message.startswith("2>B PAID")
    assert table.press("G") == (Sound.ERROR,)


def test_a_move_taken_back_with_c_is_listed_too(table: Table) -> None:
    table.press("2M")
    table.press("C")
    table.press("F8")
    assert table.message == "2>1 PAID UNDONE"


def test_rulebook_only_makes_nothing_again() -> None:
    table = Table(house=HouseRules(strict_undo=True))
    table.insert(LEFT, 1)
    table.press("1MC")
    assert table.press("F8M") == (Sound.ERROR,)
    assert table.message == "RULEBOOK ONLY"


def test_the_final_count_makes_nothing_again(table: Table) -> None:
    table.press("2MC")
    table.press("F9M")
    assert table.press("F8M") == (Sound.ERROR,)
    assert table.message == "FINAL COUNT"


# A forgotten card is restored (F19, D46)


FORGOTTEN = ((Sound.UNDO,), "FORGOTTEN")


def forget(table: Table, number: int) -> None:
    assert (table.press(f"F05{number}MM"), table.message) == FORGOTTEN


def test_c_restores_a_forgotten_card_in_its_slot(table: Table) -> None:
    table.ledger.name(2, "Zoé")
    table.press("2M")
    table.press("K")
    forget(table, 2)
    assert (table.field, table.status) == ("17M", "2>B 12M")
    assert table.press("C") == (Sound.UNDO,)
    assert (table.field, table.status) == ("12M", "2>1")
    assert table.ledger.state.names == {2: "Zoé"}
    assert undo(table) == UNDONE, "C reaches what it could before"
    assert table.ledger.balance(2) == 14_000_000


def test_a_salary_stays_paid_in_the_insertion() -> None:
    table = Table()
    table.insert(LEFT, 1)
    table.press("G")
    forget(table, 1)
    table.press("C")
    assert table.press("G") == (Sound.ERROR,)
    assert table.message == "ALREADY PAID"


def test_a_bankrupt_card_is_out_again(table: Table) -> None:
    table.press("F1")
    table.hold("M", SECOND)
    forget(table, 2)
    assert table.press("C") == (Sound.UNDO,)
    table.remove(RIGHT)
    assert table.insert(RIGHT, 2) == (Sound.ERROR,)
    assert table.message == "OUT"


def test_counted_amounts_are_restored(table: Table) -> None:
    table.remove(RIGHT)
    table.press("F9M")
    table.press("3M")
    table.press("500K")
    forget(table, 1)
    assert table.press("C") == (Sound.UNDO,)
    assert (table.field, table.message) == ("18,5M", "FINAL COUNT")
    assert table.press("C") == (Sound.UNDO,)
    assert table.field == "18M"


def test_a_new_number_can_still_be_taken_back() -> None:
    table = Table(known=0)
    table.insert(LEFT, 1)
    table.press("K")
    forget(table, 1)
    assert table.press("C") == (Sound.UNDO,)
    assert undo(table) == UNDONE
    assert table.ledger.cards == {}
    assert undo(table) == NOTHING


@pytest.mark.parametrize("key", "5,MKGF")
def test_another_key_ends_it(table: Table, key: str) -> None:
    """Also one that is refused."""
    table.remove(LEFT)
    table.remove(RIGHT)
    forget(table, 2)
    table.press(key)
    table.press("C")
    assert undo(table) == NOTHING
    assert 2 not in table.ledger.cards


def test_a_c_that_is_not_short_ends_it(table: Table) -> None:
    table.remove(RIGHT)
    forget(table, 2)
    table.hold("C", SECOND)
    assert undo(table) == NOTHING
    assert 2 not in table.ledger.cards


def test_a_card_ends_it(table: Table) -> None:
    forget(table, 2)
    table.remove(RIGHT)
    assert undo(table) == NOTHING
    forget(table, 1)
    table.insert(RIGHT, 3)
    assert undo(table) == NOTHING


def test_the_lost_reader_of_a_card_ends_it() -> None:
    table = Table()
    table.insert(RIGHT, 1)
    forget(table, 2)
    table.box.handle(ReaderLost(table.now, RIGHT))
    assert (table.press("C"), table.message) == NOTHING


@pytest.mark.parametrize("slot", Slot)
def test_a_lost_reader_without_a_card_does_not_end_it(slot: Slot) -> None:
    table = Table()
    forget(table, 2)
    table.box.handle(ReaderLost(table.now, slot))
    assert table.message == "FORGOTTEN"
    assert table.press("C") == (Sound.UNDO,)


@pytest.mark.parametrize("key", "CMKG5,F")
def test_waking_does_not_end_it(key: str) -> None:
    table = Table()
    forget(table, 2)
    table.wait(60 * SECOND)
    assert table.press(key) == (Sound.KEY,)
    assert table.press("C") == (Sound.UNDO,)
    assert table.ledger.cards[2] == CARDS[2]


@pytest.mark.parametrize("key", "5,")
def test_a_key_that_does_more_than_wake_the_box_ends_it(table: Table, key: str) -> None:
    """With a card in, a digit or comma counts (P2)."""
    table.remove(RIGHT)
    forget(table, 2)
    table.wait(60 * SECOND)
    table.press(key)
    table.press("C")
    assert undo(table) == NOTHING


def test_a_key_that_acknowledges_ends_it(table: Table) -> None:
    """F acknowledges before FORGET, so this needs an interruption after it (D46)."""
    table.remove(RIGHT)
    forget(table, 2)
    table.press("7")
    table.remove(LEFT)
    assert table.message == "NOT DONE"
    assert table.press("C") == (Sound.KEY,)
    assert undo(table) == NOTHING


def test_a_power_cut_ends_it(table: Table) -> None:
    forget(table, 2)
    table.box = Box(table.ledger, table.now)
    assert undo(table) == NOTHING


def test_a_new_game_ends_it(table: Table) -> None:
    forget(table, 2)
    table.hold("C", 3 * SECOND)
    table.wait(2 * SECOND)
    assert undo(table) == NOTHING


def test_it_comes_before_anything_older(table: Table) -> None:
    """Two cards are forgotten: only the second one is restored."""
    table.remove(RIGHT)
    forget(table, 2)
    forget(table, 3)
    assert table.press("C") == (Sound.UNDO,)
    assert undo(table) == NOTHING
    assert list(table.ledger.cards) == [1, 3, 4, 5, 6]
