"""``tellerbox storm``: hurried people and all kinds of faults, against a model of the bank."""

import argparse
import math
import shutil
import sys
import time
from collections.abc import Iterator

from firmware.mistake import Mistake
from sim.storm.campaign import News, Order, Tally, on_all_cores, on_this_core, plans
from sim.storm.evening import KINDS, Failure, Plan
from sim.storm.shrink import PATIENCE, Shrunk
from sim.storm.table import Board
from sim.storm.weather import Kind

MOST_HOURS = 24.0
INTERRUPTED = 130
"""The status that a shell gives to what was ended by Ctrl-C."""
SAY_EVERY = 5.0
"""Seconds between two lines of progress where nobody looks at a terminal."""
REWRITE_EVERY = 0.2


def options(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Play an evening of hurried people at a simulated box, with power cuts, full disks, dead "
        "readers, stuck keys and more, and compare the box after every line with a model of the "
        "bank that is far simpler and shares nothing with it. The same seed plays the same "
        "evening, to the letter. What fails is shrunk to the shortest script that still does, "
        "for `tellerbox play`; the status is then 1."
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="(default: 1)")
    parser.add_argument(
        "--hours",
        metavar="H",
        type=float,
        default=3.0,
        help="simulated hours of an evening (default: 3); with --seeds or --minutes, those on "
        "chips and over a line, which take longer, have a third",
    )
    parser.add_argument(
        "--board",
        choices=[board.value for board in Board],
        help="software parts; the real drivers on models of the chips, which is slower and where "
        "chips can fail, too; or a box on a serial line whose host floods it (default: sim; "
        "with --seeds or --minutes, some on each)",
    )
    many = parser.add_mutually_exclusive_group()
    many.add_argument("--seeds", metavar="N", type=int, help="so many evenings, from that seed on")
    many.add_argument(
        "--minutes",
        metavar="M",
        type=float,
        help="as many evenings as fit into so many minutes, from that seed on, on all cores",
    )


def run(args: argparse.Namespace) -> int:
    _refuse_nonsense(args)
    tally, begun = Tally(), time.monotonic()
    progress = Progress(tally)
    many = args.seeds is not None or args.minutes is not None
    board = Board(args.board) if args.board else None if many else Board.SIM
    evenings = None if args.minutes is not None else args.seeds or 1
    until = math.inf if args.minutes is None else begun + 60 * args.minutes
    orders = _orders(plans(args.seed, args.hours, board, evenings), until)
    interrupted = False
    try:
        (on_all_cores if many else on_this_core)(orders, progress.take_in)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        progress.end()
    _tell_failures(tally)
    _sum_up(tally, time.monotonic() - begun)
    if interrupted:
        print("interrupted: this is what was played until then")
        return INTERRUPTED
    return 1 if tally.failures else 0


def _refuse_nonsense(args: argparse.Namespace) -> None:
    if args.seed < 0:
        raise Mistake(f"a seed is 0 or more, not {args.seed}", status=2)
    if not 0 < args.hours <= MOST_HOURS:
        wanted = f"more than 0 and up to {MOST_HOURS:g} hours"
        raise Mistake(f"an evening has {wanted}, not {args.hours:g}", status=2)
    if args.seeds is not None and args.seeds < 1:
        raise Mistake(f"there is at least one seed to play, not {args.seeds}", status=2)
    if args.minutes == math.inf:
        raise Mistake("a storm takes more than 0 minutes, and not for ever", status=2)
    if args.minutes is not None and not args.minutes > 0:
        raise Mistake(f"a storm takes more than 0 minutes, not {args.minutes:g}", status=2)


def _orders(evenings: Iterator[Plan], until: float) -> Iterator[Order]:
    for plan in evenings:
        if time.monotonic() >= until:
            return
        yield Order(plan, until, PATIENCE)


class Progress:
    """One line that is rewritten on a terminal; elsewhere one every few seconds."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._rewrites = sys.stderr.isatty()
        self._width = shutil.get_terminal_size().columns - 1
        self._said = time.monotonic()

    def take_in(self, news: News) -> None:
        self._tally.take_in(news)
        if time.monotonic() - self._said > (REWRITE_EVERY if self._rewrites else SAY_EVERY):
            self._said = time.monotonic()
            self._say()

    def _say(self) -> None:
        tally = self._tally
        faults = sum(tally.faults.values())
        line = f"{tally.hours:.1f} hours, {_several(tally.moves, 'move')}, "
        line += _several(faults, "fault")
        line += f", {len(tally.failures)} failed" if tally.failures else ""
        line += f"; {tally.note}" if tally.note else ""
        if self._rewrites:
            print(f"\r{line[: self._width]:<{self._width}}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._rewrites:
            print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)


def _tell_failures(tally: Tally) -> None:
    for failure, shrunk in tally.failures:
        print(_told(failure, shrunk))


def _told(failure: Failure, shrunk: Shrunk) -> str:
    plan = failure.plan
    again = f"tellerbox storm --seed {plan.seed} --hours {plan.hours:g} --board {plan.board.value}"
    onlooker = ["# While another program had the ledger open, and only read."] * shrunk.onlooker
    return "\n".join(
        [
            f"FAILED: seed {plan.seed}, at line {len(failure.lines)}; again by: {again}",
            *(f"  {what}" for what in failure.what),
            f"The shortest script that was found to fail ({shrunk.tries} tries), "
            "ready for tests/scenarios/:",
            "",
            *onlooker,
            *(f"# {what}" for what in shrunk.what if not shrunk.expected),
            shrunk.script,
        ]
    )


def _sum_up(tally: Tally, seconds: float) -> None:
    for board in Board:
        seeds = sorted(plan.seed for plan in tally.played if plan.board is board)
        if seeds:
            hours = sum(s.hours for plan, s in tally.played.items() if plan.board is board)
            span = f"{seeds[0]}" if len(seeds) == 1 else f"between {seeds[0]} and {seeds[-1]}"
            count = _several(len(seeds), "seed")
            print(f"board {board.value}: {count} ({span}), {hours:.1f} simulated hours")
    moves = _several(tally.moves, "move")
    print(f"{tally.hours:.1f} simulated hours in {seconds:.0f} s, {moves}")
    print(_moves_in_an_hour(tally.moves_by_hour))
    print("faults:")
    possible = {kind for plan in tally.played for kind in KINDS[plan.board]}
    for kind in Kind:
        elsewhere = "" if kind in possible else " (on other boards)"
        print(f"  {tally.faults[kind]:7d} {kind.value}{elsewhere}")
    print(_several(len(tally.failures), "failure"))


def _moves_in_an_hour(moves: list[int]) -> str:
    if not moves:
        return "moves in an hour: no evening has lasted for a whole one"
    return f"moves in an hour: {sum(moves) / len(moves):.0f}, never fewer than {min(moves)}"


def _several(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
