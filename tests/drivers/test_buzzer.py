"""The buzzer: melodies in time, louder by duty cycle, silent at 0."""

import pytest

from hal.sounds import MELODIES, REST, Sound
from tests.drivers.harness import MS, bench


@pytest.mark.parametrize("sound", Sound)
def test_a_melody_in_time(sound: Sound) -> None:
    with bench() as b:
        b.run(100 * MS)
        b.board.buzzer.play(sound, 3)
        b.run(3_000 * MS)
        heard = b.hardware.piezo.heard(b.hardware.world.now)
        notes = [(pitch, length) for pitch, length in MELODIES[sound] if pitch != REST]
        assert [round(note.frequency) for note in heard] == [pitch for pitch, _ in notes]
        for note, (_, length) in zip(heard, notes, strict=True):
            assert abs(note.length / 1e6 - length) <= 12  # a look into a slot may lie between


def test_louder_and_louder_and_silent() -> None:
    duties = []
    for volume in (1, 2, 3):
        with bench() as b:
            b.board.buzzer.play(Sound.OK, volume)
            b.run(500 * MS)
            duties.append({note.duty for note in b.hardware.piezo.heard(b.hardware.world.now)})
    assert all(len(duty) == 1 for duty in duties)
    quiet, middle, loud = (duty.pop() for duty in duties)
    assert 0 < quiet < middle < loud <= 0.5
    with bench() as b:
        b.board.buzzer.play(Sound.OK, 0)
        b.run(500 * MS)
        assert b.hardware.piezo.heard(b.hardware.world.now) == []


def test_a_new_sound_takes_the_place_of_the_old() -> None:
    with bench() as b:
        b.board.buzzer.play(Sound.ALARM, 2)
        b.run(50 * MS)
        b.board.buzzer.play(Sound.VOLUME, 2)
        b.run(3_000 * MS)
        heard = [round(note.frequency) for note in b.hardware.piezo.heard(b.hardware.world.now)]
        assert heard == [1976, 1760]


def test_a_silent_buzzer_has_no_current() -> None:
    """Neither before, nor in a rest, nor afterwards: a pin that stays high would warm it."""
    with bench() as b:
        assert b.hardware.piezo.duty == 0
        b.board.buzzer.play(Sound.ALARM, 3)
        for pitch, length in MELODIES[Sound.ALARM]:
            b.run((length // 2) * MS)
            assert b.hardware.piezo.duty == (0 if pitch == REST else 0.5)
            b.run((length - length // 2) * MS)
        b.run(100 * MS)
        assert b.hardware.piezo.duty == 0
        b.board.buzzer.play(Sound.ALARM, 0)
        b.run(100 * MS)
        assert b.hardware.piezo.duty == 0


def test_the_wave_is_slow_between_melodies_and_none_while_the_box_sleeps() -> None:
    """A thread of the library wakes for every period of it."""
    with bench() as b:
        piezo = b.hardware.piezo
        assert piezo.frequency == 50
        b.board.buzzer.play(Sound.KEY, 3)
        assert piezo.frequency == 2400
        b.run(100 * MS)
        assert (piezo.frequency, piezo.duty) == (50, 0)
        b.board.rest(True)
        assert (piezo.frequency, piezo.duty) == (0, 0)
        b.board.rest(True)
        b.board.buzzer.play(Sound.ALARM, 3)  # asleep, too
        b.board.rest(True)
        assert (piezo.frequency, piezo.duty) == (1976, 0.5)
        b.run(2_000 * MS)
        assert (piezo.frequency, piezo.duty) == (0, 0)
        b.board.rest(False)
        assert (piezo.frequency, piezo.duty) == (50, 0)


def test_a_melody_goes_on_when_the_box_falls_asleep() -> None:
    with bench() as b:
        b.board.buzzer.play(Sound.NEW_GAME, 3)
        b.board.rest(True)
        b.run(2_000 * MS)
        assert len(b.hardware.piezo.heard(b.hardware.world.now)) == len(MELODIES[Sound.NEW_GAME])
