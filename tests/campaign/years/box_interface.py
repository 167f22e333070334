"""Operates a box by cards, keys and time, and checks its sounds."""

from collections.abc import Mapping

from hal.display.sounds import Sound
from hal.events import SECOND, Key, Slot
from sim.board.harness import Harness

TURN = 13 * SECOND
"""600 turns and 30 pauses take three hours."""
PAUSE = 90 * SECOND
NEW_GAME = 4 * SECOND


class BoxInterface:
    """Implements BankInterface on a box."""

    def __init__(
        self, harness: Harness, cards: Mapping[int, bytes] | None = None, turn: int = TURN
    ) -> None:
        self._harness = harness
        self._uids = dict(cards or {})
        self._turn = turn

    def salary(self, card: int) -> None:
        self._put(Slot.LEFT, card)
        self._press("G", Sound.OK)

    def pay_again(self) -> None:
        """Repeat the amount of the last move with the inserted card (AGAIN)."""
        self._press("F7M", Sound.OK)

    def fine(self, card: int) -> None:
        self._put(Slot.RIGHT, card)
        self._press("F5M", Sound.OK)

    def pay(self, payer: int, payee: int, thousands: int) -> None:
        self._put(Slot.RIGHT, payer)
        if payee:
            self._put(Slot.LEFT, payee)
        self._press(f"{thousands}K", Sound.OK)

    def take_back(self) -> None:
        self._press("C", Sound.UNDO)

    def take_back_older(self, moves_back: int) -> None:
        """HISTORY also lists the moves that were taken back."""
        self._press("F8", Sound.KEY)
        while moves_back or self._shows_undone:
            moves_back -= not self._shows_undone
            self._press("G", Sound.KEY)
        self._press("MM", Sound.UNDO)

    @property
    def _shows_undone(self) -> bool:
        view = self._harness.view
        return view is not None and view.said.endswith("UNDONE")

    def end_turn(self) -> None:
        self._harness.wait(self._turn)
        for slot in Slot:
            if self._harness.occupied(slot):
                self._harness.remove(slot)

    def pause(self) -> None:
        self._harness.wait(PAUSE)
        assert self._harness.asleep, "the box did not sleep"
        # This key only wakes the box.
        self._press("K", Sound.KEY)

    def new_game(self) -> None:
        self._harness.played.clear()
        self._harness.hold(Key.CANCEL, NEW_GAME)
        self._check_sound("C", Sound.NEW_GAME)

    def clock_game(self) -> None:
        self._press("F03999M", Sound.KEY)
        self.new_game()

    def go_back(self) -> None:
        self._press("F06M", Sound.UNDO)

    def forget(self, card: int) -> None:
        self._press(f"F05{card}MM", Sound.UNDO)
        del self._uids[card]

    def add_card(self, card: int, uid: bytes) -> None:
        self._uids[card] = uid
        self._put(Slot.LEFT, card)
        self._check_sound("a new card", Sound.CARD)
        shown = self._harness.view
        number = shown.card if shown else None
        assert number == card, f"the new card became card {number}, not {card}"
        self.end_turn()

    def change_volume(self) -> None:
        self._press(",", Sound.VOLUME)

    def _put(self, slot: Slot, card: int) -> None:
        self._harness.played.clear()
        self._harness.insert(slot, self._uids[card])

    def _press(self, keys: str, sounds: Sound | None) -> None:
        for letter in keys:
            self._harness.played.clear()
            self._harness.hold(Key(letter), 0)
        self._check_sound(keys, sounds)

    def _check_sound(self, what: str, wanted: Sound | None) -> None:
        sounds = self._harness.played[-1:]
        assert sounds == ([wanted] if wanted else []), f"{what}: sounds {sounds}, not {wanted}"
