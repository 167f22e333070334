"""The box: a state machine of keys, cards and time, without any I/O.

How it works. Events go in through ``handle``, each with its instant; time alone
goes in through ``advance``. Both give back the sounds to play. What the screen
shows is ``view``, a pure function of the state and of the instant reached, so
nothing has to be done when a message has shown long enough: it is just no longer
part of the view. Only two things happen by themselves, falling asleep and the new
game at the end of a long C. ``deadline`` says when the view may next change.

Every method below that carries out a key returns the sound that the key makes.
The letters and numbers in brackets are the rules of docs/rules.md.
"""

from typing import NamedTuple

from firmware.edition import Edition
from firmware.entry import Entry
from firmware.ledger import BANK, JournalFailed, Ledger, Posting, Purpose
from firmware.money import spell_out
from firmware.passing import Passing
from firmware.seats import Forgotten, Refused, Seated, Seats, Vacant
from hal.events import (
    SECOND,
    CardIn,
    CardOut,
    CardsClash,
    Event,
    Instant,
    Key,
    KeyDown,
    KeyUp,
    PowerGood,
    PowerLow,
    ReaderBack,
    ReaderLost,
    Slot,
    is_made_up,
)
from hal.sounds import LOUDEST, Sound
from hal.view import IDLE, Message, Text, View, dark

SHORT_C = 1 * SECOND
LONG_C = 3 * SECOND
SLEEP_AFTER = 60 * SECOND

READER_TEXTS = {Slot.LEFT: Text.LEFT_READER, Slot.RIGHT: Text.RIGHT_READER}


class HeldC(NamedTuple):
    """C is down; what it does depends on when it is let go."""

    since: Instant
    clears_refusal: bool


class Move(NamedTuple):
    """A posting that C can take back as long as its visits last."""

    posting: Posting
    visits: frozenset[int]


