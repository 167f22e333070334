"""The box against the model: random hands work both, and both must always look the same.

A failure prints what was done as a script, ready for ``tellerbox play``.

The examples are the same on every run. With TELLERBOX_EXAMPLES=n there are n times
as many, and they are other ones each time.
"""

import os
from typing import NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from firmware.edition import load
from hal.events import MILLISECOND, Key, Slot
from sim.rig import Rig
from sim.stock import STOCK
from tests.property.model import EDITIONS, Edition, Model

EXAMPLES = 300
STEPS = 50

RICH = 99_990_000_000
"""An opening balance that leaves little room below the ceiling [M8]."""

EDITION_NAMES = ("banking", "rich", *EDITIONS)  # the banking edition twice: it is the default

KEYS = "0123456789,MKCGF"
SLOTS = ("left", "right")

# Accepted and refused entries of every edition; each is good in one edition at least,
# or is refused for a reason of its own.
AMOUNTS = (
    *("1M", "1,5M", "20M", "2M", "150K", "1500K", "10K", "0,5M", ",5M", "12,345M", "5,456M"),
    *("500M", "50M", "7M", "2000M", "1K", "2K", "1,5K", "1,234K", "0,2K"),
    *("100K", "200K", "12,3K", "0,1K", ",1K", "0,15M", "0,1234M"),
    *("9K", "9,999K", "20,001M", "2001M", "200,1K", "0,05K", "0,15K", "1,2345M", "1,23456K"),
    *("M", "K", ",M", ",K", "0M", "0K", "0,M", "00K", "0,0M", "99999M", "123456K", "1,,5M"),
)

# What a banker types apart from amounts.
GESTURES = (
    *("C", "CC", "CCC", "G", "GG", "GC", "GCG", ",", ",,", "0", "0,", "1,5", "12345", "0,12345"),
    *("5C", "5CC", "5G", "5F", "F", "15MC", "1MCC", "50KC", "5,,C", "123456C", "MC", "MCC"),
)

# Four, seven and ten bytes, random ones, and some that look like another card.
ODD_CARDS = (
    "04A1B2C3",
    "04E5A1B2",
    "04A1B2C3D4E5F6",
    "08A1B2C3D4E5F6",
    "04A1B2C3D4E5F6A7B8C9",
    "08A1B2C3D4E5F6A7B8C9",
    "08A1B2C3",
    "08000000",
)

SHORT_WAITS = (0, 1, 500, 999, 1000, 1001, 1500, 1999, 2000, 2001, 3000)
LONG_WAITS = (10_000, 57_000, 58_000, 59_000, 59_999, 60_000, 60_001, 61_000, 3_600_000)
HOLDS = (0, 1, 500, 999, 1000, 1500, 2000, 2999, 3000, 3001, 5000, 5001, 59_999, 60_000, 61_000)


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
    """The keys that enter an amount, as far as five digits can."""
    unit = "M" if edition.plain else "K"
    whole, rest = divmod(amount, edition.units[unit])
    return f"{whole},{rest:03d}".rstrip("0").rstrip(",") + unit if rest else f"{whole}{unit}"


