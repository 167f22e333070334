"""A payment: what the teller is asked to move, by an entry, the GO key or the F key.

Tests: tests/unit/firmware/table/test_box.py.
"""

from typing import NamedTuple

from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT

_LETTERS = {BANK: "B", POT: "P"}
"""The other accounts are cards, which show as numbers."""


class Way(NamedTuple):
    """From whom to whom money goes, as the status row and HISTORY show it (N4)."""

    payer: int
    payee: int

    def __str__(self) -> str:
        return f"{_LETTERS.get(self.payer, self.payer)}>{_LETTERS.get(self.payee, self.payee)}"


class Pay(NamedTuple):
    """Move money."""

    payer: int
    payee: int
    amount: int
    purpose: Purpose

    @property
    def way(self) -> Way:
        return Way(self.payer, self.payee)
