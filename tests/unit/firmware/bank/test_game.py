"""The state of one game, derived from its records."""

import random
from collections.abc import Callable

import pytest

from firmware.bank import edition as editions
from firmware.bank.game import Game
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import (
    BANK,
    POT,
    UNDO_LIMIT,
    AccountClosed,
    CardForgotten,
    Counted,
    CountLeft,
    CountOpened,
    GameResumed,
    GameStarted,
    Kind,
    PlayerJoined,
    Posting,
    Record,
    TimePlayed,
    VolumeSet,
)
from firmware.bank.refusals import Refusal
from firmware.storage.audit import audit
from firmware.storage.store import Store

BANKING = editions.load("banking")
FULL = 99_999_000_000
STARTED = GameStarted(1, BANKING, 1)
OPENED = (
    STARTED,
    Posting(1, 1, BANK, 1, 15_000_000, Purpose.OPENING),
    Posting(2, 1, BANK, 2, 15_000_000, Purpose.OPENING),
    Posting(3, 1, BANK, 3, 15_000_000, Purpose.OPENING),
)


def paid(number: int, payer: int, payee: int, amount: int, purpose: Purpose) -> Posting:
    return Posting(number, 1, payer, payee, amount, purpose)


def undone(number: int, posting: Posting) -> Posting:
    amount, purpose = posting.amount, Purpose.REVERSAL
    return Posting(number, 1, posting.payee, posting.payer, amount, purpose, posting.id)


def game(*records: Record) -> Game:
    return Game.of((*OPENED, *records))


RENT = paid(4, 1, 2, 1_000_000, Purpose.RENT)
RUIN = paid(4, 1, 2, 15_000_000, Purpose.BANKRUPTCY)


def test_records_that_do_not_concern_a_game_are_ignored() -> None:
    assert game(VolumeSet(3), RENT, CardForgotten(2)).balance(2) == 16_000_000


def test_records_without_the_start_of_a_game_are_refused() -> None:
    with pytest.raises(AssertionError, match="no beginning"):
        Game.of(OPENED[1:])


# Money


def test_the_pot_has_no_upper_limit() -> None:
    into = paid(5, 1, POT, FULL, Purpose.TAX)
    more = paid(4, BANK, 1, FULL - 15_000_000, Purpose.ENTRY)
    filled = game(more, into)
    assert filled.accounts[POT] == FULL
    assert filled.refusal(2, POT, 15_000_000) is None
    assert filled.refusal(POT, 2, FULL) is Refusal.FULL
    assert filled.refusal(POT, BANK, FULL + 1) is Refusal.NO_FUNDS
    assert sum(filled.accounts.values()) == 0


def test_moves_are_newest_first_without_reversed_ones() -> None:
    salary = paid(5, BANK, 2, 2_000_000, Purpose.SALARY)
    played = game(RENT, salary, undone(6, RENT))
    assert played.moves == [salary]


def test_moves_of_a_forgotten_card_are_hidden() -> None:
    """Whether it still had money to give back or not (F13)."""
    salary = paid(5, BANK, 3, 2_000_000, Purpose.SALARY)
    back = paid(6, 2, BANK, 16_000_000, Purpose.RETURN)
    assert game(RENT, salary, back).moves == [salary]
    assert game(RENT, salary, AccountClosed(1, 1, 5)).moves == [salary]
    opened_again = paid(6, BANK, 1, 15_000_000, Purpose.OPENING)
    newer = paid(7, 1, 3, 1_000, Purpose.ENTRY)
    assert game(RENT, salary, opened_again, newer).moves == [newer, salary]


# Players


def test_a_player_was_put_in_or_has_moved_money() -> None:
    assert not game().is_player(1)
    joined = game(PlayerJoined(1, 3))
    assert joined.has_joined(3)
    assert joined.is_player(3)
    moved = game(RENT, undone(5, RENT))
    assert [n for n in (1, 2, 3) if moved.is_player(n)] == [1, 2]


