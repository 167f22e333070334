"""``tellerbox play --serial``: the scripts on a box at the other end of a line."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from firmware.user_error import UserError, printable
from sim.console.report import About, report
from sim.console.wire import connected
from sim.console.wire_play import Result, WirePlayer
from sim.script.language import Script


def play_on_wire(scripts: Sequence[Script], args: argparse.Namespace) -> int:
    """Return how many scripts failed."""
    with connected(args.serial, args.baud, args.config) as wire:
        player = WirePlayer(
            wire, _print_instruction, by_hand=args.by_hand, skip_waits=args.skip_waits
        )
        player.prepare(scripts)
        about = About.of(wire)
        results: list[Result] = []
        try:
            results += (_print_result(player.play(script)) for script in scripts)
        finally:
            # Also when the box fails in the middle: report what was played until then.
            if args.by_hand:
                _publish(report(about, results, len(scripts)), args.report)
    return sum(result.failed for result in results)


def _print_result(result: Result) -> Result:
    match result.verdict:
        case "ok":
            print(f"ok {printable(result.file)}", flush=True)
        case "FAIL":
            print(printable(result.reason), file=sys.stderr, flush=True)
        case _:
            print(printable(f"not played {result.file}: {result.reason}"), flush=True)
    return result


def _print_instruction(what: str) -> None:
    print(printable(what), file=sys.stderr, flush=True)


def _publish(page: str, file: str | None) -> None:
    print(f"\n{page}")
    if file is None:
        return
    try:
        Path(file).write_text(page, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{file}: the report cannot be written: {error.strerror}") from None
