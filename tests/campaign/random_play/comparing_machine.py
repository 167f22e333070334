"""A pair of hands that works the box and the model, side by side, and compares what they show.

A difference is told as a script for ``tellerbox play``; where the edition's figures were
changed, which no script can do, a comment on its first line says so.
"""

import re
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize

from firmware.edition import load
from firmware.house import House
from hal.events import MILLISECOND, Key, Slot
from sim.rig import Rig
from sim.stock import STOCK
from sim.storm.model.books import Books
from sim.storm.model.figures import EDITIONS, Edition
from sim.storm.model.model import Model
from sim.storm.seen import SLOTS, books_of_ledger, differences, seen_of_box, seen_of_model

# Whose turn it is, by the slots that hold a player's card then.
ANYBODY = "anybody"
NOBODY = ""


class Variant(NamedTuple):
    """An edition, perhaps with another opening balance and another limit for entries."""

    edition: str
    opening: int | None = None
    maximum: int | None = None

    @property
    def figures(self) -> Edition:
        usual = EDITIONS[self.edition]
        opening, maximum = self.opening or usual.opening, self.maximum or usual.maximum
        return usual._replace(opening=opening, maximum=maximum)


# The changed ones bring limits within reach: a card is soon full [M8], or shows in
# another unit [M2, M10], or is poor while another one is full [M9].
VARIANTS = (
    *(Variant(name) for name in EDITIONS),
    Variant("banking"),
    Variant("duel-masters"),
    Variant("banking", opening=99_990_000_000, maximum=99_999_000_000),
    Variant("banking", opening=123_450_000),
    Variant("europe", opening=99_998_000, maximum=99_999_000),
    Variant("europe", opening=99_999),
    Variant("disney", opening=100_000),
    Variant("france98", opening=999_900),
)

# The house rules of a box: a pot [F23], and no history that takes back [F14].
HOUSES = (
    *(House(), House(pot=True), House(pot=True)),
    *(House(strict_undo=True), House(pot=True, strict_undo=True)),
)


class Hands(RuleBasedStateMachine):
    """Two boxes side by side and one pair of hands."""

    rig: Rig
    model: Model

    @initialize(
        variant=st.sampled_from(VARIANTS), stock_known=st.booleans(), house=st.sampled_from(HOUSES)
    )
    def switch_on(self, variant: Variant, stock_known: bool, house: House) -> None:
        edition, figures = load(variant.edition), variant.figures
        opening, maximum = figures.opening, figures.maximum
        # The text too: a box reads the edition of a game that it goes on with from that.
        text = re.sub("opening_balance = .*", f"opening_balance = {opening}", edition.source)
        text = re.sub("entry_maximum = .*", f"entry_maximum = {maximum}", text)
        edition = edition._replace(opening_balance=opening, entry_maximum=maximum, source=text)
        known = STOCK[: figures.cards] if stock_known else ()
        self.rig = Rig.new(edition, stock_known=stock_known, house=house)
        self.model = Model(Books.opened(figures, known), house.pot, house.strict_undo)
        self.script = [f"given edition {variant.edition}  # {variant}"]
        self.script += ["given cards none"] * (not stock_known)
        self.script += ["given pot true"] * house.pot
        self.script += ["given undo rulebook"] * house.strict_undo
        self.compare()

    # Both boxes look the same

    def compare(self) -> None:
        rig = self.rig
        box = seen_of_box(rig.view, rig.sound, rig.asleep, books_of_ledger(rig.ledger))
        found = differences(box, seen_of_model(self.model))
        assert not found, "\n".join([*found, "after", *self.script])

    def balance_in(self, slot: str) -> int:
        card = self.model.seated(slot)
        return (self.model.books.balance(card.number) if card and card.number else None) or 0

    def serve(self, who: str) -> None:
        """See that those slots, and no others, hold a player's card; ANYBODY: leave them."""
        if who == ANYBODY:
            return
        for slot in SLOTS:
            if slot not in who or not self.model.seated(slot):
                self.empty(slot)
        for slot in who.split():
            if not self.model.seated(slot):
                self.insert(slot, self.welcome(slot))

    def welcome(self, slot: str) -> str:
        """A card that is not refused, if there is one: an odd one left, an even one right."""
        mine = range(1 if slot == "left" else 2, len(STOCK) + 1, 2)
        others = [card for card in mine if STOCK[card - 1] not in self.model.physical.values()]
        good = [card for card in others if not self.model.why_refused(STOCK[card - 1])]
        return str([*good, *others][0])

    def cut_the_power(self, slot: str, card: str | None, then: int) -> None:
        """Somebody may meddle with the cards meanwhile."""
        self.power(on=False)
        self.wait(then)
        if card:
            self.empty(slot)
            self.insert(slot, card)
        self.power(on=True)
        self.wait(then)

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
