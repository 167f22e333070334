"""What systemd hears of the box, and when the watchdog goes hungry."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.service import Service, SupervisedBoard, supervised
from hal.events import SECOND, Instant
from tests.reporting_board import ReportingBoard
from tests.unit.systemd_ear import Systemd


@pytest.fixture
def address(tmp_path: Path) -> str:
    return str(tmp_path / "notify")


@pytest.fixture
def systemd(address: str) -> Iterator[Systemd]:
    made = Systemd(address)
    yield made
    made.close()


def test_it_tells_that_it_is_ready_and_that_it_stops(address: str, systemd: Systemd) -> None:
    service = Service({"NOTIFY_SOCKET": address})
    service.ready("edition banking")
    assert systemd.heard() == "READY=1\nSTATUS=edition banking"
    service.stopping()
    assert systemd.heard() == "STOPPING=1"


def test_an_abstract_address_works_too() -> None:
    address = f"@tellerbox-{os.getpid()}"
    systemd = Systemd(address)
    Service({"NOTIFY_SOCKET": address}).stopping()
    assert systemd.heard() == "STOPPING=1"
    systemd.close()


def test_nobody_there_harms_nobody(tmp_path: Path) -> None:
    Service({}).ready("alone")
    Service({"NOTIFY_SOCKET": str(tmp_path / "gone")}).ready("deserted")


def test_the_watchdog_is_for_this_process_only(address: str) -> None:
    mine = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "30000000"}
    assert Service(mine).feed_every == 10 * SECOND
    assert Service({**mine, "WATCHDOG_PID": str(os.getpid())}).feed_every == 10 * SECOND
    assert Service({**mine, "WATCHDOG_PID": "1"}).feed_every is None
    assert Service({**mine, "WATCHDOG_USEC": "soon"}).feed_every is None
    assert Service({**mine, "WATCHDOG_USEC": "0"}).feed_every is None
    assert Service({"WATCHDOG_USEC": "30000000"}).feed_every is None


def test_without_a_watchdog_the_board_is_left_as_it_is(address: str) -> None:
    board = ReportingBoard()
    assert supervised(board, Service({"NOTIFY_SOCKET": address})) is board


def test_the_loop_feeds_the_watchdog_and_only_the_loop(address: str, systemd: Systemd) -> None:
    service = Service({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "30000000"})
    inner = ReportingBoard()
    board = supervised(inner, service)
    assert isinstance(board, SupervisedBoard)
    board.wait(None)
    assert systemd.heard() == "WATCHDOG=1"
    assert inner.waits == [10 * SECOND]  # no longer than until the next feeding
    board.wait(Instant(12 * SECOND))
    assert systemd.heard() == "WATCHDOG=1"
    board.wait(Instant(13 * SECOND))
    assert inner.waits[1:] == [12 * SECOND, 13 * SECOND]
    assert not systemd.heard_in(0)  # fed three seconds ago
    inner.clock.pass_until(Instant(100 * SECOND))
    assert not systemd.heard_in(0)  # whoever does not come back to wait feeds nobody
