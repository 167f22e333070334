"""The teller: carries out what the players ask of the bank; answers with a sound and a message.

It knows which card is in which slot, and which moves C can take back. It knows neither the time
nor what the screen shows. A write that fails raises ``JournalFailed``, which the box reports.

Tests: tests/unit/firmware/table/test_box.py.
"""

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from firmware.bank.edition import Edition
from firmware.bank.ledger import Admission, ForgottenCard, Ledger
from firmware.bank.purposes import Purpose
from firmware.bank.records import BANK, POT, UNDO_LIMIT, Kind, Posting
from firmware.bank.refusals import Refusal
from firmware.table.captions import caption
from firmware.table.payment import Pay, Way
from firmware.table.seats import Forgotten, RefusedCard, Seated, Seats, Vacant
from firmware.table.transient import NoticeKind
from hal.display.messages import Message, Text
from hal.display.sounds import LOUDEST, Sound
from hal.events import Slot

if TYPE_CHECKING:
    from firmware.table.menu import menu


WINNER_QUESTION = Message(Text.WINNER, ask=Text.PRESS_M)
"""Ends the final count at M (F16)."""


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
    """A posting of this game that C can take back as long as its cards stay in."""

    posting: Posting
    visits: frozenset[int]
    """The visits of its cards that were in."""


class NewNumber(NamedTuple):
    """A card took a number, which C can take back in the same visit (S10, D12)."""

    visit: int
    admission: Admission

    @property
    def number(self) -> int:
        return self.admission.number


class Restore(NamedTuple):
    """C restores the card that was just forgotten (F19)."""

    card: ForgottenCard
    seats: tuple[tuple[Slot, Seated], ...]
    newest: tuple[Move | NewNumber, ...]
    """What C could reach before it was forgotten."""


class MoveAgain(NamedTuple):
    """C makes the move again that HISTORY has just taken back (C5)."""

    posting: Posting


class LeaveCount(NamedTuple):
    """C leaves the final count (F16)."""


class Uncount(NamedTuple):
    """C takes back the last amount that was counted for the left card (F16)."""

    visit: int


CTarget: TypeAlias = Move | NewNumber | Restore | MoveAgain | LeaveCount | Uncount
"""What a short C would take back or do, while nothing is half done."""


