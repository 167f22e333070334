"""`sudo make install`, `update` and `uninstall` on arm64.

Only systemd is faked (``standin_systemctl.py``), and a drop-in selects the virtual board. The
box is installed once; each test works in a copy of that tree.
"""

import hashlib
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from firmware.storage import schema
from tests.pi.rights import as_root, report, timed
from tests.pi.switched_on import PoweredTree, install_standin, switched_on
from tests.pi.tree import CommandResult, Tree

HERE = "/root/tellerbox"
RELEASES = "/opt/tellerbox/releases"
LEDGER = "/var/lib/tellerbox/box.db"
VIRTUAL_BOARD = """\
[Service]
ExecStart=
ExecStart=/opt/tellerbox/current/bin/tellerbox run --config /etc/tellerbox.toml --board virtual
"""
NO_NETWORK = "[global]\nproxy = http://127.0.0.1:9\nretries = 0\nno-cache-dir = true\n"
PIP_SETTINGS = "/root/.config/pip/pip.conf"
SETTINGS_OF_A_USER = {
    "HOME": "/home/user",
    "PATH": "/home/user/bin:/usr/bin:/bin",
    "PIP_CONFIG_FILE": "/home/user/pip.conf",
    "PIP_TARGET": "/home/user/packages",
    "PYTHONPATH": "/home/user/modules",
    "TMPDIR": "/home/user/tmp",
}
"""Each would break an installation, or lead it elsewhere."""
TERMINATE_DURING_TRIAL = f"""
before=$(readlink /opt/tellerbox/current)
{HERE}/systemd/install update & installer=$!
while [ "$(readlink /opt/tellerbox/current)" = "$before" ]; do sleep 0.2; done
kill -TERM $installer
wait $installer
"""
TIMEOUT = 300.0
"""Seconds; emulation on a busy machine is slow."""


class Installed(NamedTuple):
    """A tree with the installed box, and the result of the installer."""

    tree: Tree
    result: CommandResult
    release: str
    service: tuple[str, int]


@pytest.fixture(scope="module")
def pi_with_checkout(shared_pi: Tree) -> Tree:
    """A new Pi with a checkout."""
    install_standin(shared_pi)
    shared_pi.put_checkout(HERE)
    shared_pi.write("/etc/systemd/system/tellerbox.service.d/virtual.conf", VIRTUAL_BOARD)
    shared_pi.write("/boot/firmware/config.txt", "dtparam=audio=on\n[pi4]\narm_boost=1\n")
    return shared_pi


@pytest.fixture(scope="module")
def installed(pi_with_checkout: Tree) -> Iterator[Installed]:
    with pi_with_checkout.copy() as tree, switched_on(tree) as pi:
        with timed("installing on a new Pi"):
            result = pi.run("sudo", "make", "install", cwd=HERE)
        service = pi.service()
        pi.pull_the_plug()
        yield Installed(tree, result, active_release(tree), service)


@pytest.fixture
def pi(installed: Installed) -> Iterator[Tree]:
    """A copy of the Pi with the installed box, for one test."""
    with installed.tree.copy() as tree:
        yield tree


def make(
    pi: PoweredTree, what: str, check: bool = True, env: dict[str, str] | None = None
) -> CommandResult:
    with timed(f"make {what}"):
        return pi.run(f"{HERE}/systemd/install", what, check=check, env=env)


def active_release(tree: Tree) -> str:
    return as_root("readlink", tree.path("/opt/tellerbox/current")).decode().strip()[9:]


def releases(tree: Tree) -> set[str]:
    return set(as_root("ls", tree.path(RELEASES)).decode().split())


def change(tree: Tree, file: str, before: str, after: str) -> None:
    """Change a file of the checkout."""
    text = tree.read(f"{HERE}/{file}")
    assert before in text
    tree.write(f"{HERE}/{file}", text.replace(before, after, 1))


def reported_changes(done: CommandResult) -> list[str]:
    return [line for line in done.stdout.splitlines() if re.match(r"  (?!\.\.\.)", line)]


