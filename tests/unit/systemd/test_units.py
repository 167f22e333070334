"""The unit is what systemd accepts, promises what the manual says, and opens no more doors."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware.journal import SOCKET
from systemd.installer import buses

UNITS = Path(__file__).parents[2] / "systemd"
UNIT = UNITS / "tellerbox.service"
CONSOLE = UNITS / "console.conf"
MOST_EXPOSED = 1.5


def settings(*files: Path) -> dict[str, list[str]]:
    """Every setting with its values; as systemd reads it, an empty one takes back the earlier."""
    found: dict[str, list[str]] = {}
    for file in files:
        for line in file.read_text().splitlines():
            if re.match(r"\w+=", line):
                name, value = line.split("=", 1)
                found.setdefault(name, []).append(value)
                if not value:
                    found[name] = []
    return found


def words(name: str, *files: Path) -> list[str]:
    return " ".join(settings(*(files or (UNIT,)))[name]).split()


@pytest.fixture
def analyze() -> str:
    """The tool that checks units; where it is missing the test is skipped, but not in CI."""
    if found := shutil.which("systemd-analyze"):
        return found
    reason = "systemd-analyze is missing: apt-get install systemd"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A file system with the unit, what it starts, and what it stands on."""
    units = tmp_path / "etc/systemd/system"
    units.mkdir(parents=True)
    shutil.copy(UNIT, units)
    for target in ("sysinit", "basic", "multi-user", "shutdown", "local-fs"):
        (units / f"{target}.target").write_text("[Unit]\nDescription=A target\n")
    command = tmp_path / "opt/tellerbox/current/bin/tellerbox"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    return tmp_path


def verify(analyze: str, root: Path) -> str:
    """All that systemd has to complain of."""
    done = subprocess.run(
        (analyze, "verify", "--man=no", f"--root={root}", UNIT.name),
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{done.stdout}{done.stderr}{done.returncode or ''}"


def test_systemd_accepts_the_unit(analyze: str, root: Path) -> None:
    assert verify(analyze, root) == ""


def test_systemd_accepts_the_console(analyze: str, root: Path) -> None:
    folder = root / f"etc/systemd/system/{UNIT.name}.d"
    folder.mkdir()
    shutil.copy(CONSOLE, folder)
    assert verify(analyze, root) == ""


def test_the_check_would_notice_a_mistake(analyze: str, root: Path) -> None:
    unit = root / "etc/systemd/system" / UNIT.name
    unit.write_text(UNIT.read_text().replace("WatchdogSec=", "WatchdogSecs="))
    assert "WatchdogSecs" in verify(analyze, root)


@pytest.mark.parametrize("files", [(UNIT,), (UNIT, CONSOLE)], ids=["alone", "with the console"])
def test_it_is_hardened(analyze: str, tmp_path: Path, files: tuple[Path, ...]) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text("\n".join(file.read_text() for file in files))
    done = subprocess.run(
        (analyze, "security", "--offline=true", "--no-pager", str(unit)),
        capture_output=True,
        text=True,
        check=True,
    )
    [exposure] = re.findall(r"Overall exposure level for .*?: ([\d.]+)", done.stdout)
    assert float(exposure) <= MOST_EXPOSED


def test_it_is_ready_when_the_box_says_so_and_watched_from_then_on() -> None:
    unit = settings(UNIT)
    assert unit["Type"] == ["notify"]
    assert unit["NotifyAccess"] == ["main"]
    assert unit["TimeoutStartSec"] == ["60"]
    assert 0 < int(unit["WatchdogSec"][0]) <= 30


def test_it_starts_again_but_not_for_ever() -> None:
    unit = settings(UNIT)
    assert unit["Restart"] == ["always"]
    burst, window = int(unit["StartLimitBurst"][0]), int(unit["StartLimitIntervalSec"][0])
    # Ten that fail at once must come within the window, or the limit would never be met.
    assert burst * int(unit["RestartSec"][0]) < window


def test_a_stop_that_hangs_is_ended_soon() -> None:
    """The firmware needs less than two seconds for it."""
    assert 2 < int(settings(UNIT)["TimeoutStopSec"][0]) <= 5


def test_only_the_devices_of_the_parts_are_open() -> None:
    assert settings(UNIT)["DevicePolicy"] == ["closed"]
    allowed = settings(UNIT)["DeviceAllow"]
    assert allowed == ["char-gpiochip rw", "char-spi rw", "char-i2c rw"]
    assert words("SupplementaryGroups") == ["gpio", "spi", "i2c"]
    assert "PrivateDevices" not in settings(UNIT), "it would hide them"


def test_the_drivers_that_the_unit_names_are_loaded_before_it() -> None:
    """A device whose driver is not there yet cannot be allowed; the pins' is in the kernel."""
    modules = {"char-gpiochip": None, "char-spi": "spidev", "char-i2c": "i2c-dev"}
    needed = [modules[device.split()[0]] for device in settings(UNIT)["DeviceAllow"]]
    assert set(buses.DRIVERS) == {module for module in needed if module}


def test_only_what_it_needs_of_the_files_is_there() -> None:
    assert words("TemporaryFileSystem") == ["/:ro"]
    # Either would take the place of the empty tree, and show all of the system again.
    assert not {"ProtectSystem", "RootDirectory"} & set(settings(UNIT))
    shown = {path.removeprefix("-") for path in words("BindReadOnlyPaths")}
    assert shown == {
        *("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime"),
        *("/opt/tellerbox", "/etc/tellerbox.toml"),
        *("/dev", "/sys"),
        *(SOCKET, "/run/systemd/notify"),
    }
    assert "BindPaths" not in settings(UNIT)
    assert "ReadWritePaths" not in settings(UNIT)


def test_the_board_can_be_recognised() -> None:
    """gpiozero and rpi-lgpio read the revision in /proc, which partly lies in /sys."""
    unit = settings(UNIT)
    assert "ProcSubset" not in unit
    assert unit["ProtectProc"] == ["invisible"]
    assert "/sys" in words("BindReadOnlyPaths")


def test_it_writes_its_ledger_a_folder_of_its_own_and_nothing_else() -> None:
    unit = settings(UNIT)
    assert unit["StateDirectory"] == unit["RuntimeDirectory"] == ["tellerbox"]
    assert unit["WorkingDirectory"] == ["/run/tellerbox"]
    assert unit["PrivateTmp"] == ["yes"]
    assert "TELLERBOX_LEDGER=/var/lib/tellerbox/box.db" in unit["Environment"]


def test_the_console_changes_the_command_and_adds_serial_ports_only() -> None:
    console = settings(UNIT, CONSOLE)
    [command] = console["ExecStart"]
    [usual] = settings(UNIT)["ExecStart"]
    assert command.startswith(f"{usual} --console /dev/")
    added = {name: values for name, values in console.items() if values != settings(UNIT)[name]}
    assert set(added) == {"ExecStart", "DeviceAllow", "SupplementaryGroups"}
    assert all("tty" in device for device in added["DeviceAllow"][3:])
