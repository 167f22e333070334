"""The board: what ends a wait."""

from hal.display.renderer import draw
from hal.display.sounds import Sound
from hal.events import Instant, Key, KeyDown, Slot
from sim.chips import mfrc522
from tests import golden
from tests.drivers.harness import MS, NANOS, bench, mfrc522_of


def test_wait_ends_in_time_without_events() -> None:
    with bench() as b:
        b.run(300 * MS)
        until = Instant(b.now + 123_456)
        b.board.horizon = until
        assert b.board.wait(until) == []
        assert until <= b.now <= until + 12 * MS  # a scan may be in progress


def test_wait_until_now_polls_the_parts() -> None:
    with bench() as b:
        b.run(300 * MS)
        b.hardware.press(Key.ONE)
        b.hardware.time.pass_until(b.hardware.time.now + 2 * MS * NANOS)
        b.board.horizon = b.now
        (event,) = b.board.wait(b.now)
        assert isinstance(event, KeyDown)


def test_screen_works_before_the_pins_are_opened() -> None:
    """A key that is pressed later is seen by the first wait, which opens them."""
    with bench(connect=False) as b:
        view = golden.views()["idle"]
        b.board.rest(asleep=False)
        b.board.screen.show(view)
        assert b.hardware.oled.picture().tobytes() == draw(view).tobytes()
        assert b.hardware.pin_writes == 0
        assert b.run(100 * MS) == []
        b.hardware.press(Key.ONE)
        (event,) = b.run(100 * MS)
        assert isinstance(event, KeyDown)


def test_interrupt_ends_one_wait_only() -> None:
    with bench() as b:
        b.run(300 * MS)
        start = b.now
        b.hardware.time.plan((start + 100 * MS) * NANOS, b.board.interrupt)
        b.board.horizon = Instant(start + 10_000 * MS)
        assert b.board.wait(b.board.horizon) == []
        assert 100 * MS <= b.now - start <= 112 * MS
        assert b.board.wait(b.board.horizon) == []
        assert b.now - start >= 10_000 * MS


def test_interrupt_between_two_waits_is_not_lost() -> None:
    with bench() as b:
        b.run(300 * MS)
        start = b.now
        b.board.interrupt()
        b.board.horizon = Instant(start + 10_000 * MS)
        assert b.board.wait(b.board.horizon) == []
        assert b.now - start <= 12 * MS


def test_melody_and_lost_screen_continue_during_a_wait() -> None:
    with bench() as b:
        view = golden.views()["balance"]
        b.hardware.oled_plugged = False
        b.board.screen.show(view)
        b.board.buzzer.play(Sound.ALARM, 3)
        b.hardware.time.plan(
            (b.now + 500 * MS) * NANOS, lambda: setattr(b.hardware, "oled_plugged", True)
        )
        b.board.horizon = Instant(b.now + 4_000 * MS)
        assert b.board.wait(b.board.horizon) == []
        assert len(b.hardware.piezo.heard(b.hardware.time.now)) == 4
        assert any(b.hardware.oled.picture().tobytes())


def test_close_powers_the_readers_down() -> None:
    with bench() as b:
        b.run(300 * MS)
        b.board.close()
        for slot in Slot:
            assert mfrc522_of(b, slot)._registers[mfrc522.COMMAND] & 0x10
        assert not any(antenna.on for antenna in b.hardware.antennas.values())
