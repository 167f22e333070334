"""``make fuzz``: every target for a while, one after the other, and what was found.

With atheris it is guided by which branches of our code an input reaches, and what it has
learned is kept in build/fuzz for the next time. Where there is no atheris for a machine it
changes the corpus by the dice alone, and says so. A find is made as short as it can be and
lies in build/fuzz/finds; ``python -m tests.fuzz TARGET --try FILE`` shows what it breaks.
"""

import argparse
import hashlib
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.fuzz import targets
from tests.fuzz.contract import memory
from tests.fuzz.finding import broken_by, minimised
from tests.fuzz.mutation import mutated
from tests.fuzz.targets import Target

BUILD = Path("build/fuzz")
FINDS = BUILD / "finds"
TELL_EVERY = 10.0
LONGEST_INPUT = 20
"""Seconds that one input may take before it counts as a hang."""
LEAST_MINUTES = 1 / 60
"""A second; to libFuzzer none means for ever."""
MOST_MINUTES = 7 * 24 * 60
STATUS = re.compile(r"^#(\d+)\s+(\w+)\s+cov: (\d+)")
KEPT = re.compile(r"Test unit written to (\S+)")


class Outcome(NamedTuple):
    """How one target went."""

    name: str
    inputs: int
    seconds: float
    branches: tuple[int, int] | None
    """Reached by the corpus, and in the end; None where nobody looked."""
    find: Path | None


def main() -> int:
    args = _arguments()
    if args.try_file:
        targets.load(args.target[0]).fuzz_one(args.try_file.read_bytes())
        print("every promise was kept")
        return 0
    guided = find_spec("atheris") is not None
    if not guided:
        print("there is no atheris for this Python and machine: by the dice alone", flush=True)
    FINDS.mkdir(parents=True, exist_ok=True)
    outcomes = []
    for name in args.target or targets.NAMES:
        print(f"{name}: for {_in_words(args.minutes)} ...", flush=True)
        outcomes.append((_guided if guided else _by_dice)(name, args.minutes * 60))
    _summarise(outcomes)
    return 1 if any(outcome.find for outcome in outcomes) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", nargs="*", help=f"{', '.join(targets.NAMES)} (default: all)")
    parser.add_argument("--minutes", type=_number, default=1.0, help="for each (default: 1)")
    parser.add_argument("--try", dest="try_file", metavar="FILE", type=Path, help="one input only")
    args = parser.parse_args()
    if mistake := _mistake(args):
        parser.exit(2, f"{parser.prog}: {mistake}\n")
    return args


def _mistake(args: argparse.Namespace) -> str | None:
    for name in args.target:
        if name not in targets.NAMES:
            return f"there is no target {name}; there are {', '.join(targets.NAMES)}"
    if not LEAST_MINUTES <= args.minutes <= MOST_MINUTES:
        return f"a target takes from a second to a week, not {_in_words(args.minutes)}"
    if args.try_file and len(args.target) != 1:
        return "--try needs the one target whose input it is"
    if args.try_file and not args.try_file.is_file():
        return f"there is no file {args.try_file}"
    return None