class Box:
    """The bank's behaviour at the table."""

    def __init__(self, ledger: Ledger, now: Instant, next_edition: Edition | None = None) -> None:
        self._ledger = ledger
        self._next_edition = next_edition or ledger.edition
        self._now = now
        self._seats = Seats()
        self._entry: Entry | None = None
        self._passing = Passing()
        self._moves: list[Move] = []
        self._held_c: HeldC | None = None
        self._keys_down: set[Key] = set()
        self._quiet_since = now
        self._asleep = False
        self._readers_away: set[Slot] = set()
        self._power_low = False
        self._acted_at: Instant | None = now
        """The instant of the last event, until what it did has been shown."""

    @property
    def asleep(self) -> bool:
        return self._asleep

    @property
    def volume(self) -> int:
        return self._ledger.volume

    # Time

    @property
    def deadline(self) -> Instant | None:
        """When the box next wants to be told the time; None: never."""
        if self._asleep:
            return None
        ahead = [moment for moment in self._moments() if moment > self._now]
        return min(ahead, default=None)

    def _moments(self) -> list[Instant]:
        """The instants at which something ends or begins."""
        moments = self._passing.moments()
        if self._held_c:
            moments += [Instant(self._held_c.since + n * SECOND) for n in (1, 2, 3)]
        if not self._keys_down:
            moments.append(Instant(self._quiet_since + SLEEP_AFTER))
        return moments

    def advance(self, now: Instant) -> tuple[Sound, ...]:
        """Let time pass up to an instant; it never goes back."""
        sounds: list[Sound] = []
        while (moment := self.deadline) is not None and moment <= now:
            self._now = moment
            if self._held_c and moment >= self._held_c.since + LONG_C:
                sounds.append(self._new_game())
                self._acted_at = moment
            elif not self._keys_down and moment >= self._quiet_since + SLEEP_AFTER:
                self._fall_asleep()
        self._now = max(self._now, now)
        return tuple(sounds)

    def shown(self, now: Instant) -> None:
        """What the last event did went out only now: a slow disk or bus takes nothing away."""
        acted, self._acted_at = self._acted_at, None
        if acted is None or now <= acted:
            return
        self._passing.postpone(acted, now)
        if self._quiet_since == acted:
            self._quiet_since = now

    def _fall_asleep(self) -> None:
        """Rest, keeping what C could reverse (P1)."""
        self._asleep = True
        self._entry = None
        self._passing.clear()

    # Events

    def handle(self, event: Event) -> tuple[Sound, ...]:
        """Take in what happened, after all that time alone did before it (G4)."""
        sounds = self.advance(event.at)
        if self._ledger.refresh():
            self._recognise_again()
        made = self._made_of(event)
        if made and isinstance(event, KeyUp):
            self._quiet_since = self._now
        # A key that is merely let go does nothing that anybody sees.
        if made or not isinstance(event, KeyUp):
            self._acted_at = self._now
        return sounds + made

    def _made_of(self, event: Event) -> tuple[Sound, ...]:
        match event:
            case KeyDown(key=key):
                return self._key_down(key, event.at)
            case KeyUp(key=key):
                return self._key_up(key, event.at)
            case CardIn(slot=slot, uid=uid):
                return self._card_in(slot, uid)
            case CardsClash(slot=slot):
                return self._turn_away(slot, None, Message(Text.ONE_CARD))
            case CardOut(slot=slot):
                return self._card_out(slot)
            case ReaderLost(slot=slot):
                self._readers_away.add(slot)
                return self._card_out(slot)
            case ReaderBack(slot=slot):
                self._readers_away.discard(slot)
                return ()
            case PowerLow() | PowerGood():
                self._power_low = isinstance(event, PowerLow)
                return ()

    def _recognise_again(self) -> None:
        """The command line changed the known cards: a card it forgot is as good as out."""
        for slot, seat in self._seats.all_seated():
            if self._ledger.number_of(seat.uid) != seat.card:
                self._seats.put(slot, Forgotten(seat.uid))
                self._entry = None
                self._passing.clear()
        self._drop_ended_moves()

    # Cards

    def _card_in(self, slot: Slot, uid: bytes) -> tuple[Sound, ...]:
        if not isinstance(self._seats[slot], Vacant):
            self._vacate(slot)
        if self._seats.holds(slot.other, uid):
            return self._turn_away(slot, uid, Message(Text.SAME_CARD))
        if is_made_up(uid):
            return self._turn_away(slot, uid, Message(Text.UNKNOWN_CARD))
        number = self._ledger.number_of(uid)
        if number is not None:
            return self._welcome(slot, Seated(self._seats.next_visit(), uid, number), None)
        return self._admit(slot, uid)

    def _admit(self, slot: Slot, uid: bytes) -> tuple[Sound, ...]:
        """An unknown card takes a number, if there is one (S10)."""
        other = self._seats.seated(slot.other)
        try:
            admission = self._ledger.admit(uid, elsewhere=other.card if other else None)
        except JournalFailed:
            return self._turn_away(slot, uid, Message(Text.ERROR))
        if admission is None:
            return self._turn_away(slot, uid, Message(Text.UNKNOWN_CARD))
        text = Text.REPLACED if admission.replaces else Text.NEW_CARD
        seat = Seated(
            self._seats.next_visit(), uid, admission.number, is_new=not admission.replaces
        )
        return self._welcome(slot, seat, Message(text))

    def _welcome(self, slot: Slot, seat: Seated, message: Message | None) -> tuple[Sound, ...]:
        self._stir_for_card()
        self._seats.put(slot, seat)
        if self._seats.blocking is None:
            self._passing.show_number(self._now, seat.card)
            if message:
                self._say(message, refusal=False)
        return (Sound.CARD,)

    def _turn_away(self, slot: Slot, uid: bytes | None, message: Message) -> tuple[Sound, ...]:
        if not isinstance(self._seats[slot], Vacant):
            self._vacate(slot)
        self._stir_for_card()
        self._seats.put(slot, Refused(self._seats.next_visit(), uid, message))
        return (Sound.ERROR,)

    def _stir_for_card(self) -> None:
        """A card put in wakes the box (P2) and drops what was going on (G2, S4)."""
        self._asleep = False
        self._quiet_since = self._now
        self._entry = None
        self._passing.clear()

    def _card_out(self, slot: Slot) -> tuple[Sound, ...]:
        """Notice it, also in sleep, which it does not end (P2)."""
        if not isinstance(self._seats[slot], Vacant):
            self._vacate(slot)
            self._quiet_since = self._now
            self._entry = None
            self._passing.clear()
        return ()

    def _vacate(self, slot: Slot) -> None:
        self._seats.put(slot, Vacant())
        self._drop_ended_moves()

    def _drop_ended_moves(self) -> None:
        """A move whose card has left cannot be reversed, nor can any before it (C2, C3)."""
        visits = self._seats.visits
        for index in range(len(self._moves), 0, -1):
            if not self._moves[index - 1].visits <= visits:
                del self._moves[:index]
                return

    # Keys

    def _key_down(self, key: Key, at: Instant) -> tuple[Sound, ...]:
        if key in self._keys_down:
            return ()
        early = self._let_go_of_c(at)
        self._keys_down.add(key)
        self._quiet_since = self._now
        if self._asleep:
            self._asleep = False
            if not (key.is_digit and self._seats.anybody):
                return ()
        notice = self._passing.notice(self._now)
        self._passing.clear()
        if key is Key.CANCEL:
            self._held_c = HeldC(at, clears_refusal=notice is not None and notice.refusal)
            return early
        return (*early, self._press(key))

    def _press(self, key: Key) -> Sound:
        """Carry out a key that acts when it is pressed: any but C."""
        if self._seats.blocking:
            return Sound.ERROR
        match key:
            case Key.MILLIONS | Key.THOUSANDS:
                return self._complete_entry(key)
            case Key.GO:
                return self._pay_salary()
            case Key.FUNCTION:
                return Sound.ERROR
            case Key.COMMA if not self._seats.anybody:
                return self._turn_volume()
            case _:
                return self._type(key)

    def _key_up(self, key: Key, at: Instant) -> tuple[Sound, ...]:
        if key not in self._keys_down:
            return ()
        self._keys_down.remove(key)
        self._quiet_since = max(self._quiet_since, at)
        return self._let_go_of_c(at) if key is Key.CANCEL else ()

    def _let_go_of_c(self, at: Instant) -> tuple[Sound, ...]:
        """C counts as let go when it is, or when the next key comes while it is down."""
        held, self._held_c = self._held_c, None
        if held is None or at - held.since >= SHORT_C:
            return ()
        return (self._short_c(held),)

    def _type(self, key: Key) -> Sound:
        if not self._seats.anybody:
            return self._refuse(Text.NO_CARD)
        entry = (self._entry or Entry()).type(key)
        if entry is None:
            return Sound.ERROR
        self._entry = entry
        return Sound.KEY

    def _complete_entry(self, key: Key) -> Sound:
        """A unit key completes the entry and moves the money at once (M4, M9)."""
        entry, self._entry = self._entry, None
        payer, payee = self._account(Slot.RIGHT), self._account(Slot.LEFT)
        if payer == payee == BANK:
            return self._refuse(Text.NO_CARD)
        if entry is None or entry.is_blank:
            return self._refuse(Text.NO_AMOUNT)
        edition = self._ledger.edition
        typed = entry.worth(edition.units.of(key.value))
        if typed.below(edition.entry_minimum):
            return self._refuse(Text.MIN, edition.entry_minimum)
        if typed.above(edition.entry_maximum):
            return self._refuse(Text.MAX, edition.entry_maximum)
        if not typed.whole_multiple_of(edition.step):
            return self._refuse(Text.STEP, edition.step)
        return self._move(payer, payee, typed.amount, Purpose.ENTRY)

    def _account(self, slot: Slot) -> int:
        seat = self._seats.seated(slot)
        return seat.card if seat else BANK

    def _pay_salary(self) -> Sound:
        """The GO key (S7)."""
        if not self._seats.anybody:
            return self._refuse(Text.NO_CARD)
        left = self._seats.seated(Slot.LEFT)
        if left is None or self._seats.seated(Slot.RIGHT):
            return self._refuse(Text.LEFT_CARD_ONLY)
        self._entry = None
        if left.salary_paid:
            return self._refuse(Text.ALREADY_PAID)
        return self._move(BANK, left.card, self._ledger.edition.salary, Purpose.SALARY)

    def _move(self, payer: int, payee: int, amount: int, purpose: Purpose) -> Sound:
        """Move money, on disk before anything shows it (S6)."""
        refusal = self._ledger.refusal(payer, payee, amount)
        if refusal:
            return self._refuse(refusal)
        try:
            posting = self._ledger.move(payer, payee, amount, purpose)
        except JournalFailed:
            return self._refuse(Text.ERROR)
        visits = self._seats.visits
        self._moves.append(Move(posting, frozenset(visits)))
        self._seats.moved(visits)
        if purpose is Purpose.SALARY:
            self._seats.mark_salary(visits, paid=True)
        if BANK not in (payer, payee):
            self._passing.show_payee(self._now, payee)
        return Sound.OK

    def _short_c(self, held: HeldC) -> Sound:
        if self._seats.blocking:
            return Sound.ERROR
        if held.clears_refusal:
            return Sound.KEY
        if self._entry:
            self._entry = None
            return Sound.KEY
        try:
            return self._forget_newest() or self._reverse_newest()
        except JournalFailed:
            return self._refuse(Text.ERROR)

    def _forget_newest(self) -> Sound | None:
        """Forget the newest card that nothing was done with (S10), if there is one."""
        found = self._seats.newest_new
        if found is None:
            return None
        slot, seat = found
        self._ledger.forget(seat.card)
        self._seats.put(slot, Forgotten(seat.uid))
        return Sound.UNDO

    def _reverse_newest(self) -> Sound:
        """Take back the newest move (C2, C3)."""
        if not self._moves:
            return self._refuse(Text.NOTHING_TO_UNDO)
        move = self._moves[-1]
        self._ledger.reverse(move.posting)
        self._moves.pop()
        if move.posting.purpose is Purpose.SALARY:
            self._seats.mark_salary(move.visits, paid=False)
        return Sound.UNDO

    def _new_game(self) -> Sound:
        """C was held long enough (C4)."""
        self._held_c = None
        self._entry = None
        self._passing.clear()
        try:
            self._ledger.new_game(self._next_edition)
        except JournalFailed:
            return self._refuse(Text.ERROR)
        self._seats.begin_again()
        self._moves.clear()
        self._say(Message(Text.NEW_GAME), refusal=False)
        return Sound.NEW_GAME

    def _turn_volume(self) -> Sound:
        level = (self._ledger.volume + 1) % (LOUDEST + 1)
        try:
            self._ledger.set_volume(level)
        except JournalFailed:
            return self._refuse(Text.ERROR)
        self._say(Message(Text.VOLUME, str(level)), refusal=False)
        return Sound.VOLUME

    # Messages

    def _refuse(self, text: Text, amount: int | None = None) -> Sound:
        detail = "" if amount is None else self._ledger.edition.units.write(amount).text
        self._say(Message(text, detail), refusal=True)
        return Sound.ERROR

    def _say(self, message: Message, *, refusal: bool) -> None:
        self._passing.say(self._now, message, refusal=refusal)

    # The view

    @property
    def view(self) -> View:
        edition = self._ledger.edition
        if self._asleep:
            return dark(self.volume, edition.name)
        field, whole, number = self._big_field()
        return View(
            field=field,
            message=self._message() or whole,
            card=number,
            tenants=(self._seats.tenant(Slot.LEFT), self._seats.tenant(Slot.RIGHT)),
            volume=self.volume,
            edition=edition.name,
        )

    def _message(self) -> Message | None:
        if self._held_c and (left := self._countdown(self._held_c)):
            return Message(Text.NEW_GAME_IN, str(left))
        notice = self._passing.notice(self._now)
        if notice:
            return notice.message
        return self._seats.blocking or self._trouble()

    def _trouble(self) -> Message | None:
        """What is wrong with the box is told for as long as it is, the likely cause first."""
        if self._power_low:
            return Message(Text.LOW_POWER)
        for slot, text in READER_TEXTS.items():
            if slot in self._readers_away:
                return Message(text)
        return None

    def _countdown(self, held: HeldC) -> int | None:
        """Seconds to the new game, shown once C is no longer a short one (C4)."""
        elapsed = self._now - held.since
        return (LONG_C - elapsed + SECOND - 1) // SECOND if elapsed >= SHORT_C else None

    def _big_field(self) -> tuple[str, Message | None, int | None]:
        """The field, the whole amount when the field had to cut it (M3), and a card's number."""
        shown = self._seats.payer_or_only
        if self._seats.blocking or shown is None:
            return IDLE, None, None
        if self._entry:
            return self._entry.shown, None, None
        number = self._passing.number(self._now)
        if number is not None:
            return str(number), None, number
        card = self._passing.payee(self._now) or shown.card
        balance = self._ledger.balance(card)
        written = self._ledger.edition.units.write(balance)
        whole = None if written.exact else Message(Text.WHOLE_AMOUNT, spell_out(balance))
        return written.text, whole, None
