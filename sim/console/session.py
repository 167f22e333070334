"""``tellerbox run --console``: a box that a host controls over a serial line.

It reads one line of the script language at a time, and answers each with one line: ``ok`` and what
shows, ``no:`` and what was expected, or ``error:`` and what is wrong. docs/console.md has these,
and the commands that scripts do not have.
"""

import logging
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import NamedTuple

from firmware import __version__
from firmware.app import Settings
from firmware.bank import edition as editions
from firmware.bank.ledger import Ledger
from firmware.bank.records import JournalFailed
from firmware.commands.run import StopFlag
from firmware.storage.ledger_file import LedgerRefused
from firmware.storage.store import Store
from hal.console.framing import TextLine
from hal.console.port import ConsolePort
from hal.display.messages import Language
from hal.display.view import ledger_error
from hal.events import MILLISECOND, Instant
from hal.parts import RunnableBoard
from sim.board.kept_ledger import KeptLedger
from sim.board.stock import players
from sim.console.console_board import ConsoleBoard
from sim.console.console_harness import ConsoleHarness
from sim.console.scratch import Scratch, beside
from sim.script.language import (
    Given,
    Insert,
    Power,
    ScriptAction,
    ScriptReader,
)
from sim.script.player import Unmet, in_words, perform
from sim.script.words import ScriptError, card_of

log = logging.getLogger("tellerbox.console")

GREETING = (
    f"tellerbox {__version__} console: a scratch ledger; "
    "insert and press simulate cards and keys, without the readers and the keypad; "
    "'help' lists the commands"
)
HELP = (
    "ok given, insert, remove, press, hold, wait, power, expect: as in scripts | "
    "new: another box | hello WORD | parts | clock real, clock skip | "
    "hands wire, hands box | learn CARD | empty | Ctrl-C ends a line"
)


class ConsoleOptions(NamedTuple):
    """The options of a console, from the command line."""

    port: str
    baud: int
    ledger: Path
    language: Language = Language.ENGLISH
    """The screen's; the console itself is always English."""


class Interrupted(Exception):
    """A line was interrupted, by Ctrl-C or because the box stops."""


