"""`sudo make install`, `update` and `uninstall` on the Pi's own architecture.

Everything is real but systemd (``standin_systemctl.py``) and the parts, for which a drop-in
of the unit names the virtual board. One installation is made for all tests; each works in a
copy of it.
"""

import hashlib
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.pi.rights import as_root, say, told
from tests.pi.switched_on import Machine, give_standin, switched_on
from tests.pi.tree import Done, Tree

HERE = "/root/tellerbox"
RELEASES = "/opt/tellerbox/releases"
LEDGER = "/var/lib/tellerbox/box.db"
VIRTUAL_BOARD = """\
[Service]
ExecStart=
ExecStart=/opt/tellerbox/current/bin/tellerbox run --config /etc/tellerbox.toml --board virtual
"""
NO_NETWORK = {"PIP_PROXY": "http://127.0.0.1:9", "PIP_RETRIES": "0", "PIP_NO_CACHE_DIR": "1"}
STOPPED_ON_TRIAL = f"""
before=$(readlink /opt/tellerbox/current)
{HERE}/systemd/install update & installer=$!
while [ "$(readlink /opt/tellerbox/current)" = "$before" ]; do sleep 0.2; done
kill -TERM $installer
wait $installer
"""
PATIENCE = 300.0
"""Seconds for what takes a few, on a Pi; emulated, on a busy machine, it takes longer."""


class Installed(NamedTuple):
    """A tree in which the box was installed, and what the installer said."""

    tree: Tree
    said: Done
    release: str
    service: tuple[str, int]


@pytest.fixture(scope="module")
def pi_with_checkout(shared_pi: Tree) -> Tree:
    """A new Pi, and a checkout on it."""
    give_standin(shared_pi)
    shared_pi.put_checkout(HERE)
    shared_pi.write("/etc/systemd/system/tellerbox.service.d/virtual.conf", VIRTUAL_BOARD)
    shared_pi.write("/boot/firmware/config.txt", "dtparam=audio=on\n[pi4]\narm_boost=1\n")
    return shared_pi


@pytest.fixture(scope="module")
def installed(pi_with_checkout: Tree) -> Iterator[Installed]:
    with pi_with_checkout.copy() as tree, switched_on(tree) as pi:
        with told("installing on a new Pi"):
            said = pi.run("sudo", "make", "install", cwd=HERE)
        service = pi.service()
        pi.pull_the_plug()
        yield Installed(tree, said, in_use(tree), service)


@pytest.fixture
def pi(installed: Installed) -> Iterator[Tree]:
    """A Pi of its own for one test, on which the box is installed."""
    with installed.tree.copy() as tree:
        yield tree


def make(pi: Machine, what: str, check: bool = True, env: dict[str, str] | None = None) -> Done:
    with told(f"make {what}"):
        return pi.run(f"{HERE}/systemd/install", what, check=check, env=env)


def in_use(tree: Tree) -> str:
    return as_root("readlink", tree.path("/opt/tellerbox/current")).decode().strip()[9:]


def releases(tree: Tree) -> set[str]:
    return set(as_root("ls", tree.path(RELEASES)).decode().split())


def change(tree: Tree, file: str, before: str, after: str) -> None:
    """Make another checkout out of the one that is there."""
    text = tree.read(f"{HERE}/{file}")
    assert before in text
    tree.write(f"{HERE}/{file}", text.replace(before, after, 1))


def lines_of_change(done: Done) -> list[str]:
    return [line for line in done.stdout.splitlines() if re.match(r"  (?!\.\.\.)", line)]


def until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"never came about: {what}"
        time.sleep(0.2)


def play_a_move(pi: Machine) -> None:
    """Let somebody get two million, while the box is off."""
    pi.run("systemctl", "stop", "tellerbox.service")
    lines = "printf 'insert left 1\\npress 2M\\nquit\\n'"
    script = f"{lines} | tellerbox sim --text --cards none --ledger {LEDGER}"
    pi.run("runuser", "-u", "tellerbox", "--", "sh", "-c", script)
    pi.run("systemctl", "start", "tellerbox.service")


def history(pi: Machine) -> str:
    """All that was ever posted, from a ledger that holds what it should."""
    pi.run("tellerbox", "ledger", "verify")
    return pi.run("tellerbox", "ledger", "history", "--csv").stdout


