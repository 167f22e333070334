"""Builds and removes releases: each is a version of the firmware in its own virtual environment.

A release is built in its final folder, because a virtual environment cannot be moved, and is
not used before it is complete. Its name contains a hash of its sources, so the same checkout
is not built twice.
"""

import hashlib
import os
import platform
import re
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from systemd.installer import checkout, commands, files, places
from systemd.installer.checkout import Sources
from systemd.installer.report import InstallError, changed, progress

RELEASES = places.HOME / "releases"
LOCK = "locks/pi.txt"
UNIT = "systemd/tellerbox.service"
HASHED = ("firmware", "hal", "sim", "pyproject.toml", LOCK, UNIT)
"""The sources whose hash is in the name of a release."""
BUILD_INPUTS = ("firmware", "hal", "sim", "pyproject.toml", "README.md", "LICENSE")
CONFLICTING = "RPi.GPIO"
"""mfrc522 requires it; it overwrites files of rpi-lgpio and fails on current kernels."""
IMPORT_CHECK = """
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)  # lgpio creates a pipe in the working directory
    import firmware.cli, gpiozero, lgpio, luma.oled.device, serial, smbus2, spidev
"""
"""Imports every compiled package, and the packages that the drivers need."""
BUILD_SETTINGS = {"PYPI": "1"}
"""Makes lgpio compile its C library too: Debian has no package of it."""
MEGABYTES_NEEDED = 150
"""Free space before a build: a release takes about 60, and as much again while it is built."""
FULL_DISK_MEGABYTES = 5
"""With less free space after a failed build, the cause is a full disk."""


class Release(NamedTuple):
    name: str
    """The name of its folder."""

    @property
    def folder(self) -> Path:
        return RELEASES / self.name

    @property
    def python(self) -> str:
        return str(self.folder / "bin/python")

    @property
    def unit(self) -> Path:
        """Each release has its own unit, so that a rollback restores that too."""
        return self.folder / "tellerbox.service"

    @property
    def marker(self) -> Path:
        """Written last, once everything else is on disk."""
        return self.folder / "complete"

    @property
    def is_complete(self) -> bool:
        return self.marker.exists()


def of(sources: Sources) -> Release:
    """Return the release that these sources yield on this machine."""
    digest = hashlib.sha256()
    # A virtual environment works with one Python version and one architecture.
    digest.update(f"{sys.version_info[:2]} {platform.machine()}".encode())
    for path, content in checkout.below(sources, HASHED):
        digest.update(b"\0" + os.fsencode(path) + b"\0")
        digest.update(content)
    return Release(f"{_version(sources)}-{digest.hexdigest()[:10]}")


def _version(sources: Sources) -> str:
    text = sources.get("firmware/__init__.py", b"").decode(errors="replace")
    found = re.search(r'^__version__ = "([\w.+-]+)"', text, re.MULTILINE)
    if not found:
        raise InstallError("firmware/__init__.py has no __version__")
    return found[1]


def build(release: Release, sources: Sources) -> None:
    """Build a release; remove it again if that fails."""
    remove_incomplete()
    try:
        RELEASES.mkdir(parents=True, exist_ok=True)
        if _megabytes_free() < MEGABYTES_NEEDED:
            free = f"{_megabytes_free()} MB are free in {RELEASES}"
            raise InstallError(f"only {free}; building a release needs {MEGABYTES_NEEDED} MB")
        release.folder.mkdir()
        venv = ("/usr/bin/python3", "-I", "-m", "venv", str(release.folder))
        commands.run_long("creating a virtual environment", *venv)
        _install_packages(release, sources)
        _install_firmware(release, sources)
        _check(release)
        release.unit.write_bytes(sources[UNIT])
        os.sync()
        files.write(release.marker, b"")
    except BaseException as error:
        full = isinstance(error, commands.Failed) and _megabytes_free() < FULL_DISK_MEGABYTES
        shutil.rmtree(release.folder, ignore_errors=True)
        if isinstance(error, commands.Failed):
            guess = "the disk is full" if full else "is the machine online?"
            raise InstallError(f"cannot build the release ({guess}): {error}") from error
        if isinstance(error, OSError):
            raise InstallError(f"cannot create {release.folder}: {error.strerror}") from error
        raise
    changed(f"installed the release {release.name} in {release.folder}")


def _megabytes_free() -> int:
    return shutil.disk_usage(RELEASES).free // 1_000_000


def _pip(release: Release, what: str, *options: str) -> None:
    pip = (
        release.python,
        "-I",
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--no-input",
        "install",
    )
    # --compile: the service cannot write bytecode here.
    options = ("--no-deps", "--compile", "--no-build-isolation", *options)
    commands.run_long(what, *pip, *options, settings=BUILD_SETTINGS)


def _install_packages(release: Release, sources: Sources) -> None:
    """Install all packages of the lock file by hash, setuptools first: it builds the others."""
    lock, setuptools = release.folder / "packages.txt", release.folder / "setuptools.txt"
    lock.write_bytes(sources[LOCK])
    entry = re.search(r"^setuptools==.*?(?=^\S|\Z)", lock.read_text(), re.MULTILINE | re.DOTALL)
    setuptools.write_text(entry[0] if entry else "")
    hashes = "--require-hashes"
    _pip(release, "installing setuptools", hashes, "-r", str(setuptools))
    _pip(release, f"installing the packages of {LOCK}", hashes, "-r", str(lock))
    setuptools.unlink()
    lock.unlink()


def _install_firmware(release: Release, sources: Sources) -> None:
    copy = release.folder / "source"
    checkout.write(sources, copy, BUILD_INPUTS)
    _pip(release, "installing the firmware", str(copy))
    shutil.rmtree(copy)


def _check(release: Release) -> None:
    progress("checking that it loads")
    conflict = f"import importlib.metadata as m; m.distribution({CONFLICTING!r})"
    if commands.succeeds(release.python, "-I", "-c", conflict):
        raise InstallError(
            f"{CONFLICTING} and rpi-lgpio are both installed: remove {CONFLICTING} from {LOCK}"
        )
    commands.run(release.python, "-I", "-c", IMPORT_CHECK)
    commands.run(str(release.folder / "bin/tellerbox"), "--version")


def remove_incomplete() -> None:
    """Remove the releases that an earlier run did not complete."""
    for folder in _folders():
        if not Release(folder.name).is_complete:
            shutil.rmtree(folder, ignore_errors=True)
            changed(f"removed the incomplete release {folder.name}")


def remove_all_but(kept: set[Release]) -> None:
    for folder in _folders():
        release = Release(folder.name)
        if release not in kept:
            # The marker goes first: a half-removed release must not look complete.
            release.marker.unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
            changed(f"removed the release {release.name}")


def _folders() -> list[Path]:
    return sorted(RELEASES.iterdir()) if RELEASES.is_dir() else []