def serve(
    options: ConsoleOptions, board: RunnableBoard, stop: StopFlag, ready: Callable[[str], None]
) -> None:
    """Serve the host until the stop. Raises PortFault if the port cannot be opened at the start."""
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
        self, options: ConsoleOptions, port: ConsolePort, board: RunnableBoard, stop: StopFlag
    ) -> None:
        self._port, self._stop, self._board = port, stop, board
        self._language = options.language
        self.scratch = Scratch(beside(options.ledger))
        self._harness = ConsoleHarness(ConsoleBoard(board), self._listen)
        self._learned: dict[bytes, bytes] = {}
        """The UID of the card that a person uses for a stock card."""
        self._reader = ScriptReader(editions.load(editions.DEFAULT))
        self._refusal = ""
        """Why the ledger cannot be used; empty if it can."""
        self._commands: dict[str, Callable[[list[str]], str]] = {
            "hello": self._hello,
            "help": lambda _: HELP,
            "new": self._new,
            "parts": lambda _: "ok " + " | ".join(board.inventory()),
            "clock": self._clock,
            "hands": self._hands,
            "learn": self._learn,
            "empty": self._empty,
        }
        self._carry_on()

    def talk(self) -> None:
        """Answer line after line; the bank runs in between."""
        try:
            while not self._stop.asked:
                self._port.listen()
                heard = self._port.next()
                if heard is None:
                    self._harness.idle(self._port.due)
                elif isinstance(heard, TextLine):
                    self._port.answer(self._answer(heard.text))
                else:
                    self._port.answer(f"error: {heard.why}")
        finally:
            self.scratch.close()

    def _listen(self) -> Instant | None:
        """Read the port while a line is carried out. Raises Interrupted at Ctrl-C or the stop."""
        if self._stop.asked:
            raise Interrupted("the box stops")
        if self._port.listen():
            raise Interrupted("ended by Ctrl-C")
        return self._port.due

    def _answer(self, line: str) -> str:
        """Carry out one line and return its answer; a line that fails is not read."""
        before = copy(self._reader)
        try:
            self._harness.catch_up()
            words = line.partition("#")[0].split()
            if words and words[0] in self._commands:
                return self._commands[words[0]](words[1:])
            return self._play(line)
        except Unmet as unmet:
            self._reader = before
            return f"no: {unmet}"
        except (ScriptError, Interrupted) as error:
            self._reader = before
            return f"error: {error}"
        except (LedgerRefused, JournalFailed) as error:
            return self._refuse(str(error))
        except Exception as bug:  # nothing that comes over the line may stop the bank
            log.exception("%s", line)
            return self._refuse(f"the console failed; send 'new': {str(bug) or type(bug).__name__}")
        finally:
            self._harness.pause()

    # Lines of a script

    def _play(self, line: str) -> str:
        if self._refusal:
            raise ScriptError(self._refusal)
        step = self._reader.read(line)
        self._harness.took.clear()
        match step:
            case None:
                return self._shown()
            case Given():
                self._begin()
                return "ok"
            case Insert() if self._harness.by_hand:
                step = step._replace(uid=self._card_in_hand(step.uid))
        perform(self._harness, step)
        if isinstance(step, Power) and not step.on:
            # Only what is on disk survives.
            self._harness.kept = KeptLedger(self.scratch.opened())
        return self._shown() if isinstance(step, ScriptAction) else "ok"

    def _shown(self) -> str:
        took = [f"took {took // MILLISECOND}ms" for took in self._harness.took[-1:]]
        return " | ".join([f"ok {in_words(self._harness)}", *took])

    def _card_in_hand(self, uid: bytes) -> bytes:
        if uid not in self._learned:
            raise ScriptError("no real card stands for this card yet; send 'learn CARD'")
        return self._learned[uid]

    # The scratch ledger

    def _carry_on(self) -> None:
        """Continue with the ledger that exists, for instance after a power cut."""
        try:
            if not self.scratch.path.exists():
                self._begin()
                return
            store = self.scratch.opened()
            self._reader = ScriptReader(Ledger(store, self._reader.edition).edition)
            self._begin_on(store)
        except (LedgerRefused, JournalFailed) as error:
            self._refuse(str(error))

    def _new(self, _words: list[str]) -> str:
        """Begin with a new box, as a script does, and with empty slots."""
        for slot in self._harness.board.last_known.occupied:
            raise Unmet(f"expected empty slots, got a card in the {slot.value} one: take it out")
        self._start_over()
        return "ok"

    def _start_over(self) -> None:
        self._reader = ScriptReader(editions.load(editions.DEFAULT))
        self._begin()

    def _begin(self) -> None:
        edition = self._reader.edition
        stock = players(edition) if self._reader.stock_known else ()
        if self._harness.powered:
            self._harness.power_off()
        self._harness.clear()
        known = [self._learned.get(uid, uid) for uid in stock]
        self._begin_on(self.scratch.replaced(edition, known, self._reader.names))

    def _begin_on(self, store: Store) -> None:
        settings = Settings(self._language, self._reader.house)
        self._harness.begin(KeptLedger(store), self._reader.edition, settings)
        self._refusal = ""

    def _refuse(self, why: str) -> str:
        """The ledger cannot be used until ``new`` replaces it."""
        if self._harness.powered:
            self._harness.power_off()
        self._refusal = why
        self._harness.board.screen.show(ledger_error(self._language))
        return f"error: {why}"

    # Commands that scripts do not have

    def _hello(self, words: list[str]) -> str:
        return " | ".join([GREETING, *words])

    def _clock(self, words: list[str]) -> str:
        """Choose whether waits take their time, or are skipped."""
        self._harness.board.skips = _choice("clock", words, "real", "skip") == "skip"
        return "ok"

    def _hands(self, words: list[str]) -> str:
        """Choose who carries out a line: the wire, or a person at the box's own parts.

        Begins with a new box, because neither could take out a card that the other has put in.
        """
        self._harness.by_hand = _choice("hands", words, "wire", "box") == "box"
        self._start_over()
        return "ok"

    def _learn(self, words: list[str]) -> str:
        """Use the next card that is put in for a stock card."""
        if len(words) != 1:
            raise ScriptError("'learn' takes a card")
        stock = card_of(words[0])
        uid = self._harness.await_card()
        for other, known in self._learned.items():
            if known == uid and other != stock:
                raise Unmet(f"expected a card that was not learned yet, got {uid.hex()}")
        self._learned[stock] = uid
        return f"ok uid:{uid.hex().upper()}"

    def _empty(self, _words: list[str]) -> str:
        """Wait until both slots are empty."""
        self._harness.await_empty_slots()
        return "ok"


def _choice(verb: str, words: list[str], *known: str) -> str:
    if len(words) != 1 or words[0] not in known:
        raise ScriptError(f"'{verb}' takes {' or '.join(known)}")
    return words[0]
