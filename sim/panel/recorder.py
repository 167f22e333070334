"""Where recordings are made: on a new box with a ledger of its own, while the game waits.

A script begins with a new box, so a recording does too.
"""

import tempfile
from pathlib import Path
from typing import Any

from firmware import ledger_file
from firmware.edition import Edition
from firmware.house import House
from firmware.ledger import Ledger
from sim import stock
from sim.panel.messages import Seen
from sim.panel.recording import Recording


class Studio:
    """At most one recording at a time; the last one can be had until the next begins."""

    def __init__(self, *, stock_known: bool) -> None:
        self._stock_known = stock_known
        self._recording: Recording | None = None
        self.edition: Edition | None = None
        """That the script is given; the box may play another one by now."""
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self.lines: list[str] = []
        """Of the last recording, as they were told last."""

    @property
    def busy(self) -> bool:
        return self._recording is not None

    @property
    def full(self) -> bool:
        return self._recording is not None and self._recording.full

    def begin(self, edition: Edition, house: House) -> None:
        self.edition = edition
        self._recording = Recording(edition, stock_known=self._stock_known, house=house)
        self.lines = self._recording.lines

    def new_ledger(self, edition: Edition) -> Path:
        """Of the new box that is recorded on."""
        self._scratch = tempfile.TemporaryDirectory(prefix="tellerbox-")
        ledger = Path(self._scratch.name) / "scratch.db"
        with ledger_file.held_by_box(ledger) as store:
            begun = Ledger(store, edition)
            if self._stock_known:
                begun.know(stock.players(edition))
        return ledger

    def step(self, line: str, seen: dict[str, Any]) -> None:
        if self._recording:
            self._recording.step(line, Seen(**seen))

    def without_power(self, *lines: str) -> None:
        if self._recording:
            for line in lines:
                self._recording.without_power(line)

    def news(self) -> dict[str, Any] | None:
        """The lines that have changed since this was last asked; typing goes on in the last one."""
        if not self._recording:
            return None
        before, self.lines = self.lines, self._recording.lines
        same = 0
        while same < min(len(before), len(self.lines)) and before[same] == self.lines[same]:
            same += 1
        changed = self.lines[same:]
        return {"from": same, "lines": changed} if changed or same < len(before) else None

    def end(self, ledger: Ledger | None) -> None:
        """With what the new box's ledger says in the end."""
        assert self._recording, "nothing is being recorded"
        if ledger:
            self._recording.end(ledger)
        self.lines = self._recording.lines
        self._recording = self.edition = None
        self.clear_up()

    def clear_up(self) -> None:
        if self._scratch:
            self._scratch.cleanup()
            self._scratch = None
