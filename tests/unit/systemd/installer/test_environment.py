"""Which of the caller's settings reach the programs that root runs."""

import json
import os
import pwd
import sys
from pathlib import Path

import pytest

from systemd.installer import __main__ as installer
from systemd.installer import commands, environment

HOSTILE = {
    "PATH": "/home/user/bin",
    "HOME": "/home/user",
    "TMPDIR": "/home/user/tmp",
    "PIP_CONFIG_FILE": "/home/user/pip.conf",
    "PIP_TARGET": "/home/user/packages",
    "PYTHONPATH": "/home/user/modules",
    "XDG_CONFIG_HOME": "/home/user/.config",
    "GIT_DIR": "/home/user/.git",
    "LD_PRELOAD": "/home/user/library.so",
    "APT_CONFIG": "/home/user/apt.conf",
    "MAKEFLAGS": "e",
}
HARMLESS = {"https_proxy": "http://proxy:1", "LANG": "de_DE.UTF-8", "LC_TIME": "C", "TERM": "vt"}


def test_only_harmless_settings_of_the_caller_are_kept() -> None:
    cleaned = environment.clean({**HOSTILE, **HARMLESS})
    assert cleaned.pop("PATH") == environment.PATH
    assert cleaned.pop("HOME") == pwd.getpwuid(os.geteuid()).pw_dir
    assert cleaned == HARMLESS


def test_the_installer_drops_the_others_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Then it refuses this machine; in a child, because it changes its process."""
    overlay = tmp_path / "cmdline"
    overlay.write_text("overlayroot=tmpfs")
    monkeypatch.setattr(installer, "KERNEL_COMMAND_LINE", overlay)
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    found = tmp_path / "found"
    child = os.fork()
    if child == 0:
        installer.main(["uninstall"])
        ask = "import json, os; print(json.dumps([os.getcwd(), os.umask(0), {**os.environ}]))"
        found.write_text(commands.output(sys.executable, "-I", "-c", ask))
        os._exit(0)
    os.waitpid(child, 0)
    assert "disable the overlay first" in capfd.readouterr().err
    folder, umask, variables = json.loads(found.read_text())
    assert (folder, umask) == ("/", 0o022)
    assert variables["PATH"] == environment.PATH
    assert not {name for name in HOSTILE if variables.get(name) == HOSTILE[name]}
