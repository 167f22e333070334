"""The state that follows from records, and its checkpoint."""

from firmware.bank import edition as editions
from firmware.bank.ledger_state import LedgerState
from firmware.bank.purposes import Purpose
from firmware.bank.records import (
    BANK,
    CardForgotten,
    CardKnown,
    EditionChosen,
    GameStarted,
    Kind,
    KindChosen,
    Posting,
    Record,
    ReplacementAsked,
    VolumeSet,
)

BANKING = editions.load("banking")
EUROPE = editions.load("europe")
ONE, TWO = b"\x01" * 4, b"\x02" * 4
STARTED = GameStarted(1, BANKING, 1)


def state_of(*records: Record) -> LedgerState:
    state = LedgerState()
    for record in records:
        state.apply(record)
    return state


def test_a_number_belongs_to_one_card_only() -> None:
    state = state_of(STARTED, CardKnown(1, ONE), CardKnown(1, TWO))
    assert state.cards == {TWO: 1}


def test_a_replacement_ends_when_its_number_is_taken_or_free() -> None:
    asked = (STARTED, CardKnown(1, ONE), CardKnown(2, TWO), ReplacementAsked(1))
    assert state_of(*asked).replacing == 1
    assert state_of(*asked, CardForgotten(2)).replacing == 1
    assert state_of(*asked, CardForgotten(1)).replacing is None
    assert state_of(*asked, CardKnown(1, b"new.")).replacing is None


def test_the_kind_is_for_one_game_and_the_edition_stays() -> None:
    """F18."""
    chosen = (STARTED, KindChosen(Kind.CLOCK, 90), EditionChosen(EUROPE))
    assert state_of(*chosen).next == (EUROPE, Kind.CLOCK, 90)
    assert state_of(*chosen, GameStarted(2, EUROPE, 1)).next == (EUROPE, Kind.NORMAL, 0)


def test_the_previous_game_is_known_after_a_start_and_after_going_back() -> None:
    assert state_of(STARTED).game_before is None
    state = state_of(STARTED)
    first = state.current
    state.apply(GameStarted(2, EUROPE, 1))
    assert (state.current.number, state.game_before, state.newest_game) == (2, 1, 2)
    state.resume(first)
    assert (state.current.number, state.game_before, state.newest_game) == (1, 2, 2)


def test_a_checkpoint_restores_the_state() -> None:
    before = state_of(
        STARTED,
        CardKnown(1, ONE),
        CardKnown(2, TWO),
        Posting(1, 1, BANK, 1, 15_000_000, Purpose.OPENING),
        Posting(2, 1, 1, BANK, 1_000_000, Purpose.FINE),
        ReplacementAsked(2),
        KindChosen(Kind.FAST),
        EditionChosen(EUROPE),
    )
    after = state_of(before.checkpoint)
    assert after.agrees_with(before)
    assert after.current.accounts == before.current.accounts
    after.apply(Posting(3, 1, BANK, 1, 2_000_000, Purpose.SALARY))
    assert not after.agrees_with(before)
    assert before.current.balance(1) == 14_000_000, "the checkpoint shares nothing with its source"


def test_states_with_different_volumes_do_not_agree() -> None:
    assert not state_of(STARTED, VolumeSet(1)).agrees_with(state_of(STARTED, VolumeSet(3)))
