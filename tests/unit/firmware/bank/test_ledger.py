"""The ledger: cards, moves, games, and its state after a restart."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import pytest

from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.ledger import Admission, Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import (
    BANK,
    POT,
    AmountUncounted,
    CardForgotten,
    CardKnown,
    Checkpoint,
    GameStarted,
    GameState,
    JournalFailed,
    Kind,
    Posting,
    Record,
    VolumeSet,
)
from firmware.bank.refusals import Refusal
from firmware.storage.audit import audit
from firmware.storage.store import Store

BANKING = editions.load("banking")
ONE, TWO, THREE = b"\x01\x01\x01\x01", b"\x02\x02\x02\x02", b"\x03\x03\x03\x03"


def new_ledger(*uids: bytes, edition: Edition = BANKING) -> tuple[Ledger, Store]:
    store = Store.in_memory()
    ledger = Ledger(store, edition)
    ledger.know(uids)
    return ledger, store


def again(store: Store) -> Ledger:
    """The ledger as the next start of the box would see it."""
    return Ledger(store, BANKING)


def test_a_new_ledger_starts_its_first_game() -> None:
    ledger, store = new_ledger()
    assert ledger.game == 1
    assert ledger.edition == BANKING
    assert ledger.cards == {}
    assert ledger.state.volume == 2
    assert again(store).game == 1


def test_cards_open_with_the_opening_balance() -> None:
    ledger, store = new_ledger(ONE, TWO)
    for seen in (ledger, again(store)):
        assert seen.cards == {1: ONE, 2: TWO}
        assert seen.accounts == {BANK: -30_000_000, 1: 15_000_000, 2: 15_000_000}


def test_a_move_changes_both_sides() -> None:
    ledger, store = new_ledger(ONE, TWO)
    posting = ledger.move(1, 2, 4_000_000, Purpose.ENTRY)
    assert posting == Posting(3, 1, 1, 2, 4_000_000, Purpose.ENTRY)
    for seen in (ledger, again(store)):
        assert (seen.balance(1), seen.balance(2)) == (11_000_000, 19_000_000)


def test_a_reversal_is_one_more_posting() -> None:
    ledger, store = new_ledger(ONE)
    posting = ledger.move(BANK, 1, 2_000_000, Purpose.SALARY)
    ledger.reverse(posting)
    assert ledger.balance(1) == 15_000_000
    postings = [record for record in store.replay() if isinstance(record, Posting)]
    assert postings[-1] == Posting(3, 1, 1, BANK, 2_000_000, Purpose.REVERSAL, posting.id)


def test_a_posting_is_reversed_only_once() -> None:
    ledger, _ = new_ledger(ONE)
    posting = ledger.move(BANK, 1, 2_000_000, Purpose.ENTRY)
    ledger.reverse(posting)
    with pytest.raises(JournalFailed):
        ledger.reverse(posting)
    assert ledger.balance(1) == 15_000_000


def test_a_posting_of_another_game_is_not_reversed() -> None:
    ledger, _ = new_ledger(ONE)
    posting = ledger.move(BANK, 1, 2_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    with pytest.raises(AssertionError):
        ledger.reverse(posting)


@pytest.mark.parametrize(
    ("payer", "payee", "amount", "refusal"),
    [
        (1, BANK, 15_000_000, None),
        (1, BANK, 15_000_001, Refusal.NO_FUNDS),
        (1, 2, 15_000_001, Refusal.NO_FUNDS),
        (BANK, 1, 99_999_000_000 - 15_000_000, None),
        (BANK, 1, 99_999_000_000 - 14_999_999, Refusal.FULL),
        (1, BANK, 99_999_000_000, Refusal.NO_FUNDS),
        (1, 2, 99_999_000_000, Refusal.NO_FUNDS),
    ],
)
def test_a_balance_has_a_lower_and_an_upper_limit(
    payer: int, payee: int, amount: int, refusal: Refusal | None
) -> None:
    ledger, _ = new_ledger(ONE, TWO)
    assert ledger.refusal(payer, payee, amount) is refusal


def test_a_full_payee_refuses_a_transfer() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(BANK, 2, 99_999_000_000 - 15_000_000, Purpose.ENTRY)
    assert ledger.refusal(1, 2, 1) is Refusal.FULL
    assert ledger.refusal(2, 1, 1) is None
    with pytest.raises(AssertionError):
        ledger.move(1, 2, 1, Purpose.ENTRY)
    assert again(store).balance(1) == 15_000_000


def test_the_bank_never_goes_bankrupt() -> None:
    ledger, _ = new_ledger(ONE, TWO)
    assert ledger.refusal(BANK, 1, 90_000_000_000) is None


def test_unknown_cards_take_the_lowest_free_number() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.forget(1)
    assert ledger.admit(THREE) == Admission(1)
    for seen in (ledger, again(store)):
        assert seen.cards == {1: THREE, 2: TWO}
        assert seen.number_of(THREE) == 1
        assert seen.number_of(ONE) is None
        assert seen.balance(1) == 15_000_000


def test_without_a_free_number_a_card_is_not_admitted() -> None:
    ledger, _ = new_ledger(*(bytes([n] * 4) for n in range(1, 7)))
    assert ledger.admit(b"\x77\x77\x77\x77") is None


def test_the_balance_of_a_forgotten_card_goes_to_the_bank() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, BANK, 1_000_000, Purpose.ENTRY)
    ledger.forget(1)
    for seen in (ledger, again(store)):
        assert seen.accounts == {BANK: -15_000_000, 1: 0, 2: 15_000_000}
        assert seen.cards == {2: TWO}


def test_a_card_without_money_can_be_forgotten() -> None:
    ledger, _ = new_ledger(ONE)
    ledger.move(1, BANK, 15_000_000, Purpose.ENTRY)
    ledger.forget(1)
    assert ledger.cards == {}


def test_a_replacement_takes_over_number_and_balance() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, BANK, 1_000_000, Purpose.ENTRY)
    ledger.ask_replacement(1)
    assert again(store).state.replacing == 1
    assert ledger.admit(THREE) == Admission(1, replaced=ONE)
    for seen in (ledger, again(store)):
        assert seen.cards == {1: THREE, 2: TWO}
        assert seen.balance(1) == 14_000_000
        assert seen.state.replacing is None
        assert seen.number_of(ONE) is None


def test_a_card_that_is_in_is_not_replaced() -> None:
    ledger, _ = new_ledger(ONE, TWO)
    ledger.ask_replacement(1)
    assert ledger.admit(THREE, elsewhere=1) == Admission(3)
    assert ledger.state.replacing == 1


def test_taking_a_replacement_back_makes_it_wait_again() -> None:
    """D12."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, BANK, 1_000_000, Purpose.ENTRY)
    ledger.name(1, "Ana")
    ledger.ask_replacement(1)
    admission = ledger.admit(THREE)
    assert admission
    ledger.take_back(admission)
    for seen in (ledger, again(store)):
        assert seen.cards == {1: ONE, 2: TWO}
        assert seen.state.replacing == 1
        assert seen.state.names == {1: "Ana"}
        assert seen.balance(1) == 14_000_000
    assert ledger.admit(THREE) == admission


