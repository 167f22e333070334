"""The box: a state machine of keys, cards and time, without any I/O.

How it works. Events go in through ``handle``, each with its instant; time alone
goes in through ``advance``. Both give back the sounds to play. What the screen
shows is ``view``, a pure function of the state and of the instant reached, so
nothing has to be done when a message has shown long enough: it is just no longer
part of the view. Only a few things happen by themselves: falling asleep, the new game at
the end of a long C, leaving what F has opened, and the minutes of a game against the clock.
``deadline`` says when something is next due.

What F opens is described in ``firmware/desk.py``: it is told keys, and asks the box to do
things. The final count is a way for the whole box to be, and is here.

Every method below that carries out a key returns the sound that the key makes.
The letters and numbers in brackets are the rules of docs/rules.md.
"""

from contextlib import suppress
from typing import NamedTuple

from firmware import balances
from firmware import edition as editions
from firmware.desk import (
    Action,
    ChooseEdition,
    ChooseKind,
    Desk,
    Do,
    ForgetCard,
    GoBack,
    Look,
    OpenCount,
    Opened,
    Pay,
    Refuse,
    Shelf,
    Show,
    TakeBack,
)
from firmware.edition import Edition
from firmware.entry import Entry, amount_of
from firmware.functions import FunctionList
from firmware.game_clock import GameClock
from firmware.house import BY_THE_BOOK, House
from firmware.ledger import Ledger
from firmware.mistake import Mistake
from firmware.money import spell_out
from firmware.passing import PAYER_TIME, Passing
from firmware.records import BANK, JournalFailed, Kind, Posting, Purpose
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
LEAVE_AFTER = 15 * SECOND
"""What F has opened is left when nobody does anything (F2)."""

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

    def __init__(
        self,
        ledger: Ledger,
        now: Instant,
        next_edition: Edition | None = None,
        house: House = BY_THE_BOOK,
        shelf: Shelf = editions,
    ) -> None:
        self._ledger = ledger
        self._house = house
        self._shelf = shelf
        self._next_edition = next_edition or ledger.edition
        self._now = now
        self._seats = Seats()
        self._entry: Entry | None = None
        self._passing = Passing()
        self._opened: Opened | None = None
        """What F has opened."""
        self._moves: list[Move] = []
        self._made_at: dict[int, Instant] = {}
        """When each posting was made, of those since the start."""
        self._clock = GameClock.of(ledger.current, now)
        self._interrupted = ledger.current.last_counted if ledger.current.counting else None
        """The card that was being counted when the power went: it goes on, if it comes first."""
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
        ahead = [moment for moment in self._moments() if moment > self._now]
        return min(ahead, default=None)

    def _moments(self) -> list[Instant]:
        """The instants at which something ends or begins."""
        moments = [self._clock.next_minute] if self._clock and self._clock.next_minute else []
        if self._asleep:
            return moments
        moments += self._passing.moments()
        if self._held_c:
            moments += [Instant(self._held_c.since + n * SECOND) for n in (1, 2, 3)]
        if not self._keys_down:
            moments.append(Instant(self._quiet_since + SLEEP_AFTER))
            if self._opened is not None:
                moments.append(Instant(self._quiet_since + LEAVE_AFTER))
        return moments

    def advance(self, now: Instant) -> tuple[Sound, ...]:
        """Let time pass up to an instant; it never goes back."""
        sounds: list[Sound] = []
        while (moment := self.deadline) is not None and moment <= now:
            self._now = moment
            sounds += self._fall_due(moment)
        self._now = max(self._now, now)
        return tuple(sounds)

    def _fall_due(self, moment: Instant) -> list[Sound]:
        """What happens by itself at a moment."""
        sounds = []
        if self._held_c and moment >= self._held_c.since + LONG_C:
            sounds.append(self._new_game())
            self._acted_at = moment
        if self._clock and self._clock.next_minute == moment:
            sounds += self._minute_over(self._clock.minute_over())
        if self._asleep or self._keys_down:
            return sounds
        if moment >= self._quiet_since + LEAVE_AFTER:
            self._opened = None
        if moment >= self._quiet_since + SLEEP_AFTER:
            self._fall_asleep()
        return sounds

    def _minute_over(self, clock: GameClock) -> list[Sound]:
        """Keep what has been played (F22); a disk that refuses costs a minute at most."""
        self._clock = clock
        with suppress(JournalFailed):
            self._ledger.minute_played(clock.played)
        if clock.left:
            return []
        self._wake()
        self._open_count()
        self._say(Message(Text.TIME), refusal=False)
        return [Sound.ALARM]

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
        self._drop_what_goes_on()

    def _drop_what_goes_on(self) -> None:
        self._entry = None
        self._opened = None
        self._passing.clear()

    def _wake(self) -> None:
        """Something happened that wakes the box and drops what was going on."""
        self._asleep = False
        self._quiet_since = self._now
        self._drop_what_goes_on()

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
                self._drop_what_goes_on()
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
        if number in self._ledger.current.out:
            return self._turn_away(slot, uid, Message(Text.OUT))
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
        self._wake()
        self._seats.put(slot, seat)
        self._join(slot, seat.card)
        if self._seats.blocking is None:
            self._passing.show_number(self._now, seat.card)
            if message:
                self._say(message, refusal=False)
        return (Sound.CARD,)

    def _join(self, slot: Slot, card: int) -> None:
        """A card is in the game from now on, and in the final count if that is open (F16)."""
        # On a disk that refuses, every move does, and says so; a card may still be put in.
        with suppress(JournalFailed):
            self._ledger.join(card)
            if slot is Slot.LEFT:
                going_on, self._interrupted = self._interrupted, None
                if self._ledger.current.counting and card != going_on:
                    self._ledger.count(card, 0)

    def _turn_away(self, slot: Slot, uid: bytes | None, message: Message) -> tuple[Sound, ...]:
        if not isinstance(self._seats[slot], Vacant):
            self._vacate(slot)
        self._wake()
        self._seats.put(slot, Refused(self._seats.next_visit(), uid, message))
        return (Sound.ERROR,)

    def _card_out(self, slot: Slot) -> tuple[Sound, ...]:
        """Notice it, also in sleep, which it does not end (P2)."""
        if isinstance(self._seats[slot], Vacant):
            return ()
        counted = slot is Slot.LEFT and self._seats.seated(slot) and self._ledger.current.counting
        self._vacate(slot)
        self._quiet_since = self._now
        self._drop_what_goes_on()
        return (Sound.OK,) if counted and balances.all_counted(self._ledger) else ()

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
        if key is Key.FUNCTION:
            return self._open_list()
        if self._opened is not None:
            return self._press_in(self._opened, key)
        match key:
            case Key.COMMA if not self._seats.anybody:
                return self._turn_volume()
            case Key.GO:
                return Sound.ERROR if self._ledger.current.counting else self._pay_salary()
            case Key.MILLIONS | Key.THOUSANDS:
                return self._complete_entry(key)
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
        refusal = self._nobody_to_serve()
        if refusal:
            return self._refuse(refusal)
        entry = (self._entry or Entry()).type(key)
        if entry is None:
            return Sound.ERROR
        self._entry = entry
        return Sound.KEY

    def _nobody_to_serve(self) -> Text | None:
        """Why an entry makes no sense (S8), in the final count without a left card (F16)."""
        if not self._seats.anybody:
            return Text.NO_CARD
        if self._ledger.current.counting and not self._seats.seated(Slot.LEFT):
            return Text.LEFT_CARD_ONLY
        return None

    def _complete_entry(self, key: Key) -> Sound:
        """A unit key completes the entry and moves the money at once (M4, M9)."""
        entry, self._entry = self._entry or Entry(), None
        refusal = self._nobody_to_serve()
        if refusal:
            return self._refuse(refusal)
        amount = amount_of(entry, key, self._ledger.edition)
        if isinstance(amount, Message):
            return self._refuse_with(amount)
        if self._ledger.current.counting:
            return self._add_to_count(amount)
        return self._move(
            self._account(Slot.RIGHT), self._account(Slot.LEFT), amount, Purpose.ENTRY
        )

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
        self._made_at[posting.id] = self._now
        visits = {seat.visit for _, seat in self._seats.all_seated() if seat.card in (payer, payee)}
        self._moves.append(Move(posting, frozenset(visits)))
        self._seats.moved(visits)
        if purpose is Purpose.SALARY:
            self._seats.mark_salary(visits, paid=True)
        self._show_balances_of(payer, payee)
        return self._end_fast_game() if purpose is Purpose.BANKRUPTCY else Sound.OK

    def _show_balances_of(self, payer: int, payee: int) -> None:
        """The payer's for a while, then the payee's (S3); at once if the bank or the pot paid."""
        left, right = (self._seats.seated(slot) for slot in Slot)
        if left and right and left.card == payee:
            paid = payer == right.card
            self._passing.show_payee(self._now, payee, wait=PAYER_TIME if paid else 0)

    def _short_c(self, held: HeldC) -> Sound:
        if self._seats.blocking:
            return Sound.ERROR
        if held.clears_refusal:
            return Sound.KEY
        if self._opened is not None or self._entry:
            self._opened = self._entry = None
            return Sound.KEY
        try:
            if self._ledger.current.counting:
                self._ledger.leave_count()
                return Sound.KEY
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
        return self._reverse(self._moves[-1].posting)

    def _reverse(self, posting: Posting) -> Sound:
        """Take back a move, if what it moved is still there."""
        refusal = self._ledger.refusal_to_reverse(posting)
        if refusal:
            return self._refuse(refusal)
        self._ledger.reverse(posting)
        for move in self._moves:
            if move.posting == posting and posting.purpose is Purpose.SALARY:
                self._seats.mark_salary(move.visits, paid=False)
        self._moves = [move for move in self._moves if move.posting != posting]
        return Sound.UNDO

    # Games

    def _new_game(self) -> Sound:
        """C was held long enough (C4)."""
        self._held_c = None
        self._drop_what_goes_on()
        numbers = [self._ledger.number_of(uid) for _, uid in self._seats.players_in()]
        try:
            self._ledger.next_game(self._next_edition, [n for n in numbers if n is not None])
        except JournalFailed:
            return self._refuse(Text.ERROR)
        self._begin_again()
        self._say(Message(Text.NEW_GAME), refusal=False)
        return Sound.NEW_GAME

    def _begin_again(self) -> None:
        """Another game is played: cards that are in count as just put in (C4)."""
        self._moves.clear()
        self._clock = GameClock.of(self._ledger.current, self._now)
        self._interrupted = None
        for slot, uid in self._seats.players_in():
            number = self._ledger.number_of(uid)
            visit = self._seats.next_visit()
            if number is None:
                self._seats.put(slot, Refused(visit, uid, Message(Text.UNKNOWN_CARD)))
            elif number in self._ledger.current.out:
                self._seats.put(slot, Refused(visit, uid, Message(Text.OUT)))
            else:
                self._seats.put(slot, Seated(visit, uid, number))
                self._join(slot, number)

    def _end_fast_game(self) -> Sound:
        """After a bankruptcy, which may be the one that ends a fast game (F21)."""
        game = self._ledger.current
        last = game.edition.fast_game.ends_at_bankruptcy
        over = len(game.out) >= last or len(self._ledger.players) <= 1
        if game.kind is not Kind.FAST or not over:
            return Sound.OK
        self._passing.clear()
        self._open_count()
        return Sound.ALARM

    # The final count

    def _open_count(self) -> None:
        """From now on entries add to what a card is worth (F16)."""
        try:
            self._ledger.open_count()
            left = self._seats.seated(Slot.LEFT)
            if left and not self._ledger.current.is_counted(left.card):
                self._ledger.count(left.card, 0)
        except JournalFailed:
            self._refuse(Text.ERROR)

    def _add_to_count(self, amount: int) -> Sound:
        card = self._account(Slot.LEFT)
        try:
            self._ledger.count(card, self._ledger.current.added(card) + amount)
        except JournalFailed:
            return self._refuse(Text.ERROR)
        return Sound.OK

    # The F key

    def _open_list(self) -> Sound:
        self._entry = None
        match self._opened:
            case FunctionList() as page:
                self._opened = page.turned(self._desk)
            case _:
                self._opened = FunctionList()
        return Sound.KEY

    @property
    def _desk(self) -> Desk:
        left, right = (self._seats.seated(slot) for slot in Slot)
        return Desk(
            self._ledger,
            left.card if left else None,
            right.card if right else None,
            self._house,
            self._shelf,
            self._made_at,
            self._now,
        )

    def _press_in(self, opened: Opened, key: Key) -> Sound:
        match opened.press(key, self._desk):
            case Show(another):
                self._opened = another
                return Sound.KEY
            case Refuse(another, message):
                self._opened = another
                return self._refuse_with(message) if message else Sound.ERROR
            case Do(action):
                self._opened = None
                try:
                    return self._carry_out(action)
                except JournalFailed:
                    return self._refuse(Text.ERROR)

    def _carry_out(self, action: Action) -> Sound:
        match action:
            case Pay(payer, payee, amount, purpose):
                return self._move(payer, payee, amount, purpose)
            case TakeBack(posting):
                return self._reverse(posting)
            case OpenCount():
                self._open_count()
                return Sound.KEY
            case ChooseKind(kind, minutes):
                self._ledger.choose_kind(kind, minutes)
                self._say(_next(kind, minutes), refusal=False)
                return Sound.KEY
            case ChooseEdition(name):
                return self._choose_edition(name)
            case ForgetCard(number):
                self._ledger.forget(number)
                self._recognise_again()
                self._say(Message(Text.FORGOTTEN), refusal=False)
                return Sound.UNDO
            case GoBack():
                self._ledger.go_back()
                self._begin_again()
                self._say(Message(Text.GAME_BACK), refusal=False)
                return Sound.UNDO

    def _choose_edition(self, name: str) -> Sound:
        try:
            self._ledger.choose_edition(self._shelf.load(name))
        except Mistake:
            return self._refuse(Text.ERROR)
        self._say(Message(Text.NEXT, name), refusal=False)
        return Sound.KEY

    def _turn_volume(self) -> Sound:
        level = (self._ledger.volume + 1) % (LOUDEST + 1)
        try:
            self._ledger.set_volume(level)
        except JournalFailed:
            return self._refuse(Text.ERROR)
        self._say(Message(Text.VOLUME, str(level)), refusal=False)
        return Sound.VOLUME

    # Messages

    def _refuse(self, text: Text) -> Sound:
        return self._refuse_with(Message(text))

    def _refuse_with(self, message: Message) -> Sound:
        self._say(message, refusal=True)
        return Sound.ERROR

    def _say(self, message: Message, *, refusal: bool) -> None:
        self._passing.say(self._now, message, refusal=refusal)

    # The view

    @property
    def view(self) -> View:
        edition = self._ledger.edition
        if self._asleep:
            return dark(self.volume, edition.name)
        look = self._look()
        return View(
            field=look.field,
            message=self._message() or self._trouble_or(look),
            card=look.card,
            tenants=(self._seats.tenant(Slot.LEFT), self._seats.tenant(Slot.RIGHT)),
            volume=self.volume,
            edition=edition.name,
            menu=look.menu,
            table=look.table,
            minutes_left=self._clock.left if self._clock else None,
        )

    def _message(self) -> Message | None:
        """What the message line says, whatever the big field shows."""
        if self._held_c and (left := self._countdown(self._held_c)):
            return Message(Text.NEW_GAME_IN, str(left))
        notice = self._passing.notice(self._now)
        return notice.message if notice else self._seats.blocking

    def _trouble_or(self, look: Look) -> Message | None:
        """What is wrong with the box yields to what F says, and not to a mere amount."""
        says_more = look.menu or (look.message and look.message.text is not Text.WHOLE_AMOUNT)
        return look.message if says_more else self._trouble() or look.message

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

    def _look(self) -> Look:
        """What shows below the status row, but for messages that pass."""
        counting_down = self._held_c is not None and self._countdown(self._held_c) is not None
        if self._seats.blocking:
            return Look(IDLE)
        if self._opened is not None and not counting_down:
            return self._opened.look(self._desk)
        if self._entry:
            return Look(self._entry.shown)
        number = self._passing.number(self._now)
        if number is not None:
            return Look(str(number), card=number)
        return self._count_shown() if self._ledger.current.counting else self._balance_shown()

    def _balance_shown(self) -> Look:
        shown = self._seats.payer_or_only
        if shown is None:
            return Look(IDLE)
        card = self._passing.payee(self._now) or shown.card
        return self._amount_shown(self._ledger.balance(card), None)

    def _count_shown(self) -> Look:
        """The left card's worth, or in the end everybody's (F16, F17)."""
        left = self._seats.seated(Slot.LEFT)
        if left:
            worth = self._ledger.balance(left.card) + self._ledger.current.added(left.card)
            return self._amount_shown(worth, Message(Text.FINAL_COUNT))
        if balances.all_counted(self._ledger):
            return balances.ranking(self._ledger)
        return Look(IDLE, Message(Text.FINAL_COUNT))

    def _amount_shown(self, amount: int, message: Message | None) -> Look:
        """An amount, and the message line with the whole of it when it had to be cut (M3)."""
        written = self._ledger.edition.units.write(amount)
        whole = None if written.exact else Message(Text.WHOLE_AMOUNT, spell_out(amount))
        return Look(written.text, whole or message)


def _next(kind: Kind, minutes: int) -> Message:
    """What was chosen for the next game."""
    match kind:
        case Kind.NORMAL:
            return Message(Text.NEXT, Text.NORMAL)
        case Kind.FAST:
            return Message(Text.NEXT, Text.FAST)
        case Kind.CLOCK:
            return Message(Text.NEXT_CLOCK, str(minutes))
