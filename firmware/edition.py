"""An edition of the board game: all that differs between rulebooks, as data.

Each edition is one TOML file in ``firmware/editions``; a file of the user's own
works just as well. What the file says is checked here, once, so that nobody
after this has to ask whether a limit makes sense.

Files are found through ``os`` rather than ``pathlib``, which would cost a short
script a tenth of its start-up.
"""

import os
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple

from firmware.mistake import Mistake
from firmware.money import FIVE_NINES, Units
from firmware.toml_table import Table

FOLDER = os.path.join(os.path.dirname(__file__), "editions")
DEFAULT = "banking"
LONGEST_NAME = 12
"""What fits into the status row."""

LARGEST_UNIT = 10**12
"""Five digits of it, times all players, fit into the ledger's 64 bits."""

MOST_CARDS = 8
"""The box has room for eight players: the largest of the rulebooks."""


class BuyerPays(Enum):
    """What the buyer of a mortgaged property pays who lifts the mortgage at once."""

    VALUE = "value"
    VALUE_AND_INTEREST = "value-and-interest"


class ClockGame(Enum):
    """How a game against the clock is told to end."""

    DURATION = "duration"
    HOUR = "hour"


class Dice(NamedTuple):
    """The dice of the board game."""

    how_many: int
    sides: int


class Mortgage(NamedTuple):
    """What lifting a mortgage costs, and what it costs a buyer."""

    interest_percent: int
    round_up_to: int
    buyer_lifting_pays: BuyerPays
    buyer_keeping_pays_interest: bool


class FastGame(NamedTuple):
    """How the short form of the game begins and ends."""

    deeds: int
    deeds_are_paid: bool
    ends_at_bankruptcy: int
    houses_before_hotel: int


class TimedGame(NamedTuple):
    """The game against the clock; ``in_rulebook`` is false where we filled a gap."""

    ends_at: ClockGame
    deeds: int
    in_rulebook: bool


class Edition(NamedTuple):
    """The figures of one rulebook, in whole currency units."""

    name: str
    currency: str
    cards: int
    units: Units
    opening_balance: int
    salary: int
    entry_minimum: int
    entry_maximum: int
    step: int
    jail_fine: int
    utility_rent_one: int
    utility_rent_both: int
    dice: Dice
    mortgage: Mortgage
    fast_game: FastGame
    timed_game: TimedGame
    fight_lost_factor: int | None
    station_rents: tuple[int, ...]
    source: str
    """The TOML text itself: the ledger keeps it beside the games played with it."""

    @property
    def fullest(self) -> int:
        """The most that a card can hold (rule M8)."""
        return fullest(self.units)


def fullest(units: Units) -> int:
    """Five digits of the largest unit."""
    return FIVE_NINES * units.largest


@cache
def names() -> tuple[str, ...]:
    """The editions that come with the box, as found at the start.

    An update may take the folder away from under a box that is running.
    """
    return tuple(sorted(file.removesuffix(".toml") for file in os.listdir(FOLDER)))


def load(name: str) -> Edition:
    """An edition by its name, or from a file of the user's own, NAME.toml."""
    path = name if name.endswith(".toml") else os.path.join(FOLDER, f"{name}.toml")
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except UnicodeDecodeError:
        raise Mistake(f"{path}: this is not a UTF-8 text") from None
    except (OSError, ValueError) as error:
        if name.endswith(".toml"):
            reason = getattr(error, "strerror", None) or error
            raise Mistake(f"{path}: cannot be read: {reason}") from None
        raise Mistake(f"there is no edition {name!r}; there are {', '.join(names())}") from None
    return parse(path, text)


