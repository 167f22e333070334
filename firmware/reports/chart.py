"""The chart of a game's balances, as values: the ticks, and a line for each card.

Coordinates count from the lower left corner of the plot, in pixels or in characters.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from firmware.reports.report import Report

_MAX_TICKS = 4
_MAX_STRETCHES = 200
"""A longer game is reduced to this many, each with its highest, lowest and last balance."""


class Plot(NamedTuple):
    """The size of the area between the axes."""

    width: int
    height: int


class Point(NamedTuple):
    x: int
    y: int


class Tick(NamedTuple):
    at: int
    label: str


class CardLine(NamedTuple):
    """A card's balance: level from each point to the next one."""

    number: int
    points: tuple[Point, ...]


class Chart(NamedTuple):
    plot: Plot
    moves: int
    amount_ticks: tuple[Tick, ...]
    move_ticks: tuple[Tick, ...]
    lines: tuple[CardLine, ...]


def chart_of(report: Report, plot: Plot) -> Chart:
    def x(step: int) -> int:
        # The balance after the last move has as much room as every other.
        return plot.width * step // (report.steps + 1)

    def y(amount: int) -> int:
        peak = max(report.peak, 1)
        return (2 * amount * plot.height + peak) // (2 * peak)

    lines = []
    for number, balances in report.curves:
        points = (Point(x(step), y(held)) for step, held in _thinned(balances))
        levels = groupby(points, key=attrgetter("y"))
        lines.append(CardLine(number, tuple(next(level) for _, level in levels)))
    return Chart(
        plot,
        report.steps,
        tuple(Tick(y(amount), report.amount(amount)) for amount in (0, *ticks(report.peak))),
        tuple(Tick(x(step), str(step)) for step in ticks(report.steps)),
        tuple(line for line in lines if line.points),
    )


def ticks(peak: int) -> list[int]:
    """At most four round amounts up to the peak, in steps of 1, 2 or 5 times a power of ten."""
    step = 1
    while peak // step > _MAX_TICKS:
        step = step // 2 * 5 if str(step)[0] == "2" else step * 2
    return list(range(step, peak + 1, step))


def _thinned(balances: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """The steps to draw, with their balances."""
    known = [(step, held) for step, held in enumerate(balances) if held is not None]
    size = -(-len(known) // _MAX_STRETCHES)
    for start in range(0, len(known), max(size, 1)):
        stretch = known[start : start + size]
        by_balance = sorted(stretch, key=lambda at: at[1])
        yield from sorted({by_balance[0], by_balance[-1], stretch[-1]})
