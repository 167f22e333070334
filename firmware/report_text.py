"""A game's report as plain text, at most 80 columns wide, for a terminal or a printer."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from textwrap import wrap

from firmware.report import Curve, Report, ticks
from firmware.wording import moves, when

_WIDTH = 80
_COLUMNS = 60
_ROWS = 18
"""The chart without its margins; its lowest row is at 0."""


def lines(report: Report) -> Iterator[str]:
    """The report, line by line."""
    yield from _heading(report)
    yield ""
    yield from _ranking(report)
    if report.steps:
        yield ""
        yield from _chart(report)
        yield ""
        yield from _totals(report)
    if report.notes:
        yield ""
        yield from report.notes


def _heading(report: Report) -> Iterator[str]:
    title = f"{report.title}: edition {report.edition.name}, {report.kind}"
    yield title
    yield "=" * len(title)
    yield f"begun        {when(report.begun)}"
    yield f"last played  {when(report.last_played)}  by the box's own clock, which may be wrong"


def _ranking(report: Report) -> Iterator[str]:
    if not report.players:
        yield report.verdict
        return
    yield f"Ranking by {'the final count' if report.counted else 'balance'}"
    heads = ("place", "card", "balance", "final count")
    found = [
        (
            player.state.value if player.place is None else str(player.place),
            str(player.number),
            report.amount(player.balance),
            "" if player.worth is None else report.amount(player.worth),
        )
        for player in report.players
    ]
    yield from _table([line[: 4 if report.counted else 3] for line in (heads, *found)])
    yield from wrap(report.verdict, _WIDTH)


def _totals(report: Report) -> Iterator[str]:
    yield "What was paid"
    found = [(total.what, str(total.moves), report.amount(total.amount)) for total in report.totals]
    yield from _table([("", "moves", "amount"), *found])


def _table(table: Sequence[Sequence[str]]) -> Iterator[str]:
    """The first column begins, and the others end, at the same place in every line."""
    first, *others = (max(map(len, column)) for column in zip(*table, strict=True))
    for name, *cells in table:
        figures = (f"  {cell:>{width}}" for cell, width in zip(cells, others, strict=True))
        yield f"  {name:<{first}}{''.join(figures)}".rstrip()


# The chart


def _chart(report: Report) -> Iterator[str]:
    yield "Balances, move by move (by card number; where some meet, they take turns)"
    labels = {_row(tick, report.peak): report.amount(tick) for tick in (0, *ticks(report.peak))}
    margin = max(map(len, labels.values()))
    ends = _ends(report)
    for row, cells in reversed(list(enumerate(_cells(report)))):
        label = f"{labels.get(row, ''):>{margin}} {'+' if row in labels else '|'}"
        yield f"{label}{''.join(cells)} {ends.get(row, '')}".rstrip()
    yield f"{'':{margin}} +{'-' * _COLUMNS}"
    yield f"{'':{margin}}  start{moves(report.steps):>{_COLUMNS - len('start')}}"


def _row(amount: int, peak: int) -> int:
    return (2 * amount * (_ROWS - 1) + peak) // (2 * peak) if peak else 0


def _cells(report: Report) -> list[list[str]]:
    """The plot, its lowest row first."""
    cells = [[" "] * _COLUMNS for _ in range(_ROWS)]
    paths = {str(curve.number): list(_path(curve, report)) for curve in report.curves}
    for path in paths.values():
        for column, (before, here) in enumerate(pairwise(path), start=1):
            if before is not None and here is not None:
                for row in range(min(before, here) + 1, max(before, here)):
                    cells[row][column] = ":"
    for column in range(_COLUMNS):
        for row, cards in _meeting(paths, column).items():
            cells[row][column] = cards[column % len(cards)]
    return cells


def _path(curve: Curve, report: Report) -> Iterator[int | None]:
    """The row in each column; a long game is thinned out, a short one drawn in steps."""
    for column in range(_COLUMNS):
        if report.steps < _COLUMNS:
            step = column * (report.steps + 1) // _COLUMNS
        else:
            step = column * report.steps // (_COLUMNS - 1)
        held = curve.balances[step]
        yield None if held is None else _row(held, report.peak)


def _meeting(paths: dict[str, list[int | None]], column: int) -> dict[int, list[str]]:
    """The cards in each row of a column."""
    found: dict[int, list[str]] = {}
    for card, path in paths.items():
        row = path[column]
        if row is not None:
            found.setdefault(row, []).append(card)
    return found


def _ends(report: Report) -> dict[int, str]:
    """Which cards end in a row."""
    ends: dict[int, str] = {}
    for number, balances in report.curves:
        row = _row(balances[-1] or 0, report.peak)
        ends[row] = ends.get(row, "") + str(number)
    return ends