def test_a_replacement_is_cancelled() -> None:
    """D12."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.ask_replacement(1)
    ledger.cancel_replacement()
    for seen in (ledger, again(store)):
        assert seen.state.replacing is None
    with pytest.raises(AssertionError, match="no replacement waits"):
        ledger.cancel_replacement()
    assert ledger.admit(THREE) == Admission(3)


def test_taking_a_new_number_back_frees_it_and_returns_its_opening() -> None:
    """S10."""
    ledger, store = new_ledger(ONE)
    admission = ledger.admit(TWO)
    assert admission == Admission(2)
    ledger.take_back(admission)
    for seen in (ledger, again(store)):
        assert seen.cards == {1: ONE}
        assert seen.accounts == {BANK: -15_000_000, 1: 15_000_000, 2: 0}
    assert ledger.admit(THREE) == admission
    assert again(store).balance(2) == 15_000_000


def test_forgetting_ends_a_replacement() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.ask_replacement(2)
    ledger.forget(1)
    assert ledger.state.replacing == 2
    ledger.forget(2)
    assert ledger.state.replacing is None
    assert again(store).state.replacing is None


def test_a_new_game_keeps_the_old_one() -> None:
    ledger, store = new_ledger(ONE)
    ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert seen.game == 2
        assert seen.accounts == {BANK: -15_000_000, 1: 15_000_000}
    assert ledger.move(BANK, 1, 1, Purpose.ENTRY).id == 4


def test_posting_numbers_continue_after_a_game_without_cards() -> None:
    ledger, store = new_ledger(ONE)
    ledger.forget(1)
    ledger.new_game(BANKING)
    assert again(store).admit(TWO) == Admission(1)
    assert again(store).balance(1) == 15_000_000


def test_a_smaller_edition_knows_fewer_cards() -> None:
    europe = editions.load("europe")
    uids = [bytes([0x10 + n] * 4) for n in range(1, 9)]
    ledger, store = new_ledger(*uids, edition=europe)
    assert ledger.number_of(uids[7]) == 8
    ledger.move(1, 2, 100, Purpose.ENTRY)
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert list(seen.cards) == [1, 2, 3, 4, 5, 6]
        assert seen.number_of(uids[5]) == 6
        assert seen.number_of(uids[6]) is None
        assert seen.accounts[BANK] == -6 * 15_000_000
    ledger.forget(2)
    assert (
        ledger.admit(uids[7]) is None
    )  # its number and its money belong to games of another edition
    assert ledger.admit(b"new.") == Admission(2)
    ledger.go_back()
    assert ledger.number_of(uids[7]) == 8


def test_a_random_uid_never_gets_a_number() -> None:
    """S11: a phone sends another UID each time. This includes UIDs in an old ledger."""
    phone = bytes.fromhex("08A1B2C3")
    ledger, _ = new_ledger(phone)
    assert ledger.number_of(phone) is None
    assert ledger.admit(bytes.fromhex("08FFFFFF")) is None
    assert ledger.admit(bytes.fromhex("09FFFFFF")) == Admission(2)


def test_an_opening_balance_may_be_zero() -> None:
    poor = editions.parse("poor", BANKING.source.replace("15_000_000", "0"))
    ledger, _ = new_ledger(ONE, edition=poor)
    assert ledger.balance(1) == 0
    assert ledger.cards == {1: ONE}


def test_the_volume_is_remembered() -> None:
    ledger, store = new_ledger()
    ledger.set_volume(3)
    assert ledger.state.volume == 3
    assert again(store).state.volume == 3


def test_a_game_is_untouched_until_money_moves() -> None:
    ledger, _ = new_ledger(ONE, TWO)
    assert ledger.untouched
    ledger.move(1, 2, 1, Purpose.ENTRY)
    assert not ledger.untouched
    ledger.new_game(BANKING)
    assert ledger.untouched
    ledger.move(BANK, 2, 1, Purpose.ENTRY)
    assert not ledger.untouched


# Players, the pot, and the final count


def test_a_card_plays_once_money_has_moved_with_it() -> None:
    """F16. A new card and one that is put in do not play yet."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.admit(THREE)
    assert ledger.players == []
    ledger.reverse(ledger.move(2, BANK, 1_000, Purpose.ENTRY))
    for seen in (ledger, again(store)):
        assert seen.players == [2]
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert seen.players == []


