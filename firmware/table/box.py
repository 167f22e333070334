"""The box: a state machine of keys, cards and time, without any I/O.

How it works. Events go in through ``handle``, each with its instant; time alone
goes in through ``advance``. Both give back the sounds to play. What the screen
shows is ``view``, a pure function of the state and of the instant reached, so
nothing has to be done when a message has shown long enough: it is just no longer
part of the view. Only a few things happen by themselves: falling asleep, the new game at
the end of a long C, leaving what F has opened, and the minutes of a game against the clock.
``deadline`` says when something is next due.

The box knows keys, time and what shows. Whatever has to do with money and cards it asks of
the teller, who answers; what F opens (``firmware/desk.py``) is told keys and asks for things.

A method below that carries out a key returns the sound that the key makes, or all of its sounds.
The letters and numbers in brackets are the rules of docs/rules.md.
"""

from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import NamedTuple

from firmware import balances
from firmware import edition as editions
from firmware.desk import Desk, Do, GoBack, Look, Opened, Refuse, Shelf, Show, Stray
from firmware.edition import Edition
from firmware.entry import Entry, amount_of
from firmware.game_clock import GameClock
from firmware.house import BY_THE_BOOK, House
from firmware.ledger import Ledger
from firmware.money import spell_out
from firmware.passing import PAYER_TIME, Passing
from firmware.records import REACH, JournalFailed
from firmware.teller import Answer, Teller, refused
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
)
from hal.sounds import Sound
from hal.view import IDLE, Message, Text, View, dark, ledger_error

SHORT_C = 1 * SECOND
LONG_C = 3 * SECOND
SLEEP_AFTER = 60 * SECOND
LEAVE_AFTER = 15 * SECOND
"""What F has opened is left when nobody does anything (F2)."""

TRY_AGAIN_AFTER = 10 * SECOND
"""A ledger that is in doubt is asked again (D27)."""
AGES_KEPT = 4 * REACH
"""Postings whose age is known: more than those that HISTORY reaches, with what took them back."""

LASTING = (Text.WHOLE_AMOUNT, Text.FINAL_COUNT)
"""Messages that stand for as long as a balance does, or the whole final count."""
READER_TEXTS = {Slot.LEFT: Text.LEFT_READER, Slot.RIGHT: Text.RIGHT_READER}


class Astray(Enum):
    """Digits were meant for something that is not there, and are refused (D26, D27, D30)."""

    EXPECTED = "F has opened nothing, or what was open is gone"
    REFUSED = "one has come"


def _begun_with(refused_key: Key) -> Astray | None:
    """Were the rest of an amount taken, or the digit after F, it would be another amount."""
    if refused_key is Key.FUNCTION:
        return Astray.EXPECTED
    return Astray.REFUSED if refused_key.is_digit or refused_key is Key.COMMA else None


