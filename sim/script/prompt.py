"""``tellerbox sim --text``: a box to try at the keyboard, one script line at a time.

The box runs on the wall clock. Nothing shows between two lines, so nothing has to
run between them either: when a line comes, the box first lives through the time
that has passed, sleep included, and then through the line.
"""

import atexit
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from firmware import ledger_file
from firmware.bank import Bank
from firmware.house import House
from hal.language import Language
from hal.picture import draw
from hal.view import View
from sim.clocks import WallClock
from sim.fault import needs_disk
from sim.kept_ledger import OpenStore
from sim.player import Unmet, in_words, patience, perform
from sim.rig import Rig
from sim.script import (
    Action,
    Cause,
    Expect,
    ExpectBalance,
    Given,
    Reader,
    Subject,
    Wait,
)
from sim.script_words import ScriptError
from sim.software_stand import SoftwareStand
from sim.terminal import characters

HELP = """\
Type a line and press Enter. The box lives on while you think: after a minute it sleeps.

  insert left 1        put card 1 in the left slot (it receives); right is the one that pays
  insert right uid:04A1B2C3   a card by its own number
  remove left          take it out
  press 1,5M           press keys: 0-9 , M K C G F    (M and K end an amount, G is GO)
  press F              the list of what else the bank does: F5 is the fine, M pays it, C leaves
  hold C 3s            hold a key: C for three seconds starts a new game
  wait 5s              wait; Enter alone just looks at the screen
  power off, power on  pull the plug, put it back
  fault reader left    break something: reader, screen, key 5 (it is stuck); mend reader left
  expect screen 15M    check something: screen, message, card, balance, sound, volume, …
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


def talk(opened: Bank, language: Language, house: House) -> int:
    """A box on an open ledger, until its person leaves it."""
    print(f"Tellerbox, edition {opened.ledger.edition.name}, ledger {opened.path}")
    print("Type 'help' for help, 'quit' to leave.\n")
    stand = SoftwareStand(WallClock(), language=language)
    rig = Rig(OpenStore(opened.store), opened.next_edition, stand, house)
    return Prompt(rig).talk()


class Prompt:
    """Reads lines, carries them out, and draws the screen after each."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._reader = Reader(rig.ledger.edition)
        self._at_a_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        self._failed = False

    def talk(self) -> int:
        """Until quit or the end of input; 1 when a line of a pipe failed."""
        if self._at_a_terminal:
            _use_readline()
        self._look()
        while (line := self._next_line()) is not None:
            self._rig.catch_up()
            self._obey(line.strip())
        return 1 if self._failed and not self._at_a_terminal else 0

    def _next_line(self) -> str | None:
        try:
            line = input("box> " if self._at_a_terminal else "")
        except EOFError:
            return None
        except UnicodeDecodeError:
            return "?"
        return None if line.strip() in ("quit", "exit") else line

    def _obey(self, line: str) -> None:
        if line in ("help", "?"):
            print(HELP)
            return
        try:
            step = self._step(line) or Wait(0)  # nothing typed: just look
            if asked := patience(step):
                print(asked, flush=True)
            perform(self._rig, step)
        except (ScriptError, Unmet) as error:
            self._failed = True
            print(f"{error}", file=sys.stderr)
            return
        self._look()

    def _step(self, line: str) -> Action | Expect | ExpectBalance | None:
        if line.split()[:1] == ["given"]:
            raise ScriptError(
                "'given' belongs into a script; here, start with --edition, --cards or --config"
            )
        before = self._reader.copy()
        step = self._reader.read(line)
        assert not isinstance(step, Given)
        if isinstance(step, Cause) and needs_disk(step.fault):
            self._reader = before
            raise ScriptError(
                "your ledger lies on a real disk here; its faults belong into a script"
            )
        return step

    def _look(self) -> None:
        """Draw the screen, and say in words what it shows and what was heard."""
        if self._rig.view:
            print_picture(self._rig.view)
        print(in_words(self._rig))


def print_picture(view: View) -> None:
    drawn = characters(draw(view), shutil.get_terminal_size((128, 40)).columns)
    try:
        drawn.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return
    width = drawn.index("\n")
    print("\n".join(("─" * width, drawn, "─" * width)))


def _use_readline() -> None:
    """History and completion, where Python was built with readline."""
    try:
        import readline
    except ImportError:
        return
    history = ledger_file.default_path().with_name("history")
    _load_history(readline.read_history_file, history)
    readline.set_history_length(HISTORY_LENGTH)
    atexit.register(_load_history, readline.write_history_file, history)
    readline.set_completer_delims("\n")
    readline.set_completer(_complete)
    readline.parse_and_bind("tab: complete")


def _load_history(act: Callable[[str], None], history: Path) -> None:
    """A history that cannot be read or kept is a pity, and nothing more."""
    with suppress(OSError):
        act(str(history))


def _complete(text: str, index: int) -> str | None:
    fitting = [word for word in WORDS if word.startswith(text)]
    return fitting[index] if index < len(fitting) else None
