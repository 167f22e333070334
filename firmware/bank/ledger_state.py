"""The books: what all records so far have come to, the game that is played and the cards.

They are told records that are durable, in their order, or begin with a checkpoint, which says
what those before it came to. They do no I/O and decide nothing; the ledger does.
"""

from typing import NamedTuple

from firmware.edition import Edition
from firmware.game import Game
from firmware.records import (
    CardForgotten,
    CardKnown,
    Checkpoint,
    EditionChosen,
    GameStarted,
    GameState,
    Kind,
    KindChosen,
    Posting,
    Record,
    ReplacementAsked,
    VolumeSet,
)
from hal.sounds import LOUDEST

NEW_BOX_VOLUME = 2


class NextGame(NamedTuple):
    """What has been chosen on the box for the next new game."""

    edition: Edition | None = None
    kind: Kind = Kind.NORMAL
    minutes: int = 0


class Books:
    """Begins empty, and is told what has become durable."""

    def __init__(self) -> None:
        self._game: Game | None = None
        self.newest_game = 0
        self.game_before: int | None = None
        """The one that was played before the current one."""
        self.last_posting = 0
        self.cards: dict[bytes, int] = {}
        """The number of each card, also beyond the edition's."""
        self.replacing: int | None = None
        self.volume = NEW_BOX_VOLUME
        self.next = NextGame()

    @property
    def current(self) -> Game:
        """The game that is being played."""
        assert self._game is not None, "nothing says which game is being played"
        return self._game

    def believe(self, record: Record) -> None:
        """Take in a record that is durable."""
        match record:
            case Checkpoint():
                self._go_on_from(record)
            case GameStarted():
                self._begin(record)
            case Posting():
                self.last_posting = record.id
                self.current.believe(record)
            case CardKnown():
                self._free(record.number)
                self.cards[record.uid] = record.number
            case CardForgotten():
                self._free(record.number)
            case ReplacementAsked():
                self.replacing = record.number
            case KindChosen():
                self.next = self.next._replace(kind=record.kind, minutes=record.minutes)
            case EditionChosen():
                self.next = self.next._replace(edition=record.edition)
            case VolumeSet():
                assert 0 <= record.level <= LOUDEST, f"there is no volume {record.level}"
                self.volume = record.level
            case _:
                self.current.believe(record)

    def resume(self, game: Game) -> None:
        """Another game is played again, as it was left."""
        self.game_before, self._game = self.current.number, game

    def _begin(self, started: GameStarted) -> None:
        self.game_before = None if self._game is None else self._game.number
        self.newest_game = started.game
        self._game = Game(GameState(started))
        self.next = NextGame(self.next.edition)

    def _free(self, number: int) -> None:
        self.cards = {uid: n for uid, n in self.cards.items() if n != number}
        if self.replacing == number:
            self.replacing = None

    def agree_with(self, other: "Books") -> bool:
        """Whether they say the same, but for how long the game has been played."""
        return (self.checkpoint, self.volume) == (other.checkpoint, other.volume)

    # Checkpoints

    @property
    def checkpoint(self) -> Checkpoint:
        """What they have come to; but for the volume, which is kept elsewhere."""
        return Checkpoint(
            game=self.current.state,
            newest_game=self.newest_game,
            game_before=self.game_before,
            last_posting=self.last_posting,
            cards=tuple(CardKnown(number, uid) for uid, number in self.cards.items()),
            replacing=self.replacing,
            next_edition=self.next.edition,
            next_kind=KindChosen(self.next.kind, self.next.minutes),
        )

    def _go_on_from(self, checkpoint: Checkpoint) -> None:
        self._game = Game(checkpoint.game)
        self.newest_game = checkpoint.newest_game
        self.game_before = checkpoint.game_before
        self.last_posting = checkpoint.last_posting
        self.cards = {card.uid: card.number for card in checkpoint.cards}
        self.replacing = checkpoint.replacing
        self.next = NextGame(checkpoint.next_edition, *checkpoint.next_kind)
