"""What the bank has on disk, in the naive model; whoever asks for a sum has it added up anew."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sim.storm.model.figures import Edition
from sim.storm.model.memory import NORMAL, Account, Game, Kind, Till


@dataclass
class Books:
    """Cards, games and their moves, the final count as far as it is, and what was chosen."""

    accounts: list[Account]
    game: Game
    before: Game | None = None
    """The game that was played before this one."""
    games_begun: int = 0
    """How often another game was begun, or gone back to."""
    next_edition: Edition = field(init=False)
    next_kind: Kind = NORMAL
    worths: dict[Account, int] = field(default_factory=dict)
    """What was counted, the last one at the end."""
    volume: int = 2
    moves_made: int = 0
    """How often money has moved, for those who keep the score."""

    def __post_init__(self) -> None:
        self.next_edition = self.game.edition

    @classmethod
    def opened(cls, edition: Edition, cards: Sequence[bytes]) -> "Books":
        """A box's first game, with cards that have their numbers already."""
        numbered = enumerate(cards, start=1)
        return cls([Account(number, uid) for number, uid in numbered], Game(edition, NORMAL))

    def balance(self, number: int) -> int | None:
        """What a card has in this game."""
        return self.balances.get(number)

    @property
    def balances(self) -> dict[int, int]:
        """What every card has in this game."""
        received, opening = self._received(), self.edition.opening
        return {number: opening + received[account] for number, account in self.known.items()}

    def worth(self, number: int) -> int | None:
        """What a card has come to in the final count, if it was counted."""
        account = self.known.get(number)
        return self.worths.get(account) if account else None

    @property
    def edition(self) -> Edition:
        """A game keeps the edition with which it was begun [D17]."""
        return self.game.edition

    @property
    def known(self) -> dict[int, Account]:
        """The cards by their numbers; those that the edition does not have wait [F18]."""
        return {
            account.number: account
            for account in self.accounts
            if not account.forgotten and account.number <= self.edition.cards
        }

    def holds(self, account: Account) -> int:
        return self.edition.opening + self._received()[account]

    def in_pot(self) -> int:
        return self._received()[Till.POT]

    def _received(self) -> dict[Account | Till, int]:
        """What everybody has got and not given in this game, all moves added up."""
        totals: dict[Account | Till, int] = defaultdict(int)
        for move in self.game.moves:
            if not move.reversed:
                totals[move.from_whom] -= move.amount
                totals[move.to_whom] += move.amount
        return totals

    def is_out(self, account: Account) -> bool:
        """Whether its player is bankrupt [F5]."""
        return account in self._bankrupts()

    def _bankrupts(self) -> list[Account | Till]:
        return [move.from_whom for move in self.game.standing if move.what == "BANKRUPT"]

    def players(self) -> list[Account]:
        """Who is still playing [F16]."""
        moved = {whose for move in self.game.moves for whose in (move.from_whom, move.to_whom)}
        playing = {*self.game.put_in, *moved}
        out = self._bankrupts()
        return [a for a in self.known.values() if a in playing and a not in out]

    def count(self, account: Account, worth: int) -> None:
        self.worths.pop(account, None)
        self.worths[account] = worth

    @property
    def counted_last(self) -> Account | None:
        """Of the cards that are known."""
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
        """Whether the bankruptcy that has just been is the end of a fast game [F21]."""
        bankrupt = [account for account in self.accounts if self.is_out(account)]
        ends_at = self.edition.fast_ends_at
        enough = len(bankrupt) >= ends_at or len(self.players()) <= 1
        return self.game.kind.name == "FAST" and enough