# A new Pi


def test_a_new_pi_gets_all_it_needs_and_is_told_line_by_line(installed: Installed) -> None:
    _, said, release, service = installed
    assert service[0] == "active"
    told_of = "\n".join(lines_of_change(said))
    for what in (
        "installed the system packages python3-venv",
        f"installed the release {release} in {RELEASES}/{release}",
        "the drivers i2c-dev, spidev are loaded at every start",
        "added dtparam=spi=on, dtparam=i2c_arm=on, dtparam=i2c_arm_baudrate=400000",
        "made the user tellerbox",
        "the user tellerbox is in the groups gpio, spi, i2c",
        "installed the command /usr/local/bin/tellerbox",
        "wrote /etc/tellerbox.toml",
        "installed the unit /etc/systemd/system/tellerbox.service",
        "the service starts with the machine",
        "started the service",
    ):
        assert what in told_of
    assert "sudo reboot" in said.stdout
    assert said.stdout.endswith(f"tellerbox: Tellerbox {release} is installed\n")


def test_what_is_installed_is_this_checkout(installed: Installed) -> None:
    tree = installed.tree
    for inside, here in (
        ("/etc/tellerbox.toml", "systemd/tellerbox.toml"),
        ("/etc/systemd/system/tellerbox.service", "systemd/tellerbox.service"),
        ("/usr/local/bin/tellerbox", "systemd/tellerbox"),
    ):
        assert tree.read(inside) == tree.read(f"{HERE}/{here}")
    assert tree.run("tellerbox", "--version").stdout.split()[1] == installed.release.split("-")[0]
    assert tree.run("sh", "-c", f"cd {HERE} && find . -newer /opt/tellerbox").stdout == ""


def test_the_buses_are_switched_on_for_every_model_in_lines_that_can_be_found(
    installed: Installed,
) -> None:
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


def test_the_service_can_read_all_and_need_not_write_there(installed: Installed) -> None:
    place = f"{RELEASES}/{installed.release}"
    package = f"{place}/lib/python3.11/site-packages"
    sources = f"find {package}/firmware {package}/hal {package}/sim -name '*.py'"
    counted = installed.tree.run("sh", "-c", f"{sources} | wc -l; {sources}c | wc -l").stdout
    files, compiled = map(int, counted.split())
    assert files == compiled > 50
    unreadable = f"find {place} -not -type l -not -perm -a=r -o -type d -not -perm -a=x"
    assert installed.tree.run("sh", "-c", unreadable).stdout == ""
    assert installed.tree.run("sh", "-c", f"find {place} -not -user root").stdout == ""


def test_rpi_lgpio_has_the_pins_alone(installed: Installed) -> None:
    listed = installed.tree.run(f"{RELEASES}/{installed.release}/bin/pip", "list").stdout.lower()
    assert "rpi-lgpio" in listed
    assert "rpi.gpio" not in listed


def test_the_installed_firmware_plays_all_scripts(installed: Installed) -> None:
    with told("all scripts, with the installed firmware"):
        play = f"cd {HERE}/tests/scenarios && tellerbox play *.box"
        assert installed.tree.run("sh", "-c", play).status == 0


def test_the_installed_drivers_play_scripts_on_models_of_the_chips(installed: Installed) -> None:
    with told("some scripts, with the installed drivers"):
        play = f"cd {HERE}/tests/scenarios && tellerbox play --board virtual"
        scripts = "flow-*.box s1-*.box s7-go.box p3-*.box v1-*.box"
        assert installed.tree.run("sh", "-c", f"{play} {scripts}").status == 0


# Again


def test_a_second_installation_changes_nothing_and_says_so(installed: Installed, pi: Tree) -> None:
    with switched_on(pi) as machine:
        until(lambda: machine.service()[0] == "active", "the service after a start")
        service = machine.service()
        done = make(machine, "install")
        assert lines_of_change(done) == []
        assert f"nothing to change: Tellerbox {installed.release} is installed" in done.stdout
        assert machine.service() == service
        assert "nothing to change" in make(machine, "update").stdout


