"""``tellerbox ledger report``: a game on one page, as text and for a browser."""

import errno
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from firmware import edition as editions
from firmware import report_page, report_text
from firmware.cli import main
from firmware.ledger import Ledger
from firmware.ledger_file import held_by_box
from firmware.records import BANK, POT, Kind, Purpose
from firmware.report import Curve, Report, State, Total, report_of, ticks
from firmware.store import Store

BANKING = editions.load("banking")
OLD_LEDGER = Path(__file__).with_name("ledgers") / "format-1.db"
MILLION = 1_000_000


class Table:
    """A ledger in memory, people playing with it, and a clock on the wall."""

    def __init__(self, cards: int = 4, edition: editions.Edition = BANKING) -> None:
        self.now = 1_000
        self.store = Store.in_memory(lambda: self.now)
        self.ledger = Ledger(self.store, edition)
        self.ledger.know([bytes([n] * 4) for n in range(1, cards + 1)])

    def pay(self, payer: int, payee: int, millions: int, purpose: Purpose = Purpose.ENTRY) -> None:
        self.now += 60
        self.ledger.move(payer, payee, millions * MILLION, purpose)

    def undo(self) -> None:
        self.ledger.reverse(self.ledger.current.moves[0])

    def ruin(self, payer: int, payee: int = BANK) -> None:
        self.ledger.move(payer, payee, self.ledger.balance(payer), Purpose.BANKRUPTCY)

    def count(self, **added: int) -> None:
        """How many millions more than its balance each card is worth."""
        self.ledger.open_count()
        for card, millions in added.items():
            self.ledger.count(int(card.removeprefix("card")), millions * MILLION)

    def report(self, game: int | None = None) -> Report:
        return report_of(self.store._connection, game or self.ledger.game)


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
    told = table.report()
    assert told.counted
    assert places(told) == [(1, 1), (2, 2), (3, 3)]
    assert [player.worth for player in told.players] == [21 * MILLION, 18 * MILLION, 14 * MILLION]
    assert told.players[0].balance == 12 * MILLION
    assert told.verdict == "Card 1 has won the final count."


def test_equals_share_a_place() -> None:
    table = Table()
    for card in (1, 2, 3, 4):
        table.ledger.join(card)
    table.pay(4, BANK, 1)
    assert places(table.report()) == [(1, 1), (1, 2), (1, 3), (4, 4)]
    assert table.report().verdict == "Cards 1, 2 and 3 have the most money so far."
    table.count(card1=0, card2=0, card3=1, card4=2)
    assert places(table.report()) == [(1, 3), (1, 4), (3, 1), (3, 2)]
    assert table.report().verdict == "Cards 3 and 4 have won the final count."


def test_the_bankrupt_come_last_and_the_first_of_them_at_the_very_end() -> None:
    table = Table()
    for card in (1, 2, 3, 4):
        table.ledger.join(card)
    table.ruin(3, 1)
    table.ruin(2, 1)
    assert places(table.report()) == [(1, 1), (2, 4), (None, 2), (None, 3)]
    assert [player.state for player in table.report().players[2:]] == [State.OUT] * 2
    # Who is out does not have to be counted.
    table.count(card1=0, card4=50)
    assert table.report().counted
    assert places(table.report()) == [(1, 4), (2, 1), (None, 2), (None, 3)]


def test_who_is_left_over_has_won() -> None:
    table = Table(cards=2)
    table.pay(1, 2, 1)
    assert not table.report().over
    table.ruin(1, 2)
    assert table.report().over
    assert table.report().verdict == "Card 2 has won: everybody else is out."
    table.undo()
    assert not table.report().over


def test_one_who_plays_alone_has_not_won_yet() -> None:
    table = Table()
    table.pay(BANK, 1, 1)
    assert not table.report().over
    assert table.report().verdict == "Card 1 has the most money so far."


def test_a_card_that_was_forgotten_during_the_game() -> None:
    table = Table()
    table.pay(1, 2, 1)
    table.ledger.forget(1)
    assert places(table.report()) == [(1, 2), (None, 1)]
    assert table.report().players[1].state is State.FORGOTTEN


