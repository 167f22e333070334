"""The board as a whole: one wait, and what ends it."""

from hal.events import Instant, Key, KeyDown
from hal.sounds import Sound
from sim.chips import mfrc522
from tests import golden
from tests.drivers.harness import MS, NANOS, bench


def test_a_wait_ends_on_time_and_tells_nothing() -> None:
    with bench() as b:
        b.run(300 * MS)
        until = Instant(b.now + 123_456)
        b.board.horizon = until
        assert b.board.wait(until) == []
        assert until <= b.now <= until + 12 * MS  # a look may be under way


def test_a_wait_that_is_over_already_asks_the_parts_all_the_same() -> None:
    with bench() as b:
        b.run(300 * MS)
        b.hardware.press(Key.ONE)
        b.hardware.world.pass_until(b.hardware.world.now + 2 * MS * NANOS)
        b.board.horizon = b.now
        (event,) = b.board.wait(b.now)
        assert isinstance(event, KeyDown)


def test_an_interruption_ends_one_wait_and_no_other() -> None:
    with bench() as b:
        b.run(300 * MS)
        start = b.now
        b.hardware.world.plan((start + 100 * MS) * NANOS, b.board.interrupt)
        b.board.horizon = Instant(start + 10_000 * MS)
        assert b.board.wait(b.board.horizon) == []
        assert 100 * MS <= b.now - start <= 112 * MS
        assert b.board.wait(b.board.horizon) == []
        assert b.now - start >= 10_000 * MS


def test_an_interruption_between_two_waits_is_not_lost() -> None:
    with bench() as b:
        b.run(300 * MS)
        start = b.now
        b.board.interrupt()
        b.board.horizon = Instant(start + 10_000 * MS)
        assert b.board.wait(b.board.horizon) == []
        assert b.now - start <= 12 * MS


def test_while_the_bank_waits_melodies_and_lost_screens_go_on() -> None:
    with bench() as b:
        view = golden.views()["balance"]
        b.hardware.oled_plugged = False
        b.board.screen.show(view)
        b.board.buzzer.play(Sound.ALARM, 3)
        b.hardware.world.plan(
            (b.now + 500 * MS) * NANOS, lambda: setattr(b.hardware, "oled_plugged", True)
        )
        b.board.horizon = Instant(b.now + 4_000 * MS)
        assert b.board.wait(b.board.horizon) == []
        assert len(b.hardware.piezo.heard(b.hardware.world.now)) == 4
        assert any(b.hardware.oled.picture().tobytes())


def test_a_closed_board_lets_the_readers_rest() -> None:
    with bench() as b:
        b.run(300 * MS)
        b.board.close()
        for reader in b.hardware.readers.values():
            assert reader._registers[mfrc522.COMMAND] & 0x10
        assert not any(antenna.on for antenna in b.hardware.antennas.values())
