"""The command ``tellerbox``: finds the subcommand and loads only what that one needs.

The commands are named here as texts and imported when they are chosen. So the
firmware depends on no board, and ``tellerbox play`` does not pay at start-up for
what only a screen or a wire would use.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from firmware import __version__
from firmware.mistake import Mistake

COMMANDS = {
    "run": ("firmware.run_command", "the box itself, on its real parts"),
    "selftest": (
        "firmware.selftest_command",
        "check every wire and part of a newly built box",
    ),
    "sim": ("sim.sim_command", "the box without any hardware, in a browser or in this terminal"),
    "play": ("sim.play", "run scripts, each on a new box, and check what they expect"),
    "storm": ("sim.storm.command", "play hurried people and faults, against a model of the bank"),
    "ledger": (
        "firmware.ledger_command",
        "look into a ledger: accounts, history, games, a report; verify it, back it up",
    ),
    "cards": ("firmware.cards_command", "list the known cards; forget or replace one"),
}
"""Each command's module, which has ``options(parser)`` and ``run(args)``, and its help."""


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    _prepare_streams()
    try:
        args = _parser(given).parse_args(given)
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except Mistake as mistake:
        print(f"{_weight()}tellerbox: {mistake}", file=sys.stderr)
        return mistake.status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output has left; nothing more can be said to them.
        _give_up_output()
        return 1
    except OSError as error:
        _give_up_output()
        print(f"tellerbox: {error.strerror or error}", file=sys.stderr)
        return 1


def _weight() -> str:
    """What marks a line as an error where it goes into systemd's journal."""
    if "JOURNAL_STREAM" not in os.environ:
        return ""
    from firmware import journal

    return journal.ERROR_MARK if journal.stderr_is_the_journal() else ""


def _prepare_streams() -> None:
    """Cope with streams that are closed, and with names that no encoding can write."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115  # for as long as we live
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _give_up_output() -> None:
    """Let what is left in the buffer go nowhere, rather than fail once more at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser(given: list[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tellerbox",
        description="The electronic bank for a property-trading board game.",
        epilog="'tellerbox COMMAND --help' tells more about a command.",
    )
    parser.add_argument("--version", action="version", version=f"tellerbox {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, prog="tellerbox")
    chosen = next((word for word in given if not word.startswith("-")), None)
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        if name == chosen:
            loaded = import_module(module)
            loaded.options(command)
            command.set_defaults(run=loaded.run)
    return parser
