"""A report as a page for a browser."""

import cProfile
import re

from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK
from firmware.reports import page as report_page
from firmware.reports.report import Report, Total
from firmware.wording import when
from tests.unit.firmware.reports.played_games import MILLION, Page, Table, text


def test_page_has_the_same_figures_as_the_text(evening: Report) -> None:
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


def test_page_marks_the_leader_and_bankrupt_players(evening: Report) -> None:
    rows = re.findall(r'<tr class="(\w+)"><th scope="row">(\w+)</th>', report_page.page(evening))
    leading = [("first", "1") for player in evening.players if player.place == 1]
    out = [("gone", player.state.value) for player in evening.players if player.place is None]
    assert len(leading) == 1
    assert rows == [*leading, *out]


def test_page_marks_every_winner() -> None:
    table = Table(cards=3)
    table.pay(1, 2, 1)
    table.pay(3, 2, 1)
    assert "WINNER" not in report_page.page(table.report())
    table.count(card1=5, card2=2, card3=0)
    assert Page(report_page.page(table.report())).words["td"].count("WINNER") == 2


def test_page_lists_every_move() -> None:
    """Those taken back are marked; the openings are one row, but for a card that comes later."""
    table = Table(cards=3)
    table.pay(1, 2, 3)
    table.pay(BANK, 1, 2, Purpose.SALARY)
    table.undo()
    table.ledger.admit(b"\x09" * 4)
    table.pay(4, 1, 1)
    written = report_page.page(table.report())
    assert Page(written).words["s"] == ["Card 1 passes GO and gets 2M"]
    listed = written.split("<h2>Moves</h2>")[1].split("</tbody>")[0]
    rows = [re.sub("<[^>]+>", "|", row) for row in re.findall("<tr>.*</tr>", listed)]
    assert [[cell for cell in row.split("|") if cell.strip()] for row in rows] == [
        ["move", "time", "what", "card 1", "card 2", "card 4"],
        ["start", when(1_000)[:10], when(1_000)[10:16], "The game begins", "15M", "15M", "–"],
        ["1", when(1_060)[11:16], "Card 1 pays 3M to card 2", "12M", "18M", "–"],
        [
            "–",
            when(1_120)[11:16],
            "Card 1 passes GO and gets 2M",
            " (taken back)",
            "14M",
            "18M",
            "–",
        ],
        ["–", when(1_120)[11:16], "Taken back: 2M from card 1 to the bank", "12M", "18M", "–"],
        ["–", when(1_120)[11:16], "Card 4 opens with 15M", "12M", "18M", "15M"],
        ["2", when(1_180)[11:16], "Card 4 pays 1M to card 1", "13M", "18M", "14M"],
    ]


def test_page_has_no_scripts_and_external_resources(evening: Report) -> None:
    written = report_page.page(evening)
    page = Page(written)
    assert {tag for tag, _ in page.elements} <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "dl", "dt", "dd"),
        *("div", "section", "table", "thead", "tbody", "tr", "th", "td", "footer"),
        *("svg", "desc", "g", "path", "rect", "text", "span", "b", "s"),
    }
    for word in ("http:", "https:", "url(", "@import", "src=", "href=", "javascript"):
        assert word not in written
    [policy] = page.all("meta", **{"http-equiv": "Content-Security-Policy"})
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"


def test_day_and_night(evening: Report) -> None:
    written = report_page.page(evening)
    day, night = written.split("@media (prefers-color-scheme: dark)")
    for name in ("ink", "paper", "rule", "faint"):
        colours = [re.search(f"--{name}: (#[0-9a-f]{{6}});", part) for part in (day, night)]
        assert colours[0]
        assert colours[1]
        assert colours[0].group(1) != colours[1].group(1)


def test_values_are_escaped(evening: Report) -> None:
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


def calls_of_report(moves: int) -> tuple[int, str, str]:
    """The function calls that the report of a game takes, and the report."""
    table = Table(cards=6)
    for move in range(moves):
        payer, payee = move % 6 + 1, (move * 7 + 1) % 6 + 1
        if payer != payee and table.ledger.balance(payer) >= MILLION:
            table.pay(payer, payee, 1)
        else:
            table.pay(BANK, payer, 2)
    with cProfile.Profile() as profile:
        report = table.report()
        written, page = text(report), report_page.page(report)
    return sum(entry.callcount for entry in profile.getstats()), written, page


def test_report_of_a_long_game_is_small_and_its_cost_grows_with_the_moves_only() -> None:
    shorter, _, _ = calls_of_report(1_000)
    longer, written, page = calls_of_report(5_000)
    assert longer < 6 * shorter
    assert "5000 moves" in written
    assert len(page) < 5_000 * 250
