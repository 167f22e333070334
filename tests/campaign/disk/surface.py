"""What is on the disk for certain, and what is only on its way there.

A write, a truncation, a new name: each is only on its way until a sync of its file, or of the
folder for names, has returned. What is on its way when the power goes may be there or not,
each for itself and sector by sector: that a later write is there and an earlier one is not
is what reordering comes to. Names go through the file system's own journal, and so survive in
the order in which they were changed.

A sector of 512 bytes is written whole or not at all, and the bytes beside a write in its
sector stay as they are, for the card is written by the page, with what was there before: this
disk keeps the promise that SQLite calls powersafe overwrite. ``Spoilt`` is a card that breaks
it; the firmware tells SQLite not to rely on it, and survives that one, too.
"""

import random
from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

from sim.disk.calls import Call, Kind

SECTOR = 512
PAGE = 4096
"""What the kernel keeps in memory of a file, and writes as one."""
Image = dict[str, bytes]
"""What is on a disk, by name."""


class Written(NamedTuple):
    """Bytes that were written somewhere into a file."""

    offset: int
    content: bytes

    def sectors(self, size: int = SECTOR) -> Iterator["Written"]:
        """The same, cut at every boundary of a sector."""
        start = self.offset
        end = self.offset + len(self.content)
        while start < end:
            stop = min(end, (start // size + 1) * size)
            yield Written(start, self.content[start - self.offset : stop - self.offset])
            start = stop


class Resized(NamedTuple):
    """A file became this long."""

    size: int


Change = Written | Resized


class Fate(Protocol):
    """What becomes of the changes that were on their way when the power went."""

    def names_kept(self, count: int) -> int:
        """How many of so many changes of names survive, from the first one on."""
        ...

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        """What is left of a change; the last is what the disk was doing just then."""
        ...


class Lost(NamedTuple):
    """Nothing that was on its way has arrived."""

    def names_kept(self, count: int) -> int:
        del count
        return 0

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        del change, last
        return iter(())


class Kept(NamedTuple):
    """All of it has arrived."""

    def names_kept(self, count: int) -> int:
        return count

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        del last
        yield change


class Torn(NamedTuple):
    """The last write tears at a boundary; all that was on its way before it has one fate."""

    at: int
    """How many of its sectors belong to the first part."""
    first: bool
    """Whether the first part arrived, or else the second."""
    before: Lost | Kept = Kept()

    def names_kept(self, count: int) -> int:
        return self.before.names_kept(count)

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        if not last or isinstance(change, Resized):
            yield from self.before.kept(change, last=last)
            return
        sectors = list(change.sectors())
        yield from sectors[: self.at] if self.first else sectors[self.at :]


class Diced(NamedTuple):
    """Each change by itself is there, or not, or some sectors of it are."""

    dice: random.Random

    def __repr__(self) -> str:
        return "Diced()"

    def names_kept(self, count: int) -> int:
        return self.dice.randint(0, count)

    def kept(self, change: Change, *, last: bool) -> Iterator[Change]:
        del last
        fate = self.dice.randrange(3)
        if isinstance(change, Resized):
            fate = min(fate, 1)
        if fate == 1:
            yield change
        if fate == 2 and isinstance(change, Written):
            yield from (piece for piece in change.sectors() if self.dice.randrange(2))


class Spoilt(NamedTuple):
    """The last write was cut off within a sector, and that sector holds nonsense now.

    All of it, also what lay beside the write. Some cards do that, and SQLite is ready for it
    only where it was told not to rely on powersafe overwrite.
    """

    sector: int
    """Which one of the write's sectors; those before it arrived, and those after did not."""
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


class Sheet:
    """A file: what it holds for certain, and what is on its way."""

    def __init__(self, content: bytes = b"") -> None:
        self._certain = bytearray(content)
        self._underway: list[Change] = []
        self._adrift: list[Written] = []
        """What the kernel believes to be on the disk since a sync of it failed, page by page."""
        self.size = len(content)

    def change(self, change: Change) -> None:
        match change:
            case Written(offset, content):
                self.size = max(self.size, offset + len(content))
                if self._adrift:
                    self._bring_back({piece.offset // PAGE for piece in change.sectors(PAGE)})
            case Resized(size):
                self.size = size
                self._adrift = [piece for piece in self._adrift if piece.offset < size]
        self._underway.append(change)

    def _bring_back(self, pages: set[int]) -> None:
        """A page that is written to again is written to the disk whole."""
        self._underway += [piece for piece in self._adrift if piece.offset // PAGE in pages]
        self._adrift = [piece for piece in self._adrift if piece.offset // PAGE not in pages]

    def settle(self) -> None:
        """A sync has returned."""
        for change in self._underway:
            _apply(self._certain, change)
        self._underway.clear()

    def set_adrift(self) -> None:
        """A sync has failed, and the kernel forgets what it was for: no later one makes up for it.

        Who reads sees it all the same, until the power goes.
        """
        for change in self._underway:
            if isinstance(change, Written):
                self._adrift += change.sectors(PAGE)
            else:
                _apply(self._certain, change)
        self._underway.clear()

    def surviving(self, fate: Fate, last: Change | None) -> bytes:
        content = bytearray(self._certain)
        for change in (*self._adrift, *self._underway):
            for piece in fate.kept(change, last=change is last):
                _apply(content, piece)
        return bytes(content)


def _apply(content: bytearray, change: Change) -> None:
    """What was skipped on the way to the end of a file reads as zeros."""
    match change:
        case Written(offset, written):
            content.extend(bytes(max(0, offset - len(content))))
            content[offset : offset + len(written)] = written
        case Resized(size):
            del content[size:]
            content.extend(bytes(size - len(content)))


class Renamed(NamedTuple):
    """A name stands for a file from now on, or, without one, for nothing."""

    name: str
    sheet: Sheet | None


class Surface:
    """All files of a folder."""

    def __init__(self, image: Mapping[str, bytes]) -> None:
        self._certain = {name: Sheet(content) for name, content in image.items()}
        self._names = dict(self._certain)
        self._renamed: list[tuple[Renamed, ...]] = []
        """What was done to names and may yet be lost; what was done at once is lost at once."""
        self._last: Change | None = None
        """The change that the newest operation made, if it changed a file."""

    def names(self) -> set[str]:
        return set(self._names)

    def size(self, name: str) -> int:
        sheet = self._names.get(name)
        return sheet.size if sheet else 0

    @property
    def last_write(self) -> Written | None:
        """What the newest operation wrote, if that is still on its way."""
        return self._last if isinstance(self._last, Written) else None

    def take_in(self, call: Call) -> None:
        """An operation has been done."""
        self._last = None
        match call.kind:
            case Kind.CREATE:
                self._rename(Renamed(call.name, Sheet()))
            case Kind.DELETE:
                self._rename(Renamed(call.name, None))
            case Kind.RENAME:
                there = Renamed(call.target, self._names.get(call.name))
                self._rename(there, Renamed(call.name, None))
            case Kind.WRITE:
                self._change(call.name, Written(call.offset, call.content))
            case Kind.TRUNCATE:
                self._change(call.name, Resized(call.offset))
            case Kind.SYNC if call.name in self._names:
                self._names[call.name].settle()
            case Kind.FORGET if call.name in self._names:
                self._names[call.name].set_adrift()
            case Kind.SYNC_FOLDER:
                self._certain = dict(self._names)
                self._renamed.clear()

    def _rename(self, *renamed: Renamed) -> None:
        self._renamed.append(renamed)
        _name(self._names, renamed)

    def _change(self, name: str, change: Change) -> None:
        # A file without a name can be written to as long as it is open; nobody will see it.
        if name in self._names:
            self._last = change
            self._names[name].change(change)

    def surviving(self, fate: Fate) -> Image:
        """What is on the disk after the power went now."""
        names = dict(self._certain)
        for renamed in self._renamed[: fate.names_kept(len(self._renamed))]:
            _name(names, renamed)
        return {name: sheet.surviving(fate, self._last) for name, sheet in sorted(names.items())}


def _name(names: dict[str, Sheet], renamed: tuple[Renamed, ...]) -> None:
    for name, sheet in renamed:
        if sheet is None:
            names.pop(name, None)
        else:
            names[name] = sheet
