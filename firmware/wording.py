"""How the commands write accounts, amounts, dates and kinds of games."""

from datetime import datetime

from firmware.edition import Edition
from firmware.money import spell_out
from firmware.records import BANK, POT, Kind


def account_name(number: int) -> str:
    return {BANK: "bank", POT: "pot"}.get(number, f"card {number}")


def written(edition: Edition, balance: int) -> str:
    """As the box writes it; a dot-dot-dot where five digits do not show it all."""
    sign = "-" if balance < 0 else ""
    text, exact = edition.units.write(abs(balance))
    return sign + (text if exact else f"{text}…")


def in_full(balance: int) -> str:
    return ("-" if balance < 0 else "") + spell_out(abs(balance))


def when(at: int) -> str:
    """The box's own idea of the date, which may be wrong: a Pi has no clock of its own."""
    try:
        return datetime.fromtimestamp(at).isoformat(" ", "seconds")
    except (OverflowError, OSError, ValueError):
        return "?"


def kind_name(kind: Kind, minutes: int) -> str:
    return f"{kind.value} {minutes} min" if kind is Kind.CLOCK else kind.value


def cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def moves(count: int) -> str:
    return "1 move" if count == 1 else f"{count} moves"
