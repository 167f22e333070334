"""A game's report as plain text, at most 80 columns wide, for a terminal or a printer."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from textwrap import wrap

from firmware.reports.chart import Chart, Plot, Point, chart_of
from firmware.reports.report import Report
from firmware.wording import aligned, plural, when

_WIDTH = 80
_PLOT = Plot(60, 17)
"""In characters; the lowest row is 0."""


def lines(report: Report) -> Iterator[str]:
    title = f"{report.title}: edition {report.edition.name}, {report.kind}"
    yield title
    yield "=" * len(title)
    yield f"begun        {when(report.begun)}"
    yield f"last played  {when(report.last_played)}  by the box's own clock, which may be wrong"
    yield ""
    if report.players:
        yield report.ranking_title
        yield from _table(report.ranking)
    yield from wrap(report.verdict, _WIDTH)
    if report.steps:
        yield ""
        yield from _chart(report)
        yield ""
        yield "Totals paid"
        yield from _table([("", "moves", "amount"), *report.total_rows])
    if report.notes:
        yield ""
        yield from report.notes


def _table(table: Sequence[Sequence[str]]) -> Iterator[str]:
    """Align the first column and the names left, and the other columns right."""
    heads = table[0]
    sides = ["<" if head in ("", heads[0], "name") else ">" for head in heads]
    return (f"  {line}" for line in aligned(table, sides))


def _chart(report: Report) -> Iterator[str]:
    yield "Balances, move by move (lines are card numbers; equal balances alternate)"
    chart = chart_of(report, _PLOT)
    labels = {tick.at: tick.label for tick in chart.amount_ticks}
    margin = max(map(len, labels.values()))
    for row, cells in reversed(list(enumerate(_cells(chart)))):
        label = f"{labels.get(row, ''):>{margin}} {'+' if row in labels else '|'}"
        ends = "".join(str(line.number) for line in chart.lines if line.points[-1].y == row)
        yield f"{label}{''.join(cells)} {ends}".rstrip()
    yield f"{'':{margin}} +{'-' * _PLOT.width}"
    yield f"{'':{margin}}  start{plural(chart.moves, 'move'):>{_PLOT.width - len('start')}}"


def _cells(chart: Chart) -> list[list[str]]:
    """The plot, lowest row first."""
    cells = [[" "] * _PLOT.width for _ in range(_PLOT.height + 1)]
    cards: defaultdict[Point, str] = defaultdict(str)
    for number, points in chart.lines:
        for (_, before), (column, row) in pairwise(points):
            for between in range(min(before, row) + 1, max(before, row)):
                cells[between][column] = ":"
        for (start, row), (end, _) in pairwise((*points, Point(_PLOT.width, 0))):
            for column in range(start, end):
                cards[Point(column, row)] += str(number)
    for (column, row), meeting in cards.items():
        cells[row][column] = meeting[column % len(meeting)]
    return cells
