"""The middle of the status row tells who pays whom (N4)."""

import pytest

from firmware.bank import edition as editions
from firmware.bank.house_rules import HouseRules
from firmware.bank.records import Kind
from firmware.table.box import Box
from hal.events import MINUTE, SECOND, CardsClash, ReaderLost, Slot
from tests.unit.firmware.table.test_box import BANKING, LEFT, RIGHT, Table

EDITION = "banking"


@pytest.fixture
def table() -> Table:
    """The second game; card 2 has paid card 1 two millions, and no card is in."""
    table = Table()
    table.ledger.new_game(BANKING)
    table.box = Box(table.ledger, table.now)
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("2M")
    table.remove(LEFT)
    table.remove(RIGHT)
    return table


def put_in(table: Table, slots: str) -> None:
    if "L" in slots:
        table.insert(LEFT, 1)
    if "R" in slots:
        table.insert(RIGHT, 2)


@pytest.mark.parametrize(
    ("slots", "status"), [("", EDITION), ("L", "B>1"), ("R", "2>B"), ("LR", "2>1")]
)
def test_with_cards_in_it_is_what_a_unit_key_would_do(
    table: Table, slots: str, status: str
) -> None:
    put_in(table, slots)
    assert table.status == status
    table.wait(SECOND)
    assert table.status == status
    if slots:
        table.press("1,5")
        assert table.status == status
        table.press("C")
    table.press("M")  # refused
    assert table.status == status


@pytest.mark.parametrize("slots", ["", "L", "R", "LR"])
@pytest.mark.parametrize("keys", ["F", "F0", "F04", "F8", "F9", "F03", "F0390", "F05", "F06"])
def test_lists_and_questions_that_move_no_money(table: Table, slots: str, keys: str) -> None:
    put_in(table, slots)
    table.press(keys)
    assert table.status == EDITION


@pytest.mark.parametrize(
    ("slots", "keys", "status"),
    [
        ("R", "F1", "2>B"),
        ("LR", "F1", "2>1"),
        ("R", "F2", "2>B"),
        ("LR", "F2", "2>B"),
        ("LR", "F2750K", "2>B"),
        ("LR", "F3", "2>B"),
        ("LR", "F4", "2>1"),
        ("LR", "F47K", "2>1"),
        ("R", "F5", "2>B"),
        ("LR", "F5", "2>B"),
        ("L", "F6", "B>1"),
        ("LR", "F6", "B>1"),
        ("LR", "F61M", "B>1"),
        ("L", "F7", "B>1"),
        ("R", "F7", "2>B"),
        ("LR", "F7", "2>1"),
        ("", "F8M", "1>2"),
        ("LR", "F8M", "1>2"),
        ("", "F053M", "3>B"),
        ("LR", "F053M", "3>B"),
    ],
)
def test_a_question_shows_what_m_would_do(table: Table, slots: str, keys: str, status: str) -> None:
    put_in(table, slots)
    table.press(keys)
    assert table.status == status


@pytest.mark.parametrize(
    ("slots", "keys", "status", "moved"),
    [
        ("L", "FF2", "P>1", "P>1 500K"),
        ("R", "F5", "2>P", "2>P 500K"),
        ("LR", "F5", "2>P", "2>P 500K"),
        ("R", "FF21M", "2>P", "2>P 1M"),
        ("", "FF21M", "B>P", "B>P 1M"),
        ("LR", "FF2", "P>1", "P>1 500K"),
    ],
)
def test_the_pot(slots: str, keys: str, status: str, moved: str) -> None:
    table = Table(house=HouseRules(pot=True))
    table.insert(RIGHT, 3)
    table.press("F5M")
    table.remove(RIGHT)
    put_in(table, slots)
    table.press(keys)
    assert table.status == status
    table.press("M")
    assert table.status == moved


@pytest.mark.parametrize(
    ("slots", "keys", "status"),
    [
        ("L", "2M", "B>1 2M"),
        ("R", "150K", "2>B 150K"),
        ("LR", "1,4M", "2>1 1,4M"),
        ("L", "G", "B>1 2M"),
        ("LR", "F2750KM", "2>B 830K"),
        ("LR", "F5M", "2>B 500K"),
        ("LR", "F61MM", "B>1 500K"),
        ("LR", "F7M", "2>1 2M"),
        ("LR", "2MC", "UNDO 2M"),
        ("L", "GC", "UNDO 2M"),
        ("", "F8MM", "UNDO 2M"),
        ("LR", "F8MM", "UNDO 2M"),
    ],
)
def test_after_a_move_its_amount_shows_until_the_next_key_or_card(
    table: Table, slots: str, keys: str, status: str
) -> None:
    put_in(table, slots)
    before = table.status
    table.press(keys)
    assert table.status == status
    table.wait(59 * SECOND)
    assert table.status == status
    table.press("K")
    assert table.status == before


