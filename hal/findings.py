"""What a self-test finds, and the person who helps it with eyes, ears and fingers."""

from enum import Enum
from typing import NamedTuple, Protocol

from hal.events import Key, Slot
from hal.wiring import Part, Wire


class Verdict(Enum):
    """How a check ended."""

    GOOD = "ok"
    NOTE = "note"
    """The box works, but not as well as it could."""
    BAD = "FAIL"


class Access(Enum):
    """What can be done with a device file."""

    READY = "may be used"
    MISSING = "is not there"
    FORBIDDEN = "may not be used by this user"


class Finding(NamedTuple):
    """The outcome of one check."""

    verdict: Verdict
    what: str
    advice: str = ""
    """What to do about it, in whole sentences."""
    wires: tuple[Wire, ...] = ()
    """The wires that could be to blame, the likeliest first."""

    def lines(self) -> list[str]:
        """For a terminal: the outcome, then what to do."""
        told = [f"{self.verdict.value:<5} {self.what}"]
        told += [f"      {self.advice}"] if self.advice else []
        return told + [f"      - {wire}" for wire in self.wires]


def good(what: str) -> Finding:
    return Finding(Verdict.GOOD, what)


def bad(what: str, advice: str, *wires: Wire) -> Finding:
    return Finding(Verdict.BAD, what, advice, wires)


class Person(Protocol):
    """Who does what the self-test asks, and says what came of it."""

    def press(self, key: Key) -> None:
        """Begin to press a key, and let it go again; the self-test watches."""
        ...

    def put_card(self, slot: Slot) -> None: ...

    def take_card(self, slot: Slot) -> None: ...

    def sees_light(self, part: Part) -> bool:
        """Whether the red light on a reader's board is lit."""
        ...

    def sees_pattern(self) -> bool: ...

    def hears_tone(self) -> bool: ...
