"""Another program changes the ledger of a running box (D30).

A key that was meant for the old state is refused. Of two concurrent writers the later one tries
once more, unless what it depends on has changed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger import Admission, Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, JournalFailed, Kind, Overtaken
from firmware.storage.audit import audit
from firmware.storage.ledger_file import opened_by_box, reading, shared_for_changes
from firmware.storage.store import Store
from firmware.table.box import Box
from hal.display.sounds import Sound
from hal.display.view import Occupant
from hal.events import SECOND
from tests.unit.firmware.table.test_box import BANKING, CARDS, LEFT, RIGHT, Table

EUROPE = editions.load("europe")
MILLION = 1_000_000


class SharedTable(Table):
    """A table whose ledger is a file that others can change."""

    def __init__(self, path: Path, store: Store) -> None:
        super().__init__()
        self.path = path
        self.ledger = Ledger(store, BANKING)
        self.ledger.know([CARDS[n] for n in range(1, 7)])
        self.box = Box(self.ledger, self.now)
        self._meanwhile: list[Callable[[Ledger], object]] = []

    def calendar(self) -> float:
        """A write reads it before it locks the ledger, but after it has read it."""
        while self._meanwhile:
            self.other_program(self._meanwhile.pop(0))
        return 0

    def in_the_same_instant(self, change: Callable[[Ledger], object]) -> None:
        """Another program writes just before the next write of the box."""
        self._meanwhile.append(change)

    def other_program(self, change: Callable[[Ledger], object]) -> None:
        """What ``tellerbox cards`` does in another terminal."""
        with shared_for_changes(self.path) as other:
            change(Ledger(other, BANKING))

    def balance(self, number: int) -> int:
        return self.ledger.balance(number)


@contextmanager
def shared_table(path: Path) -> Iterator[SharedTable]:
    table: SharedTable | None = None
    with opened_by_box(path, lambda: table.calendar() if table else 0) as store:
        table = SharedTable(path, store)
        yield table


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SharedTable]:
    path = tmp_path / "ledger.db"
    with shared_table(path) as table:
        yield table
    with reading(path) as connection:
        assert not [finding for finding in audit(connection) if finding.faults]


def replace_5(ledger: Ledger) -> None:
    ledger.ask_replacement(5)


def forget_2(ledger: Ledger) -> None:
    ledger.forget(2)


# The state behind an open F menu has changed


def test_amount_for_a_closed_menu_is_not_paid(table: SharedTable) -> None:
    table.insert(RIGHT, 1)
    table.press("F21")
    table.other_program(replace_5)
    for key in "50K":
        assert table.press(key) == (Sound.ERROR,)
        assert (table.field, table.message) == ("15M", "NOT DONE")
    assert table.balance(1) == 15 * MILLION
    assert table.press("C") == (Sound.KEY,)
    assert table.message == ""
    assert table.press("50K")[0] is Sound.OK


@pytest.mark.parametrize(("opens", "key"), [("F", "C"), ("F8", "G"), ("F8", "M")])
def test_key_for_a_closed_menu_is_refused(table: SharedTable, opens: str, key: str) -> None:
    table.insert(LEFT, 1)
    table.press("2M" + opens)
    table.other_program(replace_5)
    assert table.press(key) == (Sound.ERROR,)
    assert table.balance(1) == 17 * MILLION
    assert (table.field, table.message, table.status) == ("17M", "NOT DONE", "banking")


def test_c_that_is_down_already_undoes_nothing(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.press("2MF")
    table.down("C")
    table.other_program(replace_5)
    assert table.up("C") == (Sound.ERROR,)  # the list that it was to leave is interrupted
    assert table.balance(1) == 17 * MILLION
    assert table.message == "NOT DONE"


def test_digit_after_a_key_up_does_not_start_an_amount(table: SharedTable) -> None:
    table.insert(RIGHT, 1)
    table.down("F")
    table.other_program(replace_5)
    assert table.up("F") == (Sound.ERROR,)
    assert table.press("5") == (Sound.ERROR,)
    table.press("M")
    assert table.message == "NOT DONE"
    assert table.balance(1) == 15 * MILLION


def test_digit_after_a_refused_f_does_not_start_an_amount(table: SharedTable) -> None:
    table.insert(RIGHT, 1)
    table.press("F2")
    table.other_program(replace_5)
    assert table.press("F") == (Sound.ERROR,)
    assert table.press("5") == (Sound.ERROR,)
    table.press("M")
    assert table.balance(1) == 15 * MILLION
    assert table.press("F") == (Sound.KEY,)  # now F opens its list
    assert table.box.view.menu


def test_entry_continues_if_its_cards_have_not_changed(table: SharedTable) -> None:
    table.insert(RIGHT, 1)
    table.press("1")
    table.other_program(replace_5)
    assert table.press("50K")[0] is Sound.OK
    assert table.balance(1) == 15 * MILLION - 150_000


# A card in a slot is forgotten


def test_bank_does_not_pay_instead_of_a_forgotten_card(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("1M")
    table.press("12")
    table.other_program(forget_2)
    assert table.press("3") == (Sound.ERROR,)
    assert table.box.view.occupant(RIGHT) is Occupant.NONE
    table.press("0K")
    assert table.message == "NOT DONE"
    assert table.balance(1) == 16 * MILLION
    table.press("C")
    assert table.press("30K")[0] is Sound.OK  # a new entry is paid by the bank
    assert table.balance(1) == 16_030_000
    table.press("CC")
    assert table.message == "NOTHING TO UNDO"  # card 2 was in that move


def test_bank_does_not_pay_instead_of_a_forgotten_card_before_the_first_digit(
    table: SharedTable,
) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.other_program(forget_2)
    assert table.press("5") == (Sound.ERROR,)
    assert table.message == "NOT DONE"
    assert table.press("M") == (Sound.ERROR,)
    assert table.balance(1) == 15 * MILLION


def test_a_key_without_digits_to_follow_is_refused_alone(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.other_program(forget_2)
    assert table.press("G") == (Sound.ERROR,)
    assert (table.message, table.status) == ("", "B>1")
    assert table.press("5M") == (Sound.OK,)
    assert table.balance(1) == 20 * MILLION


@pytest.mark.parametrize("key", ["5", ",", "F"])
def test_digits_that_follow_a_refused_key_are_refused(table: SharedTable, key: str) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.other_program(forget_2)
    assert table.press(key) == (Sound.ERROR,)
    assert (table.message, table.status) == ("NOT DONE", "banking")
    assert table.press("7") == (Sound.ERROR,)


def test_a_card_that_moves_interrupts_once(table: SharedTable) -> None:
    """The change and the card that makes it known: one sound error in all."""
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("12")
    table.other_program(forget_2)
    assert table.remove(LEFT) == (Sound.ERROR,)
    assert table.message == "NOT DONE"


def test_a_held_m_does_nothing_after_a_change(table: SharedTable) -> None:
    """Its question has closed when the second is over (F5, D30)."""
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("F1")
    table.down("M")
    table.other_program(replace_5)
    assert table.wait(SECOND) == (Sound.ERROR,)
    assert table.message == "NOT DONE"
    assert table.up("M") == ()
    assert table.balance(2) == 15 * MILLION
    assert table.press("1") == (Sound.ERROR,)


def test_new_game_accepts_the_next_digit(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.down("C")
    table.other_program(forget_2)
    table.wait(3_000_000)
    assert table.message == "NEW GAME"
    table.up("C")
    table.press("5M")
    assert table.balance(1) == 20 * MILLION


# A name is given (N6): nothing is interrupted


@pytest.mark.parametrize(
    ("keys", "key", "field"),
    [
        ("1,5", "M", "17,5M"),
        ("F62", "M", "1M"),
        ("F62M", "M", "17M"),
        ("F8", "M", "1M"),
        ("F8M", "M", "15M"),
        ("F", "6", "0"),
        ("F9", "M", "16M"),
        ("F05", "3", "3"),
        ("F053", "M", "15M"),
    ],
)
def test_n6_a_name_interrupts_nothing(table: SharedTable, keys: str, key: str, field: str) -> None:
    table.insert(LEFT, 1)
    table.press("1M")
    table.press(keys)
    before = table.box.view
    table.other_program(name_1)
    table.up("K")  # the box notices the change
    assert table.box.view == before
    assert table.press(key) != (Sound.ERROR,)
    assert table.field == field


def name_1(ledger: Ledger) -> None:
    ledger.name(1, "Ana")
    ledger.name(3, "Zoé")


def test_n6_a_name_ends_neither_message_nor_offer(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.press("1M")
    table.press("F8MM")
    table.other_program(name_1)
    table.up("K")
    assert table.message == "C = AGAIN"
    assert table.press("C") == (Sound.OK,)
    table.press("F053MM")
    table.other_program(lambda ledger: ledger.name(1, "Zoé"))
    assert table.press("C") == (Sound.UNDO,)
    assert table.ledger.state.names == {1: "Zoé", 3: "Zoé"}


def test_n6_the_name_shows_the_next_time(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.other_program(name_1)
    table.remove(LEFT)
    table.insert(LEFT, 1)
    assert (table.field, table.message) == ("1", "Ana")
    table.press("5M")
    assert table.balance(1) == 20 * MILLION
    with reading(table.path) as connection:
        assert Ledger(Store(connection), BANKING).state.names == {1: "Ana", 3: "Zoé"}


# What C would do right after HISTORY and FORGET


@pytest.mark.parametrize("keys", ["F8MM", "F053MM"])
def test_d46_a_change_that_drops_something_ends_the_offer(table: SharedTable, keys: str) -> None:
    """D44, too."""
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("1M")
    table.press(keys)
    table.other_program(forget_2)
    table.up("K")
    assert table.message == ""
    assert table.press("C") == (Sound.ERROR,)
    assert table.message == "NOTHING TO UNDO"


def test_d46_another_change_does_not_end_the_offer(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.press("F053MM")
    table.other_program(forget_2)
    assert table.press("C") == (Sound.UNDO,)
    assert list(table.ledger.cards) == [1, 3, 4, 5, 6]


def test_d44_the_move_of_a_forgotten_card_is_not_made_again(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("1M")
    table.remove(RIGHT)
    table.press("F8MM")
    assert table.message == "C = AGAIN"
    table.other_program(forget_2)
    assert table.press("C") == (Sound.ERROR,)
    assert (table.message, table.balance(1)) == ("NOTHING TO UNDO", 15 * MILLION)


# The final count


def test_d45_the_last_player_is_forgotten_while_the_ranking_shows(table: SharedTable) -> None:
    table.insert(LEFT, 2)
    table.press("1M")
    table.remove(LEFT)
    table.press("F9MMM")
    assert table.message == "WINNER 2"
    table.other_program(forget_2)
    table.press("K")
    table.press("C")
    assert (table.field, table.message) == ("-----", "FINAL COUNT")


def test_d12_the_waiting_is_ended_from_outside(table: SharedTable) -> None:
    table.other_program(replace_5)
    table.other_program(Ledger.cancel_replacement)
    assert table.insert(LEFT, 7) == (Sound.ERROR,)
    assert table.message == "UNKNOWN CARD"


# Two concurrent programs


def test_card_that_is_paid_meanwhile_is_not_forgotten(table: SharedTable) -> None:
    table.ledger.move(3, BANK, 15 * MILLION, Purpose.ENTRY)
    with shared_for_changes(table.path) as other:
        stale = Ledger(other, BANKING)  # it has read that card 3 has no balance
        table.ledger.move(BANK, 3, 2 * MILLION, Purpose.SALARY)
        with pytest.raises(JournalFailed, match="another program"):
            stale.forget(3)
    assert 3 in table.ledger.cards


@pytest.mark.parametrize(
    "act",
    [
        lambda ledger: ledger.move(BANK, 3, 2 * MILLION, Purpose.SALARY),
        lambda ledger: ledger.new_game(BANKING),
        lambda ledger: ledger.choose_kind(Kind.FAST),
    ],
    ids=["a salary", "a new game", "a choice"],
)
def test_write_after_another_program_forgot_a_card_is_refused(
    table: SharedTable, act: Callable[[Ledger], object]
) -> None:
    table.ledger.move(3, BANK, 15 * MILLION, Purpose.ENTRY)
    table.other_program(lambda ledger: ledger.forget(3))  # no posting: its balance is zero
    with pytest.raises(JournalFailed, match="another program"):
        act(table.ledger)
    assert table.ledger.refresh()
    admitted = table.ledger.admit(b"new.")
    assert admitted
    assert table.balance(admitted.number) == 15 * MILLION
    act(table.ledger)


# Another program writes between the box's look at the ledger and its write


def forget_5(ledger: Ledger) -> None:
    ledger.forget(5)


def no_card(_: SharedTable) -> None: ...


def in_two_slots(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)


def after_a_rent(table: SharedTable) -> None:
    in_two_slots(table)
    table.press("1M")


def after_a_rent_was_taken_back(table: SharedTable) -> None:
    after_a_rent(table)
    table.press("F8MM")


def alone_on_the_left(table: SharedTable) -> None:
    table.insert(LEFT, 1)


def after_another_game(table: SharedTable) -> None:
    after_a_rent(table)
    table.hold("C", 4 * SECOND)
    table.press("3M")


def in_the_final_count(table: SharedTable) -> None:
    after_a_rent(table)
    table.remove(RIGHT)
    table.press("F9M3M")


def in_the_final_count_without_cards(table: SharedTable) -> None:
    in_the_final_count(table)
    table.remove(LEFT)


SITUATIONS: dict[str, tuple[Callable[[SharedTable], None], str]] = {
    "an entry": (in_two_slots, "1M"),
    "a salary": (alone_on_the_left, "G"),
    "a fine": (in_two_slots, "F5M"),
    "C": (after_a_rent, "C"),
    "C again": (after_a_rent_was_taken_back, "C"),
    "HISTORY": (after_a_rent, "F8MM"),
    "AGAIN": (after_a_rent, "F7M"),
    "COUNT": (after_a_rent, "F9M"),
    "an amount that is counted": (in_the_final_count, "2M"),
    "an amount that is not counted": (in_the_final_count, "C"),
    "leaving the count": (in_the_final_count_without_cards, "C"),
    "FAST": (in_two_slots, "F02"),
    "EDITION": (in_two_slots, "F043"),
    "FORGET": (in_two_slots, "F053MM"),
    "BACK": (after_another_game, "F06M"),
    "the volume": (no_card, ","),
}


@pytest.mark.parametrize("change", [replace_5, forget_5])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_key_does_the_same_if_another_program_has_just_written(
    situation: str, change: Callable[[Ledger], None], table: SharedTable, tmp_path: Path
) -> None:
    prepare, keys = SITUATIONS[situation]
    with shared_table(tmp_path / "other.db") as undisturbed:
        for one in (table, undisturbed):
            prepare(one)
            one.press(keys[:-1])
        table.in_the_same_instant(change)
        sounds = undisturbed.press(keys[-1])
        assert table.press(keys[-1]) == sounds
        assert sounds[0] is not Sound.ERROR
        assert table.box.view == undisturbed.box.view
        assert [table.balance(n) for n in (1, 2)] == [undisturbed.balance(n) for n in (1, 2)]
    assert (table.ledger.state.replacing == 5) == (change is replace_5)
    assert (5 in table.ledger.cards) == (change is replace_5)


@pytest.mark.parametrize("change", [replace_5, forget_5])
def test_held_key_does_the_same(table: SharedTable, change: Callable[[Ledger], None]) -> None:
    in_two_slots(table)
    table.press("F1")
    table.in_the_same_instant(change)
    assert table.hold("M", SECOND) == (Sound.KEY, Sound.ALARM)
    assert (table.balance(1), table.balance(2)) == (30 * MILLION, 0)
    table.in_the_same_instant(forget_2)
    assert table.hold("C", 3 * SECOND)[-1] is Sound.ERROR  # its card 2 is in


def test_card_that_was_just_forgotten_moves_no_money(table: SharedTable) -> None:
    in_two_slots(table)
    table.press("1")
    table.in_the_same_instant(forget_2)
    assert table.press("M") == (Sound.ERROR,)
    assert (table.field, table.message, table.status) == ("15M", "ERROR", "B>1")
    assert table.balance(1) == 15 * MILLION
    assert table.box.view.occupants == (1, Occupant.NONE)


@pytest.mark.parametrize(
    ("keys", "kept"), [("F052MM", "UNKNOWN CARD"), ("F8MM", "NOTHING TO UNDO")]
)
def test_what_another_program_has_just_ended(table: SharedTable, keys: str, kept: str) -> None:
    """Card 2 is in no slot, but the key is about it."""
    after_a_rent(table)
    table.remove(RIGHT)
    table.press(keys[:-1])
    table.in_the_same_instant(forget_2)
    assert table.press(keys[-1]) == (Sound.ERROR,)
    assert (table.message, table.balance(1)) == (kept, 16 * MILLION)


def test_new_card_gets_the_number_that_was_just_asked_for_it(table: SharedTable) -> None:
    table.in_the_same_instant(replace_5)
    # The box knows no free number and writes nothing: nothing comes between.
    assert table.insert(LEFT, 7) == (Sound.ERROR,)
    table.remove(LEFT)
    table.other_program(forget_2)
    table.in_the_same_instant(Ledger.cancel_replacement)
    table.other_program(replace_5)
    assert table.insert(LEFT, 7) == (Sound.CARD,)
    assert (table.message, table.box.view.card) == ("NEW CARD", 2)


def test_new_card_interrupts_what_the_change_interrupts(table: SharedTable) -> None:
    table.insert(RIGHT, 1)
    table.other_program(forget_2)
    table.press("F")
    table.in_the_same_instant(replace_5)
    assert table.insert(LEFT, 7) == (Sound.ERROR, Sound.CARD)
    assert table.message == "REPLACED"
    table.wait(2 * SECOND)
    assert table.message == "NOT DONE"
    assert table.ledger.number_of(CARDS[7]) == 5


def test_card_is_counted_although_another_program_has_just_written(table: SharedTable) -> None:
    in_the_final_count_without_cards(table)
    table.in_the_same_instant(forget_5)
    table.insert(LEFT, 2)
    assert table.ledger.current.is_counted(2)


def test_f22_count_opens_although_another_program_has_just_written(table: SharedTable) -> None:
    table.press("F031M")
    table.hold("C", 4 * SECOND)
    in_two_slots(table)
    table.press("1M")
    table.wait(50 * SECOND)
    table.in_the_same_instant(replace_5)  # before the minute is written down
    table.in_the_same_instant(forget_5)  # before the count is opened
    assert Sound.ALARM in table.wait(10 * SECOND)
    assert table.ledger.current.counting
    assert 5 not in table.ledger.cards


def test_two_programs_never_both_succeed_on_the_same_state(table: SharedTable) -> None:
    """Without the retry, the later one always fails."""
    table.insert(LEFT, 1)
    with shared_for_changes(table.path) as other:
        stale = Ledger(other, BANKING)
        table.press("2M")
        with pytest.raises(Overtaken):
            stale.forget(3)
        stale.retrying(lambda: stale.forget(3), stale.refresh)
    assert table.balance(1) == 17 * MILLION


def test_d12_replacement_waits_for_a_game_with_its_number(tmp_path: Path) -> None:
    with opened_by_box(tmp_path / "ledger.db") as store:
        ledger = Ledger(store, EUROPE)
        ledger.know([bytes([n] * 4) for n in range(1, 9)])
        ledger.ask_replacement(7)
        ledger.new_game(BANKING)
        assert ledger.admit(b"new.") is None  # all six are taken
        ledger.forget(3)
        admitted = ledger.admit(b"new.")
        assert admitted == Admission(3)
        ledger.new_game(EUROPE)
        admitted = ledger.admit(b"next")
        assert admitted == Admission(7, replaced=bytes([7] * 4))
