"""The firmware's process behind the panel: ``python -m sim.panel.firmware_process``.

It is the loop of ``tellerbox run``, on a board whose hands are at the other end of a link. The
panel kills it to cut the power.
"""

import argparse
import gc
import os
import sys
from pathlib import Path

from firmware import bank
from firmware.config import Config
from firmware.mistake import Mistake
from firmware.run_command import Run
from firmware.service import Service
from hal.parts import StandingBoard
from hal.standing import Standing
from sim.panel.link import Link
from sim.panel.messages import Start


def main() -> int:
    gc.disable()  # until the box is ready, as in `tellerbox run`
    link = Link(sys.stdin.fileno(), os.dup(sys.stdout.fileno()))
    # Whatever else is printed must not come between the messages.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    start = link.start()
    args = argparse.Namespace(
        ledger=Path(start.ledger),
        edition=None,
        config=Path(start.config) if start.config else None,
        language=start.language,
        new_game=False,
    )
    try:
        settings = bank.settings_of(args)
        if start.edition:
            # Whoever started the panel had the last word when it opened the ledger; whoever cuts
            # the power asks for nothing, and what was chosen at the table outlives it (F18).
            settings = settings._replace(edition=start.edition)
        board = _board(link, start, settings)
        return Run(args, settings, board, link.stop, Service({}), Standing()).play()
    except Mistake as mistake:
        print(f"tellerbox: {mistake}", file=sys.stderr)
        return mistake.status


def _board(link: Link, start: Start, settings: Config) -> StandingBoard:
    """Only the board that was asked for is loaded."""
    if start.board == "virtual":
        from sim.panel.chip_board import ChipBoard

        return ChipBoard(link, start, settings.wiring)
    if start.recording:
        from sim.panel.recording_board import RecordingBoard

        return RecordingBoard(link, start)
    from sim.panel.software_board import SoftwareBoard

    return SoftwareBoard(link, start)


if __name__ == "__main__":
    sys.exit(main())