class AgainstModel(RuleBasedStateMachine):
    """Two boxes side by side and one pair of hands."""

    rig: Rig
    model: Model

    @initialize(name=st.sampled_from(EDITION_NAMES), stock_known=st.booleans())
    def switch_on(self, name: str, stock_known: bool) -> None:
        rich = name == "rich"
        base = "banking" if rich else name
        edition, figures = load(base), EDITIONS[base]
        if rich:  # the text too: a box reads the edition of a game it goes on with from that
            text = edition.source.replace("15_000_000", f"{RICH:_}")
            edition = edition._replace(opening_balance=RICH, source=text)
            figures = figures._replace(opening=RICH)
        known = STOCK[: figures.cards] if stock_known else ()
        self.rig = Rig.new(edition, stock_known=stock_known)
        self.model = Model(figures, dict(enumerate(known, start=1)))
        self.script = [f"given edition {name}"] + ["given cards none"] * (not stock_known)

    # Cards

    @precondition(lambda self: self.holds_no_card("left"))
    @rule(card=st.integers(1, 10))
    def insert_left(self, card: int) -> None:
        self.insert("left", str(card), STOCK[card - 1])

    @precondition(lambda self: self.holds_no_card("right"))
    @rule(card=st.integers(1, 10))
    def insert_right(self, card: int) -> None:
        self.insert("right", str(card), STOCK[card - 1])

    @precondition(lambda self: self.free_slots())
    @rule(second=st.booleans(), card=st.integers(1, 4))
    def insert_a_player(self, second: bool, card: int) -> None:
        """One of few cards, so that a card often comes back."""
        self.insert(self.free_slots()[-second], str(card), STOCK[card - 1])

    @precondition(lambda self: self.free_slots())
    @rule(second=st.booleans(), digits=st.sampled_from(ODD_CARDS))
    def insert_an_odd_card(self, second: bool, digits: str) -> None:
        self.insert(self.free_slots()[-second], f"uid:{digits}", bytes.fromhex(digits))

    @precondition(lambda self: len(self.free_slots()) == 1)
    @rule()
    def insert_the_same(self) -> None:
        (slot,) = self.free_slots()
        (uid,) = self.model.physical.values()
        self.insert(slot, f"uid:{uid.hex().upper()}", uid)

    @precondition(lambda self: not self.holds_no_card("left"))
    @rule()
    def remove_left(self) -> None:
        self.remove("left")

    @precondition(lambda self: not self.holds_no_card("right"))
    @rule()
    def remove_right(self) -> None:
        self.remove("right")

    @precondition(lambda self: len(self.free_slots()) < len(SLOTS))
    @rule(second=st.booleans())
    def take_out_and_put_back(self, second: bool) -> None:
        slot = [slot for slot in SLOTS if not self.holds_no_card(slot)][-second]
        uid = self.model.physical[slot]
        self.remove(slot)
        self.compare()
        self.insert(slot, f"uid:{uid.hex().upper()}", uid)

    # Keys

    @precondition(lambda self: self.powered())
    @rule(key=st.sampled_from(KEYS))
    def press_one(self, key: str) -> None:
        self.press(key)

    @precondition(lambda self: self.powered())
    @rule(keys=st.text(KEYS, min_size=2, max_size=8))
    def press_anything(self, keys: str) -> None:
        self.press(keys)

    @precondition(lambda self: self.powered())
    @rule(keys=st.sampled_from(GESTURES))
    def press_a_gesture(self, keys: str) -> None:
        self.press(keys)

    @precondition(lambda self: self.powered())
    @rule(keys=st.sampled_from(AMOUNTS))
    def press_an_amount(self, keys: str) -> None:
        self.press(keys)

    @precondition(lambda self: self.powered())
    @rule(keys=st.sampled_from(AMOUNTS), times=st.integers(2, 8))
    def press_an_amount_often(self, keys: str, times: int) -> None:
        self.press(keys * times)

    @precondition(lambda self: self.powered())
    @rule(card=st.integers(1, 8), steps=st.integers(-1, 1), room=st.booleans())
    def press_to_the_brink(self, card: int, steps: int, room: bool) -> None:
        """All that a card holds, or all that it has room for, or a step to either side."""
        edition = self.model.edition
        balance = self.model.balance(card) or edition.maximum
        amount = edition.ceiling - balance if room else balance
        self.press(keys_of(max(amount + steps * edition.step, 0), edition))

    @precondition(lambda self: self.powered())
    @rule(key=st.sampled_from(KEYS), duration=st.sampled_from(HOLDS))
    def hold_any(self, key: str, duration: int) -> None:
        self.hold(key, duration)

    @precondition(lambda self: self.powered())
    @rule(duration=st.sampled_from(HOLDS))
    def hold_c(self, duration: int) -> None:
        self.hold("C", duration)

    # Time and power

    @rule(duration=st.sampled_from(SHORT_WAITS) | st.integers(0, 4000))
    def wait_a_little(self, duration: int) -> None:
        self.wait(duration)

    @rule(duration=st.sampled_from(LONG_WAITS))
    def wait_long(self, duration: int) -> None:
        self.wait(duration)

    @precondition(lambda self: self.powered())
    @rule()
    def power_off(self) -> None:
        self.note("power off")
        self.rig.power_off()
        self.model.power_off()

    @precondition(lambda self: not self.powered())
    @rule()
    def power_on(self) -> None:
        self.note("power on")
        self.rig.power_on()
        self.model.power_on()

    @precondition(lambda self: self.powered())
    @rule(duration=st.sampled_from(SHORT_WAITS))
    def cut_the_power(self, duration: int) -> None:
        self.power_off()
        self.compare()
        self.wait(duration)
        self.compare()
        self.power_on()

    # Both boxes look the same

    @invariant()
    def compare(self) -> None:
        found = differences(seen_of_box(self.rig), seen_of_model(self.model))
        assert not found, "\n".join([*found, "after", *self.script])

    # Hands

    def insert(self, slot: str, name: str, uid: bytes) -> None:
        self.note(f"insert {slot} {name}")
        self.rig.insert(Slot(slot), uid)
        self.model.insert(slot, uid)

    def remove(self, slot: str) -> None:
        self.note(f"remove {slot}")
        self.rig.remove(Slot(slot))
        self.model.remove(slot)

    def press(self, keys: str) -> None:
        self.note(f"press {keys}")
        self.rig.press(tuple(Key(key) for key in keys))
        self.model.press(keys)

    def hold(self, key: str, duration: int) -> None:
        self.note(f"hold {key} {duration}ms")
        self.rig.hold(Key(key), duration * MILLISECOND)
        self.model.hold(key, duration)

    def wait(self, duration: int) -> None:
        self.note(f"wait {duration}ms")
        self.rig.wait(duration * MILLISECOND)
        self.model.wait(duration)

    def note(self, line: str) -> None:
        self.script.append(line)

    def powered(self) -> bool:
        return self.model.powered

    def holds_no_card(self, slot: str) -> bool:
        return slot not in self.model.physical

    def free_slots(self) -> list[str]:
        return [slot for slot in SLOTS if self.holds_no_card(slot)]


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
