"""Time from process start to the first screen and to working keys; the memory of a running box.

The first screen is the first correct picture on the glass: the state of the ledger, not a splash.
The keys work a moment later, because their library is loaded in between.

The baseline is importing gpiozero and luma, which any box with these parts needs.
"""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

STARTS = 21
SETTLED = 2.0
"""Seconds after which a start is complete."""

MODELS = """
import re, PIL.Image, random, heapq, importlib
import hal.display.renderer, hal.wiring, firmware.user_error
def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", open("/proc/self/status").read())[1])
before = resident()
from sim.virtual.hardware import Hardware
box = Hardware()
print(resident() - before)
"""
"""Prints the kilobytes of the models of the chips, without modules that every box loads."""


class StartedBox(NamedTuple):
    """A running box, and the seconds that its start took."""

    process: subprocess.Popen[bytes]
    first_screen: float
    keys_work: float


@contextmanager
def started_box(ledger: Path | None = None) -> Iterator[StartedBox]:
    """Start a box, and wait until its keys work. It gets a new ledger unless one is given.

    It notifies systemd of its status as soon as it has drawn its first screen, and that it is ready
    when the keys work.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd,
    ):
        address = f"{folder}/notify"
        systemd.bind(address)
        systemd.settimeout(30)
        command = Path(sys.executable).with_name("tellerbox")
        words = ["run", "--board", "virtual", "--ledger", ledger or f"{folder}/box.db"]
        began = time.perf_counter()
        with subprocess.Popen(
            [command, *words],
            stderr=subprocess.DEVNULL,
            env={**os.environ, "NOTIFY_SOCKET": address},
        ) as box:
            assert systemd.recv(1024).startswith(b"STATUS=edition ")
            first_screen = time.perf_counter() - began
            assert systemd.recv(1024) == b"READY=1"
            yield StartedBox(box, first_screen, time.perf_counter() - began)
            box.terminate()


def start() -> tuple[float, float]:
    """Seconds to the first screen, and to working keys."""
    with started_box() as box:
        return box.first_screen, box.keys_work


def packages() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import gpiozero, luma.oled.device"], check=True)
    return time.perf_counter() - began


def bench_first_screen(report: Callable[[str, float, float, str], None]) -> None:
    rounds = [(*start(), packages()) for _ in range(STARTS)]
    screen, keys, theirs = (statistics.median(side) for side in zip(*rounds, strict=True))
    for until, ours, most in (("first screen", screen, 1.2), ("working keys", keys, 1.4)):
        report(
            f"process start to {until} on the virtual board, beside `import gpiozero, "
            "luma.oled.device`",
            ours / theirs,
            most,
            f"{ours * 1e3:.0f} ms beside {theirs * 1e3:.0f} ms, median of {STARTS}",
        )


def bench_memory() -> None:
    """The resident memory of the running box, and the models' share of it."""
    done = subprocess.run(
        [sys.executable, "-c", MODELS], capture_output=True, text=True, check=True
    )
    models = int(done.stdout) / 1000
    with started_box() as box:
        time.sleep(SETTLED)
        status = Path(f"/proc/{box.process.pid}/status").read_text()
        resident = int(status.split("VmRSS:")[1].split()[0]) / 1000
    verdict = "reached" if resident <= 60 else "MISSED"
    print(
        f"resident memory of `tellerbox run --board virtual`\n"
        f"    {resident:.1f} MB (to reach: at most 60 MB, {verdict}); "
        f"{models:.1f} MB of that are the models of the chips\n"
    )
