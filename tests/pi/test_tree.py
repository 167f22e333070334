"""The arm64 tree resembles a Pi, isolates commands, and leaves nothing behind."""

import subprocess
from pathlib import Path

import pytest

from tests.pi import network_settings, tree
from tests.pi.rights import Failed
from tests.pi.tree import Tree


def test_programs_see_a_pi(shared_pi: Tree) -> None:
    assert shared_pi.run("uname", "-m").stdout == "aarch64\n"
    assert shared_pi.run("python3", "--version").stdout == "Python 3.11.2\n"
    assert shared_pi.run("dpkg", "--print-architecture").stdout == "arm64\n"


def test_a_command_gets_arguments_input_folder_and_environment(shared_pi: Tree) -> None:
    script = 'cat; printf "%s|" "$@" "$AMOUNT"; pwd'
    done = shared_pi.run(
        *("sh", "-c", script, "sh", "a b", "$c"), input="in:", env={"AMOUNT": "1,5M"}, cwd="/etc"
    )
    assert done.stdout == "in:a b|$c|1,5M|/etc\n"


def test_a_command_can_run_as_another_user(shared_pi: Tree) -> None:
    assert shared_pi.run("id", "-un", user="nobody").stdout == "nobody\n"


def test_a_failed_command_shows_its_output(shared_pi: Tree) -> None:
    command = ("sh", "-c", "echo out; echo err >&2; exit 3")
    with pytest.raises(Failed, match=r"exit status 3\nout\nerr"):
        shared_pi.run(*command)
    assert shared_pi.run(*command, check=False) == tree.CommandResult(3, "out\n", "err\n")


def test_background_processes_end_with_the_command(shared_pi: Tree) -> None:
    shared_pi.run("sh", "-c", "sleep 98765 >/dev/null 2>&1 & echo")
    assert not _sleepers()


def test_a_timeout_ends_the_command_and_its_children(shared_pi: Tree) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        shared_pi.run("sh", "-c", "sleep 98765 & sleep 98765", timeout=3)
    assert not _sleepers()


def _sleepers() -> list[Path]:
    commands = Path("/proc").glob("[0-9]*/cmdline")
    return [command for command in commands if b"sleep\x0098765" in _read(command)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_change_is_visible_only_in_its_copy_and_copies_of_it(shared_pi: Tree) -> None:
    with shared_pi.copy() as first:
        first.write("/etc/tellerbox.toml", 'edition = "europe"\n')
        with first.copy() as second:
            assert second.read("/etc/tellerbox.toml") == 'edition = "europe"\n'
            second.run("rm", "/etc/tellerbox.toml")
            assert not second.exists("/etc/tellerbox.toml")
        assert first.exists("/etc/tellerbox.toml")
    assert not shared_pi.exists("/etc/tellerbox.toml")


@pytest.mark.usefixtures("shared_pi")  # skipped where the tree is not available
def test_a_copy_is_removed_with_its_mounts_also_after_a_failure() -> None:
    roots: list[Path] = []

    def fail_in_a_copy() -> None:
        with tree.fresh_copy() as copy:
            roots.append(copy.root)
            copy.run("false")

    with pytest.raises(Failed, match="false: exit status 1"):
        fail_in_a_copy()
    assert not roots[0].exists()
    assert str(roots[0]) not in Path("/proc/mounts").read_text()


def test_the_checkout_is_copied_without_ignored_files(shared_pi: Tree) -> None:
    with shared_pi.copy() as copy:
        place = copy.put_checkout("/home/tellerbox")
        assert (
            copy.read(f"{place}/pyproject.toml") == (tree.CHECKOUT / "pyproject.toml").read_text()
        )
        assert copy.path(f"{place}/tools/setup").stat().st_mode & 0o111
        assert not copy.exists(f"{place}/.venv")
        assert not copy.exists(f"{place}/.git")


def test_apt_and_pip_use_the_network_settings_of_the_host(shared_pi: Tree) -> None:
    assert shared_pi.read("/etc/apt/sources.list") == network_settings.apt_sources(tree.RELEASE)
    script = "import ssl; print(len(ssl.create_default_context().get_ca_certs()) > 0)"
    assert shared_pi.run("python3", "-c", script).stdout == "True\n"


def test_the_network_settings_are_not_stored_in_the_tree(shared_pi: Tree) -> None:
    with shared_pi.copy() as copy:
        copy.run("cat", "/run/host/certificates.crt", "/etc/pip.conf")
        assert list(copy.path("/run/host").iterdir()) == []
        assert copy.read("/etc/pip.conf") == ""
