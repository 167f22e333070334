"""The box against the model: random hands work both, and both must always look the same.

The examples are the same on every run. With TELLERBOX_EXAMPLES=n there are n times
as many, and they are other ones each time.
"""

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from sim.storm.habits import AMOUNTS, GESTURES, KEYS, keys_of, name_of
from tests.property.choices import (
    BEFORE_C,
    GOES,
    GOOD_MOVES,
    HOLDS,
    LANDMARKS,
    LONG_WAITS,
    MEANWHILE,
    NEW_GAME,
    POWER_CUT,
    any_cards,
    cards,
    odd_cards,
    often,
    pauses,
    slots,
    turns,
)
from tests.property.f_turns import FTurns

EXAMPLES = 280
STEPS = 50


def other(slot: str) -> str:
    return "left" if slot == "right" else "right"


class AgainstModel(FTurns):
    """All that the hands may do."""

    # A banker's turns: cards are served, keys pressed, and some time passes

    @rule(who=turns, percent=st.integers(0, 100), times=often, then=pauses)
    def move_a_good_amount(self, who: str, percent: int, times: int, then: int) -> None:
        self.serve(who)
        edition = self.model.books.edition
        steps = edition.maximum * percent // 100 // edition.step
        self.press(keys_of(max(steps * edition.step, edition.minimum), edition) * times)
        self.wait(then)

    @rule(who=turns, steps=st.integers(-1, 1), room=st.booleans(), then=pauses)
    def move_to_the_brink(self, who: str, steps: int, room: bool, then: int) -> None:
        """All that the payer holds, or the payee has room for, or a step to either side."""
        self.serve(who)
        edition = self.model.books.edition
        balance = self.balance_in("left" if room else "right")
        amount = edition.ceiling - balance if room else balance
        self.press(keys_of(max(amount + steps * edition.step, 0), edition))
        self.wait(then)

    @rule(slot=slots, which=st.integers(0, len(LANDMARKS)))
    def move_to_a_landmark(self, slot: str, which: int) -> None:
        self.serve(slot)
        edition = self.model.books.edition
        ways = [abs(landmark - self.balance_in(slot)) for landmark in LANDMARKS]
        within_reach = [way for way in ways if edition.minimum <= way <= edition.maximum]
        if within_reach:
            self.press(keys_of(within_reach[which % len(within_reach)], edition))

    @precondition(lambda self: self.can_fill_a_card())
    @rule(steps=st.integers(0, 1))
    def fill_a_card(self, steps: int) -> None:
        self.serve("left")
        edition = self.model.books.edition
        room = edition.ceiling - self.balance_in("left")
        self.press(keys_of(room + steps * edition.step, edition))

    @precondition(lambda self: self.can_fill_a_card())
    @rule(steps=st.integers(0, 1))
    def ask_the_poor(self, steps: int) -> None:
        """One who has nothing left pays one who has no room for it."""
        self.serve("right")
        edition = self.model.books.edition
        self.press(keys_of(self.balance_in("right"), edition))
        self.serve("left right")
        room = edition.ceiling - self.balance_in("left")
        self.press(keys_of(room + steps * edition.step, edition))

    @rule(percent=st.integers(0, 50), duration=st.sampled_from((1999, 2000, 2001)))
    def watch_a_transfer(self, percent: int, duration: int) -> None:
        self.serve("left right")
        edition = self.model.books.edition
        steps = self.balance_in("right") * percent // 100 // edition.step
        self.press(keys_of(steps * edition.step, edition))
        self.wait(duration)

    @rule(who=turns, keys=st.sampled_from(AMOUNTS), then=pauses)
    def enter_any_amount(self, who: str, keys: str, then: int) -> None:
        self.serve(who)
        self.press(keys)
        self.wait(then)

    @rule(who=turns, keys=st.sampled_from(GESTURES), then=pauses)
    def make_a_gesture(self, who: str, keys: str, then: int) -> None:
        self.serve(who)
        self.press(keys)
        self.wait(then)

    @rule(keys=st.sampled_from(GOES), then=pauses)
    def pass_go(self, keys: str, then: int) -> None:
        self.serve("left")
        self.press(keys)
        self.wait(then)

    @rule(who=turns, move=st.sampled_from(GOOD_MOVES), back=st.integers(1, 4), then=pauses)
    def take_back(self, who: str, move: str, back: int, then: int) -> None:
        self.serve(who)
        self.press(move)
        self.wait(then)
        self.press("C" * back)

    @rule(who=turns, keys=st.text(KEYS, min_size=1, max_size=8))
    def press_anything(self, who: str, keys: str) -> None:
        self.serve(who)
        self.press(keys)

    @rule(key=st.sampled_from(KEYS), then=pauses)
    def press_one(self, key: str, then: int) -> None:
        self.press(key)
        self.wait(then)

    @rule(who=turns, key=st.sampled_from(KEYS), duration=st.sampled_from(HOLDS))
    def hold_any(self, who: str, key: str, duration: int) -> None:
        self.serve(who)
        self.hold(key, duration)

    @rule(before=st.sampled_from(BEFORE_C), duration=st.sampled_from(HOLDS), then=pauses)
    def hold_c(self, before: str, duration: int, then: int) -> None:
        self.press(before)
        self.hold("C", duration)
        self.wait(then)

    @rule(before=st.sampled_from(BEFORE_C), after=st.sampled_from(GESTURES), then=pauses)
    def begin_a_new_game(self, before: str, after: str, then: int) -> None:
        self.press(before)
        self.hold("C", 3000)
        self.wait(then)
        self.press(after)

    # Cards

    @rule(slot=slots, card=cards, then=pauses)
    def change_card(self, slot: str, card: str, then: int) -> None:
        self.empty(slot)
        self.wait(then)
        self.insert(slot, card)

    @rule(slot=slots, card=odd_cards, then=pauses)
    def insert_an_odd_card(self, slot: str, card: str, then: int) -> None:
        self.empty(slot)
        self.insert(slot, card)
        self.wait(then)

    @rule(slot=slots, card=any_cards, meanwhile=st.sampled_from(MEANWHILE), then=pauses)
    def regret_a_card(self, slot: str, card: str, meanwhile: str, then: int) -> None:
        """A new card is forgotten again, unless something stands against it [S10]."""
        self.change_card(slot, card, 0)
        if meanwhile == NEW_GAME:
            self.hold("C", 3000)
        elif meanwhile == POWER_CUT:
            self.cut_the_power(slot, None, 0)
        else:
            self.press(meanwhile)
        self.wait(then)
        self.press("CC")

    @rule(slot=slots, card=any_cards, after=st.sampled_from(KEYS), same=st.booleans())
    def work_beside_a_forgotten_card(self, slot: str, card: str, after: str, same: bool) -> None:
        """The slot is empty for the bank, and yet the card is in it [S10]."""
        self.change_card(slot, card, 0)
        self.press("C")
        if same:
            self.empty(other(slot))
            self.insert(other(slot), card)
        else:
            self.wait(60_000)
        self.press(after)

    @rule(first=any_cards, second=any_cards, third=any_cards)
    def regret_the_older_card(self, first: str, second: str, third: str) -> None:
        """The number of the card that is forgotten is not the highest."""
        self.change_card("left", first, 0)
        self.change_card("right", second, 0)
        self.empty("right")
        self.press("C")
        self.insert("right", third)

    @rule(slot=slots, card=odd_cards, another=odd_cards)
    def insert_two_odd_cards(self, slot: str, card: str, another: str) -> None:
        self.change_card(slot, card, 0)
        self.change_card(other(slot), another, 0)

    @rule(slot=slots)
    def insert_the_same(self, slot: str) -> None:
        """What the other slot holds, or what this one did."""
        uids = [*self.model.physical.values()]
        self.empty(slot)
        if uids:
            self.insert(slot, name_of(uids[-1]))

    @rule(slot=slots, then=pauses)
    def remove_a_card(self, slot: str, then: int) -> None:
        self.empty(slot)
        self.wait(then)

    # Time and power

    @rule(duration=pauses)
    def wait_a_little(self, duration: int) -> None:
        self.wait(duration)

    @rule(duration=st.sampled_from(LONG_WAITS))
    def wait_long(self, duration: int) -> None:
        self.wait(duration)

    @rule(key=st.sampled_from(KEYS), duration=st.sampled_from(HOLDS), then=pauses)
    def wake(self, key: str, duration: int, then: int) -> None:
        self.wait(60_000)
        self.hold(key, duration)
        self.wait(then)

    @rule(slot=slots, card=st.none() | cards, then=st.sampled_from((1, 2)))
    def stir_just_before_sleep(self, slot: str, card: str | None, then: int) -> None:
        """What puts sleep off, puts it off by exactly as much."""
        self.press("5")
        self.wait(59_000)
        self.empty(slot)
        if card:
            self.wait(59_999)
            self.insert(slot, card)
        self.wait(59_999)
        self.wait(then)

    @rule(slot=slots, card=st.none() | any_cards, then=pauses)
    def pull_the_plug(self, slot: str, card: str | None, then: int) -> None:
        self.cut_the_power(slot, card, then)

    def can_fill_a_card(self) -> bool:
        edition = self.model.books.edition
        return edition.ceiling - edition.opening <= edition.maximum


def chosen_settings() -> settings:
    times = os.environ.get("TELLERBOX_EXAMPLES")
    usual = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    settings.register_profile("model", usual)
    settings.register_profile(
        "model-long", usual, max_examples=EXAMPLES * int(times or 1), derandomize=False
    )
    return settings.get_profile("model-long" if times else "model")


TestAgainstModel = AgainstModel.TestCase
TestAgainstModel.settings = chosen_settings()