def test_a_new_card_is_no_player_because_of_its_number() -> None:
    later = game(PlayerJoined(1, 3), RENT, AccountClosed(1, 3, 4), AccountClosed(1, 1, 4))
    assert not later.is_player(3)
    assert not later.has_joined(3)
    assert not later.is_player(1)
    assert later.is_player(2)


def test_a_bankrupt_player_is_out_until_the_bankruptcy_is_reversed() -> None:
    ruined = game(PlayerJoined(1, 1), RUIN)
    assert list(ruined.out) == [1]
    assert not ruined.is_player(1)
    ruined.apply(undone(5, RUIN))
    assert not ruined.out
    assert ruined.balance(1) == 15_000_000
    assert ruined.is_player(1)


def test_a_bankruptcy_of_zero() -> None:
    nothing_left = paid(4, 1, BANK, 15_000_000, Purpose.ENTRY)
    ruin = paid(5, 1, 2, 0, Purpose.BANKRUPTCY)
    ruined = game(nothing_left, ruin)
    assert 1 in ruined.out
    assert ruined.moves == [ruin, nothing_left]
    ruined.apply(undone(6, ruin))
    assert 1 not in ruined.out
    assert ruined.moves == [nothing_left]


def test_another_reversal_does_not_end_a_bankruptcy() -> None:
    ruin = paid(5, 1, 2, 14_000_000, Purpose.BANKRUPTCY)
    ruined = game(RENT, ruin)
    ruined.apply(undone(6, RENT))
    assert list(ruined.out) == [1]


@pytest.mark.parametrize(
    "forgotten",
    [
        paid(5, BANK, 1, 15_000_000, Purpose.OPENING),
        AccountClosed(1, 1, 4),
    ],
)
def test_a_new_card_with_the_number_of_a_bankrupt_one_is_not_out(
    forgotten: Posting | AccountClosed,
) -> None:
    assert not game(RUIN, forgotten).out


def test_a_new_card_with_that_number_can_go_bankrupt() -> None:
    opened_again = paid(5, BANK, 1, 15_000_000, Purpose.OPENING)
    ruin = paid(6, 1, 2, 15_000_000, Purpose.BANKRUPTCY)
    # A replay has all postings before other records; the order must not matter.
    assert list(game(RUIN, opened_again, ruin, AccountClosed(1, 1, 4)).out) == [1]


def test_accounts_are_opened_and_closed() -> None:
    assert game().has_account(1)
    assert not game().has_account(4)
    assert not game(AccountClosed(2, 1, 3)).has_account(1)
    assert not game(paid(4, 1, BANK, 15_000_000, Purpose.RETURN)).has_account(1)
    reopened = paid(4, BANK, 1, 15_000_000, Purpose.OPENING)
    assert game(reopened, AccountClosed(2, 1, 3)).has_account(1)


# The final count


def test_counted_worths_are_kept_when_the_count_is_left() -> None:
    counted = game(CountOpened(1, 3), Counted(1, 1, 0, 3), Counted(1, 1, 2_000_000, 3))
    assert counted.counting
    assert (counted.worth(1), counted.added(1), counted.is_counted(1)) == (
        17_000_000,
        2_000_000,
        True,
    )
    assert (counted.worth(2), counted.added(2), counted.is_counted(2)) == (None, 0, False)
    counted.apply(CountLeft(1))
    assert not counted.counting
    assert counted.worth(1) == 17_000_000


def test_the_return_of_a_forgotten_card_removes_only_its_own_worth() -> None:
    counted = game(CountOpened(1, 3), Counted(1, 1, 5, 3), Counted(1, 3, 7, 3))
    counted.apply(paid(4, 3, BANK, 15_000_000, Purpose.RETURN))
    assert counted.counting
    assert counted.is_counted(1)
    assert not counted.is_counted(3)


