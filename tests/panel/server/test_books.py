"""What the page is told of the ledger: everything once, then only what is new."""

from pathlib import Path

import pytest

from firmware import edition as editions
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box
from firmware.records import BANK, POT, Kind, Purpose
from sim import stock
from sim.panel.books import Books, opened, ticks

BANKING = editions.load("banking")


@pytest.fixture
def ledger_path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    with held_by_box(path) as store:
        Ledger(store, BANKING).know(stock.players(BANKING))
    return path


def test_news_are_told_once(ledger_path: Path) -> None:
    books = Books(ledger_path)
    first = books.news()
    assert first
    assert [posting["purpose"] for posting in first["postings"]] == ["opening"] * 6
    assert books.news() is None
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).move(1, 2, 1_400_000, Purpose.ENTRY)
    news = books.news()
    assert news
    (posting,) = news["postings"]
    assert (posting["payer"], posting["payee"], posting["written"]) == (1, 2, "1,4M")
    assert [account["written"] for account in news["accounts"][:2]] == ["13,6M", "16,4M"]
    assert news["bank"] == {"balance": -90_000_000, "written": "-90M"}
    whole = books.whole()
    assert whole
    assert [posting["id"] for posting in whole["postings"]] == list(range(1, 8))
    assert books.news() is None
    books.close()


def test_what_was_told_to_a_newcomer_is_still_news_to_the_others(ledger_path: Path) -> None:
    books = Books(ledger_path)
    books.news()
    with held_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(1, 2, 1_400_000, Purpose.ENTRY)
        ledger.new_game(BANKING)
    assert books.whole()
    news = books.news()
    assert news
    assert [posting["id"] for posting in news["postings"]] == list(range(8, 14))
    books.close()


def test_a_new_game_is_told_from_its_beginning(ledger_path: Path) -> None:
    books = Books(ledger_path)
    books.news()
    with held_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 20_000_000, Purpose.ENTRY)
        ledger.new_game(BANKING)
    news = books.news()
    assert news
    assert (news["game"], news["from"]) == (2, 8)
    assert [posting["id"] for posting in news["postings"]] == list(range(8, 14))
    assert news["ticks"][-1]["written"] == "15M", "what was had in the last game is gone"
    books.close()


def test_ticks_reach_to_the_most_that_a_card_has_had(ledger_path: Path) -> None:
    books = Books(ledger_path)
    with held_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 20_000_000, Purpose.ENTRY)
        ledger.move(1, BANK, 20_000_000, Purpose.ENTRY)
    news = books.news()
    assert news
    assert [tick["written"] for tick in news["ticks"]] == ["10M", "20M", "30M"]
    books.close()


def test_a_card_that_is_no_stock_card_has_no_colour(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with held_by_box(path) as store:
        Ledger(store, BANKING).know([b"\x04\x01\x02\x03"])
    books = Books(path)
    news = books.news()
    assert news
    assert news["accounts"] == [
        {"number": 1, "card": None, "out": False, "balance": 15_000_000, "written": "15M"}
    ]
    books.close()


def test_who_is_bankrupt_is_out_until_that_is_taken_back(ledger_path: Path) -> None:
    """F5."""
    books = Books(ledger_path)
    with held_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        everything = ledger.move(2, 1, 15_000_000, Purpose.BANKRUPTCY)
    news = books.news()
    assert news
    assert [account["number"] for account in news["accounts"] if account["out"]] == [2]
    assert news["postings"][-1]["purpose"] == "bankruptcy"
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).reverse(everything)
    news = books.news()
    assert news
    assert not any(account["out"] for account in news["accounts"])
    books.close()


def test_the_pot_is_an_account_once_something_went_into_it(ledger_path: Path) -> None:
    """F23, D22: it is nobody's card, has no line in the chart, and stays when it is empty."""
    books = Books(ledger_path)
    news = books.news()
    assert news
    assert news["pot"] is None
    with held_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        for card in (1, 2, 3):
            ledger.move(card, POT, 10_000_000, Purpose.TAX)
    news = books.news()
    assert news
    assert news["pot"] == {"balance": 30_000_000, "written": "30M"}
    assert news["bank"]["written"] == "-90M"
    assert [account["number"] for account in news["accounts"]] == [1, 2, 3, 4, 5, 6]
    assert news["ticks"][-1]["written"] == "15M", "what the pot has is no card's"
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).move(POT, 1, 30_000_000, Purpose.POT)
    news = books.news()
    assert news
    assert news["pot"] == {"balance": 0, "written": "0"}
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).new_game(BANKING)
    news = books.news()
    assert news
    assert news["pot"] is None
    books.close()