def test_a_card_that_was_forgotten_later_still_has_won() -> None:
    table = Table()
    table.pay(1, 2, 1)
    table.ledger.new_game(BANKING)
    table.ledger.forget(2)
    assert places(table.report(1)) == [(1, 2), (2, 1)]


def test_cards_that_never_played_are_left_out() -> None:
    table = Table(cards=6)
    table.pay(1, 2, 1)
    table.ledger.join(5)
    told = table.report()
    assert sorted(player.number for player in told.players) == [1, 2, 5]
    assert [curve.number for curve in told.curves] == [1, 2, 5]
    assert told.never_played == 3
    assert "Never played, and left out: 3 cards." in told.notes


# When it is over


def test_a_game_is_over_when_it_was_left_or_counted() -> None:
    table = Table(cards=2)
    table.pay(1, 2, 1)
    assert table.report().title == "Game 1, as it stands"
    table.count(card1=0, card2=0)
    assert table.report().title == "Game 1"
    table.pay(1, 2, 1)
    assert table.report().title == "Game 1, as it stands"
    table.ledger.new_game(BANKING)
    assert table.report(1).title == "Game 1"
    assert (
        table.report(1).verdict == "Card 2 ended with the most money, without a full final count."
    )
    assert table.report(2).title == "Game 2, as it stands"
    table.ledger.go_back()
    assert table.report(1).title == "Game 1, as it stands"
    assert table.report(2).title == "Game 2"


def test_what_kind_of_game_it_was_and_when() -> None:
    table = Table(cards=1)
    table.now = 5_000
    table.ledger.new_game(editions.load("europe"), kind=Kind.CLOCK, minutes=90)
    table.now = 5_500
    table.ledger.join(1)
    told = table.report()
    assert (told.edition.name, told.kind) == ("europe", "clock 90 min")
    assert (told.begun, told.last_played) == (5_000, 5_500)
    assert (table.report(1).kind, table.report(1).begun) == ("normal", 1_000)


def test_a_game_in_which_nobody_has_played() -> None:
    table = Table()
    told = table.report()
    assert (told.players, told.curves, told.totals, told.steps) == ((), (), (), 0)
    assert told.verdict == "Nobody is in this game."
    assert "Nobody is in this game." in "\n".join(report_text.lines(told))
    assert "Nobody is in this game." in report_page.page(told)


def test_a_game_in_which_nothing_was_paid() -> None:
    table = Table()
    table.ledger.join(1)
    told = table.report()
    assert told.steps == 0
    for written in ("\n".join(report_text.lines(told)), report_page.page(told)):
        assert "15M" in written
        assert "move by move" not in written
        assert "What was paid" not in written


# Balances over time


def held(report: Report, card: int) -> list[int | None]:
    """A card's balances, in millions."""
    [curve] = [curve for curve in report.curves if curve.number == card]
    return [None if amount is None else amount // MILLION for amount in curve.balances]


def test_balances_at_the_start_and_after_each_move() -> None:
    table = Table()
    table.pay(1, 2, 3)
    table.pay(BANK, 1, 2, Purpose.SALARY)
    told = table.report()
    assert held(told, 1) == [15, 12, 14]
    assert held(told, 2) == [15, 18, 18]
    assert (told.steps, told.peak) == (2, 18 * MILLION)


def test_what_was_taken_back_at_once_is_not_drawn() -> None:
    table = Table()
    table.pay(1, 2, 3)
    table.pay(1, 2, 4)
    table.pay(1, 2, 5)
    table.undo()
    table.undo()
    table.pay(BANK, 1, 2)
    assert held(table.report(), 1) == [15, 12, 14]


def test_what_was_taken_back_later_is_drawn_as_it_was() -> None:
    table = Table()
    table.pay(1, 2, 3)
    late = table.ledger.current.moves[0]
    table.pay(2, 3, 16)
    table.pay(3, 2, 16)
    table.ledger.reverse(late)
    assert held(table.report(), 2) == [15, 18, 2, 18, 15]


def test_a_card_that_came_later_begins_there() -> None:
    table = Table(cards=2)
    table.pay(1, 2, 1)
    table.ledger.admit(b"\x09" * 4)
    table.pay(3, 1, 1)
    assert held(table.report(), 3) == [None, 15, 14]


def test_a_game_that_was_gone_back_to_is_one_game() -> None:
    table = Table(cards=2)
    table.pay(1, 2, 1)
    table.ledger.new_game(BANKING)
    table.pay(1, 2, 7)
    table.ledger.go_back()
    table.pay(1, 2, 2)
    assert held(table.report(1), 1) == [15, 14, 12]
    assert held(table.report(2), 1) == [15, 8]


# What was paid


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
    )
    assert table.report().taken_back == 1
    assert table.report().notes == [
        "Never played, and left out: 1 card.",
        "Taken back, and left out: 1 move.",
        "In the pot: 0.",
    ]


