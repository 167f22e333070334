"""Formats accounts, amounts, dates, kinds of games and tables for the commands."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from firmware.bank.edition import Edition
from firmware.bank.money import spell_out
from firmware.bank.names import NO_NAMES
from firmware.bank.purposes import INTO_THE_POT_SENTENCES, Purpose
from firmware.bank.records import BANK, POT, Kind, Posting
from firmware.user_error import one_line


def account_name(number: int, names: Mapping[int, str] = NO_NAMES) -> str:
    return {BANK: "bank", POT: "pot"}.get(number) or f"card {numbered(number, names)}"


def numbered(number: int, names: Mapping[int, str]) -> str:
    """A card's number with its name, if it has one (N6)."""
    name = names.get(number)
    return f"{number} ({one_line(name)})" if name else str(number)


def sentence(posting: Posting, amount: str, names: Mapping[int, str] = NO_NAMES) -> str:
    """What happened, as the panel's page says it in English."""
    into_the_pot = posting.purpose is Purpose.POT and posting.payee == POT
    said = INTO_THE_POT_SENTENCES["en"] if into_the_pot else posting.purpose.sentences["en"]
    payer, payee = (
        f"the {account_name(number)}" if number in (BANK, POT) else account_name(number, names)
        for number in (posting.payer, posting.payee)
    )
    text = said.format(payer=payer, payee=payee, amount=amount)
    return text[:1].upper() + text[1:]


def written(edition: Edition, balance: int) -> str:
    """As on the screen, with an ellipsis if five digits do not show it exactly."""
    sign = "-" if balance < 0 else ""
    text, exact = edition.units.write(abs(balance))
    return sign + (text if exact else f"{text}…")


def written_exactly(edition: Edition, amount: int) -> str:
    """As on the screen; in full if five digits do not show it exactly."""
    found = edition.units.write(amount)
    return found.text if found.exact else spell_out(amount)


def when(at: int) -> str:
    """A date and time. It may be wrong: a Pi has no battery-backed clock."""
    try:
        return datetime.fromtimestamp(at).isoformat(" ", "seconds")
    except (OverflowError, OSError, ValueError):
        return "?"


def kind_name(kind: Kind, minutes: int) -> str:
    return f"{kind.value} {minutes} min" if kind is Kind.CLOCK else kind.value


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    return aligned([heads, *lines], "<" * len(heads))


def aligned(lines: Sequence[Sequence[str]], sides: Sequence[str]) -> Iterator[str]:
    """A table whose columns are aligned to these sides: ``<`` or ``>``."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = zip(line, sides, widths, strict=True)
        yield "  ".join(f"{cell:{side}{width}}" for cell, side, width in cells).rstrip()