def wait_until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not holds():
        assert time.monotonic() < deadline, f"timeout: {what}"
        time.sleep(0.2)


def wait_until_active(pi: PoweredTree) -> None:
    wait_until(lambda: pi.service()[0] == "active", "the service after a boot")


def play_a_move(pi: PoweredTree) -> None:
    """Pay two million to card 1 while the service is stopped."""
    pi.run("systemctl", "stop", "tellerbox.service")
    lines = "printf 'insert left 1\\npress 2M\\nquit\\n'"
    script = f"{lines} | tellerbox sim --text --cards none --ledger {LEDGER}"
    pi.run("runuser", "-u", "tellerbox", "--", "sh", "-c", script)
    pi.run("systemctl", "start", "tellerbox.service")


def history(pi: PoweredTree) -> str:
    """Verify the ledger and return all its moves."""
    pi.run("tellerbox", "ledger", "verify")
    return pi.run("tellerbox", "ledger", "history", "--csv").stdout


# A new Pi


def test_the_installer_reports_every_change_on_a_new_pi(installed: Installed) -> None:
    _, result, release, service = installed
    assert service[0] == "active"
    reported = "\n".join(reported_changes(result))
    for what in (
        "installed the system packages python3-venv",
        f"installed the release {release} in {RELEASES}/{release}",
        "the drivers i2c-dev, spidev are loaded at boot",
        "added dtparam=spi=on, dtparam=i2c_arm=on, dtparam=i2c_arm_baudrate=400000",
        "created the user tellerbox",
        "added the user tellerbox to the groups gpio, spi, i2c",
        "installed the command /usr/local/bin/tellerbox",
        "wrote /etc/tellerbox.toml",
        "installed the unit /etc/systemd/system/tellerbox.service",
        "enabled the service at boot",
        "started the service",
    ):
        assert what in reported
    assert "sudo reboot" in result.stdout
    assert result.stdout.endswith(f"tellerbox: Tellerbox {release} is installed\n")


def test_the_installed_files_are_those_of_the_checkout(installed: Installed) -> None:
    tree = installed.tree
    for inside, here in (
        ("/etc/tellerbox.toml", "systemd/tellerbox.toml"),
        ("/etc/systemd/system/tellerbox.service", "systemd/tellerbox.service"),
        ("/usr/local/bin/tellerbox", "systemd/tellerbox"),
    ):
        assert tree.read(inside) == tree.read(f"{HERE}/{here}")
    assert tree.run("tellerbox", "--version").stdout.split()[1] == installed.release.split("-")[0]
    assert tree.run("sh", "-c", f"cd {HERE} && find . -newer /opt/tellerbox").stdout == ""


def test_a_marked_block_enables_the_buses_for_every_model(installed: Installed) -> None:
    own, ours = installed.tree.read("/boot/firmware/config.txt").split("# Tellerbox: begin")
    assert own == "dtparam=audio=on\n[pi4]\narm_boost=1\n\n"
    assert ours.splitlines()[1:] == [
        "[all]",
        "dtparam=spi=on",
        "dtparam=i2c_arm=on",
        "dtparam=i2c_arm_baudrate=400000",
        "# Tellerbox: end",
    ]
    assert installed.tree.read("/etc/modules-load.d/tellerbox.conf") == "i2c-dev\nspidev\n"


def test_a_release_is_readable_compiled_and_owned_by_root(installed: Installed) -> None:
    place = f"{RELEASES}/{installed.release}"
    package = f"{place}/lib/python3.11/site-packages"
    sources = f"find {package}/firmware {package}/hal {package}/sim -name '*.py'"
    counted = installed.tree.run("sh", "-c", f"{sources} | wc -l; {sources}c | wc -l").stdout
    files, compiled = map(int, counted.split())
    assert files == compiled > 50
    unreadable = f"find {place} -not -type l -not -perm -a=r -o -type d -not -perm -a=x"
    assert installed.tree.run("sh", "-c", unreadable).stdout == ""
    assert installed.tree.run("sh", "-c", f"find {place} -not -user root").stdout == ""


