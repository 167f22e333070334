"""A naive model of the box, written from the rules alone, to hold the firmware against.

It shares no code and no idea with the firmware. It keeps every move ever made
(``books.py``) and every card that is in, in the order in which they came; what shows is
worked out from scratch each time somebody looks (``look.py``). Numbers in brackets are the
rules'.

Time is in whole milliseconds. Nothing here happens by itself: the world tells the
model how much time has passed, and whatever is over by then is over.

What F opens is in ``fkey.py`` and ``count.py``, what is remembered is made of ``memory.py``. Before
anything is changed that must outlive a power cut, the disk is asked (``disk.py``).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from sim.storm.model import fkey
from sim.storm.model.books import Books
from sim.storm.model.count import FinalCount
from sim.storm.model.disk import Answer, Disk
from sim.storm.model.figures import (
    DIGITS_AND_COMMA,
    EDITIONS,
    entry_amount,
    may_follow,
    why_not_typed,
)
from sim.storm.model.memory import (
    MINUTE,
    NORMAL,
    Account,
    Astray,
    Game,
    Insertion,
    Message,
    Move,
    Number,
    Party,
    Payee,
    Till,
    account_of,
)
from sim.storm.model.opened import Opened

SECOND = 1_000
NUMBER_SHOWS = 1 * SECOND
MESSAGE_SHOWS = 2 * SECOND
PAYER_SHOWS = 2 * SECOND
SHORT_C = 1 * SECOND
LONG_C = 3 * SECOND
F_LEAVES_AFTER = 15 * SECOND
SLEEPS_AFTER = 60 * SECOND
STUCK_AFTER = 600 * SECOND
ASKS_AGAIN_AFTER = 10 * SECOND


@dataclass
class Model:
    """A box that has just been switched on, with empty slots."""

    books: Books
    has_pot: bool = False
    rulebook_undo: bool = False

    now: int = 0
    starts: int = 1
    powered: bool = True
    asleep: bool = False
    last_input: int = 0
    astray: Astray = Astray.NO
    sound: str = ""
    down: set[str] = field(default_factory=set)
    """The keys that are down, for the bank."""
    stuck: dict[str, int] = field(default_factory=dict)
    """Those that stay down whatever a finger does, each with when the bank was told [D28]."""
    c_down_since: int | None = None
    """While C is down and may still do something when it is let go, or has been long enough."""
    c_only_clears: bool = False
    """Whether that C clears the message of a refusal, and nothing else [G3, D26]."""

    physical: dict[str, bytes] = field(default_factory=dict)
    inside: list[Insertion] = field(default_factory=list)
    away: set[str] = field(default_factory=set)
    """The slots whose readers do not answer [D6]."""

    disk: Disk = field(default_factory=Disk)
    in_doubt: bool = False
    """Whether the bank does not know what is on disk, and goes by what was before [D27]."""
    truth: "Model | None" = None
    """What it is in doubt about, if that is on disk: how everything was right after it."""
    asked_disk_at: int = 0
    count_waits: bool = False
    """Whether time was up when the bank was in doubt: the count opens later [D27]."""

    interrupted: Account | None = None
    """The card that may go on being counted where it was, if it is the next [F16, D6]."""

    opened: Opened | None = None
    count: FinalCount | None = None
    """The final count, while it is open; what F opens lies over it."""
    entry: list[str] = field(default_factory=list)
    passing: Message | None = None
    number_shown: Number | None = None
    payee_shown: Payee | None = None

    # What the world does to the box

    def insert(self, slot: str, uid: bytes) -> None:
        self.sound = ""
        self.physical[slot] = uid
        if self.powered and slot not in self.away:
            self._notice(slot, uid)

    def _notice(self, slot: str, uid: bytes) -> None:
        self._something_happens()
        self.asleep = False
        self._put_in(slot, uid)
        self.last_input = self.now

    def remove(self, slot: str) -> None:
        self.sound = ""
        del self.physical[slot]
        if self.powered and slot not in self.away:
            self._something_happens()
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

    def lose_reader(self, slot: str) -> None:
        """A reader no longer answers, and its slot counts as empty [D6]."""
        self.sound = ""
        self.away.add(slot)
        if not self.powered:
            return
        self._something_happens()
        card = self.seated(slot)
        if slot == "left" and card and self.count:
            self.interrupted = card.account
        if any(card.slot == slot for card in self.inside):
            self.inside = [card for card in self.inside if card.slot != slot]
            self._cards_changed()
            self.last_input = self.now

    def find_reader(self, slot: str) -> None:
        """It answers again, and a card that is in it counts as just put in [D6]."""
        self.sound = ""
        self.away.discard(slot)
        if self.powered:
            self._something_happens()
        if self.powered and slot in self.physical:
            self._notice(slot, self.physical[slot])

    def jam(self, key: str) -> None:
        """A key goes down and stays so."""
        self.sound = ""
        self.stuck[key] = self.now
        if self.powered:
            self._key_down(key)

    def free(self, key: str) -> None:
        self.sound = ""
        del self.stuck[key]
        self._give_up_on(key)

    def _give_up_on(self, key: str) -> None:
        if key in self.down:
            self._key_up(key)

    def power_off(self) -> None:
        self.sound = ""
        self.powered = False
        self.asleep = False
        self.down = set()
        self.c_down_since = None
        self._learn_the_truth()
        self.astray = Astray.NO
        self.inside = []
        self.books.game.lose_time()
        self.count_waits = False  # the minute that was lost will end once more
        self.drop_entry()
        self._leave_f()
        self._end_what_passes()

    def power_on(self) -> None:
        self.sound = ""
        self.powered = True
        self.starts += 1
        self.interrupted = self.books.counted_last if self.count else None
        for slot in ("left", "right"):  # left first [P3]
            if slot in self.physical and slot not in self.away:
                self._put_in(slot, self.physical[slot])
        self.last_input = self.now

    # What somebody at the table sees

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

    # What is in the slots, for the bank

    def seated(self, slot: str) -> Insertion | None:
        """The player's card in a slot; a refused or a forgotten one is not there [S10, S12]."""
        for card in self.inside:
            if card.slot == slot and card.seated:
                return card
        return None

    def any_seated(self) -> bool:
        return any(card.seated for card in self.inside)

    def refused(self) -> list[Insertion]:
        return [card for card in self.inside if card.refusal]

    def _put_in(self, slot: str, uid: bytes) -> None:
        self._cards_changed()
        card = Insertion(slot, uid, self.books.account_with(uid), self.why_refused(uid))
        self.inside.append(card)
        if card.refusal:
            self.sound = "error"
            return
        if card.account is None:
            self._admit(card)
        if card.account is None:
            return
        self.sound = "card"
        self._takes_part(card)
        if not self.refused():  # [S12]
            self.number_shown = Number(card.account.number, self.now + NUMBER_SHOWS)
            if card.new:
                self.say("NEW CARD")

    def _admit(self, card: Insertion) -> None:
        """An unknown card takes a number, unless the disk is against it [S10, D10]."""
        if self.taken():
            account = Account(self.books.free_numbers()[0], card.uid)
            self.books.accounts.append(account)
            self.books.game.put_in.append(account)
            card.account, card.new = account, True
        else:
            card.refusal = "ERROR"
            self.sound = "error"

    def _takes_part(self, card: Insertion) -> None:
        """A card that is put in, or counts as just put in, belongs to a player [F16].

        On a disk that takes nothing it may be put in all the same, and is not remembered.
        """
        if card.account and card.account not in self.books.game.put_in:
            if not self.taken():
                return
            self.books.game.put_in.append(card.account)
        if card.slot == "left":
            goes_on = card.account in self.books.worths and card.account is self.interrupted
            self.interrupted = None
            if self.count and not goes_on and self.taken():
                self.count.start(card)

    def why_refused(self, uid: bytes) -> str:
        if any(card.uid == uid for card in self.inside):
            return "SAME CARD"
        account = self.books.account_with(uid)
        if account and account.number > self.books.edition.cards:
            return "UNKNOWN CARD"  # [F18]
        if account:
            return "OUT" if self.books.is_out(account) else ""
        random = len(uid) == 4 and uid[0] == 0x08
        return "UNKNOWN CARD" if random or not self.books.free_numbers() else ""

    def _cards_changed(self) -> None:
        self._drop_all()

    # Keys

    def _strike(self, key: str, duration: int) -> None:
        """A key goes down and is let go after a while; one that is stuck does nothing new."""
        if key in self.stuck or not self.powered:
            self._pass(duration)
            return
        self._key_down(key)
        self._pass(duration)
        self._key_up(key)

    def _key_down(self, key: str) -> None:
        nobody_knew = self.in_doubt
        self._something_happens()
        self._let_go_of_c()  # [D14]
        self.down.add(key)
        astray = self.astray
        if key not in DIGITS_AND_COMMA:
            self.astray = Astray.NO
        after_f = Astray.EXPECTED if key == "F" else Astray.NO
        if self.asleep and not self._counts_asleep(key):
            self.asleep = False
            self.astray = after_f
            return
        self.asleep = False
        refusal_shows = self._refusal_shows()
        self._end_what_passes()
        if nobody_knew:  # [D27]
            self.astray = Astray.REFUSED if key in DIGITS_AND_COMMA else after_f
            self.refuse_silently()
        elif key == "C":
            self.c_only_clears = refusal_shows or astray is Astray.REFUSED
            self.c_down_since = self.now
        else:
            self._act(key)

    def _key_up(self, key: str) -> None:
        self._something_happens()
        self.down.discard(key)
        self.last_input = self.now
        if key == "C":
            self._let_go_of_c()

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
        keys, size = self.entry, self.books.edition.units[unit]
        why = why_not_typed(keys, size, self.books.edition) if self.any_seated() else "NO CARD"
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
            standing = self.books.game.standing
            if any(move.what == "SALARY" and move.payee is left for move in standing):
                self.refuse("ALREADY PAID")
            else:
                self.pay(Till.BANK, left, self.books.edition.salary, "SALARY")

    def next_volume(self) -> None:
        if self.kept():
            self.books.volume = (self.books.volume + 1) % 4
            self.sound = "volume"
            self.say(f"VOLUME {self.books.volume}")

    # The C key

    def _let_go_of_c(self) -> None:
        """C acts when it is let go, or when another key comes while it is down [C1, D14]."""
        since, self.c_down_since = self.c_down_since, None
        if since is not None and self.now - since < SHORT_C:
            self._short_c()

    def _refusal_shows(self) -> bool:
        return self.passing is not None and self.passing.refusal and self.now < self.passing.until

    def _short_c(self) -> None:
        if self.refused() or self.in_doubt:
            self.refuse_silently()
        elif self.c_only_clears:  # [G3, D26]
            pass
        elif self.entry:  # [C1, F16]
            self.drop_entry()
        elif self.opened:  # [F2]
            self.opened = None
        elif self.count:  # [F16]
            if self.kept():
                self.count = None
                self.interrupted = None
        elif self.forgettable():
            self._forget_again(self.forgettable()[-1])
        else:
            self._undo()

    def forgettable(self) -> list[Insertion]:
        """The new cards that a short C forgets again, in the order they came [S10]."""
        used = [card for move in self.books.game.moves for card in move.cards]
        return [card for card in self.inside if card.new and card.seated and card not in used]

    def _forget_again(self, card: Insertion) -> None:
        assert card.account is not None
        if self.kept():
            self.forget(card.account)
            self.sound = "undo"

    def _undo(self) -> None:
        standing = self.books.game.standing
        if standing and all(card in self.inside and card.seated for card in standing[-1].cards):
            self.take_back(standing[-1])
        else:
            self.refuse("NOTHING TO UNDO")

    # Games

    def choose_edition(self, name: str) -> None:
        self.books.next_edition = EDITIONS[name]

    def _new_game(self) -> None:
        self.c_down_since = None
        self.opened = None
        self.drop_entry()
        self._ask_disk_again()
        self._keep_time()
        if not self.kept():
            return
        game = Game(self.books.next_edition, self.books.next_kind)
        game.put_in = [card.account for card in self.inside if card.account and card.plays]
        self._play(game)
        self.books.next_kind = NORMAL
        self.sound = "new-game"
        self.say("NEW GAME")

    def game_back(self) -> None:
        assert self.books.before is not None
        self.opened = None
        self._keep_time()
        if not self.kept():
            return
        self._play(self.books.before)
        self.sound = "undo"
        self.say("GAME BACK")

    def _play(self, game: Game) -> None:
        """Cards that are in count as just put in: each becomes another insertion [C4]."""
        self.books.games_begun += 1
        self.books.before, self.books.game = self.books.game, game
        self._forget_the_count()
        self.interrupted = None
        self.inside = [self._as_just_put_in(card) for card in self.inside]

    def _as_just_put_in(self, card: Insertion) -> Insertion:
        again = Insertion(card.slot, card.uid, card.account, card.refusal)
        if card.account is None or not card.plays:
            return again
        if card.account.number > self.books.edition.cards:  # [F18]
            again.refusal = "UNKNOWN CARD"
        else:
            again.refusal = "OUT" if self.books.is_out(card.account) else ""  # [F5]
        if again.seated:
            self._takes_part(again)
        return again

    # Money

    def by_the_cards(self) -> tuple[Party, Party]:
        """Who pays whom with the cards that are in [S2]."""
        return self.seated("right") or Till.BANK, self.seated("left") or Till.BANK

    def pay(self, payer: Party, payee: Party, amount: int, what: str) -> bool:
        if self._forbidden(payer, payee, amount) or not self.kept():
            return False
        self.books.game.moves.append(Move(payer, payee, amount, what, self.now, self.starts))
        self.books.moves_made += 1
        self._forget_the_count()
        self.sound = "ok"
        if isinstance(payer, Insertion) and isinstance(payee, Insertion) and payee.account:
            self.payee_shown = Payee(payee.account, self.now + PAYER_SHOWS)
        elif isinstance(payee, Insertion) and payee.account:  # [F4]
            self.payee_shown = Payee(payee.account, self.now)
        return True

    def take_back(self, move: Move) -> None:
        if not self._forbidden(move.payee, move.payer, move.amount) and self.kept():
            move.reversed = True
            self._forget_the_count()
            self.sound = "undo"

    def kept(self) -> bool:
        """Whether the disk takes a change that somebody asked for; else it is refused [D3]."""
        taken = self.taken()
        if not taken:
            self.refuse("ERROR")
        return taken

    def taken(self) -> bool:
        """Whether the disk takes a change, as far as the bank knows."""
        if self.in_doubt:
            return False
        answer = self.disk.answer()
        if answer is Answer.WHO_KNOWS:
            self.in_doubt = True
            self.asked_disk_at = self.now
        return answer is Answer.TAKEN

    def _something_happens(self) -> None:
        """The disk is asked again; digits that follow refused ones stay refused [D27]."""
        astray = self.astray
        self._ask_disk_again()
        self.astray = astray

    def _ask_disk_again(self) -> None:
        """With everything that happens, and every ten seconds [D27]."""
        if not self.in_doubt:
            return
        self.asked_disk_at = self.now
        if self.disk.settles():
            left = self.seated("left") or self.interrupted
            self._learn_the_truth()
            self._drop_all()
            self.c_down_since = None
            self._look_at_the_cards_again(left.uid if left else b"")
            self._open_the_count_that_waits()

    def _learn_the_truth(self) -> None:
        """What was in doubt is now known to be on disk, or not to be."""
        self.in_doubt, self.asked_disk_at = False, 0
        truth, self.truth = self.truth, None
        if truth:
            believed, self.books = self.books, truth.books
            if self.books.games_begun == believed.games_begun:
                self.books.game.played = believed.game.played
            else:
                self.books.game.lose_time()
                self.count_waits = False
            self.count = FinalCount(self) if truth.count else None
            if self.books.moves_made > believed.moves_made:
                # Nobody saw it happen.
                self.books.game.moves[-1].start = 0

    def _look_at_the_cards_again(self, counted: bytes) -> None:
        """As if both readers had been away for a moment: they count as just put in [D6, D27].

        The card that was being counted goes on where it was.
        """
        self.interrupted = self.books.account_with(counted) if self.count else None
        inside, self.inside = self.inside, []
        for card in inside:
            known = [account for account in self.books.accounts if account.uid == card.uid]
            refusal = "" if self._was_admitted_after_all(card) else card.refusal
            card = Insertion(card.slot, card.uid, known[-1] if known else None, refusal)
            self.inside.append(self._as_just_put_in(card))

    def _was_admitted_after_all(self, card: Insertion) -> bool:
        account = self.books.account_with(card.uid)
        here = account is not None and account.number <= self.books.edition.cards
        return card.refusal == "ERROR" and here

    def _drop_all(self) -> None:
        self.astray = Astray.NO
        self.drop_entry()
        self._leave_f()
        self._end_what_passes()

    def _forbidden(self, payer: Party, payee: Party, amount: int) -> bool:
        """Whether a move would leave the bounds of a balance, which is refused [M8]."""
        payer_account, payee_account = account_of(payer), account_of(payee)
        poor = payer_account and self.books.holds(payer_account) - amount < 0
        if poor or (payer is Till.POT and self.books.in_pot() - amount < 0):
            self.refuse("NO FUNDS")
            return True
        if payee_account and self.books.holds(payee_account) + amount > self.books.edition.ceiling:
            self.refuse("FULL")
            return True
        return False

    def begin_count(self) -> None:
        """The final count opens, perhaps with a card in [F16]."""
        self.opened = None
        if self.count:
            return
        self.count = FinalCount(self)
        left = self.seated("left")
        if left and left.account not in self.books.worths:
            self.count.start(left)

    def _forget_the_count(self) -> None:
        """Money moved, or another game is played [F16]."""
        self.books.worths = {}
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

    def _pass(self, duration: int) -> None:
        """Let time pass, and stop at every instant at which something happens by itself."""
        end = self.now + duration
        while self.powered:
            due = self._what_is_due()
            if not due or min(due) > end:
                break
            happens = due[min(due)]
            self._advance_to(min(due))
            happens()
        self._advance_to(end)

    def _what_is_due(self) -> dict[int, Callable[[], None]]:
        """What happens next, by its instant; of two at once, the later in the list."""
        due: dict[int, Callable[[], None]] = {}
        if not self.asleep and not self.down:
            due[self.last_input + SLEEPS_AFTER] = self._fall_asleep
        if self.opened and not self.down:
            due[self.last_input + F_LEAVES_AFTER] = self._leave_f
        if self.in_doubt and not self.asleep:
            asks_at = max(self.asked_disk_at + ASKS_AGAIN_AFTER, self.now)
            due[asks_at] = self._ask_disk_again
        for key in self.stuck.keys() & self.down:
            due[self.stuck[key] + STUCK_AFTER] = partial(self._give_up_on, key)
        if self.time_left() > 0:
            due[self.now + (self.time_left() - 1) % MINUTE + 1] = self._minute_over
        if self.c_down_since is not None:
            due[self.c_down_since + LONG_C] = self._new_game
        return due

    def _advance_to(self, instant: int) -> None:
        if self.powered and self.books.game.kind.minutes:
            self.books.game.played += min(instant - self.now, self.time_left())
        self.now = instant

    def _minute_over(self) -> None:
        """[F22]."""
        if self.time_left() == 0:
            self._time_is_over()
        else:
            self._keep_time()

    def _keep_time(self) -> None:
        """On a disk that takes nothing a power cut takes more."""
        if self.books.game.kind.minutes and self.taken():
            self.books.game.keep_time()

    def time_left(self) -> int:
        return self.books.game.kind.minutes * MINUTE - self.books.game.played

    def _fall_asleep(self) -> None:
        self.asleep = True
        self._drop_all()

    def _time_is_over(self) -> None:
        """[F22]."""
        self._ask_disk_again()
        self.asleep = False
        self.last_input = self.now
        self.c_down_since = None
        self.astray = Astray.NO
        self.drop_entry()
        self._end_what_passes()
        self.sound = "alarm"
        self._leave_f()
        self.say("TIME")
        self._open_the_count()

    def _open_the_count(self) -> None:
        """Because time is up; if nobody knows whether it is open, later [F22, D27]."""
        if self.count or self.taken():
            self.begin_count()
            self._keep_time()
        else:
            self.count_waits = self.in_doubt

    def _open_the_count_that_waits(self) -> None:
        waits, self.count_waits = self.count_waits, False
        if waits:
            self._open_the_count()
