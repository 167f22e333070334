"""Hurried players at a table: whole turns, mistakes included, as lines of a script.

They consult the model to choose lines that make sense. All randomness comes from ``rng``. Each move
earns time that may then pass, so no hour is idle.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple, TypeAlias

from sim.board.stock import STOCK
from tests.campaign.storm import player_profiles
from tests.campaign.storm.model import fkey
from tests.campaign.storm.model.model import Model
from tests.campaign.storm.player_profiles import keys_of, name_of

Lines: TypeAlias = Iterator[str]

SLOTS = ("left", "right")
TIME_PER_MOVE = 33_000
"""Milliseconds that each move allows to pass."""
MAX_SAVED_TIME = 400_000

LONG_C = 3_000
"""Milliseconds of C that start a new game."""


class Pace(NamedTuple):
    """How long players hold keys and wait, in milliseconds."""

    holds: tuple[int, ...]
    short_pauses: tuple[int, ...]
    pauses: tuple[int, ...]
    sleeps: tuple[int, ...]
    after_f: tuple[int, ...]
    """After F opened something; a list closes after fifteen seconds."""
    seconds: tuple[int, ...]
    """Around a second: M held for a bankruptcy, empty slots that acknowledge (F5, N2)."""
    keys_stick: bool = True
    """Whether a key can stay down while something else happens."""


ROUGH = Pace(
    (400, 700, 1_500, 2_400, 3_300, 5_600),
    (300, 700, 1_400, 2_600, 3_300, 4_700),
    (8_300, 13_400, 16_600, 21_700, 33_300, 44_600),
    (62_300, 75_600, 93_400, 130_700),
    (14_600, 15_400, 7_300),
    (300, 700, 1_400, 1_700),
)
"""Keeps away from instants at which something ends, because drivers take time."""
EXACT = Pace(
    (*ROUGH.holds, 999, 1_000, 2_999, 3_000),
    (*ROUGH.short_pauses, 999, 1_000, 1_999, 2_000),
    (*ROUGH.pauses, 14_999, 15_000),
    (*ROUGH.sleeps, 59_999, 60_000, 60_001),
    (*ROUGH.after_f, 14_999, 15_000),
    (0, 999, 1_000, 1_000, 1_001, *ROUGH.seconds),
)
"""Hits such instants to the millisecond (G4)."""


class Players:
    """Generates the lines of all players at one table; ``model`` returns the current model."""

    def __init__(self, rng: Random, model: Callable[[], Model], pace: Pace) -> None:
        self._rng = rng
        self._pace = pace
        self._model = model
        self._saved_time = 0
        self._moves_seen = 0
        self._time_seen = 0

    @property
    def model(self) -> Model:
        return self._model()

    def lines(self) -> Lines:
        """Generate lines forever."""
        turns = (
            *[(self._rent, 24), (self._buy, 16), (self._receive, 10), (self._salary, 14)],
            *[(self._take_back, 6), (self._use_f, 14), (self._browse_history, 3)],
            *[
                (self._many_moves, 13),
                (self._mistype, 5),
                (self._type_sequence, 4),
                (self._press_random_keys, 3),
            ],
            *[(self._hold_key, 2), (self._stray_input, 2), (self._misuse_f, 3)],
            *[(self._odd_card, 2), (self._same_card, 2), (self._swap_cards, 3)],
            *[(self._change_volume, 2), (self._new_game, 1), (self._choose_game, 2)],
            *[(self._go_bankrupt, 1), (self._count, 2), (self._forget, 1), (self._go_back, 1)],
            *[(self._make_again, 2), (self._forget_by_mistake, 1)],
            *[(self._let_f_time_out, 2), (self._undo_new_card, 1)],
            *[(self._interrupt, 5), (self._empty_both_slots, 2), (self._press_asleep, 2)],
            *[(self._hold_m, 1), (self._move_cards_while_c_is_down, 1)],
        )
        names, weights = zip(*turns, strict=True)
        while True:
            (turn,) = self._rng.choices(names, weights)
            yield from turn()
            yield from self._pause()

    # Money

    def _rent(self) -> Lines:
        yield from self._seat("left right")
        yield from self._pay()

    def _buy(self) -> Lines:
        yield from self._seat("right")
        yield from self._pay()

    def _receive(self) -> Lines:
        yield from self._seat("left")
        yield from self._press(self._valid_amount(self.model.ledger.edition.maximum // 4))

    def _salary(self) -> Lines:
        yield from self._seat("left")
        yield from self._press(self._rng.choice(("G", "G", "G", "GG", "GCG", "5G")))

    def _many_moves(self) -> Lines:
        """Two players settle something in several moves."""
        yield from self._seat(self._rng.choice(("left", "right", "left right")))
        for _ in range(self._rng.randrange(2, 6)):
            yield from self._pay(10)

    def _pay(self, most_percent: int = 40) -> Lines:
        right = self._balance_in("right")
        most = self.model.ledger.edition.maximum if right is None else right * most_percent // 100
        yield from self._press(self._valid_amount(most))
        if self._rng.randrange(6) == 0:
            yield f"wait {self._rng.choice(self._pace.short_pauses)}ms"

    def _take_back(self) -> Lines:
        yield from self._rent() if self._rng.randrange(2) else self._buy()
        yield from self._press("C" * self._rng.randrange(1, 4))

    def _valid_amount(self, most: int) -> str:
        edition = self.model.ledger.edition
        steps = self._rng.randrange(0, max(min(most, edition.maximum) // edition.step, 1))
        return keys_of(max(steps * edition.step, edition.minimum), edition)

    def _balance_in(self, slot: str) -> int | None:
        card = self.model.seated(slot)
        return self.model.ledger.holds(card.account) if card and card.account else None

    # Mistakes

    def _mistype(self) -> Lines:
        yield from self._maybe_seat()
        yield from self._press(self._rng.choice(player_profiles.AMOUNTS))

    def _type_sequence(self) -> Lines:
        yield from self._maybe_seat()
        yield from self._press(self._rng.choice(player_profiles.KEY_SEQUENCES))

    def _press_random_keys(self) -> Lines:
        yield from self._maybe_seat()
        yield from self._press("".join(self._rng.choices(player_profiles.KEYS, k=6)))

    def _hold_key(self) -> Lines:
        yield from self._maybe_seat()
        key = self._rng.choice("5CCCMGF,")
        keep_game = key == "C" and self._rng.randrange(4)
        holds = [hold for hold in self._pace.holds if hold < LONG_C or not keep_game]
        yield f"hold {key} {self._rng.choice(holds)}ms"

    def _change_volume(self) -> Lines:
        yield from self._seat("")
        yield from self._press(self._rng.choice((",", ",,", ",,,")))

    def _stray_input(self) -> Lines:
        """Keys meant for an entry that the menu does not offer [N2]."""
        yield from self._maybe_seat()
        yield from self._press("F" + self._rng.choice("123456789,"))
        yield from self._press(self._rng.choice(player_profiles.STRAY_KEYS))

    # Interruptions

    def _interrupt(self) -> Lines:
        """A card moves, or time passes, while something is half done [N3]."""
        yield from self._maybe_seat()
        yield from self._press(self._rng.choice(player_profiles.HALF_DONE))
        slot = self._rng.choice(SLOTS)
        if self._rng.randrange(8) == 0:
            yield f"wait {self._rng.choice(self._pace.after_f)}ms"
        elif slot in self.model.physical:
            yield f"remove {slot}"
        else:
            yield f"insert {slot} {self._rng.choice((self._acceptable_card(), 9))}"
        yield from self._press(self._rng.choice(player_profiles.AFTER_INTERRUPTION))

    def _empty_both_slots(self) -> Lines:
        """That acknowledges an interruption after a second [N2]."""
        yield from self._seat(self._rng.choice(("left", "right", "left right")))
        yield from self._press(self._rng.choice(player_profiles.HALF_DONE))
        for slot in SLOTS:
            yield from self._empty(slot)
        yield from self._press(self._rng.choice(("", "", "5", "G", ",", "M")))
        yield f"wait {self._rng.choice(self._pace.seconds)}ms"
        yield from self._press(self._rng.choice(player_profiles.AFTER_INTERRUPTION))

    def _press_asleep(self) -> Lines:
        """Keys on a sleeping box; the first one may only wake it [P2]."""
        yield from self._maybe_seat()
        yield from self._press(self._rng.choice(("", "", "5", "F", "F6")))
        yield f"wait {self._rng.choice(self._pace.sleeps)}ms"
        yield from self._press(self._rng.choice(("5", ",", ",5M", "G", "F", "C", "M")))
        yield from self._press(self._rng.choice(player_profiles.AFTER_INTERRUPTION))

    def _hold_m(self) -> Lines:
        """M is held, too short or long enough, and the bankruptcy taken back [F5]."""
        yield from self._seat(self._rng.choice(("right", "left right")))
        yield from self._choose_entry("BANKRUPT")
        yield f"hold M {self._rng.choice(self._pace.seconds)}ms"
        yield from self._press("C")

    def _move_cards_while_c_is_down(self) -> Lines:
        """C does what it meant when it was pressed, or nothing."""
        yield from self._maybe_seat()
        yield from self._press(self._rng.choice(("", "5", "5G", "G", "F", "F6")))
        if self.model.stuck_keys or not self._pace.keys_stick:
            return
        yield "fault key C"
        slot = self._rng.choice(SLOTS)
        if slot in self.model.physical:
            yield f"remove {slot}"
        else:
            yield f"insert {slot} {self._acceptable_card()}"
        yield "mend key C"

    def _finish(self) -> Lines:
        """Leave what is half done, and acknowledge what was interrupted, most of the time."""
        for _ in range(3):
            unfinished = self.model.half_done or self.model.not_done
            if unfinished and not self.model.refused() and self._rng.randrange(8):
                yield from self._press("C")

    # Cards

    def _odd_card(self) -> Lines:
        slot = self._rng.choice(SLOTS)
        yield from self._insert(slot, f"uid:{self._rng.choice(player_profiles.ODD_UIDS)}")
        yield from self._press(self._rng.choice(("", "5", "1M", "C", "G")))

    def _same_card(self) -> Lines:
        slot = self._rng.choice(SLOTS)
        uids = [*self.model.physical.values()]
        yield from self._empty(slot)
        if uids:
            yield from self._insert(slot, name_of(uids[-1]))

    def _swap_cards(self) -> Lines:
        for slot in SLOTS:
            yield from self._insert(slot, str(self._rng.randrange(1, len(STOCK) + 1)))

    def _undo_new_card(self) -> Lines:
        yield from self._odd_card()
        yield from self._press("CC")

    def _seat(self, slots: str) -> Lines:
        """Make these slots, and no others, hold a player's card."""
        yield from self._finish()
        if self.model.count and self._rng.randrange(4):
            yield from self._leave_count()
        for slot in SLOTS:
            often = self._rng.randrange(3) == 0
            if slot not in slots or not self.model.seated(slot) or often:
                yield from self._empty(slot)
        for slot in slots.split():
            if slot not in self.model.physical:
                yield f"insert {slot} {self._acceptable_card()}"
        yield from self._finish()

    def _maybe_seat(self) -> Lines:
        slots = self._rng.choice(("any", "any", "", "left", "right", "left right"))
        if slots != "any":
            yield from self._seat(slots)

    def _acceptable_card(self) -> int:
        """A card that is not refused, if there is one."""
        model = self.model
        others = [n for n, uid in enumerate(STOCK, 1) if uid not in model.physical.values()]
        good = [n for n in others if not model.why_refused(STOCK[n - 1])]
        return self._rng.choice(good or others)

    def _insert(self, slot: str, card: str) -> Lines:
        """Insert a card, after removing the one in the slot."""
        while slot in self.model.physical:
            yield f"remove {slot}"
        yield f"insert {slot} {card}"

    def _empty(self, slot: str) -> Lines:
        if slot in self.model.physical:
            yield f"remove {slot}"

    # The F key

    def _use_f(self) -> Lines:
        name, slots = self._rng.choice(player_profiles.F_ENTRIES[1:])
        yield from self._seat(slots)
        yield from self._choose_entry(name)
        if self.model.dialog:
            yield from self._press(self._valid_input(name) + "M")

    def _valid_input(self, name: str) -> str:
        if name == "UTILITY":
            return self._rng.choice(player_profiles.VALID_DICE) + self._rng.choice("MK")
        if name in player_profiles.TYPED_ENTRIES and not (
            name == "POT" and self.model.seated("left")
        ):
            share = 150 if name == "FIGHT LOST" else 4
            return self._valid_amount((self._balance_in("right") or 0) // share)
        return ""

    def _misuse_f(self) -> Lines:
        name, slots = self._rng.choice(player_profiles.F_ENTRIES)
        yield from self._seat(slots)
        yield from self._choose_entry(name)
        typed = (
            self._rng.choice(player_profiles.AMOUNTS)
            if name in player_profiles.TYPED_ENTRIES
            else ""
        )
        after = self._rng.choice(player_profiles.AFTER_ENTRY)
        yield from self._press(typed + after)

    def _browse_history(self) -> Lines:
        yield from self._choose_entry("HISTORY")
        if self.model.dialog:
            yield from self._press(self._rng.choice(player_profiles.HISTORY_KEYS))
            yield from self._press("G" * self._rng.randrange(4) + self._undo_keys())

    def _make_again(self) -> Lines:
        """A move that HISTORY took back is made again, by C or by HISTORY [C5, F13]."""
        yield from self._rent() if self._rng.randrange(2) else self._salary()
        for slot in SLOTS:
            yield from self._empty(slot) if self._rng.randrange(3) == 0 else ()
        yield from self._choose_entry("HISTORY")
        if self.model.dialog:
            yield from self._press("G" * self._rng.randrange(3) + "MM")
            yield from self._press(self._rng.choice(("C", "C", "CC", "CCC", "5C", "F8MM")))

    def _undo_keys(self) -> str:
        return self._rng.choice(player_profiles.UNDO_KEYS)

    def _let_f_time_out(self) -> Lines:
        yield from self._maybe_seat()
        yield from self._press("F" + self._rng.choice("123456789F0"))
        yield f"wait {self._rng.choice(self._pace.after_f)}ms"

    def _choose_entry(self, name: str) -> Lines:
        """Press F and the digit of an entry, if it is offered."""
        yield from self._unblock()
        if name not in fkey.IN_COUNT:
            yield from self._leave_count()
        for _ in range(2):
            if self.model.asleep or self.model.dialog:
                yield from self._press("C")
        for turns, page in enumerate(fkey.FList(self.model).pages(), start=1):
            for digit, entry in page.items():
                if entry == name:
                    yield from self._press("F" * turns + digit)
                    return

    def _unblock(self) -> Lines:
        for card in self.model.refused():
            yield from self._empty(card.slot)

    def _leave_count(self) -> Lines:
        """With a card in the left slot, C would take amounts back [F16]."""
        yield from self._unblock()
        left = self.model.seated("left") if self.model.count else None
        if left:
            yield from self._empty("left")
        for _ in range(3):
            if self.model.count:
                yield from self._press("C")
        if left and "left" not in self.model.physical:
            yield f"insert left {name_of(left.uid)}"

    # Games

    def _new_game(self) -> Lines:
        yield from self._press("C" if self.model.asleep else "")
        yield "hold C 3300ms"

    def _choose_game(self) -> Lines:
        yield from self._choose_entry("GAME")
        if self.model.dialog:
            yield from self._press(self._rng.choice(player_profiles.NEXT_GAME_KEYS))
            if self._rng.randrange(3) == 0:
                yield from self._new_game()

    def _go_back(self) -> Lines:
        if self.model.ledger.before:
            for _ in range(self._rng.randrange(1, 3)):
                yield from self._choose_entry("GAME")
                yield from self._press("6M")

    def _forget(self) -> Lines:
        yield from self._choose_entry("GAME")
        yield from self._press(f"5{self._rng.randrange(1, 9)}M")
        yield from self._press(self._rng.choice(("M", "M", "C", "3M", "", "K")))

    def _forget_by_mistake(self) -> Lines:
        """C right after FORGET restores the card [F19]."""
        card = self.model.seated(self._rng.choice(SLOTS))
        number = card.number if card else self._rng.randrange(1, 9)
        yield from self._choose_entry("GAME")
        yield from self._press(f"5{number}MM")
        if self._rng.randrange(3) == 0:
            yield f"wait {self._rng.choice(self._pace.pauses)}ms"
        yield from self._press(self._rng.choice(("C", "C", "CC", "5C", "G")))

    def _go_bankrupt(self) -> Lines:
        yield from self._seat(self._rng.choice(("right", "left right")))
        yield from self._choose_entry("BANKRUPT")
        yield "hold M 1400ms"
        yield from self._press(self._rng.choice(("", "", "C", "G")))
        yield from self._empty("right")
        # Keep enough players in the game.
        if len(self.model.ledger.players()) < 3:
            yield from self._new_game()

    def _count(self) -> Lines:
        """Count from the first player to the winner, or stop early [F16, F17]."""
        yield from self._choose_entry("COUNT")
        yield from self._press("M")
        for account in self.model.ledger.players()[: self._rng.randrange(1, 9)]:
            yield from self._empty("left")
            card = self.model.ledger.known.get(account.number)
            if card and card.uid not in self.model.physical.values():
                yield from self._insert("left", name_of(card.uid))
                yield from self._press(self._rng.choice(player_profiles.COUNTED))
        yield from self._empty("left")
        if self._rng.randrange(2):
            yield from self._empty("right")
            yield from self._press(self._rng.choice(player_profiles.END_OF_COUNT))
        if self._rng.randrange(3):
            yield from self._leave_count()
            if self._rng.randrange(2):  # a late rent changes two worths
                yield from self._rent()

    # Time

    def _press(self, keys: str) -> Lines:
        if keys:
            yield f"press {keys}"

    def _pause(self) -> Lines:
        """Wait, as far as the moves so far have earned it."""
        model = self.model
        self._saved_time += TIME_PER_MOVE * (model.ledger.moves_made - self._moves_seen)
        self._saved_time -= model.now - self._time_seen
        self._moves_seen, self._time_seen = model.ledger.moves_made, model.now
        fits = [pause for pause in self._likely_pauses() if pause <= self._saved_time]
        if fits:
            yield f"wait {self._rng.choice(fits)}ms"

    def _likely_pauses(self) -> tuple[int, ...]:
        if self._saved_time > MAX_SAVED_TIME:
            return self._pace.sleeps
        kinds = ((), self._pace.short_pauses, self._pace.pauses, self._pace.sleeps)
        (kind,) = self._rng.choices(kinds, (3, 3, 3, 1))
        return kind
