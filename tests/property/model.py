"""A naive model of the box, written from the rules alone, to hold the firmware against.

It shares no code and no idea with the firmware. It keeps every move ever made and
every card that is in, in the order in which they came, and works out what shows
from scratch each time somebody looks. Numbers in brackets are the rules'.

Time is in whole milliseconds. Nothing here happens by itself: the world tells the
model how much time has passed, and whatever is over by then is over.

What F opens is in ``fkey.py`` and ``count.py``, what is remembered in ``memory.py``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.property import fkey
from tests.property.count import FinalCount
from tests.property.figures import (
    DIGITS_AND_COMMA,
    EDITIONS,
    IDLE,
    Edition,
    entry_amount,
    entry_text,
    in_full,
    is_cut,
    may_follow,
    why_not_typed,
    written,
)
from tests.property.memory import (
    MINUTE,
    NORMAL,
    Account,
    Astray,
    Game,
    Insertion,
    Kind,
    Message,
    Move,
    Number,
    Party,
    Payee,
    Till,
    account_of,
)
from tests.property.opened import Opened, Pages, Table

SECOND = 1_000
NUMBER_SHOWS = 1 * SECOND
MESSAGE_SHOWS = 2 * SECOND
PAYER_SHOWS = 2 * SECOND
SHORT_C = 1 * SECOND
LONG_C = 3 * SECOND
F_LEAVES_AFTER = 15 * SECOND
SLEEPS_AFTER = 60 * SECOND


@dataclass
class Model:
    """A box that has just been switched on, with empty slots."""

    box_edition: Edition
    accounts: list[Account]
    has_pot: bool = False
    rulebook_undo: bool = False

    now: int = 0
    starts: int = 1
    powered: bool = True
    asleep: bool = False
    last_input: int = 0
    astray: Astray = Astray.NO
    volume: int = 2
    sound: str = ""
    c_down_since: int | None = None
    """While C is down and may still do something when it is let go, or has been long enough."""

    physical: dict[str, bytes] = field(default_factory=dict)
    inside: list[Insertion] = field(default_factory=list)

    game: Game = field(init=False)
    before: Game | None = None
    """The game that was played before this one."""
    next_kind: Kind = NORMAL
    next_edition: Edition = field(init=False)
    worths: dict[Account, int] = field(default_factory=dict)
    counted_last: Account | None = None
    resumes: bool = False
    """Whether the card that was counted last may go on where it was [F16]."""

    opened: Opened | None = None
    count: FinalCount | None = None
    """The final count, while it is open; what F opens lies over it."""
    entry: list[str] = field(default_factory=list)
    passing: Message | None = None
    number_shown: Number | None = None
    payee_shown: Payee | None = None

    def __post_init__(self) -> None:
        self.next_edition = self.box_edition
        self.game = Game(self.box_edition, NORMAL)

    # What the world does to the box

    def insert(self, slot: str, uid: bytes) -> None:
        self.sound = ""
        self.physical[slot] = uid
        if self.powered:
            self.asleep = False
            self._put_in(slot, uid)
            self.last_input = self.now

    def remove(self, slot: str) -> None:
        self.sound = ""
        del self.physical[slot]
        if self.powered:
            counted = slot == "left" and self.seated("left")
            self.inside = [card for card in self.inside if card.slot != slot]
            self._cards_changed()
            if counted and self.count and self.count.table():
                self.sound = "ok"  # [F17]
            self.last_input = self.now

    def press(self, keys: str) -> None:
        self.sound = ""
        for key in keys:
            self._strike(key, 0)

    def hold(self, key: str, duration: int) -> None:
        self.sound = ""
        self._strike(key, duration)

    def wait(self, duration: int) -> None:
        self.sound = ""
        self._pass(duration)

    def power_off(self) -> None:
        self.sound = ""
        self.powered = False
        self.asleep = False
        self.astray = Astray.NO
        self.inside = []
        self.game.lose_time()
        self.drop_entry()
        self._leave_f()
        self._end_what_passes()

    def power_on(self) -> None:
        self.sound = ""
        self.powered = True
        self.starts += 1
        self.resumes = self.count is not None
        for slot in ("left", "right"):  # left first [P3]
            if slot in self.physical:
                self._put_in(slot, self.physical[slot])
        self.last_input = self.now

    # What somebody at the table sees

    @property
    def big_field(self) -> str:
        if self.asleep:
            return ""
        if self.refused():
            return IDLE
        if self.card is not None:
            return str(self.card)
        if self.on_top:
            return self.on_top.big_field()
        if self.entry:
            return entry_text(self.entry)
        shown = self._balance_shown()
        return IDLE if shown is None else written(shown, self.edition)

    @property
    def message(self) -> str:
        if self.asleep:
            return ""
        if self.passing and self.now < self.passing.until:
            return self.passing.text
        if self.refused():
            return self.refused()[-1].refusal
        if self.on_top:
            return self.on_top.message()
        if self.card is not None or self.entry:
            return ""
        shown = self._balance_shown()
        return "" if shown is None or not is_cut(shown, self.edition) else in_full(shown)

    @property
    def card(self) -> int | None:
        """The number that the big field shows, if it shows one."""
        if self.number_shown and self.now < self.number_shown.until:
            return self.number_shown.number
        return None

    @property
    def on_top(self) -> Opened | None:
        """What is told the keys, and shows."""
        return self.opened or self.count

    @property
    def menu(self) -> Pages:
        return self.on_top.pages() if self.on_top and not self.asleep else []

    @property
    def page(self) -> int:
        return self.on_top.page if self.on_top and not self.asleep else 0

    @property
    def table(self) -> Table:
        hidden = self.asleep or self.refused() or self.card is not None
        return self.on_top.table() if self.on_top and not hidden else []

    @property
    def minutes_left(self) -> int | None:
        if self.asleep or not self.game.kind.minutes:
            return None
        return -(-self.time_left() // MINUTE)

    def balance(self, number: int) -> int | None:
        """What a card has in this game."""
        account = self.known.get(number)
        return self.holds(account) if account else None

    def worth(self, number: int) -> int | None:
        """What a card has come to in the final count, if it was counted."""
        account = self.known.get(number)
        return self.worths.get(account) if account else None

    def _balance_shown(self) -> int | None:
        """The payer's balance, then the payee's; else the right card's, or the left's [S3]."""
        if self.payee_shown and self.now >= self.payee_shown.since:
            return self.holds(self.payee_shown.account)
        card = self.seated("right") or self.seated("left")
        return self.holds(card.account) if card and card.account else None

    # The books, added up anew each time

    @property
    def edition(self) -> Edition:
        """A game keeps the edition with which it was begun [D17]."""
        return self.game.edition

    @property
    def known(self) -> dict[int, Account]:
        """The cards by their numbers; those that the edition does not have wait [F18]."""
        return {
            account.number: account
            for account in self.accounts
            if not account.forgotten and account.number <= self.edition.cards
        }

    def holds(self, account: Account) -> int:
        return self.edition.opening + self._received(account)

    def in_pot(self) -> int:
        return self._received(Till.POT)

    def _received(self, whose: Account | Till) -> int:
        total = 0
        for move in self.game.standing:
            if whose in (move.payer, account_of(move.payer)):
                total -= move.amount
            if whose in (move.payee, account_of(move.payee)):
                total += move.amount
        return total

    def is_out(self, account: Account) -> bool:
        """Whether its player is bankrupt [F5]."""
        return any(
            move.what == "BANKRUPT" and account_of(move.payer) is account
            for move in self.game.standing
        )

    def players(self) -> list[Account]:
        """Who is still playing [F16]."""
        used = [account for move in self.game.moves for account in move.accounts]
        playing = [*self.game.put_in, *used]
        return [
            account
            for account in self.known.values()
            if account in playing and not self.is_out(account)
        ]

    # What is in the slots, for the bank

    def seated(self, slot: str) -> Insertion | None:
        """The player's card in a slot; a refused or a forgotten one is not there [S10, S12]."""
        for card in self.inside:
            if card.slot == slot and card.seated:
                return card
        return None

    def tenant(self, slot: str) -> str:
        """What the status row says of a slot."""
        card = self.seated(slot)
        if card and not self.asleep:
            return str(card.number)
        refused = any(other.slot == slot for other in self.refused())
        return "refused" if refused and not self.asleep else "empty"

    def any_seated(self) -> bool:
        return any(card.seated for card in self.inside)

    def refused(self) -> list[Insertion]:
        return [card for card in self.inside if card.refusal]

    def _put_in(self, slot: str, uid: bytes) -> None:
        self._cards_changed()
        card = Insertion(slot, uid, self._account_with(uid), self.why_refused(uid))
        self.inside.append(card)
        if card.refusal:
            self.sound = "error"
            return
        if card.account is None:
            card.account = Account(self._free_numbers()[0], uid)
            self.accounts.append(card.account)
            card.new = True
        self.sound = "card"
        self._takes_part(card)
        if not self.refused():  # [S12]
            self.number_shown = Number(card.account.number, self.now + NUMBER_SHOWS)
            if card.new:
                self.say("NEW CARD")

    def _takes_part(self, card: Insertion) -> None:
        """A card that is put in, or counts as just put in, belongs to a player [F16]."""
        if card.account:
            self.game.put_in.append(card.account)
        if card.slot == "left":
            goes_on = self.resumes and card.account is self.counted_last
            self.resumes = False
            if self.count and not goes_on:
                self.count.start(card)

    def why_refused(self, uid: bytes) -> str:
        if any(card.uid == uid for card in self.inside):
            return "SAME CARD"
        account = self._account_with(uid)
        if account and account.number > self.edition.cards:
            return "UNKNOWN CARD"  # [F18]
        if account:
            return "OUT" if self.is_out(account) else ""
        random = len(uid) == 4 and uid[0] == 0x08
        return "UNKNOWN CARD" if random or not self._free_numbers() else ""

    def _account_with(self, uid: bytes) -> Account | None:
        for account in self.accounts:
            if account.uid == uid and not account.forgotten:
                return account
        return None

    def _free_numbers(self) -> list[int]:
        return sorted(set(range(1, self.edition.cards + 1)) - set(self.known))

    def _cards_changed(self) -> None:
        self.astray = Astray.NO
        self.drop_entry()
        self._leave_f()
        self._end_what_passes()

    # Keys

    def _strike(self, key: str, duration: int) -> None:
        """A key goes down, stays down for a while, and is let go."""
        astray = self.astray
        if key not in DIGITS_AND_COMMA:
            self.astray = Astray.NO
        if self.asleep and not self._counts_asleep(key):
            self.asleep = False
            self.astray = Astray.WOKEN if key == "F" else Astray.NO
            self._pass(duration, key_down=True)
        else:
            self.asleep = False
            if key == "C":
                self._strike_c(duration, astray)
            else:
                self._end_what_passes()
                self._act(key)
                self._pass(duration, key_down=True)
        self.last_input = self.now

    def _counts_asleep(self, key: str) -> bool:
        """Whether a key does more than wake the box [P2]."""
        return key.isdigit() and (self.any_seated() or bool(self.refused()))

    def _act(self, key: str) -> None:
        if self.refused():
            self.refuse_silently()  # the refused card's message shows anyway [S12]
        elif key in DIGITS_AND_COMMA and self._goes_astray():
            self.astray = Astray.REFUSED
            self.refuse_silently()
        elif key == "F":
            self.drop_entry()
            self.opened = fkey.after_f(self)
        elif self.on_top:
            self.on_top.press(key)
        elif key == "G":
            self._go()
        elif key in "MK":
            self._complete_entry(key)
        elif key == "," and not self.any_seated():
            self.next_volume()
        else:
            self.type(key)

    def _goes_astray(self) -> bool:
        """Whether a digit or comma was meant for something that is not open [D26]."""
        left_card_only = self.count and not self.seated("left")  # that refusal comes first
        return self.astray is not Astray.NO and self.any_seated() and not left_card_only

    def refuse_and_leave(self) -> None:
        """A digit or comma for which there is no place [D26]."""
        self.opened = None
        self.astray = Astray.REFUSED
        self.refuse_silently()

    def type(self, key: str) -> None:
        if not self.any_seated():
            self.refuse("NO CARD")
        elif may_follow(self.entry, key):
            self.entry.append(key)
        else:
            self.refuse_silently()

    def _complete_entry(self, unit: str) -> None:
        amount = self.take_entry(unit)
        if amount is not None:
            self.pay(*self.by_the_cards(), amount, "PAID")

    def take_entry(self, unit: str) -> int | None:
        """The entry that a unit key completes, unless it is refused."""
        keys, size = self.entry, self.edition.units[unit]
        why = why_not_typed(keys, size, self.edition) if self.any_seated() else "NO CARD"
        self.drop_entry()
        if why:
            self.refuse(why)
            return None
        return int(entry_amount(keys, size))

    def _go(self) -> None:
        """The salary [S7]."""
        left, right = self.seated("left"), self.seated("right")
        if right:
            self.refuse("LEFT CARD ONLY")
        elif not left:
            self.refuse("NO CARD")
        else:
            self.drop_entry()
            if any(move.what == "SALARY" and move.payee is left for move in self.game.standing):
                self.refuse("ALREADY PAID")
            else:
                self.pay(Till.BANK, left, self.edition.salary, "SALARY")

    def next_volume(self) -> None:
        self.volume = (self.volume + 1) % 4
        self.sound = "volume"
        self.say(f"VOLUME {self.volume}")

    # The C key

    def _strike_c(self, duration: int, astray: Astray) -> None:
        only_clears = self._refusal_shows() or astray is Astray.REFUSED
        self._end_what_passes()
        self.c_down_since = self.now
        self._pass(duration, key_down=True)
        if self.c_down_since is not None and duration < SHORT_C:
            self._short_c(only_clears)
        self.c_down_since = None

    def _refusal_shows(self) -> bool:
        return self.passing is not None and self.passing.refusal and self.now < self.passing.until

    def _short_c(self, only_clears: bool) -> None:
        if self.refused():
            self.refuse_silently()
        elif only_clears:  # [G3, D26]
            pass
        elif self.entry:  # [C1, F16]
            self.drop_entry()
        elif self.opened:  # [F2]
            self.opened = None
        elif self.count:  # [F16]
            self.count = None
        elif self.forgettable():
            self._forget_again(self.forgettable()[-1])
        else:
            self._undo()

    def forgettable(self) -> list[Insertion]:
        """The new cards that a short C forgets again, in the order they came [S10]."""
        used = [card for move in self.game.moves for card in move.cards]
        return [card for card in self.inside if card.new and card.seated and card not in used]

    def _forget_again(self, card: Insertion) -> None:
        assert card.account is not None
        self.forget(card.account)
        self.sound = "undo"

    def _undo(self) -> None:
        standing = self.game.standing
        if standing and all(card in self.inside and card.seated for card in standing[-1].cards):
            self.take_back(standing[-1])
        else:
            self.refuse("NOTHING TO UNDO")

    # Games

    def choose_edition(self, name: str) -> None:
        self.next_edition = EDITIONS[name]

    def _new_game(self) -> None:
        self.c_down_since = None
        self._play(Game(self.next_edition, self.next_kind))
        self.next_kind = NORMAL
        self.sound = "new-game"
        self.say("NEW GAME")

    def game_back(self) -> None:
        assert self.before is not None
        self._play(self.before)
        self.sound = "undo"
        self.say("GAME BACK")

    def _play(self, game: Game) -> None:
        """Cards that are in count as just put in: each becomes another insertion [C4]."""
        self.game.keep_time()
        self.before, self.game = self.game, game
        self._forget_the_count()
        self.opened = None
        self.drop_entry()
        self.inside = [self._as_just_put_in(card) for card in self.inside]

    def _as_just_put_in(self, card: Insertion) -> Insertion:
        again = Insertion(card.slot, card.uid, card.account, card.refusal)
        if card.refusal not in ("", "OUT") or card.account is None or card.account.forgotten:
            return again
        if card.account.number > self.edition.cards:  # [F18]
            again.refusal = "UNKNOWN CARD"
        else:
            again.refusal = "OUT" if self.is_out(card.account) else ""  # [F5]
        if again.seated:
            self._takes_part(again)
        return again

    # Money

    def by_the_cards(self) -> tuple[Party, Party]:
        """Who pays whom with the cards that are in [S2]."""
        return self.seated("right") or Till.BANK, self.seated("left") or Till.BANK

    def pay(self, payer: Party, payee: Party, amount: int, what: str) -> bool:
        if self._forbidden(payer, payee, amount):
            return False
        self.game.moves.append(Move(payer, payee, amount, what, self.now, self.starts))
        self._forget_the_count()
        self.sound = "ok"
        if isinstance(payer, Insertion) and isinstance(payee, Insertion) and payee.account:
            self.payee_shown = Payee(payee.account, self.now + PAYER_SHOWS)
        elif isinstance(payee, Insertion) and payee.account:  # [F4]
            self.payee_shown = Payee(payee.account, self.now)
        return True

    def take_back(self, move: Move) -> None:
        if not self._forbidden(move.payee, move.payer, move.amount):
            move.reversed = True
            self._forget_the_count()
            self.sound = "undo"

    def _forbidden(self, payer: Party, payee: Party, amount: int) -> bool:
        """Whether a move would leave the bounds of a balance, which is refused [M8]."""
        payer_account, payee_account = account_of(payer), account_of(payee)
        poor = payer_account and self.holds(payer_account) - amount < 0
        if poor or (payer is Till.POT and self.in_pot() - amount < 0):
            self.refuse("NO FUNDS")
            return True
        if payee_account and self.holds(payee_account) + amount > self.edition.ceiling:
            self.refuse("FULL")
            return True
        return False

    def bankruptcy_ends_game(self) -> bool:
        """Whether the bankruptcy that has just been is the end of a fast game [F21]."""
        bankrupt = [account for account in self.accounts if self.is_out(account)]
        ends_at = self.edition.fast_ends_at
        enough = len(bankrupt) >= ends_at or len(self.players()) <= 1
        return self.game.kind.name == "FAST" and enough

    def begin_count(self) -> None:
        """The final count opens, perhaps with a card in [F16]."""
        self.opened = None
        self.count = FinalCount(self)
        left = self.seated("left")
        if left and left.account not in self.worths:
            self.count.start(left)

    def _forget_the_count(self) -> None:
        """Money moved, or another game is played [F16]."""
        self.worths = {}
        self.counted_last = None
        self.count = None

    def forget(self, account: Account) -> None:
        """What the card held goes back to the bank, and its number is free [F19]."""
        account.forgotten = True

    # What passes

    def say(self, text: str, *, refusal: bool = False) -> None:
        self.passing = Message(text, self.now + MESSAGE_SHOWS, refusal)

    def refuse(self, text: str) -> None:
        self.sound = "error"
        self.say(text, refusal=True)

    def refuse_silently(self) -> None:
        self.sound = "error"

    def drop_entry(self) -> None:
        self.entry = []

    def _leave_f(self) -> None:
        self.opened = None

    def _end_what_passes(self) -> None:
        """The next key or card ends a message, a number and a payee's balance [G2, S3]."""
        self.passing = None
        self.number_shown = None
        self.payee_shown = None

    # Time

    def _pass(self, duration: int, *, key_down: bool = False) -> None:
        """Let time pass, and stop at every instant at which something happens by itself."""
        end = self.now + duration
        while self.powered:
            due = self._what_is_due(key_down)
            if not due or min(due) > end:
                break
            happens = due[min(due)]
            self._advance_to(min(due))
            happens()
        self._advance_to(end)

    def _what_is_due(self, key_down: bool) -> dict[int, Callable[[], None]]:
        """What happens next, by its instant; of two at once, the later in the list."""
        due: dict[int, Callable[[], None]] = {}
        if not self.asleep and not key_down:
            due[self.last_input + SLEEPS_AFTER] = self._fall_asleep
        if self.opened and not key_down:
            due[self.last_input + F_LEAVES_AFTER] = self._leave_f
        if self.time_left() > 0:
            due[self.now + self.time_left()] = self._time_is_over
        if self.c_down_since is not None:
            due[self.c_down_since + LONG_C] = self._new_game
        return due

    def _advance_to(self, instant: int) -> None:
        if self.powered and self.game.kind.minutes:
            self.game.played += min(instant - self.now, self.time_left())
        self.now = instant

    def time_left(self) -> int:
        return self.game.kind.minutes * MINUTE - self.game.played

    def _fall_asleep(self) -> None:
        self.asleep = True
        self.astray = Astray.NO
        self.drop_entry()
        self._leave_f()
        self._end_what_passes()

    def _time_is_over(self) -> None:
        """[F22]."""
        self.asleep = False
        self.last_input = self.now
        self.c_down_since = None
        self.astray = Astray.NO
        self.drop_entry()
        self._end_what_passes()
        self.sound = "alarm"
        self.say("TIME")
        self.begin_count()
