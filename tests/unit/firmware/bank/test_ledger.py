from collections.abc import Callable

import pytest

from firmware import edition as editions
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.records import (
    BANK,
    POT,
    CardForgotten,
    CardKnown,
    GameStarted,
    JournalFailed,
    Kind,
    Posting,
    Purpose,
    Record,
    Replay,
    VolumeSet,
)
from firmware.store import Store
from hal.view import Text

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
    assert ledger.volume == 2
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
    postings = [record for record in store.replay().records if isinstance(record, Posting)]
    assert postings[-1] == Posting(3, 1, 1, BANK, 2_000_000, Purpose.REVERSAL, posting.id)


def test_nobody_reverses_twice() -> None:
    ledger, _ = new_ledger(ONE)
    posting = ledger.move(BANK, 1, 2_000_000, Purpose.ENTRY)
    ledger.reverse(posting)
    with pytest.raises(JournalFailed):
        ledger.reverse(posting)
    assert ledger.balance(1) == 15_000_000


def test_a_game_that_is_over_stays_as_it_ended() -> None:
    ledger, _ = new_ledger(ONE)
    posting = ledger.move(BANK, 1, 2_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    with pytest.raises(AssertionError):
        ledger.reverse(posting)


@pytest.mark.parametrize(
    ("payer", "payee", "amount", "refusal"),
    [
        (1, BANK, 15_000_000, None),
        (1, BANK, 15_000_001, Text.NO_FUNDS),
        (1, 2, 15_000_001, Text.NO_FUNDS),
        (BANK, 1, 99_999_000_000 - 15_000_000, None),
        (BANK, 1, 99_999_000_000 - 14_999_999, Text.FULL),
        (1, BANK, 99_999_000_000, Text.NO_FUNDS),
        (1, 2, 99_999_000_000, Text.NO_FUNDS),
    ],
)
def test_neither_below_zero_nor_too_full(
    payer: int, payee: int, amount: int, refusal: Text | None
) -> None:
    ledger, _ = new_ledger(ONE, TWO)
    assert ledger.refusal(payer, payee, amount) is refusal


def test_a_full_payee_refuses_a_transfer() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(BANK, 2, 99_999_000_000 - 15_000_000, Purpose.ENTRY)
    assert ledger.refusal(1, 2, 1) is Text.FULL
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


def test_no_number_is_left() -> None:
    ledger, _ = new_ledger(*(bytes([n] * 4) for n in range(1, 7)))
    assert ledger.admit(b"\x77\x77\x77\x77") is None


def test_what_a_forgotten_card_held_goes_back() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, BANK, 1_000_000, Purpose.ENTRY)
    ledger.forget(1)
    for seen in (ledger, again(store)):
        assert seen.accounts == {BANK: -15_000_000, 1: 0, 2: 15_000_000}
        assert seen.cards == {2: TWO}


def test_a_penniless_card_can_be_forgotten() -> None:
    ledger, _ = new_ledger(ONE)
    ledger.move(1, BANK, 15_000_000, Purpose.ENTRY)
    ledger.forget(1)
    assert ledger.cards == {}


def test_a_replacement_takes_over_number_and_balance() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, BANK, 1_000_000, Purpose.ENTRY)
    ledger.ask_replacement(1)
    assert again(store).replacing == 1
    assert ledger.admit(THREE) == (1, True)
    for seen in (ledger, again(store)):
        assert seen.cards == {1: THREE, 2: TWO}
        assert seen.balance(1) == 14_000_000
        assert seen.replacing is None
        assert seen.number_of(ONE) is None


def test_a_lost_card_that_is_in_the_box_is_not_lost() -> None:
    ledger, _ = new_ledger(ONE, TWO)
    ledger.ask_replacement(1)
    assert ledger.admit(THREE, elsewhere=1) == (3, False)
    assert ledger.replacing == 1


def test_forgetting_ends_a_replacement() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.ask_replacement(2)
    ledger.forget(1)
    assert ledger.replacing == 2
    ledger.forget(2)
    assert ledger.replacing is None
    assert again(store).replacing is None