def test_config_and_ledger_are_kept(pi: Tree) -> None:
    with switched_on(pi) as machine:
        until(lambda: machine.service()[0] == "active", "the service after a start")
        play_a_move(machine)
        before = history(machine)
        assert "2000000" in before
        mine = 'edition = "banking"\n[pins]\nbuzzer = 17\n'
        pi.write("/etc/tellerbox.toml", mine)
        pi.run("userdel", "tellerbox")
        done = make(machine, "install")
        assert pi.read("/etc/tellerbox.toml") == mine
        assert history(machine) == before
        assert "made the user tellerbox" in done.stdout


def test_what_was_taken_away_is_put_back(installed: Installed, pi: Tree) -> None:
    pi.run("rm", "/usr/local/bin/tellerbox", "/etc/modules-load.d/tellerbox.conf")
    pi.write("/etc/systemd/system/tellerbox.service", "[Service]\nExecStart=/bin/false\n")
    pi.write("/boot/firmware/config.txt", "")
    with switched_on(pi) as machine:
        done = make(machine, "install")
        assert machine.service()[0] == "active"
    assert len(lines_of_change(done)) == 5, done.said
    assert in_use(pi) == installed.release
    assert "dtparam=spi=on" in pi.read("/boot/firmware/config.txt")


# Updates


def test_an_update_and_another_one_that_does_not_come_up(installed: Installed, pi: Tree) -> None:
    with switched_on(pi) as machine:
        until(lambda: machine.service()[0] == "active", "the service after a start")
        play_a_move(machine)
        before = history(machine)

        change(pi, "firmware/__init__.py", '"0.', '"7.')
        done = make(machine, "update")
        newer = in_use(pi)
        assert newer.startswith("7.")
        assert f"the release in use is {newer}" in done.stdout
        assert machine.run("tellerbox", "--version").stdout.startswith("tellerbox 7.")
        state, pid = machine.service()
        assert state == "active"
        assert newer in machine.run("cat", f"/proc/{pid}/cmdline").stdout
        assert releases(pi) == {installed.release, newer}
        assert "nothing to change" in make(machine, "update").stdout
        assert machine.service() == ("active", pid)

        change(pi, "firmware/__init__.py", '"7.', '"8.')
        change(pi, "firmware/run_command.py", "def run(", "def run(args):\n    1 / 0\ndef not_run(")
        done = make(machine, "update", check=False)
        assert done.status == 1
        assert "does not come up" in done.stderr
        assert "ZeroDivisionError" in done.stderr
        assert f"went back to the release {newer}, which runs again" in done.stderr
        assert in_use(pi) == newer
        assert releases(pi) == {installed.release, newer}
        assert machine.service()[0] == "active"
        assert machine.run("tellerbox", "--version").stdout.startswith("tellerbox 7.")

        change(pi, "firmware/run_command.py", "def run(args):\n    1 / 0\ndef not_run(", "def run(")
        change(pi, "firmware/__init__.py", '"8.', '"0.')
        done = make(machine, "update")
        assert "installed the release" not in done.stdout, "the previous one is still there"
        assert in_use(pi) == installed.release
        assert history(machine) == before


def test_a_release_that_never_comes_up_is_left_whatever_happens_on_its_trial(
    installed: Installed, pi: Tree
) -> None:
    change(pi, "firmware/service.py", "READY=1", "NOTREADY=1")
    change(pi, "systemd/tellerbox.service", "RestartSec=2", "RestartSec=3")
    with switched_on(pi) as machine:
        until(lambda: machine.service()[0] == "active", "the service after a start")
        with told("somebody stops the installer while a bad release is on trial"):
            done = machine.run("sh", "-c", STOPPED_ON_TRIAL, check=False)
        assert done.status == 130
        assert f"went back to the release {installed.release}, which runs again" in done.stderr
        assert in_use(pi) == installed.release
        assert machine.service()[0] == "active"

        say("the plug is pulled while it is on trial again ...")
        machine.begin(f"{HERE}/systemd/install", "update")
        until(lambda: in_use(pi) != installed.release, "the switch to the new release")
        until(lambda: "RestartSec=3" in pi.read("/etc/systemd/system/tellerbox.service"), "unit")
        machine.pull_the_plug()
    with switched_on(pi) as machine:
        done = make(machine, "update", check=False)
        assert done.status == 1
        assert "does not come up" in done.stderr
        assert in_use(pi) == installed.release
        assert "RestartSec=2" in pi.read("/etc/systemd/system/tellerbox.service")
        assert machine.service()[0] == "active"


