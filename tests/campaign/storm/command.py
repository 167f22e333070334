"""The storm's command line: ``python -m tests.campaign.storm``, or ``make storm``."""

import argparse
import math
import shutil
import sys
import time
from collections.abc import Iterator, Sequence

from firmware.boards import OTHER_NAMES
from firmware.user_error import UserError
from tests.campaign.storm.evening import FAULT_KINDS, Failure, Plan
from tests.campaign.storm.fault_schedule import FaultKind
from tests.campaign.storm.runner import Job, Report, Totals, plans, run_here, run_on_all_cores
from tests.campaign.storm.shrink import TIMEOUT, Shrunk
from tests.campaign.storm.table import Board

COMMAND = "python -m tests.campaign.storm"
MAX_HOURS = 24.0
INTERRUPTED = 130
"""The exit status of a shell command that was ended by Ctrl-C."""
PRINT_EVERY = 5.0
"""Seconds between two progress lines if standard error is not a terminal."""
REWRITE_EVERY = 0.2


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        return run(_parser().parse_args(arguments))
    except UserError as error:
        print(f"storm: {error}", file=sys.stderr)
        return error.status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=COMMAND)
    parser.description = (
        "Play simulated evenings: hurried players at a box, with power cuts, full disks, dead "
        "readers, stuck keys and other faults. After each line the box is compared with a simple "
        "model of the bank that shares no code with it. The same seed always plays the same "
        "evening. A failure is shrunk to a short script for `tellerbox play`, and the exit status "
        "is 1."
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="first seed (default: 1)")
    parser.add_argument(
        "--hours",
        metavar="H",
        type=float,
        default=3.0,
        help="simulated hours of an evening (default: 3); with --seeds or --minutes, a third of "
        "that on the slower boards virtual and console",
    )
    parser.add_argument(
        "--board",
        type=lambda name: OTHER_NAMES.get(name, name),
        choices=[board.value for board in Board],
        help="software: no hardware; virtual: the drivers on models of the chips, which can fail "
        "too; console: a serial console whose host floods it (default: software; with --seeds or "
        "--minutes, some on each)",
    )
    many = parser.add_mutually_exclusive_group()
    many.add_argument("--seeds", metavar="N", type=int, help="play this many seeds, on all cores")
    many.add_argument(
        "--minutes",
        metavar="M",
        type=float,
        help="play seeds for this many minutes, on all cores",
    )
    return parser


def run(args: argparse.Namespace) -> int:
    _check_arguments(args)
    totals, begun = Totals(), time.monotonic()
    progress = ProgressLine(totals)
    many = args.seeds is not None or args.minutes is not None
    board = Board(args.board) if args.board else None if many else Board.SOFTWARE
    evenings = None if args.minutes is not None else args.seeds or 1
    until = math.inf if args.minutes is None else begun + 60 * args.minutes
    jobs = _jobs(plans(args.seed, args.hours, board, evenings), until)
    interrupted = False
    try:
        (run_on_all_cores if many else run_here)(jobs, progress.add)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        progress.end()
    _print_failures(totals)
    _print_summary(totals, time.monotonic() - begun)
    if interrupted:
        print("interrupted; the figures cover what was played")
        return INTERRUPTED
    return 1 if totals.failures else 0


def _check_arguments(args: argparse.Namespace) -> None:
    if args.seed < 0:
        raise UserError(f"--seed must be 0 or more, not {args.seed}", status=2)
    if not 0 < args.hours <= MAX_HOURS:
        limits = f"more than 0 and at most {MAX_HOURS:g}"
        raise UserError(f"--hours must be {limits}, not {args.hours:g}", status=2)
    if args.seeds is not None and args.seeds < 1:
        raise UserError(f"--seeds must be at least 1, not {args.seeds}", status=2)
    if args.minutes == math.inf:
        raise UserError("--minutes must be finite", status=2)
    if args.minutes is not None and not args.minutes > 0:
        raise UserError(f"--minutes must be more than 0, not {args.minutes:g}", status=2)


def _jobs(evenings: Iterator[Plan], until: float) -> Iterator[Job]:
    for plan in evenings:
        if time.monotonic() >= until:
            return
        yield Job(plan, until, TIMEOUT)


class ProgressLine:
    """One line, rewritten on a terminal; elsewhere a line every few seconds."""

    def __init__(self, totals: Totals) -> None:
        self._totals = totals
        self._rewrites = sys.stderr.isatty()
        self._width = shutil.get_terminal_size().columns - 1
        self._printed_at = time.monotonic()

    def add(self, report: Report) -> None:
        self._totals.add(report)
        if time.monotonic() - self._printed_at > (REWRITE_EVERY if self._rewrites else PRINT_EVERY):
            self._printed_at = time.monotonic()
            self._print()

    def _print(self) -> None:
        totals = self._totals
        faults = sum(totals.faults.values())
        line = f"{totals.hours:.1f} hours, {_plural(totals.moves, 'move')}, "
        line += _plural(faults, "fault")
        line += f", {len(totals.failures)} failed" if totals.failures else ""
        line += f"; {totals.note}" if totals.note else ""
        if self._rewrites:
            print(f"\r{line[: self._width]:<{self._width}}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._rewrites:
            print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)


def _print_failures(totals: Totals) -> None:
    for failure, shrunk in totals.failures:
        print(_describe(failure, shrunk))


def _describe(failure: Failure, shrunk: Shrunk) -> str:
    plan = failure.plan
    command = f"{COMMAND} --seed {plan.seed} --hours {plan.hours:g} --board {plan.board.value}"
    second_reader = ["# Another program had the ledger open for reading."] * shrunk.second_reader
    return "\n".join(
        [
            f"FAILED: seed {plan.seed}, at line {len(failure.lines)}; replay: {command}",
            *(f"  {what}" for what in failure.what),
            f"The shortest failing script found ({shrunk.tries} tries), for tests/scenarios/:",
            "",
            *second_reader,
            *(f"# {what}" for what in shrunk.what if not shrunk.expected),
            shrunk.script,
        ]
    )


def _print_summary(totals: Totals, seconds: float) -> None:
    for board in Board:
        seeds = sorted(plan.seed for plan in totals.played if plan.board is board)
        if seeds:
            hours = sum(s.hours for plan, s in totals.played.items() if plan.board is board)
            span = f"{seeds[0]}" if len(seeds) == 1 else f"between {seeds[0]} and {seeds[-1]}"
            count = _plural(len(seeds), "seed")
            print(f"board {board.value}: {count} ({span}), {hours:.1f} simulated hours")
    moves = _plural(totals.moves, "move")
    print(f"{totals.hours:.1f} simulated hours in {seconds:.0f} s, {moves}")
    print(_moves_per_hour(totals.moves_by_hour))
    print("faults:")
    possible = {kind for plan in totals.played for kind in FAULT_KINDS[plan.board]}
    for kind in FaultKind:
        note = "" if kind in possible else " (on other boards)"
        print(f"  {totals.faults[kind]:7d} {kind.value}{note}")
    print(_plural(len(totals.failures), "failure"))


def _moves_per_hour(moves: list[int]) -> str:
    if not moves:
        return "moves in an hour: no evening lasted a whole hour"
    return f"moves in an hour: {sum(moves) / len(moves):.0f}, never fewer than {min(moves)}"


def _plural(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
