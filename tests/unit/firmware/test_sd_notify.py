"""Notifications to systemd and its watchdog."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.sd_notify import SupervisedBoard, SystemdNotifier, supervised
from hal.events import SECOND, Instant
from tests.reporting_board import ReportingBoard
from tests.unit.firmware.notify_socket import NotifySocket


@pytest.fixture
def address(tmp_path: Path) -> str:
    return str(tmp_path / "notify")


@pytest.fixture
def systemd(address: str) -> Iterator[NotifySocket]:
    made = NotifySocket(address)
    yield made
    made.close()


def test_status_ready_and_stopping_are_sent(address: str, systemd: NotifySocket) -> None:
    notifier = SystemdNotifier({"NOTIFY_SOCKET": address})
    notifier.status("edition banking")
    assert systemd.receive() == "STATUS=edition banking"
    notifier.ready()
    assert systemd.receive() == "READY=1"
    notifier.stopping()
    assert systemd.receive() == "STOPPING=1"


def test_abstract_address() -> None:
    address = f"@tellerbox-{os.getpid()}"
    systemd = NotifySocket(address)
    SystemdNotifier({"NOTIFY_SOCKET": address}).stopping()
    assert systemd.receive() == "STOPPING=1"
    systemd.close()


def test_missing_socket_is_ignored(tmp_path: Path) -> None:
    SystemdNotifier({}).ready()
    SystemdNotifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).ready()


def test_watchdog_of_another_process_is_ignored(address: str) -> None:
    mine = {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "30000000"}
    assert SystemdNotifier(mine).ping_interval == 10 * SECOND
    assert SystemdNotifier({**mine, "WATCHDOG_PID": str(os.getpid())}).ping_interval == 10 * SECOND
    assert SystemdNotifier({**mine, "WATCHDOG_PID": "1"}).ping_interval is None
    assert SystemdNotifier({**mine, "WATCHDOG_USEC": "soon"}).ping_interval is None
    assert SystemdNotifier({**mine, "WATCHDOG_USEC": "0"}).ping_interval is None
    assert SystemdNotifier({"WATCHDOG_USEC": "30000000"}).ping_interval is None


def test_board_is_not_wrapped_without_a_watchdog(address: str) -> None:
    board = ReportingBoard()
    assert supervised(board, SystemdNotifier({"NOTIFY_SOCKET": address})) is board


def test_only_the_loop_pings_the_watchdog(address: str, systemd: NotifySocket) -> None:
    notifier = SystemdNotifier({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "30000000"})
    inner = ReportingBoard()
    board = supervised(inner, notifier)
    assert isinstance(board, SupervisedBoard)
    board.wait(None)
    assert systemd.receive() == "WATCHDOG=1"
    assert inner.waits == [10 * SECOND]  # no longer than until the next ping
    board.wait(Instant(12 * SECOND))
    assert systemd.receive() == "WATCHDOG=1"
    board.wait(Instant(13 * SECOND))
    assert inner.waits[1:] == [12 * SECOND, 13 * SECOND]
    assert not systemd.receives_within(0)  # the last ping was three seconds ago
    inner.clock.pass_until(Instant(100 * SECOND))
    assert not systemd.receives_within(0)  # no wait, no ping
