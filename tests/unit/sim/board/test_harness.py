"""Faults of a box on the software board, and of the disk that its ledger lies on."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest

from firmware import edition as editions
from firmware.cli import main
from hal.events import SECOND, Key, Slot
from hal.sounds import Sound
from hal.view import View
from sim.card_ledger import CardLedger
from sim.clocks import VirtualClock
from sim.fault import ClockJump, KeyStuck
from sim.player import Unmet, perform
from sim.rig import EPOCH, Rig
from sim.script import Reader, read_script
from sim.software_stand import SoftwareStand
from sim.stock import STOCK
from sim.trace import Happening

BANKING = editions.load("banking")
MOST = 40
"""Operations of a disk: no move takes so many."""


class Table:
    """A box whose ledger lies on a card, and all that was seen and heard of it."""

    def __init__(self, folder: Path, seed: int = 0) -> None:
        self.happened: list[Happening] = []
        stand = SoftwareStand(VirtualClock(), lambda _at, thing: self.happened.append(thing))
        self.rig = Rig.on_card(stand, BANKING, stock_known=True, folder=folder, dice=Random(seed))
        assert isinstance(self.rig.kept, CardLedger)
        self.kept = self.rig.kept
        self._reader = Reader(BANKING)

    def play(self, *lines: str) -> None:
        for line in lines:
            step = self._reader.read(line)
            assert step
            perform(self.rig, step)  # type: ignore[arg-type]  # no line here is a given

    @property
    def shown(self) -> View:
        """The last that went out, before or after the power did."""
        return [thing for thing in self.happened if isinstance(thing, View)][-1]

    def dates(self) -> list[int]:
        """Of the moves."""
        with closing(sqlite3.connect(self.kept.path)) as connection:
            query = "SELECT at FROM posting WHERE purpose = 'entry' ORDER BY id"
            return [at for (at,) in connection.execute(query)]


@contextmanager
def table(folder: Path, seed: int = 0) -> Iterator[Table]:
    folder.mkdir(exist_ok=True)
    playing = Table(folder, seed)
    try:
        yield playing
    finally:
        playing.rig.put_away()


@pytest.mark.parametrize("seed", range(3))
def test_a_power_cut_with_each_operation_of_a_move(tmp_path: Path, seed: int) -> None:
    """What was shown is there, nothing shows or sounds after the cut, and no half move is there."""
    struck = 0
    for operation in range(1, MOST):
        with table(tmp_path / f"{operation}", seed) as at:
            at.play("insert left 1", "insert right 2", "wait 1s", f"fault disk cut {operation}")
            before = len(at.happened)
            at.play("press 2M")
            said = at.happened[before:]
            after = [at.rig.ledger.balance(card) for card in (1, 2)]
            if at.rig.powered:
                assert at.shown.field == "13M"
                break
            struck += 1
            assert said[-1] == "power  off"
            assert Sound.OK not in said
            assert at.shown.field == "2"
            assert at.rig.view is None
            assert after in ([15_000_000, 15_000_000], [17_000_000, 13_000_000])
            at.play("power on", "wait 1s")
            assert [at.rig.ledger.balance(card) for card in (1, 2)] == after
    assert 3 <= struck < MOST - 1, "the move was never whole, or no operation of it was cut"


def test_the_dice_fall_the_same_every_time(tmp_path: Path) -> None:
    survived = []
    for folder in (tmp_path / "one", tmp_path / "other"):
        with table(folder, seed=5) as at:
            at.play("insert right 1", "press 1M", "fault disk cut 4", "press 2M", "press 3M")
            assert not at.rig.powered
            at.play("power off")
            sizes = {file.name: file.stat().st_size for file in folder.iterdir()}
            survived.append((sizes, at.rig.ledger.balance(1)))
    assert survived[0] == survived[1]


def test_keys_pressed_on_a_dark_box_are_lost(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("insert right 1", "fault disk cut 1", "press 1M", "press 5", "remove right")
        at.play("insert left 2", "power on", "expect card 2", "wait 1s", "expect screen 15M")
        assert Sound.ERROR not in at.happened


def test_the_power_goes_while_the_box_starts(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("insert right 1", "press 1M", "power off", "fault disk cut 1")
        before = len(at.happened)
        at.play("power on")
        assert at.happened[before:] == ["power  on", "power  off"]
        assert not at.rig.powered
        at.play("power on", "wait 1s", "expect screen 14M")


def test_what_a_dead_firmware_had_open_is_closed(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("insert right 1", "fault disk cut 1", "press 1M", "power on", "wait 1s")
        links = [Path(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]
        held = [os.readlink(link) for link in links if link.is_symlink()]
        assert [name for name in held if name.startswith(str(tmp_path))]
        assert not [name for name in held if name.startswith(str(tmp_path)) and "deleted" in name]


def test_power_that_has_not_gone_cannot_come_back(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("fault disk cut 900", "press ,")
        with pytest.raises(Unmet, match="expected the power to have gone by now"):
            at.play("power on")
        at.play("power off", "power on", "expect volume 3")


def test_whoever_looks_into_the_ledger_is_no_operation_of_its_disk(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("insert left 1", "press 1M")
        before = at.kept.card.operations
        at.play("expect balance 1 16M", "fault disk full", "expect balance 1 16M")
        assert at.kept.card.operations == before
        at.play("press 1")
        at.play("press M", "expect message ERROR")


def test_a_ledger_that_is_refused_is_tried_again(tmp_path: Path) -> None:
    """As `tellerbox run` does it (D4); what happened meanwhile counts then."""
    with table(tmp_path) as at:
        at.play("insert right 1", "press 1M", "power off")
        kept = {file: file.read_bytes() for file in tmp_path.iterdir()}
        for file in kept:
            file.write_bytes(b"This is no ledger.")
        at.play("power on", "expect message LEDGER ERROR", "expect screen -----", "press 1M")
        at.play("insert left 2", "wait 9s", "expect message LEDGER ERROR", "expect awake")
        for file, content in kept.items():
            file.write_bytes(content)
        at.play("wait 1s", "expect message", "wait 1s", "expect screen 14M", "press 1M")
        at.play("expect balance 1 13M", "expect balance 2 16M")


def test_the_calendar_jumps_and_only_the_dates_in_the_ledger_show_it(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("insert left 1", "wait 1m", "press 1", "press 1M")
        at.play("fault clock -2h", "press 1M", "power off", "power on", "fault clock 3h")
        at.play("press 1M", "expect balance 1 28M")
        minute, hour = EPOCH + 60, 3600
        assert at.dates() == [minute, minute - 2 * hour, minute + hour]


def test_a_calendar_in_memory_jumps_as_well() -> None:
    rig = Rig.new(BANKING, stock_known=True)
    rig.cause(ClockJump(-(10**12)))
    rig.insert(Slot.LEFT, STOCK[0])
    rig.press((Key.GO,))
    assert rig.balance(1) == 17_000_000


def test_a_key_that_is_stuck_for_ten_minutes_counts_as_let_go() -> None:
    """As the real keypad reports it: so the box sleeps with a book on its keys."""
    rig = Rig.new(BANKING, stock_known=True)
    rig.insert(Slot.LEFT, STOCK[0])
    stuck = KeyStuck(Key.FIVE)
    rig.cause(stuck)
    rig.wait(600 * SECOND - 1)
    rig.wait(60 * SECOND)
    assert not rig.asleep
    rig.wait(1)
    assert rig.asleep
    rig.press((Key.FIVE,))
    assert rig.asleep, "nothing can be done with it"
    rig.mend(stuck)
    assert rig.asleep
    rig.press((Key.FIVE,))
    assert rig.view
    assert rig.view.field == "5"


def test_the_folder_of_a_script_goes_with_it() -> None:
    script = read_script("a.box", ["fault disk full", "insert left 1"], BANKING)
    rig = Rig.for_script(script, SoftwareStand(VirtualClock()))
    assert isinstance(rig.kept, CardLedger)
    folder = rig.kept.path.parent
    assert folder.is_dir()
    rig.put_away()
    assert not folder.exists()


def play(tmp_path: Path, *lines: str, options: tuple[str, ...] = ()) -> int:
    script = tmp_path / "script.box"
    script.write_text("\n".join(lines))
    return main(["play", *options, str(script)])


def test_faults_are_in_the_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ("insert left 1", "fault reader left", "wait 1s", "mend reader left")
    assert play(tmp_path, *lines, options=("--trace",)) == 0
    said = [line.split("  ", 1)[1] for line in capsys.readouterr().out.splitlines()[:-2]]
    assert said[said.index("fault  reader left") :][:2] == [
        "fault  reader left",
        "reader left lost",
    ]
    assert said[said.index("mend   reader left") :][1:3] == [
        "reader left back",
        "screen -----",
    ]


def test_a_cut_in_a_script_that_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(tmp_path, "fault disk cut 1", "press ,", "power on", "expect volume 2") == 0
    capsys.readouterr()
    assert play(tmp_path, "fault disk cut 900", "press ,", "power on") == 1
    assert "script.box:3: expected the power to have gone by now" in capsys.readouterr().err
    assert play(tmp_path, "fault disk cut 1", "press ,", "expect volume 2") == 1
    assert "script.box:3: expected volume 2, got nothing" in capsys.readouterr().err
