"""The chart as SVG, for the report and for the panel's page.

The lines differ in colour and in their dashes (``card_colours``), and end at the numbers of their
cards.
The SVG needs STYLE, and the variables --faint (text) and --rule (grid) of the page around it.
"""

from collections.abc import Iterator
from html import escape

from firmware.reports import card_colours
from firmware.reports.card_colours import CARD_COLOURS
from firmware.reports.chart import CardLine, Chart, ChartedGame, Plot, Tick, chart_of

LARGE = Plot(820, 350)
SMALL = Plot(250, 138)
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 40, 10, 40
"""The margins of the plot."""
_LABEL_HEIGHT = 15
"""The least distance between two labels at the ends of the lines."""

STYLE = (
    card_colours.STYLE
    + """
.chart { display: block; width: 100%; height: auto; }
.chart text { fill: var(--faint); font: 12px system-ui, sans-serif; text-anchor: middle; }
.chart .tick { text-anchor: end; }
.chart .rule { stroke: var(--rule); }
.chart .line { fill: none; stroke: var(--card); stroke-width: 2.5; stroke-linejoin: round; }
.chart .lead { stroke: var(--card); opacity: .5; }
.chart rect { fill: var(--card); }
.chart .number { fill: var(--figure); font-weight: 700; }
@media (forced-colors: active) {
  .chart text { fill: CanvasText; }
  .chart .line, .chart rect, .chart .number { forced-color-adjust: none; }
  .chart .number { fill: var(--figure); }
}
"""
)


def svg(game: ChartedGame, plot: Plot, words: str = "") -> str:
    """The drawing; without a description in words, the page around it has to give one."""
    width, height = plot.width + _LEFT + _RIGHT, plot.height + _TOP + _BOTTOM
    box = f'class="chart" viewBox="{-_LEFT} {-_TOP} {width} {height}"'
    chart = chart_of(game, plot)
    parts = [f'<svg {box} aria-hidden="true">']
    if words:
        parts = [
            f'<svg {box} role="img" aria-labelledby="chart words">',
            '<title id="chart">Balances, move by move</title>',
            f'<desc id="words">{escape(words)}</desc>',
        ]
    parts += [*_axes(chart), *(_line(chart, line) for line in chart.lines), *_labels(chart)]
    return "\n".join([*parts, "</svg>"])


def _axes(chart: Chart) -> Iterator[str]:
    width, height = chart.plot
    for at, label in chart.amount_ticks:
        yield f'<path class="rule" d="M0 {height - at}H{width}"/>'
        yield f'<text class="tick" x="-6" y="{height - at + 4}">{escape(label)}</text>'
    for at, label in chart.move_ticks:
        yield f'<path class="rule" d="M{at} {height}v4"/>'
        yield f'<text x="{at}" y="{height + 17}">{label}</text>'
    yield f'<text class="caption" x="{width // 2}" y="{height + 34}">moves: {chart.moves}</text>'


def _line(chart: Chart, line: CardLine) -> str:
    width, height = chart.plot
    (first, start), *others = line.points
    steps = "".join(f"H{x}V{height - y}" for x, y in others)
    look = f'data-colour="{line.number}" stroke-dasharray="{CARD_COLOURS[line.number - 1].dashes}"'
    return f'<path class="line" {look} d="M{first} {height - start}{steps}H{width}"/>'


def _labels(chart: Chart) -> Iterator[str]:
    """The number of each card where its line ends, moved up or down if two would overlap."""
    width, height = chart.plot
    ends = sorted(Tick(height - line.points[-1].y, str(line.number)) for line in chart.lines)
    for (y, number), at in zip(ends, _spread([end.at for end in ends], height), strict=True):
        yield f'<g data-colour="{number}"><path class="lead" d="M{width} {y}L{width + 15} {at}"/>'
        yield f'<rect x="{width + 15}" y="{at - 7}" width="20" height="14" rx="3"/>'
        yield f'<text class="number" x="{width + 25}" y="{at + 4}">{number}</text></g>'


def _spread(places: list[int], lowest: int) -> list[int]:
    """Each place, as near to it as the labels above allow, and none below the plot."""
    found: list[int] = []
    for place in places:
        found.append(max(place, found[-1] + _LABEL_HEIGHT) if found else place)
    for index in reversed(range(len(found))):
        found[index] = min(found[index], lowest)
        lowest = found[index] - _LABEL_HEIGHT
    return found
