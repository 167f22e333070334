"""``tellerbox play``: runs scripts, each on a new box, and checks their expectations."""

import argparse
import sys

from firmware import boards
from firmware.bank import edition as editions
from firmware.user_error import UserError, printable
from hal.events import Instant
from sim.board.fault import needs_disk, not_here
from sim.board.harness import NO_FAILING_DISK, Harness, failing_disk_exists
from sim.board.trace import Happening, ignore, line
from sim.script.language import Script, read_script
from sim.script.player import Unmet, begin, long_wait, perform

STDIN = "-"
LONGEST = 1_000_000
"""Bytes; the longest script of the rules has about three thousand."""


def options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", metavar="FILE", nargs="+", help="a script, or - for standard input")
    boards.add_option(parser, "play", "software only, or the real drivers on models of the chips")
    add(
        "--serial",
        metavar="PORT",
        help="run on the box at this serial line, started with `tellerbox run --console`: a device "
        "or a pyserial URL such as socket://HOST:PORT; pi: or virtual: starts a box here",
    )
    boards.add_baud_option(parser)
    own_box = "with --serial pi: or virtual:, the config file of that box"
    add("--config", metavar="FILE", help=own_box)
    by_hand = "with --serial: tell a person what to do at the box, and print a report"
    add("--by-hand", action="store_true", help=by_hand)
    add("--report", metavar="FILE", help="with --by-hand: also write the report to FILE")
    skip = "with --serial: advance the box's clock instead of waiting"
    add("--skip-waits", action="store_true", help=skip)
    add("--realtime", action="store_true", help="run in real time: a wait of 5 s takes 5 s")
    trace = "print every event, screen and sound with its time"
    add("--trace", action="store_true", help=trace)


def run(args: argparse.Namespace) -> int:
    scripts = _read_all(args.files)
    if scripts is None:
        return 2
    _check_options(args)
    if _report_faults(scripts, on_wire=args.serial is not None):
        return 2
    if args.serial is not None:
        # Loaded on demand: a script on the software board needs no serial line.
        from sim.console.wire_command import play_on_wire

        failures = play_on_wire(scripts, args)
    else:
        failures = sum(not _play(script, args) for script in scripts)
    print(f"{len(scripts) - failures} passed, {failures} failed")
    return 1 if failures else 0


def _check_options(args: argparse.Namespace) -> None:
    on_wire = args.serial is not None
    for given, option, needs_wire in (
        (args.board != "software", "--board", False),
        (args.realtime, "--realtime", False),
        (args.trace, "--trace", False),
        (args.by_hand, "--by-hand", True),
        (args.skip_waits, "--skip-waits", True),
        (args.report, "--report", True),
        (args.config, "--config", True),
    ):
        if given and needs_wire != on_wire:
            problem = "needs --serial PORT" if needs_wire else "cannot be used with --serial"
            raise UserError(f"{option} {problem}", status=2)
    if args.report and not args.by_hand:
        raise UserError("--report needs --by-hand", status=2)


def _report_faults(scripts: list[Script], *, on_wire: bool) -> bool:
    """Print the scripts that cause a fault that is impossible here; True if there are any."""
    found = False
    for script in scripts:
        for number, fault in script.faults:
            if on_wire or (needs_disk(fault) and not failing_disk_exists()):
                reason = not_here(fault) if on_wire else NO_FAILING_DISK
                _report(f"{script.file}:{number}: {reason}")
                found = True
                break
    return found


def _read_all(files: list[str]) -> list[Script] | None:
    """Read all scripts before the first is run; None if one of them is invalid."""
    default = editions.load(editions.DEFAULT)
    scripts = []
    wrong = False
    for file in files:
        try:
            scripts.append(read_script(file, _text(file).split("\n"), default))
        except UserError as error:
            _report(str(error))
            wrong = True
    return None if wrong else scripts


def _text(file: str) -> str:
    try:
        if file == STDIN:
            raw = sys.stdin.buffer.read(LONGEST + 1)
        else:
            # pathlib would take a tenth of the start-up time of a short script.
            with open(file, "rb") as stream:
                raw = stream.read(LONGEST + 1)
    except OSError as error:
        raise UserError(f"{file}:1: cannot be read: {error.strerror}") from None
    if len(raw) > LONGEST:
        raise UserError(f"{file}:1: is too long for a script: more than {LONGEST} bytes")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UserError(f"{file}:{line}: this is not a UTF-8 text") from None


def _play(script: Script, args: argparse.Namespace) -> bool:
    """Run one script up to its end or its first unmet expectation."""
    watch = _print_trace if args.trace else ignore
    harness: Harness = boards.module_of(args.board, "play").for_script(watch, args.realtime)
    begin(harness, script)
    at = 0
    try:
        for number, step in script.steps:
            at = number
            if args.realtime and (asked := long_wait(step)):
                _report(f"{script.file}:{at}: {asked}")
            perform(harness, step)
    except Unmet as unmet:
        _report(f"{script.file}:{at}: {unmet}")
        return False
    finally:
        harness.put_away()
    print(f"ok {printable(script.file)}")
    return True


def _report(what: str) -> None:
    print(printable(what), file=sys.stderr)


def _print_trace(at: Instant, thing: Happening) -> None:
    print(line(at, thing))
