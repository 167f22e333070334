"""The table of modes and keys, and how the box gets into each mode."""

from firmware.table.modes import KEYS, Act, Mode
from hal.events import SECOND, Key, Slot
from tests.unit.firmware.table.test_box import Table


def test_every_mode_has_its_row() -> None:
    assert set(KEYS) == set(Mode)


def test_the_box_gets_into_every_mode() -> None:
    table = Table()
    seen = [table.box.mode]
    table.insert(Slot.LEFT, 1)
    seen.append(table.box.mode)
    table.press("1")
    seen.append(table.box.mode)
    table.press("F")
    seen.append(table.box.mode)
    table.insert(Slot.RIGHT, 7)  # an unknown card interrupts the list
    seen.append(table.box.mode)
    table.remove(Slot.RIGHT)
    seen.append(table.box.mode)
    table.remove(Slot.LEFT)
    seen.append(table.box.mode)
    table.wait(60 * SECOND)
    seen.append(table.box.mode)
    assert seen == [
        Mode.NO_CARD,
        Mode.READY,
        Mode.TYPING,
        Mode.MENU,
        Mode.BLOCKED,
        Mode.INTERRUPTED,
        Mode.INTERRUPTED_NO_CARD,
        Mode.ASLEEP,
    ]


def test_a_blocked_box_refuses_every_key() -> None:
    for mode in (Mode.BLOCKED, Mode.IN_DOUBT):
        assert {KEYS[mode].of(key) for key in Key} == {Act.REFUSE}


def test_after_an_interruption_only_c_and_f_do_something() -> None:
    acts = KEYS[Mode.INTERRUPTED]
    assert (acts.cancel, acts.function) == (Act.ACKNOWLEDGE, Act.OPEN_LIST)
    others = set(Key) - {Key.CANCEL, Key.FUNCTION}
    assert {acts.of(key) for key in others} == {Act.NOT_DONE}


def test_with_both_slots_empty_the_keys_are_those_without_a_card_but_for_g_and_c() -> None:
    """The rules have S8 and V1 apply during that second (N2)."""
    acts = KEYS[Mode.INTERRUPTED_NO_CARD]
    assert acts == KEYS[Mode.NO_CARD]._replace(go=Act.NOT_DONE, cancel=Act.ACKNOWLEDGE)


def test_the_final_count_differs_in_what_an_entry_does_in_m_without_a_card_and_in_g() -> None:
    """F16; a sleeping, blocked or interrupted box does as it does in a game."""
    worth = {"digit": Act.TYPE_WORTH, "comma": Act.TYPE_WORTH, "go": Act.REFUSE}
    worth |= {"millions": Act.ADD, "thousands": Act.ADD}
    assert KEYS[Mode.COUNTING] == KEYS[Mode.READY]._replace(**worth)
    assert KEYS[Mode.TYPING_WORTH] == KEYS[Mode.TYPING]._replace(**worth)
    changed = {"millions": Act.ASK_WINNER, "go": Act.REFUSE}
    assert KEYS[Mode.COUNTING_NO_CARD] == KEYS[Mode.NO_CARD]._replace(**changed)


def test_the_box_gets_into_the_modes_of_the_final_count() -> None:
    table = Table()
    table.ledger.open_count(None)
    seen = [table.box.mode]
    table.insert(Slot.LEFT, 1)
    seen.append(table.box.mode)
    table.press("1")
    seen.append(table.box.mode)
    assert seen == [Mode.COUNTING_NO_CARD, Mode.COUNTING, Mode.TYPING_WORTH]


def test_only_digits_and_the_comma_count_on_a_sleeping_box() -> None:
    acts = KEYS[Mode.ASLEEP]
    assert {key for key in Key if acts.of(key) is Act.WAKE_TYPE} == {
        key for key in Key if key.is_digit or key is Key.COMMA
    }
