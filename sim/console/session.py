"""``tellerbox run --console``: a box that is driven and read over a serial line.

It speaks the script language one line at a time and answers each line with one: ``ok``
and what shows, ``no:`` and what was expected, or ``error:`` and why the line makes no
sense. A few words more than the language has serve the host at the other end;
docs/console.md has them all.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from firmware import __version__
from firmware import edition as editions
from firmware.ledger import Ledger
from firmware.ledger_file import LedgerRefused
from firmware.records import JournalFailed
from hal.console.framing import Said
from hal.console.port import ConsolePort
from hal.events import MILLISECOND, Instant
from hal.parts import StandingBoard
from hal.view import ledger_error
from sim.console_board import ConsoleBoard
from sim.console_stand import ConsoleStand
from sim.kept_ledger import OpenStore
from sim.player import Unmet, in_words, perform
from sim.rig import Rig
from sim.scratch import Scratch, beside
from sim.script import (
    Action,
    GivenEdition,
    GivenHouse,
    GivenNoCards,
    Insert,
    Power,
    Reader,
)
from sim.script_words import ScriptError, card_of
from sim.stock import players

log = logging.getLogger("tellerbox.console")

GREETING = (
    f"tellerbox {__version__} console: a scratch ledger; "
    "insert and press enter above the readers and the keypad; help tells more"
)
HELP = (
    "ok given, insert, remove, press, hold, wait, power, expect: as in scripts | "
    "new: another box | hello WORD | parts | clock real, clock skip | "
    "hands wire, hands box | learn CARD | empty | Ctrl-C ends a line"
)


class Stop(Protocol):
    """Whether somebody has asked the box to stop."""

    asked: bool


class Options(NamedTuple):
    """What the command line says of a console."""

    port: str
    baud: int
    ledger: Path


class Interrupted(Exception):
    """A line was ended before it was done: by Ctrl-C, or because the box stops."""


def serve(options: Options, board: StandingBoard, stop: Stop, ready: Callable[[str], None]) -> None:
    """Until the stop. Raises PortFault when the port cannot be opened at the start."""
    port = ConsolePort(options.port, options.baud, board)
    port.open()
    try:
        console = Console(options, port, board, stop)
        ready(f"console on {options.port}, ledger {console.scratch.path}")
        port.answer(GREETING)
        console.talk()
    finally:
        port.close()


class Console:
    """The box's end of the conversation."""

    def __init__(
        self, options: Options, port: ConsolePort, board: StandingBoard, stop: Stop
    ) -> None:
        self._port = port
        self._stop = stop
        self.scratch = Scratch(beside(options.ledger))
        self._stand = ConsoleStand(ConsoleBoard(board), self._listen)
        self._screen = board.screen
        self._learned: dict[bytes, bytes] = {}
        """Which card a person uses for a stock card."""
        self._reader = Reader(editions.load(editions.DEFAULT))
        self._stock_known = True
        self._rig: Rig | None = None
        self._refusal = ""
        self._words: dict[str, Callable[[list[str]], str]] = {
            "hello": self._hello,
            "help": lambda _: HELP,
            "new": self._new,
            "parts": lambda _: "ok " + " | ".join(self._stand.board.inventory()),
            "clock": self._clock,
            "hands": self._hands,
            "learn": self._learn,
            "empty": self._empty,
        }
        self._carry_on()

    def talk(self) -> None:
        """Answer line after line; between them the bank lives on."""
        try:
            while not self._stop.asked:
                self._port.listen()
                heard = self._port.next()
                if heard is None:
                    self._stand.idle(self._port.due)
                elif isinstance(heard, Said):
                    self._port.answer(self._answer(heard.text))
                else:
                    self._port.answer(f"error: {heard.why}")
        finally:
            self.scratch.close()

    def _listen(self) -> Instant | None:
        """While a line is carried out, others may come, and Ctrl-C ends it."""
        if self._stop.asked:
            raise Interrupted("the box stops")
        if self._port.listen():
            raise Interrupted("ended by Ctrl-C")
        return self._port.due

    def _answer(self, line: str) -> str:
        """One line, whatever comes of it; one that was not carried out was never read."""
        before = self._reader.copy()
        try:
            self._stand.catch_up()
            return self._carried_out(line)
        except Unmet as unmet:
            self._reader = before
            return f"no: {unmet}"
        except (ScriptError, Interrupted) as error:
            self._reader = before
            return f"error: {error}"
        except (LedgerRefused, JournalFailed) as error:
            return self._refuse(str(error))
        except Exception as bug:  # nothing that comes over a line may stop the bank
            log.exception("%s", line)
            return self._refuse(
                f"the console failed, 'new' helps: {str(bug) or type(bug).__name__}"
            )
        finally:
            self._stand.pause()

    def _carried_out(self, line: str) -> str:
        words = line.partition("#")[0].split()
        if words and words[0] in self._words:
            return self._words[words[0]](words[1:])
        return self._play(line)

    # Lines of a script

    def _play(self, line: str) -> str:
        if self._rig is None:
            raise ScriptError(self._refusal)
        step = self._reader.read(line)
        self._stand.took.clear()
        match step:
            case None:
                return self._shown(self._rig)
            case GivenEdition() | GivenNoCards() | GivenHouse():
                self._stock_known = self._stock_known and not isinstance(step, GivenNoCards)
                self._begin()
                return "ok"
            case Insert() if self._stand.by_hand:
                step = step._replace(uid=self._card_in_hand(step.uid))
        perform(self._rig, step)
        if isinstance(step, Power) and not step.on:
            # What the bank knew is gone; what is on disk is all there is.
            self._rig.use(self.scratch.opened())
        return self._shown(self._rig) if isinstance(step, Action) else "ok"

    def _shown(self, rig: Rig) -> str:
        took = [f"took {took // MILLISECOND}ms" for took in self._stand.took[-1:]]
        return " | ".join([f"ok {in_words(rig)}", *took])

    def _card_in_hand(self, uid: bytes) -> bytes:
        if uid not in self._learned:
            raise ScriptError("nobody has this card in hand; 'learn CARD' teaches it")
        return self._learned[uid]

    # The scratch ledger

    def _carry_on(self) -> None:
        """With the ledger that is there: after a power cut everything must still be in it."""
        try:
            if not self.scratch.path.exists():
                self._begin()
                return
            store = self.scratch.opened()
            self._reader = Reader(Ledger(store, self._reader.edition).edition)
            self._rig = Rig(OpenStore(store), self._reader.edition, self._stand)
        except (LedgerRefused, JournalFailed) as error:
            self._refuse(str(error))

    def _new(self, _words: list[str]) -> str:
        """Another box, as a script begins with one: new, with empty slots."""
        for slot in self._stand.board.standing.occupied:
            raise Unmet(f"expected empty slots, got a card in the {slot.value} one: take it out")
        self._begin_anew()
        return "ok"

    def _begin_anew(self) -> None:
        self._reader = Reader(editions.load(editions.DEFAULT))
        self._stock_known = True
        self._begin()

    def _begin(self) -> None:
        edition = self._reader.edition
        stock = players(edition) if self._stock_known else ()
        if self._rig:
            self._rig.put_away()
        self._rig = None
        self._stand.clear()
        store = self.scratch.begun_anew(edition, [self._learned.get(uid, uid) for uid in stock])
        self._rig = Rig(OpenStore(store), edition, self._stand, self._reader.house)

    def _refuse(self, why: str) -> str:
        """The ledger cannot be used; only a new one helps."""
        self._rig = None
        self._stand.stop()
        self._refusal = why
        self._screen.show(ledger_error()._replace(test=True))
        return f"error: {why}"

    # Words that scripts do not have

    def _hello(self, words: list[str]) -> str:
        return " | ".join([GREETING, *words])

    def _clock(self, words: list[str]) -> str:
        """Whether a wait takes its time, or is skipped: the drivers then rest less than it says."""
        self._stand.board.skips = _choice("clock", words, "real", "skip") == "skip"
        return "ok"

    def _hands(self, words: list[str]) -> str:
        """Who does what a line says: the wire, or a person at the box's own parts.

        It begins another box, for what one has put in the other could not take out.
        """
        self._stand.by_hand = _choice("hands", words, "wire", "box") == "box"
        self._begin_anew()
        return "ok"

    def _learn(self, words: list[str]) -> str:
        """The next card that is put in is the one that a person uses for a stock card."""
        if len(words) != 1:
            raise ScriptError("'learn' takes a card")
        stock = card_of(words[0])
        uid = self._stand.await_card()
        for other, known in self._learned.items():
            if known == uid and other != stock:
                raise Unmet(f"expected a card that was not learned yet, got {uid.hex()}")
        self._learned[stock] = uid
        return f"ok uid:{uid.hex().upper()}"

    def _empty(self, _words: list[str]) -> str:
        """Wait until both slots are empty."""
        self._stand.await_empty_slots()
        return "ok"


def _choice(verb: str, words: list[str], *known: str) -> str:
    if len(words) != 1 or words[0] not in known:
        raise ScriptError(f"'{verb}' takes {' or '.join(known)}")
    return words[0]
