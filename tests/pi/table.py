"""Random turns of six players, and the balances they lead to.

A model in thousands that shares no code with the firmware. The box is compared with it after
a power cut.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

Balances: TypeAlias = tuple[int, ...]
"""Of the cards 1 to 6, in thousands."""

OPENING: Balances = (15_000,) * 6
SALARY = 2_000
MAX_BALANCE = 90_000
"""Five digits show every balance up to this exactly."""


class Step(NamedTuple):
    """A line for the console."""

    line: str
    after: Balances | None = None
    """The balances after it, if it is a move."""
    shows: str = ""
    """The balance that the screen then shows, if it is a move."""


def format_amount(thousands: int) -> str:
    """Format an amount as the big field shows it and scripts write it."""
    if thousands == 0:
        return "0"
    if thousands < 1000:
        return f"{thousands}K"
    fraction = f"{thousands % 1000:03}".rstrip("0")
    return f"{thousands // 1000}{',' if fraction else ''}{fraction}M"


def turn(balances: Balances, rng: random.Random) -> Iterator[Step]:
    """One turn: cards go in, money moves, and sometimes the move is undone."""
    first, second = rng.sample(range(6), 2)
    amount = rng.randrange(10, 2000, 10)
    kinds = {
        "receive": balances[first] + amount <= MAX_BALANCE,
        "pay": balances[first] >= amount,
        "salary": balances[first] + SALARY <= MAX_BALANCE,
        "transfer": balances[second] >= amount and balances[first] + amount <= MAX_BALANCE,
    }
    kind = rng.choice([kind for kind, possible in kinds.items() if possible])
    left = kind != "pay"
    slot = "left" if left else "right"
    yield Step(f"insert {slot} {first + 1}")
    if kind == "transfer":
        yield Step(f"insert right {second + 1}")
    moved = _moved(balances, kind, first, second, amount)
    shown = second if kind == "transfer" else first
    keys = "G" if kind == "salary" else format_amount(amount)
    yield Step(f"press {keys}", moved, format_amount(moved[shown]))
    if rng.random() < 0.2:
        yield Step("press C", balances, format_amount(balances[shown]))
    yield Step(f"remove {slot}")
    if kind == "transfer":
        yield Step("remove right")


def _moved(balances: Balances, kind: str, first: int, second: int, amount: int) -> Balances:
    new = list(balances)
    match kind:
        case "receive":
            new[first] += amount
        case "pay":
            new[first] -= amount
        case "salary":
            new[first] += SALARY
        case "transfer":
            new[first] += amount
            new[second] -= amount
    return tuple(new)
