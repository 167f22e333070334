"""Plays the rule scripts on the naive model, which must follow the rules too.

A model that shares a mistake with the box would prove nothing; the scripts were written rule by
rule.
"""

from pathlib import Path

import pytest

from sim.board.stock import STOCK
from tests.campaign.storm.model.disk import CutDisk, Disk, PowerLost, ScriptedDisk, WriteResult
from tests.campaign.storm.model.figures import Edition
from tests.campaign.storm.model.lines import new_model, play, words_of
from tests.campaign.storm.model.model import Model
from tests.campaign.storm.model.screen import Screen
from tests.campaign.storm.outcomes import if_committed

SCRIPTS = sorted((Path(__file__).parents[2] / "scenarios").glob("*.box"))


def amount(text: str, edition: Edition) -> int:
    number, unit = text.rstrip("MK"), text[-1]
    whole, _, decimals = number.partition(",")
    scale: int = 10 ** len(decimals)
    return int(whole + decimals) * edition.units.get(unit, 1) // scale


FAR_AWAY = 900


def disk_of(how: list[str], *, powered: bool) -> Disk:
    """The disk for a script's fault. A power cut far in the future never happens."""
    if how[0] == "cut":
        return Disk() if int(how[1]) >= FAR_AWAY else CutDisk(0)
    # A fault found by a start is certain.
    in_doubt = how == ["sync"] and powered
    then = WriteResult.UNKNOWN if in_doubt else WriteResult.REFUSED
    return ScriptedDisk([], settles=False, then=then)


class ModelRunner:
    """The model, with the disk that a script describes."""

    def __init__(self, lines: list[str]) -> None:
        self.model = new_model(lines, STOCK)
        self._screen_dead = False

    def play(self, line: str) -> None:
        match words_of(line):
            case ["fault", "disk", *how]:
                self.model.disk = disk_of(how, powered=self.model.powered)
            case ["mend", "disk"]:
                self.model.disk = Disk()
            case [("fault" | "mend") as verb, "screen"]:
                self._screen_dead = verb == "fault"
        was_certain = not self.model.in_doubt
        made = if_committed(self.model, line, (WriteResult.UNKNOWN,))
        try:
            play(self.model, line, STOCK)
            if was_certain and self.model.in_doubt:
                # A script's disk keeps the data although the sync failed.
                self.model.committed = made
            if line.startswith("power on") and isinstance(self.model.disk, CutDisk):
                raise PowerLost  # a start always writes
        except PowerLost:
            self.model.power_off()
            self.model.disk = Disk()

    def expected_and_actual(self, subject: str, rest: list[str]) -> tuple[object, object]:
        dark = self._screen_dead and subject in ("screen", "message", "card", "status")
        nothing = "none" if subject == "card" else ""
        return (" ".join(rest), nothing) if dark else expected_and_actual(self.model, subject, rest)


def expected_and_actual(model: Model, subject: str, rest: list[str]) -> tuple[object, object]:
    """What a line expects, and what the model has."""
    wanted = " ".join(rest)
    match subject:
        case "screen":
            return wanted, Screen(model).big_field if model.powered else ""
        case "message":
            return wanted, Screen(model).message
        case "status":
            return wanted, Screen(model).status if model.powered else ""
        case "card":
            return wanted, str(model.card or "none")
        case "sound":
            return wanted, model.sound or "none"
        case "volume":
            return wanted, str(model.ledger.volume)
        case "asleep" | "awake":
            return subject == "asleep", model.asleep
        case "menu":
            names = [name for page in Screen(model).menu for name in page.values()]
            return wanted, " ".join(names) or "none"
        case "balance" | "worth":
            number = int(rest[0])
            has = (
                model.ledger.balance(number) if subject == "balance" else model.ledger.worth(number)
            )
            return amount(rest[1], model.ledger.edition), has or 0
    raise AssertionError(f"unknown subject: expect {subject}")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_model_meets_script(path: Path) -> None:
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if words_of(line)]
    runner = ModelRunner(lines)
    played = []
    for line in lines:
        played.append(line)
        verb, *rest = words_of(line)
        if verb == "expect":
            wanted, has = runner.expected_and_actual(rest[0], rest[1:])
            assert has == wanted, "\n".join(["after", *played])
        elif verb != "given":
            runner.play(line)
