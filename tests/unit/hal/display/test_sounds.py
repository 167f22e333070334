"""The melodies."""

import pytest

from hal.display.sounds import MELODIES, REST, Sound


@pytest.mark.parametrize("sound", Sound)
def test_every_melody_is_audible(sound: Sound) -> None:
    melody = MELODIES[sound]
    assert melody[0][0] != REST
    assert all(pitch == REST or 200 <= pitch <= 4_000 for pitch, _length in melody)
    assert all(length > 0 for _pitch, length in melody)


def test_no_two_sounds_are_the_same() -> None:
    assert len(set(MELODIES.values())) == len(Sound)
