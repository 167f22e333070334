"""What a table of six players does with the box, and what must come of it.

A model of our own, in thousands: it shares nothing with the firmware, and is what the
box is held against after its plug was pulled.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

Balances: TypeAlias = tuple[int, ...]
"""In thousands, of the cards 1 to 6."""

OPENING: Balances = (15_000,) * 6
SALARY = 2_000
MOST = 90_000
"""Nobody gets richer than five digits can show exactly."""


class Step(NamedTuple):
    """A line for the box. A move also says what everybody has then, and what shows."""

    line: str
    after: Balances | None = None
    shows: str = ""


def written(thousands: int) -> str:
    """As the big field shows it, and as a script may say it."""
    if thousands == 0:
        return "0"
    if thousands < 1000:
        return f"{thousands}K"
    fraction = f"{thousands % 1000:03}".rstrip("0")
    return f"{thousands // 1000}{',' if fraction else ''}{fraction}M"


def turn(balances: Balances, dice: random.Random) -> Iterator[Step]:
    """One player's turn: cards go in, money moves, perhaps a mistake is taken back."""
    first, second = dice.sample(range(6), 2)
    amount = dice.randrange(10, 2000, 10)
    kinds = {
        "receive": balances[first] + amount <= MOST,
        "pay": balances[first] >= amount,
        "salary": balances[first] + SALARY <= MOST,
        "transfer": balances[second] >= amount and balances[first] + amount <= MOST,
    }
    kind = dice.choice([kind for kind, possible in kinds.items() if possible])
    left = kind != "pay"
    slot = "left" if left else "right"
    yield Step(f"insert {slot} {first + 1}")
    if kind == "transfer":
        yield Step(f"insert right {second + 1}")
    moved = _moved(balances, kind, first, second, amount)
    watched = second if kind == "transfer" else first
    keys = "G" if kind == "salary" else written(amount)
    yield Step(f"press {keys}", moved, written(moved[watched]))
    if dice.random() < 0.2:
        yield Step("press C", balances, written(balances[watched]))
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
