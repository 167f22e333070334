"""Stopping the service, with a systemctl that only keeps one file."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from systemd.installer import service
from systemd.installer.report import InstallError

SYSTEMCTL = """#!/bin/sh
case "$1" in
    is-active) exec test -e {folder}/active ;;
    start) exec touch {folder}/active ;;
    stop) {stop} ;;
esac
"""


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return a function that puts a systemctl in place; a file says whether the service runs."""
    monkeypatch.setattr(service, "can_be_started", lambda: True)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def put(stop: str) -> Path:
        program = tmp_path / "systemctl"
        program.write_text(SYSTEMCTL.format(folder=tmp_path, stop=stop))
        program.chmod(0o755)
        return tmp_path / "active"

    return put


@pytest.mark.parametrize("was_active", [True, False])
def test_the_service_runs_again_afterwards_if_it_ran(
    systemctl: Callable[[str], Path], tmp_path: Path, was_active: bool
) -> None:
    active = systemctl(f"exec rm -f {tmp_path}/active")
    if was_active:
        active.touch()
    with service.stopped():
        assert not active.exists()
    assert active.exists() == was_active


def test_the_service_runs_again_also_after_a_failure(
    systemctl: Callable[[str], Path], tmp_path: Path
) -> None:
    active = systemctl(f"exec rm -f {tmp_path}/active")
    active.touch()
    with pytest.raises(OSError, match="full"), service.stopped():
        raise OSError("full")
    assert active.exists()


def test_a_service_that_does_not_stop_is_reported(systemctl: Callable[[str], Path]) -> None:
    systemctl("exit 1").touch()
    with pytest.raises(InstallError, match="the service does not stop"), service.stopped():
        raise AssertionError
