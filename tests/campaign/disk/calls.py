"""The calls to a disk, and the interface that checks them."""

from enum import Enum
from typing import NamedTuple, Protocol


class Kind(Enum):
    """The kinds of calls, on a file or on the names in a folder."""

    OPEN = "open"
    READ = "read"
    SIZE = "size"
    LOCK = "lock"
    MAP = "map shared memory"
    ACCESS = "access"
    CREATE = "create"
    WRITE = "write"
    TRUNCATE = "truncate"
    SYNC = "sync"
    DELETE = "delete"
    RENAME = "rename"
    SYNC_FOLDER = "sync the folder"
    DROP = "fail to sync and drop the data"

    @property
    def changes(self) -> bool:
        """Whether it affects what is on disk after a power cut."""
        return self in _CHANGES


_CHANGES = frozenset(
    (
        Kind.CREATE,
        Kind.WRITE,
        Kind.TRUNCATE,
        Kind.SYNC,
        Kind.DELETE,
        Kind.RENAME,
        Kind.SYNC_FOLDER,
        Kind.DROP,
    )
)


class Call(NamedTuple):
    """One call. The name is relative to the folder; empty for the folder itself."""

    kind: Kind
    name: str
    offset: int = 0
    """The offset of a write; the new length for a truncation."""
    content: bytes = b""
    target: str = ""
    """The new name, for a rename."""


class Refusal(NamedTuple):
    """The error of a failed call, as SQLite's code and the system's errno."""

    code: int
    errno: int


class Disk(Protocol):
    """Checks each call before it reaches a file, and is notified when it is done."""

    def name_of(self, path: str) -> str | None:
        """The name of a file below the folder; empty for the folder, None for other paths."""
        ...

    def check(self, call: Call) -> Refusal | None:
        """Why this call fails, or None if it may proceed."""
        ...

    def done(self, call: Call) -> None:
        """The call was made."""
        ...

    @property
    def power_cuts(self) -> int:
        """The number of power cuts; files opened before the last one are stale."""
        ...

    @property
    def shares_memory(self) -> bool:
        """Whether memory can be shared between processes, as SQLite's log requires."""
        ...

    @property
    def writable(self) -> bool: ...

    @property
    def skips_sleep(self) -> bool:
        """Whether waiting for a lock is pointless."""
        ...
