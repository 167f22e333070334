"""The box as a service on a machine that boots: arm64, Debian's kernel, the real systemd.

One machine for all tests of this file, on a disk that `systemd/install install` has made.
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
OWN_TO_THE_BOX = (
    "Type=",
    "NotifyAccess=",
    "ExecStart=",
    "WatchdogSec=",
    "Restart=",
    "RestartSec=",
)
PATIENCE = 240.0


@pytest.fixture(scope="module")
def box() -> Iterator[Machine]:
    try:
        image = installed.disk()
    except Unavailable as reason:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(reason))
    with tree.throw_away_folder() as folder:
        disk = installed.copy_of(image, folder / "disk")
        with Machine(disk, folder) as machine:
            machine.shell("systemctl is-system-running --wait")
            yield machine


def told(box: Machine, *properties: str) -> dict[str, str]:
    """What systemd says of the service."""
    answer = box.shell(f"systemctl show -p {','.join(properties)} tellerbox.service")
    pairs = (line.partition("=") for line in answer.said.splitlines() if "=" in line)
    return {name: value for name, _, value in pairs}


def test_the_whole_machine_comes_up_and_the_box_is_ready(box: Machine) -> None:
    assert box.shell("systemctl is-system-running").said.strip() == "running"
    seen = told(box, "ActiveState", "SubState", "Type", "NRestarts", "StatusText", "User")
    assert (seen["Type"], seen["ActiveState"], seen["SubState"]) == ("notify", "active", "running")
    assert (seen["NRestarts"], seen["User"]) == ("0", "tellerbox")
    assert "ttyAMA0" in seen["StatusText"]


def test_the_box_banks_over_the_uart(box: Machine) -> None:
    line = box_at(box.uart())
    line.greet(BOOT_LIMIT)
    asked = ("new", "insert left 1", "press 2M", "expect balance 1 17M", "remove left")
    answers = [line.ask(text) for text in asked]
    assert answers[2].startswith("ok screen 17M"), answers
    assert all(answer.startswith("ok") for answer in answers), answers


def test_the_table_s_own_ledger_is_not_touched_by_the_console(box: Machine) -> None:
    found = box.shell("ls /var/lib/tellerbox").said.split()
    assert "box-scratch.db" in found
    assert "box.db" not in found


def test_the_unit_s_restrictions_let_the_box_reach_its_parts_and_nothing_else(box: Machine) -> None:
    _write(box, "/opt/tellerbox/probe.py", PROBE.read_text())
    status, journal = under_the_unit(box, "probe", "python /opt/tellerbox/probe.py")
    assert status == 0, journal
    found = json.loads(next(line for line in journal.splitlines() if line.startswith("{")))
    assert found == {
        "libraries": "lgpio gpiozero spidev smbus2",
        "board": "LGPIOFactory on a Zero2W",
        "pin": "0",
        "here": "written",
        "ledgers": "written",
        "config": "read",
        "own files": "OSError",
        "system": "OSError",
        "disk": "PermissionError",
        "memory": "PermissionError",
        "another line": "PermissionError",
        "network": "OSError",
        "there": "",
        "root": "PermissionError",
    }


def test_the_firmware_starts_under_the_unit_on_the_real_lgpio(box: Machine) -> None:
    """As far as an emulator has parts: a chip with too few pins, and no buses."""
    status, journal = under_the_unit(box, "selftest", "tellerbox selftest --no-input")
    assert status == 1, journal
    for found in (
        "ok    this is a Raspberry Pi Zero 2 W",
        "ok    GPIO library: gpiozero uses LGPIOFactory",
        "ok    /dev/gpiochip0 may be used",
        "FAIL  /dev/spidev0.0 is not there",
        "FAIL  /dev/i2c-1 is not there",
        "FAIL  the board cannot be opened: the pins cannot be used",
    ):
        assert found in journal
    assert "Traceback" not in journal
    status, journal = under_the_unit(box, "pins", "tellerbox run --config /etc/tellerbox.toml")
    assert status == 1, journal
    assert "tellerbox: the pins cannot be used" in journal
    assert "Traceback" not in journal


def under_the_unit(box: Machine, name: str, command: str) -> tuple[int, str]:
    """How a command of the release in use ends under the unit's restrictions, and what it says."""
    lines = box.shell(f"cat {UNIT}").said.splitlines()
    kept = [line for line in lines if not line.startswith(OWN_TO_THE_BOX)]
    at = kept.index("[Service]") + 1
    started = f"ExecStart=/opt/tellerbox/current/bin/{command}"
    unit = "\n".join([*kept[:at], "Type=oneshot", started, *kept[at:]])
    _write(box, f"/run/systemd/system/{name}.service", unit)
    done = box.shell(f"systemctl daemon-reload; systemctl start {name}.service")
    return done.status, box.shell(f"journalctl -u {name}.service -o cat --no-pager").said


def test_the_exposure_of_the_running_service(box: Machine) -> None:
    said = box.shell("systemd-analyze security --no-pager tellerbox.service").said
    summary = next(line for line in said.splitlines() if "Overall exposure level" in line)
    assert float(summary.partition("service:")[2].split()[0]) <= 1.5, said


def test_a_box_that_hangs_is_started_anew_by_the_watchdog(box: Machine) -> None:
    before = told(box, "MainPID", "NRestarts", "WatchdogUSec")
    assert before["WatchdogUSec"] not in ("0", "infinity")
    box.shell(f"kill -STOP {before['MainPID']}")
    until = time.monotonic() + PATIENCE
    seen = before
    while seen["NRestarts"] == before["NRestarts"] or seen["ActiveState"] != "active":
        assert time.monotonic() < until, seen
        time.sleep(2)
        seen = told(box, "MainPID", "NRestarts", "ActiveState")
    assert seen["MainPID"] != before["MainPID"]
    assert "Watchdog timeout" in box.shell("journalctl -u tellerbox --no-pager").said
    line = box_at(box.uart())
    line.greet(BOOT_LIMIT)
    assert line.ask("expect balance 1 17M") == "ok"


def test_a_stop_is_clean_and_nobody_has_to_be_killed(box: Machine) -> None:
    """A box that takes longer than the unit's three seconds is killed: its result is a timeout."""
    assert box.shell("systemctl stop tellerbox.service").status == 0
    seen = told(box, "Result", "ExecMainCode", "ExecMainStatus", "ActiveState")
    assert seen == {
        "Result": "success",
        "ExecMainCode": "1",  # it ended by itself
        "ExecMainStatus": "0",
        "ActiveState": "inactive",
    }
    assert box.shell("ls /var/lib/tellerbox/*-wal").status != 0, "the ledger was not closed"
    assert box.shell("systemctl start tellerbox.service").status == 0


def _write(box: Machine, path: str, text: str) -> None:
    assert box.shell(f"cat >{path} <<'THE END'\n{text}\nTHE END").status == 0
