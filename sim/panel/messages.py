"""The messages between the panel and the firmware's process, apart from actions."""

from typing import NamedTuple


class BoxStart(NamedTuple):
    """How to start the firmware: the first message to its process."""

    ledger: str
    edition: str | None
    config: str | None
    language: str
    board: str
    recording: bool
    """Whether to record a script, on a scratch ledger."""
    left: int | None
    right: int | None
    """The cards in the slots."""
    faults: list[str]
    down: list[str]
    """The keys that are held down."""
    pace: int
    setup: list[str] | None = None
    """The actions that come first in a task of the trainer; None outside of a task."""


class Observation(NamedTuple):
    """What a script could expect at an instant."""

    field: str
    """Empty while a list or a table shows in its place."""
    message: str
    menu: str
    """Every entry of the shown list; empty if there is none."""
    status: str
    """The middle of the status row; empty while it shows the minutes left, or nothing."""
    card: int | None
    lit: bool
    volume: int
    sound: str | None
    """The last sound since the last line, key clicks excluded."""
