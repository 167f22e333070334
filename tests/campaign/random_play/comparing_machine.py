"""Operates the box and the model side by side, and compares what they show.

A difference is reported as a script for ``tellerbox play``. A comment on its first line names
changes to the edition's figures, which a script cannot make.
"""

import re
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize

from firmware.bank.edition import load
from firmware.bank.house_rules import HouseRules
from hal.events import MILLISECOND, Key, Slot
from sim.board.fault import KeyStuck, ReaderDead
from sim.board.harness import Harness
from sim.board.software_harness import SoftwareHarness
from sim.board.stock import STOCK
from sim.script.language import Script
from sim.script.player import begin
from tests.campaign.storm.model.figures import EDITIONS, Edition
from tests.campaign.storm.model.ledger import ModelLedger
from tests.campaign.storm.model.model import Model
from tests.campaign.storm.observation import (
    SLOTS,
    differences,
    observe_box,
    observe_model,
    summary_of_ledger,
)
from tests.campaign.storm.player_profiles import NAMES

# Slots that must hold a player's card: leave them as they are, or none.
UNCHANGED = "unchanged"
EMPTY = ""


class Variant(NamedTuple):
    """An edition, perhaps with another opening balance and entry limit."""

    edition: str
    opening: int | None = None
    maximum: int | None = None

    @property
    def figures(self) -> Edition:
        usual = EDITIONS[self.edition]
        opening, maximum = self.opening or usual.opening, self.maximum or usual.maximum
        return usual._replace(opening=opening, maximum=maximum)


# Changed figures bring limits within reach: a card is soon full [M8], shows in another unit [M2,
# M10], or is poor while another one is full [M9].
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

# House rules: a pot [F23], and no undo by the history [F14].
HOUSES = (
    *(HouseRules(), HouseRules(pot=True), HouseRules(pot=True)),
    *(HouseRules(strict_undo=True), HouseRules(pot=True, strict_undo=True)),
)


class ComparingMachine(RuleBasedStateMachine):
    """The box and the model, operated side by side."""

    harness: Harness
    model: Model

    @initialize(
        variant=st.sampled_from(VARIANTS),
        stock_known=st.booleans(),
        house=st.sampled_from(HOUSES),
        names=st.dictionaries(st.integers(1, 4), st.sampled_from(NAMES)),
    )
    def switch_on(
        self, variant: Variant, stock_known: bool, house: HouseRules, names: dict[int, str]
    ) -> None:
        edition, figures = load(variant.edition), variant.figures
        opening, maximum = figures.opening, figures.maximum
        # The text too: a box reads the edition of a resumed game from it.
        text = re.sub("opening_balance = .*", f"opening_balance = {opening}", edition.source)
        text = re.sub("entry_maximum = .*", f"entry_maximum = {maximum}", text)
        edition = edition._replace(opening_balance=opening, entry_maximum=maximum, source=text)
        known = STOCK[: figures.cards] if stock_known else ()
        names = names if stock_known else {}
        script = Script("", edition, stock_known, house, names, steps=(), lines=())
        self.harness = begin(SoftwareHarness(), script)
        self.model = Model(ModelLedger.new(figures, known, names), house.pot, house.strict_undo)
        self.script = [f"given edition {variant.edition}  # {variant}"]
        self.script += ["given cards none"] * (not stock_known)
        self.script += ["given pot true"] * house.pot
        self.script += ["given undo rulebook"] * house.strict_undo
        self.script += [f"given name {number} {name}" for number, name in names.items()]
        self.compare()

    # Comparison

    def compare(self) -> None:
        harness = self.harness
        box = observe_box(
            harness.view, harness.sound, harness.asleep, summary_of_ledger(harness.ledger)
        )
        found = differences(box, observe_model(self.model))
        assert not found, "\n".join([*found, "after", *self.script])

    def balance_in(self, slot: str) -> int:
        card = self.model.seated(slot)
        return (self.model.ledger.balance(card.number) if card and card.number else None) or 0

    def seat(self, occupied: str) -> None:
        """Make these slots, and no others, hold a player's card, with nothing left half done."""
        if occupied == UNCHANGED:
            return
        self.finish()
        for slot in SLOTS:
            if slot not in occupied or not self.model.seated(slot):
                self.empty(slot)
        for slot in occupied.split():
            if not self.model.seated(slot):
                self.insert(slot, self.acceptable_card(slot))
        self.finish()

    def finish(self) -> None:
        """Leave what is half done, and acknowledge what was interrupted [N1, N2]."""
        for _ in range(3):
            if (self.model.half_done or self.model.not_done) and not self.model.refused():
                self.press("C")

    def acceptable_card(self, slot: str) -> str:
        """A card that is not refused, if there is one: odd for left, even for right."""
        mine = range(1 if slot == "left" else 2, len(STOCK) + 1, 2)
        others = [card for card in mine if STOCK[card - 1] not in self.model.physical.values()]
        good = [card for card in others if not self.model.why_refused(STOCK[card - 1])]
        return str([*good, *others][0])

    def power_cycle(self, slot: str, card: str | None, then: int) -> None:
        """Cut the power and restore it; perhaps insert a card meanwhile."""
        self.power(on=False)
        self.wait(then)
        if card:
            self.empty(slot)
            self.insert(slot, card)
        self.power(on=True)
        self.wait(then)

    # Inputs, on both sides, followed by a comparison

    def insert(self, slot: str, name: str) -> None:
        uid = bytes.fromhex(name[4:]) if name.startswith("uid:") else STOCK[int(name) - 1]
        self.script.append(f"insert {slot} {name}")
        self.harness.insert(Slot(slot), uid)
        self.model.insert(slot, uid)
        self.compare()

    def empty(self, slot: str) -> None:
        """Remove the card from a slot, if there is one."""
        if slot in self.model.physical:
            self.script.append(f"remove {slot}")
            self.harness.remove(Slot(slot))
            self.model.remove(slot)
            self.compare()

    def press(self, keys: str) -> None:
        if keys:
            self.script.append(f"press {keys}")
            self.harness.press(tuple(Key(key) for key in keys))
            self.model.press(keys)
            self.compare()

    def hold(self, key: str, duration: int) -> None:
        self.script.append(f"hold {key} {duration}ms")
        self.harness.hold(Key(key), duration * MILLISECOND)
        self.model.hold(key, duration)
        self.compare()

    def wait(self, duration: int) -> None:
        if duration:
            self.script.append(f"wait {duration}ms")
            self.harness.wait(duration * MILLISECOND)
            self.model.wait(duration)
            self.compare()

    def lose_reader(self, slot: str) -> None:
        self.script.append(f"fault reader {slot}")
        self.harness.cause(ReaderDead(Slot(slot)))
        self.model.lose_reader(slot)
        self.compare()

    def restore_reader(self, slot: str) -> None:
        self.script.append(f"mend reader {slot}")
        self.harness.mend(ReaderDead(Slot(slot)))
        self.model.restore_reader(slot)
        self.compare()

    def key_down(self, key: str) -> None:
        """Press a key and keep it down, while other things happen."""
        self.script.append(f"fault key {key}")
        self.harness.cause(KeyStuck(Key(key)))
        self.model.stick_key(key)
        self.compare()

    def key_up(self, key: str) -> None:
        self.script.append(f"mend key {key}")
        self.harness.mend(KeyStuck(Key(key)))
        self.model.free_key(key)
        self.compare()

    def power(self, *, on: bool) -> None:
        self.script.append(f"power {'on' if on else 'off'}")
        if on:
            self.harness.power_on()
            self.model.power_on()
        else:
            self.harness.power_off()
            self.model.power_off()
        self.compare()
