"""What a disk lived through, and what the people at the table had been told by then."""

import random
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from firmware.records import Posting, Record
from hal.view import View
from sim.disk.card import SdCard
from sim.disk.recording import Recording
from tests.faults.evening import Evening

Play = Callable[[Evening], None]


class Chronicle(NamedTuple):
    """A recording, and how many operations the disk had done when something was told."""

    recording: Recording
    appended: list[int]
    """When each append returned: from then on what it wrote has happened."""
    records: list[tuple[Record, ...]]
    """What each of them wrote."""
    shown: list[int]
    """When each screen went out, ..."""
    postings: list[int]
    """... and the newest posting that the box knew then."""
    shares_memory: bool

    @property
    def moves(self) -> int:
        """How many of what was written are moves: money that somebody moved by a key."""
        records = [record for appended in self.records for record in appended]
        return sum(isinstance(record, Posting) and record.purpose.is_move for record in records)

    def appends_by(self, operation: int) -> int:
        return bisect_right(self.appended, operation)

    def postings_shown_by(self, operation: int) -> int:
        return max(self.postings[: bisect_right(self.shown, operation)], default=0)


def lived(folder: Path, play: Play, *, shares_memory: bool = True) -> Chronicle:
    """Play on a card that keeps count; the folder may hold a ledger already."""
    with SdCard(folder, random.Random(0), shares_memory=shares_memory) as card:
        chronicle = Chronicle(card.record(), [], [], [], [], shares_memory)
        operations = chronicle.recording.operations

        def appended(records: tuple[Record, ...]) -> None:
            chronicle.appended.append(len(operations))
            chronicle.records.append(records)

        def shown(_: View) -> None:
            chronicle.shown.append(len(operations))
            chronicle.postings.append(evening.ledger.last_posting)

        evening = Evening(folder, appended=appended, shown=shown)
        play(evening)
    return chronicle
