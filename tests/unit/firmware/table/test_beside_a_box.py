"""Another program writes to the ledger of a running box (D30): no key does what nobody meant.

And no two programs can each act on what the other has changed: the later one is refused.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware import edition as editions
from firmware.audit import audit
from firmware.box import Box
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box, reading, shared_for_changes
from firmware.records import BANK, JournalFailed, Kind, Purpose
from firmware.store import Store
from hal.sounds import Sound
from hal.view import Tenant
from tests.unit.test_box import BANKING, CARDS, LEFT, RIGHT, Table

EUROPE = editions.load("europe")
MILLION = 1_000_000


class SharedTable(Table):
    """A table whose ledger is a file, which others can change."""

    def __init__(self, path: Path, store: Store) -> None:
        super().__init__()
        self.path = path
        self.ledger = Ledger(store, BANKING)
        self.ledger.know([CARDS[n] for n in range(1, 7)])
        self.box = Box(self.ledger, self.now)

    def beside(self, change: Callable[[Ledger], None]) -> None:
        """What ``tellerbox cards`` does in another terminal."""
        with shared_for_changes(self.path) as other:
            change(Ledger(other, BANKING))

    def balance(self, number: int) -> int:
        return self.ledger.balance(number)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SharedTable]:
    path = tmp_path / "ledger.db"
    with held_by_box(path) as store:
        yield SharedTable(path, store)
    with reading(path) as connection:
        assert not [finding for finding in audit(connection) if finding.faults]


def replaces_5(ledger: Ledger) -> None:
    ledger.ask_replacement(5)


def forgets_2(ledger: Ledger) -> None:
    ledger.forget(2)


# What F has opened is of before


def test_an_amount_that_was_typed_for_f_is_not_paid_at_once(table: SharedTable) -> None:
    table.insert(RIGHT, 1)
    table.press("F21")
    table.beside(replaces_5)
    assert table.press("5") == table.press("0") == (Sound.ERROR,)
    assert table.field == "15M"
    table.press("K")
    assert table.message == "NO AMOUNT"
    assert table.balance(1) == 15 * MILLION
    assert table.press("50K")[0] is Sound.OK


@pytest.mark.parametrize(("opens", "key"), [("F", "C"), ("F8", "G"), ("F8", "M")])
def test_a_key_for_what_f_had_opened_does_nothing_else(
    table: SharedTable, opens: str, key: str
) -> None:
    table.insert(LEFT, 1)
    table.press("2M" + opens)
    table.beside(replaces_5)
    assert table.press(key) == (Sound.ERROR,)
    assert table.balance(1) == 17 * MILLION
    assert table.field == "17M"


def test_c_that_is_down_already_takes_nothing_back(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.press("2MF")
    table.down("C")
    table.beside(replaces_5)
    assert table.up("C") == ()
    assert table.balance(1) == 17 * MILLION


def test_a_key_that_is_let_go_lets_no_digit_become_an_amount(table: SharedTable) -> None:
    table.insert(RIGHT, 1)
    table.down("F")
    table.beside(replaces_5)
    table.up("F")
    assert table.press("5") == (Sound.ERROR,)
    table.press("M")
    assert table.balance(1) == 15 * MILLION


def test_f_that_is_refused_leaves_its_digit_nowhere(table: SharedTable) -> None:
    table.insert(RIGHT, 1)
    table.press("F2")
    table.beside(replaces_5)
    assert table.press("F") == (Sound.ERROR,)
    assert table.press("5") == (Sound.ERROR,)
    table.press("M")
    assert table.balance(1) == 15 * MILLION


def test_an_entry_goes_on_when_nothing_that_it_needs_has_changed(table: SharedTable) -> None:
    table.insert(RIGHT, 1)
    table.press("1")
    table.beside(replaces_5)
    assert table.press("50K")[0] is Sound.OK
    assert table.balance(1) == 15 * MILLION - 150_000


# A card that is in is forgotten


def test_the_bank_does_not_pay_what_a_forgotten_card_was_to_pay(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.press("1M")
    table.press("12")
    table.beside(forgets_2)
    assert table.press("3") == (Sound.ERROR,)
    assert table.box.view.tenant(RIGHT) is Tenant.NOBODY
    table.press("0K")
    assert table.message == "NO AMOUNT"
    assert table.balance(1) == 16 * MILLION
    assert table.press("30K")[0] is Sound.OK  # from the bank, for who has seen that it is alone
    assert table.balance(1) == 16_030_000
    table.press("CC")
    assert table.message == "NOTHING TO UNDO"  # card 2 was in that move


def test_nor_when_nothing_was_typed_yet(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.beside(forgets_2)
    table.press("5M")
    assert table.message == "NO AMOUNT"
    assert table.balance(1) == 15 * MILLION


def test_a_new_game_leaves_no_digit_astray(table: SharedTable) -> None:
    table.insert(LEFT, 1)
    table.insert(RIGHT, 2)
    table.down("C")
    table.beside(forgets_2)
    table.wait(3_000_000)
    assert table.message == "NEW GAME"
    table.up("C")
    table.press("5M")
    assert table.balance(1) == 20 * MILLION


# Two programs at once


def test_a_card_that_is_paid_meanwhile_is_not_forgotten(table: SharedTable) -> None:
    table.ledger.move(3, BANK, 15 * MILLION, Purpose.ENTRY)
    with shared_for_changes(table.path) as other:
        beside = Ledger(other, BANKING)  # it has read that card 3 has nothing to give back
        table.ledger.move(BANK, 3, 2 * MILLION, Purpose.SALARY)
        with pytest.raises(JournalFailed, match="another program"):
            beside.forget(3)
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
def test_nothing_is_done_beside_a_card_that_was_just_forgotten(
    table: SharedTable, act: Callable[[Ledger], object]
) -> None:
    table.ledger.move(3, BANK, 15 * MILLION, Purpose.ENTRY)
    table.beside(lambda ledger: ledger.forget(3))  # no posting: it has nothing to give back
    with pytest.raises(JournalFailed, match="another program"):
        act(table.ledger)
    assert table.ledger.refresh()
    admitted = table.ledger.admit(b"new.")
    assert admitted
    assert table.balance(admitted.number) == 15 * MILLION
    act(table.ledger)


def test_d12_a_replacement_waits_for_a_game_that_has_its_number(tmp_path: Path) -> None:
    with held_by_box(tmp_path / "ledger.db") as store:
        ledger = Ledger(store, EUROPE)
        ledger.know([bytes([n] * 4) for n in range(1, 9)])
        ledger.ask_replacement(7)
        ledger.new_game(BANKING)
        assert ledger.admit(b"new.") is None  # all six are taken
        ledger.forget(3)
        admitted = ledger.admit(b"new.")
        assert admitted
        assert (admitted.number, admitted.replaces) == (3, False)
        ledger.new_game(EUROPE)
        admitted = ledger.admit(b"next")
        assert admitted
        assert (admitted.number, admitted.replaces) == (7, True)
