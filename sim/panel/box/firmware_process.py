"""The firmware's process behind the panel: ``python -m sim.panel.box.firmware_process``.

It runs the loop of ``tellerbox run``, on a board that is connected to the panel by a link. The
panel kills it to cut the power.
"""

import argparse
import gc
import os
import sys
from pathlib import Path

from firmware import boards
from firmware.commands import startup
from firmware.commands.run import Run
from firmware.sd_notify import SystemdNotifier
from firmware.user_error import UserError
from sim.panel.box.link import Link


def main() -> int:
    gc.disable()  # until the box is ready, as in `tellerbox run`
    link = Link(sys.stdin.fileno(), os.dup(sys.stdout.fileno()))
    # Other output must not mix with the messages.
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
        settings = startup.settings_of(args)
        if start.edition:
            # Not as args.edition, which would override the choice at the table at every power
            # cut: --edition counts only when the panel starts (F18).
            settings = settings._replace(edition=start.edition)
        board = boards.module_of(start.board, "sim").on_page(link, start, settings.wiring)
        return Run(args, settings, board, link.stop, SystemdNotifier({})).play()
    except UserError as error:
        print(f"tellerbox: {error}", file=sys.stderr)
        return error.status


if __name__ == "__main__":
    sys.exit(main())
