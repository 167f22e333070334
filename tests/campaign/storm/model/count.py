"""Counting, in the naive model of the box: who has what, and who has won [F15 to F17]."""

from sim.storm.model.figures import IDLE, entry_text, in_full, is_cut, written
from sim.storm.model.memory import Account, Insertion
from sim.storm.model.opened import Opened, Table


class Balances(Opened):
    """What every known card has [F15]."""

    def press(self, key: str) -> None:
        if key != "M":
            self.box.refuse_silently()
        elif not self.books.players():
            self.box.refuse("NO CARD")
        else:
            self.box.opened = None
            if self.box.kept():
                self.box.begin_count()

    def message(self) -> str:
        return "M = COUNT"

    def table(self) -> Table:
        held = {account: self.books.holds(account) for account in self.books.known.values()}
        return [(str(account.number), self._said(account)) for account in _richest_first(held)]

    def _said(self, account: Account) -> str:
        out = self.books.is_out(account)
        return "OUT" if out else written(self.books.holds(account), self.books.edition)


def _richest_first(amounts: dict[Account, int]) -> list[Account]:
    return sorted(amounts, key=lambda account: (-amounts[account], account.number))


class FinalCount(Opened):
    """[F16, F17]."""

    def start(self, card: Insertion) -> None:
        """A card in the left slot starts from its balance."""
        assert card.account is not None
        self.books.count(card.account, self.books.holds(card.account))

    def press(self, key: str) -> None:
        left, right = self.box.seated("left"), self.box.seated("right")
        if key == "G":
            self.box.refuse_silently()
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
        if worth > self.books.edition.ceiling:
            self.box.refuse("FULL")
        elif self.box.kept():
            self.books.count(left.account, worth)
            self.box.sound = "ok"

    def _worth(self) -> int | None:
        left = self.box.seated("left")
        return self._worth_of(left.account) if left and left.account else None

    def _worth_of(self, account: Account) -> int:
        """A disk that takes nothing may have kept it from being counted."""
        return self.books.worths.get(account, self.books.holds(account))

    def insists(self) -> bool:
        """Only the winner is not to be missed."""
        return bool(self.table()) and self.box.card is None and not self.box.entry

    def big_field(self) -> str:
        if self.table():
            return ""
        if self.box.entry:
            return entry_text(self.box.entry)
        worth = self._worth()
        return IDLE if worth is None else written(worth, self.books.edition)

    def message(self) -> str:
        if self.box.card is not None or self.box.entry:
            return "FINAL COUNT"
        if self.table():
            return self._winner()
        worth = self._worth()
        whole = worth is not None and is_cut(worth, self.books.edition)
        return in_full(worth) if worth is not None and whole else "FINAL COUNT"

    def table(self) -> Table:
        players = self.books.players()
        if self.box.seated("left") or any(player not in self.books.worths for player in players):
            return []
        worths = {player: self.books.worths[player] for player in players}
        return [
            (str(player.number), written(worths[player], self.books.edition))
            for player in _richest_first(worths)
        ]

    def _winner(self) -> str:
        players = self.books.players()
        most = max(self.books.worths[player] for player in players)
        numbers = sorted(player.number for player in players if self.books.worths[player] == most)
        return " ".join(["WINNER", *map(str, numbers)])
