"""The sounds of the box and their melodies."""

from enum import Enum


class Sound(Enum):
    """A sound, by its name in scripts."""

    KEY = "key"
    CARD = "card"
    OK = "ok"
    UNDO = "undo"
    ERROR = "error"
    NEW_GAME = "new-game"
    VOLUME = "volume"
    ALARM = "alarm"


LOUDEST = 3
"""The highest volume; 0 is silent."""

REST = 0
"""The pitch of a silent note."""

MELODIES: dict[Sound, tuple[tuple[int, int], ...]] = {
    # Each note is a pitch in hertz and a length in milliseconds. A banker hears the outcome
    # without looking: the melody of a move rises, that of an undo falls, a refusal is low.
    Sound.KEY: ((2400, 12),),
    Sound.CARD: ((1568, 60), (2093, 60)),
    Sound.OK: ((1047, 60), (1319, 60), (1568, 120)),
    Sound.UNDO: ((1568, 60), (1175, 60), (880, 120)),
    Sound.ERROR: ((220, 140), (REST, 40), (220, 200)),
    Sound.NEW_GAME: ((784, 100), (1047, 100), (1319, 100), (1568, 100), (2093, 300)),
    Sound.VOLUME: ((1760, 120),),
    Sound.ALARM: ((1976, 200), (REST, 100)) * 4,
}
