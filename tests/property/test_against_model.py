"""The box against the model: random hands work both, and both must always look the same.

A failure prints what was done as a script for ``tellerbox play``; where the edition's
figures were changed, which no script can do, a comment on its first line says so.

The examples are the same on every run. With TELLERBOX_EXAMPLES=n there are n times
as many, and they are other ones each time.
"""

import os
import re
from typing import NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from firmware.edition import load
from hal.events import MILLISECOND, Key, Slot
from sim.rig import Rig
from sim.stock import STOCK
from tests.property.model import EDITIONS, Edition, Model

EXAMPLES = 300
STEPS = 50


class Variant(NamedTuple):
    """An edition, perhaps with another opening balance and another limit for entries."""

    edition: str
    opening: int | None = None
    maximum: int | None = None


# The changed ones bring limits within reach: a card is soon full [M8], or shows in
# another unit [M2, M10], or is poor while another one is full [M9].
VARIANTS = (
    *(Variant(name) for name in EDITIONS),
    Variant("banking"),
    Variant("banking", opening=99_990_000_000, maximum=99_999_000_000),
    Variant("banking", opening=123_450_000),
    Variant("europe", opening=99_998_000, maximum=99_999_000),
    Variant("europe", opening=99_999),
    Variant("disney", opening=100_000),
    Variant("france98", opening=999_900),
)

# Balances at which the big field changes its ways.
LANDMARKS = (
    *(0, 99_900, 99_999, 100_000, 100_001, 999_000, 999_900, 1_000_000, 1_000_100),
    *(99_999_000, 100_000_000, 123_456_000, 99_999_000_000),
)

KEYS = "0123456789,MKCGF"
SLOTS = ("left", "right")

# Entries that are good in one edition or another, or refused for reasons of their own.
AMOUNTS = (
    *("1M", "1,5M", "20M", "150K", "1500K", "0,5M", ",5M", "12,345M", "500M", "2000M", "1,5K"),
    *("1K", "2K", "10K", "200K", "0,1K", ",1K", "9K", "9,999K", "20,001M", "2001M", "200,1K"),
    *("0,05K", "0,15K", "1,2345M", "1,23456K", "0,12345M", "99999M", "123456K", "1,,5M"),
    *("M", "K", ",M", ",K", "0M", "0K", "0,M", "00K", "0,0M"),
)

# What a banker types apart from amounts.
GESTURES = (
    *("C", "CC", "CCC", "CCCC", "G", "GG", "GC", "GCG", "GCC", "5G", "5GC", "F", "5F"),
    *(",", ",,", "0", "0,", "1,5", "12345", "123456", "0,12345", "5C", "5CC", "5,,C", "MC", "MCC"),
)

GOES = ("G", "GG", "GCG", "GCC", "5G", "1MG", "1MGCCG", "GFG", "G,G")

# Moves, or attempts, to be taken back.
GOOD_MOVES = ("", "G", "150K", "1500M", "1M", "10M", "1,5K", "10M10M", "1M2M", "G1M", "1KG", "5")
BEFORE_C = ("", "5", "M", "G", "1M")

# What may come between a new card and second thoughts.
NEW_GAME = "new game"
POWER_CUT = "power cut"
MEANWHILE = ("", "", "5", "G", "GC", "1MC", NEW_GAME, POWER_CUT)

# Whose turn it is, by the slots that hold a player's card then.
ANYBODY = "anybody"
NOBODY = ""
TURNS = (ANYBODY, ANYBODY, ANYBODY, NOBODY, "left", "right", "left right", "right left")

# Few cards most of the time, so that a card often comes back.
PLAYERS = (1, 2, 1, 2, 3, 4, 1, 2, 5, 6, 7, 8, 9, 10)

# Four, seven and ten bytes, random ones, and some that look like another card.
ODD_CARDS = (
    *("04A1B2C3", "04E5A1B2", "04A1B2C3D4E5F6", "04A1B2C3D4E5F6A7B8C9"),
    *("08A1B2C3", "08000000", "08A1B2C3D4E5F6", "08A1B2C3D4E5F6A7B8C9"),
)

# In milliseconds, with the instants at which something is over [G4].
PAUSES = (0, 0, 0, 1, 500, 999, 1000, 1001, 1500, 1999, 2000, 2001, 3000)
LONG_WAITS = (10_000, 57_000, 58_000, 59_000, 59_999, 60_000, 60_001, 61_000, 3_600_000)
HOLDS = (0, 1, 500, 999, 1000, 1500, 2000, 2999, 3000, 3001, 5000, 5001, 59_999, 60_000, 61_000)

