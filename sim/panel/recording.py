"""A recording: what was done by hand, written down as a script with what the box showed.

Only what has changed is expected after a line, for that is what a reader wants to know.
"""

from typing import NamedTuple

from firmware import edition as editions
from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
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
    typing: bool = False
    """Whether keys that are pressed next go on with what was typed."""


class Recording:
    """Grows by a line at a time."""

    def __init__(self, edition: Edition, *, stock_known: bool, house: House = BY_THE_BOOK) -> None:
        self._edition = edition
        self._head = [TITLE]
        if edition.name != editions.DEFAULT:
            self._head.append(f"given edition {edition.name}")
        if not stock_known:
            self._head.append("given cards none")
        if house.pot:
            self._head.append("given pot true")
        if house.strict_undo:
            self._head.append("given undo rulebook")
        self._begun_with: Seen | None = None
        self._written: list[Written] = []
        self._in_the_end: list[str] = []

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
        elif line.startswith("press ") and self._written and self._written[-1].typing:
            last = self._written.pop()
            assert last.seen, "keys were typed without power"
            heard = seen.sound or last.seen.sound
            typed = last.line + line.removeprefix("press ")
            self._written.append(
                Written(typed, seen._replace(sound=heard), typing=line[-1] in _TYPED)
            )
        else:
            typing = line.startswith("press ") and line[-1] in _TYPED and not self._chooses
            self._written.append(Written(line, seen, typing))

    @property
    def _chooses(self) -> bool:
        """Whether a digit chooses from a list now, which is a step of its own."""
        seen = self._written[-1].seen if self._written else self._begun_with
        return seen is not None and bool(seen.menu)

    def without_power(self, line: str) -> None:
        """Something was done while the box had no power."""
        if not self.full:
            self._written.append(Written(line, None))

    def end(self, ledger: Ledger) -> None:
        """Add what has become of the money, and what was counted in the end."""
        if self.full:
            return
        for card in ledger.cards:
            balance = ledger.balance(card)
            if balance != ledger.edition.opening_balance:
                self._expect(f"balance {card}", balance, ledger.edition)
        for card in ledger.cards:
            worth = ledger.current.worth(card)
            if worth is not None:
                self._expect(f"worth {card}", worth, ledger.edition)

    def _expect(self, what: str, amount: int, edition: Edition) -> None:
        """Letters mean what they mean in the edition that is given, whatever is played by then."""
        written = edition.units.write(amount)
        plain = edition.units != self._edition.units or not written.exact
        self._in_the_end.append(f"expect {what} {amount if plain else written.text}")

    @property
    def lines(self) -> list[str]:
        lines = [*self._head, ""]
        before = self._begun_with
        last = ""
        for line, seen, _ in self._written:
            if line.startswith("insert") and not last.startswith(("insert", "remove")) and last:
                lines.append("")
            # A wait in which nothing happens says nothing; anything that was done says something.
            news = expectations(before, seen) or ([] if _is_wait(line) else _nothing_new(seen))
            lines += [line, *news]
            before, last = seen, line
        return [*lines, *self._in_the_end]


def expectations(before: Seen | None, seen: Seen | None) -> list[str]:
    """What a script can expect that it could not expect before."""
    if seen is None:
        return []
    if before is None:
        before = Seen("", "", "", None, lit=False, volume=seen.volume, sound=None)
    said = []
    if seen.lit != before.lit:
        said.append("expect awake" if seen.lit else "expect asleep")
    if seen.card != before.card:
        said.append(f"expect card {seen.card or 'none'}")
    if seen.menu and seen.menu != before.menu:
        said.append(f"expect menu {seen.menu}")
    if seen.field and (seen.field != before.field or seen.card != before.card):
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
    """Whatever shows is as it was; a dark screen is empty, and in a table only the line is text."""
    if seen is None:
        return []
    if seen.menu:
        return [f"expect menu {seen.menu}"]
    if seen.field or not seen.lit:
        return [f"expect screen {seen.field}".rstrip()]
    return [f"expect message {seen.message}".rstrip()]
