"""A release: one version of the firmware with all that it needs, in a folder of its own.

It is made where it will stay, for a virtual environment cannot be moved, and nobody uses
it before it is complete. Its name tells what is in it, so the same checkout is never
installed twice, and one that is still there is found again.
"""

import hashlib
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from systemd.installer import commands, files, places
from systemd.installer.report import Trouble, changed, working

RELEASES = places.HOME / "releases"
LOCK = "locks/pi.txt"
MATTERS = ("firmware", "hal", "sim", "pyproject.toml", LOCK, "systemd/tellerbox.service")
"""What makes one release differ from another."""
TO_BUILD = ("firmware", "hal", "sim", "pyproject.toml", "README.md", "LICENSE")
NEVER = "RPi.GPIO"
"""mfrc522 asks for it; it writes over the files of rpi-lgpio, and fails on current kernels."""
WORKS = """
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)  # lgpio leaves a pipe where it is imported
    import firmware.cli, gpiozero, lgpio, luma.oled.device, serial, smbus2, spidev
"""
"""Loads what is compiled, and what fails when something is missing."""
WITH_ITS_LIBRARY = {"PYPI": "1"}
"""Where lgpio is compiled, its C library goes in with it: Debian has no package of that."""
SPACE = 150
"""Megabytes that must be free: a release has about 60, and needs as much again to be made."""
FULL = 5
"""With fewer left, a full disk is what went wrong."""


class Release(NamedTuple):
    """By the name of its folder."""

    name: str

    @property
    def folder(self) -> Path:
        return RELEASES / self.name

    @property
    def python(self) -> str:
        return str(self.folder / "bin/python")

    @property
    def unit(self) -> Path:
        """Each has its own, so that going back goes back with it."""
        return self.folder / "tellerbox.service"

    @property
    def mark(self) -> Path:
        """Written last, when everything else is on disk."""
        return self.folder / "complete"

    @property
    def is_complete(self) -> bool:
        return self.mark.exists()


def of_checkout() -> Release:
    """The release that this checkout makes on this machine."""
    digest = hashlib.sha256()
    # An environment belongs to one Python and one processor.
    digest.update(f"{sys.version_info[:2]} {platform.machine()}".encode())
    for file in _sources(MATTERS):
        digest.update(f"\0{file.relative_to(places.CHECKOUT)}\0".encode())
        digest.update(file.read_bytes())
    return Release(f"{_version()}-{digest.hexdigest()[:10]}")


def _version() -> str:
    text = (places.CHECKOUT / "firmware/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([\w.+-]+)"', text, re.MULTILINE)
    if not found:
        raise Trouble("firmware/__init__.py has no __version__")
    return found[1]


def _sources(parts: tuple[str, ...]) -> Iterator[Path]:
    for part in parts:
        path = places.CHECKOUT / part
        if path.is_file():
            yield path
        for file in sorted(path.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                yield file


def make(release: Release) -> None:
    """All of it, or nothing."""
    remove_incomplete()
    try:
        RELEASES.mkdir(parents=True, exist_ok=True)
        if _megabytes_free() < SPACE:
            left = f"{_megabytes_free()} MB are left for {RELEASES}"
            raise Trouble(f"only {left}, and a release needs {SPACE} MB to be made")
        release.folder.mkdir()
        venv = ("/usr/bin/python3", "-m", "venv", str(release.folder))
        commands.run_long("making a virtual environment", *venv)
        _install_packages(release)
        _install_firmware(release)
        _check(release)
        shutil.copyfile(places.PARTS / "tellerbox.service", release.unit)
        os.sync()
        files.put(release.mark, b"")
    except BaseException as error:
        full = isinstance(error, commands.Failed) and _megabytes_free() < FULL
        shutil.rmtree(release.folder, ignore_errors=True)
        if isinstance(error, commands.Failed):
            guess = "its disk is full" if full else "is the machine on line?"
            raise Trouble(f"the release could not be made ({guess}): {error}") from error
        if isinstance(error, OSError):
            sentence = f"{release.folder} could not be made: {error.strerror}"
            raise Trouble(sentence) from error
        raise
    changed(f"installed the release {release.name} in {release.folder}")


def _megabytes_free() -> int:
    return shutil.disk_usage(RELEASES).free // 1_000_000


def _pip(release: Release, what: str, *words: str) -> None:
    pip = (release.python, "-m", "pip", "--disable-pip-version-check", "--no-input", "install")
    # Compiled to bytecode now, for the service may not write here.
    words = ("--no-deps", "--compile", "--no-build-isolation", *words)
    commands.run_long(what, *pip, *words, settings=WITH_ITS_LIBRARY)


def _install_packages(release: Release) -> None:
    """All from the lock, checked by their hashes; also the one that compiles the others."""
    lock = places.CHECKOUT / LOCK
    builder = release.folder / "setuptools.txt"
    entry = re.search(r"^setuptools==.*?(?=^\S|\Z)", lock.read_text(), re.MULTILINE | re.DOTALL)
    builder.write_text(entry[0] if entry else "")
    hashes = "--require-hashes"
    _pip(release, "installing what compiles the packages", hashes, "-r", str(builder))
    _pip(release, f"installing the packages of {LOCK}", hashes, "-r", str(lock))
    builder.unlink()


def _install_firmware(release: Release) -> None:
    """From a copy, for a build leaves files beside the sources."""
    copy = release.folder / "source"
    for file in _sources(TO_BUILD):
        goal = copy / file.relative_to(places.CHECKOUT)
        goal.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, goal)
    _pip(release, "installing the firmware", str(copy))
    shutil.rmtree(copy)


def _check(release: Release) -> None:
    working("trying whether it loads")
    rival = f"import importlib.metadata as m; m.distribution({NEVER!r})"
    if commands.succeeds(release.python, "-I", "-c", rival):
        raise Trouble(f"{NEVER} came in beside rpi-lgpio, and only one of them may be there")
    commands.run(release.python, "-I", "-c", WORKS)
    commands.run(str(release.folder / "bin/tellerbox"), "--version")


def remove_incomplete() -> None:
    """What an earlier run could not complete."""
    for folder in _folders():
        if not Release(folder.name).is_complete:
            shutil.rmtree(folder, ignore_errors=True)
            changed(f"removed {folder}, which was left incomplete")


def remove_all_but(kept: set[Release]) -> None:
    for folder in _folders():
        release = Release(folder.name)
        if release not in kept:
            # Without its mark first: what is half removed must not look complete.
            release.mark.unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
            changed(f"removed the release {release.name}")


def _folders() -> list[Path]:
    return sorted(RELEASES.iterdir()) if RELEASES.is_dir() else []
