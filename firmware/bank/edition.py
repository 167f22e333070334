"""An edition of the board game: everything that differs between the rulebooks, as data.

Each edition is one TOML file in ``editions/``, named after its digit in F's list (F18) and its
name: ``4-europe.toml``. A new one takes the next digit, so that no digit changes. A user can
also give a file of their own.

Files are found through ``os`` rather than ``pathlib``, which would cost a short script a tenth of
its start-up.
"""

import os
from functools import cache
from typing import NamedTuple

from firmware.bank.money import FIVE_NINES, Units
from firmware.toml_table import TomlTable, read_text
from firmware.user_error import UserError

FOLDER = os.path.join(os.path.dirname(__file__), "editions")
DEFAULT = "banking"
LONGEST_NAME = 12
"""Characters that fit into the status row."""

LARGEST_UNIT = 10**12
"""Five digits of it, times all players, fit into the ledger's 64 bits."""
LARGEST_AMOUNT = FIVE_NINES * LARGEST_UNIT
"""The most that a card can hold in any edition."""

MOST_CARDS = 8
"""The most players of all rulebooks."""
MOST_DICE, MOST_SIDES = 100, 1_000
MOST_PERCENT = 1_000
LARGEST_FACTOR = 1_000
MOST_BANKRUPTCIES = 1_000
MOST_PARSED = 16

RETIRED_KEYS = (
    *("currency", "timed_game", "own_rule.station_rents"),
    *("mortgage.buyer_lifting_pays", "mortgage.buyer_keeping_pays_interest"),
    *("fast_game.deeds", "fast_game.deeds_are_paid", "fast_game.houses_before_hotel"),
)
"""Ignored. The files in ``editions/`` still have them, because a ledger contains the text of its
edition, and an older release, to which a user may go back, refuses a text without these keys."""


class Edition(NamedTuple):
    """The figures of one rulebook, in whole currency units."""

    name: str
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
    dice_count: int
    dice_sides: int
    interest_percent: int
    """The interest of lifting a mortgage."""
    mortgage_rounding: int
    """The cost of lifting one is rounded up to a multiple of this."""
    fast_game_bankruptcies: int
    """A fast game ends at this bankruptcy (F21)."""
    fight_lost_factor: int | None
    source: str
    """The TOML text itself: the ledger keeps it with the games played with it."""

    @property
    def fullest(self) -> int:
        """The most that a card can hold (rule M8)."""
        return self.units.fullest


@cache
def _files() -> dict[str, str]:
    """The files that come with the box, by edition, in the order of their digits.

    Listed once: an update may remove the folder while the box runs.
    """
    numbered = []
    for file in os.listdir(FOLDER):
        digit, _, name = file.removesuffix(".toml").partition("-")
        numbered.append((int(digit), name, os.path.join(FOLDER, file)))
    return {name: path for _, name, path in sorted(numbered)}


def names() -> tuple[str, ...]:
    """The editions that come with the box, in the order of F's list."""
    return tuple(_files())


def load(name: str) -> Edition:
    """An edition by its name, or from a user's own file, NAME.toml."""
    path = name if name.endswith(".toml") else _files().get(name)
    if path is None:
        raise UserError(f"there is no edition {name!r}; there are {', '.join(names())}")
    return parse(path, read_text(path))


_parsed: dict[str, Edition] = {}
"""The editions parsed last, by their text: a ledger repeats the text of its edition."""


def parse(file: str, text: str) -> Edition:
    """Read an edition's text and check every key. Raises UserError."""
    if text not in _parsed:
        if len(_parsed) == MOST_PARSED:
            _parsed.clear()
        _parsed[text] = _parse(file, text)
    return _parsed[text]


def _parse(file: str, text: str) -> Edition:
    top = TomlTable.parse(file, text)
    units_table, rents, dice, mortgage, fast_game = inner = [
        top.take_table(key) for key in ("units", "utility_rent", "dice", "mortgage", "fast_game")
    ]
    own = top.take_table("own_rule", optional=True)
    units = _units(units_table)
    most = units.fullest
    edition = Edition(
        name=_name(top),
        cards=top.take_number("cards", 1, MOST_CARDS),
        units=units,
        opening_balance=top.take_number("opening_balance", 0, most),
        salary=top.take_number("salary", 1, most),
        entry_minimum=top.take_number("entry_minimum", 1, most),
        entry_maximum=top.take_number("entry_maximum", 1, most),
        step=top.take_number("step", 1, most),
        jail_fine=top.take_number("jail_fine", 1, most),
        utility_rent_one=rents.take_number("one", 1, most),
        utility_rent_both=rents.take_number("both", 1, most),
        dice_count=dice.take_number("count", 1, MOST_DICE),
        dice_sides=dice.take_number("sides", 2, MOST_SIDES),
        interest_percent=mortgage.take_number("interest_percent", 0, MOST_PERCENT),
        mortgage_rounding=mortgage.take_number("round_up_to", 1, most),
        fast_game_bankruptcies=fast_game.take_number("ends_at_bankruptcy", 1, MOST_BANKRUPTCIES),
        fight_lost_factor=_fight_lost_factor(own),
        source=text,
    )
    for table in (*inner, own, top):
        table.end(RETIRED_KEYS)
    _check_limits(top, edition)
    return edition


def _fight_lost_factor(own: TomlTable) -> int | None:
    if "fight_lost_factor" not in own.left:
        return None
    return own.take_number("fight_lost_factor", 1, LARGEST_FACTOR)


def _name(top: TomlTable) -> str:
    name = top.take("name", str)
    plain = name.isascii() and name.replace("-", "").isalnum()
    if not plain or len(name) > LONGEST_NAME:
        rule = f"must be at most {LONGEST_NAME} plain letters, digits and hyphens"
        raise top.wrong("name", f"{rule}, not {name!r}")
    return name


def _units(table: TomlTable) -> Units:
    units = Units(table.take_number("M", 1, LARGEST_UNIT), table.take_number("K", 2, LARGEST_UNIT))
    for key, unit in (("M", units.millions), ("K", units.thousands)):
        if str(unit).strip("0") != "1":
            raise table.wrong(key, f"must be a power of ten, not {unit}")
    if not units.plain and units.millions <= units.thousands:
        raise table.wrong("M", "must be 1 or larger than K")
    return units


def _check_limits(top: TomlTable, edition: Edition) -> None:
    if edition.entry_minimum > edition.entry_maximum:
        raise top.wrong("entry_minimum", "must not be larger than entry_maximum")
    for key in ("entry_minimum", "entry_maximum"):
        if getattr(edition, key) % edition.step:
            raise top.wrong(key, f"must be a multiple of step, which is {edition.step}")
