"""The people's hands at a box: cards, keys and time, on whatever board it stands."""

from collections.abc import Mapping

from hal.events import SECOND, Key, Slot
from hal.sounds import Sound
from sim.stand import Stand

TURN = 13 * SECOND
"""Six hundred of them, and thirty pauses, are an evening of three hours."""
PAUSE = 90 * SECOND
NEW_GAME = 4 * SECOND


class Hands:
    """A counter where everything is done by hand, and every sound listened to."""

    def __init__(
        self, stand: Stand, cards: Mapping[int, bytes] | None = None, turn: int = TURN
    ) -> None:
        self._stand = stand
        self._uids = dict(cards or {})
        self._turn = turn

    def salary(self, card: int) -> None:
        self._put(Slot.LEFT, card)
        self._press("G", Sound.OK)

    def pay_again(self) -> None:
        """The amount of the last move, with the card that is in (AGAIN)."""
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
        self._press("F8" + "G" * moves_back + "MM", Sound.UNDO)

    def turn_over(self) -> None:
        self._stand.pass_time(self._turn)
        for slot in Slot:
            if self._stand.holds(slot):
                self._stand.take(slot)

    def pause(self) -> None:
        self._stand.pass_time(PAUSE)
        assert self._stand.asleep, "the box did not sleep"
        # A comma would only wake it; so does this, and any card.
        self._press("K", None)

    def new_game(self) -> None:
        self._stand.played.clear()
        self._stand.hold(Key.CANCEL, NEW_GAME)
        self._must_have_sounded("C", Sound.NEW_GAME)

    def clock_game(self) -> None:
        self._press("F03999M", Sound.KEY)
        self.new_game()

    def go_back(self) -> None:
        self._press("F06M", Sound.UNDO)

    def forget(self, card: int) -> None:
        self._press(f"F05{card}M", Sound.UNDO)
        del self._uids[card]

    def bring(self, card: int, uid: bytes) -> None:
        self._uids[card] = uid
        self._put(Slot.LEFT, card)
        self._must_have_sounded("a new card", Sound.CARD)
        shown = self._stand.view
        number = shown.card if shown else None
        assert number == card, f"the new card did not become card {card} but {number}"
        self.turn_over()

    def louder(self) -> None:
        self._press(",", Sound.VOLUME)

    def _put(self, slot: Slot, card: int) -> None:
        self._stand.played.clear()
        self._stand.put(slot, self._uids[card])

    def _press(self, keys: str, heard: Sound | None) -> None:
        for letter in keys:
            self._stand.played.clear()
            self._stand.hold(Key(letter), 0)
        self._must_have_sounded(keys, heard)

    def _must_have_sounded(self, what: str, wanted: Sound | None) -> None:
        heard = self._stand.played[-1:]
        assert heard == ([wanted] if wanted else []), f"{what} sounded {heard}, not {wanted}"
