"""Counting in the naive model: balances and the final count [F15 to F17]."""

from tests.campaign.storm.model.dialog import Dialog, Table
from tests.campaign.storm.model.figures import IDLE, entry_text, format_amount, in_full, is_cut
from tests.campaign.storm.model.memory import Account, Insertion


class Balances(Dialog):
    """The balances of all known cards [F15]."""

    @property
    def closes_by_itself(self) -> bool:
        return True

    def press(self, key: str) -> None:
        if key != "M":
            self.box.refuse_without_message()
        elif not self.ledger.players():
            self.box.refuse("NO CARD")
        else:
            self.box.dialog = None
            if self.box.commit_or_refuse():
                self.box.open_count()

    def message(self) -> str:
        return "COUNT? M"

    def table(self) -> Table:
        held = {account: self.ledger.holds(account) for account in self.ledger.known.values()}
        return [
            (str(account.number), self._amount_or_out(account)) for account in _richest_first(held)
        ]

    def _amount_or_out(self, account: Account) -> str:
        out = self.ledger.is_out(account)
        return "OUT" if out else format_amount(self.ledger.holds(account), self.ledger.edition)


def _richest_first(amounts: dict[Account, int]) -> list[Account]:
    return sorted(amounts, key=lambda account: (-amounts[account], account.number))


class FinalCount(Dialog):
    """The final count [F16, F17]."""

    def start(self, card: Insertion) -> None:
        """A card in the left slot starts from its balance."""
        assert card.account is not None
        self.ledger.count(card.account, self.ledger.holds(card.account))

    def press(self, key: str) -> None:
        left, right = self.box.seated("left"), self.box.seated("right")
        if key == "G":
            self.box.refuse_without_message()
        elif right and not left:
            self.box.refuse("LEFT CARD ONLY")
        elif key == "," and not left:
            self.box.next_volume()
        elif key in "MK":
            self._add(key)
        else:
            self.box.type(key)

    def _add(self, unit: str) -> None:
        amount = self.box.take_entry(unit)
        left = self.box.seated("left")
        if amount is None or not left or not left.account:
            return
        worth = self._worth_of(left.account) + amount
        if worth > self.ledger.edition.ceiling:
            self.box.refuse("FULL")
        elif self.box.commit_or_refuse():
            self.ledger.count(left.account, worth)
            self.box.sound = "ok"

    def _worth(self) -> int | None:
        left = self.box.seated("left")
        return self._worth_of(left.account) if left and left.account else None

    def _worth_of(self, account: Account) -> int:
        """The balance, if a disk fault prevented the card from being counted."""
        return self.ledger.worths.get(account, self.ledger.holds(account))

    def outranks_faults(self) -> bool:
        """Only the winner must not be hidden."""
        return bool(self.table()) and self.box.card is None and not self.box.entry

    def big_field(self) -> str:
        if self.table():
            return ""
        if self.box.entry:
            return entry_text(self.box.entry)
        worth = self._worth()
        return IDLE if worth is None else format_amount(worth, self.ledger.edition)

    def message(self) -> str:
        if self.box.card is not None or self.box.entry:
            return "FINAL COUNT"
        if self.table():
            return self._winner()
        worth = self._worth()
        whole = worth is not None and is_cut(worth, self.ledger.edition)
        return in_full(worth) if worth is not None and whole else "FINAL COUNT"

    def table(self) -> Table:
        players = self.ledger.players()
        if self.box.seated("left") or any(player not in self.ledger.worths for player in players):
            return []
        worths = {player: self.ledger.worths[player] for player in players}
        return [
            (str(player.number), format_amount(worths[player], self.ledger.edition))
            for player in _richest_first(worths)
        ]

    def _winner(self) -> str:
        players = self.ledger.players()
        most = max(self.ledger.worths[player] for player in players)
        numbers = sorted(player.number for player in players if self.ledger.worths[player] == most)
        return " ".join(["WINNER", *map(str, numbers)])
