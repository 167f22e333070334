"""Only one installer runs, and only root decides that."""

import fcntl
import os
from pathlib import Path

import pytest

from systemd.installer import __main__ as installer
from systemd.installer import places
from systemd.installer.report import Refused


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(places, "HOME", tmp_path / "opt" / "tellerbox")
    monkeypatch.setattr(places, "LOCK", tmp_path / "lock", raising=False)
    places.HOME.parent.mkdir()
    return tmp_path / "lock"


def test_a_second_installer_is_refused(lock: Path) -> None:
    with installer._locked():
        with pytest.raises(Refused, match="another installer is running"), installer._locked():
            pass
        assert lock.stat().st_mode & 0o777 == 0o600
    with installer._locked():
        pass


@pytest.mark.usefixtures("lock")
def test_no_other_user_can_keep_the_installer_away() -> None:
    """Any user can lock a folder that they can read."""
    folder = os.open(places.HOME.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with installer._locked():
            pass
    finally:
        os.close(folder)
