"""The ledger of the naive model: every move is kept, and sums are added up anew on each query."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.campaign.storm.model.figures import Edition
from tests.campaign.storm.model.memory import NORMAL, Account, BankOrPot, Game, GameKind


@dataclass
class ModelLedger:
    """Cards, games and their moves, the final count, and the choices for the next game."""

    accounts: list[Account]
    game: Game
    before: Game | None = None
    """The previous game."""
    games_begun: int = 0
    """How often a game was started or resumed."""
    last_game: int = 1
    """The number of the newest game."""
    next_edition: Edition = field(init=False)
    next_kind: GameKind = NORMAL
    worths: dict[Account, int] = field(default_factory=dict)
    """The counted worths, the latest last."""
    volume: int = 2
    moves_made: int = 0
    """How often money has moved, for statistics."""

    def __post_init__(self) -> None:
        self.next_edition = self.game.edition

    @classmethod
    def new(cls, edition: Edition, cards: Sequence[bytes]) -> "ModelLedger":
        """The first game of a box, with numbered cards."""
        numbered = enumerate(cards, start=1)
        return cls([Account(number, uid) for number, uid in numbered], Game(edition, NORMAL))

    def balance(self, number: int) -> int | None:
        """A card's balance in this game."""
        return self.balances.get(number)

    @property
    def balances(self) -> dict[int, int]:
        """All balances in this game, by card number."""
        received, opening = self._received(), self.edition.opening
        return {number: opening + received[account] for number, account in self.known.items()}

    def worth(self, number: int) -> int | None:
        """A card's worth in the final count, if it was counted."""
        account = self.known.get(number)
        return self.worths.get(account) if account else None

    @property
    def edition(self) -> Edition:
        """A game keeps the edition with which it was started [D17]."""
        return self.game.edition

    @property
    def known(self) -> dict[int, Account]:
        """The known cards by number; numbers that the edition does not have are left out [F18]."""
        return {
            account.number: account
            for account in self.accounts
            if not account.forgotten and account.number <= self.edition.cards
        }

    def holds(self, account: Account) -> int:
        return self.edition.opening + self._received()[account]

    def in_pot(self) -> int:
        return self._received()[BankOrPot.POT]

    def _received(self) -> dict[Account | BankOrPot, int]:
        """What each holder received less what it paid in this game."""
        totals: dict[Account | BankOrPot, int] = defaultdict(int)
        for move in self.game.moves:
            if not move.reversed:
                totals[move.payer_holder] -= move.amount
                totals[move.payee_holder] += move.amount
        return totals

    def is_out(self, account: Account) -> bool:
        """Whether its player is bankrupt [F5]."""
        return account in self._bankrupts()

    def _bankrupts(self) -> list[Account | BankOrPot]:
        return [move.payer_holder for move in self.game.active_moves if move.what == "BANKRUPT"]

    def players(self) -> list[Account]:
        """The accounts that still play [F16]."""
        moved = {
            holder for move in self.game.moves for holder in (move.payer_holder, move.payee_holder)
        }
        playing = {*self.game.inserted, *moved}
        out = self._bankrupts()
        return [a for a in self.known.values() if a in playing and a not in out]

    def count(self, account: Account, worth: int) -> None:
        self.worths.pop(account, None)
        self.worths[account] = worth

    @property
    def counted_last(self) -> Account | None:
        """The account counted last, among the known cards."""
        known = [account for account in self.worths if not account.forgotten]
        return known[-1] if known else None

    def account_with(self, uid: bytes) -> Account | None:
        for account in self.accounts:
            if account.uid == uid and not account.forgotten:
                return account
        return None

    def free_numbers(self) -> list[int]:
        return sorted(set(range(1, self.edition.cards + 1)) - set(self.known))

    def bankruptcy_ends_game(self) -> bool:
        """Whether the latest bankruptcy ends a fast game [F21]."""
        bankrupt = [account for account in self.accounts if self.is_out(account)]
        ends_at = self.edition.fast_ends_at
        enough = len(bankrupt) >= ends_at or len(self.players()) <= 1
        return self.game.kind.name == "FAST" and enough
