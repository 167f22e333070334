"""Finds the child processes of this process, and their descendants."""

import ctypes
import os
import time
from collections.abc import Collection
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
PYTHONS_OWN = "multiprocessing.resource_tracker"
"""A helper process of multiprocessing, which ends with the process that started it."""


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that ``children`` finds them."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children(pid: int | None = None) -> dict[int, str]:
    """The living children of a process, by default of this one, with their command lines."""
    # The kernel lists the children of each thread separately.
    listed = [_read(file) for file in Path(f"/proc/{pid or os.getpid()}/task").glob("*/children")]
    found = {int(child): "" for words in listed for child in words.split()}
    for child in found:
        found[child] = _read(Path(f"/proc/{child}/cmdline"))
    return {
        child: words
        for child, words in found.items()
        if _is_alive(child) and PYTHONS_OWN not in words
    }


def _is_alive(pid: int) -> bool:
    """Whether it is not a zombie. An empty command line proves nothing: it may be starting."""
    _, _, state = _read(Path(f"/proc/{pid}/stat")).rpartition(") ")
    return bool(state) and state[0] not in "ZX"


def children_still_there(before: Collection[int], within: float) -> dict[int, str]:
    """The children that are new since ``before`` and have not ended after so many seconds."""
    give_up = time.monotonic() + within
    while left := {pid: words for pid, words in children().items() if pid not in before}:
        if time.monotonic() > give_up:
            break
        time.sleep(0.02)
    return left


def with_descendants(pids: list[int]) -> list[int]:
    return [each for pid in pids for each in (pid, *with_descendants(list(children(pid))))]


def _read(file: Path) -> str:
    try:
        return file.read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""  # it has ended meanwhile
