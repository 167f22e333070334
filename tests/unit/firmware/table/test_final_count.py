"""The final count at the table, from the first amount to the ranking (F15 to F17, D45)."""

import pytest

from firmware.bank.ledger import Ledger
from firmware.table.box import Box
from firmware.table.modes import Mode
from hal.display.sounds import Sound
from hal.events import SECOND, PowerLow, ReaderBack, ReaderLost, Slot
from tests.unit.firmware.table.test_box import BANKING, LEFT, RIGHT, Table


def played(*numbers: int) -> Table:
    """These cards have moved money; no card is in."""
    table = Table()
    for number in numbers:
        table.insert(LEFT, number)
        table.press("1M")
        table.remove(LEFT)
    return table


def put_in(table: Table, number: int) -> None:
    """In the left slot, until its number no longer shows."""
    table.insert(LEFT, number)
    table.wait(SECOND)


def restart(table: Table) -> None:
    """The power was cut; both slots are empty."""
    table.ledger = Ledger(table.store, BANKING)
    table.box = Box(table.ledger, table.now)


def ranking(table: Table) -> list[tuple[str, str]]:
    shown = table.box.view.table
    assert shown is not None
    return [(item.label, str(item.content)) for item in shown]


@pytest.fixture
def table() -> Table:
    """Cards 1, 2 and 5 have 16M each, and the count is open."""
    table = played(1, 2, 5)
    table.press("F9M")
    assert table.ledger.current.counting
    return table


def test_f15_without_a_player_no_count_is_opened() -> None:
    table = Table()
    table.insert(RIGHT, 2)
    assert table.press("F9M") == (Sound.ERROR,)
    assert (table.message, table.box.mode) == ("NO CARD", Mode.MENU)
    assert table.press("C") == (Sound.KEY,)
    assert not table.ledger.current.counting


def test_f15_a_card_in_the_left_slot_is_a_player_once_the_count_is_open() -> None:
    table = Table()
    table.insert(LEFT, 1)
    assert table.press("F9M") == (Sound.KEY,)
    assert (table.field, table.message) == ("15M", "FINAL COUNT")
    assert table.ledger.players == [1]


# Who has not been counted


def test_the_message_line_says_who_is_missing(table: Table) -> None:
    assert (table.field, table.message, table.status) == ("-----", "STILL 1 2 5", "COUNT")
    table.insert(LEFT, 2)
    assert (table.field, table.message) == ("2", "FINAL COUNT")
    table.wait(SECOND)
    assert (table.field, table.message) == ("16M", "FINAL COUNT")
    table.press("5")
    assert (table.field, table.message) == ("5", "FINAL COUNT")
    table.press("C")
    table.remove(LEFT)
    assert (table.field, table.message) == ("-----", "STILL 1 5")
    table.insert(RIGHT, 1)
    table.wait(SECOND)
    assert (table.field, table.message) == ("-----", "STILL 1 5")


@pytest.mark.parametrize(
    ("missing", "expected"),
    [((3,), "STILL 3"), ((1, 2, 3, 4), "STILL 1 2 3 4"), ((1, 3, 4, 5, 6), "STILL 1 3 4 5 +")],
)
def test_four_numbers_at_most(missing: tuple[int, ...], expected: str) -> None:
    table = played(*missing)
    table.press("F9M")
    assert table.message == expected


def test_a_card_that_never_played_is_counted_once_it_is_put_in(table: Table) -> None:
    put_in(table, 6)
    assert table.field == "15M"
    table.remove(LEFT)
    assert table.message == "STILL 1 2 5"
    assert table.ledger.players == [1, 2, 5, 6]


def test_the_card_that_is_in_is_counted_at_once() -> None:
    table = played(1, 2)
    table.insert(LEFT, 1)
    table.press("F9M")
    assert (table.field, table.message) == ("16M", "FINAL COUNT")
    table.remove(LEFT)
    assert table.message == "STILL 2"


def test_d43_a_card_put_in_while_a_list_is_open_is_counted(table: Table) -> None:
    table.press("F")
    assert table.insert(LEFT, 2) == (Sound.CARD,)
    assert table.box.view.card is None
    table.press("C")
    assert (table.field, table.message) == ("16M", "FINAL COUNT")
    assert table.ledger.not_counted == [1, 5]


