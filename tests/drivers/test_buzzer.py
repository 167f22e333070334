"""The buzzer driver: melodies in time, volume by duty cycle, silent at 0."""

import pytest

from hal.display.sounds import MELODIES, REST, Sound
from tests.drivers.harness import MS, bench


@pytest.mark.parametrize("sound", Sound)
def test_melody_is_played_in_time(sound: Sound) -> None:
    with bench() as b:
        b.run(100 * MS)
        b.board.buzzer.play(sound, 3)
        b.run(3_000 * MS)
        heard = b.hardware.piezo.heard(b.hardware.time.now)
        notes = [(pitch, length) for pitch, length in MELODIES[sound] if pitch != REST]
        assert [round(note.frequency) for note in heard] == [pitch for pitch, _ in notes]
        for note, (_, length) in zip(heard, notes, strict=True):
            assert (
                abs(note.length / 1e6 - length) <= 12
            )  # the loop may be busy with a scan of a slot


def test_volume_levels() -> None:
    duties = []
    for volume in (1, 2, 3):
        with bench() as b:
            b.board.buzzer.play(Sound.OK, volume)
            b.run(500 * MS)
            duties.append({note.duty for note in b.hardware.piezo.heard(b.hardware.time.now)})
    assert all(len(duty) == 1 for duty in duties)
    quiet, middle, loud = (duty.pop() for duty in duties)
    assert 0 < quiet < middle < loud <= 0.5
    with bench() as b:
        b.board.buzzer.play(Sound.OK, 0)
        b.run(500 * MS)
        assert b.hardware.piezo.heard(b.hardware.time.now) == []


def test_new_sound_replaces_the_old_one() -> None:
    with bench() as b:
        b.board.buzzer.play(Sound.ALARM, 2)
        b.run(50 * MS)
        b.board.buzzer.play(Sound.VOLUME, 2)
        b.run(3_000 * MS)
        heard = [round(note.frequency) for note in b.hardware.piezo.heard(b.hardware.time.now)]
        assert heard == [1976, 1760]


def test_silent_buzzer_has_no_current() -> None:
    """Neither before, nor in a rest, nor afterwards: a constant high level would heat it."""
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


def test_idle_frequency_is_low_awake_and_zero_asleep() -> None:
    """A thread of the library wakes for every period."""
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
        b.board.buzzer.play(Sound.ALARM, 3)  # while asleep
        b.board.rest(True)
        assert (piezo.frequency, piezo.duty) == (1976, 0.5)
        b.run(2_000 * MS)
        assert (piezo.frequency, piezo.duty) == (0, 0)
        b.board.rest(False)
        assert (piezo.frequency, piezo.duty) == (50, 0)


def test_melody_continues_when_the_box_falls_asleep() -> None:
    with bench() as b:
        b.board.buzzer.play(Sound.NEW_GAME, 3)
        b.board.rest(True)
        b.run(2_000 * MS)
        assert len(b.hardware.piezo.heard(b.hardware.time.now)) == len(MELODIES[Sound.NEW_GAME])