class HeldC(NamedTuple):
    """C is down; what it does depends on when it is let go."""

    since: Instant
    clears_refusal: bool


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
        self._now = now
        self._teller = Teller(ledger, next_edition or ledger.edition)
        self._seats = self._teller.seats
        self._entry: Entry | None = None
        self._opened: Opened | None = None
        """What F has opened."""
        self._passing = Passing()
        self._clock = GameClock.of(ledger.current, now)
        self._count_waits = False
        """Whether time was up when nobody knew what is on disk."""
        self._held_c: HeldC | None = None
        self._keys_down: set[Key] = set()
        self._quiet_since = now
        self._asleep = False
        self._astray: Astray | None = None
        self._readers_away: set[Slot] = set()
        self._power_low = False
        self._acted_at: Instant | None = now
        """The instant of the last event, until what it did has been shown."""
        self._made_at: dict[int, Instant] = {}
        """When each posting was made, of the newest since the start."""
        self._asked_at = now
        """When the ledger was last asked whether it has changed."""
        self._too_late = False
        """Whether the last event was meant for what is no longer so: a key is then refused."""

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
        if self._ledger.in_doubt:
            moments.append(Instant(self._asked_at + TRY_AGAIN_AFTER))
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
            sounds += self._fall_due()
        self._now = max(self._now, now)
        return tuple(sounds)

    def _fall_due(self) -> list[Sound]:
        """What happens by itself at this moment."""
        sounds = []
        if self._held_c and self._now >= self._held_c.since + LONG_C:
            sounds.append(self._new_game())
        if self._clock and self._clock.next_minute == self._now:
            sounds += self._minute_over(self._clock.minute_over())
        if self._ledger.in_doubt and self._now >= self._asked_at + TRY_AGAIN_AFTER:
            # Nobody has pressed a key for so long: whatever is typed from now on is another amount.
            self._take_in_changes()
        if self._asleep or self._keys_down:
            return sounds
        if self._now >= self._quiet_since + LEAVE_AFTER:
            self._opened = None
        if self._now >= self._quiet_since + SLEEP_AFTER:
            self._asleep = True
            self._drop_what_goes_on()
        return sounds

    def _minute_over(self, clock: GameClock) -> list[Sound]:
        """Keep what has been played (F22); a disk that refuses costs a minute at most."""
        self._clock = clock
        if clock.left:
            self._keep_time()
            return []
        return [self._time_up()]

    def _keep_time(self) -> None:
        if self._clock:
            with suppress(JournalFailed):
                self._ledger.keep_time(self._clock.played(self._now))

    def _time_up(self) -> Sound:
        self._take_in_changes()
        self._held_c = None
        self._wake()
        self._open_count()
        return self._tell(Answer(Sound.ALARM, Message(Text.TIME)))

    def _open_count(self) -> None:
        """Time is up (F22); in a doubt, the count opens when that is over (D27)."""
        try:
            self._teller.open_count()
        except JournalFailed:
            self._count_waits = self._ledger.in_doubt
        else:
            # After the count: were the power cut in between, the last minute would be played again.
            self._keep_time()

    def shown(self, now: Instant) -> None:
        """What the last event did went out only now: a slow disk or bus takes nothing away."""
        acted, self._acted_at = self._acted_at, None
        if acted is None or now <= acted:
            return
        self._passing.postpone(acted, now)
        if self._quiet_since == acted:
            self._quiet_since = now

    def _wake(self) -> None:
        """Something happened that wakes the box and drops what was going on."""
        self._asleep = False
        self._stir()

    def _drop_what_goes_on(self) -> None:
        self._astray = None
        self._entry = None
        self._opened = None
        self._passing.clear()

    # Events

    def handle(self, event: Event) -> tuple[Sound, ...]:
        """Take in what happened, after all that time alone did before it (G4)."""
        sounds = self.advance(event.at)
        astray, in_doubt = self._astray, self._ledger.in_doubt
        self._too_late = self._take_in_changes() or in_doubt
        if in_doubt:
            self._astray = astray
        made = self._made_of(event)
        if made and isinstance(event, KeyUp):
            self._quiet_since = self._now
        # A key that is merely let go does nothing that anybody sees.
        if made or not isinstance(event, KeyUp):
            self._acted_at = self._now
        return sounds + made

    def _take_in_changes(self) -> bool:
        """The ledger may have changed beside us; whether what the table was at is of before."""
        self._asked_at = self._now
        in_doubt, game = self._ledger.in_doubt, self._ledger.game
        if not self._ledger.refresh():
            return False
        card_gone = self._teller.recognise_again()
        if not (card_gone or in_doubt or self._opened is not None):
            return False
        self._drop_what_goes_on()
        self._held_c = None
        if in_doubt:
            self._after_doubt(game)
        else:
            # Digits to come are the rest of what was meant for the card or the list (D30).
            self._astray = Astray.EXPECTED
        return True

    def _after_doubt(self, game: int) -> None:
        """What the ledger has come to is nothing that anybody here has seen (D27)."""
        self._teller.look_again()
        count_waits, self._count_waits = self._count_waits, False
        if self._ledger.game != game:
            self._clock = GameClock.of(self._ledger.current, self._now)
        elif count_waits:
            self._open_count()

    def _made_of(self, event: Event) -> tuple[Sound, ...]:
        match event:
            case KeyDown(key=key):
                return self._key_down(key, event.at)
            case KeyUp(key=key):
                return self._key_up(key, event.at)
            case CardIn(slot=slot, uid=uid):
                return self._card_in(slot, self._teller.card_in(slot, uid))
            case CardsClash(slot=slot):
                return self._card_in(slot, self._teller.turn_away(slot, None, Text.ONE_CARD))
            case CardOut(slot=slot):
                return self._card_out(slot)
            case ReaderLost(slot=slot):
                self._readers_away.add(slot)
                return self._reader_lost(slot)
            case ReaderBack(slot=slot):
                self._readers_away.discard(slot)
                return ()
            case PowerLow() | PowerGood():
                self._power_low = isinstance(event, PowerLow)
                return ()

    def _card_in(self, slot: Slot, answer: Answer) -> tuple[Sound, ...]:
        """A card put in wakes the box (P2) and drops what was going on (G2, S4, F2)."""
        self._wake()
        seat = self._seats.seated(slot)
        if seat and not self._seats.blocking:
            self._passing.show_number(self._now, seat.card)
            return (self._tell(answer),)
        return (answer.sound,)

    def _card_out(self, slot: Slot) -> tuple[Sound, ...]:
        """Notice it, also in sleep, which it does not end (P2)."""
        counted = self._teller.ends_count(slot)
        if self._teller.card_out(slot):
            self._stir()
        return (Sound.OK,) if counted else ()

    def _reader_lost(self, slot: Slot) -> tuple[Sound, ...]:
        if self._teller.reader_lost(slot):
            self._stir()
        return ()

    def _stir(self) -> None:
        """Something happened at a slot, which wakes nobody."""
        self._quiet_since = self._now
        self._drop_what_goes_on()

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
                self._astray = Astray.EXPECTED if key is Key.FUNCTION else None
                return ()
        notice = self._passing.notice(self._now)
        self._passing.clear()
        astray = self._astray
        if not (key.is_digit or key is Key.COMMA):
            self._astray = None
        if key is Key.CANCEL and self._too_late:
            return (*early, Sound.ERROR)
        if key is Key.CANCEL:
            refused_before = astray is Astray.REFUSED or (notice is not None and notice.refusal)
            self._held_c = HeldC(at, clears_refusal=refused_before)
            return early
        return (*early, self._press(key))

    def _press(self, key: Key) -> Sound:
        """Carry out a key that acts when it is pressed: any but C."""
        if self._too_late:
            self._astray = _begun_with(key)
            return Sound.ERROR
        if self._seats.blocking:
            return Sound.ERROR
        if key is Key.FUNCTION:
            return self._open_list()
        if self._opened is not None:
            return self._press_in(self._opened, key)
        match key:
            case Key.COMMA if not self._seats.anybody:
                return self._ask(self._teller.turn_volume)
            case Key.GO:
                return Sound.ERROR if self._ledger.current.counting else self._go()
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
            return self._tell(refused(refusal))
        entry = (self._entry or Entry()).type(key)
        if self._astray:
            self._astray = Astray.REFUSED
            return Sound.ERROR
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
            return self._tell(refused(refusal))
        amount = amount_of(entry, key, self._ledger.edition)
        if isinstance(amount, Message):
            return self._tell(refused(amount))
        return self._ask(lambda: self._teller.enter(amount))

    def _go(self) -> Sound:
        """The GO key (S7)."""
        if not self._seats.anybody:
            return self._tell(refused(Text.NO_CARD))
        if not self._seats.seated(Slot.LEFT) or self._seats.seated(Slot.RIGHT):
            return self._tell(refused(Text.LEFT_CARD_ONLY))
        self._entry = None
        return self._ask(self._teller.pay_salary)

    def _short_c(self, held: HeldC) -> Sound:
        if self._seats.blocking or self._ledger.in_doubt:
            return Sound.ERROR
        if held.clears_refusal:
            return Sound.KEY
        if self._opened is not None or self._entry:
            self._opened = self._entry = None
            return Sound.KEY
        return self._ask(self._teller.undo)

    def _new_game(self) -> Sound:
        """C was held long enough (C4)."""
        self._held_c = None
        self._take_in_changes()
        self._drop_what_goes_on()
        self._keep_time()
        self._acted_at = self._now
        return self._ask(self._teller.new_game)

    # The F key

    def _open_list(self) -> Sound:
        # Not at the start of the box, which nobody's F should make longer.
        from firmware.functions import FunctionList

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
                return self._tell(refused(message)) if message else Sound.ERROR
            case Stray():
                self._opened = None
                self._astray = Astray.REFUSED
                return Sound.ERROR
            case Do(action):
                self._opened = None
                if isinstance(action, GoBack):
                    self._keep_time()
                return self._ask(lambda: self._teller.carry_out(action))

    # Answers

    def _ask(self, teller: Callable[[], Answer]) -> Sound:
        """Ask the teller for something, and tell the table what comes of it."""
        last = self._ledger.last_posting
        try:
            answer = teller()
        except JournalFailed:
            answer = refused(Text.ERROR)
        self._note_ages(range(last + 1, self._ledger.last_posting + 1))
        if answer.other_game:
            self._clock = GameClock.of(self._ledger.current, self._now)
        return self._tell(answer)

    def _note_ages(self, postings: range) -> None:
        for posting in postings:
            self._made_at[posting] = self._now
        for oldest in list(self._made_at)[:-AGES_KEPT]:
            del self._made_at[oldest]

    def _tell(self, answer: Answer) -> Sound:
        if answer.message:
            self._passing.say(self._now, answer.message, refusal=answer.refusal)
        if answer.payee is not None:
            wait = 0 if answer.payee_at_once else PAYER_TIME
            self._passing.show_payee(self._now, answer.payee, wait)
        return answer.sound

    # The view

    @property
    def view(self) -> View:
        edition = self._ledger.edition
        if self._asleep:
            return dark(self.volume, edition.name)
        if self._ledger.in_doubt:
            return ledger_error()
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
        left = self._countdown
        if left is not None:
            return Message(Text.NEW_GAME_IN, str(left))
        notice = self._passing.notice(self._now)
        return notice.message if notice else self._seats.blocking

    @property
    def _countdown(self) -> int | None:
        """Seconds to the new game, shown once C is no longer a short one (C4)."""
        if self._held_c is None:
            return None
        elapsed = self._now - self._held_c.since
        return (LONG_C - elapsed + SECOND - 1) // SECOND if elapsed >= SHORT_C else None

    def _trouble_or(self, look: Look) -> Message | None:
        """What is wrong with the box yields to what F says, and not to what stands there long."""
        lasting = look.message is None or look.message.text in LASTING
        trouble = self._trouble() if lasting and not look.menu else None
        return trouble or look.message

    def _trouble(self) -> Message | None:
        """What is wrong with the box is told for as long as it is, the likely cause first."""
        if self._power_low:
            return Message(Text.LOW_POWER)
        for slot, text in READER_TEXTS.items():
            if slot in self._readers_away:
                return Message(text)
        return None

    def _look(self) -> Look:
        """What shows below the status row, but for messages that pass."""
        if self._seats.blocking:
            return Look(IDLE)
        if self._opened is not None and self._countdown is None:
            return self._opened.look(self._desk)
        label = Message(Text.FINAL_COUNT) if self._ledger.current.counting else None
        if self._entry:
            return Look(self._entry.shown, label)
        number = self._passing.number(self._now)
        if number is not None:
            return Look(str(number), label, card=number)
        return self._count_shown(label) if label else self._balance_shown()

    def _balance_shown(self) -> Look:
        shown = self._seats.payer_or_only
        if shown is None:
            return Look(IDLE)
        card = self._passing.payee(self._now) or shown.card
        return self._amount_shown(self._ledger.balance(card))

    def _count_shown(self, label: Message) -> Look:
        """The left card's worth, or in the end everybody's (F16, F17)."""
        left = self._seats.seated(Slot.LEFT)
        if left:
            worth = self._ledger.balance(left.card) + self._ledger.current.added(left.card)
            return self._amount_shown(worth, label)
        if balances.all_counted(self._ledger):
            return balances.ranking(self._ledger)
        return Look(IDLE, label)

    def _amount_shown(self, amount: int, message: Message | None = None) -> Look:
        """An amount, and the message line with the whole of it when it had to be cut (M3)."""
        written = self._ledger.edition.units.write(amount)
        whole = None if written.exact else Message(Text.WHOLE_AMOUNT, spell_out(amount))
        return Look(written.text, whole or message)
