"""Plants faults at random lines, and reports whether the tests find them.

    python -m tools.planted_faults 25 --seed 1

Each fault changes one line of ``firmware/``, ``hal/`` or ``sim/`` in this checkout: another
number, another operator, or a deleted statement. The quick tests run first, then all of ``make
test``, then ``make test-long``, until a test fails. Then the line is restored, and the next fault
is planted. Work in a clone: nothing else may change the checkout.

Exclude a fault that makes no difference with ``--without firmware/table/box.py:12``; the next
fault of the seed replaces it.
"""

import argparse
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tools.mutations import Mutant, find_deletions, find_mutants

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("firmware", "hal", "sim")
LOG = ROOT / "build" / "planted-faults.log"
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
PARALLEL = ("-n", "4", "--dist", "loadgroup")
STAGES = (
    ("make check", ("-n", "3", "tests/unit", "tests/test_scenarios.py")),
    # Slow tests, with a browser or a serial line, run last. An own -m disables coverage.
    ("make test", ("-m", "not pi and not long", "--ignore=tests/panel", "--ignore=tests/hil")),
    ("make test", (*PARALLEL, "tests/panel", "tests/hil")),
    ("make test-long", ("-m", "long")),
)


class Fault(NamedTuple):
    """A change of one line."""

    file: Path
    mutant: Mutant

    @property
    def place(self) -> str:
        return f"{self.file.relative_to(ROOT).as_posix()}:{self.mutant.line}"

    @contextmanager
    def planted(self) -> Iterator[None]:
        content = self.file.read_bytes()
        self.file.write_bytes(self.mutant.applied(content))
        try:
            yield
        finally:
            self.file.write_bytes(content)


@cache
def candidates() -> dict[tuple[Path, int], list[Mutant]]:
    """Return all possible faults by file and line."""
    by_line: dict[tuple[Path, int], list[Mutant]] = {}
    for file in sorted(file for folder in PRODUCT for file in (ROOT / folder).rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        for mutant in (*find_mutants(text), *find_deletions(text)):
            by_line.setdefault((file, mutant.line), []).append(mutant)
    return by_line


def draw(seed: int) -> Iterator[Fault]:
    """Yield one fault for every line that can have one, in the order of the seed."""
    rng = random.Random(seed)
    by_line = candidates()
    lines = sorted(by_line)
    rng.shuffle(lines)
    for line in lines:
        yield Fault(line[0], rng.choice(by_line[line]))


def found_by() -> tuple[str, str] | None:
    """Return the make target and its first failed test, or None if all pass."""
    for command, options in STAGES:
        pytest = (sys.executable, "-m", "pytest", "-x", "--maxfail=1", *options)
        done = subprocess.run(pytest, cwd=ROOT, capture_output=True, text=True, check=False)
        with LOG.open("a", encoding="utf-8") as log:
            log.write(done.stdout + done.stderr)
        if done.returncode:
            failed = FAILED.search(done.stdout)
            return command, failed[1] if failed else "pytest itself"
    return None


def is_clean() -> bool:
    git = ("git", "-C", str(ROOT), "status", "--porcelain", "--untracked-files=no")
    return not subprocess.run(git, capture_output=True, check=True).stdout


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.planted_faults", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("count", type=int, nargs="?", default=25, metavar="N", help="(default: 25)")
    parser.add_argument("--seed", type=int, default=1, help="(default: 1)")
    parser.add_argument(
        "--from", dest="first", type=int, default=1, metavar="K", help="begin with fault K"
    )
    parser.add_argument("--without", action="append", default=[], metavar="FILE:LINE")
    parser.add_argument("--list", action="store_true", help="only list the faults")
    args = parser.parse_args()
    drawn = (fault for fault in draw(args.seed) if fault.place not in args.without)
    faults = [fault for fault, _ in zip(drawn, range(args.count), strict=False)]
    if not args.list and not is_clean():
        print("planted_faults: this checkout has changes: work in a clone", file=sys.stderr)
        return 2
    LOG.parent.mkdir(exist_ok=True)
    missed = 0
    for number, fault in list(enumerate(faults, 1))[args.first - 1 :]:
        print(f"{number:3} {fault.place}  {fault.mutant.description}", flush=True)
        if args.list:
            continue
        start = time.monotonic()
        with fault.planted():
            found = found_by()
        missed += found is None or found[0] == "make test-long"
        result = f"{found[0]}: {found[1]}" if found else "NOT FOUND"
        print(f"      {result} ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{missed} of {len(faults) - args.first + 1} not found by make test")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