@pytest.mark.parametrize("moves", ["card out", "card in", "asleep"])
def test_what_ends_it(table: Table, moves: str) -> None:
    table.insert(LEFT, 1)
    table.press("2M")
    match moves:
        case "card out":
            table.remove(LEFT)
            assert table.status == EDITION
        case "card in":
            table.insert(RIGHT, 2)
            assert table.status == "2>1"
        case _:
            table.wait(60 * SECOND)
            assert table.status == ""
            table.press("K")
            assert table.status == "B>1"


def test_a_refusal_moves_nothing(table: Table) -> None:
    table.insert(RIGHT, 2)
    table.press("20M")
    assert (table.message, table.status) == ("NO FUNDS", "2>B")


def test_an_amount_is_cut_as_in_the_big_field() -> None:
    table = Table()
    table.insert(RIGHT, 1)
    for _ in range(6):
        table.insert(LEFT, 2)
        table.remove(RIGHT)
        table.press("17,123M")
        table.insert(RIGHT, 1)
    table.remove(LEFT)
    table.insert(RIGHT, 2)
    assert table.field == "2"
    table.wait(SECOND)
    assert table.field == "117,73M"  # 15M + 6 times 17,123M = 117,738M
    table.press("F1")
    table.hold("M", SECOND)
    assert table.status == "2>B 117,73M"


def test_a_plain_edition() -> None:
    table = Table(editions.load("europe"))
    assert table.status == "europe"
    table.insert(LEFT, 1)
    table.press("200M")
    assert table.status == "B>1 200"


def test_a_refused_card(table: Table) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 7)
    assert table.status == EDITION
    table.remove(RIGHT)
    assert table.status == "B>1"
    table.box.handle(CardsClash(table.now, RIGHT))
    assert table.status == EDITION


def test_an_interruption(table: Table) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("1")
    table.remove(RIGHT)
    assert table.status == EDITION
    table.press("C")
    assert table.status == "B>1"


def test_a_lost_reader(table: Table) -> None:
    put_in(table, "LR")
    table.box.handle(ReaderLost(table.now, Slot.RIGHT))
    assert table.status == "B>1"


def test_a_forgotten_card(table: Table) -> None:
    put_in(table, "LR")
    table.press("F052MM")
    assert (table.message, table.status) == ("FORGOTTEN", "2>B 13M")


def test_the_undo_of_a_new_number_is_nothing_special() -> None:
    table = Table(known=1)
    put_in(table, "LR")
    assert table.status == "2>1"
    table.press("C")
    assert table.status == "B>1"


@pytest.mark.parametrize("slots", ["", "L", "R", "LR"])
def test_the_final_count(table: Table, slots: str) -> None:
    table.press("F9M")
    put_in(table, slots)
    assert table.status == "COUNT"
    if "L" in slots:
        table.press("1")
        assert table.status == "COUNT"
        table.press("M")
        assert table.status == "COUNT"
    table.press("F")
    assert table.status == EDITION
    table.press("03")
    assert table.status == EDITION
    table.press("C")
    assert table.status == "COUNT"


def test_a_timed_game_shows_its_minutes() -> None:
    table = Table()
    table.ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=90)
    table.box = Box(table.ledger, table.now)
    assert table.status == "90 MIN"
    table.wait(59 * SECOND)
    table.insert(LEFT, 1)
    assert table.status == "B>1"
    table.wait(5 * SECOND)
    table.press("F")
    assert table.status == "89 MIN"
    table.press("C")
    table.wait(MINUTE)
    assert table.status == ""


# Which badge is filled (N5), and what is typed


@pytest.mark.parametrize(("slots", "card"), [("", None), ("L", None), ("R", None), ("LR", 2)])
def test_the_badge_of_the_balance_is_told_only_with_two_cards(
    table: Table, slots: str, card: int | None
) -> None:
    put_in(table, slots)
    assert table.box.view.balance_of == card


def test_the_badge_follows_the_balance_after_a_move(table: Table) -> None:
    put_in(table, "LR")
    table.press("1M")
    assert (table.box.view.field, table.box.view.balance_of) == ("12M", 2)
    table.wait(2 * SECOND)
    assert (table.box.view.field, table.box.view.balance_of) == ("18M", 1)
    table.press("5")
    assert (table.box.view.field, table.box.view.typed) == ("5", True)
    assert table.box.view.is_filled(RIGHT)
    assert not table.box.view.is_filled(LEFT)


def test_the_badge_in_the_final_count_is_that_of_the_worth(table: Table) -> None:
    table.press("F9M")
    put_in(table, "LR")
    assert table.box.view.balance_of == 1


@pytest.mark.parametrize(
    ("keys", "typed"),
    [("", False), ("1", True), ("1,5", True), (",", True), ("F3", True), ("F3,5M", False)],
)
def test_what_is_typed_is_told_from_an_amount(table: Table, keys: str, typed: bool) -> None:
    put_in(table, "R")
    table.wait(2 * SECOND)
    table.press(keys)
    assert table.box.view.typed is typed
