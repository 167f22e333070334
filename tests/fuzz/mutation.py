"""Changes an input a little, by the dice: for where nothing watches which branches it reaches."""

from collections.abc import Callable, Sequence
from random import Random

from tests.fuzz.targets import Target

MOST_CHANGES = 4
LONGEST_PIECE = 40

Change = Callable[[bytearray, Random], None]


def mutated(target: Target, seeds: Sequence[bytes], dice: Random) -> bytes:
    """One of the seeds, with a few changes."""
    content = bytearray(dice.choice(seeds))
    for _ in range(dice.randint(1, MOST_CHANGES)):
        change = dice.choice(CHANGES)
        if change is _insert and target.words and dice.random() < 0.8:
            place = dice.randint(0, len(content))
            content[place:place] = dice.choice(target.words)
        elif content:
            change(content, dice)
    if dice.random() < 0.1:
        other = dice.choice(seeds)
        content[dice.randint(0, len(content)) :] = other[dice.randint(0, len(other)) :]
    return bytes(content[: target.longest])


def _piece(content: bytearray, dice: Random) -> slice:
    start = dice.randrange(len(content))
    return slice(start, start + dice.randint(1, LONGEST_PIECE))


def _flip(content: bytearray, dice: Random) -> None:
    content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)


def _set(content: bytearray, dice: Random) -> None:
    content[dice.randrange(len(content))] = dice.randrange(256)


def _insert(content: bytearray, dice: Random) -> None:
    place = dice.randint(0, len(content))
    content[place:place] = dice.randbytes(dice.randint(1, 8))


def _erase(content: bytearray, dice: Random) -> None:
    del content[_piece(content, dice)]


def _repeat(content: bytearray, dice: Random) -> None:
    place = dice.randint(0, len(content))
    content[place:place] = content[_piece(content, dice)]


def _raise_digit(content: bytearray, dice: Random) -> None:
    """Numbers are where limits are."""
    digits = [place for place, byte in enumerate(content) if chr(byte).isdecimal()]
    if digits:
        content[dice.choice(digits)] = dice.choice(b"0123456789-")


CHANGES: tuple[Change, ...] = (_flip, _set, _insert, _insert, _erase, _repeat, _raise_digit)
