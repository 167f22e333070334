"""``tellerbox sim --text``: a box to try at the keyboard, one script line at a time.

The box has the wall clock. Nothing shows between two lines, so nothing runs between them either:
when a line comes, the box first catches up with the time that has passed.
"""

import atexit
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from functools import partial
from pathlib import Path

from firmware.app import Settings
from firmware.commands.startup import Bank
from firmware.storage import ledger_file
from firmware.user_error import printable
from hal.display.renderer import draw
from hal.display.view import View
from sim.board.clocks import WallClock
from sim.board.fault import needs_disk
from sim.board.harness import Harness
from sim.board.kept_ledger import KeptLedger
from sim.board.software_harness import SoftwareHarness
from sim.script.language import Cause, Given, Playable, ScriptReader, Subject, Wait
from sim.script.player import Unmet, in_words, long_wait, perform
from sim.script.terminal import characters
from sim.script.words import ScriptError

HELP = """\
Type a line and press Enter. The box runs on while you think: after a minute it sleeps.

  insert left 1        put card 1 in the left slot (it receives); right is the one that pays
  insert right uid:04A1B2C3   a card by its own number
  remove left          take it out
  press 1,5M           press keys: 0-9 , M K C G F    (M and K end an amount, G is GO)
  press F              the list of what else the bank does: F5 is the fine, M pays it, C leaves
  hold C 3s            hold a key: C for three seconds starts a new game
  wait 5s              wait; Enter alone just looks at the screen
  power off, power on  pull the plug, put it back
  fault reader left    break something: reader, screen, key 5 (it is stuck); mend reader left
  expect screen 15M    check something: screen, message, status, card, balance, sound, …
  help, quit           this text; leave (so does Ctrl-D)

A payment: insert right 1, press 2M, remove right.  A rent: the payer's card right, the
owner's left.  A mistake: press C while the cards are in."""

WORDS = (
    ["insert left", "insert right", "remove left", "remove right", "press", "hold C 3s", "wait"]
    + ["power off", "power on", "help", "quit"]
    + ["fault reader left", "fault reader right", "fault screen", "fault key"]
    + ["mend reader left", "mend reader right", "mend screen", "mend key"]
    + [f"expect {subject.value}" for subject in Subject]
)
HISTORY_LENGTH = 500


def talk(opened: Bank, settings: Settings) -> int:
    """Run a box on an open ledger until its user quits."""
    print(f"Tellerbox, edition {opened.ledger.edition.name}, ledger {printable(opened.path)}")
    print("Type 'help' for help, 'quit' to leave.\n")
    harness = SoftwareHarness(WallClock())
    harness.begin(KeptLedger(opened.store), opened.next_edition, settings)
    return Prompt(harness).talk()


class Prompt:
    """Reads lines, carries them out, and draws the screen after each."""

    help = HELP
    words: Sequence[str] = WORDS
    """What the Tab key completes."""

    def __init__(self, harness: Harness, reader: ScriptReader | None = None) -> None:
        self._harness = harness
        self._reader = reader or ScriptReader(harness.ledger.edition)
        self._at_a_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self._failed = False

    def talk(self) -> int:
        """Read lines until quit or the end of input; 1 if a line of a pipe failed."""
        if self._at_a_terminal:
            _use_readline(self.words)
        self.look()
        while not self.finished and (line := self._next_line()) is not None:
            self._harness.catch_up()
            self.obey(line.strip())
        return 1 if self._failed and not self._at_a_terminal else 0

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do; this box lives until its user quits."""
        return False

    def _next_line(self) -> str | None:
        try:
            line = input("box> " if self._at_a_terminal else "")
        except EOFError:
            return None
        except UnicodeDecodeError:
            return "?"
        return None if line.strip() in ("quit", "exit") else line

    def obey(self, line: str) -> None:
        """Carry out a line, or report why not."""
        if line in ("help", "?"):
            print(self.help)
            return
        try:
            step = self._step(line) or Wait(0)  # nothing typed: just look
            if asked := long_wait(step):
                print(asked, flush=True)
            perform(self._harness, step)
        except (ScriptError, Unmet) as error:
            self._failed = True
            print(printable(error), file=sys.stderr)
            return
        self.look()

    def _step(self, line: str) -> Playable | None:
        if line.split()[:1] == ["given"]:
            raise ScriptError(
                "'given' works only in a script; here, start with --edition, --cards or --config"
            )
        reader = copy(self._reader)
        step = reader.read(line)
        assert not isinstance(step, Given)
        if isinstance(step, Cause) and needs_disk(step.fault):
            raise ScriptError("your ledger is on a real disk here; use its faults in a script")
        self._reader = reader
        return step

    def look(self) -> None:
        """Draw the screen, and print what it shows and sounded."""
        if self._harness.view:
            print_picture(self._harness.view)
        print(in_words(self._harness))


def print_picture(view: View) -> None:
    drawn = characters(draw(view), shutil.get_terminal_size((128, 40)).columns)
    try:
        drawn.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return
    width = drawn.index("\n")
    print("\n".join(("─" * width, drawn, "─" * width)))


def _use_readline(words: Sequence[str]) -> None:
    """History and completion, where Python was built with readline."""
    try:
        import readline
    except ImportError:
        return
    history = ledger_file.default_path().with_name("history")
    readline.set_history_length(HISTORY_LENGTH)
    with suppress(OSError):
        readline.read_history_file(history)
    atexit.register(_save_history, readline.write_history_file, history)
    readline.set_completer_delims("\n")
    readline.set_completer(partial(_complete, words))
    readline.parse_and_bind("tab: complete")


def _save_history(write: Callable[[Path], None], history: Path) -> None:
    with suppress(OSError):
        write(history)


def _complete(words: Sequence[str], text: str, index: int) -> str | None:
    fitting = [word for word in words if word.startswith(text)]
    return fitting[index] if index < len(fitting) else None
