"""Faults of a box on the software board, and of the disk of its ledger."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest

from firmware.bank import edition as editions
from firmware.cli import main
from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import SECOND, Key, Slot
from sim.board.clocks import VirtualClock
from sim.board.fault import ClockJump, KeyStuck
from sim.board.harness import EPOCH
from sim.board.software_harness import SoftwareHarness
from sim.board.stock import STOCK
from sim.board.trace import Happening
from sim.script.language import ScriptReader, read_script
from sim.script.player import Unmet, begin, perform
from tests.campaign.disk.card_ledger import CardLedger

BANKING = editions.load("banking")
MOST = 40
"""Disk operations; a move takes fewer."""


class Table:
    """A box with its ledger on a card that can fail; keeps all that it has shown and played."""

    def __init__(self, folder: Path, seed: int = 0) -> None:
        self.happened: list[Happening] = []
        harness = SoftwareHarness(VirtualClock(), lambda _at, thing: self.happened.append(thing))
        kept = harness.failing_disk(folder, Random(seed))
        self.harness = harness.begin_new(BANKING, stock_known=True, kept=kept)
        assert isinstance(self.harness.kept, CardLedger)
        self.kept = self.harness.kept
        self._reader = ScriptReader(BANKING)

    def play(self, *lines: str) -> None:
        for line in lines:
            step = self._reader.read(line)
            assert step
            perform(self.harness, step)  # type: ignore[arg-type]  # no line here is a given

    @property
    def shown(self) -> View:
        """The last view, also after a power cut."""
        return [thing for thing in self.happened if isinstance(thing, View)][-1]

    def dates(self) -> list[int]:
        """The times of the moves."""
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
        playing.harness.put_away()


@pytest.mark.parametrize("seed", range(3))
def test_a_power_cut_at_each_operation_of_a_move(tmp_path: Path, seed: int) -> None:
    """A shown move is kept, none is half, and nothing shows or sounds after the cut."""
    cuts = 0
    for operation in range(1, MOST):
        with table(tmp_path / f"{operation}", seed) as at:
            at.play("insert left 1", "insert right 2", "wait 1s", f"fault disk cut {operation}")
            before = len(at.happened)
            at.play("press 2M")
            said = at.happened[before:]
            after = [at.harness.ledger.balance(card) for card in (1, 2)]
            if at.harness.powered:
                assert at.shown.field == "13M"
                break
            cuts += 1
            assert said[-1] == "power  off"
            assert Sound.OK not in said
            assert at.shown.field == "2"
            assert at.harness.view is None
            assert after in ([15_000_000, 15_000_000], [17_000_000, 13_000_000])
            at.play("power on", "wait 1s")
            assert [at.harness.ledger.balance(card) for card in (1, 2)] == after
    assert 3 <= cuts < MOST - 1, "the move was never complete, or none of its operations was cut"


def test_a_cut_loses_the_same_each_time(tmp_path: Path) -> None:
    survived = []
    for folder in (tmp_path / "one", tmp_path / "other"):
        with table(folder, seed=5) as at:
            at.play("insert right 1", "press 1M", "fault disk cut 4", "press 2M", "press 3M")
            assert not at.harness.powered
            at.play("power off")
            sizes = {file.name: file.stat().st_size for file in folder.iterdir()}
            survived.append((sizes, at.harness.ledger.balance(1)))
    assert survived[0] == survived[1]


def test_keys_pressed_without_power_are_lost(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("insert right 1", "fault disk cut 1", "press 1M", "press 5", "remove right")
        at.play("insert left 2", "power on", "expect card 2", "wait 1s", "expect screen 15M")
        assert Sound.ERROR not in at.happened


def test_a_power_cut_during_a_start(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("insert right 1", "press 1M", "power off", "fault disk cut 1")
        before = len(at.happened)
        at.play("power on")
        assert at.happened[before:] == ["power  on", "power  off"]
        assert not at.harness.powered
        at.play("power on", "wait 1s", "expect screen 14M")


def test_files_of_a_firmware_without_power_are_closed(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("insert right 1", "fault disk cut 1", "press 1M", "power on", "wait 1s")
        links = [Path(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]
        held = [os.readlink(link) for link in links if link.is_symlink()]
        assert [name for name in held if name.startswith(str(tmp_path))]
        assert not [name for name in held if name.startswith(str(tmp_path)) and "deleted" in name]


def test_power_on_fails_if_the_cut_has_not_come(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("fault disk cut 900", "press ,")
        with pytest.raises(Unmet, match="expected the power to have gone by now"):
            at.play("power on")
        at.play("power off", "power on", "expect volume 3")


def test_expecting_a_balance_is_no_disk_operation(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("insert left 1", "press 1M")
        before = at.kept.card.operations
        at.play("expect balance 1 16M", "fault disk full", "expect balance 1 16M")
        assert at.kept.card.operations == before
        at.play("press 1")
        at.play("press M", "expect message ERROR")


def test_a_refused_ledger_is_retried(tmp_path: Path) -> None:
    """As in `tellerbox run` (D4); cards that were put in meanwhile count then."""
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


def test_a_jump_of_the_calendar_only_affects_dates_in_the_ledger(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.play("insert left 1", "wait 1m", "press 1", "press 1M")
        at.play("fault clock -2h", "press 1M", "power off", "power on", "fault clock 3h")
        at.play("press 1M", "expect balance 1 28M")
        minute, hour = EPOCH + 60, 3600
        assert at.dates() == [minute, minute - 2 * hour, minute + hour]


def test_a_jump_of_the_calendar_with_a_ledger_in_memory() -> None:
    harness = SoftwareHarness().begin_new(BANKING, stock_known=True)
    harness.cause(ClockJump(-(10**12)))
    harness.insert(Slot.LEFT, STOCK[0])
    harness.press((Key.GO,))
    assert harness.balance(1) == 17_000_000


def test_a_key_that_is_stuck_for_ten_minutes_counts_as_let_go() -> None:
    """As the real keypad reports it, so that a box with something on its keys falls asleep."""
    harness = SoftwareHarness().begin_new(BANKING, stock_known=True)
    harness.insert(Slot.LEFT, STOCK[0])
    stuck = KeyStuck(Key.FIVE)
    harness.cause(stuck)
    harness.wait(600 * SECOND - 1)
    harness.wait(60 * SECOND)
    assert not harness.asleep
    harness.wait(1)
    assert harness.asleep
    harness.press((Key.FIVE,))
    assert harness.asleep, "a stuck key has no effect"
    harness.mend(stuck)
    assert harness.asleep
    # Sleep has interrupted the entry of the stuck key: C wakes the box, and acknowledges (N2).
    harness.press((Key.CANCEL, Key.CANCEL, Key.FIVE))
    assert harness.view
    assert harness.view.field == "5"


def test_the_folder_of_a_script_is_removed() -> None:
    script = read_script("a.box", ["fault disk full", "insert left 1"], BANKING)
    harness = begin(SoftwareHarness(), script)
    assert isinstance(harness.kept, CardLedger)
    folder = harness.kept.path.parent
    assert folder.is_dir()
    harness.put_away()
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


def test_a_cut_in_a_played_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert play(tmp_path, "fault disk cut 1", "press ,", "power on", "expect volume 2") == 0
    capsys.readouterr()
    assert play(tmp_path, "fault disk cut 900", "press ,", "power on") == 1
    assert "script.box:3: expected the power to have gone by now" in capsys.readouterr().err
    assert play(tmp_path, "fault disk cut 1", "press ,", "expect volume 2") == 1
    assert "script.box:3: expected volume 2, got nothing" in capsys.readouterr().err


def test_a_script_with_a_failing_disk_is_refused_outside_of_a_checkout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("sim.board.harness.FAILING_DISK", "no_such_package.disk")
    script = tmp_path / "full.box"
    script.write_text("insert left 1\nfault disk full\nmend disk\nfault disk sync\n")
    assert main(["play", str(script)]) == 2
    assert capsys.readouterr().err == (
        f"{script}:2: a disk that fails is part of the tests: play this script in a checkout\n"
    )
