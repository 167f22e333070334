"""The screen of the naive model, computed anew at each look."""

from dataclasses import dataclass

from tests.campaign.storm.model.dialog import Dialog, Pages, Table
from tests.campaign.storm.model.figures import IDLE, entry_text, format_amount, in_full, is_cut
from tests.campaign.storm.model.memory import MINUTE, way
from tests.campaign.storm.model.model import LONG_C, NOT_DONE, SECOND, SHORT_C, Model


@dataclass
class Screen:
    """The screen of a box, now."""

    box: Model

    @property
    def big_field(self) -> str:
        if self.box.asleep:
            return ""
        if self.box.in_doubt or self.box.refused():
            return IDLE
        if self.box.card is not None:
            return str(self.box.card)
        if self.dialog_shown:
            return self.dialog_shown.big_field()
        if self.box.entry:
            return entry_text(self.box.entry)
        shown = self._balance_shown()
        return IDLE if shown is None else format_amount(shown, self.box.ledger.edition)

    @property
    def message(self) -> str:
        if self.box.asleep:
            return ""
        if self.box.in_doubt:
            return "LEDGER ERROR"
        if self.countdown:
            return f"NEW GAME IN {self.countdown}"
        if self.box.message_now:
            return self.box.message_now.text
        if self.box.refused():
            return self.box.refused()[-1].refusal
        if self.box.not_done:
            return NOT_DONE  # [N2]
        if self.dialog_shown:
            text = self.dialog_shown.message()
            return text if self.dialog_shown.outranks_faults() else self._fault_message() or text
        if self._fault_message() or self.box.entry:
            return self._fault_message()
        if self.box.card is not None and self.box.number_shown:
            return self.box.number_shown.name  # [N6]
        shown = self._balance_shown()
        return "" if shown is None or not is_cut(shown, self.box.ledger.edition) else in_full(shown)

    def _fault_message(self) -> str:
        """The message about a lost reader, if nothing else needs the line [D6]."""
        return next(
            (
                f"{slot} reader".upper()
                for slot in ("left", "right")
                if slot in self.box.lost_readers
            ),
            "",
        )

    @property
    def countdown(self) -> int:
        """Seconds until a new game, once C is held longer than a short press [D13]."""
        held = 0 if self.box.c_down_since is None else self.box.now - self.box.c_down_since
        return -(-(LONG_C - held) // SECOND) if held >= SHORT_C else 0

    @property
    def dialog_shown(self) -> Dialog | None:
        """The dialog that shows; a countdown replaces what F opened [D23]."""
        return self.box.count if self.countdown else self.box.on_top

    @property
    def status(self) -> str:
        """The middle of the status row [N4]."""
        box = self.box
        if box.asleep or not box.powered:
            return ""
        if box.in_doubt or box.refused() or box.not_done:
            return self._edition_or_minutes()
        if box.dialog:
            return box.dialog.way or self._edition_or_minutes()
        if box.status_shown:
            return box.status_shown
        if box.count:
            return "COUNT"
        if box.any_seated():
            return way(*box.payer_and_payee())
        return self._edition_or_minutes()

    def _edition_or_minutes(self) -> str:
        minutes = self.minutes_left()
        return self.box.ledger.edition.name if minutes is None else f"{minutes} MIN"

    @property
    def menu(self) -> Pages:
        return self.dialog_shown.pages() if self.dialog_shown and not self.box.asleep else []

    @property
    def page(self) -> int:
        return self.dialog_shown.page if self.dialog_shown and not self.box.asleep else 0

    @property
    def table(self) -> Table:
        hidden = self.box.asleep or self.box.refused() or self.box.card is not None
        return self.dialog_shown.table() if self.dialog_shown and not hidden else []

    def minutes_left(self, after: int = 0) -> int | None:
        """The minutes on the game clock [F22], optionally some milliseconds later."""
        if self.box.asleep or not self.box.ledger.game.kind.minutes:
            return None
        return -(-max(self.box.time_left() - after, 0) // MINUTE)

    def _balance_shown(self) -> int | None:
        """The payer's balance, then the payee's; otherwise the right card's, or the left's [S3]."""
        if self.box.balance_shown and self.box.now >= self.box.balance_shown.since:
            return self.box.ledger.holds(self.box.balance_shown.account)
        card = self.box.seated("right") or self.box.seated("left")
        return self.box.ledger.holds(card.account) if card and card.account else None

    def occupant(self, slot: str) -> str:
        """The status row's text for a slot."""
        card = self.box.seated(slot)
        if card and not self.box.asleep:
            return str(card.number)
        refused = any(other.slot == slot for other in self.box.refused())
        return "refused" if refused and not self.box.asleep else "empty"
