"""The sounds of the box, each a short melody, in one table."""

from enum import Enum


class Sound(Enum):
    """A sound, by the name that scripts use for it."""

    KEY = "key"
    CARD = "card"
    OK = "ok"
    UNDO = "undo"
    ERROR = "error"
    NEW_GAME = "new-game"
    VOLUME = "volume"
    ALARM = "alarm"


LOUDEST = 3
"""Volume runs from 0, silent, to this."""

REST = 0
"""A note of this pitch is a silence."""

MELODIES: dict[Sound, tuple[tuple[int, int], ...]] = {
    # Each note is a pitch in hertz and a length in milliseconds. Money in rises,
    # money back falls, a refusal is low: a banker hears the outcome without looking.
    Sound.KEY: ((2400, 12),),
    Sound.CARD: ((1568, 60), (2093, 60)),
    Sound.OK: ((1047, 60), (1319, 60), (1568, 120)),
    Sound.UNDO: ((1568, 60), (1175, 60), (880, 120)),
    Sound.ERROR: ((220, 140), (REST, 40), (220, 200)),
    Sound.NEW_GAME: ((784, 100), (1047, 100), (1319, 100), (1568, 100), (2093, 300)),
    Sound.VOLUME: ((1760, 120),),
    Sound.ALARM: ((1976, 200), (REST, 100)) * 4,
}
