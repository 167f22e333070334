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
    AccountRestored,
    AmountCounted,
    AmountUncounted,
    CardForgotten,
    Counted,
    CountedIn,
    CountLeft,
    CountOpened,
    GameRecord,
    GameResumed,
    GameStarted,
    Kind,
    MadeAgain,
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


def undoable(played: Game) -> list[Posting]:
    return [posting for posting in played.history if not played.is_taken_back(posting)]


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
    assert undoable(played) == [salary]


def test_moves_of_a_forgotten_card_are_hidden() -> None:
    """Whether it still had money to give back or not (F13)."""
    salary = paid(5, BANK, 3, 2_000_000, Purpose.SALARY)
    back = paid(6, 2, BANK, 16_000_000, Purpose.RETURN)
    assert undoable(game(RENT, salary, back)) == [salary]
    assert undoable(game(RENT, salary, AccountClosed(1, 1, 5))) == [salary]
    opened_again = paid(6, BANK, 1, 15_000_000, Purpose.OPENING)
    newer = paid(7, 1, 3, 1_000, Purpose.ENTRY)
    assert undoable(game(RENT, salary, opened_again, newer)) == [newer, salary]


# History, and moves that are made again


def test_the_history_also_has_moves_that_were_taken_back() -> None:
    """F13: only what was made again is left out."""
    salary = paid(5, BANK, 2, 2_000_000, Purpose.SALARY)
    played = game(RENT, salary, undone(6, RENT))
    assert played.history == [salary, RENT]
    assert played.is_taken_back(RENT)
    assert not played.is_taken_back(salary)
    again = paid(7, 1, 2, 1_000_000, Purpose.RENT)
    played.apply(again)
    played.apply(MadeAgain(1, RENT.id, again.id))
    assert played.history == undoable(played) == [again, salary]


def test_a_move_that_was_made_again_can_be_taken_back_and_made_again() -> None:
    again, third = (paid(number, 1, 2, 1_000_000, Purpose.RENT) for number in (6, 8))
    played = game(RENT, undone(5, RENT), again, MadeAgain(1, 4, 6), undone(7, again))
    assert played.history == [again]
    assert played.is_taken_back(again)
    played.apply(third)
    played.apply(MadeAgain(1, 6, 8))
    assert played.history == [third]
    assert (played.balance(1), played.balance(2)) == (14_000_000, 16_000_000)


def test_a_game_has_moves_even_if_all_were_taken_back() -> None:
    """F20."""
    opened, returned = paid(4, BANK, 4, 15_000_000, Purpose.OPENING), AccountClosed(1, 4, 5)
    assert not game(opened, paid(5, 4, BANK, 15_000_000, Purpose.RETURN), returned).has_moves
    assert game(RENT).has_moves
    assert game(RENT, undone(5, RENT)).has_moves


# Players


def test_a_player_has_moved_money_or_was_counted() -> None:
    """F16. To be put in is not enough."""
    assert not game().is_player(1)
    assert not game(CountOpened(1, 3)).is_player(1)
    counted = game(CountOpened(1, 3), CountedIn(1, 3))
    assert [n for n in (1, 2, 3) if counted.is_player(n)] == [3]
    moved = game(RENT, undone(5, RENT))
    assert [n for n in (1, 2, 3) if moved.is_player(n)] == [1, 2]


def test_a_new_card_is_no_player_because_of_its_number() -> None:
    later = game(RENT, CountedIn(1, 3), AccountClosed(1, 3, 4), AccountClosed(1, 1, 4))
    assert [n for n in (1, 2, 3) if later.is_player(n)] == [2]


def test_a_bankrupt_player_is_out_until_the_bankruptcy_is_reversed() -> None:
    ruined = game(CountedIn(1, 1), RUIN)
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
    assert undoable(ruined) == [ruin, nothing_left]
    ruined.apply(undone(6, ruin))
    assert 1 not in ruined.out
    assert undoable(ruined) == [nothing_left]


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


def restored(number: int, card: int, amount: int) -> Posting:
    return paid(number, BANK, card, amount, Purpose.RESTORED)


def test_an_account_is_restored_with_its_moves() -> None:
    """F19."""
    before = game(RENT)
    account = before.account(1)
    assert account == AccountRestored(1, 1, 0, 0)
    back = paid(5, 1, BANK, 14_000_000, Purpose.RETURN)
    after = game(RENT, back, AccountClosed(1, 1, 5), restored(6, 1, 14_000_000), account)
    for seen in (before, after):
        assert seen.balance(1) == 14_000_000
        assert seen.has_account(1)
        assert seen.is_player(1)
        assert seen.history == [RENT]


