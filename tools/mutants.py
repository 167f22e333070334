"""Changes every constant and operator of the drivers in turn, and counts who notices.

A driver is full of numbers that look right: masks, register bits, times. For each one a
copy of the driver is made in which it is another, and the tests of the drivers are run on
that copy. A change that no test notices, a survivor, is a number that nothing holds in its
place, or one that does not matter.

Why no ready-made package: mutmut 3 does not get on with the pytest in our lock, and leaves
alone what is read at import, which is where a driver keeps its constants. Here each change
has a process of its own, forked before any driver is loaded, and an import hook that hands
out the changed source.
"""

import argparse
import importlib
import math
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing
from enum import Enum, auto
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from tools.mutations import Mutant, find_mutants

ROOT = Path(__file__).resolve().parents[1]
DRIVERS = ROOT / "hal" / "pi"
LOG = ROOT / "build" / "mutants.log"

ENOUGH = 0.90
"""The share of the changes that has to be noticed."""

LIKELY = {
    "board.py": ("board", "slots"),
    "buzzer.py": ("buzzer",),
    "debounce.py": ("debounce", "keypad"),
    "diagnosis.py": ("selftest",),
    "gpio.py": ("gpio_libraries",),
    "keypad.py": ("keypad",),
    "parts_check.py": ("selftest",),
    "presence.py": ("presence", "slots"),
    "reader.py": ("reader", "slots"),
    "screen.py": ("screen",),
    "site.py": ("selftest",),
    "slots.py": ("slots", "reader"),
    "system_check.py": ("selftest",),
    "waiter.py": ("waiter",),
}
"""Who notices first, most of the time; all the others are asked only after these."""

TESTS = ROOT / "tests" / "drivers"
LEFT_OUT = ("test_noise.py", "test_gpio_libraries.py", "test_selftest.py")
"""Too slow to run for each survivor, unless they are the likely ones. What noise shows of a wrong
number it shows by chance; a number has to be held in its place by a test that means it."""

PI_PACKAGES = ("PIL.Image", "RPi.GPIO", "gpiozero.pins.lgpio", "luma.core.device", "mfrc522")
"""What takes long to load. Not luma.oled: it starts threads, which no child would inherit."""
REVISION = "a02082"
"""A Pi 3: what the packages ask the kernel for on a real one."""

TEST_LIMIT = 30
"""Seconds for one test, seven times what the slowest takes: some changes loop for ever."""
LIMIT = 120
"""Seconds for all tests of one change."""
MEMORY = 2 << 30
"""Bytes: some changes hoard."""
TELL_EVERY = 25


class Trouble(Exception):
    """Why nothing can be said, in one sentence."""


# One change, in a process of its own


class Job(NamedTuple):
    """A driver, and the change to make; None to see that the tests pass without any."""

    file: Path
    content: bytes
    """As it was when the changes were found: it may be edited while they are tried."""
    mutant: Mutant | None

    @property
    def changed(self) -> bytes:
        return self.mutant.applied(self.content) if self.mutant else self.content

    @property
    def name(self) -> str:
        return self.file.relative_to(ROOT).as_posix()

    def __str__(self) -> str:
        return f"{self.name}:{self.mutant.line}: {self.mutant.words}" if self.mutant else self.name


class Verdict(Enum):
    KILLED = auto()
    TIMED_OUT = auto()
    SURVIVED = auto()
    NOT_JUDGED = auto()
    """The tests could not be run."""


class ChangedLoader(SourceFileLoader):
    """Loads a module from other source than its file has."""

    def __init__(self, module: str, file: Path, content: bytes) -> None:
        super().__init__(module, str(file))
        self._content = content

    def get_code(self, fullname: str) -> CodeType:
        del fullname  # There is only one, and nothing of it may come from a cache.
        code = compile(self._content, self.path, "exec", dont_inherit=True)
        assert isinstance(code, CodeType)
        return code


class ChangedFinder:
    """Finds one module before anybody else does."""

    def __init__(self, job: Job) -> None:
        parts = job.file.relative_to(ROOT).with_suffix("").parts
        self._module = ".".join(parts).removesuffix(".__init__")
        self._loader = ChangedLoader(self._module, job.file, job.changed)

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> ModuleSpec | None:
        if fullname != self._module:
            return None
        return spec_from_file_location(fullname, self._loader.path, loader=self._loader)


