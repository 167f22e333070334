"""The chart of a game's balances, as values: the ticks, and a line for each card.

Coordinates count from the lower left corner of the plot, in pixels or in characters.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from firmware.reports.balances_over_time import Balance, stretches

_MAX_TICKS = 4
_MAX_STRETCHES = 200
"""A longer game is reduced to this many, each with its highest, lowest and last balance."""


class ChartedGame(Protocol):
    """What a chart needs to know of a game."""

    @property
    def steps(self) -> int:
        """The number of moves."""

    @property
    def lines(self) -> Mapping[int, Iterable[Balance]]:
        """The balances of each card, where they change."""

    @property
    def peak(self) -> int:
        """The highest balance of any card."""

    def amount(self, amount: int) -> str: ...


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


def chart_of(game: ChartedGame, plot: Plot) -> Chart:
    steps, peak = game.steps, max(game.peak, 1)

    def x(step: int) -> int:
        # The balance after the last move has as much room as every other.
        return plot.width * step // (steps + 1)

    def y(amount: int) -> int:
        return (2 * amount * plot.height + peak) // (2 * peak)

    def line(balances: Iterable[Balance]) -> Iterator[Point]:
        height = None
        for stretch in stretches(balances, -(-(steps + 1) // _MAX_STRETCHES)):
            for step, held in stretch:
                if height != (height := y(held)):
                    yield Point(x(step), height)

    lines = (CardLine(number, tuple(line(found))) for number, found in game.lines.items())
    return Chart(
        plot,
        steps,
        tuple(Tick(y(amount), game.amount(amount)) for amount in (0, *ticks(game.peak))),
        tuple(Tick(x(step), str(step)) for step in ticks(steps)),
        tuple(line for line in lines if line.points),
    )


def ticks(peak: int) -> list[int]:
    """At most four round amounts up to the peak, in steps of 1, 2 or 5 times a power of ten."""
    step = 1
    while peak // step > _MAX_TICKS:
        step = step // 2 * 5 if str(step)[0] == "2" else step * 2
    return list(range(step, peak + 1, step))