@pytest.mark.parametrize("end", [RENT, GameResumed(1, 3)])
def test_a_move_or_another_game_ends_the_count(end: Posting | GameResumed) -> None:
    counted = game(CountOpened(1, 3), Counted(1, 1, 5, 3))
    counted.apply(end)
    assert not counted.counting
    assert counted.worth(1) is None


def test_a_new_card_does_not_end_the_count() -> None:
    counted = game(CountOpened(1, 3), Counted(1, 1, 5, 3))
    counted.apply(paid(4, BANK, 4, 15_000_000, Purpose.OPENING))
    assert counted.counting
    assert counted.worth(1) == 15_000_005


def test_a_count_that_precedes_a_move_is_ignored() -> None:
    """A replay has all postings before other records."""
    late = game(RENT, CountOpened(1, 3), Counted(1, 1, 5, 3))
    assert not late.counting
    assert late.worth(1) is None
    assert game(RENT, CountOpened(1, 4), Counted(1, 1, 5, 4)).worth(1) == 14_000_005


def test_a_forgotten_card_is_not_counted() -> None:
    counted = game(CountOpened(1, 3), Counted(1, 1, 5, 3), AccountClosed(1, 1, 3))
    assert not counted.is_counted(1)
    assert counted.counting


def test_played_time_is_the_latest_value() -> None:
    assert game(TimePlayed(1, 5_000), TimePlayed(1, 65_000)).milliseconds_played == 65_000


# The state after a replay


def state(ledger: Ledger) -> dict[str, object]:
    """Everything that a ledger knows, by its public interface."""
    game = ledger.current
    numbers = range(1, 9)
    return {
        "games": (ledger.game, ledger.state.game_before, ledger.state.last_posting),
        "started": (ledger.edition.name, game.kind, game.minutes, game.state.started.chosen),
        "accounts": ledger.accounts,
        "cards": ledger.cards,
        "players": ledger.players,
        "joined": [n for n in numbers if game.has_joined(n)],
        "out": sorted(game.out),
        "moves": game.moves,
        "count": (game.counting, [game.worth(n) for n in numbers]),
        "time": game.milliseconds_played,
        "others": (ledger.state.replacing, ledger.state.volume, ledger.state.next),
    }


def move(ledger: Ledger, dice: random.Random) -> None:
    accounts = [BANK, POT, *(n for n in ledger.cards if n not in ledger.current.out)]
    payer, payee = dice.sample(accounts, 2)
    amount = dice.choice((1_000, 2_000_000, ledger.balance(payer)))
    if amount > 0 and ledger.refusal(payer, payee, amount) is None:
        ledger.move(payer, payee, amount, Purpose.ENTRY)


def go_bankrupt(ledger: Ledger, dice: random.Random) -> None:
    if ledger.players:
        payer = dice.choice(ledger.players)
        ledger.move(payer, BANK, ledger.balance(payer), Purpose.BANKRUPTCY)


def take_back(ledger: Ledger, dice: random.Random) -> None:
    if ledger.current.moves:
        posting = dice.choice(ledger.current.moves)
        if ledger.refusal(posting.payee, posting.payer, posting.amount) is None:
            ledger.reverse(posting)


def put_in(ledger: Ledger, dice: random.Random) -> None:
    uid = bytes([dice.randrange(9)] * 4)
    number = ledger.number_of(uid)
    if number is None:
        ledger.admit(uid)
    else:
        ledger.join(number)


def forget(ledger: Ledger, dice: random.Random) -> None:
    if ledger.cards:
        ledger.forget(dice.choice(list(ledger.cards)))


def replace(ledger: Ledger, dice: random.Random) -> None:
    if ledger.cards:
        ledger.ask_replacement(dice.choice(list(ledger.cards)))


def new_game(ledger: Ledger, dice: random.Random) -> None:
    present = dice.sample(list(ledger.cards), min(2, len(ledger.cards)))
    ledger.next_game(BANKING, present)


