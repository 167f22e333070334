"""Hurried people at a table: whole turns, mistakes included, as lines of a script.

They look at the model to know what makes sense, and their dice are the only chance there is.
Time is earned: each move lets some of it pass, so that no hour is idle.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple, TypeAlias

from sim.stock import STOCK
from sim.storm import habits
from sim.storm.habits import keys_of, name_of
from sim.storm.model import fkey
from sim.storm.model.model import Model

Lines: TypeAlias = Iterator[str]

SLOTS = ("left", "right")
A_MOVE = 33_000
"""Milliseconds that a move lets pass."""
MOST_SAVED = 400_000

LONG_C = 3_000
"""Milliseconds that begin a new game."""


class Pace(NamedTuple):
    """How long people hold keys and wait, in milliseconds."""

    holds: tuple[int, ...]
    short_pauses: tuple[int, ...]
    pauses: tuple[int, ...]
    sleeps: tuple[int, ...]
    beside_f: tuple[int, ...]
    """After something was opened by F, which is left after fifteen seconds."""


ROUGH = Pace(
    (400, 700, 1_500, 2_400, 3_300, 5_600),
    (300, 700, 1_400, 2_600, 3_300, 4_700),
    (8_300, 13_400, 16_600, 21_700, 33_300, 44_600),
    (62_300, 75_600, 93_400, 130_700),
    (14_600, 15_400, 7_300),
)
"""Away from every instant at which something ends: drivers take some milliseconds."""
EXACT = Pace(
    (*ROUGH.holds, 999, 1_000, 2_999, 3_000),
    (*ROUGH.short_pauses, 999, 1_000, 1_999, 2_000),
    (*ROUGH.pauses, 14_999, 15_000),
    (*ROUGH.sleeps, 59_999, 60_000, 60_001),
    (*ROUGH.beside_f, 14_999, 15_000),
)
"""To the millisecond (G4)."""


class People:
    """Those at one table; ``model`` says how things stand now."""

    def __init__(self, dice: Random, model: Callable[[], Model], pace: Pace) -> None:
        self._dice = dice
        self._pace = pace
        self._model = model
        self._saved = 0
        self._moves_seen = 0
        self._time_seen = 0

    @property
    def model(self) -> Model:
        return self._model()

    def lines(self) -> Lines:
        """For ever."""
        turns = (
            *[(self._rent, 24), (self._buy, 16), (self._receive, 10), (self._salary, 14)],
            *[(self._take_back, 6), (self._serve_by_f, 14), (self._walk_through_history, 3)],
            *[(self._many_moves, 13), (self._mistype, 5), (self._gesture, 4), (self._fumble, 3)],
            *[(self._hold_a_key, 2), (self._go_astray, 2), (self._serve_oddly, 3)],
            *[(self._odd_card, 2), (self._same_card, 2), (self._swap_cards, 3)],
            *[(self._turn_volume, 2), (self._new_game, 1), (self._choose_game, 2)],
            *[(self._go_bankrupt, 1), (self._count, 1), (self._forget, 1), (self._go_back, 1)],
            *[(self._leave_f_alone, 2), (self._regret_a_card, 1)],
        )
        names, weights = zip(*turns, strict=True)
        while True:
            (turn,) = self._dice.choices(names, weights)
            yield from turn()
            yield from self._pause()

    # Money

    def _rent(self) -> Lines:
        yield from self._be_served("left right")
        yield from self._pay()

    def _buy(self) -> Lines:
        yield from self._be_served("right")
        yield from self._pay()

    def _receive(self) -> Lines:
        yield from self._be_served("left")
        yield from self._press(self._good_amount(self.model.books.edition.maximum // 4))

    def _salary(self) -> Lines:
        yield from self._be_served("left")
        yield from self._press(self._dice.choice(("G", "G", "G", "GG", "GCG", "5G")))

    def _many_moves(self) -> Lines:
        """Two who settle something, in several steps."""
        yield from self._be_served(self._dice.choice(("left", "right", "left right")))
        for _ in range(self._dice.randrange(2, 6)):
            yield from self._pay(10)

    def _pay(self, most_percent: int = 40) -> Lines:
        right = self._held_in("right")
        most = self.model.books.edition.maximum if right is None else right * most_percent // 100
        yield from self._press(self._good_amount(most))
        if self._dice.randrange(6) == 0:
            yield f"wait {self._dice.choice(self._pace.short_pauses)}ms"

    def _take_back(self) -> Lines:
        yield from self._rent() if self._dice.randrange(2) else self._buy()
        yield from self._press("C" * self._dice.randrange(1, 4))

    def _good_amount(self, most: int) -> str:
        edition = self.model.books.edition
        steps = self._dice.randrange(0, max(min(most, edition.maximum) // edition.step, 1))
        return keys_of(max(steps * edition.step, edition.minimum), edition)

    def _held_in(self, slot: str) -> int | None:
        card = self.model.seated(slot)
        return self.model.books.holds(card.account) if card and card.account else None

    # Mistakes

    def _mistype(self) -> Lines:
        yield from self._perhaps_served()
        yield from self._press(self._dice.choice(habits.AMOUNTS))

    def _gesture(self) -> Lines:
        yield from self._perhaps_served()
        yield from self._press(self._dice.choice(habits.GESTURES))

    def _fumble(self) -> Lines:
        yield from self._perhaps_served()
        yield from self._press("".join(self._dice.choices(habits.KEYS, k=6)))

    def _hold_a_key(self) -> Lines:
        yield from self._perhaps_served()
        key = self._dice.choice("5CCCMGF,")
        spares_the_game = key == "C" and self._dice.randrange(4)
        holds = [hold for hold in self._pace.holds if hold < LONG_C or not spares_the_game]
        yield f"hold {key} {self._dice.choice(holds)}ms"

    def _turn_volume(self) -> Lines:
        yield from self._be_served("")
        yield from self._press(self._dice.choice((",", ",,", ",,,")))

    def _go_astray(self) -> Lines:
        """What was meant for an entry of the list that is not there [D26]."""
        yield from self._perhaps_served()
        yield from self._press("F" + self._dice.choice("123456789,"))
        yield from self._press(self._dice.choice(habits.ASTRAY))

    # Cards

    def _odd_card(self) -> Lines:
        slot = self._dice.choice(SLOTS)
        yield from self._put(slot, f"uid:{self._dice.choice(habits.ODD_CARDS)}")
        yield from self._press(self._dice.choice(("", "5", "1M", "C", "G")))

    def _same_card(self) -> Lines:
        slot = self._dice.choice(SLOTS)
        uids = [*self.model.physical.values()]
        yield from self._empty(slot)
        if uids:
            yield from self._put(slot, name_of(uids[-1]))

    def _swap_cards(self) -> Lines:
        for slot in SLOTS:
            yield from self._put(slot, str(self._dice.randrange(1, len(STOCK) + 1)))

    def _regret_a_card(self) -> Lines:
        yield from self._odd_card()
        yield from self._press("CC")

    def _be_served(self, who: str) -> Lines:
        """See that those slots, and no others, hold a player's card."""
        for slot in SLOTS:
            often = self._dice.randrange(3) == 0
            if slot not in who or not self.model.seated(slot) or often:
                yield from self._empty(slot)
        for slot in who.split():
            if slot not in self.model.physical:
                yield f"insert {slot} {self._welcome()}"
        if self.model.count and self._dice.randrange(4):
            yield from self._leave_the_count()

    def _perhaps_served(self) -> Lines:
        who = self._dice.choice(("anybody", "anybody", "", "left", "right", "left right"))
        if who != "anybody":
            yield from self._be_served(who)

    def _welcome(self) -> int:
        """A card that is not refused, if there is one."""
        model = self.model
        others = [n for n, uid in enumerate(STOCK, 1) if uid not in model.physical.values()]
        good = [n for n in others if not model.why_refused(STOCK[n - 1])]
        return self._dice.choice(good or others)

    def _put(self, slot: str, card: str) -> Lines:
        """Put a card in; whatever lies there by now comes out first."""
        while slot in self.model.physical:
            yield f"remove {slot}"
        yield f"insert {slot} {card}"

    def _empty(self, slot: str) -> Lines:
        if slot in self.model.physical:
            yield f"remove {slot}"

    # The F key

    def _serve_by_f(self) -> Lines:
        name, who = self._dice.choice(habits.SERVICES[1:])
        yield from self._be_served(who)
        yield from self._choose(name)
        if self.model.opened:
            yield from self._press(self._typed_well(name) + "M")

    def _typed_well(self, name: str) -> str:
        if name == "UTILITY":
            return self._dice.choice(habits.GOOD_DICE) + self._dice.choice("MK")
        if name in habits.TYPED and not (name == "POT" and self.model.seated("left")):
            share = 150 if name == "FIGHT LOST" else 4
            return self._good_amount((self._held_in("right") or 0) // share)
        return ""

    def _serve_oddly(self) -> Lines:
        name, who = self._dice.choice(habits.SERVICES)
        yield from self._be_served(who)
        yield from self._choose(name)
        typed = self._dice.choice(habits.AMOUNTS) if name in habits.TYPED else ""
        after = self._dice.choice(habits.AFTER)
        # Nobody goes bankrupt by mistake: too many of those, and there are no players left.
        yield from self._press(typed + ("C" if name == "ALL" else after))

    def _walk_through_history(self) -> Lines:
        yield from self._choose("HISTORY")
        if self.model.opened:
            yield from self._press(self._dice.choice(habits.WALKS))
            yield from self._press("G" * self._dice.randrange(4) + self._back())

    def _back(self) -> str:
        return self._dice.choice(habits.TAKEN_BACK)

    def _leave_f_alone(self) -> Lines:
        yield from self._perhaps_served()
        yield from self._press("F" + self._dice.choice("123456789F0"))
        yield f"wait {self._dice.choice(self._pace.beside_f)}ms"

    def _choose(self, name: str) -> Lines:
        """Press F and the digit of an entry, if it is offered to a box that is not blocked."""
        yield from self._unblock()
        if name not in fkey.IN_COUNT:
            yield from self._leave_the_count()
        if self.model.asleep or self.model.opened:
            yield from self._press("C")
        for turns, page in enumerate(fkey.FList(self.model).pages(), start=1):
            for digit, entry in page.items():
                if entry == name:
                    yield from self._press("F" * turns + digit)
                    return

    def _unblock(self) -> Lines:
        for card in self.model.refused():
            yield from self._empty(card.slot)

    def _leave_the_count(self) -> Lines:
        yield from self._unblock()
        for _ in range(3):
            if self.model.count:
                yield from self._press("C")

    # Games

    def _new_game(self) -> Lines:
        yield from self._press("C" if self.model.asleep else "")
        yield "hold C 3300ms"

    def _choose_game(self) -> Lines:
        yield from self._choose("GAME")
        if self.model.opened:
            yield from self._press(self._dice.choice(habits.NEXT_GAMES))
            if self._dice.randrange(3) == 0:
                yield from self._new_game()

    def _go_back(self) -> Lines:
        if self.model.books.before:
            yield from self._choose("GAME")
            yield from self._press("6M")

    def _forget(self) -> Lines:
        yield from self._choose("GAME")
        yield from self._press(f"5{self._dice.randrange(1, 9)}M")

    def _go_bankrupt(self) -> Lines:
        yield from self._be_served(self._dice.choice(("right", "left right")))
        yield from self._choose("ALL")
        yield from self._press(self._dice.choice(("M", "M", "MC")))
        yield from self._empty("right")
        # Somebody has to be left who can play.
        if len(self.model.books.players()) < 3:
            yield from self._new_game()

    def _count(self) -> Lines:
        """From the first player to the winner, or until somebody has had enough [F16, F17]."""
        yield from self._choose("COUNT")
        yield from self._press("M")
        for account in self.model.books.players()[: self._dice.randrange(1, 9)]:
            yield from self._empty("left")
            if account.uid not in self.model.physical.values():
                yield from self._put("left", name_of(account.uid))
                yield from self._press(self._dice.choice(("", "1M", "1,5M", "150K", "5C", "M")))
        yield from self._empty("left")
        if self._dice.randrange(3):
            yield from self._leave_the_count()

    # Time

    def _press(self, keys: str) -> Lines:
        if keys:
            yield f"press {keys}"

    def _pause(self) -> Lines:
        """As long as people take, if they have earned it by moves."""
        model = self.model
        self._saved += A_MOVE * (model.books.moves_made - self._moves_seen)
        self._saved -= model.now - self._time_seen
        self._moves_seen, self._time_seen = model.books.moves_made, model.now
        fits = [pause for pause in self._likely_pauses() if pause <= self._saved]
        if fits:
            yield f"wait {self._dice.choice(fits)}ms"

    def _likely_pauses(self) -> tuple[int, ...]:
        if self._saved > MOST_SAVED:
            return self._pace.sleeps
        kinds = ((), self._pace.short_pauses, self._pace.pauses, self._pace.sleeps)
        (kind,) = self._dice.choices(kinds, (3, 3, 3, 1))
        return kind
