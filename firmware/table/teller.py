"""The teller: carries out what the players ask of the bank; answers with a sound and a message.

It knows which card is in which slot, and which moves C can take back. It knows neither the time
nor what the screen shows. A write that fails raises ``JournalFailed``, which the box reports.

Tests: tests/unit/firmware/table/test_box.py.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from firmware.bank.edition import Edition
from firmware.bank.ledger import Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, UNDO_LIMIT, JournalFailed, Kind, Posting
from firmware.bank.refusals import Refusal
from firmware.table.captions import caption
from firmware.table.payment import Pay
from firmware.table.seats import Forgotten, RefusedCard, Seated, Seats, Vacant
from firmware.table.transient import NoticeKind
from hal.display.messages import Message, Text
from hal.display.sounds import LOUDEST, Sound
from hal.events import Slot

if TYPE_CHECKING:
    from firmware.table.menu import menu


class Reply(NamedTuple):
    """What the players hear and read."""

    sound: Sound
    message: Message | None = None
    kind: NoticeKind = NoticeKind.NEWS
    status: Message | None = None
    """What has just moved (N4)."""
    shown: int | None = None
    """The card whose balance shows after the payer's (S3), or in its place."""
    shown_at_once: bool = False
    other_game: bool = False
    """Whether another game is played from now on."""


def refused(message: Message | Text) -> Reply:
    message = Message(message) if isinstance(message, Text) else message
    return Reply(Sound.ERROR, message, NoticeKind.REFUSAL)


class Move(NamedTuple):
    """A posting of this game that C can take back as long as its visits last."""

    posting: Posting
    visits: frozenset[int]


class NewNumber(NamedTuple):
    """A new card took a number, which C can take back in the same visit (S10)."""

    visit: int
    number: int


