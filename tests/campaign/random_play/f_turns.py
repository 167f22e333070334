"""What random hands do with the F key: each turn makes one of its rules likely, and deep."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from sim.storm.habits import (
    AFTER,
    AMOUNTS,
    ASTRAY,
    GESTURES,
    GOOD_DICE,
    KEYS,
    NEXT_GAMES,
    SERVICES,
    TAKEN_BACK,
    TYPED,
    WALKS,
    keys_of,
    name_of,
)
from sim.storm.model import fkey
from tests.property.choices import (
    HOLDS,
    LONG_WAITS,
    NEW_GAME,
    POWER_CUT,
    any_cards,
    pauses,
    slots,
    turns,
)
from tests.property.hands import ANYBODY, NOBODY, Hands

DICE = ("1", "2", "12", "13", "23", "24", "25", "0", "", "1,2", "7,", "123456")

# What is pressed in something that F has opened, whatever it is.
IN_F = "0123456789,MKGGF"

# Looks at the list and at what it leads to.
LOOKS = ("F", "5F", "FF", "FFF", "F8", "F9", "F0", "F2F", "F21")

AGES = (999, 1_000, 59_999, 60_000, 119_999, 3_599_999, 3_600_000, 7_200_000)

CLOCKS = ("1", "1", "2", "3")
FORGOTTEN = ("1", "2", "3", "4", "6", "8", "9", "02", "", "0", "1,K", "123456")

# The last instants of what F opened, and of the minutes of a game against the clock.
F_WAITS = (15_000, 14_999, 15_000, 14_999, 15_001, 7_000, 1_000, 0)
CLOCK_WAITS = (
    *(1, 999, 1_000, 2_000, 29_999, 30_000, 44_999, 45_000, 56_999, 57_000, 57_001),
    *(59_998, 59_999, 60_000, 60_001, 119_999, 120_000, 180_000),
)
IN_A_MINUTE = ("", "", "5", "F", "F9M", "F9M5", "F06M", NEW_GAME, POWER_CUT, POWER_CUT)

SLEEP = "sleep"
IN_COUNT = ("", "", "C", "F", "F9M", "1M", "F02", "F8M", "F053M", "right", SLEEP, POWER_CUT)
COUNTED = ("", "", "G", "5", "1M", "1,5M", "150K", "20M", "M", "100M,", "1M1MC")

services = st.sampled_from(SERVICES)
picks = st.integers(0, 11)


class FTurns(Hands):
    """A banker's turns with the F key."""

    @rule(turn=st.lists(st.tuples(services, st.integers(0, 100)), min_size=1, max_size=4))
    def serve_by_f(self, turn: list[tuple[tuple[str, str], int]]) -> None:
        """Some of the entries that move money, with the cards that they need."""
        for (name, who), percent in turn:
            self.serve(who)
            if self.choose(name):
                self.type_well(name, percent)
                self.press("M")
                self.wait(2000 * (percent % 2))

    @precondition(lambda self: self.model.has_pot)
    @rule(percent=st.integers(0, 50), after=st.sampled_from(("", "C", "CC", "F8GMM", "F8GGMM")))
    def play_for_the_pot(self, percent: int, after: str) -> None:
        """A fine and a tax go in, and all of it comes out [F23]."""
        for name, who in (("JAIL", "right"), ("POT", "right"), ("POT", "left")):
            self.serve(who)
            if self.choose(name):
                self.type_well(name, percent)
                self.press("M")
        self.press(after)

    @precondition(lambda self: self.model.books.edition.fights)
    @rule(percent=st.integers(0, 15), after=st.sampled_from(("", "C", "F7M", "F8M")))
    def lose_a_fight(self, percent: int, after: str) -> None:
        self.serve("left right")
        if self.choose("FIGHT LOST"):
            self.type_well("FIGHT LOST", percent)
            self.press("M")
            self.press(after)

    def type_well(self, name: str, percent: int) -> None:
        """Where something has to be typed, something that will do."""
        edition = self.model.books.edition
        if name == "UTILITY":
            self.press(GOOD_DICE[percent % len(GOOD_DICE)] + "MK"[percent % 2])
        elif self.is_typed(name):
            most = min(edition.maximum, self.balance_in("right") or edition.maximum)
            steps = most * percent // 100 // edition.step
            self.press(keys_of(max(steps * edition.step, edition.minimum), edition))

    @rule(
        service=services, keys=st.sampled_from(AMOUNTS), after=st.sampled_from(AFTER), then=pauses
    )
    def serve_oddly_by_f(self, service: tuple[str, str], keys: str, after: str, then: int) -> None:
        """The same, with what somebody may type and change their mind about."""
        name, who = service
        self.serve(who)
        if self.choose(name):
            self.press(keys if self.is_typed(name) else "")
            self.press(after)
            self.wait(then)

    @rule(
        name=st.sampled_from(("HALF", *sorted(TYPED))),
        steps=st.sampled_from((0, 0, -1, 1)),
        most=st.booleans(),
    )
    def serve_at_the_limits(self, name: str, steps: int, most: bool) -> None:
        """The least that may be typed, and the most; half of the least may be nothing [F4]."""
        edition = self.model.books.edition
        limit = edition.maximum if most else edition.minimum
        self.serve("right" if name == "POT" else "left right")
        if self.choose(name):
            self.press(keys_of(limit + steps * edition.step, edition))
            self.press("M")

    @rule(dice=st.sampled_from(DICE), unit=st.sampled_from("MK"), after=st.sampled_from(AFTER))
    def throw_the_dice(self, dice: str, unit: str, after: str) -> None:
        self.serve("left right")
        if self.choose("UTILITY"):
            self.press(dice + unit)
            self.press(after)

    @rule(who=turns, pick=picks, keys=st.text(IN_F, max_size=6), then=pauses)
    def press_anything_in_f(self, who: str, pick: int, keys: str, then: int) -> None:
        self.serve(who)
        self.choose_any(pick)
        self.press(keys)
        self.wait(then)

    @rule(
        who=turns,
        asleep=st.booleans(),
        digit=st.sampled_from("123456789,"),
        keys=st.sampled_from(ASTRAY),
    )
    def go_astray(self, who: str, asleep: bool, digit: str, keys: str) -> None:
        """What was meant for an entry that is not there [D26]."""
        self.serve(who)
        self.wait(60_000 * asleep)
        self.press(f"F{digit}")
        self.press(keys)

    @rule(who=turns, keys=st.sampled_from(LOOKS), then=st.sampled_from(F_WAITS))
    def look_at_the_list(self, who: str, keys: str, then: int) -> None:
        self.serve(who)
        self.press(keys)
        self.wait(then)

    @rule(
        who=turns,
        pick=picks,
        key=st.sampled_from(KEYS),
        held=st.sampled_from(HOLDS),
        first=st.sampled_from(F_WAITS),
        then=st.sampled_from(F_WAITS),
    )
    def leave_it_alone(
        self, who: str, pick: int, key: str, held: int, first: int, then: int
    ) -> None:
        """What F opened leaves by itself, fifteen seconds after the last key [F2]."""
        self.serve(who)
        self.choose_any(pick)
        self.wait(first)
        self.hold(key, held)
        self.wait(then)

    @rule(who=turns, pick=picks, slot=slots, card=any_cards, cut=st.booleans())
    def meddle_with_what_f_opened(
        self, who: str, pick: int, slot: str, card: str, cut: bool
    ) -> None:
        self.serve(who)
        self.choose_any(pick)
        if cut:
            self.cut_the_power(slot, None, 0)
        elif slot in self.model.physical:
            self.empty(slot)
        else:
            self.insert(slot, card)

    # The history

    @rule(
        who=turns,
        walk=st.sampled_from(WALKS),
        back=st.integers(0, 6),
        after=st.sampled_from(TAKEN_BACK),
        then=pauses,
    )
    def walk_through_history(self, who: str, walk: str, back: int, after: str, then: int) -> None:
        self.serve(who)
        if self.choose("HISTORY"):
            self.press(walk)
            self.press("G" * back + after)
            self.wait(then)

    @rule(age=st.sampled_from(AGES), then=st.sampled_from((1, 999)))
    def remember_how_long_ago(self, age: int, then: int) -> None:
        """At the instants at which seconds become minutes, and minutes hours."""
        moves = fkey.history(self.model)
        if moves:
            self.wait(max(moves[0].when + age - self.model.now, 0))
            if self.choose("HISTORY"):
                self.wait(then)
                self.press("G")

    # Bankrupts

    @rule(
        both=st.booleans(),
        after=st.sampled_from(("", "", "C", "G", "1M", "F8MM", NEW_GAME, POWER_CUT)),
        then=st.sampled_from(("", "", "F8MM", NEW_GAME)),
    )
    def go_bankrupt(self, both: bool, after: str, then: str) -> None:
        """And come again [F5]."""
        self.serve("left right" if both else "right")
        if self.choose("ALL"):
            uid = self.model.physical["right"]
            self.press("M")
            self.happen(after)
            self.empty("right")
            self.insert("right", name_of(uid))
            self.happen(then)

    @rule(
        percent=st.integers(1, 100), both=st.booleans(), out=st.booleans(), back=st.integers(0, 2)
    )
    def give_back_to_a_bankrupt(self, percent: int, both: bool, out: bool, back: int) -> None:
        """A move from before the bankruptcy is not taken back [F13]."""
        self.serve("left right" if both else "right")
        self.leave_the_count()
        edition = self.model.books.edition
        steps = self.balance_in("right") * percent // 100 // edition.step
        self.press(keys_of(steps * edition.step, edition))
        if self.choose("ALL"):
            self.press("M")
            if out:
                self.empty("right")
            if self.choose("HISTORY"):
                self.press("G" * back + "MM")

    @rule(
        edition=st.sampled_from(("", "", "F042", "F041")),
        players=st.integers(0, 4),
        ways=st.lists(st.sampled_from(("right", "left right")), min_size=1, max_size=4),
        forgotten=st.booleans(),
    )
    def play_a_fast_game(
        self, edition: str, players: int, ways: list[str], forgotten: bool
    ) -> None:
        """Until enough players are bankrupt [F21]."""
        self.leave_the_count()
        self.serve(NOBODY)
        self.press(self.waking() + edition)
        if self.choose("GAME"):
            self.press("2")
            self.hold("C", 3000)
            for card in range(1, 1 + players):
                self.insert("left", str(card))
                self.empty("left")
            for way in ways:
                self.serve(way)
                if self.choose("ALL"):
                    self.press("M")
                if forgotten:
                    self.forget_a_card_that_is_in("right", ANYBODY)
                self.empty("right")

    # Games

    @rule(keys=st.sampled_from(NEXT_GAMES), begin=st.booleans(), cut=st.booleans())
    def choose_the_next_game(self, keys: str, begin: bool, cut: bool) -> None:
        if self.choose("GAME"):
            self.press(keys)
            if cut:
                self.cut_the_power("left", None, 1000)
            if begin:
                self.hold("C", 3000)

    @rule(digit=st.sampled_from("1123445"), who=turns, high=st.booleans(), back=st.booleans())
    def play_another_edition(self, digit: str, who: str, high: bool, back: bool) -> None:
        """Perhaps with a card in whose number only some editions have [F18]."""
        if self.choose("GAME"):
            self.press(f"4{digit}")
            self.serve(who)
            if high:
                self.change_left("7")
            self.hold("C", 3000)
            if back and self.choose("GAME"):
                self.press("6M")

    @precondition(lambda self: self.model.books.before)
    @rule(who=turns, after=st.sampled_from(("M", "M", "M", "M", "C", "K", "5", "F")), then=pauses)
    def go_back_to_the_game_before(self, who: str, after: str, then: int) -> None:
        self.serve(who)
        if self.choose("GAME"):
            self.press(f"6{after}")
            self.wait(then)

    @rule(who=turns, number=st.sampled_from(FORGOTTEN), after=st.sampled_from(GESTURES))
    def forget_a_card(self, who: str, number: str, after: str) -> None:
        self.serve(who)
        if self.choose("GAME"):
            self.press(f"5{number}M")
            self.press(after)

    @rule(slot=slots, who=st.sampled_from(("left", "right", "left right", ANYBODY)))
    def forget_a_card_that_is_in(self, slot: str, who: str) -> None:
        self.serve(who)
        card = self.model.seated(slot)
        if card and self.choose("GAME"):
            self.press(f"5{card.number}M")
            self.press("C")

    @rule(
        minutes=st.sampled_from(CLOCKS),
        waits=st.lists(st.sampled_from(CLOCK_WAITS), min_size=1, max_size=4),
        meanwhile=st.sampled_from(IN_A_MINUTE),
    )
    def play_against_the_clock(self, minutes: str, waits: list[int], meanwhile: str) -> None:
        """Until the time is over, or the power [F22]."""
        if self.choose("GAME"):
            self.press(f"3{minutes}M")
            self.hold("C", 3000)
            for wait in waits:
                self.wait(wait)
                self.happen(meanwhile)

    @rule(waits=st.tuples(*[st.sampled_from(CLOCK_WAITS)] * 3), cuts=st.integers(0, 3))
    def play_another_game_meanwhile(self, waits: tuple[int, ...], cuts: int) -> None:
        """The clock stands still, and the power may be cut in either game [F22]."""
        if not self.model.time_left() and self.choose("GAME"):
            self.press("33M")
            self.hold("C", 3000)
        self.wait(waits[0])
        self.press(self.waking())
        self.hold("C", 3000)
        self.wait(waits[1])
        if cuts in (1, 3):
            self.cut_the_power("left", None, 0)
        if self.model.books.before and self.choose("GAME"):
            self.press("6M")
            self.wait(waits[2])
            if cuts in (2, 3):
                self.cut_the_power("left", None, 0)
            self.wait(max(self.model.time_left() - 1, 0))
            self.wait(1)

    @precondition(lambda self: self.model.time_left())
    @rule(key=st.sampled_from("5CCFM"), held=st.sampled_from(HOLDS), early=st.integers(0, 3001))
    def hold_a_key_when_the_time_is_over(self, key: str, held: int, early: int) -> None:
        self.wait(max(self.model.time_left() - early, 0))
        self.hold(key, held)

    @precondition(lambda self: self.model.time_left())
    @rule(
        who=turns, keys=st.sampled_from(("", "5", "F", "F21", "F9", "1M")), late=st.integers(-1, 1)
    )
    def work_until_the_time_is_over(self, who: str, keys: str, late: int) -> None:
        """With something begun that has to be dropped."""
        self.wait(max(self.model.time_left() - 10_000, 0))
        self.serve(who)
        self.press(keys)
        self.wait(self.model.time_left() + late)

    # The final count

    @rule(
        amounts=st.lists(st.sampled_from(COUNTED), max_size=4),
        meanwhile=st.sampled_from(IN_COUNT),
        when=st.integers(0, 3),
    )
    def count_everybody(self, amounts: list[str], meanwhile: str, when: int) -> None:
        """From the first player to the winner [F16, F17]."""
        self.open_the_count()
        for turn, account in enumerate(self.model.books.players()):
            self.empty("left")
            if account.uid not in self.model.physical.values():
                self.insert("left", name_of(account.uid))
                self.press(amounts[turn] if turn < len(amounts) else "")
            if turn == when:
                self.happen(meanwhile)
        self.empty("left")

    @rule(who=turns, keys=st.text("0125,MKGC", max_size=6), wait=st.sampled_from(LONG_WAITS))
    def work_in_the_count(self, who: str, keys: str, wait: int) -> None:
        self.open_the_count()
        self.serve(who)
        self.press(keys)
        self.wait(wait)

    @rule(
        first=st.sampled_from(("", "1M", "1MC")),
        other=st.sampled_from(("", "1M", "C", "1MC")),
        second=st.sampled_from(("", "1M", "1M", "1MC")),
        out=st.booleans(),
        card=st.none() | any_cards,
    )
    def cut_the_power_in_the_count(
        self, first: str, other: str, second: str, out: bool, card: str | None
    ) -> None:
        """The card that was counted last goes on where it was, if it comes first [F16]."""
        self.open_the_count()
        self.serve("left")
        mine = name_of(self.model.physical["left"])
        self.press(first)
        if other:
            self.change_left(self.welcome("right"))
            self.press(other)
            self.change_left(mine)
            self.open_the_count()
        self.press(second)
        if out:
            self.empty("left")
        self.cut_the_power("left", card, 0)
        self.open_the_count()
        self.change_left(mine)

    def change_left(self, card: str) -> None:
        self.empty("left")
        self.insert("left", card)

    # What the turns have in common

    def happen(self, what: str) -> None:
        if what == NEW_GAME:
            self.hold("C", 3000)
        elif what == POWER_CUT:
            self.cut_the_power("left", None, 0)
        elif what == SLEEP:
            self.wait(60_000)
        elif what == "right":
            self.serve("right")
        else:
            self.press(what)

    def open_the_count(self) -> None:
        if not self.model.count and self.choose("COUNT"):
            self.press("M")

    def unblock(self) -> None:
        for card in self.model.refused():
            self.empty(card.slot)

    def leave_the_count(self) -> None:
        self.unblock()
        while self.model.count:
            self.press("C")

    def is_typed(self, name: str) -> bool:
        return name in TYPED and not (name == "POT" and self.model.seated("left"))

    def choose(self, name: str) -> bool:
        """Press F and the digit of an entry, if it is offered to a box that is not blocked."""
        self.unblock()
        if name not in fkey.IN_COUNT:
            self.leave_the_count()
        pages = fkey.FList(self.model).pages()
        for page, entries in enumerate(pages):
            for digit, entry in entries.items():
                if entry == name:
                    self.press(self.waking() + "F" * self.turns_to(page, len(pages)) + digit)
                    return True
        return False

    def choose_any(self, pick: int) -> None:
        """Press F and the digit of one of those that are offered."""
        names = [name for page in fkey.FList(self.model).pages() for name in page.values()]
        self.choose(names[pick % len(names)])

    def waking(self) -> str:
        return "C" if self.model.asleep else ""

    def turns_to(self, page: int, pages: int) -> int:
        """How often F has to be pressed until a page shows."""
        opened = self.model.opened
        return (page - opened.page) % pages if isinstance(opened, fkey.FList) else 1 + page
