"""Random play on the box and on the model; both must always show the same.

The examples are the same on every run. TELLERBOX_EXAMPLES=n plays n times as many, with other
examples each time.
"""

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from tests.campaign.random_play.choices import (
    BEFORE_C,
    GOOD_MOVES,
    HOLDS,
    LANDMARKS,
    LONG_WAITS,
    MEANWHILE,
    NEW_GAME,
    POWER_CUT,
    SALARY_KEYS,
    any_cards,
    cards,
    occupied_slots,
    odd_cards,
    pauses,
    repeats,
    slots,
)
from tests.campaign.random_play.unfinished_turns import UnfinishedTurns
from tests.campaign.storm.player_profiles import AMOUNTS, KEY_SEQUENCES, KEYS, keys_of, name_of

EXAMPLES = 60
MANY_EXAMPLES = 400
STEPS = 50


def other(slot: str) -> str:
    return "left" if slot == "right" else "right"


class AgainstModel(UnfinishedTurns):
    """All actions of random play."""

    # A banker's turns: insert cards, press keys, wait

    @rule(occupied=occupied_slots, percent=st.integers(0, 100), times=repeats, then=pauses)
    def move_a_good_amount(self, occupied: str, percent: int, times: int, then: int) -> None:
        self.seat(occupied)
        edition = self.model.ledger.edition
        steps = edition.maximum * percent // 100 // edition.step
        self.press(keys_of(max(steps * edition.step, edition.minimum), edition) * times)
        self.wait(then)

    @rule(occupied=occupied_slots, steps=st.integers(-1, 1), room=st.booleans(), then=pauses)
    def move_to_the_brink(self, occupied: str, steps: int, room: bool, then: int) -> None:
        """Move all that the payer has, or the payee has room for, give or take a step."""
        self.seat(occupied)
        edition = self.model.ledger.edition
        balance = self.balance_in("left" if room else "right")
        amount = edition.ceiling - balance if room else balance
        self.press(keys_of(max(amount + steps * edition.step, 0), edition))
        self.wait(then)

    @rule(slot=slots, which=st.integers(0, len(LANDMARKS)))
    def move_to_a_landmark(self, slot: str, which: int) -> None:
        self.seat(slot)
        edition = self.model.ledger.edition
        ways = [abs(landmark - self.balance_in(slot)) for landmark in LANDMARKS]
        within_reach = [way for way in ways if edition.minimum <= way <= edition.maximum]
        if within_reach:
            self.press(keys_of(within_reach[which % len(within_reach)], edition))

    @precondition(lambda self: self.can_fill_a_card())
    @rule(steps=st.integers(0, 1))
    def fill_a_card(self, steps: int) -> None:
        self.seat("left")
        edition = self.model.ledger.edition
        room = edition.ceiling - self.balance_in("left")
        self.press(keys_of(room + steps * edition.step, edition))

    @precondition(lambda self: self.can_fill_a_card())
    @rule(steps=st.integers(0, 1))
    def pay_from_empty_to_full(self, steps: int) -> None:
        """An empty card pays a card that is full."""
        self.seat("right")
        edition = self.model.ledger.edition
        self.press(keys_of(self.balance_in("right"), edition))
        self.seat("left right")
        room = edition.ceiling - self.balance_in("left")
        self.press(keys_of(room + steps * edition.step, edition))

    @rule(percent=st.integers(0, 50), duration=st.sampled_from((1999, 2000, 2001)))
    def watch_a_transfer(self, percent: int, duration: int) -> None:
        self.seat("left right")
        edition = self.model.ledger.edition
        steps = self.balance_in("right") * percent // 100 // edition.step
        self.press(keys_of(steps * edition.step, edition))
        self.wait(duration)

    @rule(occupied=occupied_slots, keys=st.sampled_from(AMOUNTS), then=pauses)
    def enter_any_amount(self, occupied: str, keys: str, then: int) -> None:
        self.seat(occupied)
        self.press(keys)
        self.wait(then)

    @rule(occupied=occupied_slots, keys=st.sampled_from(KEY_SEQUENCES), then=pauses)
    def press_key_sequence(self, occupied: str, keys: str, then: int) -> None:
        self.seat(occupied)
        self.press(keys)
        self.wait(then)

    @rule(keys=st.sampled_from(SALARY_KEYS), then=pauses)
    def pass_go(self, keys: str, then: int) -> None:
        self.seat("left")
        self.press(keys)
        self.wait(then)

    @rule(
        occupied=occupied_slots,
        move=st.sampled_from(GOOD_MOVES),
        back=st.integers(1, 4),
        then=pauses,
    )
    def take_back(self, occupied: str, move: str, back: int, then: int) -> None:
        self.seat(occupied)
        self.press(move)
        self.wait(then)
        self.press("C" * back)

    @rule(occupied=occupied_slots, keys=st.text(KEYS, min_size=1, max_size=8))
    def press_anything(self, occupied: str, keys: str) -> None:
        self.seat(occupied)
        self.press(keys)

    @rule(key=st.sampled_from(KEYS), then=pauses)
    def press_one(self, key: str, then: int) -> None:
        self.press(key)
        self.wait(then)

    @rule(occupied=occupied_slots, key=st.sampled_from(KEYS), duration=st.sampled_from(HOLDS))
    def hold_any(self, occupied: str, key: str, duration: int) -> None:
        self.seat(occupied)
        self.hold(key, duration)

    @rule(before=st.sampled_from(BEFORE_C), duration=st.sampled_from(HOLDS), then=pauses)
    def hold_c(self, before: str, duration: int, then: int) -> None:
        self.press(before)
        self.hold("C", duration)
        self.wait(then)

    @rule(before=st.sampled_from(BEFORE_C), after=st.sampled_from(KEY_SEQUENCES), then=pauses)
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
    def undo_a_new_card(self, slot: str, card: str, meanwhile: str, then: int) -> None:
        """A new card is forgotten by C, unless something happened meanwhile [S10]."""
        self.change_card(slot, card, 0)
        if meanwhile == NEW_GAME:
            self.hold("C", 3000)
        elif meanwhile == POWER_CUT:
            self.power_cycle(slot, None, 0)
        else:
            self.press(meanwhile)
        self.wait(then)
        self.press("CC")

    @rule(slot=slots, card=any_cards, after=st.sampled_from(KEYS), same=st.booleans())
    def work_beside_a_forgotten_card(self, slot: str, card: str, after: str, same: bool) -> None:
        """The slot counts as empty, although the card is in it [S10]."""
        self.change_card(slot, card, 0)
        self.press("C")
        if same:
            self.empty(other(slot))
            self.insert(other(slot), card)
        else:
            self.wait(60_000)
        self.press(after)

    @rule(first=any_cards, second=any_cards, third=any_cards)
    def undo_the_older_card(self, first: str, second: str, third: str) -> None:
        """The forgotten card does not have the highest number."""
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
        """The card of the other slot, or the one just removed."""
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
    def input_just_before_sleep(self, slot: str, card: str | None, then: int) -> None:
        """Each input postpones sleep by exactly a minute."""
        self.press("5")
        self.wait(59_000)
        self.empty(slot)
        if card:
            self.wait(59_999)
            self.insert(slot, card)
        self.wait(59_999)
        self.wait(then)

    @rule(slot=slots, card=st.none() | any_cards, then=pauses)
    def cut_power(self, slot: str, card: str | None, then: int) -> None:
        self.power_cycle(slot, card, then)

    def can_fill_a_card(self) -> bool:
        edition = self.model.ledger.edition
        return edition.ceiling - edition.opening <= edition.maximum


def chosen_settings(examples: int) -> settings:
    times = os.environ.get("TELLERBOX_EXAMPLES")
    return settings(
        max_examples=examples * int(times or 1),
        stateful_step_count=STEPS,
        derandomize=not times,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.timeout(300)
def test_box_matches_model() -> None:
    run_state_machine_as_test(AgainstModel, settings=chosen_settings(EXAMPLES))


@pytest.mark.long
@pytest.mark.timeout(900)
def test_box_matches_model_for_long() -> None:
    run_state_machine_as_test(AgainstModel, settings=chosen_settings(MANY_EXAMPLES))
