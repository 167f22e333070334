"""What a report says of a game: ranking, end, balances over time, totals."""

from firmware.bank import edition as editions
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, Kind
from firmware.reports import page as report_page
from firmware.reports import text as report_text
from firmware.reports.report import PlayerState, Report, Total
from tests.unit.firmware.reports.played_games import MILLION, Table

BANKING = editions.load("banking")


def places(report: Report) -> list[tuple[int | None, int]]:
    return [(player.place, player.number) for player in report.players]


# The ranking


def test_players_are_ranked_by_balance_until_all_are_counted() -> None:
    table = Table()
    table.pay(1, 2, 3)
    table.pay(3, BANK, 1)
    assert places(table.report()) == [(1, 2), (2, 3), (3, 1)]
    assert table.report().verdict == "Card 2 has the most money so far."
    table.count(card1=9, card2=0)
    assert not table.report().counted
    assert places(table.report()) == [(1, 2), (2, 3), (3, 1)]
    assert [player.worth for player in table.report().players] == [None] * 3
    table.count(card3=0)
    report = table.report()
    assert report.counted
    assert places(report) == [(1, 1), (2, 2), (3, 3)]
    assert [player.worth for player in report.players] == [21 * MILLION, 18 * MILLION, 14 * MILLION]
    assert report.players[0].balance == 12 * MILLION
    assert report.verdict == "Card 1 has won the final count."


def test_equal_players_share_a_place() -> None:
    table = Table()
    for card in (1, 2, 3):
        table.pay(card, BANK, 1)
        table.undo()
    table.pay(4, BANK, 1)
    assert places(table.report()) == [(1, 1), (1, 2), (1, 3), (4, 4)]
    assert table.report().verdict == "Cards 1, 2 and 3 have the most money so far."
    table.count(card1=0, card2=0, card3=1, card4=2)
    assert places(table.report()) == [(1, 3), (1, 4), (3, 1), (3, 2)]
    assert table.report().verdict == "Cards 3 and 4 have won the final count."


def test_bankrupt_players_come_last_the_latest_first() -> None:
    table = Table()
    table.pay(BANK, 4, 1)
    table.ruin(3, 1)
    table.ruin(2, 1)
    assert places(table.report()) == [(1, 1), (2, 4), (None, 2), (None, 3)]
    assert [player.state for player in table.report().players[2:]] == [PlayerState.OUT] * 2
    # Bankrupt players need not be counted.
    table.count(card1=0, card4=50)
    assert table.report().counted
    assert places(table.report()) == [(1, 4), (2, 1), (None, 2), (None, 3)]


def test_last_player_has_won() -> None:
    table = Table(cards=2)
    table.pay(1, 2, 1)
    assert not table.report().over
    table.ruin(1, 2)
    assert table.report().over
    assert table.report().verdict == "Card 2 has won: everybody else is out."
    table.undo()
    assert not table.report().over


def test_winners_are_known_when_all_are_counted_or_one_is_left() -> None:
    table = Table(cards=3)
    table.pay(1, 2, 1)
    table.pay(1, 3, 1)
    assert table.report().winners == ()
    table.count(card1=3, card2=0)
    assert table.report().winners == ()
    table.count(card3=0)
    assert table.report().winners == (1, 2, 3)
    table.pay(1, 2, 1)
    assert table.report().winners == (2,), "a late rent changes two worths (F16)"
    table.ruin(1, 2)
    assert table.report().winners == (2,)
    table.ruin(2, 3)
    assert table.report().winners == (3,)
    table.undo()
    assert table.report().winners == (2,)


def test_worths_show_when_all_players_were_counted() -> None:
    """F16: a card that was not put in is counted by M alone, which the ledger does not store."""
    table = Table(cards=3)
    table.pay(1, 2, 1)
    table.count(card1=3, card2=0)
    assert table.report().counted
    table.ledger.count_in(3)
    worths = [player.worth for player in table.report().players]
    assert worths == [17 * MILLION, 16 * MILLION, 15 * MILLION]
    table.pay(BANK, 3, 5)
    assert places(table.report()) == [(1, 3), (2, 1), (3, 2)]


def test_only_player_has_not_won_yet() -> None:
    table = Table()
    table.pay(BANK, 1, 1)
    assert not table.report().over
    assert table.report().verdict == "Card 1 has the most money so far."


def test_card_forgotten_during_the_game_has_no_place() -> None:
    table = Table()
    table.pay(1, 2, 1)
    table.ledger.forget(1)
    assert places(table.report()) == [(1, 2), (None, 1)]
    assert table.report().players[1].state is PlayerState.FORGOTTEN