# Amounts


def test_amounts_add_up_and_are_taken_back_one_by_one(table: Table) -> None:
    put_in(table, 1)
    for keys, worth in (("3M", "19M"), ("500K", "19,5M"), ("9000M", "9019,5M")):
        assert table.press(keys) == (Sound.OK,)
        assert (table.field, table.ledger.balance(1)) == (worth, 16_000_000)
    for worth in ("19,5M", "19M"):
        assert table.press("C") == (Sound.UNDO,)
        assert (table.field, table.message) == (worth, "FINAL COUNT")
    table.remove(LEFT)
    restart(table)
    put_in(table, 1)
    assert table.field == "19M", "a card put in again continues"
    assert table.press("C") == (Sound.UNDO,)
    assert table.field == "16M"
    assert table.press("C") == (Sound.ERROR,)
    assert table.message == "NOTHING TO UNDO"
    assert table.press("C") == (Sound.KEY,)
    assert table.ledger.current.counting


def test_c_takes_back_amounts_of_the_left_card_only(table: Table) -> None:
    put_in(table, 1)
    table.press("3M")
    table.remove(LEFT)
    put_in(table, 2)
    assert table.press("C") == (Sound.ERROR,)
    assert table.message == "NOTHING TO UNDO"
    assert table.ledger.current.worth(1) == 19_000_000


@pytest.mark.parametrize(
    ("keys", "message"),
    [("9K", "MIN 10K"), ("1,2345M", "STEP 1K"), ("M", "NO AMOUNT"), ("99999M", "FULL")],
)
def test_refused_amounts(table: Table, keys: str, message: str) -> None:
    """The only maximum is that of a balance."""
    put_in(table, 1)
    assert table.press(keys) == (Sound.ERROR,)
    assert (table.message, table.field) == (message, "16M")
    assert table.ledger.current.amounts(1) == ()


def test_a_worth_may_be_as_large_as_a_balance(table: Table) -> None:
    put_in(table, 1)
    assert table.press("99983M") == (Sound.OK,)
    assert table.field == "99999M"
    assert table.press("10K") == (Sound.ERROR,)
    assert table.message == "FULL"


def test_a_worth_that_is_cut_shows_whole(table: Table) -> None:
    put_in(table, 1)
    table.press("1234,5M")
    assert (table.field, table.message) == ("1250,5M", "FINAL COUNT")
    table.press("11K")
    assert (table.field, table.message) == ("1250,5M", "1 250 511 000")


@pytest.mark.parametrize("left", [True, False])
def test_a_right_card_refuses_amounts(table: Table, left: bool) -> None:
    if left:
        table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    for key in "5,MK":
        assert table.press(key) == (Sound.ERROR,)
        assert table.message == "LEFT CARD ONLY"
    assert table.press("G") == (Sound.ERROR,)
    assert table.message == ("FINAL COUNT" if left else "STILL 1 2 5")


def test_a_right_card_put_in_during_an_entry(table: Table) -> None:
    put_in(table, 1)
    table.press("5")
    table.insert(RIGHT, 2)
    assert table.field == "5"
    assert table.press("M") == (Sound.ERROR,)
    assert (table.message, table.field) == ("LEFT CARD ONLY", "16M")
    table.remove(RIGHT)
    assert table.press("5M") == (Sound.OK,)


def test_a_late_rent_changes_two_worths(table: Table) -> None:
    put_in(table, 1)
    table.press("3M")
    table.remove(LEFT)
    put_in(table, 2)
    table.remove(LEFT)
    assert table.press("C") == (Sound.KEY,)
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("500K")
    table.remove(RIGHT)
    table.remove(LEFT)
    table.press("F9M")
    assert table.message == "STILL 5"
    put_in(table, 1)
    assert table.field == "19,5M"
    table.insert(LEFT, 2)
    table.wait(SECOND)
    assert table.field == "15,5M"


# Leaving


def test_c_leaves_with_the_left_slot_empty(table: Table) -> None:
    table.insert(RIGHT, 2)
    table.wait(SECOND)
    assert table.press("C") == (Sound.KEY,)
    assert (table.field, table.message, table.status) == ("16M", "", "2>B")
    assert not table.ledger.current.counting