def test_a_card_that_is_counted_plays() -> None:
    ledger, store = new_ledger(ONE, TWO, THREE)
    ledger.open_count(present=2)
    ledger.count_in(3)
    for seen in (ledger, again(store)):
        assert seen.players == [2, 3]
    ledger.count_in(3)
    assert events(store) == ["started", "count opened", "counted in", "counted in"]


def events(store: Store) -> list[str]:
    found = store._connection.execute("SELECT what FROM event ORDER BY id").fetchall()
    return [what for (what,) in found]


def test_money_goes_through_the_pot() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, POT, 500_000, Purpose.FINE)
    for seen in (ledger, again(store)):
        assert seen.accounts == {BANK: -30_000_000, POT: 500_000, 1: 14_500_000, 2: 15_000_000}
        assert not seen.untouched
    ledger.move(POT, 2, 500_000, Purpose.POT)
    assert again(store).balance(2) == 15_500_000
    assert ledger.refusal(POT, 1, 1) is Refusal.NO_FUNDS
    ledger.new_game(BANKING)
    assert POT not in again(store).accounts


def test_a_bankruptcy_of_zero_is_stored() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, 2, 15_000_000, Purpose.ENTRY)
    ruin = ledger.move(1, 2, 0, Purpose.BANKRUPTCY)
    for seen in (ledger, again(store)):
        assert list(seen.current.out) == [1]
    ledger.reverse(ruin)
    for seen in (ledger, again(store)):
        assert not seen.current.out
    with pytest.raises((AssertionError, JournalFailed)):
        ledger.move(2, 1, 0, Purpose.ENTRY)


def test_a_game_with_a_bankruptcy_of_zero_is_not_untouched() -> None:
    """Although all balances equal the opening balance, which is zero."""
    poor = editions.parse("poor", BANKING.source.replace("15_000_000", "0"))
    ledger, _ = new_ledger(ONE, TWO, edition=poor)
    assert ledger.untouched
    ledger.move(1, 2, 0, Purpose.BANKRUPTCY)
    assert not ledger.untouched


