"""A game's report as a page of its own, for a browser or a printer.

One file, which loads nothing and runs nothing. The lines of its chart differ in colour, in
their dashes and by the labels at their ends, and the chart's figures are in a table below it.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from firmware import __version__
from firmware.report import Curve, Player, Report, ticks
from firmware.wording import account_name, moves, when

_WIDTH, _HEIGHT = 920, 404
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 800, 12, 360
"""The drawing, and the plot within it."""

_MOST_STRETCHES = 200
"""A longer game is thinned out to so many, each with its highest and its lowest balance."""
_LABEL = 17
"""How far apart the labels at the ends of the lines are, at least."""
_MOST_ROWS = 8
"""Of the table of figures, beside the start."""


class Stroke(NamedTuple):
    """What a card's line looks like, by day and by night."""

    day: str
    night: str
    dashes: str


_STROKES = (
    Stroke("#0b62a8", "#6db7f2", "none"),
    Stroke("#b84300", "#ff9a5c", "10 4"),
    Stroke("#00754f", "#4fd0a0", "3 3"),
    Stroke("#9c2f86", "#f08fdc", "14 4 3 4"),
    Stroke("#7a5c00", "#e0bd4a", "6 3"),
    Stroke("#b3123a", "#ff8095", "18 5"),
    Stroke("#00707c", "#5fd0dc", "9 3 2 3 2 3"),
    Stroke("#5b3fc4", "#b3a1ff", "5 2 1 2"),
)
"""Each has enough contrast for text, too; a card beyond the last begins again."""

_DAY = {"ink": "#1b1f23", "faint": "#59636e", "rule": "#d5dae0", "paper": "#ffffff"}
_NIGHT = {"ink": "#e8eaed", "faint": "#a3acb6", "rule": "#363c43", "paper": "#14171a"}

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
body { margin: 0 auto; padding: 2.5rem 1.25rem; max-width: 57.5rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.45 system-ui, sans-serif;
  font-variant-numeric: tabular-nums; }
h1 { margin: 0; font-size: 2.25rem; line-height: 1.15; }
h2 { margin: 2rem 0 .5rem; font-size: 1.125rem; }
p { margin: .25rem 0; }
.notes, footer, dt { color: var(--faint); }
.verdict { margin: .5rem 0 1.25rem; font-size: 1.375rem; }
dl { display: flex; flex-wrap: wrap; gap: .5rem 2.5rem; margin: 0; }
dt { font-size: .875rem; }
dd { margin: 0; }
.pair { display: flex; flex-wrap: wrap; gap: 0 5rem; }
table { border-collapse: collapse; }
th, td { padding: .25rem 0 .25rem 2rem; border-bottom: 1px solid var(--rule);
  text-align: right; white-space: nowrap; font-weight: 400; }
