"""The command line of the search: ``python -m tests.campaign.hazards``."""

import argparse
import math
import sys
import time
from collections.abc import Iterator, Sequence

from firmware.user_error import UserError
from tests.campaign.hazards.old_rules import OLD_RULES, OldRule, put_back
from tests.campaign.hazards.search import Evening, Found, evenings
from tests.campaign.hazards.shrink import as_script, shrink
from tests.campaign.hazards.watch import ATTEMPTS
from tests.campaign.progress import Progress

COMMAND = "python -m tests.campaign.hazards"
INTERRUPTED = 130
"""The exit status of a shell command that was ended by Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(arguments)
    try:
        _check(args)
    except UserError as error:
        print(f"hazards: {error}", file=sys.stderr)
        return error.status
    with put_back(_rule(args.old_rule)):
        return _run(args)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND)
    parser.description = (
        "Search for keys that do to money what the screen did not announce. Random play reaches "
        "states of a box, and in each of them every key is tried on a copy of it. The same seed "
        "always plays the same evening. A find is shrunk to a short script, and the exit status "
        "is 1."
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="first seed (default: 1)")
    many = parser.add_mutually_exclusive_group()
    many.add_argument(
        "--minutes", metavar="M", type=float, default=1.0, help="how long (default: 1)"
    )
    many.add_argument("--seeds", metavar="N", type=int, help="play this many seeds instead")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="also find what the rules let pass on a box without cards: a key that wakes it is "
        "lost, a list that has closed by itself is acknowledged by empty slots, and after they "
        "have acknowledged, C takes back a move",
    )
    parser.add_argument(
        "--old-rule",
        metavar="N",
        type=int,
        help="put an old rule back, which must be found: "
        + "; ".join(f"{number} {rule}" for number, rule in enumerate(OLD_RULES, start=1)),
    )
    return parser


def _check(args: argparse.Namespace) -> None:
    if args.seed < 0:
        raise UserError(f"--seed must be 0 or more, not {args.seed}", status=2)
    if args.seeds is not None and args.seeds < 1:
        raise UserError(f"--seeds must be at least 1, not {args.seeds}", status=2)
    if not 0 < args.minutes < math.inf:
        raise UserError(f"--minutes must be more than 0 and finite, not {args.minutes:g}", status=2)
    if args.old_rule is not None and not 1 <= args.old_rule <= len(OLD_RULES):
        raise UserError(f"--old-rule must be 1 to {len(OLD_RULES)}, not {args.old_rule}", status=2)


def _rule(number: int | None) -> OldRule | None:
    return None if number is None else OLD_RULES[number - 1]


class Totals:
    """The results so far."""

    def __init__(self) -> None:
        self.evenings = 0
        self.states = 0
        self.found: list[Found] = []

    def __str__(self) -> str:
        keys = self.states * len(ATTEMPTS)
        counted = f"{self.evenings} evenings, {self.states} states, {keys} keys tried"
        return f"{counted}, {len(self.found)} found"


def _run(args: argparse.Namespace) -> int:
    began = time.monotonic()
    totals, progress = Totals(), Progress()
    until = math.inf if args.seeds is not None else began + 60 * args.minutes
    interrupted = False
    try:
        _search(evenings(args.seed, strict=args.strict), args.seeds, until, totals, progress)
    except KeyboardInterrupt:
        interrupted = True
    seconds = time.monotonic() - began
    print(f"{totals}; {60 * totals.states / seconds:.0f} states a minute")
    if interrupted:
        print("interrupted; the figures cover what was played")
        return INTERRUPTED
    return 1 if totals.found else 0


def _search(
    to_play: Iterator[Evening],
    seeds: int | None,
    until: float,
    totals: Totals,
    progress: Progress,
) -> None:
    def keep_going() -> bool:
        progress(str(totals))
        return time.monotonic() < until

    for evening in to_play:
        if not keep_going() or totals.evenings == seeds:
            return
        found = evening.play(keep_going)
        totals.evenings += 1
        totals.states += evening.states
        if found:
            totals.found.append(found)
            print(_described(found), flush=True)


def _described(found: Found) -> str:
    shortest = shrink(found)
    return "\n".join(
        [
            f"FOUND: {found.find.hazard.value}, by seed {found.seed}, at line {len(found.lines)}",
            "The shortest script found:",
            "",
            as_script(shortest.lines, shortest.find),
            "",
        ]
    )
