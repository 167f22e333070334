"""The state of the ledger: the result of all records so far, with the current game and the cards.

Durable records are applied in their order, or a checkpoint in place of those before it. The
state does no I/O and decides nothing; the ledger does.
"""

from firmware.bank import records
from firmware.bank.game import Game
from firmware.bank.records import Checkpoint, GameStarted, GameState, NextGame, Posting, Record
from hal.display.sounds import LOUDEST

NEW_BOX_VOLUME = 2


class LedgerState:
    """The result of the records applied so far; empty at first."""

    def __init__(self) -> None:
        self._game: Game | None = None
        self.newest_game = 0
        self.game_before: int | None = None
        """The game that was played before the current one."""
        self.last_posting = 0
        self.cards: dict[bytes, int] = {}
        """The number of each card, also of cards beyond the edition's number."""
        self.replacing: int | None = None
        """The number that the next unknown card takes over."""
        self.volume = NEW_BOX_VOLUME
        self.next = NextGame()

    @property
    def current(self) -> Game:
        """The game that is being played."""
        assert self._game is not None, "no game was started"
        return self._game

    def apply(self, *durable: Record) -> None:
        """Update the state by durable records."""
        for record in durable:
            self._apply(record)

    def _apply(self, record: Record) -> None:
        match record:
            case Checkpoint():
                self._load(record)
            case GameStarted():
                self._start(record)
            case Posting():
                # A replayed checkpoint already includes the later postings of other games.
                self.last_posting = max(self.last_posting, record.id)
                self.current.apply(record)
            case records.CardKnown(number, uid):
                self._free(number)
                self.cards[uid] = number
            case records.CardForgotten(number):
                self._free(number)
            case records.ReplacementAsked(number):
                self.replacing = number
            case records.KindChosen(kind, minutes):
                self.next = self.next._replace(kind=kind, minutes=minutes)
            case records.EditionChosen(edition):
                self.next = self.next._replace(edition=edition)
            case records.VolumeSet(level):
                assert 0 <= level <= LOUDEST, f"there is no volume {level}"
                self.volume = level
            case _:
                self.current.apply(record)

    def resume(self, game: Game) -> None:
        """Make another game the current one."""
        self.game_before, self._game = self.current.number, game

    def _start(self, started: GameStarted) -> None:
        self.game_before = None if self._game is None else self._game.number
        self.newest_game = started.game
        self._game = Game(GameState(started))
        self.next = NextGame(self.next.edition)

    def _free(self, number: int) -> None:
        self.cards = {uid: n for uid, n in self.cards.items() if n != number}
        if self.replacing == number:
            self.replacing = None

    def agrees_with(self, other: "LedgerState") -> bool:
        """Whether both are equal, apart from the time played."""
        return (self.checkpoint, self.volume) == (other.checkpoint, other.volume)

    @property
    def checkpoint(self) -> Checkpoint:
        """A snapshot, without the volume and the time played, which are stored elsewhere."""
        return Checkpoint(
            game=self.current.state,
            newest_game=self.newest_game,
            game_before=self.game_before,
            last_posting=self.last_posting,
            cards=tuple(records.CardKnown(number, uid) for uid, number in self.cards.items()),
            replacing=self.replacing,
            next=self.next,
        )

    def _load(self, checkpoint: Checkpoint) -> None:
        self._game = Game(checkpoint.game)
        self.newest_game = checkpoint.newest_game
        self.game_before = checkpoint.game_before
        self.last_posting = checkpoint.last_posting
        self.cards = {card.uid: card.number for card in checkpoint.cards}
        self.replacing = checkpoint.replacing
        self.next = checkpoint.next
