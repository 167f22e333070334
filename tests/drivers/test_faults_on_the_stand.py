"""Faults of a box on the virtual board: what breaks is a wire, a contact, or the air."""

from collections.abc import Iterator

import pytest

from firmware import edition as editions
from hal.events import MILLISECOND, SECOND, Key, Slot
from hal.picture import draw
from hal.view import Tenant
from sim.fault import Fault, KeyStuck, Mishap, Noise, ReaderDead
from sim.player import perform
from sim.rig import Rig
from sim.script import Given, Reader
from sim.stock import STOCK
from sim.virtual_stand import VirtualStand

BANKING = editions.load("banking")
LEFT, RIGHT = Slot.LEFT, Slot.RIGHT


class Table:
    """A box on the virtual board."""

    def __init__(self) -> None:
        self.stand = VirtualStand()
        self.rig = Rig.on(self.stand, BANKING, stock_known=True)
        self._reader = Reader(BANKING)

    def play(self, *lines: str) -> None:
        for line in lines:
            step = self._reader.read(line)
            assert step
            assert not isinstance(step, Given)
            perform(self.rig, step)

    def took(self, *lines: str) -> float:
        """Seconds of the box's time."""
        before = self.stand.now
        self.play(*lines)
        return (self.stand.now - before) / SECOND

    @property
    def glass(self) -> bytes:
        return self.stand.hardware.oled.picture().tobytes()


@pytest.fixture
def table() -> Iterator[Table]:
    at = Table()
    yield at
    at.rig.put_away()


def test_a_reader_dies_and_returns_in_the_time_that_its_driver_takes(table: Table) -> None:
    table.play("insert left 1", "wait 2s")
    assert table.took("fault reader left") < 0.2
    table.play("expect message LEFT READER", "expect screen -----")
    assert table.took("mend reader left") < 1.5
    table.play("expect card 1", "expect message")


def test_nobody_waits_for_a_dead_reader_to_see_a_card(table: Table) -> None:
    table.play("insert left 1", "fault reader left", "fault reader right")
    assert table.took("remove left", "insert left 2", "insert right 3") == 0
    assert table.took("power off", "power on") < 0.5
    table.play("mend reader right", "expect card 3", "mend reader left", "expect card 2")


def test_noise_hides_cards_and_when_it_is_over_all_is_as_it_should_be(table: Table) -> None:
    table.play("insert left 1", "fault noise 50", "insert right 2", "wait 5s")
    assert table.stand.hardware.air.bit_errors == 0.5
    table.play("press 1", "remove left", "mend noise", "wait 2s")
    assert table.stand.hardware.air.bit_errors == 0
    assert table.stand.view
    assert table.stand.view.tenants == (Tenant.NOBODY, 2)
    table.play("insert left 3", "press 1M", "expect balance 3 16M", "expect balance 2 14M")


def test_contacts_bounce_until_they_are_mended(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounces = []
    press, let_go = table.stand.hardware.press, table.stand.hardware.let_go

    def watched_press(key: Key, bounce: int = 0) -> None:
        bounces.append(bounce)
        press(key, bounce)

    def watched_let_go(key: Key, bounce: int = 0) -> None:
        bounces.append(bounce)
        let_go(key, bounce)

    monkeypatch.setattr(table.stand.hardware, "press", watched_press)
    monkeypatch.setattr(table.stand.hardware, "let_go", watched_let_go)
    table.play("insert left 1", "fault bounce", "press 11", "mend bounce", "press M")
    table.play("expect screen 26M")
    assert [bounce > 0 for bounce in bounces] == [True] * 4 + [False] * 2


def test_a_transfer_to_the_screen_breaks_off_once(table: Table) -> None:
    table.play("insert left 1", "wait 1s", "fault bus")
    assert table.stand.hardware.i2c_breaks_after is not None
    table.play("press 1M")
    assert table.stand.hardware.i2c_breaks_after is None
    table.play("expect screen 16M")
    assert table.stand.newest_view
    assert table.glass == draw(table.stand.newest_view).tobytes()


def test_a_screen_is_unplugged_and_drawn_again(table: Table) -> None:
    dark = table.glass
    table.play("insert left 1", "wait 1s", "fault screen")
    unplugged = table.glass
    assert not any(unplugged)
    assert dark != unplugged
    table.play("press 1M", "expect sound ok", "expect awake", "wait 10s")
    assert table.glass == unplugged
    assert table.stand.newest_view is None
    assert table.took("mend screen") <= 2.5
    assert table.stand.newest_view
    assert table.glass == draw(table.stand.newest_view).tobytes()
    table.play("expect screen 16M")


def test_a_screen_comes_back_to_a_box_that_sleeps(table: Table) -> None:
    table.play("fault screen", "wait 1m", "expect asleep", "mend screen", "expect asleep")
    table.play("press ,", "expect awake", "expect screen -----")
    assert table.stand.newest_view
    assert table.glass == draw(table.stand.newest_view).tobytes()


def test_a_stuck_key_is_a_closed_contact(table: Table) -> None:
    table.play("insert left 1", "fault key 5", "expect screen 5")
    matrix, now = table.stand.hardware.matrix, table.stand.hardware.world.now
    assert matrix.closed("5", now)
    assert table.took("press 5") == 0
    assert table.took("hold 5 2s") == pytest.approx(2, abs=0.02)
    table.play("press 6", "expect screen 56", "mend key 5", "press 5", "expect screen 565")
    assert not matrix.closed("5", table.stand.hardware.world.now)


def test_a_key_beside_a_stuck_one_is_held_for_as_long_as_the_script_says(table: Table) -> None:
    """No edge tells of it here, but the next scan: these lines have it pressed just then."""
    table.play("press 2M", "wait 4s", "press 2M", "wait 4s", "fault key 5", "wait 4s")
    table.play("fault bus", "wait 4s", "insert left 4", "wait 4s", "press 2M", "wait 4s")
    table.play("hold C 3s", "expect message NEW GAME")


@pytest.mark.parametrize(
    "fault", [ReaderDead(LEFT), KeyStuck(Key.ONE), Noise(3), *Mishap], ids=lambda f: f.words
)
def test_faults_come_and_go_without_power_too(table: Table, fault: Fault) -> None:
    table.rig.insert(LEFT, STOCK[0])
    table.rig.power_off()
    table.rig.cause(fault)
    table.rig.mend(fault)
    table.rig.power_on()
    table.play("wait 1s")
    assert table.rig.view
    assert (table.rig.view.field, table.rig.view.message) == ("15M", None)


def test_the_power_goes_in_the_middle_of_a_write_and_the_glass_is_dark() -> None:
    stand = VirtualStand()
    rig = Rig.on_card(stand, BANKING, stock_known=True)
    reader = Reader(BANKING)
    try:
        for line in ("insert right 1", "wait 1s", "fault disk cut 2", "press 1M"):
            step = reader.read(line)
            assert step
            assert not isinstance(step, Given)
            perform(rig, step)
        assert not rig.powered
        assert rig.view is None
        assert not any(stand.hardware.oled.picture().tobytes())
        rig.press((Key.TWO,))
        rig.wait(100 * MILLISECOND)
        rig.power_on()
        rig.wait(SECOND)
        assert rig.view
        assert rig.view.field == "15M"
    finally:
        rig.put_away()
