"""A recording: user input as a script, with what the box showed as its expectations.

After each line only the changes are expected.
"""

from typing import NamedTuple

from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.house_rules import BY_THE_BOOK, HouseRules
from firmware.bank.ledger import Ledger
from sim.panel.messages import Observation

TITLE = "# recorded at the front panel"
MAX_STEPS = 1_000
"""Lines that act or wait; expectations are not counted."""
_TYPED = "0123456789,"
"""Keys that share a line with the key that follows."""


class RecordedLine(NamedTuple):
    """A line and what was observed after it; None if the box had no power."""

    line: str
    seen: Observation | None
    typing: bool = False
    """Whether the next key press belongs to this line."""


class Recording:
    """Collects lines one at a time."""

    def __init__(
        self, edition: Edition, *, stock_known: bool, house: HouseRules = BY_THE_BOOK
    ) -> None:
        self._edition = edition
        givens = {
            f"edition {edition.name}": edition.name != editions.DEFAULT,
            "cards none": not stock_known,
            "pot true": house.pot,
            "undo rulebook": house.strict_undo,
        }
        self._head = [TITLE, *(f"given {given}" for given, applies in givens.items() if applies)]
        self._initial: Observation | None = None
        self._recorded: list[RecordedLine] = []
        self._final_expectations: list[str] = []

    @property
    def full(self) -> bool:
        """Whether the maximum length is reached; further steps are dropped."""
        return len(self._recorded) >= MAX_STEPS

    def step(self, line: str, seen: Observation) -> None:
        """Add a line that the box carried out."""
        if self.full:
            return
        if self._initial is None:
            # A script starts with the power on, so the first "power on" is left out.
            self._initial = seen
        elif not self._recorded and _is_wait(line) and seen == self._initial:
            # So is the time before the first input.
            return
        elif line.startswith("press ") and self._recorded and self._recorded[-1].typing:
            last = self._recorded.pop()
            assert last.seen, "keys were typed without power"
            sound = seen.sound or last.seen.sound
            typed = last.line + line.removeprefix("press ")
            self._recorded.append(
                RecordedLine(typed, seen._replace(sound=sound), typing=line[-1] in _TYPED)
            )
        else:
            typing = line.startswith("press ") and line[-1] in _TYPED and not self._list_shows
            self._recorded.append(RecordedLine(line, seen, typing))

    @property
    def _list_shows(self) -> bool:
        """Whether a digit would choose from a list, which is a line of its own."""
        seen = self._recorded[-1].seen if self._recorded else self._initial
        return seen is not None and bool(seen.menu)

    def without_power(self, line: str) -> None:
        """Add a line that happened while the box had no power."""
        if not self.full:
            self._recorded.append(RecordedLine(line, None))

    def end(self, ledger: Ledger) -> None:
        """Expect the final balances and counts."""
        if self.full:
            return
        for card in ledger.cards:
            balance = ledger.balance(card)
            if balance != ledger.edition.opening_balance:
                self._expect(f"balance {card}", balance, ledger.edition)
        for card in ledger.cards:
            if (worth := ledger.worth(card)) is not None:
                self._expect(f"worth {card}", worth, ledger.edition)

    def _expect(self, what: str, amount: int, edition: Edition) -> None:
        """Write units only if they mean the same in the script's edition as in the game's."""
        written = edition.units.write(amount)
        plain = edition.units != self._edition.units or not written.exact
        self._final_expectations.append(f"expect {what} {amount if plain else written.text}")

    @property
    def lines(self) -> list[str]:
        lines = [*self._head, ""]
        before = self._initial
        last = ""
        for line, seen, _ in self._recorded:
            if line.startswith("insert") and not last.startswith(("insert", "remove")) and last:
                lines.append("")
            # Every line but a wait has at least one expectation.
            news = expectations(before, seen) or ([] if _is_wait(line) else _unchanged(seen))
            lines += [line, *news]
            before, last = seen, line
        return [*lines, *self._final_expectations]


def expectations(before: Observation | None, seen: Observation | None) -> list[str]:
    """The expectations for everything that has changed."""
    if seen is None:
        return []
    if before is None:
        before = Observation("", "", "", "", None, lit=False, volume=seen.volume, sound=None)
    other_card = seen.card != before.card
    news = {
        "awake" if seen.lit else "asleep": seen.lit != before.lit,
        f"card {seen.card or 'none'}": other_card,
        f"menu {seen.menu}": seen.menu and seen.menu != before.menu,
        f"screen {seen.field}": seen.field and (other_card or seen.field != before.field),
        f"message {seen.message}": seen.message != before.message,
        f"status {seen.status}": seen.status and seen.status != before.status,
        f"volume {seen.volume}": seen.volume != before.volume,
        f"sound {seen.sound}": seen.sound,
    }
    return [f"expect {what}".rstrip() for what, is_news in news.items() if is_news]


def _is_wait(line: str) -> bool:
    return line.startswith("wait ")


def _unchanged(seen: Observation | None) -> list[str]:
    """Expect what still shows; a table has no text but its message."""
    if seen is None:
        return []
    if seen.menu:
        return [f"expect menu {seen.menu}"]
    if seen.field or not seen.lit:
        return [f"expect screen {seen.field}".rstrip()]
    return [f"expect message {seen.message}".rstrip()]
