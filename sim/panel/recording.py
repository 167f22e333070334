"""A recording: what was done by hand, written down as a script with what the box showed.

Only what has changed is expected after a line, for that is what a reader wants to know.
"""

from typing import NamedTuple

from firmware import edition as editions
from firmware.edition import Edition
from firmware.ledger import Ledger
from sim.panel.messages import Seen

TITLE = "# recorded at the front panel"
MOST_LINES = 1_000
"""That something was done or waited for; what is expected after them not counted."""
_TYPED = "0123456789,"
"""Keys that belong to one line with what is typed after them."""


class Written(NamedTuple):
    """A line, and what was seen after it; None where the box has no power."""

    line: str
    seen: Seen | None


class Recording:
    """Grows by a line at a time."""

    def __init__(self, edition: Edition, *, stock_known: bool) -> None:
        self._edition = edition
        self._head = [TITLE]
        if edition.name != editions.DEFAULT:
            self._head.append(f"given edition {edition.name}")
        if not stock_known:
            self._head.append("given cards none")
        self._begun_with: Seen | None = None
        self._written: list[Written] = []
        self._balances: list[str] = []

    @property
    def full(self) -> bool:
        """Whether it is as long as a recording may be; what comes after is not in it."""
        return len(self._written) >= MOST_LINES

    def step(self, line: str, seen: Seen) -> None:
        """A line was carried out by the box."""
        if self.full:
            return
        if self._begun_with is None:
            # The box that a script begins with: nobody has to say that it is switched on.
            self._begun_with = seen
        elif not self._written and _is_wait(line) and seen == self._begun_with:
            # Nor that somebody took a while to begin.
            return
        elif self._goes_on_typing(line):
            last = self._written.pop()
            assert last.seen, "keys were typed without power"
            heard = seen.sound or last.seen.sound
            self._written.append(
                Written(last.line + line.removeprefix("press "), seen._replace(sound=heard))
            )
        else:
            self._written.append(Written(line, seen))

    def _goes_on_typing(self, line: str) -> bool:
        before = self._written[-1].line if self._written else ""
        return line.startswith("press ") and before.startswith("press ") and before[-1] in _TYPED

    def without_power(self, line: str) -> None:
        """Something was done while the box had no power."""
        if not self.full:
            self._written.append(Written(line, None))

    def end(self, ledger: Ledger) -> None:
        """Add what has become of the money."""
        if self.full:
            return
        for card in ledger.cards:
            balance = ledger.balance(card)
            if balance != self._edition.opening_balance:
                written = self._edition.units.write(balance)
                amount = written.text if written.exact else str(balance)
                self._balances.append(f"expect balance {card} {amount}")

    @property
    def lines(self) -> list[str]:
        lines = [*self._head, ""]
        before = self._begun_with
        last = ""
        for line, seen in self._written:
            if line.startswith("insert") and not last.startswith(("insert", "remove")) and last:
                lines.append("")
            # A wait in which nothing happens says nothing; anything that was done says something.
            news = expectations(before, seen) or ([] if _is_wait(line) else _nothing_new(seen))
            lines += [line, *news]
            before, last = seen, line
        return [*lines, *self._balances]


def expectations(before: Seen | None, seen: Seen | None) -> list[str]:
    """What a script can expect that it could not expect before."""
    if seen is None:
        return []
    if before is None:
        before = Seen("", "", None, lit=False, volume=seen.volume, sound=None)
    said = []
    if seen.lit != before.lit:
        said.append("expect awake" if seen.lit else "expect asleep")
    if seen.card != before.card:
        said.append(f"expect card {seen.card or 'none'}")
    if seen.lit and (seen.field != before.field or seen.card != before.card):
        said.append(f"expect screen {seen.field}")
    if seen.message != before.message:
        said.append(f"expect message {seen.message}".rstrip())
    if seen.volume != before.volume:
        said.append(f"expect volume {seen.volume}")
    if seen.sound:
        said.append(f"expect sound {seen.sound}")
    return said


def _is_wait(line: str) -> bool:
    return line.startswith("wait ")


def _nothing_new(seen: Seen | None) -> list[str]:
    return [f"expect screen {seen.field}".rstrip()] if seen else []
