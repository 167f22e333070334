"""A find: which promise an input broke, and the shortest input that still breaks it."""

import traceback
from typing import NamedTuple

from tests.fuzz.targets import Target

MOST_TRIES = 3_000


class Broken(NamedTuple):
    """What was raised, and where; two finds with the same are one."""

    kind: str
    file: str
    line: int | None


def broken_by(target: Target, data: bytes) -> Broken | None:
    """What an input breaks; None when it keeps every promise."""
    try:
        target.fuzz_one(data)
    except BaseException as raised:
        if isinstance(raised, KeyboardInterrupt):
            raise
        last = traceback.extract_tb(raised.__traceback__)[-1]
        return Broken(type(raised).__name__, last.filename, last.lineno)
    return None


def minimised(target: Target, data: bytes) -> bytes:
    """Without every piece that it can do without, large ones first."""
    wanted = broken_by(target, data)
    if wanted is None:
        return data
    size, tries = max(1, len(data) // 2), 0
    while tries < MOST_TRIES:
        at, shorter = 0, False
        while at < len(data) and tries < MOST_TRIES:
            without = data[:at] + data[at + size :]
            tries += 1
            if broken_by(target, without) == wanted:
                data, shorter = without, True
            else:
                at += size
        if size == 1 and not shorter:
            break
        size = size if shorter and size == 1 else max(1, size // 2)
    return data
