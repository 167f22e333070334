"""What somebody at the table sees, in the naive model: worked out from scratch at each look."""

from dataclasses import dataclass

from sim.storm.model.figures import IDLE, entry_text, in_full, is_cut, written
from sim.storm.model.memory import MINUTE
from sim.storm.model.model import LONG_C, SECOND, SHORT_C, Model
from sim.storm.model.opened import Opened, Pages, Table


@dataclass
class Look:
    """At a box, now."""

    box: Model

    @property
    def big_field(self) -> str:
        if self.box.asleep:
            return ""
        if self.box.in_doubt or self.box.refused():
            return IDLE
        if self.box.card is not None:
            return str(self.box.card)
        if self.on_view:
            return self.on_view.big_field()
        if self.box.entry:
            return entry_text(self.box.entry)
        shown = self._balance_shown()
        return IDLE if shown is None else written(shown, self.box.books.edition)

    @property
    def message(self) -> str:
        if self.box.asleep:
            return ""
        if self.box.in_doubt:
            return "LEDGER ERROR"
        if self.countdown:
            return f"NEW GAME IN {self.countdown}"
        if self.box.passing and self.box.now < self.box.passing.until:
            return self.box.passing.text
        if self.box.refused():
            return self.box.refused()[-1].refusal
        if self.on_view:
            said = self.on_view.message()
            return said if self.on_view.insists() else self._trouble() or said
        if self._trouble() or self.box.card is not None or self.box.entry:
            return self._trouble()
        shown = self._balance_shown()
        return "" if shown is None or not is_cut(shown, self.box.books.edition) else in_full(shown)

    def _trouble(self) -> str:
        """What is wrong with the box, where nothing else has to be said [D6]."""
        return next(
            (f"{slot} reader".upper() for slot in ("left", "right") if slot in self.box.away), ""
        )

    @property
    def countdown(self) -> int:
        """Seconds until a new game begins, once C is no longer a short one [D13]."""
        held = 0 if self.box.c_down_since is None else self.box.now - self.box.c_down_since
        return -(-(LONG_C - held) // SECOND) if held >= SHORT_C else 0

    @property
    def on_view(self) -> Opened | None:
        """What shows; a countdown shows in place of what F has opened [D23]."""
        return self.box.count if self.countdown else self.box.on_top

    @property
    def menu(self) -> Pages:
        return self.on_view.pages() if self.on_view and not self.box.asleep else []

    @property
    def page(self) -> int:
        return self.on_view.page if self.on_view and not self.box.asleep else 0

    @property
    def table(self) -> Table:
        hidden = self.box.asleep or self.box.refused() or self.box.card is not None
        return self.on_view.table() if self.on_view and not hidden else []

    def minutes_left(self, after: int = 0) -> int | None:
        """What the clock of a game shows [F22], or will after some milliseconds."""
        if self.box.asleep or not self.box.books.game.kind.minutes:
            return None
        return -(-max(self.box.time_left() - after, 0) // MINUTE)

    def _balance_shown(self) -> int | None:
        """The payer's balance, then the payee's; else the right card's, or the left's [S3]."""
        if self.box.payee_shown and self.box.now >= self.box.payee_shown.since:
            return self.box.books.holds(self.box.payee_shown.account)
        card = self.box.seated("right") or self.box.seated("left")
        return self.box.books.holds(card.account) if card and card.account else None

    def tenant(self, slot: str) -> str:
        """What the status row says of a slot."""
        card = self.box.seated(slot)
        if card and not self.box.asleep:
            return str(card.number)
        refused = any(other.slot == slot for other in self.box.refused())
        return "refused" if refused and not self.box.asleep else "empty"
