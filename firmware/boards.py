"""The boards, by the names that ``--board`` takes, and the speed of the line to one.

Modules are named as strings, and imported when a board is chosen: the firmware depends on no board.
"""

from argparse import ArgumentParser
from importlib import import_module
from types import ModuleType

BOARDS = {
    "pi": {"run": "hal.pi.open_board", "selftest": "hal.pi.open_board"},
    "software": {"play": "sim.board.software_harness", "sim": "sim.panel.box.software_boards"},
    "virtual": {
        "run": "sim.virtual.wall_board",
        "selftest": "sim.virtual.virtual_system",
        "play": "sim.virtual.virtual_harness",
        "sim": "sim.panel.box.chip_board",
    },
}
"""By board and command: a module.

For ``run`` it has ``opened(wiring)``, for ``selftest`` ``selftest(wiring, person)``, for ``play``
``for_script(watch, realtime)``, and for ``sim`` ``on_page(link, start, wiring)``.
"""
OTHER_NAMES = {"sim": "software"}
"""Former names, which are still accepted."""
BAUD = 115200


def names(command: str) -> list[str]:
    """The boards on which a command works."""
    return [name for name, modules in BOARDS.items() if command in modules]


def module_of(board: str, command: str) -> ModuleType:
    return import_module(BOARDS[board][command])


def add_option(parser: ArgumentParser, command: str, what: str) -> None:
    """Add ``--board``. The first board is the default."""
    choices = names(command)
    parser.add_argument(
        "--board",
        type=lambda name: OTHER_NAMES.get(name, name),
        choices=choices,
        default=choices[0],
        help=f"{what} (default: {choices[0]})",
    )


def add_baud_option(parser: ArgumentParser) -> None:
    """Add ``--baud``, for either end of a console's line."""
    speed = f"the speed of the serial line (default: {BAUD})"
    parser.add_argument("--baud", metavar="N", type=int, default=BAUD, help=speed)