def test_a_new_game_keeps_the_old_one() -> None:
    ledger, store = new_ledger(ONE)
    ledger.move(BANK, 1, 1_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert seen.game == 2
        assert seen.accounts == {BANK: -15_000_000, 1: 15_000_000}
    assert ledger.move(BANK, 1, 1, Purpose.ENTRY).id == 4


def test_a_new_game_without_cards_goes_on_counting_postings() -> None:
    ledger, store = new_ledger(ONE)
    ledger.forget(1)
    ledger.new_game(BANKING)
    assert again(store).admit(TWO) == (1, False)
    assert again(store).balance(1) == 15_000_000


def test_a_smaller_edition_knows_fewer_cards() -> None:
    europe = editions.load("europe")
    uids = [bytes([n] * 4) for n in range(1, 9)]
    ledger, store = new_ledger(*uids, edition=europe)
    assert ledger.number_of(uids[7]) == 8
    ledger.new_game(BANKING)
    for seen in (ledger, again(store)):
        assert list(seen.cards) == [1, 2, 3, 4, 5, 6]
        assert seen.number_of(uids[5]) == 6
        assert seen.number_of(uids[6]) is None
        assert seen.accounts[BANK] == -6 * 15_000_000
    ledger.forget(2)
    assert ledger.admit(uids[7]) is None  # its money is in another game, under its number
    assert ledger.admit(b"new.") == (2, False)
    ledger.go_back()
    assert ledger.number_of(uids[7]) == 8


def test_an_edition_may_open_with_nothing() -> None:
    poor = editions.parse("poor", BANKING.source.replace("15_000_000", "0"))
    ledger, _ = new_ledger(ONE, edition=poor)
    assert ledger.balance(1) == 0
    assert ledger.cards == {1: ONE}


def test_the_volume_is_remembered() -> None:
    ledger, store = new_ledger()
    ledger.set_volume(3)
    assert ledger.volume == 3
    assert again(store).volume == 3


def test_untouched_until_something_moves() -> None:
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
    assert ledger.refusal(POT, 1, 1) is Text.NO_FUNDS
    ledger.new_game(BANKING)
    assert POT not in again(store).accounts


def test_a_bankruptcy_of_nothing_is_kept() -> None:
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


def test_a_bankrupt_game_is_not_untouched() -> None:
    """Not even where everybody has what they opened with: nothing."""
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


def test_forgetting_a_penniless_card_hides_its_moves() -> None:
    """Taking them back would give money to whoever has its number next (F13)."""
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
    assert not ledger.current.edition_chosen
    ledger.choose_edition(editions.load("disney"))
    ledger.choose_edition(editions.load("europe"))
    assert again(store).edition.name == "banking"
    for _ in range(2):
        ledger = again(store)
        ledger.next_game(BANKING, present=[])
        for seen in (ledger, again(store)):
            assert seen.edition.name == "europe"
            assert seen.current.edition_chosen
    ledger.choose_edition(BANKING)
    ledger.next_game(editions.load("disney"), present=[])
    assert again(store).edition.name == "banking"


def test_the_edition_stays_whichever_game_is_gone_back_to() -> None:
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


def test_there_is_nothing_to_go_back_to_from_the_first_game() -> None:
    ledger, _ = new_ledger(ONE)
    assert ledger.game_before is None
    with pytest.raises(AssertionError):
        ledger.go_back()


def test_going_back_twice_is_going_nowhere() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING, kind=Kind.CLOCK, minutes=30)
    ledger.move(2, 1, 3_000_000, Purpose.ENTRY)
    ledger.keep_time(5_000)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.game, seen.game_before) == (1, 2)
        assert seen.current.kind is Kind.NORMAL
        assert seen.accounts == {BANK: -30_000_000, 1: 14_000_000, 2: 16_000_000}
        assert [posting.id for posting in seen.current.moves] == [3]
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.game, seen.game_before) == (2, 1)
        assert (seen.current.kind, seen.current.minutes) == (Kind.CLOCK, 30)
        assert seen.current.milliseconds_played == 5_000
        assert (seen.balance(1), seen.balance(2)) == (18_000_000, 12_000_000)


def test_a_game_that_was_gone_back_to_is_played_on() -> None:
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
        assert (seen.game, seen.game_before) == (3, 1)
        assert seen.balance(1) == 15_000_000
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.game, seen.balance(2)) == (1, 14_500_000)


def test_a_card_that_became_known_later_opens_in_the_game_before() -> None:
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


def test_a_forgotten_card_has_nothing_in_the_game_before() -> None:
    """Else whoever gets its number there would open on top of what it had."""
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


def test_a_new_card_with_a_forgotten_ones_number_opens_in_the_game_before() -> None:
    ledger, store = new_ledger(ONE, TWO)
    ledger.move(1, 2, 14_000_000, Purpose.ENTRY)
    ledger.new_game(BANKING)
    ledger.forget(1)
    ledger.admit(THREE)
    ledger.go_back()
    for seen in (ledger, again(store)):
        assert (seen.balance(1), seen.balance(2)) == (15_000_000, 29_000_000)
        assert seen.players == [2]
    # From now on it has an account in both, and keeps what it has there.
    ledger.move(1, BANK, 2_000_000, Purpose.ENTRY)
    ledger.go_back()
    ledger.go_back()
    assert ledger.balance(1) == 13_000_000