th:first-child { padding-left: 0; text-align: left; }
thead th { color: var(--faint); }
.first > * { font-weight: 700; }
.gone > * { color: var(--faint); }
.wide { overflow-x: auto; }
svg { display: block; width: 100%; min-width: 40rem; height: auto; }
svg text { fill: var(--faint); font: 13px system-ui, sans-serif; }
svg text.name { font-weight: 600; }
svg .rule { stroke: var(--rule); }
svg .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .lead { fill: none; opacity: .5; }
.notes { margin-top: 1.5rem; }
footer { margin-top: 2rem; font-size: .875rem; }
@media print {
  @page { margin: 10mm 15mm; }
  html { font-size: 56%; }
  body { padding: 0; max-width: none; }
  section { break-inside: avoid; }
  .wide { overflow: visible; }
}
"""


def page(report: Report) -> str:
    """The whole file."""
    parts = [*_head(report), *_heading(report)]
    if report.players:
        parts += ['<div class="pair">', *_ranking(report), *_totals(report), "</div>"]
    if report.steps:
        parts += [*_chart(report), *_figures(report)]
    notes = [*report.notes, "The dates are by the box’s own clock, which may be wrong."]
    parts += ['<div class="notes">', *(f"<p>{escape(note)}</p>" for note in notes), "</div>"]
    parts += [f"<footer>Tellerbox {escape(__version__)}</footer>", "</body></html>"]
    return "\n".join(parts) + "\n"


def _head(report: Report) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    # A browser that honours it sees that there is nothing to load and nothing to run.
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield f"<title>{escape(report.title)}</title>\n<style>"
    yield f":root {{ color-scheme: light dark; {_variables(_DAY)} }}"
    yield f"@media (prefers-color-scheme: dark) {{ :root {{ {_variables(_NIGHT)} }} }}"
    yield f"{_STYLE.strip()}\n</style>\n</head>\n<body>"


def _variables(paper: dict[str, str]) -> str:
    night = paper is _NIGHT
    lines = {f"c{n}": s.night if night else s.day for n, s in enumerate(_STROKES)}
    return " ".join(f"--{name}: {colour};" for name, colour in {**paper, **lines}.items())


def _heading(report: Report) -> Iterator[str]:
    yield f"<h1>{escape(report.title)}</h1>"
    yield f'<p class="verdict">{escape(report.verdict)}</p>'
    facts = {
        "edition": report.edition.name,
        "kind": report.kind,
        "begun": when(report.begun),
        "last played": when(report.last_played),
    }
    pairs = "".join(
        f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in facts.items()
    )
    yield f"<dl>{pairs}</dl>"


# The tables


def _ranking(report: Report) -> Iterator[str]:
    by = "the final count" if report.counted else "balance"
    yield f"<section><h2>Ranking by {by}</h2>"
    heads = ["place", "card", "balance", *(["final count"] if report.counted else [])]
    yield from _table(heads, [_ranked(report, player) for player in report.players])
    yield "</section>"


def _ranked(report: Report, player: Player) -> "Row":
    cells = [
        player.state.value if player.place is None else str(player.place),
        str(player.number),
        report.amount(player.balance),
    ]
    if report.counted:
        cells.append("" if player.worth is None else report.amount(player.worth))
    if player.place is None:
        return Row(cells, "gone")
    return Row(cells, "first" if player.place == 1 else "")


def _totals(report: Report) -> Iterator[str]:
    if not report.totals:
        return
    yield "<section><h2>What was paid</h2>"
    found = [Row([t.what, str(t.moves), report.amount(t.amount)]) for t in report.totals]
    yield from _table(["for", "moves", "amount"], found)
    yield "</section>"


def _figures(report: Report) -> Iterator[str]:
    """The balances at a few moments, for those who cannot see the chart."""
    yield f"<section><h2>Balances in figures</h2>\n{_wide('the table of balances')}"
    stretches = min(report.steps, _MOST_ROWS)
    steps = [row * report.steps // stretches for row in range(stretches + 1)]
    heads = ["after", *(account_name(curve.number) for curve in report.curves)]
    yield from _table(heads, [_balances(report, step) for step in steps])
    yield "</div></section>"


def _balances(report: Report, step: int) -> "Row":
    held = [curve.balances[step] for curve in report.curves]
    amounts = ["–" if amount is None else report.amount(amount) for amount in held]
    return Row([moves(step) if step else "the start", *amounts])


def _wide(name: str) -> str:
    """What a narrow screen cannot show whole it can shift, with the keyboard as well."""
    return f'<div class="wide" role="region" aria-label="{escape(name)}" tabindex="0">'


class Row(NamedTuple):
    """A line of a table; its first cell says what the others are about."""

    cells: Sequence[str]
    style: str = ""


def _table(heads: Sequence[str], found: Sequence[Row]) -> Iterator[str]:
    titles = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    yield f"<table>\n<thead><tr>{titles}</tr></thead>\n<tbody>"
    for (first, *others), style in found:
        named = f' class="{style}"' if style else ""
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
        yield f'<tr{named}><th scope="row">{escape(first)}</th>{cells}</tr>'
    yield "</tbody>\n</table>"


# The chart


def _chart(report: Report) -> Iterator[str]:
    yield f"<section><h2>Balances, move by move</h2>\n{_wide('the chart of balances')}"
    yield f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-labelledby="chart words">'
    yield '<title id="chart">Balances, move by move</title>'
    yield f'<desc id="words">{escape(_in_words(report))}</desc>'
    yield from _axes(report)
    for curve in report.curves:
        yield from _line(report, curve)
    yield from _labels(report)
    yield "</svg></div></section>"


def _in_words(report: Report) -> str:
    sentences = [f"The balances of {len(report.curves)} cards over {moves(report.steps)}."]
    for number, balances in report.curves:
        opened = next((held for held in balances if held is not None), 0)
        ended = report.amount(balances[-1] or 0)
        sentences.append(f"Card {number} begins with {report.amount(opened)}, ends with {ended}.")
    return " ".join(sentences)


def _x(report: Report, step: int) -> int:
    return _LEFT + (_RIGHT - _LEFT) * step // report.steps


def _y(report: Report, amount: int) -> int:
    return _BOTTOM - (_BOTTOM - _TOP) * amount // max(report.peak, 1)


def _axes(report: Report) -> Iterator[str]:
    for amount in (0, *ticks(report.peak)):
        y = _y(report, amount)
        yield f'<path class="rule" d="M{_LEFT} {y}H{_RIGHT}"/>'
        yield _text(Point(_LEFT - 8, y + 4), report.amount(amount), "end")
    for step in ticks(report.steps):
        x = _x(report, step)
        yield f'<path class="rule" d="M{x} {_BOTTOM}v5"/>'
        yield _text(Point(x, _BOTTOM + 20), str(step), "middle")
    middle = Point((_LEFT + _RIGHT) // 2, _BOTTOM + 40)
    yield _text(middle, f"moves in their order, {report.steps} in all", "middle")


class Point(NamedTuple):
    x: int
    y: int


def _text(at: Point, text: str, anchor: str) -> str:
    return f'<text x="{at.x}" y="{at.y}" text-anchor="{anchor}">{escape(text)}</text>'


def _colour(number: int) -> str:
    return f"var(--c{(number - 1) % len(_STROKES)})"


def _line(report: Report, curve: Curve) -> Iterator[str]:
    """Level until a move changes it."""
    dashes = _STROKES[(curve.number - 1) % len(_STROKES)].dashes
    look = f'style="stroke:{_colour(curve.number)};stroke-dasharray:{dashes}"'
    points = [
        Point(_x(report, step), _y(report, held))
        for step, held in _thinned(curve.balances)
        if held is not None
    ]
    if not points:
        return
    at = points[0]
    path = [f"M{at.x} {at.y}"]
    for point in points[1:]:
        if point.y != at.y:
            path.append(f"H{point.x}V{point.y}")
            at = point
    path.append(f"H{_RIGHT}")
    yield f'<path class="line" {look} d="{"".join(path)}"/>'


def _thinned(balances: Sequence[int | None]) -> Iterator[tuple[int, int | None]]:
    """The moments that show: of each stretch the highest, the lowest and the last."""
    size = -(-len(balances) // _MOST_STRETCHES)
    for start in range(0, len(balances), size):
        stretch = range(start, min(start + size, len(balances)))
        known = [step for step in stretch if balances[step] is not None]
        kept = {stretch[-1]}
        if known:
            kept |= {max(known, key=lambda s: balances[s] or 0)}
            kept |= {min(known, key=lambda s: balances[s] or 0)}
        for step in sorted(kept):
            yield step, balances[step]


def _labels(report: Report) -> Iterator[str]:
    """The cards' names where their lines end, moved apart where they would meet."""
    ends = sorted((_y(report, curve.balances[-1] or 0), curve.number) for curve in report.curves)
    for (y, number), place in zip(ends, _apart([y for y, _ in ends]), strict=True):
        look = f'style="stroke:{_colour(number)}"'
        yield f'<path class="lead" {look} d="M{_RIGHT + 2} {y}L{_RIGHT + 22} {place}"/>'
        name = f'class="name" style="fill:{_colour(number)}"'
        at = f'x="{_RIGHT + 27}" y="{place + 4}"'
        yield f"<text {name} {at}>{escape(account_name(number))}</text>"


def _apart(places: list[int]) -> list[int]:
    """Each as near to its place as the ones above leave room, and none below the plot."""
    found: list[int] = []
    for place in places:
        found.append(max(place, found[-1] + _LABEL) if found else place)
    lowest = _BOTTOM
    for index in reversed(range(len(found))):
        found[index] = min(found[index], lowest)
        lowest = found[index] - _LABEL
    return found
