"""Mutates inputs at random, for when atheris is not available."""

from collections.abc import Callable, Sequence
from random import Random

from tests.campaign.fuzz.targets import Target

MAX_CHANGES = 4
MAX_PIECE = 40

Change = Callable[[bytearray, Random], None]


def mutate(target: Target, seeds: Sequence[bytes], rng: Random) -> bytes:
    """One of the seeds, with a few changes."""
    content = bytearray(rng.choice(seeds))
    for _ in range(rng.randint(1, MAX_CHANGES)):
        change = rng.choice(CHANGES)
        if change is _insert and target.words and rng.random() < 0.8:
            place = rng.randint(0, len(content))
            content[place:place] = rng.choice(target.words)
        elif content:
            change(content, rng)
    if rng.random() < 0.1:
        other = rng.choice(seeds)
        content[rng.randint(0, len(content)) :] = other[rng.randint(0, len(other)) :]
    return bytes(content[: target.longest])


def _piece(content: bytearray, rng: Random) -> slice:
    start = rng.randrange(len(content))
    return slice(start, start + rng.randint(1, MAX_PIECE))


def _flip(content: bytearray, rng: Random) -> None:
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def _set(content: bytearray, rng: Random) -> None:
    content[rng.randrange(len(content))] = rng.randrange(256)


def _insert(content: bytearray, rng: Random) -> None:
    place = rng.randint(0, len(content))
    content[place:place] = rng.randbytes(rng.randint(1, 8))


def _erase(content: bytearray, rng: Random) -> None:
    del content[_piece(content, rng)]


def _repeat(content: bytearray, rng: Random) -> None:
    place = rng.randint(0, len(content))
    content[place:place] = content[_piece(content, rng)]


def _raise_digit(content: bytearray, rng: Random) -> None:
    """Limits depend on numbers."""
    digits = [place for place, byte in enumerate(content) if chr(byte).isdecimal()]
    if digits:
        content[rng.choice(digits)] = rng.choice(b"0123456789-")


CHANGES: tuple[Change, ...] = (_flip, _set, _insert, _insert, _erase, _repeat, _raise_digit)