def test_every_purpose_that_is_a_move_has_its_line() -> None:
    table = Table()
    table.pay(BANK, 1, 50)
    for purpose in Purpose:
        if purpose.is_move and purpose is not Purpose.ENTRY:
            table.pay(*((BANK, 1) if purpose is Purpose.SALE else (1, POT)), 1, purpose)
    totals = table.report().totals
    assert len(totals) == 1 + sum(purpose.is_move for purpose in Purpose) - 1
    assert sum(total.moves for total in totals) == len(totals)


@pytest.mark.parametrize(
    ("peak", "expected"),
    [
        (0, []),
        (1, [1]),
        (4, [1, 2, 3, 4]),
        (5, [2, 4]),
        (22, [5, 10, 15, 20]),
        (69_840_000, [20_000_000, 40_000_000, 60_000_000]),
    ],
)
def test_ticks_are_round_and_few(peak: int, expected: list[int]) -> None:
    assert ticks(peak) == expected


def test_an_amount_that_five_digits_do_not_show_is_written_in_full() -> None:
    table = Table()
    assert table.report().amount(123_456_000) == "123 456 000"
    assert table.report().amount(123_450_000) == "123,45M"


# As text


def text(report: Report) -> str:
    return "\n".join(report_text.lines(report))


def test_the_text() -> None:
    table = Table(cards=3)
    table.pay(1, 2, 5)
    table.pay(BANK, 1, 10)
    table.pay(2, BANK, 20)
    table.count(card1=1, card2=2)
    lines = text(table.report()).split("\n")
    assert lines[0] == "Game 1: edition banking, normal"
    assert lines[2].startswith("begun        1970-01-01 ")
    assert lines[3].startswith("last played  1970-01-01 ")
    assert lines[5:10] == [
        "Ranking by the final count",
        "  place  card  balance  final count",
        "  1         1      20M          21M",
        "  2         2        0           2M",
        "Card 1 has won the final count.",
    ]
    assert lines[-2:] == ["", "Never played, and left out: 1 card."]


def test_the_chart_in_text() -> None:
    table = Table(cards=2)
    table.pay(1, 2, 5)
    table.pay(BANK, 1, 10)
    table.pay(2, BANK, 20)
    lines = text(table.report()).split("\n")
    top = next(index for index, line in enumerate(lines) if line.startswith("20M +"))
    plot = [line[5:65].ljust(60) for line in lines[top : top + 18]]
    # Four quarters, the start and after each of three moves; where two meet they take turns.
    assert plot[0] == " " * 15 + "2" * 15 + "121212121212121" + "1" * 15
    assert plot[4] == "121212121212121" + " " * 15 + ":" + " " * 14 + ":" + " " * 14
    assert plot[6] == " " * 15 + ":" + " " * 14 + ":" + " " * 14 + ":" + " " * 14
    assert plot[8] == " " * 15 + "1" * 15 + " " * 15 + ":" + " " * 14
    assert plot[16] == " " * 45 + ":" + " " * 14
    assert plot[17] == " " * 45 + "2" * 15
    assert lines[top + 17].startswith("  0 +")
    assert [lines[top][65:], lines[top + 17][65:]] == [" 1", " 2"]
    assert lines[top + 19].split() == ["start", "3", "moves"]


