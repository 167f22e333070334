"""The ledger of the naive model: every move is kept, and sums are added up anew on each query."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tests.campaign.storm.model.figures import Edition
from tests.campaign.storm.model.memory import NORMAL, Account, BankOrPot, Card, Game, GameKind

NO_NAMES: Mapping[int, str] = MappingProxyType({})


@dataclass
class ModelLedger:
    """Cards, games with their accounts and moves, and the choices for the next game."""

    cards: list[Card]
    game: Game
    others: list[Game] = field(default_factory=list)
    """The other games, in the order in which they were last played."""
    games_begun: int = 0
    """How often a game was started or resumed."""
    last_game: int = 1
    """The number of the newest game."""
    next_edition: Edition = field(init=False)
    next_kind: GameKind = NORMAL
    volume: int = 2
    moves_made: int = 0
    """How often money has moved, for statistics."""

    def __post_init__(self) -> None:
        self.next_edition = self.game.edition
        self.open_accounts()

    @classmethod
    def new(
        cls, edition: Edition, cards: Sequence[bytes], names: Mapping[int, str] = NO_NAMES
    ) -> "ModelLedger":
        """The first game of a box, with numbered cards."""
        numbered = enumerate(cards, start=1)
        known = [Card(number, uid, names.get(number, "")) for number, uid in numbered]
        return cls(known, Game(edition, NORMAL))

    # Cards

    @property
    def edition(self) -> Edition:
        """A game keeps the edition with which it was started [D17]."""
        return self.game.edition

    @property
    def known(self) -> dict[int, Card]:
        """The known cards by number; numbers that the edition does not have are left out [F18]."""
        return {
            card.number: card
            for card in self.cards
            if not card.forgotten and card.number <= self.edition.cards
        }

    def card_with(self, uid: bytes) -> Card | None:
        for card in self.cards:
            if card.uid == uid and not card.forgotten:
                return card
        return None

    def free_numbers(self) -> list[int]:
        return sorted(set(range(1, self.edition.cards + 1)) - set(self.known))

    # Accounts of this game

    def open_accounts(self) -> None:
        """Known cards that have no account in this game open one [C4, F20]."""
        for number in self.known:
            self.game.accounts.setdefault(number, Account(number))

    @property
    def accounts(self) -> list[Account]:
        """The accounts of the known cards."""
        return [self.game.accounts[number] for number in self.known]

    def has_card(self, account: Account) -> bool:
        """Whether a known card has the account."""
        return account in self.accounts

    def balance(self, number: int) -> int | None:
        """A card's balance in this game."""
        return self.balances.get(number)

    @property
    def balances(self) -> dict[int, int]:
        """All balances in this game, by card number."""
        received, opening = self._received(), self.edition.opening
        return {account.number: opening + received[account] for account in self.accounts}

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

    def _bankrupts(self) -> set[Account | BankOrPot]:
        return {move.payer_holder for move in self.game.active_moves if move.what == "BANKRUPT"}

    # The final count

    def worth(self, number: int) -> int | None:
        """A card's worth in the final count, if it was counted."""
        account = self.game.accounts[number] if number in self.known else None
        return self.worth_of(account) if account and account.counted is not None else None

    def worth_of(self, account: Account) -> int:
        """The balance as it is now, and the amounts that were counted [F16]."""
        return self.holds(account) + sum(account.counted or [])

    def players(self) -> list[Account]:
        """The accounts that still play [F16]."""
        moved = {
            holder for move in self.game.moves for holder in (move.payer_holder, move.payee_holder)
        }
        out = self._bankrupts()
        return [
            account
            for account in self.accounts
            if (account in moved or account.counted is not None) and account not in out
        ]

    def uncounted(self) -> list[Account]:
        """The players who have not been counted, by number [F16]."""
        missing = [account for account in self.players() if account.counted is None]
        return sorted(missing, key=lambda account: account.number)

    def bankrupt(self) -> list[Account]:
        """The known cards that are out, by number [F17]."""
        out = [account for account in self.accounts if self.is_out(account)]
        return sorted(out, key=lambda account: account.number)

    # Games

    @property
    def before(self) -> Game | None:
        """The game that was played last before this one, of those in which money moved [F20]."""
        return next((game for game in reversed(self.others) if game.moves), None)

    def play_game(self, game: Game) -> None:
        """Begin a game, or go back to it."""
        self.games_begun += 1
        self.others = [other for other in (*self.others, self.game) if other is not game]
        self.game = game
        self.open_accounts()

    def bankruptcy_ends_game(self) -> bool:
        """Whether the latest bankruptcy ends a fast game [F21]."""
        enough = len(self._bankrupts()) >= self.edition.fast_ends_at or len(self.players()) <= 1
        return self.game.kind.name == "FAST" and enough
