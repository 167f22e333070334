"""A game's report as an HTML page for a browser or a printer.

The page is one file without scripts and external resources. The lines of its chart differ in
colour, dashes and end labels, and the table of moves below it has the same figures.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import takewhile, zip_longest

from firmware import __version__
from firmware.bank.purposes import Purpose
from firmware.reports import chart_svg
from firmware.reports.report import Report, ReportRow
from firmware.wording import account_name, numbered, plural, when

_MINUTES = len("2026-12-31 20:00")
"""How much of a date says when a move was made."""

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
.named :is(th, td):nth-child(3) { padding-left: .6rem; text-align: left; }
.card { padding: 0 .45em; border-radius: .2em; background: var(--card); color: var(--figure);
  font-weight: 700; forced-color-adjust: none; print-color-adjust: exact; }
.wide { overflow-x: auto; }
.moves { font-size: .9375rem; }
.moves :is(th, td) { vertical-align: baseline; }
.moves :is(td, th + th) { padding-left: .9rem; }
.moves :is(th, td):nth-child(-n + 3) { text-align: left; }
.moves tbody :is(th, td) { color: var(--faint); }
.moves tbody td:nth-child(3) { min-width: 13rem; white-space: normal; color: var(--ink); }
.moves b { color: var(--ink); }
.moves :is(.day, .name) { display: block; }
@media (max-width: 30rem) { th, td { padding-left: 1rem; } }
.chart { min-width: 40rem; }
.notes { margin-top: 1.5rem; }
footer { margin-top: 2rem; font-size: .875rem; }
@media print {
  @page { margin: 10mm 15mm; }
  html { font-size: 56%; }
  body { padding: 0; max-width: none; }
  section:not(:has(.moves)), tr { break-inside: avoid; }
  .wide { overflow: visible; }
}
"""


class _Markup(str):
    """HTML; every other string of a table is text."""


def page(report: Report) -> str:
    """The complete HTML file."""
    parts = [*_head(report), *_heading(report)]
    if report.players:
        parts += ['<div class="pair">', _ranking(report)]
        if report.totals:
            table = _table(("for", "moves", "amount"), *report.total_rows)
            parts.append(_section("Totals paid", *table))
        parts.append("</div>")
    if report.steps:
        chart = chart_svg.svg(report, chart_svg.LARGE, _in_words(report))
        parts.append(_section("Balances, move by move", _wide("the chart of balances", chart)))
    if report.postings and report.players:
        parts.append(_section("Moves", _wide("the table of moves", *_moves(report))))
    notes = [*report.notes, "The dates are by the box’s own clock, which may be wrong."]
    parts += ['<div class="notes">', *(f"<p>{escape(note)}</p>" for note in notes), "</div>"]
    parts += [f"<footer>Tellerbox {escape(__version__)}</footer>", "</body></html>"]
    return "\n".join(parts) + "\n"


def _head(report: Report) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    # Forbids the browser to load or run anything.
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield f"<title>{escape(report.title)}</title>\n<style>"
    yield f":root {{ color-scheme: light dark; {_variables(_DAY)} }}"
    yield chart_svg.STYLE.strip()
    yield f"@media (prefers-color-scheme: dark) {{ :root {{ {_variables(_NIGHT)} }} }}"
    yield f"{_STYLE.strip()}\n</style>\n</head>\n<body>"


def _variables(paper: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in paper.items())


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


def _section(title: str, *content: str) -> str:
    return "\n".join([f"<section><h2>{escape(title)}</h2>", *content, "</section>"])


def _wide(name: str, *content: str) -> str:
    """Scrolls on a narrow screen, also with the keyboard."""
    start = f'<div class="wide" role="region" aria-label="{escape(name)}" tabindex="0">'
    return "\n".join([start, *content, "</div>"])