def test_rpi_lgpio_is_installed_without_rpi_gpio(installed: Installed) -> None:
    listed = installed.tree.run(f"{RELEASES}/{installed.release}/bin/pip", "list").stdout.lower()
    assert "rpi-lgpio" in listed
    assert "rpi.gpio" not in listed


def test_the_installed_firmware_plays_all_scripts(installed: Installed) -> None:
    with timed("all scripts with the installed firmware"):
        # A failing disk is part of the tests, and is not installed.
        play = f"cd {HERE}/tests/scenarios && tellerbox play $(grep -L '^fault disk' *.box)"
        assert installed.tree.run("sh", "-c", play).status == 0


def test_a_script_that_needs_a_failing_disk_is_refused_in_one_sentence(
    installed: Installed,
) -> None:
    play = f"cd {HERE}/tests/scenarios && tellerbox play d3-*.box"
    done = installed.tree.run("sh", "-c", play, check=False)
    assert done.status == 2
    assert "part of the tests: play this script in a checkout" in done.stderr


def test_the_installed_drivers_play_scripts_on_the_virtual_board(installed: Installed) -> None:
    with timed("some scripts with the installed drivers"):
        scripts = "$(grep -L '^fault disk' flow-*.box s1-*.box s7-go.box p3-*.box v1-*.box)"
        play = f"cd {HERE}/tests/scenarios && tellerbox play --board virtual {scripts}"
        assert installed.tree.run("sh", "-c", play).status == 0


# Reinstalling


def test_a_second_installation_changes_nothing(installed: Installed, pi: Tree) -> None:
    with switched_on(pi) as machine:
        wait_until_active(machine)
        service = machine.service()
        done = make(machine, "install")
        assert reported_changes(done) == []
        assert f"nothing to change: Tellerbox {installed.release} is installed" in done.stdout
        assert machine.service() == service
        assert "nothing to change" in make(machine, "update").stdout


def test_config_and_ledger_are_kept(pi: Tree) -> None:
    with switched_on(pi) as machine:
        wait_until_active(machine)
        play_a_move(machine)
        before = history(machine)
        assert "2000000" in before
        mine = 'edition = "banking"\n[pins]\nbuzzer = 17\n'
        pi.write("/etc/tellerbox.toml", mine)
        pi.run("userdel", "tellerbox")
        done = make(machine, "install")
        assert pi.read("/etc/tellerbox.toml") == mine
        assert history(machine) == before
        assert "created the user tellerbox" in done.stdout


def test_missing_and_changed_files_are_restored(installed: Installed, pi: Tree) -> None:
    pi.run("rm", "/usr/local/bin/tellerbox", "/etc/modules-load.d/tellerbox.conf")
    pi.write("/etc/systemd/system/tellerbox.service", "[Service]\nExecStart=/bin/false\n")
    pi.write("/boot/firmware/config.txt", "")
    with switched_on(pi) as machine:
        done = make(machine, "install")
        assert machine.service()[0] == "active"
    assert len(reported_changes(done)) == 5, done.output
    assert active_release(pi) == installed.release
    assert "dtparam=spi=on" in pi.read("/boot/firmware/config.txt")


# Updates


def test_an_update_then_one_that_does_not_come_up(installed: Installed, pi: Tree) -> None:
    with switched_on(pi) as machine:
        wait_until_active(machine)
        play_a_move(machine)
        before = history(machine)

        change(pi, "firmware/__init__.py", '"0.', '"7.')
        done = make(machine, "update", env=SETTINGS_OF_A_USER)
        newer = active_release(pi)
        assert newer.startswith("7.")
        assert f"switched to the release {newer}" in done.stdout
        assert machine.run("tellerbox", "--version").stdout.startswith("tellerbox 7.")
        state, pid = machine.service()
        assert state == "active"
        assert newer in machine.run("cat", f"/proc/{pid}/cmdline").stdout
        assert releases(pi) == {installed.release, newer}
        assert "nothing to change" in make(machine, "update").stdout
        assert machine.service() == ("active", pid)

        change(pi, "firmware/__init__.py", '"7.', '"8.')
        change(
            pi, "firmware/commands/run.py", "def run(", "def run(args):\n    1 / 0\ndef not_run("
        )
        done = make(machine, "update", check=False)
        assert done.status == 1
        assert "does not come up" in done.stderr
        assert "ZeroDivisionError" in done.stderr
        assert f"rolled back to the release {newer}, which is running again" in done.stderr
        assert active_release(pi) == newer
        assert releases(pi) == {installed.release, newer}
        assert machine.service()[0] == "active"
        assert machine.run("tellerbox", "--version").stdout.startswith("tellerbox 7.")

        change(
            pi, "firmware/commands/run.py", "def run(args):\n    1 / 0\ndef not_run(", "def run("
        )
        change(pi, "firmware/__init__.py", '"8.', '"0.')
        done = make(machine, "update")
        assert "installed the release" not in done.stdout, "the previous release was not kept"
        assert active_release(pi) == installed.release
        assert history(machine) == before


