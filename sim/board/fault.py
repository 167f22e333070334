"""What can go wrong with a box, and how a script says so: ``fault reader left``.

A fault is something that people meet: a wire that came loose, a full disk, a key with syrup
in it. Most last until they are mended; some are over as soon as they have happened.
"""

import re
from enum import Enum
from typing import NamedTuple, TypeAlias

from hal.events import SECOND, Key, Slot
from sim.script_words import LENGTHS, ScriptError, key_of, slot_of

_JUMP = re.compile(r"([+-]?)([0-9]{1,9})(ms|s|m|h)")
_FARTHEST = 10 * 365 * 24 * 3600 * SECOND
_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
_MOST_NOISE = 50
"""Of a hundred bits: with half of them wrong, nothing is left of what was said."""


class Trouble(Enum):
    """What a disk refuses."""

    FULL = "full"
    """Whatever makes a file longer."""
    READ_ONLY = "read-only"
    """Every write, and says so."""
    WRITE = "write"
    """Every write, as a card that is worn out."""
    SYNC = "sync"
    """To say that what it was given is safe: nobody knows whether it is."""


class DiskFails(NamedTuple):
    """The disk refuses something."""

    trouble: Trouble

    @property
    def words(self) -> str:
        return f"disk {self.trouble.value}"


class DiskCut(NamedTuple):
    """The power goes with one of the disk's next operations."""

    operation: int
    """Which: 1 is the next write, sync, truncation or deletion."""

    @property
    def words(self) -> str:
        return f"disk cut {self.operation}"


class ReaderDead(NamedTuple):
    """The reader of a slot does not answer."""

    slot: Slot

    @property
    def words(self) -> str:
        return f"reader {self.slot.value}"


class KeyStuck(NamedTuple):
    """A key is down and stays down, whatever fingers do."""

    key: Key

    @property
    def words(self) -> str:
        return f"key {self.key.value}"


class Noise(NamedTuple):
    """Of a hundred bits between cards and readers, so many arrive wrong."""

    bits: int

    @property
    def words(self) -> str:
        return f"noise {self.bits}"


class ClockJump(NamedTuple):
    """The calendar jumps: somebody set it, or a Pi that has none found the network."""

    by: int
    """Microseconds."""

    @property
    def words(self) -> str:
        unit = next(unit for unit in ("h", "m", "s", "ms") if self.by % LENGTHS[unit] == 0)
        return f"clock {self.by // LENGTHS[unit]}{unit}"


class Mishap(Enum):
    """What needs no more than its name."""

    SCREEN = "screen"
    """It is unplugged."""
    BUS = "bus"
    """The next transfer to the screen breaks off."""
    BOUNCE = "bounce"
    """Contacts bounce, for as long as contacts do."""
    CONSOLE = "console"
    """The host at the other end says more than anybody can listen to."""

    @property
    def words(self) -> str:
        return self.value


Fault: TypeAlias = DiskFails | DiskCut | ReaderDead | KeyStuck | Noise | ClockJump | Mishap

DISK = "disk"
NOISE = "noise"


def thing(fault: Fault) -> str | None:
    """What is broken, as ``mend`` names it; None for what is over when it has happened."""
    match fault:
        case DiskFails():
            return DISK
        case Noise():
            return NOISE
        case DiskCut() | ClockJump() | Mishap.BUS | Mishap.CONSOLE:
            return None
    return fault.words


def needs_disk(fault: Fault) -> bool:
    """Whether it takes a ledger on a disk that can fail."""
    return isinstance(fault, DiskFails | DiskCut)


def not_here(fault: Fault) -> str:
    """Why a box at the other end of a wire cannot play it."""
    return f"'fault {fault.words}' needs a simulated box, and not one at the other end of a wire"


def fault_of(words: list[str]) -> Fault:
    """The fault that the words after ``fault`` name; raises ScriptError."""
    match words:
        case ["disk", "cut", number]:
            return DiskCut(_number(number, "the operations of a disk are counted from 1 to 999999"))
        case ["disk", how]:
            return DiskFails(_trouble(how))
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


def _trouble(how: str) -> Trouble:
    try:
        return Trouble(how)
    except ValueError:
        known = ", ".join(f"'{trouble.value}'" for trouble in Trouble)
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
    if not 0 < abs(by) <= _FARTHEST:
        raise ScriptError(f"a clock jumps by 1ms to ten years, so not by {word!r}")
    return by
