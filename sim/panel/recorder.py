"""Keeps the recording and its scratch ledger, while the game waits.

A script begins with a new box, so a recording does too.
"""

from collections.abc import Callable
from typing import Any

from firmware.bank.edition import Edition
from firmware.bank.house_rules import HouseRules
from firmware.bank.ledger import Ledger
from sim.board.scratch_ledger import ScratchLedger
from sim.panel.messages import Observation
from sim.panel.recording import Recording


class Recorder:
    """At most one recording at a time; the last one is kept until the next begins."""

    def __init__(self, on_change: Callable[[dict[str, Any]], None], *, stock_known: bool) -> None:
        self._on_change = on_change
        self._stock_known = stock_known
        self._recording: Recording | None = None
        self.edition: Edition | None = None
        """The script's; the current game may have another one by now."""
        self.scratch: ScratchLedger | None = None
        self.lines: list[str] = []
        """The last recording."""

    @property
    def busy(self) -> bool:
        return self._recording is not None

    @property
    def full(self) -> bool:
        return self._recording is not None and self._recording.full

    def create_ledger(self, edition: Edition) -> None:
        self.scratch = ScratchLedger(edition, stock_known=self._stock_known)

    def begin(self, edition: Edition, house: HouseRules) -> None:
        self.edition = edition
        self._recording = Recording(edition, stock_known=self._stock_known, house=house)
        self.lines = self._recording.lines

    def step(self, line: str, seen: dict[str, Any]) -> None:
        if self._recording:
            self._recording.step(line, Observation(**seen))
            self._update_lines(self._recording.lines)

    def without_power(self, *lines: str) -> None:
        if self._recording:
            for line in lines:
                self._recording.without_power(line)
            self._update_lines(self._recording.lines)

    def _update_lines(self, lines: list[str]) -> None:
        """Report the lines from the first change on; typing changes the last line."""
        before, self.lines = self.lines, lines
        same = 0
        while same < min(len(before), len(lines)) and before[same] == lines[same]:
            same += 1
        if lines != before:
            self._on_change({"from": same, "lines": lines[same:]})

    def end(self, ledger: Ledger | None) -> None:
        """Finish the script with the scratch ledger's final state."""
        assert self._recording, "nothing is being recorded"
        if ledger:
            self._recording.end(ledger)
        self.lines = self._recording.lines
        self._recording = self.edition = None
        self.clean_up()

    def clean_up(self) -> None:
        if self.scratch:
            self.scratch.remove()
            self.scratch = None
