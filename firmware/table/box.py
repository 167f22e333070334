"""The box: a state machine of keys, cards and time, without any I/O.

Events go in through ``handle``, each with its instant; time alone goes in through ``advance``.
Both return the sounds to play. ``view`` is what the screen shows (``firmware/table/shown.py``).
Four things happen without an event: the box falls asleep, a long C starts a new game, what F has
opened closes, and a minute of a timed game ends. ``deadline`` says when the next one is due.

The box knows keys and time. The teller (``firmware/table/teller.py``) decides about cards and
money. What F opens (``firmware/table/menu``) gets keys, and returns what the box is to do.

A method that carries out a key returns the sound that the key makes, or all of its sounds. The
letters and numbers in brackets are the rules of docs/rules.md.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.entry import Entry, amount_of
from firmware.bank.house_rules import BY_THE_BOOK, HouseRules
from firmware.bank.ledger import Ledger
from firmware.bank.records import UNDO_LIMIT, JournalFailed
from firmware.bank.refusals import Refusal
from firmware.table.captions import caption
from firmware.table.game_clock import GameClock
from firmware.table.modes import KEYS, Act, Mode
from firmware.table.shown import Shown
from firmware.table.teller import WINNER_QUESTION, Reply, Teller, refused
from firmware.table.transient import PAYER_TIME, Notice, Transient
from hal.display.messages import Message, Text
from hal.display.sounds import Sound
from hal.display.view import View
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

if TYPE_CHECKING:
    from firmware.table.menu import menu

T = TypeVar("T")

SHORT_C = 1 * SECOND
LONG_C = 3 * SECOND
SLEEP_AFTER = 60 * SECOND
CLOSE_AFTER = 15 * SECOND
"""Without a key or card for so long, a list closes (N3)."""
HOLD_M = 1 * SECOND
EMPTY_FOR = 1 * SECOND
"""Both slots empty for so long acknowledge an interruption (N2)."""

TRY_AGAIN_AFTER = 10 * SECOND
"""How often a ledger in doubt is retried (D27)."""
AGES_KEPT = 4 * UNDO_LIMIT
"""How many postings have a known age: all that HISTORY reaches, and their reversals."""

REFUSALS = {Act.NOT_DONE: Text.NOT_DONE, Act.NO_CARD: Text.NO_CARD}
"""What a key only says (N2, S8)."""
READER_TEXTS = {Slot.LEFT: Text.LEFT_READER, Slot.RIGHT: Text.RIGHT_READER}


class HeldC(NamedTuple):
    """C is down. What it does depends on how long it is held, and on what showed at first."""

    since: Instant
    act: Act
    target: object
    """What C would take back or do (``Teller.c_target``)."""
    only_clears: bool
    """Whether it only clears a refusal's message, or a question of the final count."""


class HeldM(NamedTuple):
    """M is down in a question that wants it to be held (F5)."""

    since: Instant
    action: "menu.MenuAction"


def _is_cleared_by_c(notice: Notice) -> bool:
    """True if a short C only removes this message (G3, F16).

    At CLEAR FIRST it clears the entry instead (S7).
    """
    is_refusal = notice.is_refusal and notice.message.text is not Text.CLEAR_FIRST
    return is_refusal or notice.message == WINNER_QUESTION


