"""An SD card that fails when it is told to, and loses its power when it is told to.

While it is open, everything that SQLite does below its folder goes through it, and so do the
firmware's own calls of ``os`` there (``system``). The folder's real files hold what was
written so far, synced or not, as a running Pi would read it; after ``cut`` they hold what
survived.

    with SdCard(folder, random.Random(5)) as card, held_by_box(folder / "ledger.db") as store:
        card.fail(DiskFault.FULL)
        ...
        card.fail(None)
        card.cut_after(7)
        ...
        card.cut()      # the firmware is dead now: close what it had open, and then
        card.restore()
"""

import os
import random
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from sim.disk import faults, shim, system
from sim.disk.calls import Call, Kind, Refusal
from sim.disk.faults import DiskFault, HalfDone
from sim.disk.recording import Recording
from sim.disk.surface import Diced, Fate, Image, Surface

__all__ = ["DiskFault", "SdCard"]

MEMORY = "-shm"
"""Files with this ending are memory that programs share; no sync makes them last."""


class SdCard:
    """The card below one folder."""

    def __init__(self, folder: Path, dice: random.Random, *, shares_memory: bool = True) -> None:
        """Where memory cannot be shared SQLite can keep no write-ahead log."""
        self._folder = folder.resolve()
        self._below = f"{self._folder}{os.sep}"
        self._dice = dice
        self.shares_memory = shares_memory
        self.operations = 0
        """How many operations there were that have to do with what lasts; no reads, no locks."""
        self.starts = 0
        self._fault: DiskFault | None = None
        self._cut_at: int | None = None
        self._powered = True
        self._settled = False
        """Whether the files hold what survived the last cut."""
        self._surface = Surface(self._found())
        self._recording: Recording | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        shim.watch(self)
        self._open.callback(shim.unwatch, self)
        self._open.enter_context(system.watched())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    # Faults

    def fail(self, fault: DiskFault | None) -> None:
        """From now on the card has this fault, or none."""
        self._fault = fault

    @property
    def powered(self) -> bool:
        return self._powered

    def cut_after(self, operations: int) -> None:
        """The power goes with that operation from now, which may itself tear or be lost."""
        assert operations > 0, "the next operation is number 1"
        self._cut_at = self.operations + operations

    def cut(self) -> None:
        """The power goes now, if it has not gone yet, and the files hold what survived."""
        self._lose_power()
        if self._settled:
            return
        self._settled = True
        survived = self._surface.surviving(Diced(self._dice))
        self._write_down(survived)
        self._surface = Surface(survived)

    def restore(self) -> None:
        """The power is back; what was open before the cut stays dead."""
        if not self._powered:
            self.cut()
        self._powered, self._settled = True, False
        self._cut_at = None

    def would_survive(self, fate: Fate) -> Image:
        """What would be on the card if the power went now."""
        return self._surface.surviving(fate)

    def record(self) -> Recording:
        """Note every operation from now on; what is on its way now counts as arrived."""
        self._recording = Recording(self._found())
        return self._recording

    def _lose_power(self) -> None:
        if self._powered:
            self._powered = False
            self.starts += 1

    # What SQLite and the firmware ask for

    def name_of(self, path: str) -> str | None:
        if path.startswith(self._below):
            return path[len(self._below) :]
        return "" if path == self._below[:-1] else None

    def asked(self, call: Call) -> Refusal | None:
        if not self._powered:
            return faults.NO_POWER
        refusal = None
        if self._fault:
            refusal = faults.refusal(self._fault, call, self._surface.size(call.name))
        if refusal:
            self._half_done(call)
        elif call.kind.changes:
            self._count(call)
        elif call.kind is Kind.OPEN:
            self._notice(call.name)
        return refusal or (None if self._powered else faults.NO_POWER)

    def done(self, call: Call) -> None:
        if not call.kind.changes or call.name.endswith(MEMORY):
            return
        if call.kind is Kind.SYNC:
            self._notice(call.name)
        self._take_in(call)

    def _notice(self, name: str) -> None:
        """A file that Python wrote, or another program made, in a way that nobody saw."""
        file = self._folder / name
        if name in self._surface.names() or name.endswith(MEMORY) or not file.is_file():
            return
        self._take_in(Call(Kind.CREATE, name))
        self._take_in(Call(Kind.WRITE, name, content=file.read_bytes()))

    def _take_in(self, call: Call) -> None:
        self._surface.take_in(call)
        if self._recording:
            self._recording.operations.append(call)

    def _count(self, call: Call) -> None:
        self.operations += 1
        if self._cut_at is not None and self.operations >= self._cut_at:
            # It was under way: how much of it arrived is for the dice to say.
            if call.kind not in (Kind.SYNC, Kind.SYNC_FOLDER) or self._dice.randrange(2):
                self.done(call)
            self._lose_power()

    def _half_done(self, call: Call) -> None:
        """Nobody knows what a failed sync has done: its work, nothing, or worse than nothing."""
        if call.kind in (Kind.SYNC, Kind.SYNC_FOLDER):
            self.half_sync(call, self._dice.choice(list(HalfDone)))

    def half_sync(self, call: Call, outcome: HalfDone) -> None:
        """A sync fails, and this is what it has done."""
        match outcome:
            case HalfDone.DONE:
                self.done(call)
            case HalfDone.FORGOTTEN:
                self.done(Call(Kind.FORGET, call.name))

    @property
    def writable(self) -> bool:
        return self._fault is not DiskFault.READ_ONLY

    @property
    def hurried(self) -> bool:
        return self._fault is DiskFault.BUSY

    # The real files

    def _found(self) -> Image:
        return {
            str(file.relative_to(self._folder)): file.read_bytes()
            for file in sorted(self._folder.rglob("*"))
            if file.is_file() and not file.name.endswith(MEMORY)
        }

    def _write_down(self, image: Image) -> None:
        """New files in place of the old ones, which dead programs may still have open."""
        for file in sorted(self._folder.rglob("*")):
            if file.is_file():
                system.unlink(file)
        for name, content in image.items():
            file = self._folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
