"""Decides which fault starts when and when it ends, as lines between those of the players.

Some faults last for several lines; others are over at once.
"""

from collections.abc import Callable, Collection, Iterator
from enum import Enum
from random import Random
from typing import NamedTuple

from sim.board.stock import STOCK
from tests.campaign.storm.model.model import Model


class FaultKind(Enum):
    """The kinds of faults, with their names in the summary."""

    POWER = "power cuts between lines"
    POWER_IN_COMMIT = "power cuts inside a commit"
    NOISE = "bit errors"
    BOUNCE = "bouncing keys"
    KEY = "stuck keys"
    READER = "dead readers"
    SCREEN = "dead screens"
    BUS = "bus errors"
    FULL = "full disks"
    READ_ONLY = "read-only disks"
    SYNC = "failed syncs"
    CLOCK = "clock jumps"
    CONSOLE = "console floods"


ON_CHIPS = (FaultKind.NOISE, FaultKind.BOUNCE, FaultKind.BUS)
"""These need drivers on models of the chips."""
WEIGHTS = (
    dict.fromkeys(FaultKind, 2)
    | dict.fromkeys(ON_CHIPS, 12)
    | {FaultKind.POWER: 4, FaultKind.POWER_IN_COMMIT: 6, FaultKind.BUS: 16, FaultKind.CONSOLE: 12}
)

DISK = (FaultKind.FULL, FaultKind.READ_ONLY, FaultKind.SYNC)
EXCLUSIVE = [*({FaultKind.SCREEN, kind} for kind in DISK), {FaultKind.NOISE, FaultKind.READER}]
"""Faults that do not occur together: the screen must show what a faulty disk did, and a reader that
returns must find its card.
"""

FAULT_EVERY = 28
"""Average number of lines between two faults."""
FAULT_EVERY_OFTEN = 9
"""The same with chips, which play fewer hours, and with a failing disk."""
FAILING_DISK_FACTOR = 10
"""A failing disk has disk faults this many times as often."""
MAX_ACTIVE = 3
"""Faults at a time."""
MAX_LINES = 12
"""Lines that a fault lasts."""
MAX_OPERATION = 14
"""A move takes a handful of disk operations, a new game a dozen."""


class ActiveFault(NamedTuple):
    """A fault that lasts: for how many more lines, and what its mend line names."""

    kind: FaultKind
    lines_left: int
    target: str


