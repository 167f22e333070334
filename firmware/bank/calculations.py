"""The calculations behind the entries of F, by the rulebook of the edition."""

from firmware.bank.edition import Edition


def lifting(edition: Edition, value: int) -> int:
    """The cost of lifting a mortgage: its value and the interest, the sum rounded up (F6)."""
    return _hundredths_rounded_up(edition, value * (100 + edition.interest_percent))


def interest(edition: Edition, value: int) -> int:
    """The interest alone, rounded up in the same way (F7)."""
    return _hundredths_rounded_up(edition, value * edition.interest_percent)


def _hundredths_rounded_up(edition: Edition, hundredths: int) -> int:
    unit = edition.mortgage_rounding
    return -(-hundredths // (100 * unit)) * unit


def half(price: int) -> int:
    """The bank's price for houses and hotels, rounded down (F10)."""
    return price // 2


def utility_rent(edition: Edition, dice: int, *, both: bool) -> int:
    """The rent for one utility or for both, times the dice (F8)."""
    return dice * (edition.utility_rent_both if both else edition.utility_rent_one)


def dice_range(edition: Edition) -> tuple[int, int]:
    """The lowest and the highest total of the dice."""
    return edition.dice_count, edition.dice_count * edition.dice_sides


def fight_lost(edition: Edition, rent: int) -> int:
    """The rent times the edition's factor (F12)."""
    assert edition.fight_lost_factor is not None, "this edition has no fights"
    return rent * edition.fight_lost_factor
