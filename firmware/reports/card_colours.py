"""The colour and the dashes of each card: one table for the report and for the panel's page.

A card has one colour everywhere: on the card itself, on its line in the chart, and beside its
balance. So each colour can be seen on light and on dark paper, and the number on it can be read.

Tests: tests/unit/firmware/reports/test_chart_svg.py.
"""

from typing import NamedTuple


class CardColours(NamedTuple):
    card: str
    figure: str
    """The number on the card."""
    dashes: str
    """Of its line in the chart, so that colours are not needed to tell the lines apart."""


CARD_COLOURS = (
    CardColours("#2b6cd4", "#ffffff", "none"),
    CardColours("#de5f0c", "#1c0d00", "10 4"),
    CardColours("#12875a", "#ffffff", "2 3"),
    CardColours("#b08a00", "#1a1500", "12 3 2 3"),
    CardColours("#a43db5", "#ffffff", "5 3"),
    CardColours("#c9274a", "#ffffff", "22 4"),
    CardColours("#0f98bd", "#00161f", "9 3 2 3 2 3"),
    CardColours("#60646e", "#ffffff", "5 2 1 2"),
)
"""By the card's number, from 1."""

STYLE = "\n".join(
    f'[data-colour="{number}"] {{ --card: {colours.card}; --figure: {colours.figure}; }}'
    for number, colours in enumerate(CARD_COLOURS, start=1)
)
