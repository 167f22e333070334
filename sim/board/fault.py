"""Faults that a harness can cause: a loose wire, a full disk, a stuck key.

Most last until they are mended; some happen once. ``words`` is the fault in a script.
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

    @property
    def words(self) -> str:
        return f"disk {self.refusal.value}"


class DiskCut(NamedTuple):
    """The power fails at a later operation of the disk."""

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
    """A key is down and stays down."""

    key: Key

    @property
    def words(self) -> str:
        return f"key {self.key.value}"


class Noise(NamedTuple):
    """Some bits between cards and readers are wrong."""

    bits: int
    """Of a hundred."""

    @property
    def words(self) -> str:
        return f"noise {self.bits}"


class ClockJump(NamedTuple):
    """The calendar jumps, as when it is set by hand or by the network."""

    by: int
    """Microseconds."""

    @property
    def words(self) -> str:
        unit = next(unit for unit in ("h", "m", "s", "ms") if self.by % LENGTHS[unit] == 0)
        return f"clock {self.by // LENGTHS[unit]}{unit}"


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

    @property
    def words(self) -> str:
        return self.value


Fault: TypeAlias = DiskFails | DiskCut | ReaderDead | KeyStuck | Noise | ClockJump | Mishap

DISK = "disk"
NOISE = "noise"


def thing(fault: Fault) -> str | None:
    """Return its name after ``mend``; None for a fault that happens once."""
    match fault:
        case DiskFails():
            return DISK
        case Noise():
            return NOISE
        case DiskCut() | ClockJump() | Mishap.BUS | Mishap.CONSOLE:
            return None
    return fault.words


def needs_disk(fault: Fault) -> bool:
    """Whether it needs a ledger on a disk that can fail."""
    return isinstance(fault, DiskFails | DiskCut)


def not_here(fault: Fault) -> str:
    """Return why a box at the other end of a serial line cannot play it."""
    return f"'fault {fault.words}' needs a simulated box, not one on a serial line"
