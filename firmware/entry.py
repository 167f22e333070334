"""An entry: the digits and the comma typed before a unit key completes them.

An entry is a value; typing a key gives the next one, or None when the key is
refused (M4, M5). The edition's limits (M6, M7) are looked at when it is complete.
"""

from typing import NamedTuple

from firmware.edition import Edition
from firmware.money import MOST_DIGITS
from hal.events import Key
from hal.view import Message, Text


class Typed(NamedTuple):
    """What an entry is worth, exactly: ``mantissa`` divided by ``scale``."""

    mantissa: int
    scale: int

    def below(self, amount: int) -> bool:
        return self.mantissa < amount * self.scale

    def above(self, amount: int) -> bool:
        return self.mantissa > amount * self.scale

    def whole_multiple_of(self, step: int) -> bool:
        return self.mantissa % (step * self.scale) == 0

    @property
    def amount(self) -> int:
        assert self.mantissa % self.scale == 0, "a part of a currency unit was let through"
        return self.mantissa // self.scale


class Entry(NamedTuple):
    """What has been typed so far."""

    keys: str = ""
    """Digits and at most one comma, as typed, but for leading zeros."""

    def type(self, key: Key) -> "Entry | None":
        """The entry with one more digit or comma, or None when it is refused (M5)."""
        if key is Key.COMMA:
            return None if "," in self.keys else Entry(self.keys + ",")
        assert key.is_digit, f"{key} does not belong in an entry"
        if self.keys == "0":
            return Entry(key.value)
        if self._digits == MOST_DIGITS:
            return None
        return Entry(self.keys + key.value)

    @property
    def _digits(self) -> int:
        """How many digits count: the zero in front of a comma does not."""
        return len(self.keys.removeprefix("0,").replace(",", ""))

    @property
    def shown(self) -> str:
        """What the big field shows: a comma typed first has a zero in front."""
        return f"0{self.keys}" if self.keys.startswith(",") else self.keys

    @property
    def is_blank(self) -> bool:
        """True when no digit was typed, so that there is no amount at all."""
        return self.keys in ("", ",")

    def worth(self, unit: int) -> Typed:
        """What the entry is worth when a unit key completes it."""
        assert not self.is_blank, "a blank entry is worth nothing, not even zero"
        whole, _, decimals = self.keys.partition(",")
        return Typed(int(whole + decimals) * unit, 10 ** len(decimals))


def amount_of(entry: Entry, unit: Key, edition: Edition) -> int | Message:
    """The amount that a unit key makes of an entry, or why it is refused, in the order of M9."""
    if entry.is_blank:
        return Message(Text.NO_AMOUNT)
    typed = entry.worth(edition.units.of(unit.value))
    if typed.below(edition.entry_minimum):
        return Message(Text.MIN, edition.units.write(edition.entry_minimum).text)
    if typed.above(edition.entry_maximum):
        return Message(Text.MAX, edition.units.write(edition.entry_maximum).text)
    if not typed.whole_multiple_of(edition.step):
        return Message(Text.STEP, edition.units.write(edition.step).text)
    return typed.amount
