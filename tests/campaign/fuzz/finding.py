"""Identifies and minimises inputs that break a target."""

import traceback
from typing import NamedTuple

from tests.campaign.fuzz.targets import Target

MAX_TRIES = 3_000


class Signature(NamedTuple):
    """The type and place of an exception; findings with the same signature are the same."""

    kind: str
    file: str
    line: int | None


def signature_of(target: Target, data: bytes) -> Signature | None:
    """The signature of what an input breaks; None if it breaks nothing."""
    try:
        target.fuzz_one(data)
    except BaseException as raised:
        if isinstance(raised, KeyboardInterrupt):
            raise
        last = traceback.extract_tb(raised.__traceback__)[-1]
        return Signature(type(raised).__name__, last.filename, last.lineno)
    return None


def minimise(target: Target, data: bytes) -> bytes:
    """Remove all pieces that the finding does not need, large ones first."""
    expected = signature_of(target, data)
    if expected is None:
        return data
    size, tries = max(1, len(data) // 2), 0
    while tries < MAX_TRIES:
        at, shortened = 0, False
        while at < len(data) and tries < MAX_TRIES:
            without = data[:at] + data[at + size :]
            tries += 1
            if signature_of(target, without) == expected:
                data, shortened = without, True
            else:
                at += size
        if size == 1 and not shortened:
            break
        size = size if shortened and size == 1 else max(1, size // 2)
    return data
