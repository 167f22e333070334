"""Reads the faults of a script: the words after ``fault`` and ``mend``."""

import re

from hal.events import SECOND
from sim.board.fault import (
    LENGTHS,
    ClockJump,
    DiskCut,
    DiskFails,
    DiskRefusal,
    Fault,
    KeyStuck,
    Mishap,
    Noise,
    ReaderDead,
)
from sim.script.words import ScriptError, key_of, slot_of

_JUMP = re.compile(r"([+-]?)([0-9]{1,9})(ms|s|m|h)")
_LONGEST_JUMP = 10 * 365 * 24 * 3600 * SECOND
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
_MOST_NOISE = 50
"""Of a hundred bits; with half of them wrong no information is left."""


def fault_of(words: list[str]) -> Fault:
    """The fault that these words name; raises ScriptError."""
    match words:
        case ["disk", "cut", number]:
            return DiskCut(_number(number, "the operations of a disk are counted from 1 to 999999"))
        case ["disk", how]:
            return DiskFails(_disk_refusal(how))
        case ["reader", word]:
            return ReaderDead(slot_of(word))
        case ["key", letter]:
            return KeyStuck(key_of(letter))
        case ["noise", number]:
            return _noise(number)
        case ["clock", word]:
            return ClockJump(_jump(word))
        case [word] if word in [mishap.value for mishap in Mishap]:
            return Mishap(word)
    raise ScriptError(
        "'fault' takes 'disk full', 'disk cut 7', 'reader left', 'screen', 'key 5', 'bus', "
        f"'noise 1', 'bounce', 'clock -1h' or 'console', not {' '.join(words)!r}"
    )


def _disk_refusal(how: str) -> DiskRefusal:
    try:
        return DiskRefusal(how)
    except ValueError:
        known = ", ".join(f"'{refusal.value}'" for refusal in DiskRefusal)
        raise ScriptError(f"'fault disk' takes {known} or 'cut 7', not {how!r}") from None


def _noise(number: str) -> Noise:
    limits = f"of 100 bits, 1 to {_MOST_NOISE} arrive wrong"
    noise = Noise(_number(number, limits))
    if noise.bits > _MOST_NOISE:
        raise ScriptError(f"{limits}, not {number}")
    return noise


def _number(word: str, what: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise ScriptError(f"{what}, not {word!r}")
    return int(word)


def _jump(word: str) -> int:
    match = _JUMP.fullmatch(word)
    if match is None:
        raise ScriptError(f"{word!r} is not a jump of a clock, such as -1h or 20s")
    by = int(f"{match[1]}{match[2]}") * LENGTHS[match[3]]
    if not 0 < abs(by) <= _LONGEST_JUMP:
        raise ScriptError(f"a clock jumps by 1ms to ten years, not by {word!r}")
    return by
