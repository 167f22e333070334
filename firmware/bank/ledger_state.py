"""The state of the ledger: the result of all records so far, with the current game and the cards.

Durable records are applied in their order, or a checkpoint in place of those before it. The
state does no I/O and decides nothing; the ledger does.
"""

from collections.abc import Iterable

from firmware.bank import records
from firmware.bank.game import Game
from firmware.bank.records import Checkpoint, GameStarted, GameState, NextGame, Posting, Record
from hal.display.sounds import LOUDEST

NEW_BOX_VOLUME = 2
GAMES_KEPT = 16
"""How many other games a ledger remembers for BACK, which needs two of them at most."""


def games_to_resume(played: Iterable[int], left: int | None, entered: int) -> tuple[int, ...]:
    """The games that BACK can resume, after one was left for another (F20).

    A game that was left without a move is not among them; pass None for it.
    """
    others = [number for number in played if number not in (left, entered)]
    return tuple([*others, *([] if left is None else [left])][-GAMES_KEPT:])


class LedgerState:
    """The result of the records applied so far; empty at first."""

    def __init__(self) -> None:
        self._game: Game | None = None
        self.newest_game = 0
        self.played: tuple[int, ...] = ()
        """Other games in which money moved, the one played last at the end (F20)."""
        self.last_posting = 0
        self.cards: dict[bytes, int] = {}
        """The number of each card, also of cards beyond the edition's number."""
        self.names: dict[int, str] = {}
        """The names of cards, by number (N6)."""
        self.replacing: int | None = None
        """The number that the next unknown card takes over."""
        self.volume = NEW_BOX_VOLUME
        self.next = NextGame()

    @property
    def current(self) -> Game:
        """The game that is being played."""
        assert self._game is not None, "no game was started"
        return self._game

    @property
    def game_before(self) -> int | None:
        """The game that BACK resumes (F20)."""
        return self.played[-1] if self.played else None

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
            case records.KindChosen(kind, minutes):
                self.next = self.next._replace(kind=kind, minutes=minutes)
            case records.EditionChosen(edition):
                self.next = self.next._replace(edition=edition)
            case records.VolumeSet(level):
                assert 0 <= level <= LOUDEST, f"there is no volume {level}"
                self.volume = level
            case _ if isinstance(record, records.CardRecord):
                self._apply_to_cards(record)
            case _:
                self.current.apply(record)

    def _apply_to_cards(self, record: records.CardRecord) -> None:
        match record:
            case records.CardKnown(number, uid):
                self._free(number)
                self.cards[uid] = number
            case records.CardForgotten(number):
                self._free(number)
                self.names.pop(number, None)
            case records.CardNamed(number, name):
                self.names[number] = name
                if not name:
                    del self.names[number]
            case records.ReplacementAsked(number):
                assert number in self.cards.values(), "an unknown card is to be replaced"
                self.replacing = number
            case records.ReplacementCancelled():
                self.replacing = None

    def resume(self, game: Game) -> None:
        """Make another game the current one."""
        self._leave_for(game.number)
        self._game = game

    def _start(self, started: GameStarted) -> None:
        self._leave_for(started.game)
        self.newest_game = started.game
        self._game = Game(GameState(started))
        self.next = NextGame(self.next.edition)

    def _leave_for(self, entered: int) -> None:
        left = self._game.number if self._game and self._game.has_moves else None
        self.played = games_to_resume(self.played, left, entered)

    def _free(self, number: int) -> None:
        self.cards = {uid: n for uid, n in self.cards.items() if n != number}
        if self.replacing == number:
            self.replacing = None

    def agrees_with(self, other: "LedgerState") -> bool:
        """Whether both are equal, apart from the time played and the cards' names."""
        without_names = self.checkpoint._replace(names=())
        return (without_names, self.volume) == (other.checkpoint._replace(names=()), other.volume)

    @property
    def checkpoint(self) -> Checkpoint:
        """A snapshot, without the volume and the time played, which are stored elsewhere."""
        return Checkpoint(
            game=self.current.state,
            newest_game=self.newest_game,
            played=self.played,
            last_posting=self.last_posting,
            cards=tuple(records.CardKnown(number, uid) for uid, number in self.cards.items()),
            names=tuple(records.CardNamed(*named) for named in sorted(self.names.items())),
            replacing=self.replacing,
            next=self.next,
        )

    def _load(self, checkpoint: Checkpoint) -> None:
        self._game = Game(checkpoint.game)
        self.newest_game = checkpoint.newest_game
        self.played = checkpoint.played
        self.last_posting = checkpoint.last_posting
        self.cards = {card.uid: card.number for card in checkpoint.cards}
        self.names = {card.number: card.name for card in checkpoint.names}
        self.replacing = checkpoint.replacing
        self.next = checkpoint.next