@lru_cache(maxsize=16)
def parse(file: str, text: str) -> Edition:
    """Check an edition's text, key by key, and read it."""
    top = Table.parse(file, text)
    units = _units(top.take_table("units"))
    rents = top.take_table("utility_rent")
    own = top.take_table("own_rule", optional=True)
    most = fullest(units)
    edition = Edition(
        name=_name(top),
        currency=top.take("currency", str),
        cards=_at_most(top, "cards", 1, MOST_CARDS),
        units=units,
        opening_balance=_at_most(top, "opening_balance", 0, most),
        salary=_at_most(top, "salary", 1, most),
        entry_minimum=top.take_number("entry_minimum", 1),
        entry_maximum=_at_most(top, "entry_maximum", 1, most),
        step=top.take_number("step", 1),
        jail_fine=top.take_number("jail_fine", 1),
        utility_rent_one=rents.take_number("one", 1),
        utility_rent_both=rents.take_number("both", 1),
        dice=_dice(top.take_table("dice")),
        mortgage=_mortgage(top.take_table("mortgage")),
        fast_game=_fast_game(top.take_table("fast_game")),
        timed_game=_timed_game(top.take_table("timed_game")),
        fight_lost_factor=_fight_lost_factor(own),
        station_rents=_rents(own),
        source=text,
    )
    rents.end()
    own.end()
    top.end()
    _check_limits(top, edition)
    return edition


def _name(top: Table) -> str:
    name = top.take("name", str)
    plain = name.isascii() and name.replace("-", "").isalnum()
    if not plain or len(name) > LONGEST_NAME:
        raise top.wrong(
            "name",
            f"must be at most {LONGEST_NAME} plain letters, digits and hyphens, not {name!r}",
        )
    return name


def _at_most(table: Table, key: str, least: int, most: int) -> int:
    value = table.take_number(key, least)
    if value > most:
        raise table.wrong(key, f"must be at most {most}, not {value}")
    return value


def _units(table: Table) -> Units:
    units = Units(_at_most(table, "M", 1, LARGEST_UNIT), _at_most(table, "K", 2, LARGEST_UNIT))
    for key, unit in (("M", units.millions), ("K", units.thousands)):
        if str(unit).strip("0") != "1":
            raise table.wrong(key, f"must be a power of ten, not {unit}")
    if not units.plain and units.millions <= units.thousands:
        raise table.wrong("M", "must be 1 or larger than K")
    table.end()
    return units


def _dice(table: Table) -> Dice:
    dice = Dice(table.take_number("count", 1), table.take_number("sides", 2))
    table.end()
    return dice


def _mortgage(table: Table) -> Mortgage:
    mortgage = Mortgage(
        interest_percent=table.take_number("interest_percent", 0),
        round_up_to=table.take_number("round_up_to", 1),
        buyer_lifting_pays=table.take_choice(
            "buyer_lifting_pays", {choice.value: choice for choice in BuyerPays}
        ),
        buyer_keeping_pays_interest=table.take("buyer_keeping_pays_interest", bool),
    )
    table.end()
    return mortgage


def _fast_game(table: Table) -> FastGame:
    game = FastGame(
        deeds=table.take_number("deeds", 0),
        deeds_are_paid=table.take("deeds_are_paid", bool),
        ends_at_bankruptcy=table.take_number("ends_at_bankruptcy", 1),
        houses_before_hotel=table.take_number("houses_before_hotel", 1),
    )
    table.end()
    return game


def _timed_game(table: Table) -> TimedGame:
    game = TimedGame(
        ends_at=table.take_choice("ends_at", {choice.value: choice for choice in ClockGame}),
        deeds=table.take_number("deeds", 0),
        in_rulebook=table.take("in_rulebook", bool),
    )
    table.end()
    return game


def _fight_lost_factor(own: Table) -> int | None:
    return own.take_number("fight_lost_factor", 1) if "fight_lost_factor" in own.left else None


def _rents(own: Table) -> tuple[int, ...]:
    rents: list[object] = own.take("station_rents", list, [])
    for rent in rents:
        if type(rent) is not int or rent < 1:
            raise own.wrong("station_rents", f"must hold whole numbers above 0, not {rent!r}")
    return tuple(rent for rent in rents if isinstance(rent, int))


def _check_limits(top: Table, edition: Edition) -> None:
    if edition.entry_minimum > edition.entry_maximum:
        raise top.wrong("entry_minimum", "must not be larger than entry_maximum")
    for key in ("entry_minimum", "entry_maximum"):
        if getattr(edition, key) % edition.step:
            raise top.wrong(key, f"must be a multiple of step, which is {edition.step}")
