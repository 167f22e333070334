"""The store: the ledger's records in SQLite, durable before anybody sees them.

Identity numbers have no gaps, so a row that went missing is found out, and two programs that
append at once cannot both win. What is read at a start is the newest checkpoint and the rows
after it, however long the ledger has become.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from firmware import checkpoint, schema
from firmware import edition as editions
from firmware.checkpoint import Elsewhere, Said
from firmware.edition import Edition
from firmware.open_file import Mark, OpenFile, Place, Trace
from firmware.records import (
    AccountClosed,
    CardForgotten,
    CardKnown,
    Checkpoint,
    GameResumed,
    GameStarted,
    GameState,
    JournalFailed,
    Kind,
    KindChosen,
    Posting,
    Record,
    ReplacementAsked,
    Replay,
    TimePlayed,
    VolumeSet,
)
from firmware.rows import (
    INSERT,
    NONSENSE,
    PLAYED,
    STARTED,
    TURNS,
    VOLUME,
    Damaged,
    Event,
    Row,
    card_record,
    choice,
    event_of,
    game_record,
    of_before_events,
    posting_of,
    rows,
    seal,
    started,
)


class Saved(NamedTuple):
    """A row of the table of checkpoints: what it says, and the last rows that it covers."""

    id: int
    game: int
    posting: int
    event: int
    card: int
    state: str


NONE_SAVED = Saved(0, 0, 0, 0, 0, "")
OF_A_CARD = {CardKnown: "known", CardForgotten: "forgotten", ReplacementAsked: "replacement"}
OVERTAKEN = "another program has written in the meantime"


class Store:
    """A journal in an SQLite database that is already open and of our version."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        wall_clock: Callable[[], float] = time.time,
        place: Place | None = None,
        *,
        copy_of: Mark | None = None,
    ) -> None:
        self._file = OpenFile(connection, place, copy_of=copy_of)
        # Written beside each row for people to read; nothing depends on it being right.
        self._wall_clock = wall_clock
        self._version_read = (0, 0)
        """The ledger's version when all of it was last read."""
        self._cards_read = 0
        """The last row about a card that was read, or written here."""

    @classmethod
    def in_memory(cls, wall_clock: Callable[[], float] = time.time) -> "Store":
        """A store that lasts as long as the object, for scripts and tests."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        schema.migrate(connection)
        return cls(connection, wall_clock)

    def close(self) -> None:
        self._file.connection.close()

    def has_game(self) -> bool:
        try:
            return bool(self._connection.execute("SELECT 1 FROM game LIMIT 1").fetchall())
        except sqlite3.Error as error:
            raise JournalFailed(str(error)) from error

    @property
    def _connection(self) -> sqlite3.Connection:
        return self._file.connection

    # Writing

    def append(self, *records: Record) -> None:
        at = int(self._wall_clock())
        try:
            self._file.transact(partial(self._write, records, at))
        except sqlite3.Error as error:
            raise JournalFailed(str(error)) from error
        self._cards_read += sum(type(record) in OF_A_CARD for record in records)

    @property
    def in_doubt(self) -> bool:
        return self._file.in_doubt

    def _write(self, records: tuple[Record, ...], at: int) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        if self._last_id("card") != self._cards_read:
            # Whose money this is may be another question by now.
            raise sqlite3.IntegrityError(OVERTAKEN)
        for record in records:
            self._insert(record, at)
        self._connection.execute("COMMIT")

    def _insert(self, record: Record, at: int) -> None:
        match record:
            case Posting():
                row: Row = (
                    record.id,
                    record.game,
                    record.payer,
                    record.payee,
                    record.amount,
                    record.purpose.value,
                    record.reverses,
                    at,
                )
                self._insert_row("posting", row)
            case GameStarted():
                self._insert_game(record, at)
            case CardKnown() | CardForgotten() | ReplacementAsked():
                self._insert_card(record, at)
            case VolumeSet():
                self._set(VOLUME, record.level)
            case TimePlayed():
                self._set(f"{PLAYED}{record.game}", record.milliseconds)
            case GameResumed():
                self._must_be_last(record.after)
                self._insert_event(event_of(record), at)
            case AccountClosed():
                # What the card gave back must still be all that it had.
                self._must_be_last(record.after)
                self._insert_in_game(event_of(record), at)
            case Checkpoint():
                self._insert_checkpoint(record, at)
            case _:
                self._insert_in_game(event_of(record), at)

    def _insert_game(self, record: GameStarted, at: int) -> None:
        self._must_be_last(record.first_posting - 1)
        row = (record.game, record.edition.source, record.first_posting, at)
        self._insert_row("game", row)
        self._insert_event(event_of(record), at)

    def _insert_checkpoint(self, record: Checkpoint, at: int) -> None:
        """It covers every row that there is: those who made it must have read them all."""
        self._must_be_last(record.last_posting)
        if self._version() != self._version_read:
            raise sqlite3.IntegrityError(OVERTAKEN)
        covered = [self._last_id(table) for table in ("posting", "event", "card")]
        text = checkpoint.written(record)
        row = (self._last_id("checkpoint") + 1, record.game.started.game, *covered, text, at)
        self._insert_row("checkpoint", row)

    def _must_be_last(self, posting: int) -> None:
        """Another program's posting must not come to lie in a game that it knew nothing of."""
        if self._last_id("posting") != posting:
            raise sqlite3.IntegrityError(OVERTAKEN)

    def _must_be_played(self, game: int | None) -> None:
        """Nothing happens in a game that has been left, whoever did not notice."""
        turns = f"SELECT game FROM event WHERE what IN {TURNS} ORDER BY id DESC LIMIT 1"
        played = f"SELECT coalesce(({turns}), (SELECT max(id) FROM game))"
        if game is not None and game != self._connection.execute(played).fetchone()[0]:
            raise sqlite3.IntegrityError(f"game {game} is not being played")

    def _insert_in_game(self, event: Event, at: int) -> None:
        self._must_be_played(event.game)
        self._insert_event(event, at)

    def _insert_event(self, event: Event, at: int) -> None:
        self._insert_row("event", (self._last_id("event") + 1, *event, at))

    def _insert_card(self, record: CardKnown | CardForgotten | ReplacementAsked, at: int) -> None:
        what, uid = OF_A_CARD[type(record)], None
        if isinstance(record, CardKnown):
            uid = record.uid.hex()
        self._insert_row("card", (self._last_id("card") + 1, what, record.number, uid, at))

    def _insert_row(self, table: str, row: Row) -> None:
        sealed = seal(table, row)
        trace = Trace(f"SELECT 1 FROM {table} WHERE id = ? AND seal = ?", (row[0], sealed))
        self._file.insert(INSERT[table], (*row, sealed), trace)

    def _set(self, name: str, value: int) -> None:
        """A setting has no history: it is written over."""
        trace = Trace("SELECT 1 FROM setting WHERE name = ? AND value = ?", (name, value))
        self._file.insert("INSERT OR REPLACE INTO setting VALUES (?, ?)", trace.values, trace)

    def _last_id(self, table: str) -> int:
        newest = f"SELECT coalesce(max(id), 0) FROM {table}"
        return int(self._connection.execute(newest).fetchone()[0])

    # Reading

    def replay(self, game: int | None = None) -> Replay:
        try:
            self._file.settle_doubt()
            with self._standing_still():
                if game is None:
                    self._version_read = self._version()
                    self._cards_read = self._last_id("card")
                return self._replayed(game)
        except (sqlite3.Error, Damaged, *NONSENSE) as error:
            raise JournalFailed(str(error)) from error

    @contextmanager
    def _standing_still(self) -> Iterator[None]:
        """Whoever writes meanwhile has done so before all that is read here, or after it."""
        if self._connection.in_transaction:
            yield
            return
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.rollback()

    def _replayed(self, game: int | None) -> Replay:
        newest = self._saved()
        self._refuse_less_than(newest)
        events = list(self._rows_after("event", newest.event))
        course = self._course_since(newest, events)
        if not course:
            return Replay(tuple(self._cards_and_volume(0)))
        current = course[-1] if game is None else game
        base, told = self._game_since(current, newest, events)
        records = (base, *told, *self._choices_since(events), *self._cards_and_volume(newest.card))
        before = course[-2] if len(course) > 1 else base.game_before
        newest_game = self._last_game(base.newest_game)
        return Replay(records, newest_game, before, self._last_id("posting"))

    def _saved(self, game: int | None = None) -> Saved:
        """The newest checkpoint, of this game if one is named."""
        of_game = "" if game is None else f"WHERE game = {game}"
        where = f"WHERE id = (SELECT id FROM checkpoint {of_game} ORDER BY id DESC LIMIT 1)"
        found = [Saved(*row[:-1]) for row in rows(self._connection, "checkpoint", where)]
        return found[0] if found else NONE_SAVED

    def _refuse_less_than(self, saved: Saved) -> None:
        """New rows would take the numbers of those that are gone, and never be read."""
        for table, last in (
            ("posting", saved.posting),
            ("event", saved.event),
            ("card", saved.card),
        ):
            if self._last_id(table) < last:
                raise Damaged(f"row {last} of table {table} is missing")

    def _rows_after(self, table: str, last: int) -> Iterator[Row]:
        """All rows after one; one that is missing must not go unseen."""
        found = rows(self._connection, table, "WHERE id > ?", last)
        for expected, row in enumerate(found, start=last + 1):
            if row[0] != expected:
                raise Damaged(f"row {expected} of table {table} is missing")
            yield row

    def course(self) -> list[int]:
        """The games in the order in which they were played: one that was resumed comes again."""
        return self._course_since(NONE_SAVED, list(self._rows_after("event", 0)))

    def _course_since(self, saved: Saved, events: list[Row]) -> list[int]:
        """From the game on that a checkpoint says was being played."""
        turns = [row[2] for row in events if row[1] in TURNS]
        if saved.id:
            return [saved.game, *turns]
        games = [row[0] for row in self._rows_after("game", 0)]
        old = of_before_events(games, events)
        if old != games[: len(old)]:
            raise Damaged(f"nothing says when game {old[-1]} was started")
        return old + turns

    def _last_game(self, covered: int) -> int:
        """The newest game, of those after the ones that a checkpoint covers."""
        return max((row[0] for row in self._rows_after("game", covered)), default=covered)

    def _game_since(
        self, game: int, newest: Saved, events: list[Row]
    ) -> tuple[Checkpoint, list[Record]]:
        """What a ledger in this game had come to at a checkpoint, and what the game did since."""
        edition, first = self._game_row(game)
        saved = newest if newest.game == game else self._saved(game)
        begun = any(row[1] == STARTED and row[2] == game for row in events)
        own = events if begun or saved is newest else list(self._rows_after("event", saved.event))
        if saved.id:
            base, after = self._read(saved, edition), saved.posting
        else:
            base, after = Checkpoint(GameState(started(game, edition, first, own))), first - 1
        if saved is not newest:
            base = self._read(newest, edition)._replace(game=base.game)
        return base, list(self._told(game, after, own))

    def _game_row(self, game: int) -> tuple[Edition, int]:
        """Its edition, and the number of its first posting."""
        for _, text, first, _at in rows(self._connection, "game", "WHERE id = ?", game):
            return editions.parse(f"game {game}", text), first
        raise Damaged(f"row {game} of table game is missing")

    def _read(self, saved: Saved, edition: Edition) -> Checkpoint:
        """A checkpoint, and the moves that it leaves to their own rows."""
        said = checkpoint.parsed(saved.state)
        elsewhere = Elsewhere(edition, tuple(self._moves_within(said, saved.game)))
        if len(elsewhere.moves) != said.moves:
            raise Damaged(f"a move is missing before checkpoint {saved.id}")
        return checkpoint.read(said, saved.game, saved.posting, elsewhere)

    def _moves_within(self, said: Said, game: int) -> Iterator[Posting]:
        for stretch in said.stretches:
            where = "WHERE id BETWEEN ? AND ? AND game = ?"
            for row in rows(self._connection, "posting", where, *stretch, game):
                posting = posting_of(row)
                if posting.purpose.is_move:
                    yield posting

    def _told(self, game: int, after: int, events: list[Row]) -> Iterator[Record]:
        """A game's postings, and then what else happened in it.

        A card that was forgotten in one game has no account in any other, either.
        """
        for row in self._rows_after("posting", after):
            if row[1] == game:
                yield posting_of(row)
        for row in events:
            if row[2] == game or row[1] == "forgotten":
                yield from game_record(row)
        played = self._setting(f"{PLAYED}{game}")
        if played is not None:
            yield TimePlayed(game, played)

    def records_of(self, game: int) -> list[Record]:
        """Everything that happened in a game, from its first row on; raises what rows raise."""
        edition, first = self._game_row(game)
        events = list(self._rows_after("event", 0))
        return [started(game, edition, first, events), *self._told(game, first - 1, events)]

    def _choices_since(self, events: list[Row]) -> Iterator[Record]:
        """What the next game will be: the kind is for one game, the edition stays (F18)."""
        for row in events:
            if row[1] == STARTED:
                yield KindChosen(Kind.NORMAL)
            yield from choice(row)

    def _cards_and_volume(self, covered: int) -> Iterator[Record]:
        yield from map(card_record, self._rows_after("card", covered))
        volume = self._setting(VOLUME)
        if volume is not None:
            yield VolumeSet(volume)

    def _setting(self, name: str) -> int | None:
        query = "SELECT value FROM setting WHERE name = ?"
        found = self._connection.execute(query, (name,)).fetchone()
        return None if found is None else int(found[0])

    def changed_elsewhere(self) -> bool:
        """Whether there may be something to replay; a doubt is for the replay to settle."""
        try:
            self._file.look_again()
            return self.in_doubt or self._version() != self._version_read
        except sqlite3.Error:
            return False

    def _version(self) -> tuple[int, int]:
        """Which connection this is, and SQLite's own count of what others have committed."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        return self._file.times_opened, version
