"""``tellerbox play``: runs scripts, each on a new box, and says which hold."""

import argparse
import sys

from firmware import edition as editions
from firmware.mistake import Mistake
from hal.events import Instant
from sim.clocks import VirtualClock, WallClock
from sim.fault import not_here
from sim.player import Unmet, patience, perform
from sim.rig import Rig
from sim.script import Script, read_script
from sim.software_stand import SoftwareStand
from sim.stand import Stand
from sim.trace import Happening, Watcher, ignore, line

STDIN = "-"
LONGEST = 1_000_000
"""Bytes; the longest of our own scripts has three thousand."""


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="a script, or - for standard input"
    )
    parser.add_argument(
        "--board",
        choices=("sim", "virtual"),
        default="sim",
        help="software parts, or the real drivers on models of the chips (default: sim)",
    )
    parser.add_argument(
        "--serial",
        metavar="PORT",
        help="on a box at the other end of a serial line, started with `tellerbox run --console`: "
        "a device, a pyserial URL such as socket://HOST:PORT, or pi: and virtual: for a box "
        "that is started here",
    )
    parser.add_argument(
        "--baud",
        metavar="N",
        type=int,
        default=115200,
        help="the speed of that line (default: 115200)",
    )
    parser.add_argument(
        "--config", metavar="FILE", help="with --serial pi: or virtual:, that box's config file"
    )
    parser.add_argument(
        "--by-hand",
        action="store_true",
        help="with --serial: tell a person what to do at the box, and end with a report",
    )
    parser.add_argument(
        "--report", metavar="FILE", help="with --by-hand: write the report there as well"
    )
    parser.add_argument(
        "--skip-waits",
        action="store_true",
        help="with --serial: let the bank's time jump where a script waits",
    )
    parser.add_argument(
        "--realtime", action="store_true", help="on the wall clock: a wait of 5 s takes 5 s"
    )
    parser.add_argument(
        "--trace", action="store_true", help="print every event, screen and sound with its time"
    )


def run(args: argparse.Namespace) -> int:
    scripts = _read_all(args.files)
    if scripts is None:
        return 2
    if args.serial is not None:
        _goes_with_a_wire(args)
        if _breaks_something(scripts):
            return 2
        # Loaded only now: a script on the software board needs no wire.
        from sim.wire_command import play_on_wire

        failures = play_on_wire(scripts, args)
    else:
        _needs_a_wire(args)
        failures = sum(not _play(script, args) for script in scripts)
    print(f"{len(scripts) - failures} passed, {failures} failed")
    return 1 if failures else 0


def _goes_with_a_wire(args: argparse.Namespace) -> None:
    for given, option in (
        (args.board != "sim", "--board"),
        (args.realtime, "--realtime"),
        (args.trace, "--trace"),
    ):
        if given:
            raise Mistake(f"{option} does not go with --serial: the box is what it is", status=2)
    if args.report and not args.by_hand:
        raise Mistake("--report needs --by-hand", status=2)


def _breaks_something(scripts: list[Script]) -> bool:
    """Say which scripts break parts of a box, as they cannot break those of a real one."""
    for script in scripts:
        for number, fault in script.faults[:1]:
            print(f"{script.file}:{number}: {not_here(fault)}", file=sys.stderr)
    return any(script.faults for script in scripts)


def _needs_a_wire(args: argparse.Namespace) -> None:
    for given, option in (
        (args.by_hand, "--by-hand"),
        (args.skip_waits, "--skip-waits"),
        (args.report, "--report"),
        (args.config, "--config"),
    ):
        if given:
            raise Mistake(f"{option} needs --serial PORT", status=2)


def _read_all(files: list[str]) -> list[Script] | None:
    """Read every script before any is run; None when one of them is wrong."""
    default = editions.load(editions.DEFAULT)
    scripts = []
    wrong = False
    for file in files:
        try:
            scripts.append(read_script(file, _text(file).split("\n"), default))
        except Mistake as error:
            print(error, file=sys.stderr)
            wrong = True
    return None if wrong else scripts


def _text(file: str) -> str:
    try:
        raw = _bytes(file)
    except OSError as error:
        raise Mistake(f"{file}:1: cannot be read: {error.strerror}") from None
    if len(raw) > LONGEST:
        raise Mistake(f"{file}:1: is too long for a script: more than {LONGEST} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise Mistake(f"{file}:{line}: this is not a UTF-8 text") from None


def _bytes(file: str) -> bytes:
    if file == STDIN:
        return sys.stdin.buffer.read(LONGEST + 1)
    # Not through pathlib, which costs a tenth of the start-up of a short script.
    with open(file, "rb") as stream:
        return stream.read(LONGEST + 1)


def _play(script: Script, args: argparse.Namespace) -> bool:
    """Run one script to its end or to the first expectation that does not hold."""
    watch = _print_trace if args.trace else ignore
    stand = _stand(args.board, watch, realtime=args.realtime)
    rig = Rig.for_script(script, stand)
    at = 0
    try:
        for number, step in script.steps:
            at = number
            if args.realtime and (asked := patience(step)):
                print(f"{script.file}:{at}: {asked}", file=sys.stderr)
            perform(rig, step)
    except Unmet as unmet:
        print(f"{script.file}:{at}: {unmet}", file=sys.stderr)
        return False
    finally:
        rig.put_away()
    print(f"ok {script.file}")
    return True


def _stand(board: str, watch: Watcher, *, realtime: bool) -> Stand:
    if board == "sim":
        return SoftwareStand(WallClock() if realtime else VirtualClock(), watch)
    import logging

    from sim.virtual_stand import VirtualStand

    # The drivers log what a script breaks; it knows.
    logging.getLogger("tellerbox").addHandler(logging.NullHandler())
    return VirtualStand(watch, realtime=realtime)


def _print_trace(at: Instant, thing: Happening) -> None:
    print(line(at, thing))
