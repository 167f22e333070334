"""A careless banker: random lines that reach many states of the box."""

from collections.abc import Callable, Iterator
from random import Random

from hal.display.view import View
from tests.campaign.hazards.sight import Sight, sight_of
from tests.campaign.hazards.table import FORGETS, REPLACES
from tests.campaign.random_play.choices import HOLDS, LONG_WAITS, PAUSES, PLAYERS
from tests.campaign.random_play.f_turns import CLOCK_WAITS, F_WAITS
from tests.campaign.storm.model.figures import EDITIONS
from tests.campaign.storm.player_profiles import (
    AFTER_ENTRY,
    AFTER_INTERRUPTION,
    AMOUNTS,
    HALF_DONE,
    HISTORY_KEYS,
    KEY_SEQUENCES,
    NEXT_GAME_KEYS,
    ODD_UIDS,
    STRAY_KEYS,
    UNDO_KEYS,
)

SLOTS = ("left", "right")
ENTRIES_OF_F = (
    *("F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F0", "FF1", "FF2", "F05", "F06"),
)
ASKED = (
    *("F1", "F5", "F21M", "F31M", "F250K", "F350K", "F47M", "F412K", "F62M", "F6100K", "F7"),
    *("F8M", "F8GM", "F9", "FF11M", "FF21M", "FF250K", "FF2", "F051M", "F052M", "F06"),
)
"""Keys after which M moves money, if the cards are there."""
DISKS = ("full", "sync")
LONGEST_HOLD = 5_001
HOLDS_OF_C = [held for held in HOLDS if held <= LONGEST_HOLD]
STUCK = "CM5"


def given(rng: Random) -> list[str]:
    """The lines about the new box."""
    lines = [f"given edition {rng.choice(sorted(EDITIONS))}"]
    lines += ["given cards none"] * (rng.randrange(4) == 0)
    lines += ["given pot true"] * (rng.randrange(2) == 0)
    lines += ["given undo rulebook"] * (rng.randrange(8) == 0)
    return lines


