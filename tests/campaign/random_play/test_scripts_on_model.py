"""The scripts of the rulebook, played on the naive model: it has to know the rules as well.

A model that agrees with the box in something that is against the rules would prove
nothing; these scripts were written rule by rule.
"""

from pathlib import Path

import pytest

from sim.stock import STOCK
from sim.storm.model.disk import Answer, Disk, DyingDisk, FickleDisk, PowerWent
from sim.storm.model.figures import Edition
from sim.storm.model.lines import new_model, play, words_of
from sim.storm.model.look import Look
from sim.storm.model.model import Model
from sim.storm.outcomes import if_made

SCRIPTS = sorted((Path(__file__).parents[1] / "scenarios").glob("*.box"))


def amount(text: str, edition: Edition) -> int:
    number, unit = text.rstrip("MK"), text[-1]
    whole, _, decimals = number.partition(",")
    scale: int = 10 ** len(decimals)
    return int(whole + decimals) * edition.units.get(unit, 1) // scale


DISTANT = 900


def disk_of(how: list[str], *, powered: bool) -> Disk:
    """What the disks of the scripts do to a move. A cut in the distant future never strikes."""
    if how[0] == "cut":
        return Disk() if int(how[1]) >= DISTANT else DyingDisk(0)
    # What a start finds to be wrong is certain.
    in_doubt = how == ["sync"] and powered
    then = Answer.WHO_KNOWS if in_doubt else Answer.REFUSED
    return FickleDisk([], settles=False, then=then)


class OnModel:
    """The model, with a disk as the scripts say that it is."""

    def __init__(self, lines: list[str]) -> None:
        self.model = new_model(lines, STOCK)
        self._screen_away = False

    def play(self, line: str) -> None:
        match words_of(line):
            case ["fault", "disk", *how]:
                self.model.disk = disk_of(how, powered=self.model.powered)
            case ["mend", "disk"]:
                self.model.disk = Disk()
            case [("fault" | "mend") as verb, "screen"]:
                self._screen_away = verb == "fault"
        knew = not self.model.in_doubt
        made = if_made(self.model, line, (Answer.WHO_KNOWS,))
        try:
            play(self.model, line, STOCK)
            if knew and self.model.in_doubt:
                # What a disk of the scripts was given can be read again, whatever its sync said.
                self.model.truth = made
            if line.startswith("power on") and isinstance(self.model.disk, DyingDisk):
                raise PowerWent  # a start writes, whatever the bank does then
        except PowerWent:
            self.model.power_off()
            self.model.disk = Disk()

    def seen(self, subject: str, rest: list[str]) -> tuple[object, object]:
        dark = self._screen_away and subject in ("screen", "message", "card")
        nothing = "none" if subject == "card" else ""
        return (" ".join(rest), nothing) if dark else seen(self.model, subject, rest)


def seen(model: Model, subject: str, rest: list[str]) -> tuple[object, object]:
    """What a line expects, and what the model has."""
    wanted = " ".join(rest)
    match subject:
        case "screen":
            return wanted, Look(model).big_field if model.powered else ""
        case "message":
            return wanted, Look(model).message
        case "card":
            return wanted, str(model.card or "none")
        case "sound":
            return wanted, model.sound or "none"
        case "volume":
            return wanted, str(model.books.volume)
        case "asleep" | "awake":
            return subject == "asleep", model.asleep
        case "menu":
            names = [name for page in Look(model).menu for name in page.values()]
            return wanted, " ".join(names) or "none"
        case "balance" | "worth":
            number = int(rest[0])
            has = model.books.balance(number) if subject == "balance" else model.books.worth(number)
            return amount(rest[1], model.books.edition), has or 0
    raise AssertionError(f"there is no expect {subject}")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_model_holds_to_script(path: Path) -> None:
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if words_of(line)]
    table = OnModel(lines)
    done = []
    for line in lines:
        done.append(line)
        verb, *rest = words_of(line)
        if verb == "expect":
            wanted, has = table.seen(rest[0], rest[1:])
            assert has == wanted, "\n".join(["after", *done])
        elif verb != "given":
            table.play(line)
