"""An entry: the digits and the comma typed before a unit key completes them.

An entry is a value; typing a key gives the next one, or None if the key is refused (M4, M5). The
edition's limits (M6, M7) are checked when it is complete.
"""

from typing import NamedTuple

from firmware.bank.edition import Edition
from firmware.bank.money import MOST_DIGITS
from firmware.bank.refusals import Refusal
from hal.events import Key


class Entry(NamedTuple):
    keys: str = ""
    """Digits and at most one comma, as typed, without leading zeros."""

    def type(self, key: Key) -> "Entry | None":
        """The entry with one more digit or comma; None if it is refused (M5)."""
        if key is Key.COMMA:
            return None if "," in self.keys else Entry(self.keys + ",")
        assert key.is_digit, f"{key} does not belong in an entry"
        if self.keys == "0":
            return Entry(key.value)
        # A zero in front of the comma does not count.
        digits = len(self.keys.removeprefix("0,").replace(",", ""))
        return None if digits == MOST_DIGITS else Entry(self.keys + key.value)

    @property
    def shown(self) -> str:
        """The text of the big field: a comma typed first gets a zero in front."""
        return f"0{self.keys}" if self.keys.startswith(",") else self.keys

    @property
    def is_blank(self) -> bool:
        """Whether no digit was typed, so that there is no amount at all."""
        return self.keys in ("", ",")


def amount_of(entry: Entry, unit: Key, edition: Edition, *, limited: bool = True) -> int | Refusal:
    """The amount after a unit key, or why it is refused, in the order of M9.

    An amount of the final count has no maximum of its own (F16).
    """
    if entry.is_blank:
        return Refusal.NO_AMOUNT
    whole, _, decimals = entry.keys.partition(",")
    # The exact value of the entry is ``scaled / scale``.
    scale: int = 10 ** len(decimals)
    scaled = int(whole + decimals) * edition.units.of(unit.value)
    if scaled < edition.entry_minimum * scale:
        return Refusal.TOO_SMALL
    if limited and scaled > edition.entry_maximum * scale:
        return Refusal.TOO_LARGE
    if scaled % (edition.step * scale):
        return Refusal.NOT_A_STEP
    return scaled // scale
