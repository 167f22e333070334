"""The buzzer model: the notes that its input makes."""

import pytest

from sim.chips.buzzer import Note, PassiveBuzzer


def test_silent_before_the_first_drive() -> None:
    assert PassiveBuzzer().heard(1_000) == []


def test_melody_is_recorded_note_by_note() -> None:
    buzzer = PassiveBuzzer()
    buzzer.drive(100, 440.0, 0.5)
    buzzer.drive(300, 880.0, 0.5)
    buzzer.drive(350, 880.0, 0.1)
    buzzer.drive(400, 0.0, 0.1)
    buzzer.drive(600, 440.0, 0.5)
    buzzer.drive(700, 440.0, 0.0)
    assert buzzer.heard(1_000) == [
        Note(100, 440.0, 0.5, 200),
        Note(300, 880.0, 0.5, 50),
        Note(350, 880.0, 0.1, 50),
        Note(600, 440.0, 0.5, 100),
    ]


@pytest.mark.parametrize(
    ("frequency", "duty"), [(440.0, 0.0), (0.0, 0.5), (0.0, 0.0), (440.0, 1.0)]
)
def test_constant_level_is_silent(frequency: float, duty: float) -> None:
    buzzer = PassiveBuzzer()
    buzzer.drive(0, frequency, duty)
    buzzer.drive(100, 0.0, 0.0)
    assert buzzer.heard(200) == []


def test_sounding_note_ends_at_the_query_time() -> None:
    buzzer = PassiveBuzzer()
    buzzer.drive(100, 440.0, 0.5)
    assert buzzer.heard(100) == []
    assert buzzer.heard(150) == [(100, 440.0, 0.5, 50)]
    assert buzzer.heard(250) == [(100, 440.0, 0.5, 150)]


def test_query_of_an_earlier_time() -> None:
    buzzer = PassiveBuzzer()
    buzzer.drive(100, 440.0, 0.5)
    buzzer.drive(200, 880.0, 0.5)
    assert buzzer.heard(150) == [(100, 440.0, 0.5, 50)]
    assert buzzer.heard(100) == []


def test_repeated_wave_continues_the_note() -> None:
    buzzer = PassiveBuzzer()
    buzzer.drive(100, 440.0, 0.5)
    buzzer.drive(150, 440.0, 0.5)
    assert buzzer.heard(200) == [(100, 440.0, 0.5, 100)]


def test_two_settings_at_one_instant_make_one_note() -> None:
    buzzer = PassiveBuzzer()
    buzzer.drive(100, 880.0, 0.5)
    buzzer.drive(100, 880.0, 0.2)
    assert buzzer.heard(200) == [(100, 880.0, 0.2, 100)]


def test_invalid_arguments_are_rejected() -> None:
    buzzer = PassiveBuzzer()
    buzzer.drive(100, 440.0, 0.5)
    for now, frequency, duty in ((99, 1.0, 0.5), (200, -1.0, 0.5), (200, 1.0, 1.5)):
        with pytest.raises(AssertionError):
            buzzer.drive(now, frequency, duty)