def test_d45_without_cards_other_keys_do_what_they_do_without_a_card(table: Table) -> None:
    for key in "5K":
        assert table.press(key) == (Sound.ERROR,)
        assert table.message == "NO CARD"
    assert table.press(",") == (Sound.VOLUME,)
    assert table.message == "VOLUME 3"
    assert table.press("G") == (Sound.ERROR,)
    assert table.message == "STILL 1 2 5"


def test_s10_a_new_number_is_taken_back_after_the_count_was_left() -> None:
    table = Table(known=2)
    table.insert(LEFT, 1)
    table.press("1MF9M")
    table.remove(LEFT)
    table.insert(LEFT, 7)
    assert table.message == "NEW CARD"
    table.press("3M")
    assert table.press("C") == (Sound.UNDO,)
    assert table.press("C") == (Sound.ERROR,)
    assert table.message == "NOTHING TO UNDO"
    table.press("C")
    table.remove(LEFT)
    table.press("C")
    assert not table.ledger.current.counting
    assert list(table.ledger.cards) == [1, 2, 3], "the card has left"


# The end


def test_the_ranking_shows_when_the_last_card_leaves(table: Table) -> None:
    for number, keys in ((5, "2M"), (1, "2M"), (2, "")):
        put_in(table, number)
        table.press(keys)
        assert table.remove(LEFT) == ((Sound.OK,) if number == 2 else ())
    assert table.message == "WINNER 1 5"
    assert ranking(table) == [("1", "18M"), ("5", "18M"), ("2", "16M")]
    table.insert(RIGHT, 2)
    table.wait(SECOND)
    assert table.message == "WINNER 1 5", "a card on the right leaves it"
    assert table.press("M") == (Sound.ERROR,)
    assert table.message == "LEFT CARD ONLY"
    table.remove(RIGHT)
    assert table.press("M") == (Sound.ERROR,)
    assert table.message == "NO CARD"
    put_in(table, 2)
    assert (table.field, table.message) == ("16M", "FINAL COUNT")
    table.remove(LEFT)
    assert table.press("C") == (Sound.KEY,)
    assert not table.ledger.current.counting


def test_bankrupt_players_are_the_last_in_the_ranking() -> None:
    table = played(1, 2, 3)
    table.insert(RIGHT, 3)
    table.press("F1")
    table.hold("M", SECOND)
    table.remove(RIGHT)
    table.press("F9M")
    assert table.message == "STILL 1 2"
    table.press("MM")
    assert table.message == "WINNER 1 2"
    assert ranking(table) == [("1", "16M"), ("2", "16M"), ("3", "OUT")]


def test_m_ends_the_count_as_it_stands(table: Table) -> None:
    """F16: a card that was not counted is worth what it holds."""
    put_in(table, 5)
    table.press("2M")
    table.remove(LEFT)
    assert table.press("M") == (Sound.KEY,)
    assert (table.field, table.message, table.status) == ("-----", "WINNER? M", "COUNT")
    table.wait(50 * SECOND)
    assert table.message == "WINNER? M"
    assert table.press("M") == (Sound.OK,)
    assert table.message == "WINNER 5"
    assert ranking(table) == [("5", "18M"), ("1", "16M"), ("2", "16M")]
    table.press("F")
    table.press("C")
    assert table.message == "WINNER 5"
    table.insert(LEFT, 1)
    table.remove(LEFT)
    assert table.message == "STILL 2", "until a card is put in on the left"


def test_the_ranking_ends_when_the_count_is_left(table: Table) -> None:
    table.press("MM")
    assert table.press("C") == (Sound.KEY,)
    table.press("F9M")
    assert table.message == "STILL 1 2 5"


def test_the_ranking_ends_with_a_start(table: Table) -> None:
    table.press("MM")
    restart(table)
    assert table.message == "STILL 1 2 5"


