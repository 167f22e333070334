"""The words of a script's line: keys, slots, cards, numbers, durations."""

import re

from firmware.bank.names import NAME_RULE, composed, is_name
from hal.events import SECOND, Key, Slot
from sim.board.fault import LENGTHS
from sim.board.stock import STOCK

_DURATION = re.compile(r"([0-9]{1,15})(ms|s|m|h)")
_LONGEST_WAIT = 100 * 365 * 24 * 3600 * SECOND
_UID_LENGTHS = (4, 7, 10)
_NUMBERS = [str(number) for number, _ in enumerate(STOCK, start=1)]


class ScriptError(Exception):
    """A line that is invalid, or that is invalid after the lines before it."""


def exactly(rest: list[str], verb: str, what: str) -> list[str]:
    if len(rest) != what.count(" and ") + 1:
        raise takes(verb, what, rest)
    return rest


def takes(verb: str, what: str, rest: list[str]) -> ScriptError:
    """Return the error of a line that has other words, or too few."""
    instead = f", not {' '.join(rest)!r}" if rest else ""
    return ScriptError(f"{verb!r} takes {what}{instead}")


def slot_of(word: str) -> Slot:
    try:
        return Slot(word)
    except ValueError:
        raise ScriptError(f"there is no slot {word!r}; there are left and right") from None


def key_of(letter: str) -> Key:
    try:
        return Key(letter)
    except ValueError:
        raise ScriptError(f"there is no key {letter!r}; keys are 0-9 , M K C G F") from None


def number_of(word: str, what: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise ScriptError(f"{word!r} is not {what}")
    return int(word)


def name_of(words: list[str]) -> str:
    """The name of a card; several words have a space between them."""
    name = composed(" ".join(words))
    if not is_name(name):
        raise ScriptError(f"{NAME_RULE}; not {name!r}")
    return name


def duration_of(word: str) -> int:
    match = _DURATION.fullmatch(word)
    if match is None:
        raise ScriptError(f"{word!r} is not a duration such as 500ms, 3s, 2m or 1h")
    duration = int(match[1]) * LENGTHS[match[2]]
    if duration > _LONGEST_WAIT:
        raise ScriptError(f"{word!r} is more than a hundred years")
    return duration


def card_of(word: str) -> bytes:
    """The UID of a card, as scripts name one."""
    if word.startswith("uid:"):
        return _uid(word.removeprefix("uid:"))
    if word not in _NUMBERS:
        raise ScriptError(f"a card is 1 to {len(STOCK)} or uid:04A1B2C3, not {word!r}")
    return STOCK[_NUMBERS.index(word)]


def _uid(digits: str) -> bytes:
    try:
        uid = bytes.fromhex(digits)
    except ValueError:
        uid = b""
    if len(uid) not in _UID_LENGTHS:
        raise ScriptError(f"a UID has 4, 7 or 10 bytes in hexadecimal, not {digits!r}")
    return uid
