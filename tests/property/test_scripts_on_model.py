"""The scripts of the rulebook, played on the naive model: it has to know the rules as well.

A model that agrees with the box in something that is against the rules would prove
nothing; these scripts were written rule by rule. They are read here, line by line, and
not by the simulator's reader, so that the model stays on its own.
"""

import re
from pathlib import Path

import pytest

from sim.stock import STOCK
from tests.property.figures import EDITIONS, Edition
from tests.property.memory import Account
from tests.property.model import Model

SCRIPTS = sorted((Path(__file__).parents[1] / "scenarios").glob("*.box"))
LENGTHS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}


def lines_of(script: str) -> list[tuple[str, list[str]]]:
    """The first word and the others, of every line that has some."""
    words = [line.partition("#")[0].split() for line in script.splitlines()]
    return [(line[0], line[1:]) for line in words if line]


def model_for(lines: list[tuple[str, list[str]]]) -> Model:
    given = {rest[0]: rest[1] for verb, rest in lines if verb == "given"}
    edition = EDITIONS[given.get("edition", "banking")]
    known = () if given.get("cards") == "none" else STOCK[: edition.cards]
    accounts = [Account(number, uid) for number, uid in enumerate(known, start=1)]
    pot, rulebook = given.get("pot") == "true", given.get("undo") == "rulebook"
    return Model(edition, accounts, has_pot=pot, rulebook_undo=rulebook)


def work(model: Model, verb: str, rest: list[str]) -> None:
    match verb, rest:
        case "insert", [slot, card]:
            stranger = card.startswith("uid:")
            model.insert(slot, bytes.fromhex(card[4:]) if stranger else STOCK[int(card) - 1])
        case "remove", [slot]:
            model.remove(slot)
        case "press", keys:
            model.press("".join(keys))
        case "hold", [key, duration]:
            model.hold(key, milliseconds(duration))
        case "wait", [duration]:
            model.wait(milliseconds(duration))
        case "power", ["on"]:
            model.power_on()
        case "power", ["off"]:
            model.power_off()
        case _:
            raise AssertionError(f"there is no {verb} {rest}")


def milliseconds(duration: str) -> int:
    number, unit = re.fullmatch(r"(\d+)(\D+)", duration).groups()  # type: ignore[union-attr]
    return int(number) * LENGTHS[unit]


def amount(text: str, edition: Edition) -> int:
    number, unit = text.rstrip("MK"), text[-1]
    whole, _, decimals = number.partition(",")
    scale: int = 10 ** len(decimals)
    return int(whole + decimals) * edition.units.get(unit, 1) // scale


def seen(model: Model, subject: str, rest: list[str]) -> tuple[object, object]:
    """What a line expects, and what the model has."""
    wanted = " ".join(rest)
    match subject:
        case "screen":
            return wanted, model.big_field if model.powered else ""
        case "message":
            return wanted, model.message
        case "card":
            return wanted, str(model.card or "none")
        case "sound":
            return wanted, model.sound or "none"
        case "volume":
            return wanted, str(model.volume)
        case "asleep" | "awake":
            return subject == "asleep", model.asleep
        case "menu":
            names = [name for page in model.menu for name in page.values()]
            return wanted, " ".join(names) or "none"
        case "balance" | "worth":
            number = int(rest[0])
            has = model.balance(number) if subject == "balance" else model.worth(number)
            return amount(rest[1], model.edition), has or 0
    raise AssertionError(f"there is no expect {subject}")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_model_holds_to_script(path: Path) -> None:
    lines = lines_of(path.read_text(encoding="utf-8"))
    model = model_for(lines)
    done = []
    for verb, rest in lines:
        done.append(" ".join([verb, *rest]))
        if verb == "expect":
            wanted, has = seen(model, rest[0], rest[1:])
            assert has == wanted, "\n".join(["after", *done])
        elif verb != "given":
            work(model, verb, rest)
