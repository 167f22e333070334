"""Amounts: whole numbers of the currency unit, and how five digits write them.

There is no float in the bank. An amount is an ``int``; a unit key stands for a
power of ten; writing an amount with a comma is cutting a string of digits.
"""

from typing import NamedTuple

MOST_DIGITS = 5
"""What the big field can show, and what an entry may hold."""

LONGEST_AMOUNT = 1_000
"""Digits that a script may use; no ledger will ever hold as much."""

FIVE_NINES = 99_999
"""The largest whole number of that many digits."""


class Written(NamedTuple):
    """An amount as the big field writes it."""

    text: str
    exact: bool
    """False when five digits were too few and the rest was cut off."""


class Units(NamedTuple):
    """What the keys M and K mean in an edition: powers of ten, in currency units."""

    millions: int
    thousands: int

    @property
    def plain(self) -> bool:
        """True where key M means just the number typed (rule M10)."""
        return self.millions == 1

    @property
    def largest(self) -> int:
        return max(self.millions, self.thousands)

    def of(self, letter: str) -> int:
        """The unit that a letter stands for; none is the currency unit itself."""
        match letter:
            case "M":
                return self.millions
            case "K":
                return self.thousands
            case "":
                return 1
        raise ValueError(f"there is no unit {letter!r}")

    def write(self, amount: int) -> Written:
        """Write an amount for the big field (rules M2, M3, M10)."""
        assert amount >= 0, "the box never shows a debt"
        if amount == 0 or (self.plain and amount <= FIVE_NINES):
            return Written(str(amount), exact=True)
        letter, unit = self._letter_for(amount)
        whole, rest = divmod(amount, unit)
        room = MOST_DIGITS - (len(str(whole)) if whole else 0)
        decimals = str(rest).zfill(len(str(unit)) - 1).rstrip("0")
        kept = decimals[: max(room, 0)].rstrip("0")
        text = f"{whole},{kept}{letter}" if kept else f"{whole}{letter}"
        return Written(text, exact=len(decimals) <= room)

    def _letter_for(self, amount: int) -> tuple[str, int]:
        """The largest unit that is not larger than the amount, else the smallest."""
        if amount >= self.millions and not self.plain:
            return "M", self.millions
        return "K", self.thousands

    def read(self, text: str) -> int:
        """The exact amount that a script or a person wrote: 15M, 155,456M or 155456000.

        Raises ValueError with a sentence when the text is not a whole amount.
        """
        letter = text[-1:] if text[-1:] in ("M", "K") else ""
        whole, comma, decimals = text.removesuffix(letter).partition(",")
        digits = whole + decimals
        if not (digits.isascii() and digits.isdigit()) or (comma and not decimals):
            raise ValueError(f"{text!r} is not an amount such as 15M, 1,5M or 1500")
        if len(digits) > LONGEST_AMOUNT:
            raise ValueError(f"an amount of {len(digits)} digits is beyond all balances")
        amount, left_over = divmod(int(digits) * self.of(letter), int(10 ** len(decimals)))
        if left_over:
            raise ValueError(f"{text!r} is not a whole number of currency units")
        return amount


def spell_out(amount: int) -> str:
    """Every digit, in groups of three: 123 456 000."""
    return f"{amount:,}".replace(",", " ")
