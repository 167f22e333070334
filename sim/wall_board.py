"""The virtual board on the wall clock: what ``tellerbox run --board virtual`` stands on."""

from collections.abc import Iterator
from contextlib import contextmanager

from hal.parts import StandingBoard
from hal.wiring import Wiring
from sim.virtual import Hardware, drivers
from sim.wall_alarm import WallAlarm


@contextmanager
def opened(wiring: Wiring) -> Iterator[StandingBoard]:
    """The real drivers, on new models."""
    hardware = Hardware(wiring)
    board = drivers(hardware).board_on(hardware, WallAlarm(hardware), wiring)
    try:
        yield board
    finally:
        board.close()
