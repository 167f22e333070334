"""The findings of a self-test, and the person who helps it."""

from enum import Enum
from typing import NamedTuple, Protocol

from hal.events import Key, Slot
from hal.wiring import Part, Wire


class Verdict(Enum):
    """The result of a check."""

    GOOD = "ok"
    NOTE = "note"
    """The box works, but not as well as it could."""
    BAD = "FAIL"


class Access(Enum):
    """Whether a device file can be used."""

    READY = "may be used"
    MISSING = "is not there"
    FORBIDDEN = "may not be used by this user"


class Finding(NamedTuple):
    """The outcome of one check."""

    verdict: Verdict
    what: str
    advice: str = ""
    """What to do about it."""
    wires: tuple[Wire, ...] = ()
    """The wires that could be to blame, the likeliest first."""

    def lines(self) -> list[str]:
        """Return the outcome for a terminal, then what to do."""
        lines = [f"{self.verdict.value:<5} {self.what}"]
        lines += [f"      {self.advice}"] if self.advice else []
        return lines + [f"      - {wire}" for wire in self.wires]


def good(what: str) -> Finding:
    return Finding(Verdict.GOOD, what)


def bad(what: str, advice: str, *wires: Wire) -> Finding:
    return Finding(Verdict.BAD, what, advice, wires)


class Person(Protocol):
    """The person who does what the self-test asks, and reports the result."""

    def press(self, key: Key) -> None:
        """Ask for a key to be pressed and released; the self-test watches."""
        ...

    def put_card(self, slot: Slot) -> None: ...

    def take_card(self, slot: Slot) -> None: ...

    def sees_light(self, part: Part) -> bool:
        """Whether the red light on a reader's board is lit."""
        ...

    def sees_pattern(self) -> bool: ...

    def hears_tone(self) -> bool: ...
