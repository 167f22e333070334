"""``tellerbox play --serial``: the scripts on a box at the other end of a line."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from firmware.mistake import Mistake
from sim.report import About, report
from sim.script import Script
from sim.wire import connected
from sim.wire_play import Result, WirePlayer


def play_on_wire(scripts: Sequence[Script], args: argparse.Namespace) -> int:
    """How many scripts failed."""
    with connected(args.serial, args.baud, args.config) as wire:
        player = WirePlayer(wire, _tell, by_hand=args.by_hand, skip_waits=args.skip_waits)
        player.prepare(scripts)
        about = About.of(wire)
        results: list[Result] = []
        try:
            results += (_told(player.play(script)) for script in scripts)
        finally:
            # Also when the box dies in the middle: what was seen until then was seen.
            if args.by_hand:
                _hand_over(report(about, results, len(scripts)), args.report)
    return sum(not result.held for result in results)


def _told(result: Result) -> Result:
    match result.verdict:
        case "ok":
            print(f"ok {result.file}", flush=True)
        case "FAIL":
            print(result.reason, file=sys.stderr, flush=True)
        case _:
            print(f"not played {result.file}: {result.reason}", flush=True)
    return result


def _tell(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _hand_over(page: str, file: str | None) -> None:
    print(f"\n{page}")
    if file is None:
        return
    try:
        Path(file).write_text(page, encoding="utf-8")
    except OSError as error:
        raise Mistake(f"{file}: the report cannot be written: {error.strerror}") from None