class Hourglass:
    """A plugin of pytest: turned with each test, and when it has run out the process dies."""

    def __init__(self) -> None:
        self._end = time.monotonic() + LIMIT
        self.pytest_runtest_setup()

    def pytest_runtest_setup(self) -> None:
        left = self._end - time.monotonic()
        # Nobody handles the signal, so not even an endless loop in C outlives it.
        signal.alarm(max(1, math.ceil(min(TEST_LIMIT, left))))


def load_packages() -> None:
    """Load what all children need, once; but no driver, for each child has its own."""
    sys.path.insert(0, str(ROOT))
    os.environ["RPI_LGPIO_REVISION"] = REVISION
    # Hypothesis and coverage take longer to load than most changes take to be noticed.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        import pytest

        from sim.chips.stand_ins import plug_in
        from sim.virtual import Hardware

        plug_in(Hardware())
        for name in PI_PACKAGES:
            importlib.import_module(name)
    except ImportError as error:
        raise Trouble(f"the package {error.name} is missing; `make test` installs it") from None
    assert pytest, "the children use it"
    loaded = [name for name in sys.modules if name.startswith("hal.pi")]
    assert not loaded, f"{loaded} would be the same in every child"


def passes(job: Job) -> tuple[list[str], list[str]]:
    """The tests most likely to notice, and all others."""
    likely = [f"test_{part}.py" for part in LIKELY.get(job.file.name, ())]
    every = sorted(file.name for file in TESTS.glob("test_*.py"))
    others = [name for name in every if name not in (*likely, *LEFT_OUT)]
    return [str(TESTS / name) for name in likely], [str(TESTS / name) for name in others]


def run_tests(job: Job) -> int:
    """What pytest says: 0 when nobody noticed anything."""
    import pytest

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.meta_path.insert(0, ChangedFinder(job))
    hourglass = Hourglass()
    # Those tests start processes of their own, which have the drivers as they are.
    options = ["-k", "not the_drivers_work_on", "-x", "-q", "--tb=line", "-p", "no:cacheprovider"]
    for tests in passes(job):
        status = pytest.main([*options, *tests], plugins=[hourglass]) if tests else 0
        if status:
            return int(status)
    return 0


def output_of(child: int) -> Path:
    """Where a child writes, until it has ended: two in one file would be unreadable."""
    return LOG.with_suffix(f".{child}")


