"""The teller: does what the table asks of the bank, and answers with a sound and a message.

It knows who sits in which slot, and which moves C can take back. It is told neither the
time nor what shows. What the disk refuses ends in ``JournalFailed``; the box says so.
"""

from contextlib import suppress
from typing import NamedTuple

from firmware import balances
from firmware.desk import (
    Action,
    ChooseEdition,
    ChooseKind,
    ForgetCard,
    GoBack,
    OpenCount,
    Pay,
    TakeBack,
)
from firmware.edition import Edition
from firmware.ledger import Ledger
from firmware.records import BANK, POT, REACH, JournalFailed, Kind, Posting, Purpose
from firmware.seats import Forgotten, Refused, Seated, Seats, Vacant
from hal.events import Slot, is_made_up
from hal.sounds import LOUDEST, Sound
from hal.view import Message, Text


class Answer(NamedTuple):
    """What the table hears and reads."""

    sound: Sound
    message: Message | None = None
    refusal: bool = False
    payee: int | None = None
    """The card whose balance shows after the payer's (S3), or instead of it."""
    payee_at_once: bool = False
    other_game: bool = False
    """Whether another game is being played from now on."""


def refused(message: Message | Text) -> Answer:
    message = Message(message) if isinstance(message, Text) else message
    return Answer(Sound.ERROR, message, refusal=True)


class Move(NamedTuple):
    """A posting of this game that stands; C can take it back as long as its visits last."""

    posting: Posting
    visits: frozenset[int]


