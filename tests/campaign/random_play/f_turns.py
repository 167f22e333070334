"""Random play with the F key; each action makes one of its rules likely."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.campaign.random_play.choices import (
    HOLDS,
    LONG_WAITS,
    NEW_GAME,
    POWER_CUT,
    any_cards,
    occupied_slots,
    pauses,
    slots,
)
from tests.campaign.random_play.comparing_machine import EMPTY, UNCHANGED, ComparingMachine
from tests.campaign.storm.model import fkey
from tests.campaign.storm.observation import SLOTS
from tests.campaign.storm.player_profiles import (
    AFTER_ENTRY,
    AMOUNTS,
    F_ENTRIES,
    HISTORY_KEYS,
    KEY_SEQUENCES,
    KEYS,
    NEXT_GAME_KEYS,
    STRAY_KEYS,
    TYPED_ENTRIES,
    UNDO_KEYS,
    VALID_DICE,
    keys_of,
    name_of,
)

DICE = ("1", "2", "12", "13", "23", "24", "25", "0", "", "1,2", "7,", "123456")

# Keys pressed in whatever F opened.
IN_F = "0123456789,MKGGF"

# Keys that open the menu and its entries.
MENU_KEYS = ("F", "5F", "FF", "FFF", "F8", "F9", "F0", "F2F", "F21")

AGES = (999, 1_000, 59_999, 60_000, 119_999, 3_599_999, 3_600_000, 7_200_000)

CLOCKS = ("1", "1", "2", "3")
FORGOTTEN = ("1", "2", "3", "4", "6", "8", "9", "02", "", "0", "1,K", "123456")

# The instants at which lists close and the box sleeps, and minutes of a game against the clock end.
F_WAITS = (15_000, 14_999, 15_000, 14_999, 15_001, 7_000, 1_000, 0, 59_999, 60_000, 45_000)
CLOCK_WAITS = (
    *(1, 999, 1_000, 2_000, 29_999, 30_000, 44_999, 45_000, 56_999, 57_000, 57_001),
    *(59_998, 59_999, 60_000, 60_001, 119_999, 120_000, 180_000),
)
IN_A_MINUTE = (
    *("", "", "5", "F", "F9", "F9M", "F9M5", "F06M", "F031"),
    *(NEW_GAME, POWER_CUT, POWER_CUT),
)

SLEEP = "sleep"
IN_COUNT = (
    *("", "", "C", "F", "F9M", "1M", "F02", "F8M", "F053M", "F053MMC", "F052MM", "F06M", "right"),
    *("MM", "M", "CF9M", "CF9MMM", SLEEP, POWER_CUT),
)
COUNTED = (
    *("", "", "G", "5", "1M", "1,5M", "150K", "20M", "M", "100M,", "1M1MC", "1M2MCC", "C", "1MCCC"),
    *("99999M", "99998M", "5C", "1M5CC"),
)
# Keys with both slots empty: M asks, a second one ends the count.
ENDING = (
    "",
    "M",
    "MM",
    "MM",
    "MMM",
    "MMC",
    "MC",
    "MCM",
    "MG",
    "M5M",
    "M,M",
    "MFCM",
    "MMCF9M",
    "MK",
)
AFTER_FORGETTING = ("C", "C", "CC", "", "5C", "GC", "FCC", "MC")
BETWEEN_THE_TWO = ("", "", "", SLEEP, POWER_CUT, NEW_GAME, "in", "out", "lose")
AFTER_TAKING_BACK = (
    "C",
    "C",
    "C",
    "CC",
    "CCC",
    "",
    "5C",
    "GC",
    "F8MMC",
    "F8MM",
    "F8MMF8MM",
    "F7MC",
)

f_entries = st.sampled_from(F_ENTRIES)
picks = st.integers(0, 11)


class FTurns(ComparingMachine):
    """Actions with the F key."""

    @rule(turn=st.lists(st.tuples(f_entries, st.integers(0, 100)), min_size=1, max_size=4))
    def use_f_entries(self, turn: list[tuple[tuple[str, str], int]]) -> None:
        """Use entries that move money, with the cards that they need."""
        for (name, occupied), percent in turn:
            self.seat(occupied)
            if self.choose_entry(name):
                self.type_valid(name, percent)
                self.confirm(name)
                self.wait(2000 * (percent % 2))

    @precondition(lambda self: self.model.has_pot)
    @rule(percent=st.integers(0, 50), after=st.sampled_from(("", "C", "CC", "F8GMM", "F8GGMM")))
    def play_for_the_pot(self, percent: int, after: str) -> None:
        """Fines, a tax and money of the bank go into the pot, and all of it comes out [F23]."""
        into = (("FINE", "right"), ("FINE", "left right"), ("POT", "right"), ("POT", EMPTY))
        for name, occupied in (into[percent % 4], into[percent // 4 % 4], ("POT", "left")):
            self.seat(occupied)
            if self.choose_entry(name):
                self.type_valid(name, percent)
                self.press("M")
        self.press(after)

    @precondition(lambda self: self.model.ledger.edition.fights)
    @rule(percent=st.integers(0, 15), after=st.sampled_from(("", "C", "F7M", "F8M")))
    def lose_a_fight(self, percent: int, after: str) -> None:
        self.seat("left right")
        if self.choose_entry("FIGHT LOST"):
            self.type_valid("FIGHT LOST", percent)
            self.press("M")
            self.press(after)

    def type_valid(self, name: str, percent: int) -> None:
        """Type a valid amount if the entry needs one."""
        edition = self.model.ledger.edition
        if name == "UTILITY":
            self.press(VALID_DICE[percent % len(VALID_DICE)] + "MK"[percent % 2])
        elif self.is_typed(name):
            most = min(edition.maximum, self.balance_in("right") or edition.maximum)
            steps = most * percent // 100 // edition.step
            self.press(keys_of(max(steps * edition.step, edition.minimum), edition))

    @rule(
        service=f_entries,
        keys=st.sampled_from(AMOUNTS),
        after=st.sampled_from(AFTER_ENTRY),
        then=pauses,
    )
    def misuse_f_entry(self, service: tuple[str, str], keys: str, after: str, then: int) -> None:
        """Use an entry with invalid amounts and keys."""
        name, occupied = service
        self.seat(occupied)
        if self.choose_entry(name):
            self.press(keys if self.is_typed(name) else "")
            self.press(after)
            self.wait(then)

    @rule(
        name=st.sampled_from(("SELL", *sorted(TYPED_ENTRIES))),
        steps=st.sampled_from((0, 0, -1, 1)),
        most=st.booleans(),
    )
    def use_f_at_the_limits(self, name: str, steps: int, most: bool) -> None:
        """The lowest and highest amounts; half of the lowest may be nothing [F4]."""
        edition = self.model.ledger.edition
        limit = edition.maximum if most else edition.minimum
        self.seat("right" if name == "POT" else "left right")
        if self.choose_entry(name):
            self.press(keys_of(limit + steps * edition.step, edition))
            self.press("M")

    @rule(
        dice=st.sampled_from(DICE), unit=st.sampled_from("MK"), after=st.sampled_from(AFTER_ENTRY)
    )
    def enter_dice(self, dice: str, unit: str, after: str) -> None:
        self.seat("left right")
        if self.choose_entry("UTILITY"):
            self.press(dice + unit)
            self.press(after)

    @rule(occupied=occupied_slots, pick=picks, keys=st.text(IN_F, max_size=6), then=pauses)
    def press_anything_in_f(self, occupied: str, pick: int, keys: str, then: int) -> None:
        self.seat(occupied)
        self.choose_any_entry(pick)
        self.press(keys)
        self.wait(then)

    @rule(
        occupied=occupied_slots,
        asleep=st.booleans(),
        digit=st.sampled_from("123456789,"),
        keys=st.sampled_from(STRAY_KEYS),
    )
    def press_stray_keys(self, occupied: str, asleep: bool, digit: str, keys: str) -> None:
        """Press keys meant for an entry that is not offered [N2]."""
        self.seat(occupied)
        self.wait(60_000 * asleep)
        self.press(f"F{digit}")
        self.press(keys)

    @rule(occupied=occupied_slots, keys=st.sampled_from(MENU_KEYS), then=st.sampled_from(F_WAITS))
    def look_at_the_menu(self, occupied: str, keys: str, then: int) -> None:
        self.seat(occupied)
        self.press(keys)
        self.wait(then)

    @rule(
        occupied=occupied_slots,
        pick=picks,
        key=st.sampled_from(KEYS),
        held=st.sampled_from(HOLDS),
        first=st.sampled_from(F_WAITS),
        then=st.sampled_from(F_WAITS),
    )
    def let_f_time_out(
        self, occupied: str, pick: int, key: str, held: int, first: int, then: int
    ) -> None:
        """A list closes fifteen seconds after the last key, a question stays [N3]."""
        self.seat(occupied)
        self.choose_any_entry(pick)
        self.wait(first)
        self.hold(key, held)
        self.wait(then)

    @rule(occupied=occupied_slots, pick=picks, slot=slots, card=any_cards, cut=st.booleans())
    def disturb_open_f(self, occupied: str, pick: int, slot: str, card: str, cut: bool) -> None:
        self.seat(occupied)
        self.choose_any_entry(pick)
        if cut:
            self.power_cycle(slot, None, 0)
        elif slot in self.model.physical:
            self.empty(slot)
        else:
            self.insert(slot, card)

    # History

    @rule(
        occupied=occupied_slots,
        walk=st.sampled_from(HISTORY_KEYS),
        back=st.integers(0, 6),
        after=st.sampled_from(UNDO_KEYS),
        then=pauses,
    )
    def walk_through_history(
        self, occupied: str, walk: str, back: int, after: str, then: int
    ) -> None:
        self.seat(occupied)
        if self.choose_entry("HISTORY"):
            self.press(walk)
            self.press("G" * back + after)
            self.wait(then)

    @rule(age=st.sampled_from(AGES), then=st.sampled_from((1, 999)))
    def check_move_age(self, age: int, then: int) -> None:
        """At the instants at which seconds become minutes, and minutes hours."""
        moves = fkey.history(self.model)
        if moves:
            self.wait(max(moves[0].when + age - self.model.now, 0))
            if self.choose_entry("HISTORY"):
                self.wait(then)
                self.press("G")

    @rule(
        before=st.sampled_from(("", "G", "1M", "10K", "5K", "1MC", "G1M", "F5M", "F71M")),
        occupied=occupied_slots,
        back=st.integers(0, 3),
        change=st.sampled_from(("", "", "left", "right", "left right", EMPTY)),
        between=st.sampled_from(BETWEEN_THE_TWO),
        after=st.sampled_from(AFTER_TAKING_BACK),
    )
    def make_a_move_again(
        self, before: str, occupied: str, back: int, change: str, between: str, after: str
    ) -> None:
        """HISTORY takes a move back; C, or HISTORY once more, makes it again [C5, F13, D44]."""
        self.seat(occupied)
        self.leave_count()
        self.press(before)
        if change:
            self.seat(change)
        if self.choose_entry("HISTORY"):
            self.press("G" * back + "MM")
            self.disturb_between(between)
            self.press(after)

    @rule(
        both=st.booleans(), before=st.booleans(), back=st.integers(0, 3), out=st.sampled_from("012")
    )
    def make_a_bankrupts_move_again(self, both: bool, before: bool, back: int, out: str) -> None:
        """Never a bankruptcy, and never a move with a player who is out [C5]."""
        self.seat("left right" if both else "right")
        self.leave_count()
        self.press("10K")
        if before and self.choose_entry("HISTORY"):
            self.press("MM")
        if self.choose_entry("BANKRUPT"):
            self.confirm("BANKRUPT")
            if out == "1" and self.choose_entry("HISTORY"):
                self.press("MMC")
            elif out == "2":
                self.press("C")
            if self.choose_entry("HISTORY"):
                self.press("G" * back + "MM")
                self.press("C")

    # Bankruptcies

    @rule(
        both=st.booleans(),
        after=st.sampled_from(("", "", "C", "G", "1M", "F8MM", NEW_GAME, POWER_CUT)),
        then=st.sampled_from(("", "", "F8MM", NEW_GAME)),
    )
    def go_bankrupt(self, both: bool, after: str, then: str) -> None:
        """Go bankrupt and insert the card again [F5]."""
        self.seat("left right" if both else "right")
        if self.choose_entry("BANKRUPT"):
            uid = self.model.physical["right"]
            self.confirm("BANKRUPT")
            self.perform(after)
            self.empty("right")
            self.insert("right", name_of(uid))
            self.perform(then)

    @rule(
        percent=st.integers(1, 100), both=st.booleans(), out=st.booleans(), back=st.integers(0, 2)
    )
    def give_back_to_a_bankrupt(self, percent: int, both: bool, out: bool, back: int) -> None:
        """A move before a bankruptcy is not taken back [F13]."""
        self.seat("left right" if both else "right")
        self.leave_count()
        edition = self.model.ledger.edition
        steps = self.balance_in("right") * percent // 100 // edition.step
        self.press(keys_of(steps * edition.step, edition))
        if self.choose_entry("BANKRUPT"):
            self.confirm("BANKRUPT")
            if out:
                self.empty("right")
            if self.choose_entry("HISTORY"):
                self.press("G" * back + "MM")

    @rule(
        edition=st.sampled_from(("", "", "F042", "F041")),
        kind=st.sampled_from("221"),
        players=st.integers(0, 4),
        ways=st.lists(st.sampled_from(("right", "left right")), min_size=1, max_size=4),
        forgotten=st.booleans(),
    )
    def play_a_fast_game(
        self, edition: str, kind: str, players: int, ways: list[str], forgotten: bool
    ) -> None:
        """Play until enough players are bankrupt, or one is left [F21, F25]."""
        self.leave_count()
        self.seat(EMPTY)
        self.press(self.wake_keys() + edition)
        if self.choose_entry("GAME"):
            self.press(kind)
            self.hold("C", 3000)
            for card in range(1, 1 + players):
                self.insert("left", str(card))
                self.press("G" if card % 4 else "")
                self.empty("left")
            for way in ways:
                self.seat(way)
                if self.choose_entry("BANKRUPT"):
                    self.confirm("BANKRUPT")
                if forgotten:
                    self.forget_a_card_that_is_in("right", UNCHANGED)
                self.empty("right")

    # Games

    @rule(keys=st.sampled_from(NEXT_GAME_KEYS), begin=st.booleans(), cut=st.booleans())
    def choose_the_next_game(self, keys: str, begin: bool, cut: bool) -> None:
        if self.choose_entry("GAME"):
            self.press(keys)
            if cut:
                self.power_cycle("left", None, 1000)
            if begin:
                self.hold("C", 3000)

    @rule(
        digit=st.sampled_from("1123445"),
        occupied=occupied_slots,
        high=st.booleans(),
        back=st.booleans(),
    )
    def play_another_edition(self, digit: str, occupied: str, high: bool, back: bool) -> None:
        """Perhaps with a card whose number only some editions have [F18]."""
        if self.choose_entry("GAME"):
            self.press(f"4{digit}")
            self.seat(occupied)
            if high:
                self.change_left("7")
            self.hold("C", 3000)
            if back and self.choose_entry("GAME"):
                self.press("6M")

    @precondition(lambda self: self.model.ledger.before)
    @rule(
        occupied=occupied_slots,
        after=st.sampled_from(("M", "M", "M", "M", "C", "K", "5", "F")),
        then=pauses,
    )
    def go_back_to_the_game_before(self, occupied: str, after: str, then: int) -> None:
        self.seat(occupied)
        if self.choose_entry("GAME"):
            self.press(f"6{after}")
            self.wait(then)

    @rule(
        occupied=occupied_slots,
        number=st.sampled_from(FORGOTTEN),
        confirm=st.sampled_from(("M", "M", "", "C", "3M", ",", "K", "G", "F", "2M5MM")),
        after=st.sampled_from(KEY_SEQUENCES),
    )
    def forget_a_card(self, occupied: str, number: str, confirm: str, after: str) -> None:
        self.seat(occupied)
        if self.choose_entry("GAME"):
            self.press(f"5{number}M")
            self.press(confirm)
            self.press(after)

    @rule(
        rounds=st.lists(st.sampled_from(("", "G", "GC", "1M")), min_size=1, max_size=4),
        back=st.integers(1, 4),
    )
    def go_back_repeatedly(self, rounds: list[str], back: int) -> None:
        """Only to games in which money moved, the one played last first [F20]."""
        for keys in rounds:
            self.press(self.wake_keys())
            self.hold("C", 3000)
            self.seat("left")
            self.press(keys)
        for _ in range(back):
            if self.model.ledger.before and self.choose_entry("GAME"):
                self.press("6M")

    @rule(slot=slots, occupied=st.sampled_from(("left", "right", "left right", UNCHANGED)))
    def forget_a_card_that_is_in(self, slot: str, occupied: str) -> None:
        self.seat(occupied)
        card = self.model.seated(slot)
        if card and self.choose_entry("GAME"):
            self.press(f"5{card.number}MM")
            self.press("C")

    @rule(
        occupied=occupied_slots,
        before=st.sampled_from(("", "G", "1M", "F9M", "F9M1M")),
        number=st.sampled_from("1123"),
        between=st.sampled_from(BETWEEN_THE_TWO),
        after=st.sampled_from(AFTER_FORGETTING),
    )
    def forget_by_mistake(
        self, occupied: str, before: str, number: str, between: str, after: str
    ) -> None:
        """C right after forgetting restores the card, if nothing came between [F19, D46]."""
        self.seat(occupied)
        self.press(before)
        if self.choose_entry("GAME"):
            self.press(f"5{number}MM")
            self.disturb_between(between)
            self.press(self.wake_keys() + after)

    @rule(
        before=st.sampled_from(("", "G", "1M", "F1")),
        after=st.sampled_from(("", "G", "C", "CC", "F8MMC", "F8MM")),
        slot=slots,
        again=st.booleans(),
        bankrupt=st.booleans(),
    )
    def take_over_an_account(
        self, before: str, after: str, slot: str, again: bool, bankrupt: bool
    ) -> None:
        """A card is forgotten in one game; another card takes its number in the other [S10]."""
        self.seat("right" if bankrupt else "left")
        self.leave_count()
        side = "right" if bankrupt else "left"
        self.press(before)
        if bankrupt and self.choose_entry("BANKRUPT"):
            self.confirm("BANKRUPT")
        card = self.model.seated(side)
        number = card.number if card else 1
        self.finish()
        self.hold("C", 3000)
        if self.choose_entry("GAME"):
            self.press(f"5{number}MM")
        if again:
            self.empty(side)
            self.insert(side, "10")
        if self.model.ledger.before and self.choose_entry("GAME"):
            self.press("6M")
        self.empty(slot)
        self.insert(slot, "9")
        self.press(after)

    def disturb_between(self, what: str) -> None:
        """Something between a key and the C that would undo it."""
        if what == "in":
            slot = "left" if "left" not in self.model.physical else "right"
            if slot not in self.model.physical:
                self.insert(slot, self.acceptable_card(slot))
        elif what == "out":
            for slot in [*self.model.physical][:1]:
                self.empty(slot)
        elif what == "lose":
            if not self.model.lost_readers:
                self.lose_reader("left")
                self.restore_reader("left")
        else:
            self.perform(what)

    @rule(
        minutes=st.sampled_from(CLOCKS),
        waits=st.lists(st.sampled_from(CLOCK_WAITS), min_size=1, max_size=4),
        meanwhile=st.sampled_from(IN_A_MINUTE),
    )
    def play_against_the_clock(self, minutes: str, waits: list[int], meanwhile: str) -> None:
        """Play until the time is up or the power is cut [F22]."""
        if self.choose_entry("GAME"):
            self.press(f"3{minutes}M")
            self.hold("C", 3000)
            for wait in waits:
                self.wait(wait)
                self.perform(meanwhile)

    @rule(waits=st.tuples(*[st.sampled_from(CLOCK_WAITS)] * 3), cuts=st.integers(0, 3))
    def play_another_game_meanwhile(self, waits: tuple[int, ...], cuts: int) -> None:
        """The clock stands still meanwhile, and the power may be cut in either game [F22]."""
        if not self.model.time_left() and self.choose_entry("GAME"):
            self.press("33M")
            self.hold("C", 3000)
        self.wait(waits[0])
        self.press(self.wake_keys() + "G")
        self.press(self.wake_keys())
        self.hold("C", 3000)
        self.wait(waits[1])
        if cuts in (1, 3):
            self.power_cycle("left", None, 0)
        if self.model.ledger.before and self.choose_entry("GAME"):
            self.press("6M")
            self.wait(waits[2])
            if cuts in (2, 3):
                self.power_cycle("left", None, 0)
            self.wait(max(self.model.time_left() - 1, 0))
            self.wait(1)

    @precondition(lambda self: self.model.time_left())
    @rule(key=st.sampled_from("5CCFM"), held=st.sampled_from(HOLDS), early=st.integers(0, 3001))
    def hold_a_key_when_the_time_is_over(self, key: str, held: int, early: int) -> None:
        self.wait(max(self.model.time_left() - early, 0))
        self.hold(key, held)

    @precondition(lambda self: self.model.time_left())
    @rule(
        occupied=occupied_slots,
        keys=st.sampled_from(("", "5", "5", "F", "F1", "F21", "F6", "F5", "F9", "F8M", "F0", "1M")),
        late=st.integers(-1, 1),
        then=st.sampled_from((0, 0, 1_999, 2_000, 4_999, 5_000, 50_000, 60_000)),
        after=st.sampled_from(("", "C", "M", "5", "F", ",", "MM", "left", "right", NEW_GAME)),
    )
    def work_until_the_time_is_over(
        self, occupied: str, keys: str, late: int, then: int, after: str
    ) -> None:
        """With unfinished input, for which the count waits."""
        self.wait(max(self.model.time_left() - 10_000, 0))
        self.seat(occupied)
        self.press(keys)
        self.wait(self.model.time_left() + late)
        self.wait(then)
        if after in SLOTS:
            self.empty(after)
        else:
            self.perform(after)

    # Final count

    @rule(
        amounts=st.lists(st.sampled_from(COUNTED), max_size=4),
        meanwhile=st.sampled_from(IN_COUNT),
        when=st.integers(0, 3),
        play_first=st.integers(0, 5),
    )
    def count_everybody(
        self, amounts: list[str], meanwhile: str, when: int, play_first: int
    ) -> None:
        """Count from the first player to the winner [F16, F17]."""
        self.let_cards_play(play_first)
        self.open_count()
        for turn, account in enumerate(self.model.ledger.players()):
            self.empty("left")
            card = self.model.ledger.known.get(account.number)
            if card and card.uid not in self.model.physical.values():
                self.insert("left", name_of(card.uid))
                self.press(amounts[turn] if turn < len(amounts) else "")
            if turn == when:
                self.perform(meanwhile)
        self.empty("left")

    @rule(
        players=st.integers(0, 6),
        counted=st.lists(st.sampled_from(COUNTED), max_size=3),
        right=st.booleans(),
        wait=st.sampled_from((0, 0, 0, 2_000, 60_000)),
        ending=st.sampled_from(ENDING),
        then=st.sampled_from(("", "", "left", "right", POWER_CUT, SLEEP, "MM", "F9M", "F051MMC")),
    )
    def end_the_count(
        self, players: int, counted: list[str], right: bool, wait: int, ending: str, then: str
    ) -> None:
        """M ends the count as it stands, before all have been counted [F16, F17]."""
        self.let_cards_play(players)
        self.open_count()
        for amounts in counted:
            self.change_left(self.acceptable_card("left"))
            self.press(amounts)
        self.seat("right" if right else EMPTY)
        self.wait(wait)
        self.press(ending)
        if then in SLOTS:
            self.empty(then)
            self.insert(then, self.acceptable_card(then))
        else:
            self.perform(then)

    @rule(
        first=st.sampled_from(COUNTED),
        rent=st.sampled_from(("1M", "150K", "1MC", "G", "")),
        occupied=st.sampled_from(("left", "right", "left right")),
        again=st.sampled_from(COUNTED),
    )
    def pay_after_the_count(self, first: str, rent: str, occupied: str, again: str) -> None:
        """A late rent changes two worths, and the amounts stay [F16]."""
        self.let_cards_play(2)
        self.open_count()
        self.seat("left")
        self.press(first)
        self.leave_count()
        self.seat(occupied)
        self.press(rent)
        self.seat("left")
        self.open_count()
        self.press(again)

    def let_cards_play(self, players: int) -> None:
        """Money moves with some cards, so that they are players [F16]."""
        if players and not self.model.count:
            self.leave_count()
            for card in range(1, 1 + players):
                self.finish()
                self.change_left(str(card))
                self.press("G")
            self.seat(EMPTY)

    @rule(
        occupied=occupied_slots,
        keys=st.text("0125,MKGC", max_size=6),
        wait=st.sampled_from(LONG_WAITS),
    )
    def work_in_the_count(self, occupied: str, keys: str, wait: int) -> None:
        self.open_count()
        self.seat(occupied)
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
        """What was counted is still there [F16]."""
        self.open_count()
        self.seat("left")
        mine = name_of(self.model.physical["left"])
        self.press(first)
        if other:
            self.change_left(self.acceptable_card("right"))
            self.press(other)
            self.change_left(mine)
            self.open_count()
        self.press(second)
        if out:
            self.empty("left")
        self.power_cycle("left", card, 0)
        self.open_count()
        self.change_left(mine)

    def change_left(self, card: str) -> None:
        self.empty("left")
        self.insert("left", card)

    # Helpers

    def perform(self, action: str) -> None:
        if action == NEW_GAME:
            self.hold("C", 3000)
        elif action == POWER_CUT:
            self.power_cycle("left", None, 0)
        elif action == SLEEP:
            self.wait(60_000)
        elif action == "right":
            self.seat("right")
        else:
            self.press(action)

    def open_count(self) -> None:
        if not self.model.count and self.choose_entry("COUNT"):
            self.press("M")

    def unblock(self) -> None:
        for card in self.model.refused():
            self.empty(card.slot)

    def leave_count(self) -> None:
        """With a card in the left slot, C would take amounts back [F16]."""
        self.unblock()
        left = self.model.seated("left") if self.model.count else None
        if left:
            self.empty("left")
        while self.model.count:
            self.press("C")
        if left:
            self.insert("left", name_of(left.uid))

    def confirm(self, name: str) -> None:
        """A bankruptcy needs M held for a second [F5]."""
        if name == "BANKRUPT":
            self.hold("M", 1000)
        else:
            self.press("M")

    def is_typed(self, name: str) -> bool:
        return name in TYPED_ENTRIES and not (name == "POT" and self.model.seated("left"))

    def choose_entry(self, name: str) -> bool:
        """Press F and the digit of an entry; False if it is not offered."""
        self.unblock()
        if name not in fkey.IN_COUNT:
            self.leave_count()
        pages = fkey.FList(self.model).pages()
        for page, entries in enumerate(pages):
            for digit, entry in entries.items():
                if entry == name:
                    self.press(self.wake_keys() + "F" * self.presses_to(page, len(pages)) + digit)
                    return True
        return False

    def choose_any_entry(self, pick: int) -> None:
        """Choose one of the entries that are offered."""
        names = [name for page in fkey.FList(self.model).pages() for name in page.values()]
        self.choose_entry(names[pick % len(names)])

    def wake_keys(self) -> str:
        return "C" if self.model.asleep else ""

    def presses_to(self, page: int, pages: int) -> int:
        """How often F must be pressed until a page shows."""
        opened = self.model.dialog
        return (page - opened.page) % pages if isinstance(opened, fkey.FList) else 1 + page