def start(job: Job) -> int:
    """Fork a child for a job; its process id."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        with output_of(os.getpid()).open("wb") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        print(f"=== {job}", flush=True)
        status = run_tests(job)
    except BaseException:
        # A change that breaks even pytest is noticed.
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # At once: no thread of a test, and nothing of the parent's, ends here.
        os._exit(status)


def verdict(wait_status: int) -> Verdict:
    import pytest

    if os.WIFSIGNALED(wait_status):
        timed_out = os.WTERMSIG(wait_status) == signal.SIGALRM
        return Verdict.TIMED_OUT if timed_out else Verdict.KILLED
    match os.WEXITSTATUS(wait_status):
        case pytest.ExitCode.OK:
            return Verdict.SURVIVED
        case pytest.ExitCode.USAGE_ERROR | pytest.ExitCode.NO_TESTS_COLLECTED:
            return Verdict.NOT_JUDGED
    return Verdict.KILLED


# All changes


def judge(jobs: Sequence[Job]) -> Generator[tuple[Job, Verdict], None, None]:
    """Run the tests on every change, as many at once as there are processors."""
    waiting = list(reversed(jobs))
    running: dict[int, Job] = {}
    try:
        while waiting or running:
            while waiting and len(running) < (os.cpu_count() or 1):
                job = waiting.pop()
                running[start(job)] = job
            child, status = os.wait()
            job = running.pop(child)
            keep_output(child)
            yield job, verdict(status)
    finally:
        for child in running:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            keep_output(child)


def keep_output(child: int) -> None:
    output = output_of(child)
    if output.exists():
        with LOG.open("ab") as log:
            log.write(output.read_bytes())
        output.unlink()


def check_unchanged(job: Job) -> None:
    """Tests that fail anyway would notice every change."""
    LOG.parent.mkdir(exist_ok=True)
    LOG.unlink(missing_ok=True)
    with closing(judge([job._replace(mutant=None)])) as verdicts:
        for _, found in verdicts:
            if found is not Verdict.SURVIVED:
                raise Trouble(f"the tests fail without any change; see {LOG.relative_to(ROOT)}")


def judge_all(jobs: Sequence[Job]) -> dict[Job, Verdict]:
    """What became of every change; when interrupted, of those that had their turn."""
    found: dict[Job, Verdict] = {}
    try:
        with closing(judge(jobs)) as verdicts:
            for job, what in verdicts:
                if what is Verdict.NOT_JUDGED:
                    raise Trouble(f"pytest could not run; see {LOG.relative_to(ROOT)}")
                found[job] = what
                if len(found) % TELL_EVERY == 0:
                    survived = Counter(found.values())[Verdict.SURVIVED]
                    print(f"{len(found)} of {len(jobs)}, {survived} survived", flush=True)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    return found


def summarise(found: dict[Job, Verdict]) -> None:
    for name in sorted({job.name for job in found}):
        print_count(name, [what for job, what in found.items() if job.name == name])
    print_count("all", list(found.values()))
    for job in sorted(found):
        if found[job] is Verdict.SURVIVED:
            print(job)


def print_count(name: str, verdicts: Sequence[Verdict]) -> None:
    count = Counter(verdicts)
    killed = len(verdicts) - count[Verdict.SURVIVED]
    print(
        f"{name:24}{killed:5} killed ({count[Verdict.TIMED_OUT]} by time-out)"
        f"{count[Verdict.SURVIVED]:5} survived{killed / max(1, len(verdicts)):7.1%}"
    )


# The command


def driver(name: str) -> Path:
    """A file as it was named on the command line, if it is a driver."""
    file = Path(name).resolve()
    if not file.is_file():
        raise Trouble(f"there is no file {name}")
    if file.parent != DRIVERS or file.suffix != ".py":
        raise Trouble(f"{name} is not a driver; those are the Python files of hal/pi")
    return file


def jobs_of(file: Path) -> list[Job]:
    content = file.read_bytes()
    try:
        return [Job(file, content, mutant) for mutant in find_mutants(content.decode())]
    except (SyntaxError, ValueError) as error:
        raise Trouble(f"{file.relative_to(ROOT)} is not valid Python: {error}") from None


def run(names: Sequence[str], only_list: bool) -> int:
    files = [driver(name) for name in dict.fromkeys(names)] or sorted(DRIVERS.glob("*.py"))
    jobs = [job for file in files for job in jobs_of(file)]
    if only_list or not jobs:
        for job in jobs:
            print(job)
        print(f"{len(jobs)} changes")
        return 0
    os.chdir(ROOT)
    # Whoever stops this stops the children too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    load_packages()
    check_unchanged(jobs[0])
    print(f"{len(jobs)} changes; what pytest says goes to {LOG.relative_to(ROOT)}", flush=True)
    found = judge_all(jobs)
    summarise(found)
    if len(found) < len(jobs):
        return 128 + signal.SIGINT
    survived = Counter(found.values())[Verdict.SURVIVED]
    return 0 if 1 - survived / len(jobs) >= ENOUGH else 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Change every constant and operator of the drivers in turn, run the tests"
        " of the drivers on each change, and list the changes that no test notices.",
        epilog=f"The exit status is 1 when less than {ENOUGH:.0%} of the changes are noticed, and 2"
        f" when nothing could be tried. What pytest said about each is in {LOG.relative_to(ROOT)}.",
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="a driver, like hal/pi/reader.py (default: all)"
    )
    parser.add_argument("--list", action="store_true", help="only list the changes, run nothing")
    arguments = parser.parse_args()
    try:
        status = run(arguments.files, arguments.list)
        sys.stdout.flush()
        return status
    except Trouble as trouble:
        print(f"mutants: {trouble}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # Whoever read the list has seen enough; Python itself would still want to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE


if __name__ == "__main__":
    sys.exit(main())