def _number(text: str) -> float:
    """What is no number is none of minutes, either."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _in_words(minutes: float) -> str:
    if math.isnan(minutes):
        return "something that is no number of minutes"
    return f"{minutes:g} minute{'' if minutes == 1 else 's'}"


# With atheris


def _guided(name: str, seconds: float) -> Outcome:
    learned = BUILD / "corpus" / name
    learned.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={round(seconds)}",
        f"-timeout={LONGEST_INPUT}",
        f"-artifact_prefix={FINDS}/{name}-",
        "-print_final_stats=0",
        f"-dict={_dictionary(name)}",
    ]
    words = ["-m", "tests.fuzz.guided", name, *options, str(learned), str(targets.CORPUS / name)]
    log = BUILD / f"{name}.log"
    began = time.monotonic()
    # libFuzzer ends without a chance to tidy up.
    with (
        tempfile.TemporaryDirectory(prefix="tellerbox-fuzz-", dir=memory()) as folder,
        subprocess.Popen(
            [sys.executable, *words],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": folder},
            text=True,
            errors="replace",
        ) as process,
    ):
        assert process.stderr
        inputs, branches, kept = _followed(process.stderr, log, name, began)
    passed = time.monotonic() - began
    if process.returncode and kept is None:
        # It did not even begin, or was killed.
        print(log.read_text(encoding="utf-8")[-2000:], file=sys.stderr)
        kept = log
    elif kept is not None:
        _tell_find(name, kept)
    return Outcome(name, inputs, passed, branches, kept)


def _dictionary(name: str) -> Path:
    """As libFuzzer wants it: a word in quotes on each line, every byte in hexadecimal."""
    lines = ['"' + "".join(f"\\x{b:02x}" for b in w) + '"' for w in targets.load(name).words]
    path = BUILD / f"{name}.words"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def _followed(
    said: Iterator[str], log: Path, name: str, began: float
) -> tuple[int, tuple[int, int], Path | None]:
    """Pass on now and then what libFuzzer tells all the time."""
    inputs = first = last = 0
    kept = None
    told = began
    with log.open("w", encoding="utf-8") as written:
        for line in said:
            written.write(line)
            if status := STATUS.match(line):
                inputs, last = int(status[1]), int(status[3])
                first = last if status[2] == "INITED" else first
                if time.monotonic() - told >= TELL_EVERY:
                    told = time.monotonic()
                    print(
                        f"{name}: {told - began:4.0f} s, {inputs} inputs, {last} branches",
                        flush=True,
                    )
            elif found := KEPT.search(line):
                kept = Path(found[1])
    return inputs, (first, last), kept


# Without


def _by_dice(name: str, seconds: float) -> Outcome:
    target = targets.load(name)
    seeds = [file.read_bytes() for file in targets.seeds_of(name)]
    dice = Random(os.urandom(8))
    began = told = time.monotonic()
    inputs = 0
    while (now := time.monotonic()) - began < seconds:
        data = mutated(target, seeds, dice)
        inputs += 1
        if broken_by(target, data):
            kept = FINDS / f"{name}-{hashlib.sha1(data).hexdigest()}"
            kept.write_bytes(data)
            _tell_find(name, kept)
            return Outcome(name, inputs, time.monotonic() - began, None, kept)
        if now - told >= TELL_EVERY:
            told = now
            print(f"{name}: {now - began:4.0f} s, {inputs} inputs", flush=True)
    return Outcome(name, inputs, time.monotonic() - began, None, None)


# What comes of it


def _tell_find(name: str, kept: Path) -> None:
    """In a process of its own: an input that hangs would hang here as well."""
    print(f"{name}: found something; making it shorter ...", flush=True)
    script = "import sys; from tests.fuzz.__main__ import shorten; shorten(*sys.argv[1:])"
    try:
        subprocess.run([sys.executable, "-c", script, name, str(kept)], timeout=120, check=False)
    except subprocess.TimeoutExpired:
        print(f"{name}: it takes too long to make it shorter", flush=True)
    print(f"{name}: {kept}; see it by: python -m tests.fuzz {name} --try {kept}", flush=True)


def shorten(name: str, kept: str) -> None:
    target: Target = targets.load(name)
    path = Path(kept)
    path.write_bytes(minimised(target, path.read_bytes()))


def _summarise(outcomes: list[Outcome]) -> None:
    print(f"\n{'target':8}  {'inputs':>9}  {'a second':>8}  {'branches':>14}  found")
    for name, inputs, seconds, branches, find in outcomes:
        reached = f"{branches[0]} -> {branches[1]}" if branches else "not counted"
        rate = inputs / seconds if seconds else 0
        print(f"{name:8}  {inputs:9}  {rate:8.0f}  {reached:>14}  {find or 'nothing'}")


if __name__ == "__main__":
    sys.exit(main())
