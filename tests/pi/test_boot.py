"""The service on an emulated arm64 machine with Debian's kernel and the real systemd.

The tests share one machine, booted from a disk that `systemd/install install` has prepared.
Each test leaves the service running.
"""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pi import installed, tree
from tests.pi.line import box_at
from tests.pi.machine import BOOT_LIMIT, Machine
from tests.pi.rights import Unavailable

UNIT = "/etc/systemd/system/tellerbox.service"
PROBE = Path(__file__).with_name("probe.py")
COMMAND_SETTINGS = (
    "Type=",
    "NotifyAccess=",
    "ExecStart=",
    "WatchdogSec=",
    "Restart=",
    "RestartSec=",
)
"""The settings of the unit that belong to its command, and are not restrictions."""
RESTART_TIMEOUT = 240.0


@pytest.fixture(scope="module")
def box() -> Iterator[Machine]:
    try:
        image = installed.disk()
    except Unavailable as reason:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(reason))
    with tree.temporary_folder() as folder:
        disk = installed.copy_of(image, folder / "disk")
        with Machine(disk, folder) as machine:
            machine.shell("systemctl is-system-running --wait")
            yield machine


def show(box: Machine, *properties: str) -> dict[str, str]:
    """Return properties of the service."""
    shown = box.shell(f"systemctl show -p {','.join(properties)} tellerbox.service")
    pairs = (line.partition("=") for line in shown.output.splitlines() if "=" in line)
    return {name: value for name, _, value in pairs}


def test_the_machine_boots_and_the_box_is_ready(box: Machine) -> None:
    assert box.shell("systemctl is-system-running").output.strip() == "running"
    unit = show(box, "ActiveState", "SubState", "Type", "NRestarts", "StatusText", "User")
    assert (unit["Type"], unit["ActiveState"], unit["SubState"]) == ("notify", "active", "running")
    assert (unit["NRestarts"], unit["User"]) == ("0", "tellerbox")
    assert "ttyAMA0" in unit["StatusText"]


def test_the_box_banks_over_the_uart(box: Machine) -> None:
    console = box_at(box.uart())
    console.greet(BOOT_LIMIT)
    lines = ("new", "insert left 1", "press 2M", "expect balance 1 17M", "remove left")
    answers = [console.ask(line) for line in lines]
    assert answers[2].startswith("ok screen 17M"), answers
    assert all(answer.startswith("ok") for answer in answers), answers


def test_the_console_does_not_touch_the_real_ledger(box: Machine) -> None:
    found = box.shell("ls /var/lib/tellerbox").output.split()
    assert "box-scratch.db" in found
    assert "box.db" not in found


def test_the_unit_gives_access_to_the_parts_and_nothing_else(box: Machine) -> None:
    _write(box, "/opt/tellerbox/probe.py", PROBE.read_text())
    status, journal = run_restricted(box, "probe", "python /opt/tellerbox/probe.py")
    assert status == 0, journal
    found = json.loads(next(line for line in journal.splitlines() if line.startswith("{")))
    assert found == {
        "libraries": "lgpio gpiozero spidev smbus2",
        "board": "LGPIOFactory on a Zero2W",
        "pin": "0",
        "working folder": "written",
        "ledgers": "written",
        "config": "read",
        "own files": "OSError",
        "system": "OSError",
        "disk": "PermissionError",
        "memory": "PermissionError",
        "another line": "PermissionError",
        "network": "OSError",
        "visible": "",
        "root": "PermissionError",
    }


def test_the_firmware_runs_under_the_unit_with_the_real_lgpio(box: Machine) -> None:
    """The emulated machine has a GPIO chip with too few pins, and no buses."""
    status, journal = run_restricted(box, "selftest", "tellerbox selftest --no-input")
    assert status == 1, journal
    for expected in (
        "ok    this is a Raspberry Pi Zero 2 W",
        "ok    GPIO library: gpiozero uses LGPIOFactory",
        "ok    /dev/gpiochip0 may be used",
        "FAIL  /dev/spidev0.0 is not there",
        "FAIL  /dev/i2c-1 is not there",
        "FAIL  the board cannot be opened: the pins cannot be used",
    ):
        assert expected in journal
    assert "Traceback" not in journal
    status, journal = run_restricted(box, "pins", "tellerbox run --config /etc/tellerbox.toml")
    assert status == 1, journal
    assert "tellerbox: the pins cannot be used" in journal
    assert "Traceback" not in journal


def run_restricted(box: Machine, name: str, command: str) -> tuple[int, str]:
    """Run a command of the active release under the unit's restrictions.

    Return its exit status and its journal.
    """
    lines = box.shell(f"cat {UNIT}").output.splitlines()
    kept = [line for line in lines if not line.startswith(COMMAND_SETTINGS)]
    at = kept.index("[Service]") + 1
    start = f"ExecStart=/opt/tellerbox/current/bin/{command}"
    unit = "\n".join([*kept[:at], "Type=oneshot", start, *kept[at:]])
    _write(box, f"/run/systemd/system/{name}.service", unit)
    done = box.shell(f"systemctl daemon-reload; systemctl start {name}.service")
    return done.status, box.shell(f"journalctl -u {name}.service -o cat --no-pager").output


def test_the_exposure_of_the_running_service(box: Machine) -> None:
    output = box.shell("systemd-analyze security --no-pager tellerbox.service").output
    summary = next(line for line in output.splitlines() if "Overall exposure level" in line)
    assert float(summary.partition("service:")[2].split()[0]) <= 1.5, output


def test_the_watchdog_restarts_a_box_that_hangs(box: Machine) -> None:
    before = show(box, "MainPID", "NRestarts", "WatchdogUSec")
    assert before["WatchdogUSec"] not in ("0", "infinity")
    box.shell(f"kill -STOP {before['MainPID']}")
    deadline = time.monotonic() + RESTART_TIMEOUT
    now = before
    while now["NRestarts"] == before["NRestarts"] or now["ActiveState"] != "active":
        assert time.monotonic() < deadline, now
        time.sleep(2)
        now = show(box, "MainPID", "NRestarts", "ActiveState")
    assert now["MainPID"] != before["MainPID"]
    assert "Watchdog timeout" in box.shell("journalctl -u tellerbox --no-pager").output
    console = box_at(box.uart())
    console.greet(BOOT_LIMIT)
    assert console.ask("expect balance 1 17M") == "ok"


def test_a_stop_is_clean_and_in_time(box: Machine) -> None:
    """After three seconds systemd would kill the box, and Result would be a timeout."""
    assert box.shell("systemctl stop tellerbox.service").status == 0
    stopped = show(box, "Result", "ExecMainCode", "ExecMainStatus", "ActiveState")
    assert stopped == {
        "Result": "success",
        "ExecMainCode": "1",  # CLD_EXITED
        "ExecMainStatus": "0",
        "ActiveState": "inactive",
    }
    assert box.shell("ls /var/lib/tellerbox/*-wal").status != 0, "the ledger was not closed"
    assert box.shell("systemctl start tellerbox.service").status == 0


def _write(box: Machine, path: str, text: str) -> None:
    assert box.shell(f"cat >{path} <<'THE END'\n{text}\nTHE END").status == 0
