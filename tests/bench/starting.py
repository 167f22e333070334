"""Time from process start to the first screen, and the memory of a running box.

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


@contextmanager
def started_box(ledger: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Start a box, and wait until it notifies systemd that its first screen is drawn.

    It gets a new ledger unless one is given.
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
        with subprocess.Popen(
            [command, *words],
            stderr=subprocess.DEVNULL,
            env={**os.environ, "NOTIFY_SOCKET": address},
        ) as box:
            assert systemd.recv(1024).startswith(b"READY=1")
            yield box
            box.terminate()


def first_screen() -> float:
    began = time.perf_counter()
    with started_box():
        return time.perf_counter() - began


def packages() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import gpiozero, luma.oled.device"], check=True)
    return time.perf_counter() - began


def bench_first_screen(report: Callable[[str, float, float, str], None]) -> None:
    pairs = [(first_screen(), packages()) for _ in range(STARTS)]
    ours, theirs = (statistics.median(side) for side in zip(*pairs, strict=True))
    report(
        "process start to first screen on the virtual board, beside `import gpiozero, "
        "luma.oled.device`",
        ours / theirs,
        1.2,
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
        status = Path(f"/proc/{box.pid}/status").read_text()
        resident = int(status.split("VmRSS:")[1].split()[0]) / 1000
    verdict = "reached" if resident <= 60 else "MISSED"
    print(
        f"resident memory of `tellerbox run --board virtual`\n"
        f"    {resident:.1f} MB (to reach: at most 60 MB, {verdict}); "
        f"{models:.1f} MB of that are the models of the chips\n"
    )
