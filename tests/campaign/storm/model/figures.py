"""The figures of the editions, and how the model reads and formats amounts.

Copied by hand from the table in section 7 of the rules. Numbers in brackets are rules.
"""

from fractions import Fraction
from typing import NamedTuple

MAX_DIGITS = 5
IDLE = "-----"
DIGITS_AND_COMMA = "0123456789,"


class Edition(NamedTuple):
    """The figures of an edition: those of the bank itself, then those of F."""

    name: str
    cards: int
    opening: int
    salary: int
    minimum: int
    maximum: int
    step: int
    units: dict[str, int]

    fine: int = 50
    rents: tuple[int, int] = (4, 10)
    """The rent of a utility per point of the dice, if the owner has one utility, or both."""
    sides: int = 6
    rounding: int = 1
    """A mortgage and its interest are rounded up to a multiple of this."""
    fast_ends_at: int = 2
    fights: bool = False

    @property
    def plain(self) -> bool:
        return self.units["M"] == 1

    @property
    def ceiling(self) -> int:
        """The highest balance of a card [M8]."""
        return 99_999 * max(self.units.values())


_LETTERED = {"M": 1_000_000, "K": 1_000}
_PLAIN = {"M": 1, "K": 1_000}

EDITIONS = {  # in the order of their digits [F18]
    edition.name: edition
    for edition in (
        Edition(
            *("banking", 6, 15_000_000, 2_000_000, 10_000, 20_000_000, 1_000, _LETTERED),
            fine=500_000,
            rents=(40_000, 100_000),
            rounding=10_000,
        ),
        Edition("disney", 6, 1_500, 200, 1, 2_000, 1, _PLAIN, fast_ends_at=1),
        Edition("duel-masters", 6, 1_500, 200, 1, 2_000, 1, _PLAIN, fights=True),
        Edition("europe", 8, 1_500, 200, 1, 2_000, 1, _PLAIN),
        Edition(
            *("france98", 8, 150_000, 20_000, 100, 200_000, 100, _LETTERED),
            fine=5_000,
            rents=(400, 1_000),
            sides=12,
            rounding=100,
        ),
    )
}


def format_amount(amount: int, edition: Edition) -> str:
    """An amount in the big field: at most five digits, truncated [M2, M3, M10]."""
    if amount == 0:
        return "0"
    letter, unit = _unit_shown(amount, edition)
    whole, rest = divmod(amount, unit)
    zeros = len(str(unit)) - 1
    decimals = str(rest).zfill(zeros)[: max(MAX_DIGITS - len(str(whole)), 0)].rstrip("0")
    return f"{whole},{decimals}{letter}" if decimals else f"{whole}{letter}"


def _unit_shown(amount: int, edition: Edition) -> tuple[str, int]:
    if edition.plain:
        return ("", 1) if amount <= 99_999 else ("K", 1_000)
    return ("M", 1_000_000) if amount >= 1_000_000 else ("K", 1_000)


def is_cut(amount: int, edition: Edition) -> bool:
    """Whether five digits cannot show it; a worth may be above the limit of a balance [F16]."""
    text = format_amount(amount, edition)
    number, unit = text.rstrip("MK"), text[-1]
    shown = Fraction(number.replace(",", ".")) * edition.units.get(unit, 1)
    return shown != amount or len(number.replace(",", "")) > MAX_DIGITS + number.startswith("0")


def in_full(amount: int) -> str:
    """An amount in the message line, when the big field truncates it [M3]."""
    return f"{amount:,}".replace(",", " ")


def round_up(amount: Fraction, of: int) -> int:
    return -int(-amount // of) * of


def entry_text(keys: list[str]) -> str:
    """The keys of an entry as the big field shows them [M4, M5]."""
    text = ""
    for key in keys:
        if key == "," and text == "":
            text = "0,"
        elif key != "," and text == "0":
            text = key
        else:
            text += key
    return text


def may_follow(keys: list[str], key: str) -> bool:
    """Whether a digit or comma may follow these keys [M5]."""
    longer = [*keys, key]
    return longer.count(",") <= 1 and _digits(longer) <= MAX_DIGITS


def _digits(keys: list[str]) -> int:
    """The number of digits in an entry, without a zero before the comma [M5]."""
    text = entry_text(keys)
    return len(text.removeprefix("0,").replace(",", ""))


def entry_amount(keys: list[str], unit: int) -> Fraction:
    return Fraction(entry_text(keys).replace(",", ".") or "0") * unit


def entry_error(keys: list[str], unit: int, edition: Edition) -> str:
    """The message that refuses an entry, in the order of [M9] up to the step, or empty."""
    amount = entry_amount(keys, unit)
    if keys in ([], [","]):
        return "NO AMOUNT"
    if amount < edition.minimum:
        return f"MIN {format_amount(edition.minimum, edition)}"
    if amount > edition.maximum:
        return f"MAX {format_amount(edition.maximum, edition)}"
    if amount % edition.step != 0:
        return f"STEP {format_amount(edition.step, edition)}"
    return ""
