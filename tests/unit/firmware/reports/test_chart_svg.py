"""The chart as a drawing on the page, and the colours of the cards."""

import re
from itertools import pairwise

from firmware.bank import edition as editions
from firmware.reports import page as report_page
from firmware.reports.card_colours import CARD_COLOURS
from firmware.reports.report import Curve, Report
from tests.unit.firmware.reports.played_games import Page


def test_the_chart_can_be_read_without_seeing_its_colours(evening: Report) -> None:
    page = Page(report_page.page(evening))
    lines = page.all("path", **{"class": "line"})
    assert len({line["stroke-dasharray"] for line in lines}) == 8
    assert set("12345678") <= set(page.words["text"])
    [drawing] = page.all("svg")
    assert drawing["role"] == "img"
    labels = (drawing["aria-labelledby"] or "").split()
    assert [tag for tag, found in page.elements if found.get("id") in labels] == ["title", "desc"]
    [words] = page.words["desc"]
    assert "Card 5 begins with 1500, ends with 0." in words
    # And the same in figures.
    for number in range(1, 9):
        assert f"card {number}" in page.words["th"]
        [curve] = [curve for curve in evening.curves if curve.number == number]
        assert evening.amount(curve.balances[-1] or 0) in page.words["td"]


def test_labels_at_the_ends_do_not_meet_and_stay_in_the_drawing(evening: Report) -> None:
    equal = tuple(Curve(curve.number, (0,) * 49) for curve in evening.curves)
    for report in (evening, evening._replace(curves=equal)):
        page = Page(report_page.page(report))
        places = sorted(int(label["y"] or 0) for label in page.all("text", **{"class": "number"}))
        assert len(places) == 8
        assert all(below - above >= 15 for above, below in pairwise(places))
        [drawing] = page.all("svg")
        _, top, _, height = map(int, (drawing["viewbox"] or "").split())
        assert places[0] - top >= 10
        assert places[-1] - top <= height


PANEL_PAPER = "#fdf9ef"
"""Of ``sim/panel/page/style.css``."""


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(*colours: str) -> float:
    dim, bright = sorted(map(luminance, colours))
    return (bright + 0.05) / (dim + 0.05)


def test_every_colour_stands_out_enough(evening: Report) -> None:
    """WCAG requires 4.5 to 1 for text, and 3 to 1 for the lines of a chart."""
    papers = [PANEL_PAPER]
    for part in report_page.page(evening).split("@media (prefers-color-scheme: dark)"):
        [paper] = re.findall("--paper: (#[0-9a-f]{6});", part)
        shown = re.findall("--(?:ink|faint): (#[0-9a-f]{6});", part)
        assert len(shown) == 2
        assert min(contrast(colour, paper) for colour in shown) >= 4.5
        papers.append(paper)
    assert len(papers) == 3
    assert min(contrast(colours.card, paper) for colours in CARD_COLOURS for paper in papers) >= 3
    assert min(contrast(colours.card, colours.figure) for colours in CARD_COLOURS) >= 4.5
    assert len(CARD_COLOURS) == editions.MOST_CARDS


def test_a_card_has_one_colour_and_dashes_of_its_own(evening: Report) -> None:
    """By day and by night, on the line, its label, and in the ranking: all take it from --card."""
    assert len({colours.card for colours in CARD_COLOURS}) == len(CARD_COLOURS)
    assert len({colours.dashes for colours in CARD_COLOURS}) == len(CARD_COLOURS)
    written = report_page.page(evening)
    for number, colours in enumerate(CARD_COLOURS, start=1):
        assert written.count(colours.card) == 1
        assert f'[data-colour="{number}"] {{ --card: {colours.card};' in written
    page = Page(written)
    marked = [found["data-colour"] for found in page.all("span", **{"class": "card"})]
    assert marked == [str(player.number) for player in evening.players]
    for line in page.all("path", **{"class": "line"}):
        number = int(line["data-colour"] or 0)
        assert line["stroke-dasharray"] == CARD_COLOURS[number - 1].dashes


def test_the_curves_reach_the_highest_and_the_lowest(evening: Report) -> None:
    """A long game is thinned out; a peak of a single move must not be lost."""
    long = [1_000] * 5_000
    long[1_234] = 9_000
    long[3_210] = 0
    report = evening._replace(curves=(Curve(1, tuple(long)),), peak=9_000)
    [line] = Page(report_page.page(report)).all("path", **{"class": "line"})
    heights = {int(y) for y in re.findall("V([0-9]+)", line["d"] or "")}
    grid = Page(report_page.page(report)).all("path", **{"class": "rule"})
    zero = int(re.findall("M[0-9]+ ([0-9]+)H", grid[0]["d"] or "")[0])
    assert max(heights) == zero
    assert min(heights) < 20
