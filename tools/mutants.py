"""Mutation tests: changes every constant and operator of the drivers, and runs their tests.

Drivers are full of numbers that look right: masks, register bits, times. For each change, the
driver tests run on the changed source. A change that no test detects, a survivor, is an
untested number or one that does not matter.

Why not a ready-made package: mutmut 3 does not work with the pytest in our lock file, and does
not change module-level code, where drivers keep their constants. cosmic-ray works, but it writes
each change into the checkout, and starts Python and pytest for it. Here each change has its own
process, forked before any driver is imported, and an import hook that loads the changed source.
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

REQUIRED_SHARE = 0.90
"""The share of changes that the tests must detect."""

LIKELY = {
    "board.py": ("board", "slots"),
    "buzzer.py": ("buzzer",),
    "debounce.py": ("debounce", "keypad"),
    "selftest/diagnosis.py": ("selftest",),
    "gpio.py": ("gpio_libraries",),
    "keypad.py": ("keypad",),
    "selftest/parts_check.py": ("selftest",),
    "presence.py": ("presence", "slots"),
    "readers/mfrc522.py": ("reader", "slots"),
    "screens/oled.py": ("screen",),
    "open_board.py": ("selftest",),
    "slots.py": ("slots", "reader"),
    "selftest/system_check.py": ("selftest",),
    "waiter.py": ("waiter",),
}
"""The tests that detect most changes of a driver; they run before all others."""

TESTS = ROOT / "tests" / "drivers"
SLOW = ("test_noise.py", "test_gpio_libraries.py", "test_selftest.py")
"""Too slow to run for each survivor; they run only where LIKELY names them. The noise test would
detect a wrong number only by chance."""

PI_PACKAGES = ("PIL.Image", "RPi.GPIO", "gpiozero.pins.lgpio", "luma.core.device", "mfrc522")
"""Slow to import. Not luma.oled: it starts threads, which a forked child does not inherit."""
REVISION = "a02082"
"""Of a Pi 3; the packages read it from the kernel on a real Pi."""

TEST_TIMEOUT = 30
"""Seconds for one test, seven times what the slowest takes: some changes cause endless loops."""
TIMEOUT = 120
"""Seconds for all tests of one change."""
MEMORY_LIMIT = 2 << 30
"""Bytes: some changes allocate without end."""
REPORT_EVERY = 25


class MutationError(Exception):
    """The run is not possible; the message is one sentence."""


# One change, in its own process


class Job(NamedTuple):
    """A driver and a change; None stands for no change."""

    file: Path
    content: bytes
    """The source when the changes were found; the file may be edited meanwhile."""
    mutant: Mutant | None

    @property
    def changed(self) -> bytes:
        return self.mutant.applied(self.content) if self.mutant else self.content

    @property
    def name(self) -> str:
        return self.file.relative_to(ROOT).as_posix()

    def __str__(self) -> str:
        if self.mutant is None:
            return self.name
        return f"{self.name}:{self.mutant.line}: {self.mutant.description}"


class Verdict(Enum):
    KILLED = auto()
    TIMED_OUT = auto()
    SURVIVED = auto()
    NOT_RUN = auto()
    """pytest could not run the tests."""


class ChangedLoader(SourceFileLoader):
    """Loads a module from a given source instead of its file."""

    def __init__(self, module: str, file: Path, content: bytes) -> None:
        super().__init__(module, str(file))
        self._content = content

    def get_code(self, fullname: str) -> CodeType:
        del fullname  # It loads one module, and must bypass the bytecode cache.
        code = compile(self._content, self.path, "exec", dont_inherit=True)
        assert isinstance(code, CodeType)
        return code


class ChangedFinder:
    """Finds the changed module before the other finders do."""

    def __init__(self, job: Job) -> None:
        parts = job.file.relative_to(ROOT).with_suffix("").parts
        self._module = ".".join(parts).removesuffix(".__init__")
        self._loader = ChangedLoader(self._module, job.file, job.changed)

    def find_spec(self, fullname: str, _path: object, _target: object = None) -> ModuleSpec | None:
        if fullname != self._module:
            return None
        return spec_from_file_location(fullname, self._loader.path, loader=self._loader)


class TimeLimit:
    """A pytest plugin that kills the process when a test or the whole run takes too long."""

    def __init__(self) -> None:
        self._deadline = time.monotonic() + TIMEOUT
        self.pytest_runtest_setup()

    def pytest_runtest_setup(self) -> None:
        left = self._deadline - time.monotonic()
        # The signal has no handler, so it also ends an endless loop in C.
        signal.alarm(max(1, math.ceil(min(TEST_TIMEOUT, left))))


def load_packages() -> None:
    """Import what all children need, once; but no driver, because each child loads its own."""
    sys.path.insert(0, str(ROOT))
    os.environ["RPI_LGPIO_REVISION"] = REVISION
    # Loading Hypothesis and coverage takes longer than most test runs.
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        import pytest

        from sim.virtual.hardware import Hardware
        from sim.virtual.stand_ins import plug_in

        plug_in(Hardware())
        for name in PI_PACKAGES:
            importlib.import_module(name)
    except ImportError as error:
        message = f"the package {error.name} is missing: run tools/setup test"
        raise MutationError(message) from None
    assert pytest, "the children use it"
    loaded = [name for name in sys.modules if name.startswith("hal.pi")]
    assert not loaded, f"{loaded} would be the same in every child"


def tests_for(job: Job) -> tuple[list[str], list[str]]:
    """Return the tests most likely to detect the change, and all others."""
    likely = [
        f"test_{part}.py" for part in LIKELY.get(job.file.relative_to(DRIVERS).as_posix(), ())
    ]
    every = sorted(file.name for file in TESTS.glob("test_*.py"))
    others = [name for name in every if name not in (*likely, *SLOW)]
    return [str(TESTS / name) for name in likely], [str(TESTS / name) for name in others]


def run_tests(job: Job) -> int:
    """Return pytest's exit status: 0 if no test detected the change."""
    import pytest

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    sys.meta_path.insert(0, ChangedFinder(job))
    time_limit = TimeLimit()
    # The excluded tests start new processes, which import the unchanged drivers.
    options = ["-k", "not drivers_work_on", "-x", "-q", "--tb=line", "-p", "no:cacheprovider"]
    for tests in tests_for(job):
        status = pytest.main([*options, *tests], plugins=[time_limit]) if tests else 0
        if status:
            return int(status)
    return 0


