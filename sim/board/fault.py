"""Faults that a harness can cause: a loose wire, a full disk, a stuck key.

Most last until they are mended; some happen once.
"""

from enum import Enum
from typing import NamedTuple, TypeAlias

from hal.events import MILLISECOND, SECOND, Key, Slot

LENGTHS = {"ms": MILLISECOND, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
"""The units of durations, as scripts write them."""


class DiskRefusal(Enum):
    """What a failing disk refuses."""

    FULL = "full"
    """Writes that make a file longer."""
    READ_ONLY = "read-only"
    """Every write, with the error of a read-only disk."""
    WRITE = "write"
    """Every write, like a worn-out card."""
    SYNC = "sync"
    """Syncs: it is unknown whether the data is safe."""


class DiskFails(NamedTuple):
    """The disk refuses something."""

    refusal: DiskRefusal


class DiskCut(NamedTuple):
    """The power fails at a later operation of the disk."""

    operation: int
    """Which: 1 is the next write, sync, truncation or deletion."""


class ReaderDead(NamedTuple):
    """The reader of a slot does not answer."""

    slot: Slot


class KeyStuck(NamedTuple):
    """A key is down and stays down."""

    key: Key


class Noise(NamedTuple):
    """Some bits between cards and readers are wrong."""

    bits: int
    """Of a hundred."""


class ClockJump(NamedTuple):
    """The calendar jumps, as when it is set by hand or by the network."""

    by: int
    """Microseconds."""


class Mishap(Enum):
    """Faults without parameters."""

    SCREEN = "screen"
    """It is unplugged."""
    BUS = "bus"
    """The next transfer to the screen is cut short."""
    BOUNCE = "bounce"
    """Contacts bounce."""
    CONSOLE = "console"
    """The host floods the console."""


Fault: TypeAlias = DiskFails | DiskCut | ReaderDead | KeyStuck | Noise | ClockJump | Mishap


def script_words(fault: Fault) -> str:
    """The fault, as a script names it."""
    match fault:
        case DiskFails(refusal):
            return f"disk {refusal.value}"
        case DiskCut(operation):
            return f"disk cut {operation}"
        case ReaderDead(slot):
            return f"reader {slot.value}"
        case KeyStuck(key):
            return f"key {key.value}"
        case Noise(bits):
            return f"noise {bits}"
        case ClockJump(by):
            unit = next(unit for unit in ("h", "m", "s", "ms") if by % LENGTHS[unit] == 0)
            return f"clock {by // LENGTHS[unit]}{unit}"
    return fault.value


def lasting_name(fault: Fault) -> str | None:
    """Its name after ``mend``; None for a fault that happens once."""
    match fault:
        case DiskFails() | Noise():
            return script_words(fault).split()[0]
        case DiskCut() | ClockJump() | Mishap.BUS | Mishap.CONSOLE:
            return None
    return script_words(fault)


def needs_disk(fault: Fault) -> bool:
    """Whether it needs a ledger on a disk that can fail."""
    return isinstance(fault, DiskFails | DiskCut)


def not_here(fault: Fault) -> str:
    """Return why a box at the other end of a serial line cannot play it."""
    return f"'fault {script_words(fault)}' needs a simulated box, not one on a serial line"