def test_the_final_count_survives_a_power_cut_and_a_move() -> None:
    """F16."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.open_count(present=1)
    ledger.count(1, 3_000_000)
    ledger.count(1, 500_000)
    for seen in (ledger, again(store)):
        assert seen.current.counting
        assert seen.current.worth(1) == 18_500_000
        assert seen.current.worth(2) is None
        assert (seen.players, seen.all_counted) == ([1], True)
    ledger.leave_count()
    ledger.move(1, 2, 1_000_000, Purpose.RENT)
    for seen in (ledger, again(store)):
        assert not seen.current.counting
        assert seen.current.worth(1) == 17_500_000
        assert seen.not_counted == [2]
        assert not seen.all_counted
    ledger.open_count(present=2)
    for seen in (ledger, again(store)):
        assert seen.current.counting
        assert [seen.current.worth(number) for number in (1, 2)] == [17_500_000, 16_000_000]
        assert seen.all_counted


def test_a_count_without_players_is_not_complete() -> None:
    ledger, _ = new_ledger(ONE)
    ledger.open_count()
    assert (ledger.players, ledger.all_counted) == ([], False)


def test_counted_amounts_are_taken_back_one_by_one() -> None:
    """F16: also those of earlier starts."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.open_count(present=1)
    ledger.count(1, 3_000_000)
    ledger.count(1, 500_000)
    ledger.count_in(2)
    for amounts in ((3_000_000,), ()):
        ledger = again(store)
        assert ledger.uncount(1)
        assert ledger.current.amounts(1) == amounts
    assert not ledger.uncount(1)
    assert not again(store).uncount(2)
    assert ledger.current.is_counted(1)


def test_an_opened_count_is_not_opened_again() -> None:
    ledger, store = new_ledger(ONE)
    ledger.open_count(present=1)
    ledger.count(1, 1_000_000)
    ledger.open_count(present=1)
    ledger.leave_count()
    ledger.open_count(present=1)
    assert again(store).current.amounts(1) == (1_000_000,)
    opened = ["started", "count opened", "counted in", "amount counted", "count left"]
    assert events(store) == [*opened, "count opened"]