class FaultSchedule:
    """The faults of one evening."""

    def __init__(
        self,
        rng: Random,
        model: Callable[[], Model],
        kinds: Collection[FaultKind],
        *,
        failing_disk: bool = False,
    ) -> None:
        self._rng = rng
        self._model = model
        self._kinds = list(kinds)
        frequent = failing_disk or set(ON_CHIPS) <= set(kinds)
        self._fault_every = FAULT_EVERY_OFTEN if frequent else FAULT_EVERY
        factors = dict.fromkeys(DISK, FAILING_DISK_FACTOR if failing_disk else 1)
        self._weights = [WEIGHTS[kind] * factors.get(kind, 1) for kind in self._kinds]
        self._active: list[ActiveFault] = []
        self._cut_pending = False

    @property
    def disk_may_fail(self) -> bool:
        """Whether the disk may refuse something; then keys should be played one by one."""
        return self._cut_pending or any(fault.kind in DISK for fault in self._active)

    @property
    def noisy(self) -> bool:
        """Whether cards are hard to read; a sleeping box may then detect one too late."""
        return any(fault.kind is FaultKind.NOISE for fault in self._active)

    def end_noise(self) -> Iterator[str]:
        """End noise before a card with a long UID, which takes too long to read."""
        yield from self._end([fault for fault in self._active if fault.kind is FaultKind.NOISE])

    def lines(self) -> Iterator[str]:
        """The fault lines before the players' next line; usually none."""
        self._active = [fault._replace(lines_left=fault.lines_left - 1) for fault in self._active]
        yield from self._end([fault for fault in self._active if fault.lines_left <= 0])
        if self._rng.randrange(self._fault_every) == 0 and len(self._active) < MAX_ACTIVE:
            (kind,) = self._rng.choices(self._kinds, self._weights)
            yield from self._start(kind)

    def end_all(self) -> Iterator[str]:
        """End all faults at the end of the evening."""
        yield from self._end(self._active)

    def _end(self, faults: list[ActiveFault]) -> Iterator[str]:
        self._active = [fault for fault in self._active if fault not in faults]
        for fault in faults:
            yield f"mend {fault.target}"

    def _start(self, kind: FaultKind) -> Iterator[str]:
        if any(fault.kind is kind or {fault.kind, kind} in EXCLUSIVE for fault in self._active):
            return
        if kind is FaultKind.KEY and self._model().stuck_keys:
            return  # a player holds a key
        match kind:
            case FaultKind.POWER:
                yield "power off"
                yield from self.restore_power()
            case FaultKind.POWER_IN_COMMIT | FaultKind.FULL | FaultKind.READ_ONLY | FaultKind.SYNC:
                yield from self._start_disk_fault(kind)
            case FaultKind.CLOCK:
                yield f"fault clock {self._rng.choice(('-1h', '-7m', '20s', '3h', '-9000h'))}"
            case FaultKind.BUS | FaultKind.CONSOLE:
                yield f"fault {kind.name.lower()}"
            case _:
                yield from self._activate(kind, self._target(kind))

    def _target(self, kind: FaultKind) -> str:
        match kind:
            case FaultKind.NOISE:
                return "noise 1"
            case FaultKind.READER:
                return f"reader {self._rng.choice(('left', 'right'))}"
            case FaultKind.KEY:
                return f"key {self._rng.choice('0123456789,MKCGF')}"
        return kind.name.lower()

    def _start_disk_fault(self, kind: FaultKind) -> Iterator[str]:
        """One disk fault at a time; the outcome of a combination is unpredictable."""
        if self.disk_may_fail:
            return
        if kind is FaultKind.POWER_IN_COMMIT:
            self._cut_pending = True
            yield f"fault disk cut {self._rng.randrange(1, MAX_OPERATION)}"
        else:
            words = {
                FaultKind.FULL: "full",
                FaultKind.READ_ONLY: "read-only",
                FaultKind.SYNC: "sync",
            }
            yield from self._activate(kind, f"disk {words[kind]}")

    def _activate(self, kind: FaultKind, target: str) -> Iterator[str]:
        mend_target = {FaultKind.NOISE: "noise"}.get(
            kind, "disk" if target.startswith("disk") else target
        )
        self._active.append(ActiveFault(kind, self._rng.randrange(2, MAX_LINES), mend_target))
        yield f"fault {target}"

    def restore_power(self) -> Iterator[str]:
        """Restore power after a cut. Cards may change meanwhile, and a bad disk is replaced."""
        self._cut_pending = False
        yield from self._end([fault for fault in self._active if fault.kind in DISK])
        yield from self.end_noise()
        if self._rng.randrange(3) == 0:
            yield f"wait {self._rng.randrange(1, 20)}s"
        if self._rng.randrange(3) == 0:
            slot = self._rng.choice(("left", "right"))
            if slot in self._model().physical:
                yield f"remove {slot}"
            else:
                yield f"insert {slot} {self._rng.randrange(1, len(STOCK) + 1)}"
        yield "power on"
        if any(fault.kind is FaultKind.READER for fault in self._active):
            yield "wait 1s"  # the driver takes a while to give up on a reader


def kind_of(line: str) -> FaultKind | None:
    """The fault that a line causes at once; a future power cut counts later."""
    match line.split():
        case ["power", "off"]:
            return FaultKind.POWER
        case ["fault", "disk", "cut", _]:
            return None
        case ["fault", "disk", how]:
            return FaultKind[how.upper().replace("-", "_")]
        case ["fault", what, *_]:
            return FaultKind[what.upper()]
    return None
