"""Views."""

from hal.display.messages import Language, Message, Text
from hal.display.view import Item, Menu, Occupant, dark, ledger_error
from hal.events import Slot


def test_a_refused_ledger_has_a_message_in_both_languages() -> None:
    assert ledger_error(Language.FRENCH).said == "ERREUR REGISTRE"
    assert ledger_error().said == str(ledger_error(Language.FRENCH).message) == "LEDGER ERROR"


def test_a_menu_names_the_entries_of_all_pages_and_shows_one() -> None:
    first, second = (Item("1", Message(text)) for text in (Text.BANKRUPT, Text.POT))
    menu = Menu(((first,), (second,)), page=1)
    assert menu.names == "BANKRUPT POT"
    assert menu.shown == (second,)


def test_a_sleeping_box_is_dark_and_keeps_its_volume() -> None:
    asleep = dark(3, "europe")
    assert not asleep.lit
    assert (asleep.field, asleep.message, asleep.volume) == ("", None, 3)


def test_the_occupants_are_left_and_right() -> None:
    shown = dark(2, "banking")._replace(occupants=(4, Occupant.REFUSED))
    assert shown.occupant(Slot.LEFT) == 4
    assert shown.occupant(Slot.RIGHT) is Occupant.REFUSED


def test_the_status_is_the_way_of_the_money_the_minutes_or_the_edition() -> None:
    idle = dark(2, "europe")._replace(lit=True)
    assert idle.status == idle.title(Language.FRENCH) == "europe"
    timed = idle._replace(minutes_left=0)
    assert timed.status == timed.title(Language.FRENCH) == "0 MIN"
    undone = timed._replace(middle=Message(Text.UNDO_SHORT, "1,4M"), language=Language.FRENCH)
    assert (undone.status, undone.title(Language.FRENCH)) == ("UNDO 1,4M", "ANN. 1,4M")
    counting = timed._replace(middle=Message(Text.COUNT))
    assert (counting.status, counting.title(Language.FRENCH)) == ("COUNT", "DÉCOMPTE")


def test_a_dark_screen_has_no_status() -> None:
    assert dark(2, "europe").status == ""


def test_badges_are_filled_but_for_that_of_the_card_whose_balance_does_not_show() -> None:
    both = dark(2, "banking")._replace(occupants=(4, 2))
    assert [both.is_filled(slot) for slot in Slot] == [True, True]
    paying = both._replace(balance_of=2)
    assert [paying.is_filled(slot) for slot in Slot] == [False, True]
