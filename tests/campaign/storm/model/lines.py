"""Plays lines of a script on the model, and reads them itself: the model stays on its own."""

from collections.abc import Sequence

from sim.storm.model.books import Books
from sim.storm.model.figures import EDITIONS
from sim.storm.model.model import Model

LENGTHS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}


def words_of(line: str) -> list[str]:
    return line.partition("#")[0].split()


def new_model(lines: Sequence[str], stock: Sequence[bytes]) -> Model:
    """The model of the box that the ``given`` lines among these describe."""
    words = [words_of(line) for line in lines]
    given = {said[1]: said[2] for said in words if said[:1] == ["given"]}
    edition = EDITIONS[given.get("edition", "banking")]
    known = () if given.get("cards") == "none" else stock[: edition.cards]
    pot, rulebook = given.get("pot") == "true", given.get("undo") == "rulebook"
    return Model(Books.opened(edition, known), has_pot=pot, rulebook_undo=rulebook)


def play(model: Model, line: str, stock: Sequence[bytes]) -> None:
    """An input line, or one that tells of a fault."""
    words = words_of(line)
    if words[0] in ("fault", "mend"):
        _break_or_mend(model, words)
    else:
        _work(model, words, stock)


def _work(model: Model, words: list[str], stock: Sequence[bytes]) -> None:
    match words:
        case ["insert", slot, card]:
            stranger = card.startswith("uid:")
            model.insert(slot, bytes.fromhex(card[4:]) if stranger else stock[int(card) - 1])
        case ["remove", slot]:
            model.remove(slot)
        case ["press", *keys]:
            model.press("".join(keys))
        case ["hold", key, duration]:
            model.hold(key, milliseconds(duration))
        case ["wait", duration]:
            model.wait(milliseconds(duration))
        case ["power", "on"]:
            model.power_on()
        case ["power", "off"]:
            model.power_off()
        case _:
            raise AssertionError(f"there is no {' '.join(words)!r}")


def _break_or_mend(model: Model, words: list[str]) -> None:
    """Most of what breaks is none of the bank's business."""
    match words:
        case ["fault", "reader", slot]:
            model.lose_reader(slot)
        case ["mend", "reader", slot]:
            model.find_reader(slot)
        case ["fault", "key", key]:
            model.jam(key)
        case ["mend", "key", key]:
            model.free(key)
        case _:
            model.wait(0)


def milliseconds(duration: str) -> int:
    unit = duration.lstrip("0123456789")
    return int(duration.removesuffix(unit)) * LENGTHS[unit]
