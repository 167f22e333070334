"""The systemd unit is valid, hardened, and matches the documentation."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from firmware.journald import SOCKET
from systemd.installer import buses

UNITS = Path(__file__).parents[3] / "systemd"
UNIT = UNITS / "tellerbox.service"
CONSOLE = UNITS / "console.conf"
MAX_EXPOSURE = 0.9


def settings(*files: Path) -> dict[str, list[str]]:
    """Every setting with its values; an empty value clears the earlier ones, as in systemd."""
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
    """The path of systemd-analyze; without it the test is skipped, and fails in CI."""
    if found := shutil.which("systemd-analyze"):
        return found
    reason = "systemd-analyze is missing: run apt-get install systemd"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root folder with the unit, its command and the targets it depends on."""
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
    """Return the complaints of systemd-analyze."""
    done = subprocess.run(
        (analyze, "verify", "--man=no", f"--root={root}", UNIT.name),
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{done.stdout}{done.stderr}{done.returncode or ''}"


def test_systemd_accepts_the_unit(analyze: str, root: Path) -> None:
    assert verify(analyze, root) == ""


def test_systemd_accepts_the_console_drop_in(analyze: str, root: Path) -> None:
    folder = root / f"etc/systemd/system/{UNIT.name}.d"
    folder.mkdir()
    shutil.copy(CONSOLE, folder)
    assert verify(analyze, root) == ""


def test_verify_reports_a_misspelt_setting(analyze: str, root: Path) -> None:
    unit = root / "etc/systemd/system" / UNIT.name
    unit.write_text(UNIT.read_text().replace("WatchdogSec=", "WatchdogSecs="))
    assert "WatchdogSecs" in verify(analyze, root)


@pytest.mark.parametrize("files", [(UNIT,), (UNIT, CONSOLE)], ids=["alone", "with the console"])
def test_the_unit_is_hardened(analyze: str, tmp_path: Path, files: tuple[Path, ...]) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text("\n".join(file.read_text() for file in files))
    done = subprocess.run(
        (analyze, "security", "--offline=true", "--no-pager", str(unit)),
        capture_output=True,
        text=True,
        check=True,
    )
    [exposure] = re.findall(r"Overall exposure level for .*?: ([\d.]+)", done.stdout)
    assert float(exposure) <= MAX_EXPOSURE


def test_the_box_notifies_when_it_is_ready_and_feeds_the_watchdog() -> None:
    unit = settings(UNIT)
    assert unit["Type"] == ["notify"]
    assert unit["NotifyAccess"] == ["main"]
    assert unit["TimeoutStartSec"] == ["60"]
    assert 0 < int(unit["WatchdogSec"][0]) <= 30


def test_restarts_are_limited() -> None:
    unit = settings(UNIT)
    assert unit["Restart"] == ["always"]
    burst, window = int(unit["StartLimitBurst"][0]), int(unit["StartLimitIntervalSec"][0])
    # Otherwise immediate failures would never reach the limit.
    assert burst * int(unit["RestartSec"][0]) < window


def test_a_stop_that_hangs_is_killed_soon() -> None:
    """The firmware stops in less than two seconds."""
    assert 2 < int(settings(UNIT)["TimeoutStopSec"][0]) <= 5


def test_only_the_devices_of_the_parts_are_allowed() -> None:
    assert settings(UNIT)["DevicePolicy"] == ["closed"]
    allowed = settings(UNIT)["DeviceAllow"]
    assert allowed == ["char-gpiochip rw", "char-spi rw", "char-i2c rw"]
    assert words("SupplementaryGroups") == ["gpio", "spi", "i2c"]
    assert "PrivateDevices" not in settings(UNIT), "it would hide them"


def test_the_drivers_of_the_allowed_devices_are_loaded_at_boot() -> None:
    """systemd cannot allow a driver that is not loaded yet; gpiochip is built into the kernel."""
    modules = {"char-gpiochip": None, "char-spi": "spidev", "char-i2c": "i2c-dev"}
    needed = [modules[device.split()[0]] for device in settings(UNIT)["DeviceAllow"]]
    assert set(buses.DRIVERS) == {module for module in needed if module}


def test_only_the_needed_files_are_visible() -> None:
    assert words("TemporaryFileSystem") == ["/:ro"]
    # Either would replace the empty tree and make the whole system visible.
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


def test_the_board_revision_is_readable() -> None:
    """gpiozero and rpi-lgpio read it in /proc, which links to /sys."""
    unit = settings(UNIT)
    assert "ProcSubset" not in unit
    assert unit["ProtectProc"] == ["invisible"]
    assert "/sys" in words("BindReadOnlyPaths")


def test_only_the_ledger_folder_and_private_folders_are_writable() -> None:
    unit = settings(UNIT)
    assert unit["StateDirectory"] == unit["RuntimeDirectory"] == ["tellerbox"]
    assert unit["WorkingDirectory"] == ["/run/tellerbox"]
    assert unit["PrivateTmp"] == ["yes"]
    assert "TELLERBOX_LEDGER=/var/lib/tellerbox/box.db" in unit["Environment"]


def test_the_console_drop_in_only_changes_the_command_and_adds_serial_ports() -> None:
    console = settings(UNIT, CONSOLE)
    [command] = console["ExecStart"]
    [usual] = settings(UNIT)["ExecStart"]
    assert command.startswith(f"{usual} --console /dev/")
    added = {name: values for name, values in console.items() if values != settings(UNIT)[name]}
    assert set(added) == {"ExecStart", "DeviceAllow", "SupplementaryGroups"}
    assert all("tty" in device for device in added["DeviceAllow"][3:])
