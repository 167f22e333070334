"""The state of a game as a value."""

from firmware.bank import edition as editions
from firmware.bank.edition import MOST_CARDS
from firmware.bank.records import BANK, POT, GameStarted, GameState

STARTED = GameStarted(1, editions.load("banking"), 1)


def test_a_copy_shares_nothing_with_its_source() -> None:
    state = GameState(STARTED)
    state.counted[1] = (1_000,)
    snapshot = state.copy()
    assert snapshot == state
    for name, value in vars(state).items():
        if isinstance(value, dict | set):
            assert getattr(snapshot, name) is not value, name
    state.balances[1] = 7
    assert snapshot != state
    assert snapshot.balances == {BANK: 0}


def test_the_pot_is_no_card() -> None:
    assert POT > MOST_CARDS