class Teller:
    """The bank at the table."""

    def __init__(self, ledger: Ledger, next_edition: Edition) -> None:
        self._ledger = ledger
        self._next_edition = next_edition
        self.seats = Seats()
        self._newest: list[Move | NewNumber] = []
        """What C can reach, since the start of the box or the game, the newest last (C2)."""
        self._out_of_reach: set[int] = set()
        """Those of its postings of which a card has left its slot since."""
        self._offer: Restore | MoveAgain | None = None
        """What C does instead, right after FORGET or HISTORY, until the next key or card."""
        self._count_ended = False
        """Whether M has ended the final count, although not all were counted (F16)."""

    # Cards

    def card_in(self, slot: Slot, uid: bytes) -> Reply:
        """Seat a card or refuse it. A card that was in the slot has left.

        Raises JournalFailed if it should have got a number.
        """
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
        admission = self._ledger.admit(uid, elsewhere=other.card if other else None)
        if admission is None:
            return self.refuse_card(slot, uid, Text.UNKNOWN_CARD)
        seat = Seated(self.seats.next_visit(), uid, admission.number, is_new=True)
        message = Message(Text.NEW_CARD if admission.replaced is None else Text.REPLACED)
        self._remember(NewNumber(seat.visit, admission))
        return self._seat(slot, seat, message)

    @property
    def c_target(self) -> CTarget | None:
        """What C would take back or do, unless that is refused."""
        if self._offer:
            return self._offer
        if self._ledger.current.counting:
            left = self.seats.seated(Slot.LEFT)
            return Uncount(left.visit) if left else LeaveCount()
        return self._newest[-1] if self._newest else None

    @property
    def offers_again(self) -> bool:
        """Whether C makes a move again; the message line says so (C5)."""
        return isinstance(self._offer, MoveAgain)

    def withdraw_offer(self) -> None:
        """Drop the offer to restore or repeat; C undoes the newest move again."""
        self._offer = None

    def _remember(self, newest: Move | NewNumber) -> None:
        self._newest = [*self._newest[1 - UNDO_LIMIT :], newest]

    def _seat(self, slot: Slot, seat: Seated, message: Message | None = None) -> Reply:
        if seat.card in self._ledger.current.out:
            return self.refuse_card(slot, seat.uid, Text.OUT)
        self.seats.put(slot, seat)
        if slot is Slot.LEFT and self._ledger.current.counting:
            self._count_ended = False
        return Reply(Sound.CARD, message)

    def refuse_card(self, slot: Slot, uid: bytes | None, text: Text) -> Reply:
        """A refused card blocks the box with its message (S12)."""
        self.card_out(slot)
        self.seats.put(slot, RefusedCard(self.seats.next_visit(), uid, Message(text)))
        return Reply(Sound.ERROR)

    def card_out(self, slot: Slot) -> bool:
        """Empty a slot; return whether there was a card in it."""
        if isinstance(self.seats[slot], Vacant):
            return False
        seat = self.seats.seated(slot)
        if seat:
            moves = (one.posting for one in self._newest if isinstance(one, Move))
            self._out_of_reach = {
                move.id
                for move in moves
                if seat.card in move.accounts or move.id in self._out_of_reach
            }
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
        """Move a complete entry from right to left (S2)."""
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

    def pay(self, pay: Pay, again: Posting | None = None) -> Reply:
        """Move money, perhaps a move once more. It is on disk before this returns (S6)."""
        refusal = self._ledger.refusal(pay.payer, pay.payee, pay.amount)
        if refusal:
            return self._refused(refusal)
        ends_game = pay.purpose is Purpose.BANKRUPTCY and self._ends_fast_game(pay)
        if ends_game:
            left = self.seats.seated(Slot.LEFT)
            posting = self._ledger.end_by_bankruptcy(
                pay.payer, pay.payee, pay.amount, left.card if left else None
            )
        elif again:
            posting = self._ledger.make_again(again)
        else:
            posting = self._ledger.move(*pay)
        visits = {seat.visit for _, seat in self.seats.all_seated() if seat.card in pay.way}
        self._remember(Move(posting, frozenset(visits)))
        self.seats.moved(visits)
        if pay.purpose is Purpose.SALARY:
            self.seats.mark_salary(visits, paid=True)
        status = self._moved(pay.way, pay.amount)
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

    def _moved(self, way: Way, amount: int) -> Message:
        """What the status row shows after a move (N4)."""
        return Message(Text.WHOLE_AMOUNT, f"{way} {self._written(amount)}")

    def _written(self, amount: int) -> str:
        return self._ledger.edition.units.write(amount).text

    def _refused(self, refusal: Refusal) -> Reply:
        return refused(caption(refusal, self._ledger.edition))

    def _ends_fast_game(self, bankruptcy: Pay) -> bool:
        """Whether a fast game is over when this player is out (F21)."""
        game = self._ledger.current
        left = {*self._ledger.players, bankruptcy.payee} - {bankruptcy.payer, BANK, POT}
        last = game.edition.fast_game_bankruptcies
        return game.kind is Kind.FAST and (game.bankruptcies + 1 >= last or len(left) <= 1)

    # Taking back

    def undo(self) -> Reply:
        """A short C while nothing is typed (F16, F19, C2, C3, C5, S10)."""
        match self.c_target:
            case Restore() as forgetting:
                return self._restore(forgetting)
            case MoveAgain(posting):
                return self._make_again(posting)
            case Uncount():
                return self._uncount()
            case LeaveCount():
                self._ledger.leave_count()
                self._count_ended = False
                return Reply(Sound.KEY)
            case NewNumber() as taken:
                return self._take_number_back(taken)
            case Move(posting) if posting.id not in self._out_of_reach:
                return self._take_back(posting)
        return refused(Text.NOTHING_TO_UNDO)

    def _take_number_back(self, taken: NewNumber) -> Reply:
        """Undo an admission, if the card is still in and has made no move (S10, D12)."""
        for slot, seat in self.seats.all_seated():
            if seat.visit == taken.visit and seat.is_new:
                self._ledger.take_back(taken.admission)
                self.seats.put(slot, Forgotten(seat.uid))
                self._newest.pop()
                return Reply(Sound.UNDO)
        return refused(Text.NOTHING_TO_UNDO)

    def _forget(self, number: int) -> Reply:
        """Forget a card; a C right after that restores it (F19)."""
        if number not in self._ledger.cards:
            # Another program has forgotten it meanwhile.
            return refused(Text.UNKNOWN_CARD)
        seats = tuple(held for held in self.seats.all_seated() if held[1].card == number)
        newest = tuple(self._newest)
        held = self._ledger.balance(number)
        card = self._ledger.forget(number)
        self.recognise_again()
        self._offer = Restore(card, seats, newest)
        status = self._moved(Way(number, BANK), held)
        return Reply(Sound.UNDO, Message(Text.FORGOTTEN), status=status)

    def _restore(self, forgetting: Restore) -> Reply:
        self._ledger.restore(forgetting.card)
        for slot, seat in forgetting.seats:
            self.seats.put(slot, seat)
        self._newest = list(forgetting.newest)
        return Reply(Sound.UNDO)

    def _take_back_in_history(self, posting: Posting) -> Reply:
        """Reverse a move; a C right after that makes it again (C5)."""
        reply = self._take_back(posting)
        if reply.sound is not Sound.UNDO or posting.purpose is Purpose.BANKRUPTCY:
            return reply
        self._offer = MoveAgain(posting)
        return reply._replace(message=Message(Text.C_AGAIN), kind=NoticeKind.RESULT)

    def _make_again(self, posting: Posting) -> Reply:
        """Make a move again that was taken back, if the balances allow it (C5)."""
        if posting not in self._ledger.history or not self._ledger.current.is_taken_back(posting):
            # Another program has forgotten its card meanwhile.
            return refused(Text.NOTHING_TO_UNDO)
        if posting.accounts & set(self._ledger.current.out):
            return refused(Text.OUT)
        again = Pay(posting.payer, posting.payee, posting.amount, posting.purpose)
        return self.pay(again, again=posting)

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
                self._newest.remove(newest)
                if posting.purpose is Purpose.SALARY:
                    # A salary that was made again may be the second one of this visit.
                    self.seats.mark_salary(newest.visits - self._salaried, paid=False)
                break
        status = Message(Text.UNDO_SHORT, self._written(posting.amount))
        cards_in = [seat.card for _, seat in self.seats.all_seated()]
        shown = next((n for n in (posting.payer, posting.payee) if n in cards_in), None)
        return Reply(Sound.UNDO, status=status, shown=shown, shown_at_once=True)

    @property
    def _salaried(self) -> frozenset[int]:
        """The visits in which a salary was paid that was not taken back."""
        moves = (one for one in self._newest if isinstance(one, Move))
        salaries = (move.visits for move in moves if move.posting.purpose is Purpose.SALARY)
        return frozenset().union(*salaries)

    # The final count

    def count_in(self) -> None:
        """The left card is counted, if the count is open."""
        left = self.seats.seated(Slot.LEFT)
        if left and self._ledger.current.counting:
            self._ledger.count_in(left.card)

    def open_count(self) -> None:
        """From now on, entries add to the worth of a card (F16)."""
        left = self.seats.seated(Slot.LEFT)
        self._ledger.open_count(left.card if left else None)

    def add(self, amount: int) -> Reply:
        """Add deeds and buildings to the left card's worth (F16), limited like a balance (M8)."""
        card = self.account(Slot.LEFT)
        worth = self._ledger.balance(card) + self._ledger.current.added(card)
        if worth + amount > self._ledger.edition.fullest:
            return refused(Text.FULL)
        self._ledger.count(card, amount)
        return Reply(Sound.OK)

    def _uncount(self) -> Reply:
        """Take back the last amount that was counted for the left card."""
        undone = self._ledger.uncount(self.account(Slot.LEFT))
        return Reply(Sound.UNDO) if undone else refused(Text.NOTHING_TO_UNDO)

    def ask_winner(self) -> Reply:
        """M with both slots empty: a second M ends the count as it stands (F16)."""
        if self.count_is_over or not self._ledger.players:
            return refused(Text.NO_CARD)
        return Reply(Sound.KEY, WINNER_QUESTION, NoticeKind.RESULT)

    def end_count(self) -> Reply:
        """Show the ranking, although not all players were counted (F16)."""
        if not self._ledger.players:
            # Another program has forgotten the last one meanwhile.
            return refused(Text.NO_CARD)
        self._count_ended = True
        return Reply(Sound.OK)

    @property
    def count_is_over(self) -> bool:
        """Whether the ranking shows while the left slot is empty (F17)."""
        ended = self._count_ended and bool(self._ledger.players)
        return ended or self._ledger.all_counted

    def ends_count(self, slot: Slot) -> bool:
        """Whether taking this card out completes the final count (F17)."""
        last = slot is Slot.LEFT and self.seats.seated(slot) and self._ledger.current.counting
        return bool(last) and self._ledger.all_counted

    # Games, and what F asks for

    def new_game(self) -> Reply:
        """Give every known card the opening balance; the old game is kept (C4)."""
        self._ledger.next_game(self._next_edition)
        self._begin_again()
        return Reply(Sound.NEW_GAME, Message(Text.NEW_GAME), other_game=True)

    def restart_visits(self) -> None:
        """After a doubt, cards that are in count as just put in (D27)."""
        self._begin_again()
        for slot, uid in self.seats.not_admitted():
            self._seat_known(slot, uid)

    def _begin_again(self) -> None:
        """Treat cards that are in as just put in, as in a new game."""
        self._newest.clear()
        self._out_of_reach.clear()
        self._offer = None
        self._count_ended = False
        for slot, uid in self.seats.players_in():
            self.seats.put(slot, Vacant())
            if self._seat_known(slot, uid) is None:
                self.refuse_card(slot, uid, Text.UNKNOWN_CARD)

    def carry_out(self, action: "menu.MenuAction") -> Reply:
        """Do what F asks for."""
        from firmware.table.menu import menu  # not at the start of the box, which needs no menu

        match action:
            case Pay():
                return self.pay(action)
            case menu.TakeBack(posting):
                return self._take_back_in_history(posting)
            case menu.MakeAgain(posting):
                return self._make_again(posting)
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
                return self._forget(number)
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
