"""What the panel and the firmware's process tell each other, beside the actions of hands."""

from typing import NamedTuple


class Start(NamedTuple):
    """How a firmware's process is to start: the first line that it is told."""

    ledger: str
    edition: str | None
    config: str | None
    language: str
    board: str
    recording: bool
    """On the scratch ledger of a recording: what the hands do is told as a script."""
    left: int | None
    right: int | None
    """The cards that are in."""
    faults: list[str]
    down: list[str]
    """The keys that are being held."""
    pace: int


class Seen(NamedTuple):
    """What a script could expect at an instant."""

    field: str
    """Empty while a list or a table shows in its place."""
    message: str
    menu: str
    """Every entry of the list that shows; empty when none does."""
    card: int | None
    lit: bool
    volume: int
    sound: str | None
    """The last one since the last line, but for clicks of keys."""