@pytest.mark.parametrize(
    ("key", "sound", "message"),
    [
        ("C", Sound.KEY, "STILL 1 2 5"),
        ("5", Sound.ERROR, "NO CARD"),
        ("K", Sound.ERROR, "NO CARD"),
        (",", Sound.VOLUME, "VOLUME 3"),
        ("G", Sound.ERROR, "STILL 1 2 5"),
        ("F", Sound.KEY, ""),
    ],
)
def test_d45_any_other_key_takes_the_question_back(
    table: Table, key: str, sound: Sound, message: str
) -> None:
    table.press("M")
    assert table.press(key) == (sound,)
    assert table.message == message
    assert table.ledger.current.counting
    if key != "F":
        table.wait(2 * SECOND)
        assert table.press("M") == (Sound.KEY,)
        assert table.message == "WINNER? M"


@pytest.mark.parametrize("slot", [LEFT, RIGHT])
def test_d45_a_card_takes_the_question_back(table: Table, slot: Slot) -> None:
    table.press("M")
    table.insert(slot, 1)
    table.remove(slot)
    assert table.message == ("STILL 2 5" if slot is LEFT else "STILL 1 2 5")


def test_d45_sleep_takes_the_question_back_without_a_sound(table: Table) -> None:
    table.press("M")
    assert table.wait(60 * SECOND) == ()
    assert table.box.asleep
    assert table.press("M") == (Sound.KEY,)
    assert (table.message, table.box.mode) == ("STILL 1 2 5", Mode.COUNTING_NO_CARD)


def test_a_c_that_is_held_leaves_the_question(table: Table) -> None:
    table.press("M")
    table.down("C")
    table.wait(SECOND)
    assert table.message == "NEW GAME IN 2"
    assert table.up("C") == ()
    assert table.message == "STILL 1 2 5"


def test_hardware_errors_gives_way_to_the_question(table: Table) -> None:
    table.box.handle(PowerLow(table.now))
    assert table.message == "LOW POWER"
    table.press("M")
    assert table.message == "WINNER? M"


def test_d45_a_box_without_players_ends_no_count(table: Table) -> None:
    """Time can open a count that no card plays in (F22)."""
    for number in (1, 2, 5):
        table.press(f"F05{number}MM")
    table.wait(2 * SECOND)
    assert (table.field, table.message) == ("-----", "FINAL COUNT")
    assert table.press("M") == (Sound.ERROR,)
    assert table.message == "NO CARD"


def test_d45_the_ranking_of_forgotten_players_is_no_ranking(table: Table) -> None:
    table.press("MM")
    for number in (1, 2, 5):
        assert table.message.startswith("WINNER")
        table.press(f"F05{number}MM")
        table.wait(2 * SECOND)
    assert (table.field, table.message) == ("-----", "FINAL COUNT")
    assert table.press("M") == (Sound.ERROR,)
    assert table.message == "NO CARD"


def test_d45_the_last_player_is_forgotten_while_m_is_asked() -> None:
    """By another program (D30)."""
    table = played(1)
    table.press("F9M")
    table.press("M")
    table.ledger.forget(1)
    assert table.press("M") == (Sound.ERROR,)
    assert table.message == "NO CARD"
    assert table.field == "-----"


def test_d45_a_forgotten_card_is_no_longer_counted(table: Table) -> None:
    put_in(table, 1)
    table.remove(LEFT)
    table.press("F052MM")
    table.wait(2 * SECOND)
    assert table.message == "STILL 5"
    assert table.press("F051MM") == (Sound.UNDO,)
    assert table.press("C") == (Sound.UNDO,)
    assert table.message == "STILL 5"


def test_a_long_c_ends_the_count(table: Table) -> None:
    put_in(table, 1)
    table.press("3M")
    table.remove(LEFT)
    table.hold("C", 3 * SECOND)
    table.wait(2 * SECOND)
    assert (table.message, table.ledger.players) == ("", [])


def test_a_reader_that_is_away_in_the_count(table: Table) -> None:
    """Its slot counts as empty (D6)."""
    put_in(table, 1)
    table.box.handle(ReaderLost(table.now, LEFT))
    assert (table.field, table.message) == ("-----", "LEFT READER")
    table.box.handle(ReaderBack(table.now, LEFT))
    assert table.message == "STILL 2 5"


def test_sleep_leaves_the_count_open(table: Table) -> None:
    put_in(table, 1)
    table.wait(60 * SECOND)
    table.press("C")
    assert (table.field, table.message) == ("16M", "FINAL COUNT")