def output_of(child: int) -> Path:
    """Return the log of a running child; each has its own, because several run at once."""
    return LOG.with_suffix(f".{child}")


def start(job: Job) -> int:
    """Fork a child for a job and return its process id."""
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
        # A change that breaks pytest counts as detected.
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Exit at once: no cleanup of test threads or of the parent's objects.
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
            return Verdict.NOT_RUN
    return Verdict.KILLED


# All changes


def judge(jobs: Sequence[Job]) -> Generator[tuple[Job, Verdict], None, None]:
    """Run the tests on every change, one process per CPU."""
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
    """Check that the tests pass without a change; otherwise they would detect every change."""
    LOG.parent.mkdir(exist_ok=True)
    LOG.unlink(missing_ok=True)
    with closing(judge([job._replace(mutant=None)])) as verdicts:
        for _, found in verdicts:
            if found is not Verdict.SURVIVED:
                log = LOG.relative_to(ROOT)
                raise MutationError(f"the tests fail without any change; see {log}")


def judge_all(jobs: Sequence[Job]) -> dict[Job, Verdict]:
    """Return the verdict on every change; after an interrupt, on those that were tested."""
    found: dict[Job, Verdict] = {}
    try:
        with closing(judge(jobs)) as verdicts:
            for job, what in verdicts:
                if what is Verdict.NOT_RUN:
                    raise MutationError(f"pytest could not run; see {LOG.relative_to(ROOT)}")
                found[job] = what
                if len(found) % REPORT_EVERY == 0:
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
    """Return the path of a driver that is named on the command line."""
    file = Path(name).resolve()
    if not file.is_file():
        raise MutationError(f"there is no file {name}")
    if DRIVERS not in file.parents or file.suffix != ".py":
        raise MutationError(f"{name} is not a driver: name a Python file of hal/pi")
    return file


def jobs_of(file: Path) -> list[Job]:
    content = file.read_bytes()
    try:
        return [Job(file, content, mutant) for mutant in find_mutants(content.decode())]
    except (SyntaxError, ValueError) as error:
        raise MutationError(f"{file.relative_to(ROOT)} is not valid Python: {error}") from None


def run(names: Sequence[str], only_list: bool) -> int:
    files = [driver(name) for name in dict.fromkeys(names)] or sorted(DRIVERS.rglob("*.py"))
    jobs = [job for file in files for job in jobs_of(file)]
    if only_list or not jobs:
        for job in jobs:
            print(job)
        print(f"{len(jobs)} changes")
        return 0
    os.chdir(ROOT)
    # SIGTERM must stop the children too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    load_packages()
    check_unchanged(jobs[0])
    print(f"{len(jobs)} changes; the output of pytest is in {LOG.relative_to(ROOT)}", flush=True)
    found = judge_all(jobs)
    summarise(found)
    if len(found) < len(jobs):
        return 128 + signal.SIGINT
    survived = Counter(found.values())[Verdict.SURVIVED]
    return 0 if 1 - survived / len(jobs) >= REQUIRED_SHARE else 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Change every constant and operator of the drivers in turn, run the driver"
        " tests on each change, and list the changes that no test detects.",
        epilog=f"The exit status is 1 if the tests detect less than {REQUIRED_SHARE:.0%} of the"
        " changes, and 2 if they cannot run. The output of pytest is in"
        f" {LOG.relative_to(ROOT)}.",
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="a driver, like hal/pi/readers/mfrc522.py (default: all)",
    )
    parser.add_argument("--list", action="store_true", help="only list the changes, run nothing")
    arguments = parser.parse_args()
    try:
        status = run(arguments.files, arguments.list)
        sys.stdout.flush()
        return status
    except MutationError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # The reader has closed the pipe; avoid the error when Python flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE


if __name__ == "__main__":
    sys.exit(main())
