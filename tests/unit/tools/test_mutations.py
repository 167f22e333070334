"""Which changes the mutation tester makes of a source, and how it refuses what it cannot change."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import mutants
from tools.mutations import find_mutants

ROOT = Path(__file__).parents[2]


def changes(text: str) -> list[str]:
    return [f"{mutant.line}: {mutant.words}" for mutant in find_mutants(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A = 11", ["1: A = 11 -> 10", "1: A = 11 -> 12"]),
        ("A = 1", ["1: A = 1 -> 2"]),
        ("A = 0", ["1: A = 0 -> 1"]),
        ("A = 1_000", ["1: A = 1_000 -> 1_001", "1: A = 1_000 -> 999"]),
        ("A = 0.5", ["1: A = 0.5 -> 1.5"]),
        ("A = True", ["1: A = True -> False"]),
        ("a = not b", ["1: a = not b -> b"]),
        ("a = not (b)", ["1: a = not (b) -> (b)"]),
        ("a = b < c", ["1: a = b < c -> b <= c", "1: a = b < c -> b >= c"]),
        ("a = b >= c", ["1: a = b >= c -> b < c", "1: a = b >= c -> b > c"]),
        ("a = b != c", ["1: a = b != c -> b == c"]),
        ("a = b is  not None", ["1: a = b is not None -> b is None"]),
        ("a = b in c", ["1: a = b in c -> b not in c"]),
        ("a = (b) or (c)", ["1: a = (b) or (c) -> (b) and (c)"]),
        ("a = b - c", ["1: a = b - c -> b + c"]),
        ("a ^= b", ["1: a ^= b -> a |= b"]),
        ("a = b << c", ["1: a = b << c -> b >> c"]),
    ],
)
def test_what_becomes_of_a_line(text: str, expected: list[str]) -> None:
    assert changes(text) == expected


def test_a_mask_also_loses_its_lowest_bit() -> None:
    assert changes("A = 0x50") == [
        "1: A = 0x50 -> 0x40",
        "1: A = 0x50 -> 0x4F",
        "1: A = 0x50 -> 0x51",
    ]
    assert "1: a = b & 12 -> b & 8" in changes("a = b & 12")
    assert "1: a = b + 12 -> b + 8" not in changes("a = b + 12")


def test_every_link_of_a_chain_is_changed_by_itself() -> None:
    assert changes("f(a < b < c)") == [
        "1: f(a < b < c) -> f(a <= b < c)",
        "1: f(a < b < c) -> f(a >= b < c)",
        "1: f(a < b < c) -> f(a < b <= c)",
        "1: f(a < b < c) -> f(a < b >= c)",
    ]
    assert changes("f(a and b and c)") == [
        "1: f(a and b and c) -> f(a or b and c)",
        "1: f(a and b and c) -> f(a and b or c)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        '"""Page 4 of 5."""',
        "a = b'\\x04'",
        "a = f'{b + 1}'",
        "a = None",
        "log.warning('%s', a + 1)",
        "from a import b",
        "a: Literal[1] | None",
        "def f(a: Literal[1] | None) -> Literal[2] | None: ...",
        "a = {'b': c}",
        "class A(Enum):\n    B = auto()",
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert changes(text) == []


def test_a_place_is_found_behind_letters_of_several_bytes() -> None:
    (mutant,) = find_mutants("é = 'µ'; b = '×' if c is d else e")
    assert mutant.applied("é = 'µ'; b = '×' if c is d else e".encode()).decode() == (
        "é = 'µ'; b = '×' if c is not d else e"
    )


def test_a_change_is_told_with_the_line_it_is_in() -> None:
    text = "a = (\n    b\n    and c\n)\nif d:\n    e(f=7)\n"
    assert changes(text) == [
        "3: b and c -> b or c",
        "6: e(f=7) -> e(f=6)",
        "6: e(f=7) -> e(f=8)",
    ]


@pytest.mark.parametrize("file", sorted(mutants.DRIVERS.glob("*.py")), ids=lambda file: file.name)
def test_every_change_of_a_driver_is_another_valid_source(file: Path) -> None:
    content = file.read_bytes()
    changed = {mutant.applied(content) for mutant in find_mutants(content.decode())}
    assert content not in changed
    for source in changed:
        compile(source, file, "exec")


def test_the_likely_tests_and_their_drivers_exist() -> None:
    for driver, tests in mutants.LIKELY.items():
        assert (mutants.DRIVERS / driver).is_file()
        assert all((mutants.TESTS / f"test_{part}.py").is_file() for part in tests)


def tell(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.mutants", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_the_list_has_every_change_of_a_file() -> None:
    done = tell("--list", "hal/pi/presence.py")
    *listed, count = done.stdout.splitlines()
    assert (done.returncode, count) == (0, f"{len(listed)} changes")
    assert all(line.startswith("hal/pi/presence.py:") and " -> " in line for line in listed)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("hal/pi/nothing.py", "there is no file hal/pi/nothing.py"),
        (
            "hal/wiring.py",
            "hal/wiring.py is not a driver; those are the Python files of hal/pi",
        ),
    ],
)
def test_a_file_that_is_no_driver_is_refused_in_one_sentence(name: str, sentence: str) -> None:
    done = tell(name)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mutants: {sentence}\n")
