"""An SD card with faults and power cuts on demand.

While it is open, all of SQLite's calls below its folder go through it, and so do the firmware's own
calls of ``os`` there (``system``). The folder's real files hold everything written so far, synced
or not; after ``cut`` they hold what survived.

    with SdCard(folder, random.Random(5)) as card, opened_by_box(folder / "ledger.db") as store:
        card.fail(DiskFault.FULL)
        ...
        card.fail(None)
        card.cut_after(7)
        ...
        card.cut()      # the firmware is dead: close what it had open, then
        card.restore()
"""

import os
import random
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.campaign.disk import faults, shim, system
from tests.campaign.disk.calls import Call, Kind, Refusal
from tests.campaign.disk.faults import DiskFault, FailedSync
from tests.campaign.disk.recording import Recording
from tests.campaign.disk.surface import Fate, Image, RandomFate, Surface

__all__ = ["DiskFault", "SdCard"]

SHARED_MEMORY = "-shm"
"""The suffix of files that hold shared memory; they never survive a power cut."""


class SdCard:
    """The card below one folder."""

    def __init__(self, folder: Path, rng: random.Random, *, shares_memory: bool = True) -> None:
        """Without shared memory SQLite cannot use a write-ahead log."""
        self._folder = folder.resolve()
        self._prefix = f"{self._folder}{os.sep}"
        self._rng = rng
        self.shares_memory = shares_memory
        self.operations = 0
        """The number of operations that affect what is durable; reads and locks do not count."""
        self.power_cuts = 0
        self._fault: DiskFault | None = None
        self._cut_at: int | None = None
        self._powered = True
        self._settled = False
        """Whether the files hold what survived the last cut."""
        self._surface = Surface(self._read_files())
        self._recording: Recording | None = None
        self._resources = ExitStack()

    def __enter__(self) -> Self:
        shim.attach(self)
        self._resources.callback(shim.detach, self)
        self._resources.enter_context(system.patched())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._resources.close()

    # Faults

    def fail(self, fault: DiskFault | None) -> None:
        """Set the card's fault, or None."""
        self._fault = fault

    @property
    def powered(self) -> bool:
        return self._powered

    def cut_after(self, operations: int) -> None:
        """Cut the power at this operation from now, which may itself be torn or lost."""
        assert operations > 0, "operations count from 1"
        self._cut_at = self.operations + operations

    def cut(self) -> None:
        """Cut the power, unless it is off, and leave what survived in the files."""
        self._lose_power()
        if self._settled:
            return
        self._settled = True
        survived = self._surface.surviving(RandomFate(self._rng))
        self._write_files(survived)
        self._surface = Surface(survived)

    def restore(self) -> None:
        """Restore power; files opened before the cut stay stale."""
        if not self._powered:
            self.cut()
        self._powered, self._settled = True, False
        self._cut_at = None

    def would_survive(self, fate: Fate) -> Image:
        """What would be on the card after a power cut now."""
        return self._surface.surviving(fate)

    def record(self) -> Recording:
        """Record every operation from now on; pending writes count as durable."""
        self._recording = Recording(self._read_files())
        return self._recording

    def _lose_power(self) -> None:
        if self._powered:
            self._powered = False
            self.power_cuts += 1

    # Calls by SQLite and the firmware

    def name_of(self, path: str) -> str | None:
        if path.startswith(self._prefix):
            return path[len(self._prefix) :]
        return "" if path == self._prefix[:-1] else None

    def check(self, call: Call) -> Refusal | None:
        if not self._powered:
            return faults.NO_POWER
        refusal = None
        if self._fault:
            refusal = faults.refusal(self._fault, call, self._surface.size(call.name))
        if refusal:
            self._fail_sync_randomly(call)
        elif call.kind.changes:
            self._count_operation(call)
        elif call.kind is Kind.OPEN:
            self._adopt(call.name)
        return refusal or (None if self._powered else faults.NO_POWER)

    def done(self, call: Call) -> None:
        if not call.kind.changes or call.name.endswith(SHARED_MEMORY):
            return
        if call.kind is Kind.SYNC:
            self._adopt(call.name)
        self._apply(call)

    def _adopt(self, name: str) -> None:
        """Adopt a file that Python or another program created without going through the card."""
        file = self._folder / name
        if name in self._surface.names() or name.endswith(SHARED_MEMORY) or not file.is_file():
            return
        self._apply(Call(Kind.CREATE, name))
        self._apply(Call(Kind.WRITE, name, content=file.read_bytes()))

    def _apply(self, call: Call) -> None:
        self._surface.apply(call)
        if self._recording:
            self._recording.operations.append(call)

    def _count_operation(self, call: Call) -> None:
        self.operations += 1
        if self._cut_at is not None and self.operations >= self._cut_at:
            # The operation was in progress: the generator decides how much of it arrived.
            if call.kind not in (Kind.SYNC, Kind.SYNC_FOLDER) or self._rng.randrange(2):
                self.done(call)
            self._lose_power()

    def _fail_sync_randomly(self, call: Call) -> None:
        """A failed sync may have written the data, or not yet, or never will."""
        if call.kind in (Kind.SYNC, Kind.SYNC_FOLDER):
            self.fail_sync(call, self._rng.choice(list(FailedSync)))

    def fail_sync(self, call: Call, outcome: FailedSync) -> None:
        """Let a sync fail with this outcome."""
        match outcome:
            case FailedSync.DONE:
                self.done(call)
            case FailedSync.DROPPED:
                self.done(Call(Kind.DROP, call.name))

    @property
    def writable(self) -> bool:
        return self._fault is not DiskFault.READ_ONLY

    @property
    def skips_sleep(self) -> bool:
        return self._fault is DiskFault.BUSY

    # Real files

    def _read_files(self) -> Image:
        return {
            str(file.relative_to(self._folder)): file.read_bytes()
            for file in sorted(self._folder.rglob("*"))
            if file.is_file() and not file.name.endswith(SHARED_MEMORY)
        }

    def _write_files(self, image: Image) -> None:
        """Create new files instead of the old ones, which dead programs may still have open."""
        for file in sorted(self._folder.rglob("*")):
            if file.is_file():
                system.unlink(file)
        for name, content in image.items():
            file = self._folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