def test_a_game_that_is_resumed_is_told_whole_and_then_goes_on(ledger_path: Path) -> None:
    """F20: its postings have gaps, where those of the other game are."""
    books = Books(ledger_path)
    with held_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 20_000_000, Purpose.ENTRY)
    first = books.news()
    assert first
    with held_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.new_game(BANKING)
        ledger.move(1, 2, 1_000_000, Purpose.ENTRY)
    second = books.news()
    assert second
    assert (second["game"], second["from"]) == (2, 8)
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).go_back()
    again = books.news()
    assert again
    assert again == first, "as it was left"
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).move(2, 3, 2_000_000, Purpose.ENTRY)
    news = books.news()
    assert news
    assert [posting["id"] for posting in news["postings"]] == [15]
    assert news["from"] == first["from"]
    assert [tick["written"] for tick in news["ticks"]] == ["10M", "20M", "30M"]
    assert news["accounts"][1]["written"] == "13M"
    books.close()


def test_a_game_left_and_resumed_unseen_goes_on_where_it_was_told(ledger_path: Path) -> None:
    """A newcomer came in between, and was told of the other game."""
    books = Books(ledger_path)
    with held_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.move(BANK, 1, 20_000_000, Purpose.ENTRY)
    first = books.news()
    assert first
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).new_game(BANKING)
    assert books.whole()
    with held_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.go_back()
        ledger.move(2, 3, 2_000_000, Purpose.ENTRY)
    news = books.news()
    assert news
    assert (news["game"], news["from"]) == (1, first["from"])
    assert [posting["id"] for posting in news["postings"]] == [14]
    assert news["ticks"][-1]["written"] == "30M"
    books.close()


def test_what_is_written_beside_the_money_is_no_news(ledger_path: Path) -> None:
    """F16, F22: a minute that has been played, a card that has joined, a count."""
    books = Books(ledger_path)
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).new_game(BANKING, kind=Kind.CLOCK, minutes=90)
    assert books.news()
    with held_by_box(ledger_path) as store:
        ledger = Ledger(store, BANKING)
        ledger.join(1)
        ledger.keep_time(60_000)
        ledger.open_count()
        ledger.count(1, 5_000_000)
    assert books.news() is None
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).move(1, 2, 1_400_000, Purpose.ENTRY)
    assert books.news()
    books.close()


def test_the_edition_of_the_game_that_is_played_is_known(ledger_path: Path) -> None:
    """F18, F20: also when an older game is played again."""
    books = Books(ledger_path)
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).new_game(editions.load("europe"))
    news = books.news()
    assert news
    assert books.edition.name == "europe"
    assert news["accounts"][0]["written"] == "1500"
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING).go_back()
    assert books.news()
    assert books.edition.name == "banking"
    books.close()


def test_a_file_that_another_one_has_replaced_is_noticed(ledger_path: Path) -> None:
    books = Books(ledger_path)
    assert not books.replaced
    ledger_path.rename(ledger_path.with_name("old.db"))
    assert books.replaced
    with held_by_box(ledger_path) as store:
        Ledger(store, BANKING)
    assert books.replaced
    books.close()


def test_a_ledger_that_is_not_there_has_no_books(tmp_path: Path) -> None:
    assert opened(tmp_path / "none.db") is None


@pytest.mark.parametrize(
    ("peak", "expected"),
    [
        (0, []),
        (1, [1]),
        (4, [1, 2, 3, 4]),
        (5, [2, 4]),
        (15, [5, 10, 15]),
        (1500, [500, 1000, 1500]),
        (99_999, [20_000, 40_000, 60_000, 80_000]),
    ],
)
def test_ticks_are_few_and_round(peak: int, expected: list[int]) -> None:
    assert ticks(peak) == expected