pauses = st.sampled_from(PAUSES) | st.integers(0, 4000)
turns = st.sampled_from(TURNS)
often = st.sampled_from((1, 1, 1, 2, 8))
cards = st.sampled_from([str(card) for card in PLAYERS])
odd_cards = st.sampled_from([f"uid:{digits}" for digits in ODD_CARDS])
any_cards = cards | odd_cards
slots = st.sampled_from(SLOTS)


class Seen(NamedTuple):
    """What somebody at the table sees and hears of a box, and what its ledger says."""

    lit: bool
    field: str
    message: str
    card: int | None
    sound: str
    volume: int | None
    asleep: bool
    balances: tuple[int | None, ...]


def seen_of_box(rig: Rig) -> Seen:
    ledger = rig.ledger
    balances = tuple(ledger.balance(card) if card in ledger.cards else None for card in range(1, 9))
    assert sum(ledger.accounts.values()) == 0
    view = rig.view
    if view is None:
        return _dark(balances)
    return Seen(
        lit=True,
        field=view.field,
        message=str(view.message) if view.message else "",
        card=view.card,
        sound=rig.sound.value if rig.sound else "",
        volume=view.volume,
        asleep=rig.asleep,
        balances=balances,
    )


def seen_of_model(model: Model) -> Seen:
    balances = tuple(model.balance(card) for card in range(1, 9))
    if not model.powered:
        return _dark(balances)
    return Seen(
        lit=True,
        field=model.big_field,
        message=model.message,
        card=model.card,
        sound=model.sound,
        volume=model.volume,
        asleep=model.asleep,
        balances=balances,
    )


def _dark(balances: tuple[int | None, ...]) -> Seen:
    """Without power there are only the balances to compare."""
    return Seen(False, "", "", None, "", None, False, balances)


def differences(box: Seen, model: Seen) -> list[str]:
    return [
        f"{name}: the box has {box_has!r}, the model {model_has!r}"
        for name, box_has, model_has in zip(Seen._fields, box, model, strict=True)
        if box_has != model_has
    ]


def keys_of(amount: int, edition: Edition) -> str:
    """The keys that enter an amount, in the unit that takes the fewest."""
    return min((_in_unit(amount, letter, unit) for letter, unit in edition.units.items()), key=len)


def _in_unit(amount: int, letter: str, unit: int) -> str:
    whole, rest = divmod(amount, unit)
    decimals = str(unit + rest)[1:].rstrip("0")
    return f"{whole},{decimals}{letter}" if decimals else f"{whole}{letter}"


def other(slot: str) -> str:
    return "left" if slot == "right" else "right"


