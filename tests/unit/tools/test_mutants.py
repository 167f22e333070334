"""The command line of the mutation tests, and every change that they would make."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import mutants
from tools.mutations import find_mutants

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("file", sorted(mutants.DRIVERS.rglob("*.py")), ids=lambda file: file.name)
def test_every_change_of_a_driver_is_valid_python(file: Path) -> None:
    content = file.read_bytes()
    changed = {mutant.applied(content) for mutant in find_mutants(content.decode())}
    assert content not in changed
    for source in changed:
        compile(source, file, "exec")


def test_the_likely_tests_and_their_drivers_exist() -> None:
    for driver, tests in mutants.LIKELY.items():
        assert (mutants.DRIVERS / driver).is_file()
        assert all((mutants.TESTS / f"test_{part}.py").is_file() for part in tests)


def run_mutants(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.mutants", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_the_list_contains_every_change_of_a_file() -> None:
    done = run_mutants("--list", "hal/pi/presence.py")
    *listed, count = done.stdout.splitlines()
    assert (done.returncode, count) == (0, f"{len(listed)} changes")
    assert all(line.startswith("hal/pi/presence.py:") and " -> " in line for line in listed)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("hal/pi/nothing.py", "there is no file hal/pi/nothing.py"),
        ("hal/wiring.py", "hal/wiring.py is not a driver: name a Python file of hal/pi"),
    ],
)
def test_a_file_that_is_not_a_driver_is_refused(name: str, error: str) -> None:
    done = run_mutants(name)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mutants: {error}\n")