class Teller:
    """The bank at the table."""

    def __init__(self, ledger: Ledger, next_edition: Edition) -> None:
        self._ledger = ledger
        self._next_edition = next_edition
        self.seats = Seats()
        self._newest: list[Move | NewNumber] = []
        """What C can reach, since the start of the box or the game, the newest last (C2)."""
        counting = ledger.current.counting
        self._interrupted = ledger.current.last_counted if counting else None
        """The card that was being counted at a power cut, or when its reader was lost.

        If it is the next one in, its count goes on."""

    # Cards

    def card_in(self, slot: Slot, uid: bytes) -> Reply:
        """Seat a card or refuse it. A card that was in the slot has left."""
        self.card_out(slot)
        if self.seats.holds(slot.other, uid):
            return self.refuse_card(slot, uid, Text.SAME_CARD)
        return self._seat_known(slot, uid) or self._admit(slot, uid)

    def _seat_known(self, slot: Slot, uid: bytes) -> Reply | None:
        """Seat a card that has a number in this edition; None for other cards."""
        number = self._ledger.number_of(uid)
        if number is None:
            return None
        return self._seat(slot, Seated(self.seats.next_visit(), uid, number))

    def _admit(self, slot: Slot, uid: bytes) -> Reply:
        """Give an unknown card a number, if one is free (S10)."""
        other = self.seats.seated(slot.other)
        try:
            admission = self._ledger.admit(uid, elsewhere=other.card if other else None)
        except JournalFailed:
            return self.refuse_card(slot, uid, Text.ERROR)
        if admission is None:
            return self.refuse_card(slot, uid, Text.UNKNOWN_CARD)
        new = not admission.replaces
        seat = Seated(self.seats.next_visit(), uid, admission.number, is_new=new)
        message = Message(Text.NEW_CARD if new else Text.REPLACED)
        if new:
            self._remember(NewNumber(seat.visit, seat.card))
        return self._seat(slot, seat, message)

    @property
    def newest(self) -> Move | NewNumber | None:
        """What C would take back, if nothing stands against it."""
        return self._newest[-1] if self._newest else None

    def _remember(self, newest: Move | NewNumber) -> None:
        self._newest = [*self._newest[1 - UNDO_LIMIT :], newest]

    def _seat(self, slot: Slot, seat: Seated, message: Message | None = None) -> Reply:
        if seat.card in self._ledger.current.out:
            return self.refuse_card(slot, seat.uid, Text.OUT)
        self.seats.put(slot, seat)
        self._join(slot, seat.card)
        return Reply(Sound.CARD, message)

    def refuse_card(self, slot: Slot, uid: bytes | None, text: Text) -> Reply:
        """A refused card blocks the box with its message (S12)."""
        self.card_out(slot)
        self.seats.put(slot, RefusedCard(self.seats.next_visit(), uid, Message(text)))
        return Reply(Sound.ERROR)

    def _join(self, slot: Slot, card: int) -> None:
        """The card plays from now on, and is counted if the final count is open (F16)."""
        # A card may be put in although the disk fails. Each move then reports the failure.
        with suppress(JournalFailed):
            self._ledger.join(card)
            if slot is Slot.LEFT:
                interrupted, self._interrupted = self._interrupted, None
                goes_on = card == interrupted and self._ledger.current.is_counted(card)
                if self._ledger.current.counting and not goes_on:
                    self._ledger.count(card, 0)

    def reader_lost(self, slot: Slot) -> bool:
        """The slot counts as empty; if its card is the next one in, its count goes on (D6)."""
        seat = self.seats.seated(slot)
        if slot is Slot.LEFT and seat and self._ledger.current.counting:
            self._interrupted = seat.card
        return self.card_out(slot)

    def card_out(self, slot: Slot) -> bool:
        """Empty a slot; return whether there was a card in it."""
        if isinstance(self.seats[slot], Vacant):
            return False
        self.seats.put(slot, Vacant())
        return True

    def recognise_again(self) -> bool:
        """The known cards have changed: one that was forgotten no longer plays.

        Returns whether one of them is in a slot.
        """
        gone = [
            (slot, seat)
            for slot, seat in self.seats.all_seated()
            if self._ledger.number_of(seat.uid) != seat.card
        ]
        known = self._ledger.cards
        self._newest = [one for one in self._newest if isinstance(one, Move) or one.number in known]
        for slot, seat in gone:
            self.seats.put(slot, Forgotten(seat.uid))
        return bool(gone)

    def account(self, slot: Slot) -> int:
        """The account behind a slot: that of its card, or the bank."""
        seat = self.seats.seated(slot)
        return seat.card if seat else BANK

    # Money

    def enter(self, amount: int) -> Reply:
        """Carry out a complete entry: move it from right to left (S2), or count it (F16)."""
        if self._ledger.current.counting:
            return self._count(self.account(Slot.LEFT), amount)
        payer, payee = self.account(Slot.RIGHT), self.account(Slot.LEFT)
        return self.pay(Pay(payer, payee, amount, Purpose.ENTRY))

    def pay_salary(self) -> Reply:
        """The GO key (S7), with a card in the left slot only."""
        left = self.seats.seated(Slot.LEFT)
        assert left, "a salary is for a card in the left slot"
        assert not self.seats.seated(Slot.RIGHT), "a salary is for the left card alone"
        if left.salary_paid:
            return refused(Text.ALREADY_PAID)
        return self.pay(Pay(BANK, left.card, self._ledger.edition.salary, Purpose.SALARY))

    def pay(self, pay: Pay) -> Reply:
        """Move money. It is on disk before this returns (S6)."""
        refusal = self._ledger.refusal(pay.payer, pay.payee, pay.amount)
        if refusal:
            return self._refused(refusal)
        ends_game = pay.purpose is Purpose.BANKRUPTCY and self._ends_fast_game(pay)
        if ends_game:
            left = self.seats.seated(Slot.LEFT)
            posting = self._ledger.end_by_bankruptcy(
                pay.payer, pay.payee, pay.amount, left.card if left else None
            )
        else:
            posting = self._ledger.move(*pay)
        visits = {seat.visit for _, seat in self.seats.all_seated() if seat.card in pay.way}
        self._remember(Move(posting, frozenset(visits)))
        self.seats.moved(visits)
        if pay.purpose is Purpose.SALARY:
            self.seats.mark_salary(visits, paid=True)
        status = Message(Text.WHOLE_AMOUNT, f"{pay.way} {self._written(pay.amount)}")
        if ends_game:
            return Reply(Sound.ALARM, status=status)
        both = self.seats.seated(Slot.RIGHT) and self.account(Slot.LEFT) == pay.payee != BANK
        paid = Reply(
            Sound.OK,
            status=status,
            shown=pay.payee if both else None,
            shown_at_once=pay.payer != self.account(Slot.RIGHT),
        )
        return self._with_winner(paid) if pay.purpose is Purpose.BANKRUPTCY else paid

    def _with_winner(self, paid: Reply) -> Reply:
        """After a bankruptcy: the player who alone is left has won (F25)."""
        game, left = self._ledger.current, self._ledger.players
        if game.kind is Kind.FAST or len(left) != 1:
            return paid
        winner = Message(Text.WINNER, str(left[0]))
        return paid._replace(sound=Sound.ALARM, message=winner, kind=NoticeKind.RESULT)

    def _written(self, amount: int) -> str:
        return self._ledger.edition.units.write(amount).text

    def _refused(self, refusal: Refusal) -> Reply:
        return refused(caption(refusal, self._ledger.edition))

    def _ends_fast_game(self, bankruptcy: Pay) -> bool:
        """Whether a fast game is over when this player is out (F21)."""
        game = self._ledger.current
        # The payee plays from now on, even if the disk failed to write that its card was put in.
        left = {*self._ledger.players, bankruptcy.payee} - {bankruptcy.payer, BANK, POT}
        last = game.edition.fast_game_bankruptcies
        return game.kind is Kind.FAST and (game.bankruptcies + 1 >= last or len(left) <= 1)

    # Taking back

    def undo(self) -> Reply:
        """A short C while nothing is typed (F16, S10, C2, C3)."""
        if self._ledger.current.counting:
            self._ledger.leave_count()
            self._interrupted = None
            return Reply(Sound.KEY)
        match self._newest:
            case [*_, NewNumber(visit=visit)]:
                return self._take_number_back(visit)
            case [*_, Move(posting, visits)] if visits <= self.seats.visits:
                return self._take_back(posting)
        return refused(Text.NOTHING_TO_UNDO)

    def _take_number_back(self, visit: int) -> Reply:
        """Forget a new card, if it is still in and no move was made with it (S10)."""
        for slot, seat in self.seats.all_seated():
            if seat.visit == visit and seat.is_new:
                self._ledger.forget(seat.card)
                self.seats.put(slot, Forgotten(seat.uid))
                self._newest.pop()
                return Reply(Sound.UNDO)
        return refused(Text.NOTHING_TO_UNDO)

    def _take_back(self, posting: Posting) -> Reply:
        """Reverse a move, if the balances allow it."""
        if posting not in self._ledger.moves:
            # Another program has forgotten its card meanwhile.
            return refused(Text.NOTHING_TO_UNDO)
        is_bankruptcy = posting.purpose is Purpose.BANKRUPTCY
        if posting.payer in self._ledger.current.out and not is_bankruptcy:
            # A card that is out could not spend what it got back.
            return refused(Text.OUT)
        refusal = self._ledger.refusal(posting.payee, posting.payer, posting.amount)
        if refusal:
            return self._refused(refusal)
        self._ledger.reverse(posting)
        for newest in self._newest:
            if isinstance(newest, Move) and newest.posting == posting:
                if posting.purpose is Purpose.SALARY:
                    self.seats.mark_salary(newest.visits, paid=False)
                self._newest.remove(newest)
                break
        status = Message(Text.UNDO_SHORT, self._written(posting.amount))
        cards_in = [seat.card for _, seat in self.seats.all_seated()]
        shown = next((n for n in (posting.payer, posting.payee) if n in cards_in), None)
        return Reply(Sound.UNDO, status=status, shown=shown, shown_at_once=True)

    # The final count

    def open_count(self) -> None:
        """From now on, entries add to the worth of a card (F16)."""
        left = self.seats.seated(Slot.LEFT)
        self._ledger.open_count(left.card if left else None)

    def _count(self, card: int, amount: int) -> Reply:
        """Add deeds and buildings to a card's worth, which is limited like a balance (M8)."""
        added = self._ledger.current.added(card) + amount
        if self._ledger.balance(card) + added > self._ledger.edition.fullest:
            return refused(Text.FULL)
        self._ledger.count(card, added)
        return Reply(Sound.OK)

    def ends_count(self, slot: Slot) -> bool:
        """Whether taking this card out completes the final count (F17)."""
        last = slot is Slot.LEFT and self.seats.seated(slot) and self._ledger.current.counting
        return bool(last) and self._ledger.all_counted

    # Games, and what F asks for

    def new_game(self) -> Reply:
        """Give every known card the opening balance; the old game is kept (C4)."""
        numbers = [self._ledger.number_of(uid) for _, uid in self.seats.players_in()]
        self._ledger.next_game(self._next_edition, [n for n in numbers if n is not None])
        self._begin_again()
        return Reply(Sound.NEW_GAME, Message(Text.NEW_GAME), other_game=True)

    def restart_visits(self) -> None:
        """After a doubt, cards that are in count as just put in; a final count goes on (D27)."""
        left = self.seats.seated(Slot.LEFT)
        continued = left.card if left else self._interrupted
        self._begin_again(continued if self._ledger.current.counting else None)
        for slot, uid in self.seats.not_admitted():
            self._seat_known(slot, uid)

    def _begin_again(self, interrupted: int | None = None) -> None:
        """Treat cards that are in as just put in, as in a new game."""
        self._newest.clear()
        self._interrupted = interrupted
        for slot, uid in self.seats.players_in():
            self.seats.put(slot, Vacant())
            if self._seat_known(slot, uid) is None:
                self.refuse_card(slot, uid, Text.UNKNOWN_CARD)

    def carry_out(self, action: "menu.Action") -> Reply:
        """Do what F asks for."""
        from firmware.table.menu import menu  # not at the start of the box, which needs no menu

        match action:
            case Pay():
                return self.pay(action)
            case menu.TakeBack(posting):
                return self._take_back(posting)
            case menu.OpenCount():
                self.open_count()
                return Reply(Sound.KEY)
            case menu.ChooseKind(kind, minutes):
                self._ledger.choose_kind(kind, minutes)
                return Reply(Sound.KEY, _next(kind, minutes))
            case menu.ChooseEdition(edition):
                self._ledger.choose_edition(edition)
                return Reply(Sound.KEY, Message(Text.NEXT, edition.name))
            case menu.ForgetCard(number):
                self._ledger.forget(number)
                self.recognise_again()
                return Reply(Sound.UNDO, Message(Text.FORGOTTEN))
            case menu.GoBack():
                self._ledger.go_back()
                self._begin_again()
                return Reply(Sound.UNDO, Message(Text.GAME_BACK), other_game=True)

    def turn_volume(self) -> Reply:
        """Set the next volume; after the loudest, silence (V1)."""
        level = (self._ledger.state.volume + 1) % (LOUDEST + 1)
        self._ledger.set_volume(level)
        return Reply(Sound.VOLUME, Message(Text.VOLUME, str(level)))


def _next(kind: Kind, minutes: int) -> Message:
    """The message for what was chosen for the next game."""
    match kind:
        case Kind.NORMAL:
            return Message(Text.NEXT_GAME, Text.NORMAL)
        case Kind.FAST:
            return Message(Text.NEXT_GAME, Text.FAST)
        case Kind.CLOCK:
            return Message(Text.NEXT_GAME, f"{minutes} MIN")