class AgainstModel(RuleBasedStateMachine):
    """Two boxes side by side and one pair of hands."""

    rig: Rig
    model: Model

    @initialize(variant=st.sampled_from(VARIANTS), stock_known=st.booleans())
    def switch_on(self, variant: Variant, stock_known: bool) -> None:
        edition, figures = load(variant.edition), EDITIONS[variant.edition]
        opening, maximum = variant.opening or figures.opening, variant.maximum or figures.maximum
        figures = figures._replace(opening=opening, maximum=maximum)
        # The text too: a box reads the edition of a game that it goes on with from that.
        text = re.sub("opening_balance = .*", f"opening_balance = {opening}", edition.source)
        text = re.sub("entry_maximum = .*", f"entry_maximum = {maximum}", text)
        edition = edition._replace(opening_balance=opening, entry_maximum=maximum, source=text)
        known = STOCK[: figures.cards] if stock_known else ()
        self.rig = Rig.new(edition, stock_known=stock_known)
        self.model = Model(figures, dict(enumerate(known, start=1)))
        self.script = [f"given edition {variant.edition}  # {variant}"]
        self.script += ["given cards none"] * (not stock_known)
        self.compare()

    # A banker's turns: cards are served, keys pressed, and some time passes

    @rule(who=turns, percent=st.integers(0, 100), times=often, then=pauses)
    def move_a_good_amount(self, who: str, percent: int, times: int, then: int) -> None:
        self.serve(who)
        edition = self.model.edition
        steps = edition.maximum * percent // 100 // edition.step
        self.press(keys_of(max(steps * edition.step, edition.minimum), edition) * times)
        self.wait(then)

    @rule(who=turns, steps=st.integers(-1, 1), room=st.booleans(), then=pauses)
    def move_to_the_brink(self, who: str, steps: int, room: bool, then: int) -> None:
        """All that the payer holds, or the payee has room for, or a step to either side."""
        self.serve(who)
        edition = self.model.edition
        balance = self.balance_in("left" if room else "right")
        amount = edition.ceiling - balance if room else balance
        self.press(keys_of(max(amount + steps * edition.step, 0), edition))
        self.wait(then)

    @rule(slot=slots, which=st.integers(0, len(LANDMARKS)))
    def move_to_a_landmark(self, slot: str, which: int) -> None:
        self.serve(slot)
        edition = self.model.edition
        ways = [abs(landmark - self.balance_in(slot)) for landmark in LANDMARKS]
        within_reach = [way for way in ways if edition.minimum <= way <= edition.maximum]
        if within_reach:
            self.press(keys_of(within_reach[which % len(within_reach)], edition))

    @precondition(lambda self: self.can_fill_a_card())
    @rule(steps=st.integers(0, 1))
    def fill_a_card(self, steps: int) -> None:
        self.serve("left")
        edition = self.model.edition
        room = edition.ceiling - self.balance_in("left")
        self.press(keys_of(room + steps * edition.step, edition))

    @precondition(lambda self: self.can_fill_a_card())
    @rule(steps=st.integers(0, 1))
    def ask_the_poor(self, steps: int) -> None:
        """One who has nothing left pays one who has no room for it."""
        self.serve("right")
        edition = self.model.edition
        self.press(keys_of(self.balance_in("right"), edition))
        self.serve("left right")
        room = edition.ceiling - self.balance_in("left")
        self.press(keys_of(room + steps * edition.step, edition))

    @rule(percent=st.integers(0, 50), duration=st.sampled_from((1999, 2000, 2001)))
    def watch_a_transfer(self, percent: int, duration: int) -> None:
        self.serve("left right")
        edition = self.model.edition
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
            self.insert(slot, f"uid:{uids[-1].hex().upper()}")

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
    def cut_the_power(self, slot: str, card: str | None, then: int) -> None:
        """Somebody may meddle with the cards meanwhile."""
        self.power(on=False)
        self.wait(then)
        if card:
            self.empty(slot)
            self.insert(slot, card)
        self.power(on=True)
        self.wait(then)

    # Both boxes look the same

    def compare(self) -> None:
        found = differences(seen_of_box(self.rig), seen_of_model(self.model))
        assert not found, "\n".join([*found, "after", *self.script])

    def balance_in(self, slot: str) -> int:
        card = self.model.seated(slot)
        return (self.model.balance(card.number) if card and card.number else None) or 0

    def can_fill_a_card(self) -> bool:
        edition = self.model.edition
        return edition.ceiling - edition.opening <= edition.maximum

    def serve(self, who: str) -> None:
        """See that those slots, and no others, hold a player's card; ANYBODY: leave them."""
        if who == ANYBODY:
            return
        for slot in SLOTS:
            if slot not in who or not self.model.seated(slot):
                self.empty(slot)
        for slot in who.split():
            if not self.model.seated(slot):
                mine = (1, 3) if slot == "left" else (2, 4)
                inside = self.model.physical.values()
                self.insert(slot, next(str(n) for n in mine if STOCK[n - 1] not in inside))

    # Hands: each works both boxes, and then has a look at them

    def insert(self, slot: str, name: str) -> None:
        uid = bytes.fromhex(name[4:]) if name.startswith("uid:") else STOCK[int(name) - 1]
        self.script.append(f"insert {slot} {name}")
        self.rig.insert(Slot(slot), uid)
        self.model.insert(slot, uid)
        self.compare()

    def empty(self, slot: str) -> None:
        """Take out the card that a slot holds, if it holds one."""
        if slot in self.model.physical:
            self.script.append(f"remove {slot}")
            self.rig.remove(Slot(slot))
            self.model.remove(slot)
            self.compare()

    def press(self, keys: str) -> None:
        if keys:
            self.script.append(f"press {keys}")
            self.rig.press(tuple(Key(key) for key in keys))
            self.model.press(keys)
            self.compare()

    def hold(self, key: str, duration: int) -> None:
        self.script.append(f"hold {key} {duration}ms")
        self.rig.hold(Key(key), duration * MILLISECOND)
        self.model.hold(key, duration)
        self.compare()

    def wait(self, duration: int) -> None:
        if duration:
            self.script.append(f"wait {duration}ms")
            self.rig.wait(duration * MILLISECOND)
            self.model.wait(duration)
            self.compare()

    def power(self, *, on: bool) -> None:
        self.script.append(f"power {'on' if on else 'off'}")
        if on:
            self.rig.power_on()
            self.model.power_on()
        else:
            self.rig.power_off()
            self.model.power_off()
        self.compare()


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
