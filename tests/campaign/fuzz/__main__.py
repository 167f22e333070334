"""Fuzz each target for a while, one after the other, and print what was found.

With atheris the fuzzing is guided by the branches that an input reaches, and the learned inputs are
kept in build/fuzz for the next run. Without atheris the corpus is mutated at random. A finding is
minimised and stored in build/fuzz/finds; `python -m tests.campaign.fuzz TARGET --try FILE` shows
what it breaks.
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

from tests.campaign.fuzz import targets
from tests.campaign.fuzz.contract import memory_folder
from tests.campaign.fuzz.finding import minimise, signature_of
from tests.campaign.fuzz.mutation import mutate
from tests.campaign.fuzz.targets import Target

BUILD = Path("build/fuzz")
FINDS = BUILD / "finds"
PRINT_EVERY = 10.0
INPUT_TIMEOUT = 20
"""Seconds that one input may take before it counts as a hang."""
MIN_MINUTES = 1 / 60
"""A second; libFuzzer takes 0 for no limit."""
MAX_MINUTES = 7 * 24 * 60
STATUS = re.compile(r"^#(\d+)\s+(\w+)\s+cov: (\d+)")
WRITTEN = re.compile(r"Test unit written to (\S+)")


class Outcome(NamedTuple):
    """The result of one target."""

    name: str
    inputs: int
    seconds: float
    branches: tuple[int, int] | None
    """Reached by the corpus, and at the end; None if not counted."""
    finding: Path | None


def main() -> int:
    args = _arguments()
    if args.try_file:
        targets.load(args.target[0]).fuzz_one(args.try_file.read_bytes())
        print("the input breaks nothing")
        return 0
    guided = find_spec("atheris") is not None
    if not guided:
        print("atheris is not installed: mutating at random, without guidance", flush=True)
    FINDS.mkdir(parents=True, exist_ok=True)
    outcomes = []
    for name in args.target or targets.NAMES:
        print(f"{name}: for {_minutes_text(args.minutes)} ...", flush=True)
        outcomes.append((_guided if guided else _unguided)(name, args.minutes * 60))
    _summarise(outcomes)
    return 1 if any(outcome.finding for outcome in outcomes) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.fuzz", description=__doc__)
    parser.add_argument("target", nargs="*", help=f"{', '.join(targets.NAMES)} (default: all)")
    parser.add_argument(
        "--minutes", type=_number, default=1.0, help="minutes for each target (default: 1)"
    )
    parser.add_argument(
        "--try", dest="try_file", metavar="FILE", type=Path, help="try this input only"
    )
    args = parser.parse_args()
    if error := _argument_error(args):
        parser.exit(2, f"{parser.prog}: {error}\n")
    return args


def _argument_error(args: argparse.Namespace) -> str | None:
    for name in args.target:
        if name not in targets.NAMES:
            return f"unknown target {name}; choose from {', '.join(targets.NAMES)}"
    if not MIN_MINUTES <= args.minutes <= MAX_MINUTES:
        return f"--minutes must be from a second to a week, not {_minutes_text(args.minutes)}"
    if args.try_file and len(args.target) != 1:
        return "--try needs exactly one target"
    if args.try_file and not args.try_file.is_file():
        return f"no such file: {args.try_file}"
    return None


def _number(text: str) -> float:
    """The number; NaN if the text is not a number."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _minutes_text(minutes: float) -> str:
    if math.isnan(minutes):
        return "an invalid number"
    return f"{minutes:g} minute{'' if minutes == 1 else 's'}"


# With atheris


