"""The reasons for which the bank refuses an amount or a move. The table chooses the message.

Tests: tests/unit/firmware/bank/test_game.py.
"""

from enum import Enum


class Refusal(Enum):
    """In the order of the checks (M9)."""

    NO_AMOUNT = "nothing was typed"
    TOO_SMALL = "below the edition's minimum"
    TOO_LARGE = "above the edition's maximum"
    NOT_A_STEP = "not a multiple of the edition's step"
    NO_FUNDS = "the payer has less"
    FULL = "the payee would have more than a card can hold"
