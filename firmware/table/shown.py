"""What the screen shows: a pure function of the state of the table.

Nothing has to be done when a message has been shown long enough: at a later instant it is no
longer part of the view.
"""

from typing import NamedTuple

from firmware.bank.entry import Entry
from firmware.bank.ledger import Ledger
from firmware.bank.money import spell_out
from firmware.table.payment import Way
from firmware.table.ranking import winner, worths
from firmware.table.screen_body import ScreenBody
from firmware.table.seats import Seats
from firmware.table.transient import Transient
from hal.display.messages import Message, Text
from hal.display.view import IDLE, View, dark, ledger_error
from hal.events import Instant, Slot

LASTING = (Text.WHOLE_AMOUNT, Text.FINAL_COUNT, Text.STILL, Text.NAME)
"""Messages that show as long as a balance or a number does, or the whole final count."""
NUMBERS_LISTED = 4
"""The most card numbers that fit on the message line (F16)."""


class Shown(NamedTuple):
    """The state of the table at one instant, as far as it shows."""

    ledger: Ledger
    seats: Seats
    entry: Entry | None
    opened: ScreenBody | None
    """What F has opened."""
    asked_way: Way | None
    """Where money would go at M, in what F has opened."""
    transient: Transient
    now: Instant
    asleep: bool
    interrupted: bool
    """Whether something half done was interrupted, and not acknowledged yet (N2)."""
    count_is_over: bool
    """Whether the final count's ranking shows while the left slot is empty (F17)."""
    countdown: int | None
    """Seconds to the new game, while C is held."""
    minutes_left: int | None
    fault: Message | None
    """What is wrong with the box."""

    @property
    def view(self) -> View:
        edition, volume = self.ledger.edition.name, self.ledger.state.volume
        if self.asleep:
            return dark(volume, edition)
        if self.ledger.in_doubt:
            doubt = ledger_error()
            return doubt._replace(edition=edition, minutes_left=self.minutes_left)
        body = self._body()
        return View(
            field=body.field,
            message=self._message() or self._lasting_message(body),
            card=body.card,
            typed=body.typed,
            balance_of=self._balance_of(),
            occupants=(self.seats.occupant(Slot.LEFT), self.seats.occupant(Slot.RIGHT)),
            volume=volume,
            edition=edition,
            middle=self._middle(),
            menu=body.menu,
            table=body.table,
            minutes_left=self.minutes_left,
        )

    def _message(self) -> Message | None:
        """The message that shows whatever the big field shows."""
        if self.countdown is not None:
            return Message(Text.NEW_GAME_IN, str(self.countdown))
        notice = self.transient.notice(self.now)
        return notice.message if notice else self.seats.blocking

    def _middle(self) -> Message | None:
        """The middle of the status row: where money goes (N4); None: the edition or the time."""
        if self.seats.blocking or self.interrupted:
            return None
        if self.transient.status:
            return self.transient.status
        way = self.asked_way
        if self.opened is None:
            if self.ledger.current.counting:
                return Message(Text.COUNT)
            way = self.seats.way
        return Message(Text.WHOLE_AMOUNT, str(way)) if way else None

    def _lasting_message(self, body: ScreenBody) -> Message | None:
        """In this order: NOT DONE, a message of F, a fault of the box, other messages."""
        if self.interrupted:
            return Message(Text.NOT_DONE)
        lasting = body.message is None or body.message.text in LASTING
        return (self.fault if lasting and not body.menu else None) or body.message

    def _body(self) -> ScreenBody:
        """Everything below the status row, except for messages that pass."""
        if self.seats.blocking:
            return ScreenBody(IDLE)
        label = self._count_label() if self.ledger.current.counting else None
        if self.opened is not None and self.countdown is None:
            return self.opened
        if self.entry:
            return ScreenBody(self.entry.shown, label, typed=True)
        number = self.transient.number(self.now)
        if number is not None:
            return ScreenBody(str(number), label or self._name(number), card=number)
        return self._count_shown(label) if label else self._balance_shown()

    def _name(self, number: int) -> Message | None:
        """The name of a card, beside its number (N6)."""
        name = self.ledger.state.names.get(number)
        return Message(Text.NAME, name) if name else None

    def _count_label(self) -> Message:
        """With the left slot empty: the winner, or who has still to be counted (F16, F17)."""
        missing = self.ledger.not_counted
        if self.seats.seated(Slot.LEFT) or not self.ledger.players:
            return Message(Text.FINAL_COUNT)
        if self.count_is_over:
            return winner(self.ledger)
        more = ["+"] if len(missing) > NUMBERS_LISTED else []
        return Message(Text.STILL, " ".join([*map(str, missing[:NUMBERS_LISTED]), *more]))

    def _balance_shown(self) -> ScreenBody:
        card = self._card_shown()
        return ScreenBody(IDLE) if card is None else self._amount_shown(self.ledger.balance(card))

    def _card_shown(self) -> int | None:
        """The card whose balance or worth shows, if nothing covers it."""
        left, seat = self.seats.seated(Slot.LEFT), self.seats.payer_or_only
        if self.ledger.current.counting:
            return left.card if left else None
        return self.transient.payee(self.now) or (seat.card if seat else None)

    def _balance_of(self) -> int | None:
        """The card whose badge is filled, while there are two (N5)."""
        return self._card_shown() if len(self.seats.all_seated()) == 2 else None

    def _count_shown(self, label: Message) -> ScreenBody:
        """The left card's worth, or at the end all worths (F16, F17)."""
        left = self.seats.seated(Slot.LEFT)
        if left:
            worth = self.ledger.balance(left.card) + self.ledger.current.added(left.card)
            return self._amount_shown(worth, label)
        if self.count_is_over:
            return ScreenBody(message=label, table=worths(self.ledger))
        return ScreenBody(IDLE, label)

    def _amount_shown(self, amount: int, message: Message | None = None) -> ScreenBody:
        """An amount; if it had to be cut, the message line shows the whole of it (M3)."""
        written = self.ledger.edition.units.write(amount)
        whole = None if written.exact else Message(Text.WHOLE_AMOUNT, spell_out(amount))
        return ScreenBody(written.text, whole or message)