def test_card_forgotten_later_keeps_its_place() -> None:
    table = Table()
    table.pay(1, 2, 1)
    table.ledger.new_game(BANKING)
    table.ledger.forget(2)
    assert places(table.report(1)) == [(1, 2), (2, 1)]


def test_card_that_was_restored_keeps_its_place() -> None:
    """F19."""
    table = Table(cards=2)
    table.pay(1, 2, 1)
    table.ledger.restore(table.ledger.forget(2))
    report = table.report()
    assert places(report) == [(1, 2), (2, 1)]
    assert [player.state for player in report.players] == [PlayerState.PLAYING] * 2
    assert held(report, 2) == [15, 16]
    assert report.totals == table.report().totals


def test_cards_that_never_played_are_left_out() -> None:
    """Those that moved money or were counted have played (F16)."""
    table = Table(cards=6)
    table.pay(1, 2, 1)
    table.ledger.open_count(present=5)
    report = table.report()
    assert sorted(player.number for player in report.players) == [1, 2, 5]
    assert [curve.number for curve in report.curves] == [1, 2, 5]
    assert report.never_played == 3
    assert "Never played, and left out: 3 cards." in report.notes


# The end of a game


def test_game_is_over_when_it_was_left_or_counted() -> None:
    table = Table(cards=2)
    table.pay(1, 2, 1)
    assert table.report().title == "Game 1, as it stands"
    table.count(card1=0, card2=0)
    assert table.report().title == "Game 1"
    assert table.report().verdict == "Card 2 has won the final count."
    table.ledger.new_game(BANKING)
    table.pay(1, 2, 1)
    assert table.report().title == "Game 2, as it stands"
    table.ledger.new_game(BANKING)
    assert table.report(2).title == "Game 2"
    assert (
        table.report(2).verdict == "Card 2 ended with the most money, without a full final count."
    )
    assert table.report(3).title == "Game 3, as it stands"
    table.ledger.go_back()
    assert table.report(2).title == "Game 2, as it stands"
    assert table.report(3).title == "Game 3"


def test_kind_and_dates() -> None:
    table = Table(cards=1)
    table.now = 5_000
    table.ledger.new_game(editions.load("europe"), kind=Kind.CLOCK, minutes=90)
    table.now = 5_500
    table.ledger.open_count(present=1)
    report = table.report()
    assert (report.edition.name, report.kind) == ("europe", "clock 90 min")
    assert (report.begun, report.last_played) == (5_000, 5_500)
    assert (table.report(1).kind, table.report(1).begun) == ("normal", 1_000)


def test_game_without_players() -> None:
    table = Table()
    report = table.report()
    assert (report.players, report.curves, report.totals, report.steps) == ((), (), (), 0)
    assert report.verdict == "No card has played in this game."
    assert report.verdict in "\n".join(report_text.lines(report))
    assert report.verdict in report_page.page(report)


def test_game_without_payments() -> None:
    table = Table()
    table.ledger.open_count(present=1)
    report = table.report()
    assert report.steps == 0
    for written in ("\n".join(report_text.lines(report)), report_page.page(report)):
        assert "15M" in written
        assert "move by move" not in written
        assert "Totals paid" not in written


# Balances over time


