"""Child processes are found as long as they live."""

import subprocess
import sys
import time

from tests.processes import children, children_still_there, with_descendants

SLEEPER = (sys.executable, "-c", "import time; time.sleep(60)")
PARENT = (
    sys.executable,
    "-c",
    "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'input()']).wait()",
)


def test_a_child_is_listed_from_its_start_to_its_end() -> None:
    before = children()
    with subprocess.Popen(SLEEPER) as sleeper:
        assert sleeper.pid in children()
        assert sleeper.pid in children_still_there(before, 0.0)
        sleeper.kill()
        assert children_still_there(before, 10.0) == {}, "not waited for, but ended"


def test_descendants_include_grandchildren() -> None:
    with subprocess.Popen(PARENT, stdin=subprocess.PIPE) as parent:
        give_up = time.monotonic() + 20
        while len(with_descendants([parent.pid])) < 2:
            assert time.monotonic() < give_up, "it started nothing"
            time.sleep(0.01)
        parent.communicate(b"\n")