def _guided(name: str, seconds: float) -> Outcome:
    learned = BUILD / "corpus" / name
    learned.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={round(seconds)}",
        f"-timeout={INPUT_TIMEOUT}",
        f"-artifact_prefix={FINDS}/{name}-",
        "-print_final_stats=0",
        f"-dict={_dictionary(name)}",
    ]
    command = [
        "-m",
        "tests.campaign.fuzz.guided",
        name,
        *options,
        str(learned),
        str(targets.CORPUS / name),
    ]
    log = BUILD / f"{name}.log"
    began = time.monotonic()
    # libFuzzer exits without cleaning up.
    with (
        tempfile.TemporaryDirectory(prefix="tellerbox-fuzz-", dir=memory_folder()) as folder,
        subprocess.Popen(
            [sys.executable, *command],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": folder},
            text=True,
            errors="replace",
        ) as process,
    ):
        assert process.stderr
        inputs, branches, finding = _follow(process.stderr, log, name, began)
    passed = time.monotonic() - began
    if process.returncode and finding is None:
        # The process did not start, or was killed.
        print(log.read_text(encoding="utf-8")[-2000:], file=sys.stderr)
        finding = log
    elif finding is not None:
        _report_finding(name, finding)
    return Outcome(name, inputs, passed, branches, finding)


def _dictionary(name: str) -> Path:
    """Write libFuzzer's dictionary: a quoted word per line, every byte in hexadecimal."""
    lines = ['"' + "".join(f"\\x{b:02x}" for b in w) + '"' for w in targets.load(name).words]
    path = BUILD / f"{name}.words"
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def _follow(
    lines: Iterator[str], log: Path, name: str, began: float
) -> tuple[int, tuple[int, int], Path | None]:
    """Log libFuzzer's output, and print its progress now and then."""
    inputs = first = last = 0
    finding = None
    printed_at = began
    with log.open("w", encoding="utf-8") as written:
        for line in lines:
            written.write(line)
            if status := STATUS.match(line):
                inputs, last = int(status[1]), int(status[3])
                first = last if status[2] == "INITED" else first
                if time.monotonic() - printed_at >= PRINT_EVERY:
                    printed_at = time.monotonic()
                    print(
                        f"{name}: {printed_at - began:4.0f} s, {inputs} inputs, {last} branches",
                        flush=True,
                    )
            elif found := WRITTEN.search(line):
                finding = Path(found[1])
    return inputs, (first, last), finding


# Without atheris


def _unguided(name: str, seconds: float) -> Outcome:
    target = targets.load(name)
    seeds = [file.read_bytes() for file in targets.seeds_of(name)]
    rng = Random(os.urandom(8))
    began = printed_at = time.monotonic()
    inputs = 0
    while (now := time.monotonic()) - began < seconds:
        data = mutate(target, seeds, rng)
        inputs += 1
        if signature_of(target, data):
            finding = FINDS / f"{name}-{hashlib.sha1(data).hexdigest()}"
            finding.write_bytes(data)
            _report_finding(name, finding)
            return Outcome(name, inputs, time.monotonic() - began, None, finding)
        if now - printed_at >= PRINT_EVERY:
            printed_at = now
            print(f"{name}: {now - began:4.0f} s, {inputs} inputs", flush=True)
    return Outcome(name, inputs, time.monotonic() - began, None, None)


# Results


def _report_finding(name: str, finding: Path) -> None:
    """Minimise in a separate process, because the input may hang."""
    print(f"{name}: found something; minimising it ...", flush=True)
    script = (
        "import sys; from tests.campaign.fuzz.__main__ import minimise_file; "
        "minimise_file(*sys.argv[1:])"
    )
    try:
        subprocess.run([sys.executable, "-c", script, name, str(finding)], timeout=120, check=False)
    except subprocess.TimeoutExpired:
        print(f"{name}: minimising takes too long", flush=True)
    print(f"{name}: {finding}", flush=True)
    print(f"{name}: replay: python -m tests.campaign.fuzz {name} --try {finding}", flush=True)


def minimise_file(name: str, finding: str) -> None:
    target: Target = targets.load(name)
    path = Path(finding)
    path.write_bytes(minimise(target, path.read_bytes()))


def _summarise(outcomes: list[Outcome]) -> None:
    print(f"\n{'target':10}  {'inputs':>9}  {'a second':>8}  {'branches':>14}  found")
    for name, inputs, seconds, branches, finding in outcomes:
        reached = f"{branches[0]} -> {branches[1]}" if branches else "not counted"
        rate = inputs / seconds if seconds else 0
        print(f"{name:10}  {inputs:9}  {rate:8.0f}  {reached:>14}  {finding or 'nothing'}")


if __name__ == "__main__":
    sys.exit(main())