def test_a_restored_account_does_not_get_moves_of_an_earlier_card() -> None:
    opened_again = paid(5, BANK, 1, 15_000_000, Purpose.OPENING)
    before = game(RENT, AccountClosed(1, 1, 4), opened_again)
    account = before.account(1)
    assert account == AccountRestored(1, 1, 4, 0)
    before.apply(paid(6, 1, BANK, 15_000_000, Purpose.RETURN))
    before.apply(AccountClosed(1, 1, 6))
    before.apply(restored(7, 1, 15_000_000))
    before.apply(account)
    assert before.has_account(1)
    assert not before.is_player(1)
    assert before.history == []


def test_a_restored_account_is_out_again() -> None:
    account = game(RUIN).account(1)
    assert account == AccountRestored(1, 1, 0, 4)
    assert list(game(RUIN, AccountClosed(1, 1, 4), account).out) == [1]
    # A replay has all postings before other records; the order must not matter.
    assert not game(RUIN, undone(5, RUIN), AccountClosed(1, 1, 4), account).out
    opened_again = paid(5, BANK, 1, 15_000_000, Purpose.OPENING)
    ruin = paid(6, 1, 2, 15_000_000, Purpose.BANKRUPTCY)
    closed = AccountClosed(1, 1, 4)
    assert list(game(RUIN, opened_again, ruin, closed, account, closed).out) == [1]


def test_accounts_are_opened_and_closed() -> None:
    assert game().has_account(1)
    assert not game().has_account(4)
    assert not game(AccountClosed(2, 1, 3)).has_account(1)
    assert not game(paid(4, 1, BANK, 15_000_000, Purpose.RETURN)).has_account(1)
    reopened = paid(4, BANK, 1, 15_000_000, Purpose.OPENING)
    assert game(reopened, AccountClosed(2, 1, 3)).has_account(1)


# The final count

COUNTED = (CountOpened(1, 3), CountedIn(1, 1), AmountCounted(1, 1, 2_000_000))


def test_a_worth_is_the_balance_and_the_amounts_that_were_counted() -> None:
    counted = game(*COUNTED, AmountCounted(1, 1, 500_000))
    assert counted.counting
    assert counted.worth(1) == 17_500_000
    assert counted.amounts(1) == (2_000_000, 500_000)
    assert (counted.worth(2), counted.added(2), counted.is_counted(2)) == (None, 0, False)
    counted.apply(CountedIn(1, 2))
    assert (counted.worth(2), counted.added(2), counted.is_counted(2)) == (15_000_000, 0, True)
    counted.apply(CountedIn(1, 1))
    assert counted.worth(1) == 17_500_000, "a card that is put in again continues"


def test_the_last_amount_is_taken_back_first() -> None:
    counted = game(*COUNTED, AmountCounted(1, 1, 500_000), AmountUncounted(1, 1))
    assert counted.amounts(1) == (2_000_000,)
    counted.apply(AmountUncounted(1, 1))
    assert (counted.amounts(1), counted.is_counted(1)) == ((), True)
    with pytest.raises(AssertionError, match="nothing was counted"):
        counted.apply(AmountUncounted(1, 1))


@pytest.mark.parametrize("end", [RENT, GameResumed(1, 3), CountLeft(1)])
def test_what_was_counted_is_kept_when_the_count_is_closed(end: GameRecord) -> None:
    """F16: a late rent changes two worths; BACK closes the count, and keeps it."""
    counted = game(*COUNTED, CountedIn(1, 2), end)
    assert not counted.counting
    rent = 1_000_000 if end == RENT else 0
    assert counted.worth(1) == 17_000_000 - rent
    assert counted.worth(2) == 15_000_000 + rent


def test_forgetting_a_card_erases_only_what_was_counted_for_it() -> None:
    counted = game(*COUNTED, CountedIn(1, 3), AmountCounted(1, 3, 7))
    counted.apply(paid(4, 3, BANK, 15_000_000, Purpose.RETURN))
    counted.apply(AccountClosed(1, 3, 4))
    assert counted.counting
    assert counted.is_counted(1)
    assert not counted.is_counted(3)


def test_a_replay_erases_it_only_after_all_that_was_counted_before() -> None:
    """A replay has all postings before other records."""
    before = game(*COUNTED)
    before.apply(paid(4, 1, BANK, 15_000_000, Purpose.RETURN))
    before.apply(AmountUncounted(1, 1))
    before.apply(AccountClosed(1, 1, 4))
    assert not before.is_counted(1)