class Box:
    """The bank's behaviour at the table."""

    def __init__(
        self,
        ledger: Ledger,
        now: Instant,
        next_edition: Edition | None = None,
        house: HouseRules = BY_THE_BOOK,
        catalog: "menu.EditionCatalog" = editions,
    ) -> None:
        self._ledger = ledger
        self._house = house
        self._catalog = catalog
        self._now = now
        self._teller = Teller(ledger, next_edition or ledger.edition)
        self._seats = self._teller.seats
        self._half_done: Entry | menu.Question | None = None
        """The entry that is being typed, or what F has opened."""
        self._transient = Transient()
        self._clock = GameClock.of(ledger.current, now)
        self._count_waits = False
        """Whether time is up, and the count opens when nothing is half done or in doubt (F22)."""
        self._held_c: HeldC | None = None
        self._held_m: HeldM | None = None
        self._keys_down: set[Key] = set()
        self._quiet_since = now
        """Since when no key is down and no card has moved."""
        self._alarm_at = now
        """When the time of a game was up; the box stays awake for a minute."""
        self._asleep = False
        self._interrupted_at: Instant | None = None
        """When something half done was interrupted, until it is acknowledged (N2)."""
        self._empty_since: Instant | None = now
        """When both slots became empty.

        None while a card is in, or while a reader is lost: it may hold a card.
        """
        self._readers_away: set[Slot] = set()
        self._power_low = False
        self._acted_at: Instant | None = now
        """The instant of the last event, until its effect has been shown."""
        self._made_at: dict[int, Instant] = {}
        """When the newest postings since the start were made."""
        self._asked_at = now
        """When the ledger was last checked for changes."""
        self._stale = False
        """Whether the last event was meant for a state that has changed; a key is then refused."""

    @property
    def asleep(self) -> bool:
        return self._asleep

    @property
    def volume(self) -> int:
        return self._ledger.state.volume

    @property
    def mode(self) -> Mode:
        """Decides what the keys do (``firmware/table/modes.py``)."""
        if self._asleep:
            return Mode.ASLEEP
        if self._ledger.in_doubt:
            return Mode.IN_DOUBT
        if self._seats.blocking:
            return Mode.BLOCKED
        counting = self._ledger.current.counting
        if self._opened is not None:
            return Mode.MENU
        if self._entry is not None:
            return Mode.TYPING_WORTH if counting else Mode.TYPING
        if self._interrupted_at is not None:
            return Mode.INTERRUPTED if self._empty_since is None else Mode.INTERRUPTED_NO_CARD
        if self._seats.occupied:
            return Mode.COUNTING if counting else Mode.READY
        return Mode.COUNTING_NO_CARD if counting else Mode.NO_CARD

    @property
    def _entry(self) -> Entry | None:
        return self._half_done if isinstance(self._half_done, Entry) else None

    @property
    def _opened(self) -> "menu.Question | None":
        return None if isinstance(self._half_done, Entry) else self._half_done

    # Time

    @property
    def deadline(self) -> Instant | None:
        """When the box must next be told the time; None: never."""
        ahead = [moment for moment in self._moments() if moment > self._now]
        return min(ahead, default=None)

    def _moments(self) -> list[Instant]:
        """The instants at which something ends or begins."""
        moments = [self._clock.next_minute] if self._clock and self._clock.next_minute else []
        if (acknowledged := self._acknowledged_at) is not None:
            moments.append(acknowledged)
        if self._asleep:
            return moments
        moments += self._transient.moments()
        if self._ledger.in_doubt:
            moments.append(Instant(self._asked_at + TRY_AGAIN_AFTER))
        if self._held_c:
            moments += [Instant(self._held_c.since + n * SECOND) for n in (1, 2, 3)]
        if self._held_m:
            moments.append(Instant(self._held_m.since + HOLD_M))
        if not self._keys_down:
            moments.append(self._sleeps_at)
            if self._list_open:
                moments.append(Instant(self._quiet_since + CLOSE_AFTER))
        return moments

    @property
    def _acknowledged_at(self) -> Instant | None:
        """When empty slots will acknowledge the interruption (N2)."""
        if self._interrupted_at is None or self._empty_since is None:
            return None
        return Instant(max(self._interrupted_at, self._empty_since) + EMPTY_FOR)

    @property
    def _sleeps_at(self) -> Instant:
        return Instant(max(self._quiet_since, self._alarm_at) + SLEEP_AFTER)

    @property
    def _list_open(self) -> bool:
        return self._opened is not None and self._opened.nature.is_list

    def advance(self, now: Instant) -> tuple[Sound, ...]:
        """Let time pass up to an instant. It never goes back."""
        sounds: list[Sound] = []
        while (moment := self.deadline) is not None and moment <= now:
            self._now = moment
            sounds += self._fall_due()
        self._now = max(self._now, now)
        return tuple(sounds)

    def _fall_due(self) -> list[Sound]:
        """Do what is due at this instant."""
        sounds = []
        if self._held_m and self._now >= self._held_m.since + HOLD_M:
            sounds.append(self._hold_over(self._held_m.action))
        if self._held_c and self._now >= self._held_c.since + LONG_C:
            sounds.append(self._new_game())
        if self._clock and self._clock.next_minute == self._now:
            sounds += self._minute_over(self._clock.minute_over())
        if self._ledger.in_doubt and self._now >= self._asked_at + TRY_AGAIN_AFTER:
            # An amount typed after this is a new one (D27).
            self._take_in_changes()
        if (acknowledged := self._acknowledged_at) is not None and self._now >= acknowledged:
            self._interrupted_at = None
        if not self._asleep and not self._keys_down:
            self._rest()
        return sounds + self._settle()

    def _rest(self) -> None:
        """After a while without a key or card a list closes (N3), and the box sleeps (P1)."""
        if self._now >= self._quiet_since + CLOSE_AFTER and self._list_open:
            self._interrupt()
        if self._now >= self._sleeps_at:
            self._asleep = True
            self._interrupt()
            self._clear_screen()

    def _clear_screen(self) -> None:
        """End what shows for a while, and the offer of C to make a move again (C5)."""
        self._transient.clear()
        if self._teller.offers_again:
            self._teller.withdraw_offer()

    def _settle(self) -> list[Sound]:
        """Update what follows from the last event or instant."""
        if self._seats.occupied or self._readers_away:
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = self._now
        if self._ledger.in_doubt:
            return [Sound.ERROR] if self._interrupt() else []
        if self._count_waits and self._half_done is None:
            self._open_count()
        return []

    def _minute_over(self, clock: GameClock) -> list[Sound]:
        """Write down how long the game has run (F22). A failed write costs a minute at most."""
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
        """Time is up (F22). What is half done can be completed before the count opens."""
        self._take_in_changes()
        if self._half_done is None:
            self._held_c = None
        self._asleep = False
        self._alarm_at = self._now
        self._clear_screen()
        self._count_waits = True
        return self._tell(Reply(Sound.ALARM, Message(Text.TIME)))

    def _open_count(self) -> None:
        try:
            self._write_in_any_case(self._teller.open_count)
        except JournalFailed:
            self._count_waits = self._ledger.in_doubt
        else:
            self._count_waits = False
            # After the count: if the power is cut in between, the last minute runs again.
            self._keep_time()

    def shown(self, now: Instant) -> None:
        """Start the display times of the last event now, when its effect is on the screen."""
        acted, self._acted_at = self._acted_at, None
        if acted is None or now <= acted:
            return
        self._transient.postpone(acted, now)
        if self._quiet_since == acted:
            self._quiet_since = now

    def _interrupt(self) -> bool:
        """Abandon a half-typed entry or an open question (N1). True if there was one."""
        if self._half_done is None:
            return False
        self._half_done = self._held_m = None
        self._interrupted_at = self._now
        return True

    # Events

    def handle(self, event: Event) -> tuple[Sound, ...]:
        """Process an event, after everything that was due before it (G4)."""
        sounds = self.advance(event.at)
        half_done, in_doubt = self._half_done, self._ledger.in_doubt
        self._stale = self._take_in_changes() or in_doubt
        made = self._dispatch(event)
        if self._stale and half_done is not None and Sound.ERROR not in made:
            made = (Sound.ERROR, *made)
        made += tuple(self._settle())
        if made and isinstance(event, KeyUp):
            self._quiet_since = self._now
        # Letting go of a key other than C and M has no visible effect.
        if made or not isinstance(event, KeyUp):
            self._acted_at = self._now
        return sounds + made

    def _take_in_changes(self) -> bool:
        """Read what another program has changed; return whether that interrupts anything."""
        self._asked_at = self._now
        in_doubt, game = self._ledger.in_doubt, self._ledger.game
        if not self._ledger.refresh():
            return False
        card_gone = self._teller.recognise_again()
        if not (card_gone or in_doubt or self._opened is not None):
            return False
        self._interrupt()
        self._transient.clear()
        self._teller.withdraw_offer()
        self._held_c = None
        if in_doubt:
            self._after_doubt(game)
        return True

    def _after_doubt(self, game: int) -> None:
        """The ledger may differ from what was shown before the doubt (D27)."""
        self._teller.restart_visits()
        self._count_in()
        if self._ledger.game != game:
            self._count_waits = False
            self._clock = GameClock.of(self._ledger.current, self._now)

    def _dispatch(self, event: Event) -> tuple[Sound, ...]:
        match event:
            case KeyDown(key=key):
                return self._key_down(key, event.at)
            case KeyUp(key=key):
                return self._key_up(key, event.at)
            case CardIn(slot=slot, uid=uid):
                return self._card_in(slot, lambda: self._admit(slot, uid))
            case CardsClash(slot=slot):
                refuse = self._teller.refuse_card
                return self._card_in(slot, lambda: refuse(slot, None, Text.ONE_CARD))
            case CardOut(slot=slot):
                return self._card_out(slot)
            case ReaderLost(slot=slot):
                return self._reader_lost(slot)
            case ReaderBack(slot=slot):
                self._readers_away.discard(slot)
                return ()
            case PowerLow() | PowerGood():
                self._power_low = isinstance(event, PowerLow)
                return ()

    def _card_in(self, slot: Slot, admit: Callable[[], Reply]) -> tuple[Sound, ...]:
        """A card wakes the box (P2). It leaves what is half done as it is (N3)."""
        interrupted = self._card_leaves(slot)
        answer = admit()
        if slot is Slot.LEFT:
            self._count_in()
        self._asleep = False
        self._stir()
        seat = self._seats.seated(slot)
        if self._seats.blocking:
            self._interrupt()
        elif seat and self._half_done is None:
            self._transient.show_number(self._now, seat.card)
            return (*interrupted, self._tell(answer))
        return (*interrupted, answer.sound)

    def _admit(self, slot: Slot, uid: bytes) -> Reply:
        try:
            return self._write_in_any_case(lambda: self._teller.card_in(slot, uid))
        except JournalFailed:
            return self._teller.refuse_card(slot, uid, Text.ERROR)

    def _count_in(self) -> None:
        """Count the left card. It stays in if the disk fails; each key then reports the failure."""
        with suppress(JournalFailed):
            self._write_in_any_case(self._teller.count_in)

    def _card_out(self, slot: Slot) -> tuple[Sound, ...]:
        """A card that leaves does not end sleep (P2)."""
        counted = self._teller.ends_count(slot)
        interrupted = self._card_leaves(slot)
        if self._teller.card_out(slot):
            self._stir()
        return interrupted or ((Sound.OK,) if counted else ())

    def _reader_lost(self, slot: Slot) -> tuple[Sound, ...]:
        """The slot counts as empty (D6)."""
        self._readers_away.add(slot)
        interrupted = self._card_leaves(slot)
        if self._teller.card_out(slot):
            self._stir()
        return interrupted

    def _card_leaves(self, slot: Slot) -> tuple[Sound, ...]:
        """A card that leaves interrupts an entry, and a question that needs it (N3)."""
        seat = self._seats.seated(slot)
        if seat is None or (self._opened is not None and not self._opened.nature.needs(seat.card)):
            return ()
        return (Sound.ERROR,) if self._interrupt() else ()

    def _stir(self) -> None:
        """Note a card movement: restart the sleep timer, and clear what shows for a while."""
        self._quiet_since = self._now
        self._transient.clear()
        self._teller.withdraw_offer()
        if self._list_open:
            from firmware.table.menu.entries import EntryList

            if isinstance(self._half_done, EntryList):
                self._half_done = self._half_done.kept(self._context)

    # Keys

    def _key_down(self, key: Key, at: Instant) -> tuple[Sound, ...]:
        if key in self._keys_down:
            return ()
        early = self._let_go(at)
        self._keys_down.add(key)
        self._quiet_since = self._now
        if self._asleep:
            act = KEYS[self.mode].of(key)
            self._asleep = False
            if not (act is Act.WAKE_TYPE and self._seats.occupied):
                return (self._wake(key),)
        notice = self._transient.notice(self._now)
        self._transient.clear()
        if key is not Key.CANCEL:
            self._teller.withdraw_offer()
            return (*early, self._press(key, notice))
        if self._stale:
            return (*early, Sound.ERROR)
        only_clears = notice is not None and _is_cleared_by_c(notice)
        self._held_c = HeldC(at, KEYS[self.mode].cancel, self._teller.c_target, only_clears)
        return early

    def _wake(self, key: Key) -> Sound:
        """A key wakes the box and does nothing else (P2)."""
        interrupted = self._interrupted_at is not None
        if key is Key.FUNCTION and self._seats.occupied:
            self._interrupted_at = self._now
        asked_for_more = key is Key.FUNCTION or (key is Key.GO and not interrupted)
        if asked_for_more and self._seats.occupied and not self._seats.blocking:
            return self._tell(Reply(Sound.KEY, Message(Text.PRESS_AGAIN)))
        return Sound.KEY

    def _press(self, key: Key, notice: Notice | None) -> Sound:
        """Carry out a key that acts when it is pressed: any but C.

        The notice is the message that showed before it.
        """
        if self._stale:
            # Otherwise the digits that follow would become an amount of their own.
            if key.is_digit or key in (Key.COMMA, Key.FUNCTION):
                self._interrupted_at = self._now
            return Sound.ERROR
        act = KEYS[self.mode].of(key)
        if act in REFUSALS:
            return self._tell(refused(REFUSALS[act]))
        return self._carry_out(act, key, notice)

    def _carry_out(self, act: Act, key: Key, notice: Notice | None) -> Sound:
        match act:
            case Act.TYPE | Act.TYPE_WORTH:
                return self._type(key, to_worth=act is Act.TYPE_WORTH)
            case Act.COMPLETE | Act.ADD:
                return self._complete(key, to_worth=act is Act.ADD)
            case Act.ASK_WINNER:
                asked = notice is not None and notice.message == WINNER_QUESTION
                return self._ask(self._teller.end_count if asked else self._teller.ask_winner)
            case Act.GO:
                return self._go()
            case Act.VOLUME:
                return self._ask(self._teller.turn_volume)
            case Act.OPEN_LIST:
                return self._open_list()
            case Act.ASK_MENU:
                assert self._opened is not None, "the menu is open"
                return self._press_in(self._opened, key)
            case _:
                return Sound.ERROR

    def _key_up(self, key: Key, at: Instant) -> tuple[Sound, ...]:
        if key not in self._keys_down:
            return ()
        self._keys_down.remove(key)
        self._quiet_since = max(self._quiet_since, at)
        return self._let_go(at) if key in (Key.CANCEL, Key.MILLIONS) else ()

    def _let_go(self, at: Instant) -> tuple[Sound, ...]:
        """C and a held M also count as let go when another key is pressed (D14, F5)."""
        held_c, self._held_c = self._held_c, None
        held_m, self._held_m = self._held_m, None
        if held_m:
            return (Sound.ERROR,)
        if held_c is None:
            return ()
        made = self._short_c(held_c) if at - held_c.since < SHORT_C else ()
        self._teller.withdraw_offer()
        return made

    def _type(self, key: Key, *, to_worth: bool) -> Sound:
        if to_worth and not self._left_alone:
            return self._tell(refused(Text.LEFT_CARD_ONLY))
        entry = (self._entry or Entry()).type(key)
        if entry is None:
            return Sound.ERROR
        self._half_done = entry
        return Sound.KEY

    @property
    def _left_alone(self) -> bool:
        left, right = (self._seats.seated(slot) for slot in Slot)
        return left is not None and right is None

    def _complete(self, unit: Key, *, to_worth: bool) -> Sound:
        """A unit key completes the entry: it moves money at once (M4), or adds to a worth (F16)."""
        entry, self._half_done = self._entry or Entry(), None
        if to_worth and not self._left_alone:
            return self._tell(refused(Text.LEFT_CARD_ONLY))
        amount = amount_of(entry, unit, self._ledger.edition, limited=not to_worth)
        if isinstance(amount, Refusal):
            return self._tell(refused(caption(amount, self._ledger.edition)))
        carry_out = self._teller.add if to_worth else self._teller.enter
        return self._ask(lambda: carry_out(amount))

    def _go(self) -> Sound:
        """The GO key, with a card in (S7)."""
        if not self._left_alone:
            return self._tell(refused(Text.LEFT_CARD_ONLY))
        if self._entry is not None:
            return self._tell(refused(Text.CLEAR_FIRST))
        return self._ask(self._teller.pay_salary)

    def _short_c(self, held: HeldC) -> tuple[Sound, ...]:
        """A short C does what it meant when it was pressed, or nothing."""
        act = KEYS[self.mode].cancel
        if Act.REFUSE in (act, held.act):
            return (Sound.ERROR,)
        if act is not held.act or (act is Act.UNDO and self._teller.c_target != held.target):
            return ()
        if act is Act.ACKNOWLEDGE:
            self._interrupted_at = None
            return (Sound.KEY,)
        if held.only_clears:
            return (Sound.KEY,)
        if act is Act.LEAVE:
            self._half_done = None
            return (Sound.KEY,)
        return (self._ask(self._teller.undo),)

    def _new_game(self) -> Sound:
        """C was held long enough (C4)."""
        self._held_c = None
        self._take_in_changes()
        self._half_done = None
        self._clear_screen()
        self._keep_time()
        self._acted_at = self._now
        return self._ask(self._teller.new_game)

    # The F key

    def _open_list(self) -> Sound:
        # Imported when F is pressed, to keep the start of the box short.
        from firmware.table.menu.entries import EntryList

        self._interrupted_at = None
        match self._half_done:
            case EntryList() as page:
                self._half_done = page.turned(self._context)
            case _:
                self._half_done = EntryList()
        return Sound.KEY

    @property
    def _context(self) -> "menu.MenuContext":
        from firmware.table.menu.menu import MenuContext

        left, right = (self._seats.seated(slot) for slot in Slot)
        return MenuContext(
            self._ledger,
            left.card if left else None,
            right.card if right else None,
            self._house,
            self._catalog,
            self._made_at,
            self._now,
        )

    def _press_in(self, opened: "menu.Question", key: Key) -> Sound:
        from firmware.table.menu import menu

        match opened.press(key, self._context):
            case menu.Show(another):
                self._half_done = another
                return Sound.KEY
            case menu.Refuse(another, message):
                self._half_done = another
                return self._tell(refused(message)) if message else Sound.ERROR
            case menu.StrayKey():
                self._interrupt()
                return Sound.ERROR
            case menu.DoAfterHold(action):
                self._held_m = HeldM(self._now, action)
                return Sound.KEY
            case menu.Do(action):
                return self._do(action)

    def _do(self, action: "menu.MenuAction") -> Sound:
        from firmware.table.menu import menu

        self._half_done = None
        if isinstance(action, menu.GoBack):
            self._keep_time()
        return self._ask(lambda: self._teller.carry_out(action))

    def _hold_over(self, action: "menu.MenuAction") -> Sound:
        """M was held long enough (F5)."""
        self._held_m = None
        self._acted_at = self._now
        return Sound.ERROR if self._take_in_changes() else self._do(action)

    # Answers

    def _ask(self, request: Callable[[], Reply]) -> Sound:
        """Ask the teller for something, and show the answer."""
        last = self._ledger.state.last_posting
        try:
            answer = self._ledger.retrying(request, self._still_meant)
        except JournalFailed:
            answer = refused(Text.ERROR)
        self._note_ages(range(last + 1, self._ledger.state.last_posting + 1))
        if answer.other_game:
            self._interrupted_at = None
            self._count_waits = False
            self._clock = GameClock.of(self._ledger.current, self._now)
        return self._tell(answer)

    def _still_meant(self) -> bool:
        """Read what another program has written; whether a key still means the same (D30)."""
        game = self._ledger.game
        return not self._take_in_changes() and self._ledger.game == game

    def _write_in_any_case(self, request: Callable[[], T]) -> T:
        """Make a request that no key has made. What another program has changed does not matter."""

        def still_meant() -> bool:
            self._stale = self._take_in_changes() or self._stale
            return True

        return self._ledger.retrying(request, still_meant)

    def _note_ages(self, postings: range) -> None:
        for posting in postings:
            self._made_at[posting] = self._now
        for oldest in list(self._made_at)[:-AGES_KEPT]:
            del self._made_at[oldest]

    def _tell(self, answer: Reply) -> Sound:
        if answer.message:
            self._transient.say(self._now, answer.message, answer.kind)
        if answer.status:
            self._transient.status = answer.status
        if answer.shown is not None:
            wait = 0 if answer.shown_at_once else PAYER_TIME
            self._transient.show_payee(self._now, answer.shown, wait)
        return answer.sound

    # The view

    @property
    def view(self) -> View:
        return Shown(
            ledger=self._ledger,
            seats=self._seats,
            entry=self._entry,
            opened=self._opened.look(self._context) if self._opened is not None else None,
            asked_way=self._opened.nature.way if self._opened is not None else None,
            transient=self._transient,
            now=self._now,
            asleep=self._asleep,
            interrupted=self._interrupted_at is not None,
            count_is_over=self._teller.count_is_over,
            countdown=self._countdown,
            minutes_left=self._clock.left if self._clock else None,
            fault=self._fault_message,
        ).view

    @property
    def _countdown(self) -> int | None:
        """Seconds to the new game, shown once C is no longer a short one (C4)."""
        if self._held_c is None:
            return None
        elapsed = self._now - self._held_c.since
        return (LONG_C - elapsed + SECOND - 1) // SECOND if elapsed >= SHORT_C else None

    @property
    def _fault_message(self) -> Message | None:
        """What is wrong with the box, as long as it lasts; the likely cause first."""
        if self._power_low:
            return Message(Text.LOW_POWER)
        for slot, text in READER_TEXTS.items():
            if slot in self._readers_away:
                return Message(text)
        return None
