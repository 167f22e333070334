"""Counting in the naive model: balances and the final count [F15 to F17]."""

from dataclasses import dataclass

from tests.campaign.storm.model.dialog import Dialog, Table
from tests.campaign.storm.model.figures import (
    DIGITS_AND_COMMA,
    IDLE,
    entry_text,
    format_amount,
    in_full,
    is_cut,
)
from tests.campaign.storm.model.memory import Account

MOST_NAMED = 4
"""Numbers after STILL."""


class Balances(Dialog):
    """The balances of all known cards [F15]."""

    @property
    def closes_by_itself(self) -> bool:
        return True

    def press(self, key: str) -> None:
        if key in DIGITS_AND_COMMA:
            self.box.interrupt()  # [N3]
        elif key != "M":
            self.box.refuse_without_message()
        elif not self.ledger.players() and not self.box.seated("left"):
            self.box.refuse("NO CARD")
        else:
            self.box.dialog = None
            if self.box.commit_or_refuse():
                self.box.open_count()

    def message(self) -> str:
        return "COUNT? M"

    def table(self) -> Table:
        held = {account: self.ledger.holds(account) for account in self.ledger.accounts}
        return [
            (str(account.number), self._amount_or_out(account)) for account in _richest_first(held)
        ]

    def _amount_or_out(self, account: Account) -> str:
        out = self.ledger.is_out(account)
        return "OUT" if out else format_amount(self.ledger.holds(account), self.ledger.edition)


def _richest_first(amounts: dict[Account, int]) -> list[Account]:
    return sorted(amounts, key=lambda account: (-amounts[account], account.number))


@dataclass
class FinalCount(Dialog):
    """The final count [F16, F17]."""

    ended: bool = False
    """Whether it was ended with M, although not all were counted."""
    asks: bool = False
    """Whether M asks WINNER? M."""
    asked: bool = False
    """Whether it did when the last key was pressed."""

    def key_down(self) -> None:
        """Any key takes the question back; a second M answers it."""
        self.asked, self.asks = self.asks, False

    def press(self, key: str) -> None:
        left, right = self.box.seated("left"), self.box.seated("right")
        if key == "G":
            self.box.refuse_without_message()
        elif right:
            if key in "MK":
                self.box.drop_entry()  # [G1]
            self.box.refuse("LEFT CARD ONLY")
        elif key == "," and not left:
            self.box.next_volume()
        elif key == "M" and not left and self.ledger.players() and not self.table():
            self._ask_or_end()
        elif key in "MK":
            self._add(key)
        else:
            self.box.type(key)

    def _ask_or_end(self) -> None:
        if self.asked:
            self.ended = True
            self.box.sound = "ok"
        else:
            self.asks = True

    def _add(self, unit: str) -> None:
        amount = self.box.take_entry(unit, limited=False)
        left = self._left()
        if amount is None or not left:
            return
        if self.ledger.worth_of(left) + amount > self.ledger.edition.ceiling:
            self.box.refuse("FULL")
        elif self.box.commit_or_refuse():
            left.counted = [*(left.counted or []), amount]
            self.box.sound = "ok"

    def take_back(self) -> None:
        """C takes back the last amount of the left card."""
        left = self._left()
        assert left, "without a left card C leaves the count"
        if not left.counted:
            self.box.refuse("NOTHING TO UNDO")
        elif self.box.commit_or_refuse():
            left.counted = left.counted[:-1]
            self.box.sound = "undo"

    def _left(self) -> Account | None:
        left = self.box.seated("left")
        return left.account if left else None

    def outranks_faults(self) -> bool:
        """Only the winner and a question must not be hidden."""
        return self.asks or bool(self.table())

    def big_field(self) -> str:
        if self.table():
            return ""
        if self.box.entry:
            return entry_text(self.box.entry)
        left = self._left()
        return format_amount(self.ledger.worth_of(left), self.ledger.edition) if left else IDLE

    def message(self) -> str:
        if self.asks:
            return "WINNER? M"
        if self.table():
            return self._winner()
        left = self._left()
        if not left:
            return self._still()
        if self.box.card is None and not self.box.entry:
            worth = self.ledger.worth_of(left)
            if is_cut(worth, self.ledger.edition):
                return in_full(worth)
        return "FINAL COUNT"

    def _still(self) -> str:
        """Who has not been counted."""
        numbers = [str(account.number) for account in self.ledger.uncounted()]
        more = ["+"] * (len(numbers) > MOST_NAMED)
        return " ".join(["STILL", *numbers[:MOST_NAMED], *more]) if numbers else "FINAL COUNT"

    def table(self) -> Table:
        """The ranking [F17]."""
        players = self.ledger.players()
        counted = self.ended or not self.ledger.uncounted()
        if not players or not counted or self._left():
            return []
        worths = {player: self.ledger.worth_of(player) for player in players}
        return [
            *(
                (str(player.number), format_amount(worths[player], self.ledger.edition))
                for player in _richest_first(worths)
            ),
            *((str(account.number), "OUT") for account in self.ledger.bankrupt()),
        ]

    def _winner(self) -> str:
        worths = {player.number: self.ledger.worth_of(player) for player in self.ledger.players()}
        most = max(worths.values())
        return " ".join(["WINNER", *(str(n) for n in sorted(worths) if worths[n] == most)])