def test_a_new_card_does_not_end_the_count() -> None:
    counted = game(*COUNTED, paid(4, BANK, 4, 15_000_000, Purpose.OPENING))
    assert counted.counting
    assert counted.worth(1) == 17_000_000


def test_a_count_that_precedes_a_move_is_closed() -> None:
    """A replay has all postings before other records."""
    late = game(RENT, CountOpened(1, 3), CountedIn(1, 1))
    assert not late.counting
    assert late.worth(1) == 14_000_000
    assert game(RENT, CountOpened(1, 4)).counting


# What was counted under the first edition of the rules (D47)


def test_an_old_count_is_one_amount_for_each_card() -> None:
    counted = game(CountOpened(1, 3), Counted(1, 1, 0, 3), Counted(1, 1, 2_000_000, 3))
    assert (counted.worth(1), counted.added_before(1), counted.amounts(1)) == (
        17_000_000,
        2_000_000,
        (),
    )
    counted.apply(AmountCounted(1, 1, 5))
    assert counted.worth(1) == 17_000_005
    counted.apply(CountLeft(1))
    assert counted.worth(1) == 17_000_005


def test_a_move_erases_an_old_count() -> None:
    counted = game(CountOpened(1, 3), Counted(1, 1, 5, 3), Counted(1, 2, 6, 3))
    counted.apply(AmountCounted(1, 1, 7))
    counted.apply(RENT)
    assert counted.worth(1) == 14_000_007
    assert counted.worth(2) is None
    # A replay has all postings before other records.
    assert game(RENT, CountOpened(1, 3), Counted(1, 1, 5, 3)).worth(1) is None
    assert game(RENT, CountOpened(1, 4), Counted(1, 1, 5, 4)).worth(1) == 14_000_005


def test_forgetting_a_card_erases_its_old_count() -> None:
    counted = game(CountOpened(1, 3), Counted(1, 1, 5, 3), AccountClosed(1, 1, 3))
    assert not counted.is_counted(1)
    assert counted.counting


def test_played_time_is_the_latest_value() -> None:
    assert game(TimePlayed(1, 5_000), TimePlayed(1, 65_000)).milliseconds_played == 65_000


# The state after a replay


def state(ledger: Ledger) -> dict[str, object]:
    """Everything that a ledger knows, by its public interface."""
    return {**without_posting_numbers(ledger), "last posting": ledger.state.last_posting}


