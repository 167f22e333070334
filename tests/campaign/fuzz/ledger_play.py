"""Plays on ledgers whose rows are wrong but have valid checksums (``ledger_damage``).

What a box opens, it must be able to play on: every entry of F, amounts, G, C, new games, HISTORY,
COUNT, FORGET and BACK. Nothing may be raised, and every screen can be drawn.
Otherwise the box refuses the ledger at its start, with one line.

The first byte of an input chooses the edition of the next game and the cards that are in; the rest
is as for the target ``ledger``, without its edits of bytes.
"""

import argparse
import io
from collections.abc import Iterator
from contextlib import redirect_stderr
from functools import cache
from pathlib import Path
from typing import NamedTuple

from firmware.app import Settings
from firmware.bank import edition as editions
from firmware.bank.house_rules import HouseRules
from firmware.bank.ledger import Ledger
from firmware.commands import startup
from firmware.config import Config
from firmware.storage.ledger_file import LedgerRefused, Owner
from hal.display.renderer import draw
from hal.display.view import View
from sim.board.kept_ledger import KeptLedger
from sim.board.software_harness import SoftwareHarness
from sim.script.language import ScriptAction
from sim.script.player import perform
from tests.campaign.fuzz.contract import check_one_sentence, folder
from tests.campaign.fuzz.ledger_damage import damage, ledgers_in_a_game, steps

LONGEST = 52
SIDES = (("left", "right"), ("left",), ("right",), ())
NUMBERS = {"left": 1, "right": 2}
EDITIONS = (0, *range(1, 1 + len(editions.names())))
"""Their digits; 0 leaves the choice as it is."""
ENTRIES = (*(f"F{digit}" for digit in "1234567"), "FF1", "FF2")
"""The entries that move money."""
WORDS = tuple(
    bytes((kind, 0, 8 * row + table, what >> 8, what % 256))
    for table in range(6)
    for row in range(2)
    for kind, what in ((7, 97), (7, 100), (7, 96), (7, 0x61 * 8), (12, 15), (28, 18), (44, 3))
)
"""Edits of the newest rows of each table."""
WITH_POT = Settings(house=HouseRules(pot=True))


def fuzz_one(data: bytes) -> None:
    path = folder() / "played.db"
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    for old in folder().glob("played.format-*"):
        old.unlink()
    damage(path, data[1:], ledgers_in_a_game(), rows_only=True)
    if refusal := _start(path, _steps(Round.of(data[0] if data else 0))):
        check_one_sentence(refusal)
        assert refusal.startswith(f"{path}: "), refusal
        return
    refusal = _start(path, steps("insert left 1\npress 1M\npress G"))
    assert not refusal, f"a box refuses a ledger that it has played on: {refusal}"


class Round(NamedTuple):
    """Which cards are in, and which edition comes next."""

    sides: tuple[str, ...]
    edition: int

    @classmethod
    def of(cls, choice: int) -> "Round":
        return cls(SIDES[choice % 4], EDITIONS[choice // 4 % len(EDITIONS)])


def _start(path: Path, script: list[ScriptAction]) -> str:
    """Start a box on the ledger and play a script; returns why it is refused, if it is."""
    args = argparse.Namespace(ledger=path, edition=None, new_game=False)
    try:
        with redirect_stderr(io.StringIO()), startup.opened(args, Config(), Owner.BOX) as bank:
            harness = SoftwareHarness().begin(KeptLedger(bank.store), bank.next_edition, WITH_POT)
            drawn: set[View] = set()
            for step in script:
                perform(harness, step)
                if harness.view and harness.view not in drawn:
                    draw(harness.view)
                    drawn.add(harness.view)
            harness.put_away()
            assert sum(Ledger(bank.store, bank.next_edition).accounts.values()) == 0
    except LedgerRefused as refusal:
        return str(refusal)
    return ""


@cache
def _steps(chosen: Round) -> list[ScriptAction]:
    return steps("\n".join(_script(*chosen)))


def _script(sides: tuple[str, ...], edition: int) -> Iterator[str]:
    put = [f"insert {side} {NUMBERS[side]}" for side in sides]
    taken = [f"remove {side}" for side in sides]
    yield from put
    yield from _pressed("1M", "10K", "G", "C", "C", "1K")
    for entry in ENTRIES:
        yield from _pressed(entry, "1M", "M", "2K", "M")
        yield from ("hold M 1s", "press C", "press C")
    yield from _pressed("F8", "GG,GMM", "C")
    yield from taken
    yield from _pressed("F05", "3MM", "C", "F05", "4MM", ",", "F9M")
    yield from ("insert left 5", *_pressed("1M", "10K", "C", "1K", "F9", "C", "F8M", "C"))
    yield from ("remove left", *_pressed("MM", "C"))
    yield from ("power off", "power on")
    if edition:
        yield f"press F04{edition}"
    yield from ("press F03", "press 5M", "hold C 4s", "wait 6m")
    yield from (*put, *_pressed("1M", "1K", "G", "F5M", "F212MM", "C"), *taken)
    yield from ("press F06M", *put, *_pressed("1M", "1K", "G", "F8MMC"), *taken)
    yield from ("press F02", "hold C 4s", *put, "press F1", "hold M 1s", "wait 61s", *taken)


def _pressed(*keys: str) -> Iterator[str]:
    return (f"press {each}" for each in keys)
