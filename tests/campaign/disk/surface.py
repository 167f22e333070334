"""What is durable on a disk, and what is still pending.

A write, a truncation or a name change is pending until a sync of its file, or of the folder for
names, has returned. A pending change may survive a power cut or not, independently of the others
and sector by sector, so writes can be reordered. Name changes go through the file system's journal
and survive in order.

A sector of 512 bytes is written whole or not at all, and the bytes around a write stay as they are:
this disk has the property that SQLite calls powersafe overwrite. ``Spoilt`` is a card without it;
the firmware tells SQLite not to rely on it, and survives that card too.
"""

import random
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from tests.campaign.disk.calls import Call, Kind

SECTOR = 512
PAGE = 4096
"""The unit that the kernel caches and writes."""
Image = dict[str, bytes]
"""The contents of a disk, by name."""


class Written(NamedTuple):
    """Bytes written to a file."""

    offset: int
    content: bytes

    def sectors(self, size: int = SECTOR) -> Iterator["Written"]:
        """Split the write at sector boundaries."""
        start = self.offset
        end = self.offset + len(self.content)
        while start < end:
            stop = min(end, (start // size + 1) * size)
            yield Written(start, self.content[start - self.offset : stop - self.offset])
            start = stop


class Resized(NamedTuple):
    """A file was resized."""

    size: int


Change = Written | Resized


class Fate(Protocol):
    """What a power cut does to pending changes."""

    def names_kept(self, count: int) -> int:
        """How many of the pending name changes survive, counted from the first."""
        ...

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        """What survives of a change; ``last`` marks the one that was in progress."""
        ...


class Lost(NamedTuple):
    """No pending change survives."""

    def names_kept(self, count: int) -> int:
        del count
        return 0

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        del change, last
        return iter(())


class Kept(NamedTuple):
    """All pending changes survive."""

    def names_kept(self, count: int) -> int:
        return count

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        del last
        yield change


class Torn(NamedTuple):
    """The last write is torn at a sector boundary; earlier pending changes share one fate."""

    at: int
    """How many of its sectors belong to the first part."""
    first: bool
    """Whether the first part survives, or else the second."""
    before: Lost | Kept = Kept()

    def names_kept(self, count: int) -> int:
        return self.before.names_kept(count)

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        if not last or isinstance(change, Resized):
            yield from self.before.kept(change, last=last)
            return
        sectors = list(change.sectors())
        yield from sectors[: self.at] if self.first else sectors[self.at :]


class RandomFate(NamedTuple):
    """Each change survives, is lost, or survives in some sectors, at random."""

    rng: random.Random

    def __repr__(self) -> str:
        return "RandomFate()"

    def names_kept(self, count: int) -> int:
        return self.rng.randint(0, count)

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        del last
        fate = self.rng.randrange(3)
        if isinstance(change, Resized):
            fate = min(fate, 1)
        if fate == 1:
            yield change
        if fate == 2 and isinstance(change, Written):
            yield from (piece for piece in change.sectors() if self.rng.randrange(2))


class Spoilt(NamedTuple):
    """The last write was cut off within a sector, and the whole sector holds garbage.

    This includes the bytes around the write. Some cards do that, and SQLite handles it only if it
    is told not to rely on powersafe overwrite.
    """

    sector: int
    """The sector of the write; those before it survive, those after it do not."""
    size: int = SECTOR

    def names_kept(self, count: int) -> int:
        return count

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        if not last or isinstance(change, Resized):
            yield change
            return
        sectors = list(change.sectors())
        yield from sectors[: self.sector]
        start = sectors[self.sector].offset // self.size * self.size
        yield Written(start, b"\xa5" * self.size)


class FileState:
    """A file: its durable content and its pending changes."""

    def __init__(self, content: bytes = b"") -> None:
        self._durable = bytearray(content)
        self._pending: list[Change] = []
        self._dropped: list[Written] = []
        """Writes that the kernel considers written since a sync of them failed, page by page."""
        self.size = len(content)

    def change(self, change: Change) -> None:
        match change:
            case Written(offset, content):
                self.size = max(self.size, offset + len(content))
                if self._dropped:
                    self._redirty({piece.offset // PAGE for piece in change.sectors(PAGE)})
            case Resized(size):
                self.size = size
                self._dropped = [piece for piece in self._dropped if piece.offset < size]
        self._pending.append(change)

    def _redirty(self, pages: set[int]) -> None:
        """A page that is written to again is written to disk whole."""
        self._pending += [piece for piece in self._dropped if piece.offset // PAGE in pages]
        self._dropped = [piece for piece in self._dropped if piece.offset // PAGE not in pages]

    def sync(self) -> None:
        """A sync has returned."""
        for change in self._pending:
            _apply(self._durable, change)
        self._pending.clear()

    def drop_pending(self) -> None:
        """A sync has failed, and the kernel drops its changes: no later sync writes them.

        They can still be read until the power is cut.
        """
        for change in self._pending:
            if isinstance(change, Written):
                self._dropped += change.sectors(PAGE)
            else:
                _apply(self._durable, change)
        self._pending.clear()

    def surviving(self, fate: Fate, last: Change | None) -> bytes:
        content = bytearray(self._durable)
        for change in (*self._dropped, *self._pending):
            for piece in fate.kept(change, last=change is last):
                _apply(content, piece)
        return bytes(content)


def _apply(content: bytearray, change: Change) -> None:
    """A gap before a write reads as zeros."""
    match change:
        case Written(offset, written):
            content.extend(bytes(max(0, offset - len(content))))
            content[offset : offset + len(written)] = written
        case Resized(size):
            del content[size:]
            content.extend(bytes(size - len(content)))


class NameChange(NamedTuple):
    """A name refers to a file from now on, or to nothing."""

    name: str
    file: FileState | None


class Surface:
    """All files of a folder."""

    def __init__(self, image: Mapping[str, bytes]) -> None:
        self._durable = {name: FileState(content) for name, content in image.items()}
        self._names = dict(self._durable)
        self._name_changes: list[tuple[NameChange, ...]] = []
        """Pending name changes; those in one tuple are atomic."""
        self._last: Change | None = None
        """The change of the latest operation, if it changed a file."""

    def names(self) -> set[str]:
        return set(self._names)

    def size(self, name: str) -> int:
        file = self._names.get(name)
        return file.size if file else 0

    @property
    def last_write(self) -> Written | None:
        """The latest operation's write, if there was one."""
        return self._last if isinstance(self._last, Written) else None

    def apply(self, call: Call) -> None:
        """Apply a finished operation."""
        self._last = None
        match call.kind:
            case Kind.CREATE:
                self._change_names(NameChange(call.name, FileState()))
            case Kind.DELETE:
                self._change_names(NameChange(call.name, None))
            case Kind.RENAME:
                moved = NameChange(call.target, self._names.get(call.name))
                self._change_names(moved, NameChange(call.name, None))
            case Kind.WRITE:
                self._change_file(call.name, Written(call.offset, call.content))
            case Kind.TRUNCATE:
                self._change_file(call.name, Resized(call.offset))
            case Kind.SYNC if call.name in self._names:
                self._names[call.name].sync()
            case Kind.DROP if call.name in self._names:
                self._names[call.name].drop_pending()
            case Kind.SYNC_FOLDER:
                self._durable = dict(self._names)
                self._name_changes.clear()

    def _change_names(self, *changes: NameChange) -> None:
        self._name_changes.append(changes)
        _apply_names(self._names, changes)

    def _change_file(self, name: str, change: Change) -> None:
        # A deleted file can be written to while it is open, but its content is lost.
        if name in self._names:
            self._last = change
            self._names[name].change(change)

    def surviving(self, fate: Fate) -> Image:
        """What is on disk after a power cut now."""
        names = dict(self._durable)
        for changes in self._name_changes[: fate.names_kept(len(self._name_changes))]:
            _apply_names(names, changes)
        return {name: file.surviving(fate, self._last) for name, file in sorted(names.items())}


def _apply_names(names: dict[str, FileState], changes: tuple[NameChange, ...]) -> None:
    for name, file in changes:
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file
