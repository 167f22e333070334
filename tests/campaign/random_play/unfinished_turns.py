"""Random play with what is half done: it is interrupted, and the banker must acknowledge that."""

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.campaign.random_play.choices import any_cards, occupied_slots, slots
from tests.campaign.random_play.comparing_machine import EMPTY
from tests.campaign.random_play.f_turns import FTurns, picks
from tests.campaign.storm.observation import SLOTS
from tests.campaign.storm.player_profiles import AFTER_INTERRUPTION, HALF_DONE, STRAY_KEYS

TAKE_OUT = "take out"
PUT_IN = "put in"
LOSE = "lose the reader"
SLEEP = "sleep"
DISTURBANCES = (TAKE_OUT, TAKE_OUT, PUT_IN, PUT_IN, LOSE, SLEEP)

# Around the second after which empty slots acknowledge, and the times at which lists close.
SOON = (0, 0, 1, 500, 999, 1_000, 1_001, 1_999, 2_000, 14_999, 15_000, 59_999, 60_000)
HOLDS_OF_M = (0, 1, 999, 1_000, 1_000, 1_001, 1_500, 60_000)

half_done = st.sampled_from(HALF_DONE)
pauses = st.sampled_from(SOON)


class UnfinishedTurns(FTurns):
    """Actions that leave something half done."""

    @rule(
        occupied=occupied_slots,
        keys=half_done,
        what=st.sampled_from(DISTURBANCES),
        slot=slots,
        card=any_cards,
        then=pauses,
        after=st.sampled_from(AFTER_INTERRUPTION),
    )
    def disturb(
        self, occupied: str, keys: str, what: str, slot: str, card: str, then: int, after: str
    ) -> None:
        """Something happens while something is half done [N3]."""
        self.seat(occupied)
        self.wait_and_press(0, keys)
        if what == PUT_IN and slot not in self.model.physical:
            self.insert(slot, card)
        elif what == LOSE:
            self.lose_reader(slot)
        elif what == SLEEP:
            self.wait(60_000)
        elif what == TAKE_OUT:
            self.empty(slot)
        self.wait_and_press(then, after)
        if what == LOSE:
            self.restore_reader(slot)
            self.wait_and_press(0, after)

    @rule(
        occupied=st.sampled_from(("left", "right", "left right")),
        keys=st.sampled_from((*HALF_DONE, "F2,", "F0,")),
        between=pauses,
        waits=st.tuples(st.sampled_from((0, 1, 998, 999, 1_000)), st.sampled_from((0, 1, 2))),
        keys_between=st.sampled_from(("", "5", "M", "K", "G", ",", "C", "F", "5C")),
        after=st.sampled_from(AFTER_INTERRUPTION),
    )
    def empty_both_slots(
        self,
        occupied: str,
        keys: str,
        between: int,
        waits: tuple[int, int],
        keys_between: str,
        after: str,
    ) -> None:
        """Both slots are empty for about a second, which acknowledges [N2]."""
        self.seat(occupied)
        self.press(keys)
        for slot in SLOTS:
            self.empty(slot)
            self.wait(between if slot == "left" else 0)
        self.wait(waits[0])
        self.press(keys_between)
        self.wait_and_press(waits[1], after)
        self.seat(occupied)
        self.press(after)

    @rule(
        typed=st.sampled_from(("5", "1,5", "0", ",")),
        then=st.sampled_from((0, 1_999, 2_000, 15_000)),
        keys=st.lists(st.sampled_from("GCC5MF"), min_size=1, max_size=4),
    )
    def press_go_over_an_entry(self, typed: str, then: int, keys: list[str]) -> None:
        """G is refused until the entry is cleared, for which a short C is enough [S7]."""
        self.seat("left")
        self.leave_count()
        self.press(typed)
        self.press("G")
        self.wait(then)
        for key in keys:
            self.press(key)

    @rule(
        occupied=occupied_slots,
        first=st.sampled_from("5,,GFCMK"),
        keys=st.sampled_from((*STRAY_KEYS, *AFTER_INTERRUPTION)),
        then=pauses,
        not_done=st.booleans(),
    )
    def press_on_a_sleeping_box(
        self, occupied: str, first: str, keys: str, then: int, not_done: bool
    ) -> None:
        """The first key wakes, and perhaps does more [P2]."""
        self.seat(occupied)
        self.press("5" if not_done else "")
        self.wait(60_000)
        self.press(first)
        self.wait_and_press(then, keys)

    @rule(
        both=st.booleans(),
        held=st.sampled_from(HOLDS_OF_M),
        again=st.sampled_from(HOLDS_OF_M),
        before=st.sampled_from(("", "", "K", "G", "5", ",")),
        after=st.sampled_from(AFTER_INTERRUPTION),
    )
    def hold_m_for_a_bankruptcy(
        self, both: bool, held: int, again: int, before: str, after: str
    ) -> None:
        self.seat("left right" if both else "right")
        if self.choose_entry("BANKRUPT"):
            self.press(before)
            self.hold("M", held)
            self.hold("M", again)
            self.press(after)

    @rule(
        held=st.sampled_from((0, 999, 1_000)),
        what=st.sampled_from(("C", "5", "K", "F", "left", "right", "")),
        then=st.sampled_from((0, 1, 999, 1_000)),
        other_card=any_cards,
    )
    def disturb_the_hold_of_m(self, held: int, what: str, then: int, other_card: str) -> None:
        """Another key or a card while M is held [F5]."""
        self.seat("right")
        if self.choose_entry("BANKRUPT"):
            self.key_down("M")
            self.wait(held)
            if what == "left":
                self.insert(what, other_card)
            elif what == "right":
                self.empty(what)
            else:
                self.press(what)
            self.wait(then)
            self.key_up("M")

    @rule(
        occupied=occupied_slots,
        before=st.sampled_from(("", "5", "5G", "F", "F8", "F6", "G", "G5M", "1M", "M", "F2,")),
        first=st.sampled_from((0, 500, 998)),
        slot=slots,
        card=any_cards,
        then=st.sampled_from((0, 1, 2, 500)),
    )
    def disturb_a_short_c(
        self, occupied: str, before: str, first: int, slot: str, card: str, then: int
    ) -> None:
        """A card moves while C is down; C does what it meant when it was pressed, or nothing."""
        self.seat(occupied)
        self.press(before)
        self.key_down("C")
        self.wait(first)
        if slot in self.model.physical:
            self.empty(slot)
        else:
            self.insert(slot, card)
        self.wait(then)
        self.key_up("C")
        self.press("C")

    @rule(
        first=any_cards,
        second=any_cards,
        moves=st.lists(st.sampled_from(("", "", "G", "1M", "10K", "5")), min_size=3, max_size=3),
        back=st.integers(1, 5),
        leaves=st.booleans(),
    )
    def take_back_moves_and_numbers(
        self, first: str, second: str, moves: list[str], back: int, leaves: bool
    ) -> None:
        """One order for both [C2]; a card with a new number may have left."""
        self.seat(EMPTY)
        self.insert("left", first)
        self.press(moves[0])
        self.finish_entry()
        self.insert("right", second)
        self.press(moves[1])
        if leaves:
            self.empty("right")
        self.press(moves[2])
        self.finish_entry()
        self.press("C" * back)

    @rule(occupied=occupied_slots, slot=slots, card=any_cards, keys=st.sampled_from(("F", "FF")))
    def change_cards_below_a_list(self, occupied: str, slot: str, card: str, keys: str) -> None:
        """What a list offers is computed anew [N3]."""
        self.seat(occupied)
        self.press(keys)
        for _ in range(2):
            if slot in self.model.physical:
                self.empty(slot)
            else:
                self.insert(slot, card)
        self.press("1")

    @rule(pick=picks, occupied=occupied_slots, then=pauses, slot=slots)
    def leave_an_entry_open(self, pick: int, occupied: str, then: int, slot: str) -> None:
        """Any entry of F stays open while time passes and a card is taken out."""
        self.seat(occupied)
        self.choose_any_entry(pick)
        self.wait(then)
        self.empty(slot)
        self.wait(then)

    def wait_and_press(self, duration: int, keys: str) -> None:
        self.wait(duration)
        self.press(keys)

    def finish_entry(self) -> None:
        if self.model.entry and not self.model.refused():
            self.press("C")
