"""Fixtures for the tests of the installer."""

import os
import pwd
import tempfile
from pathlib import Path

import pytest

from systemd.installer import places


@pytest.fixture
def service_user(monkeypatch: pytest.MonkeyPatch) -> str:
    """This user stands for the service's; root drops its rights to those of nobody."""
    name = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    monkeypatch.setattr(places, "USER", name)
    return name


@pytest.fixture
def kept(tmp_path: Path, service_user: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the ledgers, which the service owns."""
    folder = tmp_path / "lib"
    folder.mkdir()
    monkeypatch.setattr(places, "LEDGERS", folder)
    monkeypatch.setattr(places, "CONFIG", tmp_path / "tellerbox.toml")
    if os.geteuid() == 0:
        user = pwd.getpwnam(service_user)
        os.chown(folder, user.pw_uid, user.pw_gid)
        for parent in (tmp_path, *tmp_path.parents):
            if Path(tempfile.gettempdir()) in parent.parents:
                parent.chmod(parent.stat().st_mode | 0o055)  # pytest lets only root in
    return folder
