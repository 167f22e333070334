"""Which fault comes when, and when it is over: lines of a script between those of the people.

A spell is a fault that lasts for some lines; a few faults are over as soon as they have struck.
"""

from collections.abc import Callable, Collection, Iterator
from enum import Enum
from random import Random
from typing import NamedTuple

from sim.stock import STOCK
from sim.storm.model.model import Model


class Kind(Enum):
    """What can go wrong, as the summary names it."""

    POWER = "power cuts between lines"
    POWER_IN_COMMIT = "power cuts inside a commit"
    NOISE = "bit errors"
    BOUNCE = "bouncing keys"
    KEY = "stuck keys"
    READER = "dead readers"
    SCREEN = "dead screens"
    BUS = "bus errors"
    FULL = "full disks"
    READ_ONLY = "read-only disks"
    SYNC = "failed syncs"
    CLOCK = "clock jumps"
    CONSOLE = "console floods"


ON_CHIPS = (Kind.NOISE, Kind.BOUNCE, Kind.BUS)
"""These need real drivers and chips to go wrong."""
OFTEN = (
    dict.fromkeys(Kind, 2)
    | dict.fromkeys(ON_CHIPS, 12)
    | {Kind.POWER: 4, Kind.POWER_IN_COMMIT: 6, Kind.BUS: 16, Kind.CONSOLE: 12}
)

DISK = (Kind.FULL, Kind.READ_ONLY, Kind.SYNC)
APART = [*({Kind.SCREEN, kind} for kind in DISK), {Kind.NOISE, Kind.READER}]
"""What does not come together: of a disk that may have done this or that the screen must tell,
and a reader that is back must find its card."""

ONCE_IN = 28
"""Lines between two faults, on average."""
BAD_WEATHER = 9
"""The same with chips, of which there are fewer hours, and with a sick disk."""
SICKER = 10
"""A sick disk has its own faults so many times as often as another."""
MOST_SPELLS = 3
"""At a time."""
LONGEST_SPELL = 12
"""Lines."""
LAST_OPERATION = 14
"""A move takes a handful of the disk's operations, a new game a dozen."""


class Spell(NamedTuple):
    """A fault that lasts: for how many lines more, and what ends it."""

    kind: Kind
    lines_left: int
    thing: str


class Weather:
    """Over one table."""

    def __init__(
        self,
        dice: Random,
        model: Callable[[], Model],
        kinds: Collection[Kind],
        *,
        sick_disk: bool = False,
    ) -> None:
        self._dice = dice
        self._model = model
        self._kinds = list(kinds)
        is_bad = sick_disk or set(ON_CHIPS) <= set(kinds)
        self._once_in = BAD_WEATHER if is_bad else ONCE_IN
        sicker = dict.fromkeys(DISK, SICKER if sick_disk else 1)
        self._weights = [OFTEN[kind] * sicker.get(kind, 1) for kind in self._kinds]
        self._spells: list[Spell] = []
        self._cut_is_coming = False

    @property
    def disk_troubled(self) -> bool:
        """Whether the disk may refuse something: then one key at a time, please."""
        return self._cut_is_coming or any(spell.kind in DISK for spell in self._spells)

    @property
    def noisy(self) -> bool:
        """Whether a card is hard to read: a box that sleeps may take too long to notice it."""
        return any(spell.kind is Kind.NOISE for spell in self._spells)

    def end_noise(self) -> Iterator[str]:
        """For a card with a long UID, which takes longer to read than people have patience."""
        yield from self._end([spell for spell in self._spells if spell.kind is Kind.NOISE])

    def lines(self) -> Iterator[str]:
        """What comes now, before the people's next line; mostly nothing."""
        self._spells = [spell._replace(lines_left=spell.lines_left - 1) for spell in self._spells]
        yield from self._end([spell for spell in self._spells if spell.lines_left <= 0])
        if self._dice.randrange(self._once_in) == 0 and len(self._spells) < MOST_SPELLS:
            (kind,) = self._dice.choices(self._kinds, self._weights)
            yield from self._strike(kind)

    def clear_up(self) -> Iterator[str]:
        """The evening is over."""
        yield from self._end(self._spells)

    def _end(self, spells: list[Spell]) -> Iterator[str]:
        self._spells = [spell for spell in self._spells if spell not in spells]
        for spell in spells:
            yield f"mend {spell.thing}"

    def _strike(self, kind: Kind) -> Iterator[str]:
        if any(spell.kind is kind or {spell.kind, kind} in APART for spell in self._spells):
            return
        match kind:
            case Kind.POWER:
                yield "power off"
                yield from self.power_returns()
            case Kind.POWER_IN_COMMIT | Kind.FULL | Kind.READ_ONLY | Kind.SYNC:
                yield from self._trouble_the_disk(kind)
            case Kind.CLOCK:
                yield f"fault clock {self._dice.choice(('-1h', '-7m', '20s', '3h', '-9000h'))}"
            case Kind.BUS | Kind.CONSOLE:
                yield f"fault {kind.name.lower()}"
            case _:
                yield from self._begin(kind, self._thing(kind))

    def _thing(self, kind: Kind) -> str:
        match kind:
            case Kind.NOISE:
                return "noise 1"
            case Kind.READER:
                return f"reader {self._dice.choice(('left', 'right'))}"
            case Kind.KEY:
                return f"key {self._dice.choice('0123456789,MKCGF')}"
        return kind.name.lower()

    def _trouble_the_disk(self, kind: Kind) -> Iterator[str]:
        """One thing at a time: what a disk does that is full and unplugged is nobody's guess."""
        if self.disk_troubled:
            return
        if kind is Kind.POWER_IN_COMMIT:
            self._cut_is_coming = True
            yield f"fault disk cut {self._dice.randrange(1, LAST_OPERATION)}"
        else:
            words = {Kind.FULL: "full", Kind.READ_ONLY: "read-only", Kind.SYNC: "sync"}
            yield from self._begin(kind, f"disk {words[kind]}")

    def _begin(self, kind: Kind, thing: str) -> Iterator[str]:
        mended = {Kind.NOISE: "noise"}.get(kind, "disk" if thing.startswith("disk") else thing)
        self._spells.append(Spell(kind, self._dice.randrange(2, LONGEST_SPELL), mended))
        yield f"fault {thing}"

    def power_returns(self) -> Iterator[str]:
        """After a cut; somebody may meddle with the cards meanwhile, and a bad disk is changed."""
        self._cut_is_coming = False
        yield from self._end([spell for spell in self._spells if spell.kind in DISK])
        yield from self.end_noise()
        if self._dice.randrange(3) == 0:
            yield f"wait {self._dice.randrange(1, 20)}s"
        if self._dice.randrange(3) == 0:
            slot = self._dice.choice(("left", "right"))
            if slot in self._model().physical:
                yield f"remove {slot}"
            else:
                yield f"insert {slot} {self._dice.randrange(1, len(STOCK) + 1)}"
        yield "power on"
        if any(spell.kind is Kind.READER for spell in self._spells):
            yield "wait 1s"  # a driver takes a while to give a reader up


def kind_of(line: str) -> Kind | None:
    """The fault that a line of a script causes at once; a cut that is to come is none yet."""
    match line.split():
        case ["power", "off"]:
            return Kind.POWER
        case ["fault", "disk", "cut", _]:
            return None
        case ["fault", "disk", how]:
            return Kind[how.upper().replace("-", "_")]
        case ["fault", what, *_]:
            return Kind[what.upper()]
    return None