def test_a_release_that_never_comes_up_is_rolled_back_also_when_interrupted(
    installed: Installed, pi: Tree
) -> None:
    change(pi, "firmware/sd_notify.py", "READY=1", "NOTREADY=1")
    change(pi, "systemd/tellerbox.service", "RestartSec=2", "RestartSec=3")
    with switched_on(pi) as machine:
        wait_until_active(machine)
        with timed("terminating the installer during the trial of a bad release"):
            done = machine.run("sh", "-c", TERMINATE_DURING_TRIAL, check=False)
        assert done.status == 130
        rolled_back = f"rolled back to the release {installed.release}, which is running again"
        assert rolled_back in done.stderr
        assert active_release(pi) == installed.release
        assert machine.service()[0] == "active"

        report("cutting the power during its trial ...")
        machine.start(f"{HERE}/systemd/install", "update")
        wait_until(lambda: active_release(pi) != installed.release, "the switch to the new release")
        unit = "/etc/systemd/system/tellerbox.service"
        wait_until(lambda: "RestartSec=3" in pi.read(unit), "the unit of the new release")
        machine.pull_the_plug()
    with switched_on(pi) as machine:
        done = make(machine, "update", check=False)
        assert done.status == 1
        assert "does not come up" in done.stderr
        assert active_release(pi) == installed.release
        assert "RestartSec=2" in pi.read("/etc/systemd/system/tellerbox.service")
        assert machine.service()[0] == "active"


def test_a_rollback_restores_the_format_of_the_ledger(installed: Installed, pi: Tree) -> None:
    """The new release migrates the ledger, and exits without closing it."""
    another_step = '    "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;",\n'
    end_of_steps = ")\nVERSION = len(STEPS)\n"
    change(pi, "firmware/storage/schema.py", end_of_steps, another_step + end_of_steps)
    after_opening = 'log.info("%s", self._status)'
    change(pi, "firmware/commands/run.py", after_opening, '__import__("os")._exit(1)')
    copy = f"{LEDGER[:-3]}.format-{schema.VERSION}.db"
    aside = f"{LEDGER[:-3]}.format-{schema.VERSION + 1}.aside-1.db"
    with switched_on(pi) as machine:
        wait_until_active(machine)
        play_a_move(machine)
        before = history(machine)
        owner_and_mode = pi.run("stat", "-c", "%U:%G %a", LEDGER).stdout

        done = make(machine, "update", check=False)
        assert done.status == 1
        assert "does not come up" in done.stderr
        assert f"moves made since then are in {aside}" in done.stderr
        rolled_back = f"rolled back to the release {installed.release}, which is running again"
        assert rolled_back in done.stderr
        assert active_release(pi) == installed.release
        assert machine.service()[0] == "active"
        assert history(machine) == before
        assert pi.run("stat", "-c", "%U:%G %a", LEDGER).stdout == owner_and_mode
        assert pi.exists(aside)
        assert not pi.exists(copy)

        play_a_move(machine)
        assert history(machine).startswith(before)
        assert history(machine) != before


def test_an_update_without_an_installation_is_refused(pi_with_checkout: Tree) -> None:
    done = pi_with_checkout.run(f"{HERE}/systemd/install", "update", check=False)
    assert done.status == 1
    assert "there is no installation to update: run sudo make install" in done.stderr


