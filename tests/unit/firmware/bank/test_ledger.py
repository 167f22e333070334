"""The ledger: cards, moves, games, and its state after a restart."""

from collections.abc import Callable

import pytest

from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import (
    BANK,
    POT,
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
    admission = ledger.admit(THREE)
    assert admission == (1, False)
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
    assert ledger.admit(THREE) == (1, True)
    for seen in (ledger, again(store)):
        assert seen.cards == {1: THREE, 2: TWO}
        assert seen.balance(1) == 14_000_000
        assert seen.state.replacing is None
        assert seen.number_of(ONE) is None


def test_a_card_that_is_in_is_not_replaced() -> None:
    ledger, _ = new_ledger(ONE, TWO)
    ledger.ask_replacement(1)
    assert ledger.admit(THREE, elsewhere=1) == (3, False)
    assert ledger.state.replacing == 1


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
    assert again(store).admit(TWO) == (1, False)
    assert again(store).balance(1) == 15_000_000


def test_a_smaller_edition_knows_fewer_cards() -> None:
    europe = editions.load("europe")
    uids = [bytes([0x10 + n] * 4) for n in range(1, 9)]
    ledger, store = new_ledger(*uids, edition=europe)
    assert ledger.number_of(uids[7]) == 8
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
    assert ledger.admit(b"new.") == (2, False)
    ledger.go_back()
    assert ledger.number_of(uids[7]) == 8


def test_a_random_uid_never_gets_a_number() -> None:
    """S11: a phone sends another UID each time. This includes UIDs in an old ledger."""
    phone = bytes.fromhex("08A1B2C3")
    ledger, _ = new_ledger(phone)
    assert ledger.number_of(phone) is None
    assert ledger.admit(bytes.fromhex("08FFFFFF")) is None
    assert ledger.admit(bytes.fromhex("09FFFFFF")) == (2, False)


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


def test_a_card_joins_a_game_once() -> None:
    ledger, store = new_ledger(ONE, TWO)
    assert ledger.players == []
    ledger.join(2)
    ledger.join(2)
    for seen in (ledger, again(store)):
        assert seen.players == [2]
    assert store._connection.execute("SELECT count(*) FROM event").fetchone() == (2,)
    ledger.new_game(BANKING, present=[1])
    for seen in (ledger, again(store)):
        assert seen.players == [1]


def test_a_new_card_has_joined() -> None:
    ledger, store = new_ledger()
    ledger.admit(ONE)
    for seen in (ledger, again(store)):
        assert seen.players == [1]


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


def test_the_final_count_survives_a_power_cut() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.join(1)
    ledger.open_count()
    ledger.count(1, 0)
    ledger.count(1, 3_000_000)
    for seen in (ledger, again(store)):
        assert seen.current.counting
        assert seen.current.worth(1) == 18_000_000
        assert seen.current.worth(2) is None
    ledger.leave_count()
    for seen in (ledger, again(store)):
        assert not seen.current.counting
        assert seen.current.worth(1) == 18_000_000
    ledger.move(BANK, 2, 1_000, Purpose.ENTRY)
    for seen in (ledger, again(store)):
        assert seen.current.worth(1) is None


def test_forgetting_a_card_without_money_hides_its_moves() -> None:
    """A reversal would give money to the next card with its number (F13)."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, BANK, 15_000_000, Purpose.ENTRY)
    ledger.forget(1)
    for seen in (ledger, again(store)):
        assert seen.current.moves == []
    ledger.admit(THREE)
    for seen in (ledger, again(store)):
        assert seen.balance(1) == 15_000_000
        assert seen.current.moves == []


# The next game


def test_the_kind_is_for_one_game() -> None:
    ledger, store = new_ledger(ONE)
    ledger.choose_kind(Kind.FAST)
    ledger.choose_kind(Kind.CLOCK, 90)
    assert again(store).current.kind is Kind.NORMAL
    again(store).next_game(BANKING, present=[])
    for _ in range(2):
        seen = again(store)
        assert (seen.game, seen.current.kind, seen.current.minutes) == (2, Kind.CLOCK, 90)
    again(store).next_game(BANKING, present=[])
    assert again(store).current.kind is Kind.NORMAL


def test_the_edition_stays_until_another_is_chosen() -> None:
    ledger, store = new_ledger(ONE)
    assert not ledger.current.state.started.chosen
    ledger.choose_edition(editions.load("disney"))
    ledger.choose_edition(editions.load("europe"))
    assert again(store).edition.name == "banking"
    for _ in range(2):
        ledger = again(store)
        ledger.next_game(BANKING, present=[])
        for seen in (ledger, again(store)):
            assert seen.edition.name == "europe"
            assert seen.current.state.started.chosen
    ledger.choose_edition(BANKING)
    ledger.next_game(editions.load("disney"), present=[])
    assert again(store).edition.name == "banking"


def test_the_chosen_edition_stays_when_an_earlier_game_is_resumed() -> None:
    ledger, store = new_ledger(ONE)
    ledger.choose_edition(editions.load("europe"))
    ledger.next_game(BANKING, present=[])
    ledger.go_back()
    assert ledger.edition.name == "banking"
    again(store).next_game(BANKING, present=[])
    assert again(store).edition.name == "europe"
    ledger = again(store)
    ledger.go_back()
    ledger.next_game(BANKING, present=[])
    assert ledger.edition.name == "europe"


# Going back


def test_the_first_game_has_no_previous_game() -> None:
    ledger, _ = new_ledger(ONE)
    assert ledger.state.game_before is None
    with pytest.raises(AssertionError):
        ledger.go_back()


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
        assert [posting.id for posting in seen.current.moves] == [3]
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
        assert seen.current.moves == [second]
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert (seen.game, seen.state.game_before) == (3, 1)
        assert seen.balance(1) == 15_000_000
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.game, seen.balance(2)) == (1, 14_500_000)


def test_a_later_card_gets_an_opening_in_the_resumed_game() -> None:
    ledger, store = new_ledger(ONE)
    ledger.new_game(BANKING)
    ledger.admit(TWO)
    ledger.move(2, 1, 1_000_000, Purpose.ENTRY)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert seen.accounts == {BANK: -30_000_000, 1: 15_000_000, 2: 15_000_000}
        assert seen.players == []
    ledger.go_back()
    ledger.go_back()
    assert ledger.accounts == {BANK: -30_000_000, 1: 15_000_000, 2: 15_000_000}


def test_a_forgotten_card_has_no_balance_in_the_resumed_game() -> None:
    """Otherwise the next card with its number would get that balance, too."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.join(1)
    ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    ledger.forget(1)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert seen.accounts == {BANK: -16_000_000, 1: 0, 2: 16_000_000}
        assert seen.current.moves == []
        assert seen.players == [2]
    assert ledger.admit(THREE) == (1, False)
    assert again(store).balance(1) == 15_000_000


def test_a_new_card_with_the_number_of_a_forgotten_one_opens_in_the_resumed_game() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, 2, 14_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    ledger.forget(1)
    ledger.admit(THREE)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.balance(1), seen.balance(2)) == (15_000_000, 29_000_000)
        assert seen.players == [2]
    # From now on it has an account in both games.
    ledger.move(1, BANK, 2_000_000, Purpose.ENTRY)
    ledger.go_back()
    ledger.go_back()
    assert ledger.balance(1) == 13_000_000


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
    ledger.new_game(editions.load("europe"))
    ledger.admit(uids[6])
    ledger.admit(uids[7])
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert list(seen.cards) == [1, 2, 3, 4, 5, 6]
        assert 7 not in seen.accounts


def test_another_game_ends_a_count() -> None:
    ledger, store = new_ledger(ONE)
    ledger.join(1)
    ledger.open_count()
    ledger.count(1, 1_000_000)
    ledger.new_game(BANKING)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert not seen.current.counting
        assert seen.current.worth(1) is None


def test_a_stale_ledger_writes_nothing_into_another_game() -> None:
    """A program that has not refreshed must not mix up two games."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.new_game(BANKING)
    stale = again(store)
    ledger.go_back()
    attempts: list[Callable[[], None]] = [
        lambda: stale.forget(1),
        lambda: stale.join(1),
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
    start = Checkpoint(GameState(GameStarted(1, BANKING, 1)), newest_game=1, game_before=1)
    ledger = Ledger(FakeJournal(start, *OPENED[1:]), BANKING)
    for attempt in (
        lambda: ledger.move(BANK, 1, 1_000, Purpose.ENTRY),
        lambda: ledger.new_game(BANKING),
        lambda: ledger.admit(TWO),
        lambda: ledger.forget(1),
        lambda: ledger.set_volume(0),
        lambda: ledger.ask_replacement(1),
        lambda: ledger.join(1),
        lambda: ledger.open_count(),
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