class Player:
    """Generates lines that are valid one after the other."""

    def __init__(self, rng: Random, view: Callable[[], View]) -> None:
        """``view`` returns what shows; the player seldom looks."""
        self._rng = rng
        self._view = view
        self._slots: dict[str, str | None] = dict.fromkeys(SLOTS)
        self._broken: list[str] = []

    def lines(self) -> Iterator[str]:
        """Generate lines forever."""
        turns = (
            *((self._move_card, 12), (self._type, 10), (self._leave_half_done, 12)),
            *((self._use_f, 16), (self._browse, 4), (self._random_keys, 8), (self._wait, 8)),
            *((self._hold, 2), (self._keep_down, 2), (self._break_reader, 1)),
            *((self._break_disk, 1), (self._other_program, 2), (self._power, 1)),
            *((self._choose_game, 1), (self._take_back, 4), (self._sleep, 5)),
            *((self._look_away, 6), (self._come_and_go, 4)),
        )
        names, weights = zip(*turns, strict=True)
        yield from self._fill("left")
        while True:
            (turn,) = self._rng.choices(names, weights)
            yield from turn()
            if self._rng.randrange(2):
                yield from self._tidy()

    def _tidy(self) -> Iterator[str]:
        """Look at the screen, acknowledge an interruption, and take a refused card out."""
        sight = sight_of(self._view())
        if sight is Sight.NOT_DONE:
            yield "press C"
        if sight is Sight.BLOCKED:
            for slot in SLOTS:
                yield from self._take(slot)

    # Keys

    def _press(self, keys: str) -> Iterator[str]:
        yield from (f"press {key}" for key in keys)

    def _type(self) -> Iterator[str]:
        yield from self._press(self._rng.choice((*AMOUNTS, "G", "GC", "1M", "2M", "5K")))

    def _leave_half_done(self) -> Iterator[str]:
        """Leave something half done, let something happen, and go on typing."""
        yield from self._press(self._rng.choice(HALF_DONE))
        happens = (self._move_card, self._wait, self._wait, self._random_keys, self._break_reader)
        yield from self._rng.choice(happens)()
        yield from self._press(self._rng.choice(AFTER_INTERRUPTION))

    def _use_f(self) -> Iterator[str]:
        """Use an entry of F, perhaps with another card by the time that M is pressed."""
        if self._rng.randrange(4):
            yield from self._fill("right")
        if self._rng.randrange(3):
            yield from self._press(self._rng.choice(ASKED))
        else:
            yield from self._press(self._rng.choice(ENTRIES_OF_F))
            yield from self._press(self._rng.choice((*AMOUNTS, "7M", "12K", *STRAY_KEYS)))
        if self._rng.randrange(3) == 0:
            yield from self._put(self._rng.choice(SLOTS))
        yield from self._press(self._rng.choice(AFTER_ENTRY))

    def _browse(self) -> Iterator[str]:
        yield from self._press("F8" + self._rng.choice((*HISTORY_KEYS, *UNDO_KEYS)))

    def _take_back(self) -> Iterator[str]:
        yield from self._press(self._rng.choice(("1MC", "1MCC", "2K1MCCC", "C", "CC", "GCC")))
        if self._rng.randrange(3) == 0:
            yield from self._move_card()
            yield from self._press("CC")

    def _random_keys(self) -> Iterator[str]:
        keys = "0123456789,MMKCCGFF"
        yield from self._press("".join(self._rng.choices(keys, k=self._rng.randrange(1, 5))))
        if self._rng.randrange(4) == 0:
            yield from self._press(self._rng.choice(KEY_SEQUENCES))

    def _choose_game(self) -> Iterator[str]:
        yield from self._press("F0" + self._rng.choice(NEXT_GAME_KEYS))
        yield "hold C 3s"

    def _hold(self) -> Iterator[str]:
        if self._rng.randrange(2):
            yield from self._press("F1")
            yield f"hold M {self._rng.choice((500, 999, 1_000, 1_500))}ms"
            return
        key = self._rng.choice("CCM5,GF")
        yield f"hold {key} {self._rng.choice(HOLDS_OF_C)}ms"

    def _keep_down(self) -> Iterator[str]:
        """Something else happens while a key is down."""
        if any(name.startswith("key") for name in self._broken):
            return
        key = self._rng.choice(STUCK)
        yield from self._press("F1" if key == "M" and self._rng.randrange(2) else "")
        yield f"fault key {key}"
        for _ in range(self._rng.randrange(3)):
            yield from self._rng.choice((self._move_card, self._pause))()
        yield f"mend key {key}"

    # Everything else

    def _pause(self) -> Iterator[str]:
        yield f"wait {self._rng.choice(PAUSES)}ms"

    def _wait(self) -> Iterator[str]:
        times = self._rng.choice((PAUSES, PAUSES, F_WAITS, LONG_WAITS, CLOCK_WAITS))
        yield f"wait {self._rng.choice(times)}ms"

    def _sleep(self) -> Iterator[str]:
        """Type on a box that is asleep."""
        yield from self._fill(self._rng.choice(SLOTS))
        yield "wait 60s"
        yield from self._press(self._rng.choice((*AMOUNTS, *STRAY_KEYS, "F", "F5M", *[",5M"] * 4)))

    def _come_and_go(self) -> Iterator[str]:
        """A card comes, money moves, and the card leaves again."""
        yield from self._press(self._rng.choice(("", "1M", "G")))
        slot = self._rng.choice(SLOTS)
        yield from self._put(slot)
        yield from self._press(self._rng.choice(("1M", "2K")))
        yield from self._take(slot)
        yield from self._press("CC")

    def _look_away(self) -> Iterator[str]:
        """Move money, have a key refused, or begin something, and do not look for a while."""
        yield from self._press(self._rng.choice(("1M", "2K", "G")))
        yield from self._press(self._rng.choice(("M", "K", "G", "9999M", "5", "1,5", "F", "F5")))
        yield f"wait {self._rng.choice((2_000, 3_000, 15_000, 20_000))}ms"
        yield from self._press(self._rng.choice(("C", "CC", "5", "M", "G")))

    def _move_card(self) -> Iterator[str]:
        slot = self._rng.choice(SLOTS)
        if self._slots[slot] is None or self._rng.randrange(2):
            yield from self._put(slot)
        else:
            yield from self._take(slot)

    def _put(self, slot: str) -> Iterator[str]:
        """Put another card into a slot."""
        yield from self._take(slot)
        card = str(self._rng.choice(PLAYERS))
        if self._rng.randrange(25) == 0:
            card = f"uid:{self._rng.choice(ODD_UIDS)}"
        self._slots[slot] = card
        yield f"insert {slot} {card}"

    def _fill(self, slot: str) -> Iterator[str]:
        if self._slots[slot] is None:
            yield from self._put(slot)

    def _take(self, slot: str) -> Iterator[str]:
        if self._slots[slot] is not None:
            self._slots[slot] = None
            yield f"remove {slot}"

    def _break_reader(self) -> Iterator[str]:
        yield from self._break_or_mend(f"reader {self._rng.choice(SLOTS)}")

    def _break_disk(self) -> Iterator[str]:
        yield f"fault disk {self._rng.choice(DISKS)}"
        yield from self._press(self._rng.choice(("1M", "G", "F5M", "5", "C", "F")))
        yield from self._rng.choice((self._wait, self._random_keys))()
        yield "mend disk"

    def _break_or_mend(self, name: str) -> Iterator[str]:
        if name in self._broken:
            self._broken.remove(name)
            yield f"mend {name}"
        else:
            self._broken.append(name)
            yield f"fault {name}"

    def _other_program(self) -> Iterator[str]:
        yield f"{self._rng.choice((FORGETS, REPLACES))}{self._rng.choice(PLAYERS[:6])}"
        if self._rng.randrange(2):
            yield from self._put(self._rng.choice(SLOTS))

    def _power(self) -> Iterator[str]:
        yield "power off"
        yield "power on"