# Failures during an installation


def test_an_installation_without_network_then_with_a_power_cut_can_be_completed(
    pi_with_checkout: Tree,
) -> None:
    with pi_with_checkout.copy() as tree:
        with switched_on(tree) as machine:
            tree.write(PIP_SETTINGS, NO_NETWORK)
            done = make(machine, "install", check=False)
            tree.run("rm", PIP_SETTINGS)
            assert done.status == 1
            assert "is the machine online?" in done.stderr
            assert releases(tree) == set()
            assert not tree.exists("/opt/tellerbox/current")
            assert not tree.exists("/etc/systemd/system/tellerbox.service")
        with switched_on(tree) as machine:
            report("cutting the power while packages are installed ...")
            machine.start(f"{HERE}/systemd/install", "install")
            package = f"{RELEASES}/*/lib/python3.11/site-packages/gpiozero"
            wait_until(lambda: any(tree.root.glob(package.lstrip("/"))), "half a release")
            machine.pull_the_plug()
        assert len(releases(tree)) == 1
        with switched_on(tree) as machine:
            done = make(machine, "install")
            assert "removed the incomplete release" in done.stdout
            assert "installed the release" in done.stdout
            assert machine.service()[0] == "active"
            assert releases(tree) == {active_release(tree)}


def test_an_update_without_network_changes_nothing(installed: Installed, pi: Tree) -> None:
    change(pi, "firmware/__init__.py", '"0.', '"7.')
    with switched_on(pi) as machine:
        wait_until_active(machine)
        service = machine.service()
        pi.write(PIP_SETTINGS, NO_NETWORK)
        done = make(machine, "update", check=False)
        assert done.status == 1
        assert f"the release {installed.release} stays active" in done.stderr
        assert machine.service() == service
        assert releases(pi) == {active_release(pi)} == {installed.release}


def test_a_failure_of_apt_is_reported(pi_with_checkout: Tree) -> None:
    with pi_with_checkout.copy() as tree:
        tree.write("/usr/local/bin/apt-get", "#!/bin/sh\necho E: no such host; exit 100\n", "755")
        done = tree.run(f"{HERE}/systemd/install", "install", check=False)
        assert done.status == 1
        assert "cannot install the system packages" in done.stderr
        assert ": apt-get" in done.stderr
        assert "E: no such host" in done.stderr
        assert not tree.exists("/opt/tellerbox")


@pytest.mark.parametrize(
    ("size", "fill", "error"),
    [
        ("9m", "true", "MB are free in /opt/tellerbox/releases; building a release needs 150 MB"),
        ("200m", "cat /dev/zero > /opt/filled", "cannot build the release (the disk is full)"),
    ],
    ids=["before the build", "during the build"],
)
def test_a_full_disk_is_reported(pi: Tree, size: str, fill: str, error: str) -> None:
    """A small file system is mounted over /opt."""
    script = f"""
    mount -t tmpfs -o size={size} none /opt
    (until test -d {RELEASES}/*/lib; do sleep 0.1; done; {fill}) 2>/dev/null &
    {HERE}/systemd/install install
    echo $?
    find {RELEASES}
    """
    done = pi.run("sh", "-c", script)
    assert done.stdout.splitlines()[-2:] == ["1", RELEASES]
    assert error in done.stderr


