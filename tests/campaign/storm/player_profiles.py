"""What players enter: amounts, key sequences and cards, valid and invalid."""

from tests.campaign.storm.model.figures import Edition

KEYS = "0123456789,MKCGF"

# Amounts that are valid in some edition, or refused for different reasons.
AMOUNTS = (
    *("1M", "1,5M", "20M", "150K", "1500K", "0,5M", ",5M", "12,345M", "500M", "2000M", "1,5K"),
    *("1K", "2K", "10K", "200K", "0,1K", ",1K", "9K", "9,999K", "20,001M", "2001M", "200,1K"),
    *("0,05K", "0,15K", "1,2345M", "1,23456K", "0,12345M", "99999M", "123456K", "1,,5M"),
    *("M", "K", ",M", ",K", "0M", "0K", "0,M", "00K", "0,0M"),
)

# What a banker types apart from amounts.
KEY_SEQUENCES = (
    *("C", "CC", "CCC", "CCCC", "G", "GG", "GC", "GCG", "GCC", "5G", "5GC", "F", "5F"),
    *(",", ",,", "0", "0,", "1,5", "12345", "123456", "0,12345", "5C", "5CC", "5,,C", "MC", "MCC"),
)

# Entries of F that move money, and the slots that need a card for them.
F_ENTRIES = (
    *(("BANKRUPT", "left right"), ("MORTGAGE", "right"), ("MORTGAGE", "left right")),
    *(("INTEREST", "right"), ("INTEREST", "left right"), ("UTILITY", "left right")),
    *(("FINE", "right"), ("FINE", "left right"), ("SELL", "left"), ("SELL", "left right")),
    *(("AGAIN", "left"), ("AGAIN", "right"), ("AGAIN", "left right")),
    *(("FIGHT LOST", "left right"), ("POT", "left"), ("POT", "right"), ("POT", "left right")),
    ("POT", ""),
)
TYPED_ENTRIES = frozenset({"MORTGAGE", "INTEREST", "SELL", "FIGHT LOST", "POT"})
VALID_DICE = ("2", "7", "12", "07")

# Keys after the amount shows or a question is asked.
AFTER_ENTRY = ("M", "MC", "C", "CC", "F", "K", "G", ",", "5", "5K", ",5MM", "5KM", "5CC")

# Keys after a digit that the menu does not have or that was meant for another menu.
STRAY_KEYS = ("", "750K", "1,5M", "1,C", "C", "CC", "5CC", "5G", "M5M", "F5M", "5F9M5", "77M")

# Keys that leave something half done: entries, and what F opens [N1].
HALF_DONE = (
    *("5", "5", "1,5", ",", "0", "12345", "5G", "F", "F5", "F6", "F61", "F61M", "F1", "F4", "F47M"),
    *(
        "F8",
        "F8M",
        "F8MM",
        "F9",
        "F0",
        "F03",
        "F031",
        "F04",
        "F05",
        "F051",
        "F051M",
        "F06",
        "F7",
        "FF",
    ),
)

# Keys after an interruption, before and after it is acknowledged [N2].
AFTER_INTERRUPTION = (
    *("", "5", "5M", ",5M", "M", "K", "G", "C", "CC", "C5M", "5C", "5C5M", "F", "FC", "F5M", "FCG"),
    *("GC", "MCG", ",", ",C,", "CG", "CCC", "5CC"),
)

# Keys in the history, and keys that undo a move there.
HISTORY_KEYS = ("", "G", "GGGG", "G,", ",", "GG,", "GMG", "M,", "M5", "MK", "MCC", "MF", "GGMGMM")
UNDO_KEYS = (
    *("", "M", "MM", "MM", "MM", "MMC", "MMC", "MMCC", "MMCCC", "MMG", "MMGC", "MC", "MGM"),
    *("MMF8MM", "MMF8MMC", "MMF8MMF8MM"),
)

# Amounts counted for the left card, and amounts taken back [F16].
COUNTED = ("", "1M", "1,5M", "150K", "5C", "M", "1M2MC", "C", "1MCC", "99999M", "5CC")

# Keys with both slots empty in the final count: M asks, and a second M ends it [F16].
END_OF_COUNT = ("M", "MM", "MM", "MMC", "MC", "MG", "M5", "MF", "M,")

# Names, also with the signs that may stand between letters [N6, D48].
NAMES = ("Ana", "Bo", "Jean-Luc", "D'Arcy", "Mary Ann", "Abcdefghij")

# Editions, kinds of games, and invalid numbers of minutes.
NEXT_GAME_KEYS = (
    *("1", "2", "31M", "32M", "3999M", "31000M", "30M", "3M", "3,5K1M", "3123456M", "3C"),
    *("41", "45", "46", "4G", "4C", "12", "F02", "6M", "5"),
)

# UIDs of four, seven and ten bytes, random UIDs, and UIDs that resemble another card's.
ODD_UIDS = (
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
    """A card as scripts name it."""
    return f"uid:{uid.hex().upper()}"
