"""Plays lines of a script on the model, with a parser of its own."""

from collections.abc import Sequence

from tests.campaign.storm.model.figures import EDITIONS
from tests.campaign.storm.model.ledger import ModelLedger
from tests.campaign.storm.model.model import Model

LENGTHS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}


def words_of(line: str) -> list[str]:
    return line.partition("#")[0].split()


def new_model(lines: Sequence[str], stock: Sequence[bytes]) -> Model:
    """The model of the box that the ``given`` lines describe."""
    words = [words_of(line) for line in lines]
    givens = [parts[1:] for parts in words if parts[:1] == ["given"]]
    given = {parts[0]: parts[1] for parts in givens}
    names = {int(parts[1]): " ".join(parts[2:]) for parts in givens if parts[0] == "name"}
    edition = EDITIONS[given.get("edition", "banking")]
    known = () if given.get("cards") == "none" else stock[: edition.cards]
    pot, rulebook = given.get("pot") == "true", given.get("undo") == "rulebook"
    return Model(ModelLedger.new(edition, known, names), has_pot=pot, rulebook_undo=rulebook)


def play(model: Model, line: str, stock: Sequence[bytes]) -> None:
    """Play an input line or a fault line."""
    words = words_of(line)
    if words[0] in ("fault", "mend"):
        _play_fault(model, words)
    else:
        _play_input(model, words, stock)


def _play_input(model: Model, words: list[str], stock: Sequence[bytes]) -> None:
    match words:
        case ["insert", slot, card]:
            is_uid = card.startswith("uid:")
            model.insert(slot, bytes.fromhex(card[4:]) if is_uid else stock[int(card) - 1])
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
            raise AssertionError(f"unknown line: {' '.join(words)!r}")


def _play_fault(model: Model, words: list[str]) -> None:
    """Most faults do not affect the bank."""
    match words:
        case ["fault", "reader", slot]:
            model.lose_reader(slot)
        case ["mend", "reader", slot]:
            model.restore_reader(slot)
        case ["fault", "key", key]:
            model.stick_key(key)
        case ["mend", "key", key]:
            model.free_key(key)
        case _:
            model.wait(0)


def milliseconds(duration: str) -> int:
    unit = duration.lstrip("0123456789")
    return int(duration.removesuffix(unit)) * LENGTHS[unit]
