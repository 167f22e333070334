"""The figures that F works out from what was typed, by the rulebook of the edition."""

from firmware.edition import Edition


def lifting(edition: Edition, value: int) -> int:
    """A mortgage's value and its interest, the sum rounded up (F6)."""
    return _hundredths_rounded_up(edition, value * (100 + edition.mortgage.interest_percent))


def interest(edition: Edition, value: int) -> int:
    """The interest alone, rounded up in the same way (F7)."""
    return _hundredths_rounded_up(edition, value * edition.mortgage.interest_percent)


def _hundredths_rounded_up(edition: Edition, hundredths: int) -> int:
    unit = edition.mortgage.round_up_to
    return -(-hundredths // (100 * unit)) * unit


def half(price: int) -> int:
    """What houses and hotels are worth to the bank; it never pays more than half (F10)."""
    return price // 2


def utility_rent(edition: Edition, dice: int, *, both: bool) -> int:
    """For one utility or for both, times the dice (F8)."""
    return dice * (edition.utility_rent_both if both else edition.utility_rent_one)


def dice_range(edition: Edition) -> tuple[int, int]:
    """The least and the most that the dice can show."""
    return edition.dice.how_many, edition.dice.how_many * edition.dice.sides


def fight_lost(edition: Edition, rent: int) -> int:
    """The rent so many times (F12)."""
    assert edition.fight_lost_factor is not None, "this edition has no fights"
    return rent * edition.fight_lost_factor