def test_a_bankruptcy_opens_the_count_with_the_card_that_is_in() -> None:
    """F21."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.end_by_bankruptcy(1, 2, 15_000_000, present=2)
    for seen in (ledger, again(store)):
        assert seen.current.counting
        assert seen.current.worth(2) == 30_000_000
        assert seen.all_counted


# Moves that are made again


def test_a_move_is_made_again() -> None:
    """C5: as a new move of the same purpose."""
    ledger, store = new_ledger(ONE, TWO)
    rent = ledger.move(1, 2, 1_000_000, Purpose.RENT)
    fine = ledger.move(1, BANK, 500_000, Purpose.FINE)
    ledger.reverse(rent)
    for seen in (ledger, again(store)):
        assert (seen.history, seen.moves) == ([fine, rent], [fine])
    made = ledger.make_again(rent)
    assert made == Posting(6, 1, 1, 2, 1_000_000, Purpose.RENT)
    for seen in (ledger, again(store)):
        assert seen.history == seen.moves == [made, fine]
        assert (seen.balance(1), seen.balance(2)) == (13_500_000, 16_000_000)
    ledger.reverse(made)
    for seen in (ledger, again(store)):
        assert (seen.history, seen.moves) == ([made, fine], [fine])
    assert again(store).make_again(made).amount == 1_000_000


def test_only_a_move_that_was_taken_back_is_made_again() -> None:
    ledger, _ = new_ledger(ONE, TWO)
    rent = ledger.move(1, 2, 10_000_000, Purpose.RENT)
    with pytest.raises(AssertionError, match="not undone"):
        ledger.make_again(rent)
    ledger.reverse(rent)
    ledger.move(1, 2, 10_000_000, Purpose.RENT)
    with pytest.raises(AssertionError, match="refused"):
        ledger.make_again(rent)
    ledger.forget(2)
    with pytest.raises(AssertionError, match="forgotten"):
        ledger.make_again(rent)


# A forgotten card is restored (F19)


def seen_by_players(ledger: Ledger) -> tuple[object, ...]:
    """All that F19 lists, for card 1."""
    game = ledger.current
    return (
        ledger.cards,
        dict(ledger.state.names),
        ledger.balance(1),
        sorted(game.out),
        (game.is_counted(1), game.amounts(1), game.worth(1), ledger.players),
        ledger.state.replacing,
        ledger.history,
        -ledger.balance(BANK),
    )


def poor(ledger: Ledger) -> None:
    ledger.move(1, BANK, 15_000_000, Purpose.ENTRY)


def bankrupt(ledger: Ledger) -> None:
    ledger.move(1, 2, 15_000_000, Purpose.BANKRUPTCY)


def bankrupt_and_poor(ledger: Ledger) -> None:
    poor(ledger)
    ledger.move(1, 2, 0, Purpose.BANKRUPTCY)


def moved(ledger: Ledger) -> None:
    ledger.move(1, 2, 1_000_000, Purpose.RENT)
    ledger.reverse(ledger.move(1, BANK, 500_000, Purpose.FINE))


def counted(ledger: Ledger) -> None:
    ledger.open_count(present=1)
    ledger.count(1, 3_000_000)
    ledger.count(1, 3_000_000)
    ledger.count(1, 500_000)
    ledger.uncount(1)


def counted_in(ledger: Ledger) -> None:
    ledger.open_count(present=1)


def named(ledger: Ledger) -> None:
    ledger.name(1, "Ana")
    ledger.name(2, "Bob")


def to_be_replaced(ledger: Ledger) -> None:
    ledger.ask_replacement(1)


def another_is_to_be_replaced(ledger: Ledger) -> None:
    ledger.ask_replacement(2)


def the_second_card_with_its_number(ledger: Ledger) -> None:
    moved(ledger)
    ledger.forget(1)
    ledger.admit(THREE)
    ledger.move(1, 2, 250_000, Purpose.RENT)


def everything(ledger: Ledger) -> None:
    the_second_card_with_its_number(ledger)
    counted(ledger)
    named(ledger)
    to_be_replaced(ledger)
    ledger.move(1, 2, ledger.balance(1), Purpose.BANKRUPTCY)


@pytest.mark.parametrize("checkpoint_every", [256, 1])
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize(
    "prepare",
    [
        poor,
        bankrupt,
        bankrupt_and_poor,
        moved,
        counted,
        counted_in,
        named,
        to_be_replaced,
        another_is_to_be_replaced,
        the_second_card_with_its_number,
        everything,
    ],
)
def test_a_forgotten_card_is_restored(
    prepare: Callable[[Ledger], None],
    restarts: bool,
    checkpoint_every: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("firmware.bank.ledger.CHECKPOINT_EVERY", checkpoint_every)
    ledger, store = new_ledger(ONE, TWO)
    prepare(ledger)
    before = seen_by_players(ledger)
    card = ledger.forget(1)
    for seen in (ledger, again(store)):
        assert list(seen.cards) == [2]
        assert 1 not in [*seen.players, *seen.current.out, *seen.state.names]
        assert seen.balance(1) == 0
        assert seen.current.worth(1) is None
        assert seen.history == [move for move in before[6] if 1 not in move.accounts]  # type: ignore[attr-defined]
    if restarts:
        ledger = again(store)
    ledger.restore(card)
    for seen in (ledger, again(store)):
        assert seen_by_players(seen) == before
    assert [fault for finding in audit(store._connection) for fault in finding.faults] == []


def test_a_card_is_forgotten_and_restored_many_times() -> None:
    ledger, store = new_ledger(ONE, TWO)
    everything(ledger)
    before = seen_by_players(ledger)
    for _ in range(3):
        ledger.restore(ledger.forget(1))
        assert seen_by_players(again(store)) == seen_by_players(ledger) == before


def test_a_number_that_was_taken_meanwhile_is_not_restored() -> None:
    ledger, _ = new_ledger(ONE, TWO)
    card = ledger.forget(1)
    ledger.admit(THREE)
    with pytest.raises(AssertionError, match="taken"):
        ledger.restore(card)


# Names


def test_a_name_lasts_over_games() -> None:
    """N6."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.name(1, "Ana")
    ledger.name(2, "Ana")
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert seen.state.names == {1: "Ana", 2: "Ana"}
    ledger.name(1, "")
    for seen in (ledger, again(store)):
        assert seen.state.names == {2: "Ana"}
    ledger.forget(2)
    ledger.admit(THREE)
    for seen in (ledger, again(store)):
        assert seen.state.names == {}


def test_a_replacement_keeps_the_name() -> None:
    ledger, store = new_ledger(ONE)
    ledger.name(1, "Ana")
    ledger.ask_replacement(1)
    ledger.admit(THREE)
    assert again(store).state.names == {1: "Ana"}


def test_the_same_name_is_not_written_again() -> None:
    ledger, store = new_ledger(ONE)
    ledger.name(1, "")
    ledger.name(1, "Ana")
    ledger.name(1, "Ana")
    assert store._connection.execute("SELECT count(*) FROM card").fetchone() == (2,)


def test_stock_cards_can_have_names_from_the_start() -> None:
    store = Store.in_memory()
    ledger = Ledger(store, BANKING)
    ledger.know([ONE, TWO], {2: "Zo\u00e9"})
    for seen in (ledger, again(store)):
        assert seen.state.names == {2: "Zo\u00e9"}
        assert seen.balance(2) == 15_000_000