def test_a_release_that_does_not_come_up_leaves_the_ledger_as_the_old_one_knows_it(
    installed: Installed, pi: Tree
) -> None:
    """It brings the ledger to a format of its own, and is gone before it has closed it."""
    last_step = '_never_changed("checkpoint"),\n'
    another_step = f'{last_step}    "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;",\n'
    change(pi, "firmware/schema.py", last_step, another_step)
    change(pi, "firmware/run_command.py", 'log.info("%s", what)', '__import__("os")._exit(1)')
    kept, aside = f"{LEDGER[:-3]}.format-3.db", f"{LEDGER[:-3]}.format-4.aside-1.db"
    with switched_on(pi) as machine:
        until(lambda: machine.service()[0] == "active", "the service after a start")
        play_a_move(machine)
        before = history(machine)
        rights = pi.run("stat", "-c", "%U:%G %a", LEDGER).stdout

        done = make(machine, "update", check=False)
        assert done.status == 1
        assert "does not come up" in done.stderr
        assert f"moves made since then are in {aside}" in done.stderr
        assert f"went back to the release {installed.release}, which runs again" in done.stderr
        assert in_use(pi) == installed.release
        assert machine.service()[0] == "active"
        assert history(machine) == before
        assert pi.run("stat", "-c", "%U:%G %a", LEDGER).stdout == rights
        assert pi.exists(aside)
        assert not pi.exists(kept)

        play_a_move(machine)
        assert history(machine).startswith(before)
        assert history(machine) != before


def test_an_update_of_nothing(pi_with_checkout: Tree) -> None:
    done = pi_with_checkout.run(f"{HERE}/systemd/install", "update", check=False)
    assert done.status == 1
    assert "there is no installation to update: sudo make install" in done.stderr


# Failures in the middle


def test_no_network_then_no_power_then_a_run_that_completes(pi_with_checkout: Tree) -> None:
    with pi_with_checkout.copy() as tree:
        with switched_on(tree) as machine:
            done = make(machine, "install", check=False, env=NO_NETWORK)
            assert done.status == 1
            assert "is the machine on line?" in done.stderr
            assert releases(tree) == set()
            assert not tree.exists("/opt/tellerbox/current")
            assert not tree.exists("/etc/systemd/system/tellerbox.service")
        with switched_on(tree) as machine:
            say("the plug is pulled while the packages are installed ...")
            machine.begin(f"{HERE}/systemd/install", "install")
            halfway = f"{RELEASES}/*/lib/python3.11/site-packages/gpiozero"
            until(lambda: any(tree.root.glob(halfway.lstrip("/"))), "half a release")
            machine.pull_the_plug()
        assert len(releases(tree)) == 1
        with switched_on(tree) as machine:
            done = make(machine, "install")
            assert "which was left incomplete" in done.stdout
            assert "installed the release" in done.stdout
            assert machine.service()[0] == "active"
            assert releases(tree) == {in_use(tree)}


def test_an_update_without_network_leaves_the_box_alone(installed: Installed, pi: Tree) -> None:
    change(pi, "firmware/__init__.py", '"0.', '"7.')
    with switched_on(pi) as machine:
        until(lambda: machine.service()[0] == "active", "the service after a start")
        service = machine.service()
        done = make(machine, "update", check=False, env=NO_NETWORK)
        assert done.status == 1
        assert f"the release {installed.release} goes on as before" in done.stderr
        assert machine.service() == service
        assert releases(pi) == {in_use(pi)} == {installed.release}


def test_apt_fails(pi_with_checkout: Tree) -> None:
    with pi_with_checkout.copy() as tree:
        tree.write("/usr/local/bin/apt-get", "#!/bin/sh\necho E: no such host; exit 100\n", "755")
        done = tree.run(f"{HERE}/systemd/install", "install", check=False)
        assert done.status == 1
        assert "could not be installed: apt-get" in done.stderr
        assert "E: no such host" in done.stderr
        assert not tree.exists("/opt/tellerbox")


