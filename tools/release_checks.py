"""The checks of ``tools/release``: changelog, content of the wheel and the sdist, scenarios."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from firmware import __version__
from sim.board.harness import NO_FAILING_DISK

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = "CHANGELOG.md"
PACKAGES = ("firmware", "hal", "sim")
COMPILED = "__pycache__"
NEVER_SHIPPED = ("tests", "tools", "systemd")
"""Folders of the checkout that the sdist may not contain."""
DATA = (
    "firmware/bank/editions/*.toml",
    "hal/display/fonts/*.png",
    "sim/learn/tasks/*.box",
    "sim/panel/page/*",
)
"""Files that the product reads at run time, at least one of each."""
ENTRY_POINT = "tellerbox = firmware.cli:main"
FAILING_DISK = re.compile(r"^\s*fault\s+disk\b", re.MULTILINE)
REFUSED = re.compile(rf"^(.+):\d+: {re.escape(NO_FAILING_DISK)}$")
SAID_AT_MOST = 10
"""Names of files in one message."""


class ReleaseError(Exception):
    """The release is not good; the text says why, in one sentence."""


# The changelog


def check_changelog(version: str, changelog: str) -> None:
    """A release says what has changed: its version has a section, which is not empty."""
    heading = re.compile(rf"^## \[?{re.escape(version)}\]?(?: .*)?$", re.MULTILINE)
    found = heading.search(changelog)
    if found is None:
        raise ReleaseError(
            f"{CHANGELOG} has no section '## {version}'; write down what has changed, or set "
            "another __version__ in firmware/__init__.py"
        )
    section = re.split(r"^## ", changelog[found.end() :], flags=re.MULTILINE)[0]
    if not re.sub(r"^#+ .*$", "", section, flags=re.MULTILINE).strip():
        raise ReleaseError(f"the section '## {version}' of {CHANGELOG} is empty")


# The content


def source_files(root: Path) -> set[str]:
    """All files of the product, with their paths in the wheel."""
    return {
        file.relative_to(root).as_posix()
        for package in PACKAGES
        for file in (root / package).rglob("*")
        if file.is_file() and COMPILED not in file.parts
    }


def check_wheel(version: str, names: Collection[str], entry_points: str, root: Path) -> None:
    """The wheel contains the product as it is in the checkout, and nothing else."""
    info = f"tellerbox-{version}.dist-info/"
    shipped = {name for name in names if not name.startswith(info)}
    expected = source_files(root)
    if extra := shipped - expected:
        raise ReleaseError(f"the wheel contains files that do not belong there: {_some(extra)}")
    if missing := expected - shipped:
        raise ReleaseError(f"the wheel lacks files of the checkout: {_some(missing)}")
    for pattern in DATA:
        if not any(Path(name).match(pattern) for name in shipped):
            raise ReleaseError(f"the wheel contains no {pattern}")
    if ENTRY_POINT not in entry_points.splitlines():
        raise ReleaseError("the wheel does not install the command tellerbox")


def check_sdist(version: str, names: Collection[str], root: Path) -> None:
    """Complete, so that a wheel can be built from it, and without tests."""
    top = f"tellerbox-{version}/"
    shipped = {name.removeprefix(top) for name in names}
    wanted = source_files(root) | {"pyproject.toml", "README.md", "LICENSE"}
    if missing := wanted - shipped:
        raise ReleaseError(f"the sdist lacks files of the checkout: {_some(missing)}")
    if extra := {name for name in shipped if name.split("/")[0] in NEVER_SHIPPED}:
        raise ReleaseError(f"the sdist contains files that do not belong there: {_some(extra)}")


def _some(names: Iterable[str]) -> str:
    ordered = sorted(names)
    rest = len(ordered) - SAID_AT_MOST
    return ", ".join(ordered[:SAID_AT_MOST]) + (f" and {rest} more" if rest > 0 else "")


# The scenarios


def needing_a_failing_disk(scenarios: Iterable[Path]) -> set[str]:
    """The scenarios that make the disk fail; what simulates that is not shipped."""
    return {file.name for file in scenarios if FAILING_DISK.search(file.read_text("utf-8"))}


def check_refused(expected: set[str], status: int, output: str, errors: str) -> None:
    """Exactly these scripts are refused, each with the one sentence, and nothing is played."""
    lines = errors.splitlines()
    refused = [found[1] for line in lines if (found := REFUSED.match(line))]
    other = [line for line in lines if not REFUSED.match(line)]
    if other:
        raise ReleaseError(f"the installed tellerbox says: {other[0]}")
    if sorted(refused) != sorted(expected):
        wrong = expected.symmetric_difference(refused)
        raise ReleaseError(
            f"not exactly the scenarios with a failing disk are refused: {_some(wrong)}"
        )
    if expected and (status, output) != (2, ""):
        raise ReleaseError(
            "scenarios with a failing disk are not refused before anything is played"
        )


def check_played(expected: set[str], status: int, output: str, errors: str) -> None:
    """Each of these scripts has passed."""
    if status or errors:
        first = (errors or output or f"exit status {status}").splitlines()[0]
        raise ReleaseError(f"a scenario fails on the installed tellerbox: {first}")
    *passed, count = output.splitlines() or [""]
    if passed != [f"ok {name}" for name in sorted(expected)]:
        raise ReleaseError("the installed tellerbox does not report every scenario as passed")
    if count != f"{len(expected)} passed, 0 failed":
        raise ReleaseError(f"the installed tellerbox counts wrongly: {count}")


class Installed(NamedTuple):
    """The wheel in its own environment, and the scenarios, outside of the checkout."""

    place: Path

    @property
    def scenarios(self) -> Path:
        return self.place / "scenarios"

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a program of that environment; the checkout is not on any path."""
        return subprocess.run(
            [str(self.place / "env/bin" / program), *arguments],
            cwd=self.scenarios,
            env={"PATH": os.defpath, "HOME": str(self.place), "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    def play(self, names: Iterable[str]) -> tuple[int, str, str]:
        done = self.run("tellerbox", "play", *sorted(names))
        return done.returncode, done.stdout, done.stderr


def play_all(version: str, installed: Installed) -> None:
    if installed.run("tellerbox", "--version").stdout != f"tellerbox {version}\n":
        raise ReleaseError(f"the installed tellerbox is not version {version}")
    origin = installed.run("python", "-c", "import firmware; print(firmware.__file__)").stdout
    if not Path(origin.strip()).resolve().is_relative_to(installed.place.resolve()):
        raise ReleaseError(f"the installed tellerbox uses another package: {origin.strip()}")
    files = sorted(installed.scenarios.glob("*.box"))
    all_of_them = {file.name for file in files}
    if not all_of_them:
        raise ReleaseError("there are no scenarios to play")
    need_disk = needing_a_failing_disk(files)
    if need_disk:
        check_refused(need_disk, *installed.play(all_of_them))
    check_played(all_of_them - need_disk, *installed.play(all_of_them - need_disk))
    _say(f"{len(all_of_them) - len(need_disk)} of {len(all_of_them)} scenarios passed")
    _say(f"{len(need_disk)} need the failing disk of the tests, and are refused with one sentence:")
    for name in sorted(need_disk):
        _say(f"  {name}")


def _say(text: str) -> None:
    print(f"tellerbox: {text}", file=sys.stderr)


def main(arguments: list[str]) -> int:
    try:
        match arguments:
            case ["version"]:
                print(__version__)
            case ["changelog", version]:
                check_changelog(version, (ROOT / CHANGELOG).read_text("utf-8"))
            case ["content", version, wheel, sdist]:
                with zipfile.ZipFile(wheel) as archive:
                    names = archive.namelist()
                    entries = archive.read(f"tellerbox-{version}.dist-info/entry_points.txt")
                check_wheel(version, names, entries.decode(), ROOT)
                with tarfile.open(sdist) as tar:
                    members = [member.name for member in tar if member.isfile()]
                check_sdist(version, members, ROOT)
                _say(f"{len(names)} files in the wheel, {len(members)} in the sdist")
            case ["play", version, place]:
                play_all(version, Installed(Path(place)))
            case _:
                raise ReleaseError(f"there is no check {' '.join(arguments)!r}")
    except (ReleaseError, OSError, KeyError, zipfile.BadZipFile, tarfile.TarError) as error:
        _say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