def test_forgetting_a_card_without_money_hides_its_moves() -> None:
    """A reversal would give money to the next card with its number (F13)."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, BANK, 15_000_000, Purpose.ENTRY)
    ledger.forget(1)
    for seen in (ledger, again(store)):
        assert seen.moves == []
    ledger.admit(THREE)
    for seen in (ledger, again(store)):
        assert seen.balance(1) == 15_000_000
        assert seen.moves == []


# The next game


def test_the_kind_is_for_one_game() -> None:
    ledger, store = new_ledger(ONE)
    ledger.choose_kind(Kind.FAST)
    ledger.choose_kind(Kind.CLOCK, 90)
    assert again(store).current.kind is Kind.NORMAL
    again(store).next_game(BANKING)
    for _ in range(2):
        seen = again(store)
        assert (seen.game, seen.current.kind, seen.current.minutes) == (2, Kind.CLOCK, 90)
    again(store).next_game(BANKING)
    assert again(store).current.kind is Kind.NORMAL


def test_the_edition_stays_until_another_is_chosen() -> None:
    ledger, store = new_ledger(ONE)
    assert not ledger.current.state.started.chosen
    ledger.choose_edition(editions.load("disney"))
    ledger.choose_edition(editions.load("europe"))
    assert again(store).edition.name == "banking"
    for _ in range(2):
        ledger = again(store)
        ledger.next_game(BANKING)
        for seen in (ledger, again(store)):
            assert seen.edition.name == "europe"
            assert seen.current.state.started.chosen
    ledger.choose_edition(BANKING)
    ledger.next_game(editions.load("disney"))
    assert again(store).edition.name == "banking"


def test_the_chosen_edition_stays_when_an_earlier_game_is_resumed() -> None:
    ledger, store = new_ledger(ONE)
    ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
    ledger.choose_edition(editions.load("europe"))
    ledger.next_game(BANKING)
    ledger.go_back()
    assert ledger.edition.name == "banking"
    again(store).next_game(BANKING)
    assert again(store).edition.name == "europe"
    ledger = again(store)
    ledger.go_back()
    ledger.next_game(BANKING)
    assert ledger.edition.name == "europe"


# Going back


def test_the_first_game_has_no_previous_game() -> None:
    ledger, _ = new_ledger(ONE)
    assert ledger.state.game_before is None
    with pytest.raises(AssertionError):
        ledger.go_back()


def test_games_without_moves_are_skipped() -> None:
    """F20: of the games in which money moved, taken back or not, the one played last."""
    ledger, store = new_ledger(ONE)
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert seen.state.game_before is None
    ledger.reverse(ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY))
    ledger.new_game(BANKING)
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert (seen.game, seen.state.game_before) == (4, 2)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.game, seen.state.game_before) == (2, None), "games 3 and 4 had no moves"


def test_the_order_is_that_in_which_the_games_were_left() -> None:
    ledger, store = new_ledger(ONE)
    for _ in range(2):
        ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
        ledger.new_game(BANKING)
    ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
    found = [ledger.state.game_before]
    for _ in range(2):
        ledger.go_back()
        found.append(ledger.state.game_before)
        assert again(store).state.game_before == ledger.state.game_before
    assert found == [2, 3, 2], "two games in turn: a second BACK undoes the first"
    ledger.go_back()
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert (seen.game, seen.state.game_before) == (4, 2)
    ledger.go_back()
    assert (ledger.game, ledger.state.game_before) == (2, 3)


def test_going_back_twice_returns_to_the_same_game() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=30)
    ledger.move(2, 1, 3_000_000, Purpose.ENTRY)
    ledger.keep_time(5_000)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.game, seen.state.game_before) == (1, 2)
        assert seen.current.kind is Kind.NORMAL
        assert seen.accounts == {BANK: -30_000_000, 1: 14_000_000, 2: 16_000_000}
        assert [posting.id for posting in seen.moves] == [3]
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.game, seen.state.game_before) == (2, 1)
        assert (seen.current.kind, seen.current.minutes) == (Kind.CLOCK, 30)
        assert seen.current.milliseconds_played == 5_000
        assert (seen.balance(1), seen.balance(2)) == (18_000_000, 12_000_000)


def test_a_resumed_game_can_be_played() -> None:
    ledger, store = new_ledger(ONE, TWO)
    first = ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    ledger.move(2, 1, 3_000_000, Purpose.ENTRY)
    ledger.go_back()
    second = ledger.move(2, BANK, 500_000, Purpose.ENTRY)
    assert (second.id, second.game) == (7, 1)
    ledger.reverse(first)
    for seen in (ledger, again(store)):
        assert (seen.balance(1), seen.balance(2)) == (15_000_000, 14_500_000)
        assert seen.moves == [second]
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert (seen.game, seen.state.game_before) == (3, 1)
        assert seen.balance(1) == 15_000_000
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.game, seen.balance(2)) == (1, 14_500_000)


def test_a_later_card_gets_an_opening_in_the_resumed_game() -> None:
    ledger, store = new_ledger(ONE)
    ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    ledger.admit(TWO)
    ledger.move(2, 1, 1_000_000, Purpose.ENTRY)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert seen.accounts == {BANK: -31_000_000, 1: 16_000_000, 2: 15_000_000}
        assert seen.players == [1]
    ledger.go_back()
    ledger.go_back()
    assert ledger.accounts == {BANK: -31_000_000, 1: 16_000_000, 2: 15_000_000}


def test_a_card_is_forgotten_in_one_game_only() -> None:
    """F19: in every other game the account stays as it was left."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, 2, 1_000_000, Purpose.RENT)
    ledger.open_count(present=1)
    ledger.count(1, 3_000_000)
    ledger.new_game(BANKING)
    ledger.forget(1)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert seen.accounts == {BANK: -30_000_000, 1: 14_000_000, 2: 16_000_000}
        assert seen.history == [], "its number belongs to no card"
        assert seen.players == [2]