@pytest.mark.parametrize(
    ("size", "fill", "sentence"),
    [
        ("9m", "true", "MB are left for /opt/tellerbox/releases, and a release needs 150 MB"),
        ("200m", "cat /dev/zero > /opt/filled", "could not be made (its disk is full)"),
    ],
    ids=["before it begins", "meanwhile"],
)
def test_the_disk_is_full(pi: Tree, size: str, fill: str, sentence: str) -> None:
    """A small disk is laid over the one that has the box."""
    script = f"""
    mount -t tmpfs -o size={size} none /opt
    (until test -d {RELEASES}/*/lib; do sleep 0.1; done; {fill}) 2>/dev/null &
    {HERE}/systemd/install install
    echo $?
    find {RELEASES}
    """
    done = pi.run("sh", "-c", script)
    assert done.stdout.splitlines()[-2:] == ["1", RELEASES]
    assert sentence in done.stderr


def test_rpi_gpio_beside_rpi_lgpio_is_refused(installed: Installed, pi: Tree) -> None:
    wheel = pi.path("/root/RPi.GPIO-0.7.1-py3-none-any.whl")
    described = "RPi.GPIO-0.7.1.dist-info"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr(
            f"{described}/METADATA", "Metadata-Version: 2.1\nName: RPi.GPIO\nVersion: 0.7.1\n"
        )
        file.writestr(
            f"{described}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{described}/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    entry = f"RPi.GPIO @ file:///root/{wheel.name} --hash=sha256:{digest}\ncbor2=="
    change(pi, "locks/pi.txt", "cbor2==", entry)
    with switched_on(pi) as machine:
        done = make(machine, "update", check=False)
        assert done.status == 1
        assert "RPi.GPIO came in beside rpi-lgpio" in done.stderr
    assert releases(pi) == {installed.release}


def test_a_system_that_forgets_is_left_alone(pi: Tree) -> None:
    script = (
        "echo root=/dev/x overlayroot=tmpfs:recurse=0 > /tmp/words; "
        f"mount --bind /tmp/words /proc/cmdline; {HERE}/systemd/install uninstall"
    )
    done = pi.run("sh", "-c", script, check=False)
    assert done.status == 1
    assert "switch the overlay off first" in done.stderr
    assert pi.exists("/etc/tellerbox.toml")


# Away, and back


def test_uninstall_twice_and_install_again(pi: Tree) -> None:
    with switched_on(pi) as machine:
        until(lambda: machine.service()[0] == "active", "the service after a start")
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
        assert lines_of_change(done) == []
        assert "nothing to remove" in done.stdout

        pi.write("/etc/systemd/system/tellerbox.service.d/virtual.conf", VIRTUAL_BOARD)
        done = make(machine, "install")
        assert "gave what is in it to the user tellerbox" in done.stdout
        assert machine.service()[0] == "active"
        assert history(machine) == before
        assert pi.run("stat", "-c", "%U:%G", LEDGER).stdout == "tellerbox:tellerbox\n"


# Where nothing is done at all


@pytest.mark.parametrize(
    ("prepare", "user", "sentence"),
    [
        ("true", "nobody", "this needs root's rights: sudo make install"),
        ("rm /usr/bin/apt-get", None, "this is not Raspberry Pi OS, nor another Debian"),
        ("rm /usr/bin/python3", None, "is needed, and there is no /usr/bin/python3"),
        (
            "rm /usr/bin/python3; printf '#!/bin/sh\\n"
            'case "$1" in --version) echo Python 3.9.2;; *) exit 1;; esac\\n'
            "' > /usr/bin/python3; chmod 755 /usr/bin/python3",
            None,
            "3.11 or newer is needed, and this is Python 3.9.2",
        ),
        (
            "printf '#!/bin/sh\\necho armhf\\n' > /usr/bin/dpkg",
            None,
            "this is a 32-bit system: take the 64-bit Raspberry Pi OS",
        ),
    ],
)
def test_a_machine_that_cannot_have_it_is_told_in_one_sentence(
    pi_with_checkout: Tree, prepare: str, user: str | None, sentence: str
) -> None:
    with pi_with_checkout.copy() as tree:
        tree.run("sh", "-c", f"chmod -R a+rX /root; {prepare}")
        done = tree.run(f"{HERE}/systemd/install", "install", check=False, user=user)
        assert done.status == 1
        assert done.stdout == ""
        [line] = done.stderr.splitlines()
        assert sentence in line
        assert line.endswith("; nothing was changed")
        assert not tree.exists("/opt/tellerbox")
        assert Path(tree.path("/etc/tellerbox.toml")).exists() is False