def go_back(ledger: Ledger, dice: random.Random) -> None:
    del dice
    if ledger.state.game_before is not None:
        ledger.go_back()


def choose(ledger: Ledger, dice: random.Random) -> None:
    if dice.random() < 0.5:
        ledger.choose_kind(dice.choice(list(Kind)), dice.randrange(1, 999))
    else:
        ledger.choose_edition(editions.load(dice.choice(editions.names())))


def count(ledger: Ledger, dice: random.Random) -> None:
    if not ledger.current.counting:
        ledger.open_count()
    elif dice.random() < 0.2:
        ledger.leave_count()
    elif ledger.players:
        ledger.count(dice.choice(ledger.players), dice.randrange(9) * 1_000)


def keep_time(ledger: Ledger, dice: random.Random) -> None:
    ledger.keep_time(dice.randrange(100_000))


ACTIONS: dict[Callable[[Ledger, random.Random], None], int] = {
    move: 8,
    go_bankrupt: 1,
    take_back: 2,
    put_in: 8,
    forget: 2,
    replace: 1,
    new_game: 1,
    go_back: 2,
    choose: 1,
    count: 4,
    keep_time: 1,
}


@pytest.mark.parametrize("reach", [500, 8])
@pytest.mark.parametrize("checkpoint_every", [256, 9, 1])
@pytest.mark.parametrize("seed", range(6))
def test_a_replay_restores_the_state(
    seed: int, checkpoint_every: int, reach: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first row, or from a checkpoint."""
    monkeypatch.setattr("firmware.bank.ledger.CHECKPOINT_EVERY", checkpoint_every)
    monkeypatch.setattr("firmware.bank.game.UNDO_LIMIT", reach)
    dice = random.Random(seed)
    store = Store.in_memory()
    ledger = Ledger(store, BANKING)
    actions = dice.choices(list(ACTIONS), list(ACTIONS.values()), k=150)
    for action in actions:
        action(ledger, dice)
        assert state(Ledger(store, BANKING)) == state(ledger), action.__name__
        owned = {BANK, POT, *ledger.cards}
        lost = {n: held for n, held in ledger.accounts.items() if held and n not in owned}
        assert not lost, f"{action.__name__} lost money"
    assert [fault for finding in audit(store._connection) for fault in finding.faults] == []


# The moves that are kept in memory


def test_only_the_newest_moves_are_kept_in_memory() -> None:
    """So a long game takes no more memory than a short one (D29)."""
    store = Store.in_memory()
    ledger = Ledger(store, BANKING)
    ledger.admit(b"\x01" * 4)
    moves = [ledger.move(BANK, 1, 1_000 + n, Purpose.ENTRY) for n in range(UNDO_LIMIT + 20)]
    for seen in (ledger, Ledger(store, BANKING)):
        assert seen.moves == moves[: -UNDO_LIMIT - 1 : -1]
    ledger.reverse(ledger.moves[-1])
    ledger.reverse(ledger.moves[0])
    for seen in (ledger, Ledger(store, BANKING)):
        assert seen.moves == moves[-2:-UNDO_LIMIT:-1]
        assert seen.current.last_amount == 1_000 + UNDO_LIMIT + 18


def test_a_bankruptcy_beyond_those_still_counts() -> None:
    store = Store.in_memory()
    ledger = Ledger(store, BANKING)
    ledger.admit(b"\x01" * 4)
    ledger.admit(b"\x02" * 4)
    ledger.move(2, BANK, ledger.balance(2), Purpose.BANKRUPTCY)
    for _ in range(UNDO_LIMIT + 1):
        ledger.move(BANK, 1, 1_000, Purpose.ENTRY)
    for seen in (ledger, Ledger(store, BANKING)):
        assert (list(seen.current.out), seen.current.bankruptcies) == ([2], 1)