def test_the_next_card_with_the_number_gets_the_account_of_the_other_game() -> None:
    """S10: as it is, and no opening balance."""
    ledger, store = new_ledger(ONE, TWO)
    rent = ledger.move(1, 2, 1_000_000, Purpose.RENT)
    ledger.open_count(present=1)
    ledger.count(1, 3_000_000)
    ledger.new_game(BANKING)
    ledger.forget(1)
    ledger.go_back()
    admission = ledger.admit(THREE)
    assert admission == Admission(1, found_account=True)
    for seen in (ledger, again(store)):
        assert (seen.balance(1), seen.current.worth(1)) == (14_000_000, 17_000_000)
        assert (seen.players, seen.history) == ([1, 2], [rent])
    ledger.take_back(admission)
    for seen in (ledger, again(store)):
        assert seen.cards == {2: TWO}
        assert seen.accounts == {BANK: -30_000_000, 1: 14_000_000, 2: 16_000_000}
    assert ledger.admit(ONE) == admission
    assert again(store).current.worth(1) == 17_000_000


def test_a_card_that_took_the_number_in_one_game_has_the_account_in_the_other() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, 2, 14_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    ledger.forget(1)
    assert ledger.admit(THREE) == Admission(1)
    ledger.move(1, 2, 2_000_000, Purpose.ENTRY)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.balance(1), seen.balance(2)) == (1_000_000, 29_000_000)
        assert seen.players == [1, 2]
    ledger.move(1, BANK, 500_000, Purpose.ENTRY)
    ledger.go_back()
    assert ledger.balance(1) == 13_000_000
    ledger.go_back()
    assert ledger.balance(1) == 500_000


def test_a_bankrupt_card_of_another_game_stays_out_there() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, 2, 15_000_000, Purpose.BANKRUPTCY)
    ledger.new_game(BANKING)
    ledger.forget(1)
    ledger.admit(THREE)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert list(seen.current.out) == [1]
        assert seen.balance(1) == 0


def test_a_replacement_has_its_balance_in_the_resumed_game() -> None:
    ledger, _ = new_ledger(ONE, TWO)
    ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    ledger.ask_replacement(1)
    ledger.admit(THREE)
    ledger.go_back()
    assert ledger.balance(1) == 14_000_000


def test_going_back_to_an_edition_with_fewer_cards() -> None:
    uids = [bytes([n] * 4) for n in range(1, 9)]
    ledger, store = new_ledger(*uids[:6])
    ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    ledger.new_game(editions.load("europe"))
    ledger.admit(uids[6])
    ledger.admit(uids[7])
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert list(seen.cards) == [1, 2, 3, 4, 5, 6]
        assert 7 not in seen.accounts


def test_back_closes_a_count_and_keeps_what_was_counted() -> None:
    """F16. Only a new game erases it, for itself."""
    ledger, store = new_ledger(ONE)
    ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
    ledger.open_count(present=1)
    ledger.count(1, 1_000_000)
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert (seen.current.counting, seen.current.worth(1)) == (False, None)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.current.counting, seen.current.worth(1)) == (False, 17_000_000)


def test_a_stale_ledger_writes_nothing_into_another_game() -> None:
    """A program that has not refreshed must not mix up two games."""
    ledger, store = new_ledger(ONE, TWO)
    for _ in range(2):
        ledger.move(1, 2, 1_000, Purpose.ENTRY)
        ledger.new_game(BANKING)
    ledger.go_back()
    stale = again(store)
    ledger.go_back()
    attempts: list[Callable[[], object]] = [
        lambda: stale.forget(1),
        lambda: stale.count_in(1),
        stale.open_count,
        stale.leave_count,
        lambda: stale.count(1, 5),
    ]
    for attempt in attempts:
        with pytest.raises(JournalFailed, match="game 2 is not being played"):
            attempt()
    other = again(store)
    ledger.move(1, 2, 1_000, Purpose.ENTRY)
    with pytest.raises(JournalFailed, match="another program has written"):
        other.go_back()
    with pytest.raises(JournalFailed, match="another program has written"):
        other.new_game(BANKING)
    assert other.game == ledger.game == again(store).game == 1
    assert again(store).accounts == ledger.accounts