def held(report: Report, card: int) -> list[int | None]:
    """A card's balances, in millions."""
    [curve] = [curve for curve in report.curves if curve.number == card]
    return [None if amount is None else amount // MILLION for amount in curve.balances]


def test_balances_at_the_start_and_after_each_move() -> None:
    table = Table()
    table.pay(1, 2, 3)
    table.pay(BANK, 1, 2, Purpose.SALARY)
    report = table.report()
    assert held(report, 1) == [15, 12, 14]
    assert held(report, 2) == [15, 18, 18]
    assert (report.steps, report.peak) == (2, 18 * MILLION)


def test_move_undone_at_once_is_not_drawn() -> None:
    table = Table()
    table.pay(1, 2, 3)
    table.pay(1, 2, 4)
    table.pay(1, 2, 5)
    table.undo()
    table.undo()
    table.pay(BANK, 1, 2)
    assert held(table.report(), 1) == [15, 12, 14]


def test_move_undone_later_is_drawn() -> None:
    table = Table()
    table.pay(1, 2, 3)
    late = table.ledger.moves[0]
    table.pay(2, 3, 16)
    table.pay(3, 2, 16)
    table.ledger.reverse(late)
    assert held(table.report(), 2) == [15, 18, 2, 18, 15]


def test_late_card_starts_at_its_first_move() -> None:
    table = Table(cards=2)
    table.pay(1, 2, 1)
    table.ledger.admit(b"\x09" * 4)
    table.pay(3, 1, 1)
    assert held(table.report(), 3) == [None, 15, 14]


def test_resumed_game_is_one_report() -> None:
    table = Table(cards=2)
    table.pay(1, 2, 1)
    table.ledger.new_game(BANKING)
    table.pay(1, 2, 7)
    table.ledger.go_back()
    table.pay(1, 2, 2)
    assert held(table.report(1), 1) == [15, 14, 12]
    assert held(table.report(2), 1) == [15, 8]


# Moves


def moves(report: Report) -> list[tuple[int | None, str, bool]]:
    return [(move.step, report.sentence(move.posting), move.taken_back) for move in report.moves]


def test_every_move_is_listed_also_those_taken_back() -> None:
    table = Table(cards=3)
    table.pay(1, 2, 3)
    late = table.ledger.moves[0]
    table.pay(BANK, 1, 2, Purpose.SALARY)
    table.undo()
    table.pay(2, 1, 1)
    table.ledger.reverse(late)
    report = table.report()
    listed = list(report.moves)
    assert moves(report) == [
        (None, "Card 1 opens with 15M", False),
        (None, "Card 2 opens with 15M", False),
        (1, "Card 1 pays 3M to card 2", True),
        (None, "Card 1 passes GO and gets 2M", True),
        (None, "Taken back: 2M from card 1 to the bank", False),
        (2, "Card 2 pays 1M to card 1", False),
        (3, "Taken back: 3M from card 2 to card 1", False),
    ]
    assert [move.balances for move in listed] == [
        tuple(None if amount is None else amount * MILLION for amount in pair)
        for pair in ((15, None), (15, 15), (12, 18), (14, 18), (12, 18), (13, 17), (16, 14))
    ]
    assert listed[-1].balances == tuple(curve.balances[-1] for curve in report.curves)
    assert [move.at for move in listed[:3]] == [1_000, 1_000, 1_060]


def test_what_the_bank_does_with_cards_is_listed() -> None:
    """A late card, a forgotten one, and the pot, which has no card. Not a card that never plays."""
    table = Table(cards=3)
    table.pay(1, 2, 1)
    table.ledger.admit(b"\x09" * 4)
    table.pay(4, POT, 1, Purpose.FINE)
    table.pay(BANK, POT, 2, Purpose.POT)
    table.ledger.forget(2)
    assert moves(table.report())[2:] == [
        (1, "Card 1 pays 1M to card 2", False),
        (None, "Card 4 opens with 15M", False),
        (2, "Card 4 pays a fine of 1M to the pot", False),
        (3, "The bank pays 2M into the pot", False),
        (4, "Card 2 is forgotten; 16M goes back to the bank", False),
    ]


# Totals


def test_totals_by_purpose() -> None:
    table = Table()
    table.pay(BANK, 1, 2)
    table.pay(BANK, 2, 3)
    table.pay(1, BANK, 1)
    table.pay(1, 2, 4)
    table.pay(2, 1, 5)
    table.pay(BANK, 1, 2, Purpose.SALARY)
    table.pay(1, POT, 1, Purpose.FINE)
    table.pay(POT, 2, 1, Purpose.POT)
    table.pay(BANK, POT, 3, Purpose.POT)
    table.pay(1, 2, 9)
    table.undo()
    table.ruin(3)
    assert table.report().totals == (
        Total("entries from the bank", 2, 5 * MILLION),
        Total("entries to the bank", 1, 1 * MILLION),
        Total("entries between players", 2, 9 * MILLION),
        Total("salaries", 1, 2 * MILLION),
        Total("fines", 1, 1 * MILLION),
        Total("out of the pot", 1, 1 * MILLION),
        Total("bankruptcies", 1, 15 * MILLION),
        Total("from the bank into the pot", 1, 3 * MILLION),
    )
    assert table.report().taken_back == 1
    assert table.report().notes == [
        "Never played, and left out: 1 card.",
        "Taken back, and left out of the totals: 1 move.",
        "In the pot: 3M.",
    ]


def test_every_purpose_of_a_move_has_a_total() -> None:
    table = Table()
    table.pay(BANK, 1, 50)
    for purpose in Purpose:
        if purpose.is_move and purpose is not Purpose.ENTRY:
            table.pay(*((BANK, 1) if purpose is Purpose.SALE else (1, POT)), 1, purpose)
    totals = table.report().totals
    assert len(totals) == 1 + sum(purpose.is_move for purpose in Purpose) - 1
    assert sum(total.moves for total in totals) == len(totals)


def test_amount_that_does_not_fit_five_digits_is_written_in_full() -> None:
    table = Table()
    assert table.report().amount(123_456_000) == "123 456 000"
    assert table.report().amount(123_450_000) == "123,45M"
