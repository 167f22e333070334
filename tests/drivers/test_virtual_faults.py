"""Faults of a box on the virtual board: wires, contacts, the radio link."""

from collections.abc import Iterator

import pytest

from firmware.bank import edition as editions
from hal.display.renderer import draw
from hal.display.view import Occupant
from hal.events import MILLISECOND, SECOND, Key, Slot
from sim.board.fault import Fault, KeyStuck, Mishap, Noise, ReaderDead, script_words
from sim.board.stock import STOCK
from sim.script.language import Given, ScriptReader
from sim.script.player import perform
from sim.virtual.virtual_harness import VirtualHarness

BANKING = editions.load("banking")
LEFT, RIGHT = Slot.LEFT, Slot.RIGHT


class BoxUnderTest:
    """A box on the virtual board, driven by lines of a script."""

    def __init__(self) -> None:
        self.harness = VirtualHarness().begin_new(BANKING, stock_known=True)
        self._reader = ScriptReader(BANKING)

    def play(self, *lines: str) -> None:
        for line in lines:
            step = self._reader.read(line)
            assert step
            assert not isinstance(step, Given)
            perform(self.harness, step)

    def took(self, *lines: str) -> float:
        """Play lines and return the seconds of virtual time."""
        before = self.harness.now
        self.play(*lines)
        return (self.harness.now - before) / SECOND

    @property
    def picture(self) -> bytes:
        return self.harness.hardware.oled.picture().tobytes()


@pytest.fixture
def box() -> Iterator[BoxUnderTest]:
    box = BoxUnderTest()
    yield box
    box.harness.put_away()


def test_reader_dies_and_returns(box: BoxUnderTest) -> None:
    box.play("insert left 1", "wait 2s")
    assert box.took("fault reader left") < 0.2
    box.play("expect message LEFT READER", "expect screen -----")
    assert box.took("mend reader left") < 1.5
    box.play("expect card 1", "expect message")


def test_script_does_not_wait_for_a_dead_reader(box: BoxUnderTest) -> None:
    box.play("insert left 1", "fault reader left", "fault reader right")
    assert box.took("remove left", "insert left 2", "insert right 3") == 0
    assert box.took("power off", "power on") < 0.5
    box.play("mend reader right", "expect card 3", "mend reader left", "expect card 2")


def test_cards_are_right_after_noise(box: BoxUnderTest) -> None:
    box.play("insert left 1", "fault noise 50", "insert right 2", "wait 5s")
    assert box.harness.hardware.air.bit_errors == 0.5
    box.play("press 1", "remove left", "mend noise", "wait 2s")
    assert box.harness.hardware.air.bit_errors == 0
    assert box.harness.view
    assert box.harness.view.occupants == (Occupant.NONE, 2)
    box.play("insert left 3", "press 1M", "expect balance 3 16M", "expect balance 2 14M")


def test_contacts_bounce_until_mended(box: BoxUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    bounces = []
    press, let_go = box.harness.hardware.press, box.harness.hardware.let_go

    def watched_press(key: Key, bounce: int = 0) -> None:
        bounces.append(bounce)
        press(key, bounce)

    def watched_let_go(key: Key, bounce: int = 0) -> None:
        bounces.append(bounce)
        let_go(key, bounce)

    monkeypatch.setattr(box.harness.hardware, "press", watched_press)
    monkeypatch.setattr(box.harness.hardware, "let_go", watched_let_go)
    box.play("insert left 1", "fault bounce", "press 11", "mend bounce", "press M")
    box.play("expect screen 26M")
    assert [bounce > 0 for bounce in bounces] == [True] * 4 + [False] * 2


def test_transfer_to_the_screen_fails_once(box: BoxUnderTest) -> None:
    box.play("insert left 1", "wait 1s", "fault bus")
    assert box.harness.hardware.i2c_breaks_after is not None
    box.play("press 1M")
    assert box.harness.hardware.i2c_breaks_after is None
    box.play("expect screen 16M")
    assert box.harness.newest_view
    assert box.picture == draw(box.harness.newest_view).tobytes()


def test_screen_is_redrawn_after_it_was_unplugged(box: BoxUnderTest) -> None:
    before = box.picture
    box.play("insert left 1", "wait 1s", "fault screen")
    blank = box.picture
    assert not any(blank)
    assert before != blank
    box.play("press 1M", "expect sound ok", "expect awake", "wait 10s")
    assert box.picture == blank
    assert box.harness.newest_view is None
    assert box.took("mend screen") <= 2.5
    assert box.harness.newest_view
    assert box.picture == draw(box.harness.newest_view).tobytes()
    box.play("expect screen 16M")


def test_screen_returns_while_the_box_sleeps(box: BoxUnderTest) -> None:
    box.play("fault screen", "wait 1m", "expect asleep", "mend screen", "expect asleep")
    box.play("press ,", "expect awake", "expect screen -----")
    assert box.harness.newest_view
    assert box.picture == draw(box.harness.newest_view).tobytes()


def test_stuck_key_is_a_closed_contact(box: BoxUnderTest) -> None:
    box.play("insert left 1", "fault key 5", "expect screen 5")
    matrix, now = box.harness.hardware.matrix, box.harness.hardware.time.now
    assert matrix.closed("5", now)
    assert box.took("press 5") == 0
    assert box.took("hold 5 2s") == pytest.approx(2, abs=0.02)
    box.play("press 6", "expect screen 56", "mend key 5", "press 5", "expect screen 565")
    assert not matrix.closed("5", box.harness.hardware.time.now)


def test_key_pressed_during_a_scan_is_held_as_long_as_scripted(box: BoxUnderTest) -> None:
    """Beside a stuck key. These lines press C within a scan: the next scan finds it."""
    box.play("press 2M", "wait 4s", "press 2M", "wait 4s", "fault key 5", "wait 4s")
    box.play("fault bus", "wait 4s", "insert left 4", "wait 4s", "press 2M", "wait 4s")
    box.play("hold C 3s", "expect message NEW GAME")


@pytest.mark.parametrize(
    "fault", [ReaderDead(LEFT), KeyStuck(Key.ONE), Noise(3), *Mishap], ids=script_words
)
def test_faults_without_power(box: BoxUnderTest, fault: Fault) -> None:
    box.harness.insert(LEFT, STOCK[0])
    box.harness.power_off()
    box.harness.cause(fault)
    box.harness.mend(fault)
    box.harness.power_on()
    box.play("wait 1s")
    assert box.harness.view
    assert (box.harness.view.field, box.harness.view.message) == ("15M", None)


def test_power_cut_during_a_write_blanks_the_screen() -> None:
    harness = VirtualHarness()
    harness.begin_new(BANKING, stock_known=True, kept=harness.failing_disk())
    reader = ScriptReader(BANKING)
    try:
        for line in ("insert right 1", "wait 1s", "fault disk cut 2", "press 1M"):
            step = reader.read(line)
            assert step
            assert not isinstance(step, Given)
            perform(harness, step)
        assert not harness.powered
        assert harness.view is None
        assert not any(harness.hardware.oled.picture().tobytes())
        harness.press((Key.TWO,))
        harness.wait(100 * MILLISECOND)
        harness.power_on()
        harness.wait(SECOND)
        assert harness.view
        assert harness.view.field == "15M"
    finally:
        harness.put_away()
