"""Amounts: whole numbers of the currency unit, and how they are written with five digits.

The bank uses no floats. An amount is an ``int``, a unit key stands for a power of ten, and the
decimals are a part of a string of digits.
"""

from typing import NamedTuple

MOST_DIGITS = 5
"""Of the big field and of an entry."""
FIVE_NINES = 99_999
"""The largest number of five digits."""
LONGEST_AMOUNT = 1_000
"""Digits of an amount in a script; far more than any balance has."""


class WrittenAmount(NamedTuple):
    """An amount as in the big field."""

    text: str
    exact: bool
    """False if the amount has more digits than the text."""


class Units(NamedTuple):
    """What the keys M and K mean in an edition: powers of ten, in currency units."""

    millions: int
    thousands: int

    @property
    def plain(self) -> bool:
        """Whether key M means just the number typed (rule M10)."""
        return self.millions == 1

    @property
    def fullest(self) -> int:
        """Five digits of the largest unit."""
        return FIVE_NINES * max(self.millions, self.thousands)

    def of(self, letter: str) -> int:
        """The unit of a letter, or without one the currency unit itself."""
        units = {"M": self.millions, "K": self.thousands, "": 1}
        if letter not in units:
            raise ValueError(f"there is no unit {letter!r}")
        return units[letter]

    def write(self, amount: int) -> WrittenAmount:
        """Write an amount for the big field (rules M2, M3, M10)."""
        assert amount >= 0, "the box never shows a debt"
        if amount == 0 or (self.plain and amount <= FIVE_NINES):
            return WrittenAmount(str(amount), exact=True)
        # The largest unit that is not larger than the amount, otherwise the smallest.
        letter = "M" if amount >= self.millions and not self.plain else "K"
        unit = self.of(letter)
        whole, rest = divmod(amount, unit)
        room = MOST_DIGITS - (len(str(whole)) if whole else 0)
        decimals = str(rest).zfill(len(str(unit)) - 1).rstrip("0")
        kept = decimals[: max(room, 0)].rstrip("0")
        text = f"{whole},{kept}{letter}" if kept else f"{whole}{letter}"
        return WrittenAmount(text, exact=len(decimals) <= room)

    def read(self, text: str) -> int:
        """The exact amount of a text: 15M, 155,456M or 155456000. Raises ValueError."""
        letter = text[-1:] if text[-1:] in ("M", "K") else ""
        whole, comma, decimals = text.removesuffix(letter).partition(",")
        digits = whole + decimals
        if not (digits.isascii() and digits.isdigit()) or (comma and not decimals):
            raise ValueError(f"{text!r} is not an amount such as 15M, 1,5M or 1500")
        if len(digits) > LONGEST_AMOUNT:
            raise ValueError(f"an amount of {len(digits)} digits is larger than any balance")
        amount, left_over = divmod(int(digits) * self.of(letter), int(10 ** len(decimals)))
        if left_over:
            raise ValueError(f"{text!r} is not a whole number of currency units")
        return amount


def spell_out(amount: int) -> str:
    """Every digit, in groups of three: 123 456 000."""
    return f"{amount:,}".replace(",", " ")
