"""House rules: the options of the config file that change the rules.

Tests: tests/scenarios/f14-*.box, tests/scenarios/f23-*.box.
"""

from typing import NamedTuple


class HouseRules(NamedTuple):
    pot: bool = False
    """Fines and taxes may go to a pot (F23)."""
    strict_undo: bool = False
    """C undoes only what the rulebook allows, and HISTORY undoes nothing (F14)."""


BY_THE_BOOK = HouseRules()
