"""A test that ignores its time limit is ended with its process."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENDLESS = """
import signal, time
from types import SimpleNamespace
from tests import conftest

conftest.OVERDUE = 0.1
signal.signal(signal.SIGALRM, signal.SIG_IGN)
marker = SimpleNamespace(args=[0.1])
item = SimpleNamespace(get_closest_marker=lambda name: marker)
running = conftest.pytest_runtest_protocol(item)
next(running)
while True:
    time.sleep(1)
"""


def test_test_that_ignores_the_alarm_is_ended_with_its_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDLESS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 1
    assert "Timeout (0:00:00.2" in done.stderr
