"""What is asked of a disk, call by call, and who may refuse it."""

from enum import Enum
from typing import NamedTuple, Protocol


class Kind(Enum):
    """What is done to a file or to the names in a folder."""

    OPEN = "open"
    READ = "read"
    SIZE = "size"
    LOCK = "lock"
    SHARE = "share memory"
    LOOK = "look for a name"
    CREATE = "create"
    WRITE = "write"
    TRUNCATE = "truncate"
    SYNC = "sync"
    DELETE = "delete"
    RENAME = "rename"
    SYNC_FOLDER = "sync the folder"
    FORGET = "fail to sync, and forget what it was for"

    @property
    def changes(self) -> bool:
        """Whether it has to do with what is on disk after a power cut."""
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
        Kind.FORGET,
    )
)


class Call(NamedTuple):
    """One call. The name is that within the folder; empty for the folder itself."""

    kind: Kind
    name: str
    offset: int = 0
    """Where a write begins; the new length for a truncation."""
    content: bytes = b""
    target: str = ""
    """The new name, of what is renamed."""


class Refusal(NamedTuple):
    """Why a call fails, in SQLite's words and in the system's."""

    code: int
    errno: int


class Disk(Protocol):
    """Who is asked before a call reaches a file, and told when it has."""

    def name_of(self, path: str) -> str | None:
        """The name of a file below the folder; empty for the folder, None for others."""
        ...

    def asked(self, call: Call) -> Refusal | None:
        """Why a call that is about to be made must not be, or None when it may."""
        ...

    def done(self, call: Call) -> None:
        """It was made."""
        ...

    @property
    def starts(self) -> int:
        """How often the power has been cut: what was opened before is of no use after it."""
        ...

    @property
    def shares_memory(self) -> bool:
        """Whether files can be mapped into memory by several: SQLite's log needs that."""
        ...

    @property
    def writable(self) -> bool: ...

    @property
    def hurried(self) -> bool:
        """Whether it is of no use to wait for a lock."""
        ...