def _ranking(report: Report) -> str:
    styles = {None: "gone", 1: "first"}
    classes = [styles.get(player.place, "") for player in report.players]
    heads, *found = report.ranking
    marked = [[place, _card(number), *others] for place, number, *others in found]
    name = "named" if report.player_names else ""
    return _section(report.ranking_title, *_table(heads, *marked, classes=classes, name=name))


def _card(number: str) -> _Markup:
    """A card's number in its colour."""
    return _Markup(f'<span class="card" data-colour="{escape(number)}">{escape(number)}</span>')


def _moves(report: Report) -> Iterator[str]:
    """Every move with the balances after it, numbered as in the chart.

    The openings before the first move are one row.
    """
    openings, others = _split(report.moves)
    heads = ["move", "time", "what", *(_head_of(report, curve.number) for curve in report.curves)]
    found = []
    if openings:
        start = openings[-1]
        amounts = (_amount(report, held) for held in start.balances)
        found.append(["start", _moment(start, None), "The game begins", *amounts])
    earlier = [openings[-1] if openings else None, *others]
    found += [_move(report, move, before) for before, move in zip(earlier, others, strict=False)]
    return _table(heads, *found, name="moves")


def _head_of(report: Report, number: int) -> str:
    """A card with its name below it."""
    name, head = report.player_names.get(number), account_name(number)
    return _Markup(f'{head} <span class="name">{escape(name)}</span>') if name else head


def _split(moves: Iterable[ReportRow]) -> tuple[list[ReportRow], list[ReportRow]]:
    """The openings at the start, and everything else."""
    found = list(moves)
    openings = list(takewhile(lambda move: move.posting.purpose is Purpose.OPENING, found))
    return openings, found[len(openings) :]


def _move(report: Report, move: ReportRow, before: ReportRow | None) -> list[str]:
    what = escape(report.sentence(move.posting))
    if move.taken_back:
        what = f"<s>{what}</s> (taken back)"
    previous = before.balances if before else (None,) * len(move.balances)
    amounts = (
        _amount(report, held) if held == once else _Markup(f"<b>{_amount(report, held)}</b>")
        for held, once in zip(move.balances, previous, strict=True)
    )
    return [str(move.step or "–"), _moment(move, before), _Markup(what), *amounts]


def _moment(move: ReportRow, before: ReportRow | None) -> _Markup:
    """The time; above it the day, if it is another one than that of the row above."""
    day, _, time = when(move.at)[:_MINUTES].partition(" ")
    if before and when(before.at).startswith(day):
        return _Markup(time)
    return _Markup(f'<span class="day">{day}</span> {time}')


def _amount(report: Report, amount: int | None) -> str:
    return "–" if amount is None else report.amount(amount)


def _html(cell: str) -> str:
    return cell if isinstance(cell, _Markup) else escape(cell)


def _table(
    heads: Sequence[str], *found: Sequence[str], classes: Iterable[str] = (), name: str = ""
) -> Iterator[str]:
    """A table; the first cell of each row is its heading."""
    titles = "".join(f'<th scope="col">{_html(head)}</th>' for head in heads)
    yield f"<table{_class(name)}>\n<thead><tr>{titles}</tr></thead>\n<tbody>"
    for (first, *others), style in zip_longest(found, classes):
        cells = "".join(f"<td>{_html(cell)}</td>" for cell in others)
        yield f'<tr{_class(style)}><th scope="row">{_html(first)}</th>{cells}</tr>'
    yield "</tbody>\n</table>"


def _class(name: str | None) -> str:
    return f' class="{name}"' if name else ""


def _in_words(report: Report) -> str:
    """The description of the chart."""
    steps = plural(report.steps, "move")
    sentences = [f"The balances of {len(report.curves)} cards over {steps}."]
    for number, balances in report.curves:
        opened = next((held for held in balances if held is not None), 0)
        ended = report.amount(balances[-1] or 0)
        card = numbered(number, report.player_names)
        sentences.append(f"Card {card} begins with {report.amount(opened)}, ends with {ended}.")
    return " ".join(sentences)
