"""A recorded run: all disk operations, and what had been shown after each."""

import random
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from firmware.bank.records import Posting, Record
from hal.display.view import View
from tests.campaign.disk.card import SdCard
from tests.campaign.disk.recording import Recording
from tests.campaign.ledger_faults.evening import Evening

Play = Callable[[Evening], None]


class RecordedRun(NamedTuple):
    """A recording, with the operation count at each append and each view."""

    recording: Recording
    appended: list[int]
    """The operation count when each append returned; its records must survive from then on."""
    records: list[tuple[Record, ...]]
    """What each append wrote."""
    shown: list[int]
    """The operation count at each view."""
    postings: list[int]
    """The newest posting that the box knew at each view."""
    shares_memory: bool

    @property
    def moves(self) -> int:
        """The number of recorded moves."""
        records = [record for appended in self.records for record in appended]
        return sum(isinstance(record, Posting) and record.purpose.is_move for record in records)

    def appends_by(self, operation: int) -> int:
        return bisect_right(self.appended, operation)

    def postings_shown_by(self, operation: int) -> int:
        return max(self.postings[: bisect_right(self.shown, operation)], default=0)


def record_run(folder: Path, play: Play, *, shares_memory: bool = True) -> RecordedRun:
    """Play on a recording card; the folder may already hold a ledger."""
    with SdCard(folder, random.Random(0), shares_memory=shares_memory) as card:
        run = RecordedRun(card.record(), [], [], [], [], shares_memory)
        operations = run.recording.operations

        def appended(records: tuple[Record, ...]) -> None:
            run.appended.append(len(operations))
            run.records.append(records)

        def shown(_: View) -> None:
            run.shown.append(len(operations))
            run.postings.append(evening.ledger.state.last_posting)

        evening = Evening(folder, appended=appended, shown=shown)
        play(evening)
    return run