def test_a_replacement_keeps_its_balance_in_the_game_before() -> None:
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


def test_nothing_is_written_into_a_game_that_was_left_unnoticed() -> None:
    """A program that has not looked yet must not mix two games up."""
    ledger, store = new_ledger(ONE, TWO)
    ledger.new_game(BANKING)
    unaware = again(store)
    ledger.go_back()
    attempts: list[Callable[[], None]] = [
        lambda: unaware.forget(1),
        lambda: unaware.join(1),
        unaware.leave_count,
        lambda: unaware.count(1, 5),
    ]
    for attempt in attempts:
        with pytest.raises(JournalFailed, match="game 2 is not being played"):
            attempt()
    late = again(store)
    ledger.move(1, 2, 1_000, Purpose.ENTRY)
    with pytest.raises(JournalFailed, match="another program has written"):
        late.go_back()
    with pytest.raises(JournalFailed, match="another program has written"):
        late.new_game(BANKING)
    assert late.game == ledger.game == again(store).game == 1
    assert again(store).accounts == ledger.accounts


class Scripted:
    """A journal that holds what a test wants it to hold."""

    def __init__(self, *records: Record) -> None:
        self.records = records
        self.changed = False
        self.readable = True
        self.in_doubt = False
        self.game_before: int | None = None

    def append(self, *records: Record) -> None:
        raise JournalFailed(f"there is no room for {len(records)} more")

    def replay(self, game: int | None = None) -> Replay:
        del game
        if not self.readable:
            raise JournalFailed("the disk does not answer")
        postings = [record.id for record in self.records if isinstance(record, Posting)]
        return Replay(self.records, 1, self.game_before, last_posting=postings[-1])

    def changed_elsewhere(self) -> bool:
        changed, self.changed = self.changed, False
        return changed


OPENED = (
    GameStarted(1, BANKING, 1),
    CardKnown(1, ONE),
    Posting(1, 1, BANK, 1, 15_000_000, Purpose.OPENING),
)


def test_nothing_is_believed_that_is_not_durable() -> None:
    journal = Scripted(*OPENED)
    journal.game_before = 1
    ledger = Ledger(journal, BANKING)
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
    assert ledger.volume == 2
    assert ledger.cards == {1: ONE}
    assert ledger.accounts == {BANK: -15_000_000, 1: 15_000_000}
    assert ledger.players == []
    assert not ledger.current.counting
    with pytest.raises(JournalFailed):
        ledger.go_back()
    assert ledger.game == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        Posting(1, 1, BANK, 1, 1, Purpose.ENTRY),  # twice the same
        Posting(2, 2, BANK, 1, 1, Purpose.ENTRY),  # another game
        Posting(2, 1, 1, 1, 1, Purpose.ENTRY),  # to itself
        Posting(2, 1, 1, BANK, 0, Purpose.ENTRY),  # nothing
        Posting(2, 1, POT, 1, 1, Purpose.POT),  # out of an empty pot
        Posting(2, 1, 1, BANK, -1, Purpose.ENTRY),
        Posting(2, 1, 1, BANK, 15_000_001, Purpose.ENTRY),  # more than there is
        Posting(2, 1, BANK, 1, 99_999_000_000, Purpose.ENTRY),  # too full
        Posting(2, 1, 1, BANK, 1, Purpose.REVERSAL),  # of nothing
        Posting(2, 1, 1, BANK, 1, Purpose.ENTRY, reverses=1),
        VolumeSet(4),
        VolumeSet(-1),
    ],
)
def test_impossible_records_are_not_believed(nonsense: Record) -> None:
    with pytest.raises(JournalFailed, match="makes no sense"):
        Ledger(Scripted(*OPENED, nonsense), BANKING)


def test_a_known_card_needs_no_number() -> None:
    ledger, _ = new_ledger(ONE)
    with pytest.raises(AssertionError):
        ledger.admit(ONE)


def test_forgotten_is_forgotten() -> None:
    ledger = Ledger(Scripted(*OPENED, CardForgotten(1)), BANKING)
    assert ledger.cards == {}


def test_what_others_wrote_is_read_once_and_again_after_a_failure() -> None:
    journal = Scripted(*OPENED)
    ledger = Ledger(journal, BANKING)
    assert not ledger.refresh()
    journal.records = (*OPENED, CardForgotten(1))
    journal.changed, journal.readable = True, False
    assert not ledger.refresh()
    assert ledger.cards == {1: ONE}  # what it knew, it still knows
    journal.readable = True
    assert ledger.refresh()
    assert ledger.cards == {}
    assert not ledger.refresh()
