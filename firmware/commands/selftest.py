"""``tellerbox selftest``: checks the wiring and the parts of a newly built box."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from firmware import __version__, boards, config
from firmware.user_error import UserError
from hal.events import Key, Slot
from hal.findings import Finding, Verdict
from hal.wiring import Part, Wiring


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config", metavar="FILE", type=Path, help="the config file, with pins, buses and screen"
    )
    parser.add_argument(
        "--no-input", action="store_true", help="run only the checks that need no person at the box"
    )
    what = "the hardware of this Pi, or models of it with a simulated person"
    boards.add_option(parser, "selftest", what)
    parser.epilog = (
        "Each failure lists the wires that may cause it, by pin; wiring.md describes all wires. "
        "Exit status: 0 if nothing failed, 1 otherwise."
    )


def run(args: argparse.Namespace) -> int:
    wiring = config.load(args.config).wiring if args.config else Wiring()
    print(f"Tellerbox {__version__}, self-test\n")
    failed = 0
    person = None if args.no_input else TerminalPerson()
    found: Iterator[Finding] = boards.module_of(args.board, "selftest").selftest(wiring, person)
    for finding in found:
        print("\n".join(finding.lines()), flush=True)
        failed += finding.verdict is Verdict.BAD
    print(f"\n{_outcome(failed, args.no_input)}")
    return 1 if failed else 0


def _outcome(failed: int, no_input: bool) -> str:
    if failed:
        return f"Failed: {failed}. Repair it, then run the self-test again."
    rest = "To check keys, cards, screen and sound, run this without --no-input."
    return f"Nothing failed. {rest}" if no_input else "Everything works."


class TerminalPerson:
    """Asks the person at this terminal."""

    def press(self, key: Key) -> None:
        names = {Key.GO: "G (GO)", Key.FUNCTION: "F", Key.COMMA: "the comma"}
        print(f"      Press {names.get(key, key.value)} (or wait to skip it) ...", flush=True)

    def put_card(self, slot: Slot) -> None:
        print(f"      Put a card into the {slot.value} slot ...", flush=True)

    def take_card(self, slot: Slot) -> None:
        print(f"      Take the card out of the {slot.value} slot ...", flush=True)

    def sees_light(self, part: Part) -> bool:
        return _yes(f"Is the red light on the {part.value}'s board lit?")

    def sees_pattern(self) -> bool:
        return _yes("Does the screen show a chequered pattern in a frame?")

    def hears_tone(self) -> bool:
        return _yes("Did you hear a rising melody?")


def _yes(question: str) -> bool:
    while True:
        print(f"      {question} [y/n] ", end="", flush=True)
        answer = sys.stdin.readline()
        if not answer:
            raise UserError(
                "no answer: standard input has ended; use --no-input to skip the questions"
            )
        if answer.strip().lower() in ("y", "yes", "n", "no"):
            return answer.strip().lower().startswith("y")
