"""The state that follows from records, and its checkpoint."""

import pytest

from firmware.bank import edition as editions
from firmware.bank.ledger_state import GAMES_KEPT, LedgerState, games_to_resume
from firmware.bank.purposes import Purpose
from firmware.bank.records import (
    BANK,
    CardForgotten,
    CardKnown,
    CardNamed,
    EditionChosen,
    GameStarted,
    Kind,
    KindChosen,
    Posting,
    Record,
    ReplacementAsked,
    ReplacementCancelled,
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


def test_a_replacement_can_be_cancelled() -> None:
    """D12."""
    asked = (STARTED, CardKnown(1, ONE), ReplacementAsked(1), ReplacementCancelled(1))
    assert state_of(*asked).replacing is None
    assert state_of(*asked).cards == {ONE: 1}


def test_a_name_stays_with_its_number_until_the_card_is_forgotten() -> None:
    """N6."""
    named = (STARTED, CardKnown(1, ONE), CardNamed(1, "Ana"), CardKnown(2, TWO))
    assert state_of(*named).names == {1: "Ana"}
    assert state_of(*named, CardNamed(1, "Zoé")).names == {1: "Zoé"}
    assert state_of(*named, CardKnown(1, b"new.")).names == {1: "Ana"}
    assert state_of(*named, GameStarted(2, EUROPE, 1)).names == {1: "Ana"}
    assert state_of(*named, CardForgotten(2)).names == {1: "Ana"}
    assert state_of(*named, CardForgotten(1)).names == {}
    assert state_of(*named, CardNamed(1, "")).names == {}


PAID = Posting(1, 1, BANK, 1, 2_000_000, Purpose.SALARY)


def test_the_game_that_back_resumes_has_moves() -> None:
    """F20."""
    state = state_of(STARTED)
    first = state.current
    found = [numbers(state)]
    state.apply(GameStarted(2, EUROPE, 1))
    found.append(numbers(state))
    state.resume(first)
    state.apply(PAID, GameStarted(3, BANKING, 2))
    found.append(numbers(state))
    state.resume(first)
    found.append(numbers(state))
    assert found == [(1, None, 1), (2, None, 2), (3, 1, 3), (1, None, 3)]


def numbers(state: LedgerState) -> tuple[int, int | None, int]:
    return state.current.number, state.game_before, state.newest_game


@pytest.mark.parametrize(
    ("played", "left", "entered", "expected"),
    [
        ((), None, 2, ()),
        ((), 1, 2, (1,)),
        ((1,), 2, 1, (2,)),
        ((1,), None, 1, ()),
        ((1, 2), 3, 2, (1, 3)),
        ((1, 2, 3), 4, 5, (1, 2, 3, 4)),
        ((1, 2, 3), 2, 5, (1, 3, 2)),
    ],
)
def test_games_that_back_can_resume(
    played: tuple[int, ...], left: int | None, entered: int, expected: tuple[int, ...]
) -> None:
    """The game that was left last is at the end; the one that is played is not among them."""
    assert games_to_resume(played, left, entered) == expected


def test_only_the_last_games_are_remembered() -> None:
    played = tuple(range(1, GAMES_KEPT + 1))
    assert games_to_resume(played, 98, 99) == (*played[1:], 98)


def test_a_checkpoint_restores_the_state() -> None:
    before = state_of(
        STARTED,
        CardKnown(1, ONE),
        CardKnown(2, TWO),
        Posting(1, 1, BANK, 1, 15_000_000, Purpose.OPENING),
        Posting(2, 1, 1, BANK, 1_000_000, Purpose.FINE),
        CardNamed(2, "Ana"),
        ReplacementAsked(2),
        KindChosen(Kind.FAST),
        EditionChosen(EUROPE),
        GameStarted(2, BANKING, 3),
        Posting(3, 2, BANK, 1, 15_000_000, Purpose.OPENING),
        Posting(4, 2, 1, BANK, 1_000_000, Purpose.FINE),
    )
    after = state_of(before.checkpoint)
    assert after.agrees_with(before)
    assert (after.names, after.played, after.replacing) == ({2: "Ana"}, (1,), 2)
    assert after.current.accounts == before.current.accounts
    after.apply(Posting(5, 2, BANK, 1, 2_000_000, Purpose.SALARY))
    assert not after.agrees_with(before)
    assert before.current.balance(1) == 14_000_000, "the checkpoint shares nothing with its source"


def test_states_with_different_names_agree() -> None:
    """D30: giving a name interrupts nothing (N6)."""
    known = (STARTED, CardKnown(1, ONE))
    assert state_of(*known, CardNamed(1, "Ana")).agrees_with(state_of(*known))
    assert not state_of(*known, ReplacementAsked(1)).agrees_with(state_of(*known))


def test_states_with_different_volumes_do_not_agree() -> None:
    assert not state_of(STARTED, VolumeSet(1)).agrees_with(state_of(STARTED, VolumeSet(3)))