class FakeJournal:
    """A journal with given records, which refuses every append."""

    def __init__(self, *records: Record) -> None:
        self.records = records
        self.changed = False
        self.readable = True
        self.in_doubt = False

    def append(self, *records: Record) -> None:
        raise JournalFailed(f"there is no room for {len(records)} more")

    def without_other_writers(self) -> AbstractContextManager[None]:
        return nullcontext()

    def replay(self, game: int | None = None) -> tuple[Record, ...]:
        del game
        if not self.readable:
            raise JournalFailed("the disk does not answer")
        return self.records

    def changed_elsewhere(self) -> bool:
        changed, self.changed = self.changed, False
        return changed


OPENED = (
    GameStarted(1, BANKING, 1),
    CardKnown(1, ONE),
    Posting(1, 1, BANK, 1, 15_000_000, Purpose.OPENING),
)


def test_a_refused_append_does_not_change_the_state() -> None:
    start = Checkpoint(GameState(GameStarted(1, BANKING, 1)), newest_game=1, played=(1,))
    ledger = Ledger(FakeJournal(start, *OPENED[1:]), BANKING)
    for attempt in (
        lambda: ledger.move(BANK, 1, 1_000, Purpose.ENTRY),
        lambda: ledger.new_game(BANKING),
        lambda: ledger.admit(TWO),
        lambda: ledger.forget(1),
        lambda: ledger.set_volume(0),
        lambda: ledger.ask_replacement(1),
        lambda: ledger.name(1, "Ana"),
        lambda: ledger.open_count(1),
        lambda: ledger.count_in(1),
        lambda: ledger.count(1, 1_000),
        lambda: ledger.choose_kind(Kind.FAST),
        lambda: ledger.choose_edition(editions.load("europe")),
        lambda: ledger.keep_time(1_000),
    ):
        with pytest.raises(JournalFailed):
            attempt()
    assert ledger.game == 1
    assert ledger.state.volume == 2
    assert ledger.cards == {1: ONE}
    assert ledger.accounts == {BANK: -15_000_000, 1: 15_000_000}
    assert ledger.players == []
    assert not ledger.current.counting
    assert ledger.state.names == {}
    with pytest.raises(JournalFailed):
        ledger.go_back()
    assert ledger.game == 1


@pytest.mark.parametrize(
    "invalid",
    [
        Posting(1, 1, BANK, 1, 1, Purpose.ENTRY),  # a number that is taken
        Posting(2, 2, BANK, 1, 1, Purpose.ENTRY),  # another game
        Posting(2, 1, 1, 1, 1, Purpose.ENTRY),  # payer and payee are the same
        Posting(2, 1, 1, BANK, 0, Purpose.ENTRY),  # an amount of zero
        Posting(2, 1, POT, 1, 1, Purpose.POT),  # from an empty pot
        Posting(2, 1, 1, BANK, -1, Purpose.ENTRY),
        Posting(2, 1, 1, BANK, 15_000_001, Purpose.ENTRY),  # more than the balance
        Posting(2, 1, BANK, 1, 99_999_000_000, Purpose.ENTRY),  # above the limit of a balance
        Posting(2, 1, 1, BANK, 1, Purpose.REVERSAL),  # a reversal of no posting
        Posting(2, 1, 1, BANK, 1, Purpose.ENTRY, reverses=1),
        AmountUncounted(1, 1),  # nothing was counted
        VolumeSet(4),
        VolumeSet(-1),
    ],
)
def test_impossible_records_are_refused(invalid: Record) -> None:
    with pytest.raises(JournalFailed, match="contradict each other"):
        Ledger(FakeJournal(*OPENED, invalid), BANKING)


def test_a_known_card_is_not_admitted_again() -> None:
    ledger, _ = new_ledger(ONE)
    with pytest.raises(AssertionError):
        ledger.admit(ONE)


def test_a_forgotten_card_is_not_known() -> None:
    ledger = Ledger(FakeJournal(*OPENED, CardForgotten(1)), BANKING)
    assert ledger.cards == {}


def test_a_failed_refresh_is_repeated() -> None:
    journal = FakeJournal(*OPENED)
    ledger = Ledger(journal, BANKING)
    assert not ledger.refresh()
    journal.records = (*OPENED, CardForgotten(1))
    journal.changed, journal.readable = True, False
    assert not ledger.refresh()
    assert ledger.cards == {1: ONE}  # unchanged
    journal.readable = True
    assert ledger.refresh()
    assert ledger.cards == {}
    assert not ledger.refresh()
