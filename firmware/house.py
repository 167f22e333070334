"""House rules: what a table has agreed on beyond the rulebook, or against what we added to it."""

from typing import NamedTuple


class House(NamedTuple):
    """As the config file says it; the rulebooks' own way unless it does."""

    pot: bool = False
    """Fines and taxes may go to a pot (F23)."""
    strict_undo: bool = False
    """C takes back what the rulebook lets it, and HISTORY nothing (F14)."""


BY_THE_BOOK = House()
"""No house rules."""
