"""The command ``tellerbox``: imports and runs one subcommand.

The modules of the subcommands are named as strings and imported on demand. So the firmware does
not depend on a board, and each command loads only what it needs.
"""

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from firmware import __version__
from firmware.user_error import UserError, printable

COMMANDS = {
    "run": ("firmware.commands.run", "run the box on its hardware"),
    "selftest": ("firmware.commands.selftest", "check the wiring and the parts of a new box"),
    "sim": ("sim.commands.sim", "run the box without hardware, in a browser or in this terminal"),
    "play": ("sim.commands.play", "run scripts, each on a new box, and check their expectations"),
    "ledger": (
        "firmware.commands.ledger",
        "show a ledger (accounts, history, games, report), verify it, back it up",
    ),
    "cards": ("firmware.commands.cards", "list the known cards; name, forget or replace one"),
}
"""Each command's module, with ``options(parser)`` and ``run(args)``, and its help text."""


def main(arguments: Sequence[str] | None = None) -> int:
    _prepare_streams()
    try:
        args = _parsed(list(sys.argv[1:] if arguments is None else arguments))
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except UserError as error:
        print(f"{_priority()}tellerbox: {error}", *error.details, sep="\n", file=sys.stderr)
        return error.status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output is gone, for instance `head`.
        _discard_output()
        return 1
    except OSError as error:
        _discard_output()
        print(f"tellerbox: {printable(error.strerror or error)}", file=sys.stderr)
        return 1


def _priority() -> str:
    """The prefix that marks a line as an error in systemd's journal."""
    if "JOURNAL_STREAM" not in os.environ:
        return ""
    from firmware import journald

    return journald.ERROR_MARK if journald.stderr_is_the_journal() else ""


def _prepare_streams() -> None:
    """Replace closed streams, and escape characters that the encoding cannot write."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  # open until the end
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Discard the buffered output, so that the flush at exit does not fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parsed(given: list[str]) -> argparse.Namespace:
    """Load the command and parse its options."""
    # Loaded modules are never freed. Searching them for garbage takes a tenth of a short command,
    # and another tenth when Python ends, unless they are frozen.
    gc.disable()
    try:
        return _parser(given).parse_args(given)
    finally:
        gc.freeze()
        gc.enable()


class _Parser(argparse.ArgumentParser):
    """Its errors quote what was typed, without control characters. So do those of subcommands."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser(given: list[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="tellerbox",
        description="The electronic bank for a property-trading board game.",
        epilog="'tellerbox COMMAND --help' shows the options of a command.",
        formatter_class=_formatter,
    )
    parser.add_argument("--version", action="version", version=f"tellerbox {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, prog="tellerbox")
    chosen = next((word for word in given if not word.startswith("-")), None)
    for name in [chosen] if chosen in COMMANDS else COMMANDS:
        module, summary = COMMANDS[name]
        command = commands.add_parser(
            name,
            help=summary,
            description=summary.capitalize() + ".",
            formatter_class=_formatter,
        )
        if name == chosen:
            loaded = import_module(module)
            loaded.options(command)
            command.set_defaults(run=loaded.run)
    return parser


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Help in the width of the terminal; argparse would load shutil for it."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
    except (OSError, ValueError):
        columns = 80
    return argparse.HelpFormatter(prog, width=columns - 2)