@pytest.mark.parametrize("edition", editions.names())
@pytest.mark.parametrize("moves", [1, 59, 60, 61, 700])
def test_the_text_is_plain_and_fits_a_terminal(edition: str, moves: int) -> None:
    played = editions.load(edition)
    table = Table(cards=played.cards, edition=played)
    for number in table.ledger.cards:
        table.ledger.join(number)
    table.ledger.move(BANK, 1, played.fullest - played.opening_balance, Purpose.ENTRY)
    for move in range(moves):
        payer = move % played.cards + 1
        amount = min(table.ledger.balance(payer), played.step * 17)
        payee = payer % played.cards + 1
        if payee != 1 and amount:
            table.ledger.move(payer, payee, amount, Purpose.ENTRY)
    for ended in (False, True):
        if ended:
            table.ledger.new_game(played)
        written = text(table.report(1))
        assert written.isascii()
        assert max(map(len, written.split("\n"))) <= 80
    everybody = [player._replace(place=1) for player in table.report(1).players]
    crowd = table.report(1)._replace(players=tuple(everybody))
    assert max(map(len, text(crowd).split("\n"))) <= 80


# As a page


class Page(HTMLParser):
    """Reads a page, and sees that every element is closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: dict[str, list[str]] = {}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.words.setdefault(self.open[-1], []).append(data)

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        return [
            found
            for name, found in self.elements
            if name == tag and attributes.items() <= found.items()
        ]


@pytest.fixture
def evening() -> Report:
    """Eight players; one is out."""
    europe = editions.load("europe")
    table = Table(cards=8, edition=europe)
    for round_ in range(6):
        for card in range(1, 9):
            amount = 10 * card + round_
            table.ledger.move(card, card % 8 + 1, amount, Purpose.ENTRY)
    table.ruin(5, 6)
    table.ledger.open_count()
    for card in table.ledger.players:
        table.ledger.count(card, 100 * card)
    return table.report()


def test_the_page_says_what_the_text_says(evening: Report) -> None:
    page = Page(report_page.page(evening))
    assert page.words["h1"] == [evening.title]
    assert evening.verdict in page.words["p"]
    cells = page.words["td"] + page.words["th"]
    for player in evening.players:
        assert evening.amount(player.balance) in cells
        assert player.worth is None or evening.amount(player.worth) in cells
    assert "OUT" in cells
    for total in evening.totals:
        assert {total.what, str(total.moves), evening.amount(total.amount)} <= set(cells)


def test_the_page_loads_and_runs_nothing(evening: Report) -> None:
    written = report_page.page(evening)
    page = Page(written)
    assert {tag for tag, _ in page.elements} <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "dl", "dt", "dd"),
        *("div", "section", "table", "thead", "tbody", "tr", "th", "td", "footer"),
        *("svg", "desc", "path", "text"),
    }
    for word in ("http:", "https:", "url(", "@import", "src=", "href=", "javascript"):
        assert word not in written
    [policy] = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"


def test_the_chart_can_be_read_without_seeing_its_colours(evening: Report) -> None:
    page = Page(report_page.page(evening))
    lines = page.all("path", **{"class": "line"})
    dashes = {re.search("stroke-dasharray:([^;]+)", line["style"] or "") for line in lines}
    assert len({found.group(1) for found in dashes if found}) == 8
    names = [f"card {number}" for number in range(1, 9)]
    assert set(names) <= set(page.words["text"])
    [drawing] = page.all("svg")
    assert drawing["role"] == "img"
    labels = (drawing["aria-labelledby"] or "").split()
    assert [tag for tag, found in page.elements if found.get("id") in labels] == ["title", "desc"]
    [words] = page.words["desc"]
    assert "Card 5 begins with 1500, ends with 0." in words
    # And the same in figures.
    for number in range(1, 9):
        assert names[number - 1] in page.words["th"]
        [curve] = [curve for curve in evening.curves if curve.number == number]
        assert evening.amount(curve.balances[-1] or 0) in page.words["td"]


def test_labels_at_the_ends_do_not_meet_and_stay_in_the_drawing(evening: Report) -> None:
    equal = tuple(Curve(curve.number, (0,) * 49) for curve in evening.curves)
    for told in (evening, evening._replace(curves=equal)):
        page = Page(report_page.page(told))
        places = sorted(int(label["y"] or 0) for label in page.all("text", **{"class": "name"}))
        assert len(places) == 8
        assert all(below - above >= 15 for above, below in pairwise(places))
        [drawing] = page.all("svg")
        height = int((drawing["viewbox"] or "").split()[3])
        assert places[0] >= 10
        assert places[-1] <= height


def test_day_and_night(evening: Report) -> None:
    written = report_page.page(evening)
    day, night = written.split("@media (prefers-color-scheme: dark)")
    for name in ("ink", "paper", "rule", "faint", "c0", "c7"):
        colours = [re.search(f"--{name}: (#[0-9a-f]{{6}});", part) for part in (day, night)]
        assert colours[0]
        assert colours[1]
        assert colours[0].group(1) != colours[1].group(1)


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_colour_stands_out_enough_to_be_read(evening: Report) -> None:
    """4.5 to 1, as the accessibility guidelines ask of text."""
    for part in report_page.page(evening).split("@media (prefers-color-scheme: dark)"):
        colours = dict(re.findall("--([a-z0-9]+): (#[0-9a-f]{6});", part))
        paper = luminance(colours["paper"])
        for name in ("ink", "faint", *(f"c{n}" for n in range(8))):
            bright, dim = sorted((luminance(colours[name]), paper), reverse=True)
            assert (bright + 0.05) / (dim + 0.05) >= 4.5, name


def test_nothing_is_taken_for_markup(evening: Report) -> None:
    hostile = evening._replace(
        kind="<script>alert('&')</script>",
        totals=(Total('<img src="x">', 1, 1),),
        edition=evening.edition._replace(name="<b>&"),
    )
    page = Page(report_page.page(hostile))
    assert not page.all("script")
    assert not page.all("img")
    assert "<script>alert('&')</script>" in page.words["dd"]
    assert "<b>&" in page.words["dd"]


def test_the_curves_reach_the_highest_and_the_lowest(evening: Report) -> None:
    """A long game is thinned out; a peak of a single move must not be lost."""
    long = [1_000] * 5_000
    long[1_234] = 9_000
    long[3_210] = 0
    told = evening._replace(curves=(Curve(1, tuple(long)),), peak=9_000)
    [line] = Page(report_page.page(told)).all("path", **{"class": "line"})
    heights = {int(y) for y in re.findall("V([0-9]+)", line["d"] or "")}
    grid = Page(report_page.page(told)).all("path", **{"class": "rule"})
    zero = int(re.findall("M[0-9]+ ([0-9]+)H", grid[0]["d"] or "")[0])
    assert max(heights) == zero
    assert min(heights) < 20


def test_a_big_game_is_quick_and_its_page_small() -> None:
    table = Table(cards=6)
    for move in range(5_000):
        payer, payee = move % 6 + 1, (move * 7 + 1) % 6 + 1
        if payer != payee and table.ledger.balance(payer) >= MILLION:
            table.pay(payer, payee, 1)
        else:
            table.pay(BANK, payer, 2)
    start = time.perf_counter()
    told = table.report()
    written, page = text(told), report_page.page(told)
    assert time.perf_counter() - start < 3
    assert "5000 moves" in written
    assert len(page) < 60_000


# The command


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "played.db"
    with held_by_box(path) as store:
        books = Ledger(store, BANKING)
        books.know([b"\x01" * 4, b"\x02" * 4, b"\x03" * 4])
        books.move(1, 2, 3 * MILLION, Purpose.ENTRY)
        books.new_game(BANKING, kind=Kind.FAST)
        books.move(2, 1, MILLION, Purpose.RENT)
    return path


Tell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str], ledger: Path) -> Tell:
    def tell(*words: str | Path) -> tuple[int, str, str]:
        status = main(["ledger", "report", "--ledger", str(ledger), *map(str, words)])
        return status, *capsys.readouterr()

    return tell


def test_the_command(tell: Tell) -> None:
    status, out, err = tell()
    assert (status, err) == (0, "")
    assert out.startswith("Game 2, as it stands: edition banking, fast\n")
    assert "rent of utilities" in out
    status, out, err = tell("--game", "1")
    assert out.startswith("Game 1: edition banking, normal\n")
    assert "Card 2 ended with the most money" in out


def test_the_page_of_the_command(tell: Tell, tmp_path: Path) -> None:
    target = tmp_path / "out" / "game.html"
    assert tell("--html", target) == (
        1,
        "",
        f"tellerbox: {target}: cannot be written: No such file or directory\n",
    )
    target.parent.mkdir()
    status, out, err = tell("--html", target, "--game", "1")
    assert (status, err) == (0, "")
    assert out == f"{target}: game 1, {target.stat().st_size} bytes\n"
    assert Page(target.read_text(encoding="utf-8")).words["h1"] == ["Game 1"]
    before = target.read_bytes()
    status, out, err = tell("--html", target)
    assert (status, out) == (1, "")
    assert err == f"tellerbox: {target}: is there already; name another file, or say --force\n"
    assert target.read_bytes() == before
    assert tell("--html", target, "--force")[0] == 0
    assert Page(target.read_text(encoding="utf-8")).words["h1"] == ["Game 2, as it stands"]
    assert os.listdir(target.parent) == ["game.html"]


def test_a_page_replaces_nothing_but_files(tell: Tell, ledger: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for target in (tmp_path / "pipe", tmp_path):
        status, _, err = tell("--html", target, "--force")
        assert status == 1
        assert err == f"tellerbox: {target}: is not a file that could be replaced\n"
    before = ledger.read_bytes()
    status, _, err = tell("--html", ledger, "--force")
    assert (status, err) == (1, f"tellerbox: {ledger}: is the ledger itself\n")
    assert ledger.read_bytes() == before


def test_bad_input_is_met_with_a_sentence(
    tell: Tell, ledger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tell("--game", "9")[::2] == (1, f"tellerbox: {ledger}: there is no game 9\n")
    assert tell("--game", "-1")[::2] == (1, f"tellerbox: {ledger}: there is no game -1\n")
    status, out, err = tell("--force")
    assert (status, out) == (1, "")
    assert err == "tellerbox: --force is about the FILE of --html, and none was named\n"
    with pytest.raises(SystemExit) as end:
        tell("--game", "two")
    assert end.value.code == 2
    assert "invalid int value: 'two'" in capsys.readouterr().err


def test_a_page_that_cannot_be_finished_leaves_nothing(
    tell: Tell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full half-way; the report that was there stays."""
    target = tmp_path / "out" / "game.html"
    target.parent.mkdir()
    target.write_text("last week's")

    def half(path: Path, content: str, encoding: str) -> None:
        path.write_bytes(content[: len(content) // 2].encode(encoding))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_text", half)
    status, out, err = tell("--html", target, "--force")
    assert (status, out) == (1, "")
    assert err == f"tellerbox: {target}: cannot be written: No space left on device\n"
    assert target.read_text() == "last week's"
    assert os.listdir(target.parent) == ["game.html"]


def test_only_a_report_loads_what_a_report_needs(ledger: Path) -> None:
    code = (
        "import sys; from firmware.cli import main;"
        "status = main(sys.argv[1:]);"
        "print(*(name for name in sys.modules if name.startswith('firmware.report')))"
    )
    for what, loaded in (("games", ""), ("report", "firmware.report")):
        words = [sys.executable, "-c", code, "ledger", what, "--ledger", str(ledger)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        last = done.stdout.split("\n")[-2]
        assert (loaded in last.split()) if loaded else last == ""


def test_a_report_of_an_old_ledger(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It knows nothing of who was put in, only of moves."""
    old = tmp_path / "old.db"
    old.write_bytes(OLD_LEDGER.read_bytes())
    assert main(["ledger", "report", "--ledger", str(old), "--game", "1"]) == 0
    out = capsys.readouterr().out
    assert "  1         1    17,6M\n  2         2    16,4M\n  3         3    14,4M\n" in out
    assert "Never played, and left out: 3 cards." in out
    assert "Taken back, and left out: 1 move." in out
    assert "  entries to the bank          1    600K\n" in out
    assert old.read_bytes() == OLD_LEDGER.read_bytes()
