"""What people do at a bank's keys, for better or worse, and how scripts write amounts and cards."""

from sim.storm.model.figures import Edition

KEYS = "0123456789,MKCGF"

# Entries that are good in one edition or another, or refused for reasons of their own.
AMOUNTS = (
    *("1M", "1,5M", "20M", "150K", "1500K", "0,5M", ",5M", "12,345M", "500M", "2000M", "1,5K"),
    *("1K", "2K", "10K", "200K", "0,1K", ",1K", "9K", "9,999K", "20,001M", "2001M", "200,1K"),
    *("0,05K", "0,15K", "1,2345M", "1,23456K", "0,12345M", "99999M", "123456K", "1,,5M"),
    *("M", "K", ",M", ",K", "0M", "0K", "0,M", "00K", "0,0M"),
)

# What a banker types apart from amounts.
GESTURES = (
    *("C", "CC", "CCC", "CCCC", "G", "GG", "GC", "GCG", "GCC", "5G", "5GC", "F", "5F"),
    *(",", ",,", "0", "0,", "1,5", "12345", "123456", "0,12345", "5C", "5CC", "5,,C", "MC", "MCC"),
)

# What F moves, and the slots that have to hold a card for it.
SERVICES = (
    *(("ALL", "left right"), ("MORTGAGE", "right"), ("MORTGAGE", "left right")),
    *(("INTEREST", "right"), ("INTEREST", "left right"), ("UTILITY", "left right")),
    *(("JAIL", "right"), ("JAIL", "left right"), ("HALF", "left"), ("HALF", "left right")),
    *(("AGAIN", "left"), ("AGAIN", "right"), ("AGAIN", "left right")),
    *(("FIGHT LOST", "left right"), ("POT", "left"), ("POT", "right"), ("POT", "left right")),
)
TYPED = frozenset({"MORTGAGE", "INTEREST", "HALF", "FIGHT LOST", "POT"})
GOOD_DICE = ("2", "7", "12", "07")

# What may follow once the amount shows, or a question is asked.
AFTER = ("M", "MC", "C", "CC", "F", "K", "G", ",", "5", "5K", ",5MM", "5KM", "5CC")

# What follows a digit that the list does not have, or that was meant for another list.
ASTRAY = ("", "750K", "1,5M", "1,C", "C", "CC", "5CC", "5G", "M5M", "F5M", "5F9M5", "77M")

# A walk through the history, and what it leads to.
WALKS = ("", "G", "GGGG", "G,", ",", "GG,", "GMG", "M,", "M5", "MK", "MCC", "MF", "GGMGMM")
TAKEN_BACK = ("", "M", "MM", "MM", "MM", "MMC", "MMCC", "MMG", "MC", "MGM", "MMF8MM")

# Editions, kinds of games, and what is no number of minutes.
NEXT_GAMES = (
    *("1", "2", "31M", "32M", "3999M", "31000M", "30M", "3M", "3,5K1M", "3123456M", "3C"),
    *("41", "45", "46", "4G", "4C", "12", "F02", "6M", "5"),
)

# Four, seven and ten bytes, random ones, and some that look like another card.
ODD_CARDS = (
    *("04A1B2C3", "04E5A1B2", "04A1B2C3D4E5F6", "04A1B2C3D4E5F6A7B8C9"),
    *("08A1B2C3", "08000000", "08A1B2C3D4E5F6", "08A1B2C3D4E5F6A7B8C9"),
)


def keys_of(amount: int, edition: Edition) -> str:
    """The keys that enter an amount, in the unit that takes the fewest."""
    return min((_in_unit(amount, letter, unit) for letter, unit in edition.units.items()), key=len)


def _in_unit(amount: int, letter: str, unit: int) -> str:
    whole, rest = divmod(amount, unit)
    decimals = str(unit + rest)[1:].rstrip("0")
    return f"{whole},{decimals}{letter}" if decimals else f"{whole}{letter}"


def name_of(uid: bytes) -> str:
    """Any card, as scripts name it."""
    return f"uid:{uid.hex().upper()}"
