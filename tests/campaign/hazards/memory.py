"""What a banker remembers of the screens before.

Some hazards show only in their history: digits were half typed, and are gone without a word; a
refusal was shown, and is gone. What is done next is then meant for a screen that no longer exists.
"""

from hal.display.sounds import Sound
from hal.display.view import View
from hal.events import SECOND, Key, Slot
from tests.campaign.hazards.reach import Reach
from tests.campaign.hazards.sight import (
    HALF_DONE,
    LEDGER_ERROR,
    NOT_DONE,
    Sight,
    cards_of,
    described,
    is_covered,
    is_refusal,
    message_of,
    sight_of,
)
from tests.campaign.hazards.step import Step, What

EMPTY_FOR = 1 * SECOND
SHORT_C = 1 * SECOND


class Memory:
    """Updated after every step."""

    def __init__(self, *, strict: bool = False) -> None:
        """A strict memory also keeps what the rules let pass on a box without cards [N2, D39]."""
        self._strict = strict
        self._silent = False
        """Whether no error sounded when something half done ended."""
        self.owed = ""
        """What was half done, and has ended without the banker's doing or acknowledgement."""
        self.lost_refusal = ""
        """The refusal that is gone although no key was pressed and no card moved."""
        self.reach = Reach()
        self._covered: View | None = None
        self._physical = dict.fromkeys(Slot, False)
        self._readers_away: set[Slot] = set()
        self._empty_for = 0

    def uncovered(self, view: View) -> View:
        """The screen without a message that covers for a while what the key is meant for."""
        before = self._covered
        if before is None or view.status != before.status or view.typed != before.typed:
            return view
        typed_again = sight_of(before) is Sight.TYPED_FOR_F and (
            is_refusal(view) or is_covered(view)
        )
        if typed_again or (is_covered(view) and view.field == before.field):
            return view._replace(message=before.message)
        return view

    # Updates

    def update(self, step: Step) -> None:
        """Remember what has happened."""
        if step.what is What.POWER:
            self._restart()
        self._note_slots(step)
        if step.what in (What.CARD_IN, What.CARD_OUT) and step.slot in self._readers_away:
            step = step._replace(slot=None)  # the box does not notice it
        self._note_half_done(step)
        self._note_refusal(step)
        self.reach.update(step)
        if self.uncovered(step.after) == step.after:
            self._covered = step.after

    def _restart(self) -> None:
        self.owed = self.lost_refusal = ""
        self._covered = None

    def _note_slots(self, step: Step) -> None:
        if step.slot:
            if step.what in (What.CARD_IN, What.CARD_OUT):
                self._physical[step.slot] = step.what is What.CARD_IN
            if step.what is What.READER_LOST:
                self._readers_away.add(step.slot)
            self._readers_away -= {step.slot} if step.what is What.READER_BACK else set()
        empty = not any(self._physical.values()) or (
            step.before.lit
            and step.after.lit
            and not any(cards_of(step.after))
            and sight_of(step.after) is not Sight.BLOCKED
        )
        self._empty_for = self._empty_for + step.elapsed if empty else 0
        if self._readers_away:
            self._empty_for = 0

    def _note_half_done(self, step: Step) -> None:
        if self._acknowledges(step):
            self.owed = ""
        if step.what is What.POWER or step.starts_game:
            self.owed = ""
            return
        before = self.uncovered(step.before)
        was, is_now = sight_of(before), sight_of(self.uncovered(step.after))
        ended = was in HALF_DONE and is_now not in HALF_DONE and not is_covered(step.after)
        silent = Sound.ERROR not in step.sounds
        if step.elapsed and self._is_empty(silent=silent):
            return  # both slots were empty for a second, perhaps since the interruption
        if ended and not self._by_banker(step):
            self.owed, self._silent = described(before), silent
        elif self._swallowed(step, was, is_now):
            self.owed = f"the key {step.key.value if step.key else ''} at {described(before)}"
            self._silent = True

    def _acknowledges(self, step: Step) -> bool:
        """Whether the banker has seen that something was not done [N2]."""
        if self._is_empty(silent=self._silent):
            return True
        if sight_of(step.before) in (Sight.DARK, Sight.LEDGER_ERROR, Sight.BLOCKED):
            return False
        if step.key is Key.FUNCTION:
            return step.after.menu is not None
        return step.key is Key.CANCEL and step.held is not None and step.held < SHORT_C

    def _is_empty(self, *, silent: bool) -> bool:
        """Whether empty slots acknowledge; in a strict memory, only what the banker has heard."""
        return self._empty_for >= EMPTY_FOR and not (self._strict and silent)

    def _by_banker(self, step: Step) -> bool:
        """Whether a key has ended what was half done, or was refused with a message."""
        if step.key is None:
            # M was held long enough.
            return bool(step.postings)
        if step.key in (Key.CANCEL, Key.FUNCTION) or Sound.ERROR not in step.sounds:
            return True
        if step.key in (Key.MILLIONS, Key.THOUSANDS) and message_of(step.after) == LEDGER_ERROR:
            return True
        return is_refusal(step.after) and message_of(step.after) != NOT_DONE

    def _swallowed(self, step: Step, was: Sight, is_now: Sight) -> bool:
        """True if a key that should have begun something did nothing, without the error sound."""
        begins = step.key is not None and (
            step.key.is_digit or step.key in (Key.COMMA, Key.FUNCTION)
        )
        says_so = Sound.ERROR in step.sounds or is_now is Sight.BLOCKED
        if not begins or says_so or is_now in HALF_DONE:
            return False
        if was is Sight.DARK and self._strict:
            return True
        return was in (Sight.DARK, Sight.CARD_IN) and any(cards_of(step.after))

    def _note_refusal(self, step: Step) -> None:
        if step.key or step.slot or not step.after.lit:
            self.lost_refusal = ""
        elif is_refusal(step.before) and not is_refusal(step.after) and not is_covered(step.after):
            # Empty slots acknowledge, and NOT DONE is gone (N2).
            by_rule = message_of(step.before) == NOT_DONE and not self._strict
            self.lost_refusal = "" if by_rule else message_of(step.before)