def without_posting_numbers(ledger: Ledger) -> dict[str, object]:
    """What the players can see: the same as before, after something was undone."""
    game = ledger.current
    numbers = range(1, 9)
    return {
        "games": (ledger.game, ledger.state.game_before),
        "started": (ledger.edition.name, game.kind, game.minutes, game.state.started.chosen),
        "accounts": {number: held for number, held in ledger.accounts.items() if held},
        "cards": ledger.cards,
        "names": dict(ledger.state.names),
        "players": ledger.players,
        "out": sorted(game.out),
        "moves": ledger.moves,
        "history": ledger.history,
        "count": (game.counting, [game.worth(n) for n in numbers], ledger.not_counted),
        "amounts": [game.amounts(n) for n in numbers],
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
    if ledger.moves:
        posting = dice.choice(ledger.moves)
        if ledger.refusal(posting.payee, posting.payer, posting.amount) is None:
            ledger.reverse(posting)


def make_again(ledger: Ledger, dice: random.Random) -> None:
    """A move that was taken back; never a bankruptcy, and with no player who is out (C5)."""
    game = ledger.current
    possible = [
        posting
        for posting in ledger.history
        if game.is_taken_back(posting)
        and posting.purpose is not Purpose.BANKRUPTCY
        and not posting.accounts & set(game.out)
        and ledger.refusal(posting.payer, posting.payee, posting.amount) is None
    ]
    if possible:
        before = ledger.history
        original = dice.choice(possible)
        again = ledger.make_again(original)
        assert again[2:] == original[2:]
        kept = [posting for posting in before if posting != original]
        assert ledger.history == [again, *kept][: len(ledger.history)]


def put_in(ledger: Ledger, dice: random.Random) -> None:
    uid = bytes([dice.randrange(9)] * 4)
    number = ledger.number_of(uid)
    if number is not None:
        if ledger.current.counting:
            ledger.count_in(number)
        return
    before, held = without_posting_numbers(ledger), ledger.accounts
    admission = ledger.admit(uid)
    if admission is None:
        return
    opening = ledger.edition.opening_balance
    found = admission.found_account or admission.replaced is not None
    expected = held.get(admission.number, 0) if found else opening
    assert ledger.balance(admission.number) == expected
    if dice.random() < 0.5:
        restart(ledger, dice)
        ledger.take_back(admission)
        assert without_posting_numbers(ledger) == before


def forget(ledger: Ledger, dice: random.Random) -> None:
    if not ledger.cards:
        return
    number = dice.choice(list(ledger.cards))
    before, next_number = without_posting_numbers(ledger), ledger.state.last_posting + 1
    if number not in ledger.current.out and dice.random() < 0.2:
        ledger.ask_replacement(number)
        before = without_posting_numbers(ledger)
    card = ledger.forget(number)
    assert ledger.balance(number) == 0
    assert number not in ledger.state.names
    assert not ledger.current.is_player(number)
    if dice.random() < 0.6:
        restart(ledger, dice)
        ledger.restore(card)
        assert without_posting_numbers(ledger) == before
        assert ledger.state.last_posting in (next_number - 1, next_number + 1)


def restart(ledger: Ledger, dice: random.Random) -> None:
    """Perhaps the box starts again: the state is then read from the store."""
    if dice.random() < 0.5:
        ledger._replay()


def replace(ledger: Ledger, dice: random.Random) -> None:
    if ledger.state.replacing is not None and dice.random() < 0.5:
        ledger.cancel_replacement()
    elif ledger.cards:
        ledger.ask_replacement(dice.choice(list(ledger.cards)))


def name(ledger: Ledger, dice: random.Random) -> None:
    if ledger.cards:
        ledger.name(dice.choice(list(ledger.cards)), dice.choice(("Ana", "Zo\u00e9", "")))


def new_game(ledger: Ledger, dice: random.Random) -> None:
    del dice
    ledger.next_game(BANKING)


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
        ledger.open_count(dice.choice([None, *ledger.cards]))
    elif dice.random() < 0.2:
        ledger.leave_count()
    elif ledger.cards:
        number = dice.choice(list(ledger.cards))
        ledger.count_in(number)
        amounts, amount = ledger.current.amounts(number), dice.randrange(1, 9) * 1_000
        ledger.count(number, amount)
        assert ledger.current.amounts(number) == (*amounts, amount)


def uncount(ledger: Ledger, dice: random.Random) -> None:
    counted = [n for n in ledger.cards if ledger.current.is_counted(n)]
    if counted:
        number = dice.choice(counted)
        amounts = ledger.current.amounts(number)
        assert ledger.uncount(number) == bool(amounts)
        assert ledger.current.amounts(number) == amounts[:-1]


def keep_time(ledger: Ledger, dice: random.Random) -> None:
    ledger.keep_time(dice.randrange(100_000))


ACTIONS: dict[Callable[[Ledger, random.Random], None], int] = {
    move: 8,
    go_bankrupt: 1,
    take_back: 3,
    make_again: 2,
    put_in: 8,
    forget: 4,
    replace: 1,
    name: 1,
    new_game: 1,
    go_back: 2,
    choose: 1,
    count: 4,
    uncount: 2,
    keep_time: 1,
}


class Course:
    """The games in the order in which they were played, for what BACK finds (F20)."""

    def __init__(self, ledger: Ledger) -> None:
        self.played = [ledger.game]
        self.moved: set[int] = set()

    def note(self, ledger: Ledger) -> None:
        if ledger.game != self.played[-1]:
            self.played.append(ledger.game)
        if ledger.current.history:
            self.moved.add(ledger.game)

    @property
    def game_before(self) -> int | None:
        """The game that was played last, of the others in which money moved."""
        others = (game for game in reversed(self.played) if game != self.played[-1])
        return next((game for game in others if game in self.moved), None)


@pytest.mark.parametrize("reach", [500, 8])
@pytest.mark.parametrize("checkpoint_every", [256, 9, 1])
@pytest.mark.parametrize("seed", range(8))
def test_a_replay_restores_the_state(
    seed: int, checkpoint_every: int, reach: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first row, or from a checkpoint."""
    monkeypatch.setattr("firmware.bank.ledger.CHECKPOINT_EVERY", checkpoint_every)
    monkeypatch.setattr("firmware.bank.game.UNDO_LIMIT", reach)
    dice = random.Random(seed)
    store = Store.in_memory()
    ledger = Ledger(store, BANKING)
    course = Course(ledger)
    actions = dice.choices(list(ACTIONS), list(ACTIONS.values()), k=150)
    for action in actions:
        action(ledger, dice)
        assert state(Ledger(store, BANKING)) == state(ledger), action.__name__
        course.note(ledger)
        assert ledger.state.game_before == course.game_before, action.__name__
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