class Teller:
    """The bank, as those see it who stand in front of it."""

    def __init__(self, ledger: Ledger, next_edition: Edition) -> None:
        self._ledger = ledger
        self._next_edition = next_edition
        self.seats = Seats()
        self._moves: list[Move] = []
        """The newest within reach, since the start of the box or the game, the newest last."""
        counting = ledger.current.counting
        self._interrupted = ledger.current.last_counted if counting else None
        """The card that was being counted when power or reader went: it goes on, if it is next."""

    # Cards

    def card_in(self, slot: Slot, uid: bytes) -> Answer:
        """Seat a card, or turn it away; a card that was in the slot has left it."""
        self.card_out(slot)
        if self.seats.holds(slot.other, uid):
            return self.turn_away(slot, uid, Text.SAME_CARD)
        if is_made_up(uid):
            return self.turn_away(slot, uid, Text.UNKNOWN_CARD)
        return self._seat_known(slot, uid) or self._admit(slot, uid)

    def _seat_known(self, slot: Slot, uid: bytes) -> Answer | None:
        """Seat a card that has a number in this edition; None for any other."""
        number = self._ledger.number_of(uid)
        if number is None:
            return None
        return self._seat(slot, Seated(self.seats.next_visit(), uid, number))

    def _admit(self, slot: Slot, uid: bytes) -> Answer:
        """An unknown card takes a number, if there is one (S10)."""
        other = self.seats.seated(slot.other)
        try:
            admission = self._ledger.admit(uid, elsewhere=other.card if other else None)
        except JournalFailed:
            return self.turn_away(slot, uid, Text.ERROR)
        if admission is None:
            return self.turn_away(slot, uid, Text.UNKNOWN_CARD)
        new = not admission.replaces
        seat = Seated(self.seats.next_visit(), uid, admission.number, is_new=new)
        message = Message(Text.NEW_CARD if new else Text.REPLACED)
        return self._seat(slot, seat, message)

    def _seat(self, slot: Slot, seat: Seated, message: Message | None = None) -> Answer:
        if seat.card in self._ledger.current.out:
            return self.turn_away(slot, seat.uid, Text.OUT)
        self.seats.put(slot, seat)
        self._join(slot, seat.card)
        return Answer(Sound.CARD, message)

    def turn_away(self, slot: Slot, uid: bytes | None, text: Text) -> Answer:
        """A refused card blocks the box with its message (S12)."""
        self.card_out(slot)
        self.seats.put(slot, Refused(self.seats.next_visit(), uid, Message(text)))
        return Answer(Sound.ERROR)

    def _join(self, slot: Slot, card: int) -> None:
        """A card is in the game from now on, and in the final count if that is open (F16)."""
        # On a disk that refuses, every move does, and says so; a card may still be put in.
        with suppress(JournalFailed):
            self._ledger.join(card)
            if slot is Slot.LEFT:
                interrupted, self._interrupted = self._interrupted, None
                goes_on = card == interrupted and self._ledger.current.is_counted(card)
                if self._ledger.current.counting and not goes_on:
                    self._ledger.count(card, 0)

    def reader_lost(self, slot: Slot) -> bool:
        """Nothing is known of a slot; its card goes on being counted, if it is the next (D6)."""
        seat = self.seats.seated(slot)
        if slot is Slot.LEFT and seat and self._ledger.current.counting:
            self._interrupted = seat.card
        return self.card_out(slot)

    def card_out(self, slot: Slot) -> bool:
        """Empty a slot; whether there was something in it."""
        if isinstance(self.seats[slot], Vacant):
            return False
        self.seats.put(slot, Vacant())
        return True

    def recognise_again(self) -> bool:
        """The known cards have changed: one that was forgotten is as good as out.

        Whether one of those that are in is.
        """
        gone = [
            (slot, seat)
            for slot, seat in self.seats.all_seated()
            if self._ledger.number_of(seat.uid) != seat.card
        ]
        for slot, seat in gone:
            self.seats.put(slot, Forgotten(seat.uid))
        return bool(gone)

    def account(self, slot: Slot) -> int:
        """Whose money a slot stands for: its card's, or else the bank's."""
        seat = self.seats.seated(slot)
        return seat.card if seat else BANK

    # Money

    def enter(self, amount: int) -> Answer:
        """An entry is complete: it moves from right to left (S2), or is counted (F16)."""
        if self._ledger.current.counting:
            return self._count(self.account(Slot.LEFT), amount)
        payer, payee = self.account(Slot.RIGHT), self.account(Slot.LEFT)
        return self.pay(Pay(payer, payee, amount, Purpose.ENTRY))

    def pay_salary(self) -> Answer:
        """The GO key (S7), with a card in the left slot only."""
        left = self.seats.seated(Slot.LEFT)
        assert left, "a salary is for a card in the left slot"
        assert not self.seats.seated(Slot.RIGHT), "a salary is for the left card alone"
        if left.salary_paid:
            return refused(Text.ALREADY_PAID)
        return self.pay(Pay(BANK, left.card, self._ledger.edition.salary, Purpose.SALARY))

    def pay(self, pay: Pay) -> Answer:
        """Move money, on disk before anybody is answered (S6)."""
        refusal = self._ledger.refusal(pay.payer, pay.payee, pay.amount)
        if refusal:
            return refused(refusal)
        ends_game = pay.purpose is Purpose.BANKRUPTCY and self._ends_fast_game(pay)
        if ends_game:
            left = self.seats.seated(Slot.LEFT)
            posting = self._ledger.end_by_bankruptcy(
                pay.payer, pay.payee, pay.amount, left.card if left else None
            )
        else:
            posting = self._ledger.move(*pay)
        visits = {seat.visit for _, seat in self.seats.all_seated() if seat.card in pay.accounts}
        self._moves = [*self._moves[1 - REACH :], Move(posting, frozenset(visits))]
        self.seats.moved(visits)
        if pay.purpose is Purpose.SALARY:
            self.seats.mark_salary(visits, paid=True)
        if ends_game:
            return Answer(Sound.ALARM)
        both = self.seats.seated(Slot.RIGHT) and self.account(Slot.LEFT) == pay.payee != BANK
        at_once = pay.payer != self.account(Slot.RIGHT)
        return Answer(Sound.OK, payee=pay.payee if both else None, payee_at_once=at_once)

    def _ends_fast_game(self, bankruptcy: Pay) -> bool:
        """Whether a fast game is over when this player is out (F21)."""
        game = self._ledger.current
        # Who gets the money plays from now on, even if no disk has kept that the card was put in.
        left = {*self._ledger.players, bankruptcy.payee} - {bankruptcy.payer, BANK, POT}
        last = game.edition.fast_game.ends_at_bankruptcy
        return game.kind is Kind.FAST and (game.bankruptcies + 1 >= last or len(left) <= 1)

    # Taking back

    def undo(self) -> Answer:
        """What a short C does when nothing is being typed (F16, S10, C2, C3)."""
        if self._ledger.current.counting:
            self._ledger.leave_count()
            self._interrupted = None
            return Answer(Sound.KEY)
        found = self.seats.newest_new
        if found:
            slot, seat = found
            self._ledger.forget(seat.card)
            self.seats.put(slot, Forgotten(seat.uid))
            return Answer(Sound.UNDO)
        if not self._moves or not self._moves[-1].visits <= self.seats.visits:
            return refused(Text.NOTHING_TO_UNDO)
        return self._take_back(self._moves[-1].posting)

    def _take_back(self, posting: Posting) -> Answer:
        """Reverse a move, if what it moved is still there."""
        if posting not in self._ledger.moves:
            # Since it was shown another program has forgotten its card.
            return refused(Text.NOTHING_TO_UNDO)
        is_bankruptcy = posting.purpose is Purpose.BANKRUPTCY
        if posting.payer in self._ledger.current.out and not is_bankruptcy:
            # Nobody could ever move what a card that is out got back.
            return refused(Text.OUT)
        refusal = self._ledger.refusal_to_reverse(posting)
        if refusal:
            return refused(refusal)
        self._ledger.reverse(posting)
        for move in self._moves:
            if move.posting == posting and posting.purpose is Purpose.SALARY:
                self.seats.mark_salary(move.visits, paid=False)
        self._moves = [move for move in self._moves if move.posting != posting]
        return Answer(Sound.UNDO)

    # The final count

    def open_count(self) -> None:
        """From now on entries add to what a card is worth (F16)."""
        left = self.seats.seated(Slot.LEFT)
        self._ledger.open_count(left.card if left else None)

    def _count(self, card: int, amount: int) -> Answer:
        """Deeds and buildings add to a card's worth, as far as the field can show it."""
        added = self._ledger.current.added(card) + amount
        if self._ledger.balance(card) + added > self._ledger.edition.fullest:
            return refused(Text.FULL)
        self._ledger.count(card, added)
        return Answer(Sound.OK)

    def ends_count(self, slot: Slot) -> bool:
        """Whether the card in a slot, taken out, is the last of the final count (F17)."""
        last = slot is Slot.LEFT and self.seats.seated(slot) and self._ledger.current.counting
        return bool(last) and balances.all_counted(self._ledger)

    # Games, and what F asks for

    def new_game(self) -> Answer:
        """Every known card has the opening balance, the old game is kept (C4)."""
        numbers = [self._ledger.number_of(uid) for _, uid in self.seats.players_in()]
        self._ledger.next_game(self._next_edition, [n for n in numbers if n is not None])
        self._begin_again()
        return Answer(Sound.NEW_GAME, Message(Text.NEW_GAME), other_game=True)

    def look_again(self) -> None:
        """After a doubt, cards that are in count as just put in; a count goes on (D27)."""
        left = self.seats.seated(Slot.LEFT)
        next_one = left.card if left else self._interrupted
        self._begin_again(next_one if self._ledger.current.counting else None)
        for slot, uid in self.seats.not_admitted():
            self._seat_known(slot, uid)

    def _begin_again(self, interrupted: int | None = None) -> None:
        """Cards that are in count as just put in, as when another game is played."""
        self._moves.clear()
        self._interrupted = interrupted
        for slot, uid in self.seats.players_in():
            self.seats.put(slot, Vacant())
            if self._seat_known(slot, uid) is None:
                self.turn_away(slot, uid, Text.UNKNOWN_CARD)

    def carry_out(self, action: Action) -> Answer:
        """What F has asked for."""
        match action:
            case Pay():
                return self.pay(action)
            case TakeBack(posting):
                return self._take_back(posting)
            case OpenCount():
                self.open_count()
                return Answer(Sound.KEY)
            case ChooseKind(kind, minutes):
                self._ledger.choose_kind(kind, minutes)
                return Answer(Sound.KEY, _next(kind, minutes))
            case ChooseEdition(edition):
                self._ledger.choose_edition(edition)
                return Answer(Sound.KEY, Message(Text.NEXT, edition.name))
            case ForgetCard(number):
                self._ledger.forget(number)
                self.recognise_again()
                return Answer(Sound.UNDO, Message(Text.FORGOTTEN))
            case GoBack():
                self._ledger.go_back()
                self._begin_again()
                return Answer(Sound.UNDO, Message(Text.GAME_BACK), other_game=True)

    def turn_volume(self) -> Answer:
        """The next volume, and after the loudest the lowest (V1)."""
        level = (self._ledger.volume + 1) % (LOUDEST + 1)
        self._ledger.set_volume(level)
        return Answer(Sound.VOLUME, Message(Text.VOLUME, str(level)))


def _next(kind: Kind, minutes: int) -> Message:
    """What was chosen for the next game."""
    match kind:
        case Kind.NORMAL:
            return Message(Text.NEXT, Text.NORMAL)
        case Kind.FAST:
            return Message(Text.NEXT, Text.FAST)
        case Kind.CLOCK:
            return Message(Text.NEXT_CLOCK, str(minutes))