def test_rpi_gpio_beside_rpi_lgpio_is_refused(installed: Installed, pi: Tree) -> None:
    wheel = pi.path("/root/RPi.GPIO-0.7.1-py3-none-any.whl")
    metadata = "RPi.GPIO-0.7.1.dist-info"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr(
            f"{metadata}/METADATA", "Metadata-Version: 2.1\nName: RPi.GPIO\nVersion: 0.7.1\n"
        )
        file.writestr(
            f"{metadata}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{metadata}/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    entry = f"RPi.GPIO @ file:///root/{wheel.name} --hash=sha256:{digest}\ncbor2=="
    change(pi, "locks/pi.txt", "cbor2==", entry)
    with switched_on(pi) as machine:
        done = make(machine, "update", check=False)
        assert done.status == 1
        assert "RPi.GPIO and rpi-lgpio are both installed" in done.stderr
    assert releases(pi) == {installed.release}


def test_an_overlay_root_is_refused(pi: Tree) -> None:
    script = (
        "echo root=/dev/x overlayroot=tmpfs:recurse=0 > /tmp/cmdline; "
        f"mount --bind /tmp/cmdline /proc/cmdline; {HERE}/systemd/install uninstall"
    )
    done = pi.run("sh", "-c", script, check=False)
    assert done.status == 1
    assert "disable the overlay first" in done.stderr
    assert pi.exists("/etc/tellerbox.toml")


# Uninstalling


def test_uninstalling_twice_then_installing_again(pi: Tree) -> None:
    with switched_on(pi) as machine:
        wait_until_active(machine)
        play_a_move(machine)
        before = history(machine)

        done = make(machine, "uninstall")
        assert "the ledgers are kept in /var/lib/tellerbox" in done.stdout
        assert "the system packages" in done.stdout
        for path in (
            "/opt/tellerbox",
            "/etc/tellerbox.toml",
            "/etc/systemd/system/tellerbox.service",
            "/etc/systemd/system/tellerbox.service.d",
            "/etc/systemd/system/multi-user.target.wants/tellerbox.service",
            "/usr/local/bin/tellerbox",
            "/etc/modules-load.d/tellerbox.conf",
        ):
            assert not pi.exists(path), path
        assert pi.read("/boot/firmware/config.txt") == "dtparam=audio=on\n[pi4]\narm_boost=1\n"
        assert pi.run("id", "tellerbox", check=False).status == 1
        assert pi.run("stat", "-c", "%U:%G", LEDGER).stdout == "root:root\n"
        assert machine.run("ps", "ax").stdout.count("tellerbox run") == 0

        done = make(machine, "uninstall")
        assert reported_changes(done) == []
        assert "nothing to remove" in done.stdout

        pi.write("/etc/systemd/system/tellerbox.service.d/virtual.conf", VIRTUAL_BOARD)
        done = make(machine, "install")
        assert "changed the owner of the files in /var/lib/tellerbox to tellerbox" in done.stdout
        assert machine.service()[0] == "active"
        assert history(machine) == before
        assert pi.run("stat", "-c", "%U:%G", LEDGER).stdout == "tellerbox:tellerbox\n"


# Unsuitable machines


@pytest.mark.parametrize(
    ("prepare", "user", "error"),
    [
        ("true", "nobody", "root is required: run sudo make install"),
        ("rm /usr/bin/apt-get", None, "apt-get is missing: use Raspberry Pi OS or another Debian"),
        ("rm /usr/bin/python3", None, "is required, and /usr/bin/python3 is missing"),
        (
            "rm /usr/bin/python3; printf '#!/bin/sh\\n"
            'case "$1" in --version) echo Python 3.9.2;; *) exit 1;; esac\\n'
            "' > /usr/bin/python3; chmod 755 /usr/bin/python3",
            None,
            "3.11 or newer is required, not Python 3.9.2",
        ),
        (
            "printf '#!/bin/sh\\necho armhf\\n' > /usr/bin/dpkg",
            None,
            "a 64-bit system is required: use the 64-bit Raspberry Pi OS",
        ),
    ],
)
def test_an_unsuitable_machine_is_refused_in_one_line(
    pi_with_checkout: Tree, prepare: str, user: str | None, error: str
) -> None:
    with pi_with_checkout.copy() as tree:
        tree.run("sh", "-c", f"chmod -R a+rX /root; {prepare}")
        done = tree.run(f"{HERE}/systemd/install", "install", check=False, user=user)
        assert done.status == 1
        assert done.stdout == ""
        [line] = done.stderr.splitlines()
        assert error in line
        assert line.endswith("; nothing was changed")
        assert not tree.exists("/opt/tellerbox")
        assert Path(tree.path("/etc/tellerbox.toml")).exists() is False
