"""The box that ``tellerbox play --serial virtual:`` starts: ``python -m sim.console.started_box``.

It is ``tellerbox`` with the same words, and ends with the program that has started it, also if that
was killed: its standard input is a pipe, which ends then. The serial line does not tell, because a
box outlives the host at its console.
"""

import os
import signal
import sys
import threading
import time

from firmware import cli

STOP_TIMEOUT = 5
"""Seconds."""


def main() -> int:
    threading.Thread(target=_end_with_the_host, daemon=True).start()
    return cli.main()


def _end_with_the_host() -> None:
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_TIMEOUT)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
