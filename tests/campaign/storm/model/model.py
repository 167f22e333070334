"""A naive model of the box, written from the rules alone, for comparison with the firmware.

It shares no code with the firmware. It keeps every move ever made (``ledger.py``) and every
inserted card in order; what shows is computed anew at each look (``screen.py``). Numbers in
brackets are rules.

Time is in whole milliseconds, and passes only when the caller says so; timers that are due by then
run in order.

``fkey.py`` and ``count.py`` have what F opens, ``memory.py`` the records. Each change that must
survive a power cut is first written to the disk (``disk.py``).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from tests.campaign.storm.model import fkey
from tests.campaign.storm.model.count import FinalCount
from tests.campaign.storm.model.dialog import Dialog
from tests.campaign.storm.model.disk import Disk, WriteResult
from tests.campaign.storm.model.figures import (
    DIGITS_AND_COMMA,
    EDITIONS,
    entry_amount,
    entry_error,
    format_amount,
    may_follow,
)
from tests.campaign.storm.model.ledger import ModelLedger
from tests.campaign.storm.model.memory import (
    MINUTE,
    NORMAL,
    Account,
    BalanceOf,
    BankOrPot,
    Card,
    Forgotten,
    Game,
    Insertion,
    Message,
    Move,
    Number,
    Party,
    account_of,
    way,
)

SECOND = 1_000
NUMBER_SHOWS = 1 * SECOND
MESSAGE_SHOWS = 2 * SECOND
PAYER_SHOWS = 2 * SECOND
SHORT_C = 1 * SECOND
LONG_C = 3 * SECOND
HOLD_M = 1 * SECOND
LISTS_CLOSE_AFTER = 15 * SECOND
EMPTY_ACKNOWLEDGES_AFTER = 1 * SECOND
SLEEPS_AFTER = 60 * SECOND
STUCK_AFTER = 600 * SECOND
RETRIES_DISK_AFTER = 10 * SECOND

CLEAR_FIRST = "CLEAR FIRST"
C_AGAIN = "C = AGAIN"
NOT_DONE = "NOT DONE"


class CMeans(NamedTuple):
    """What a short C does [C1, C2, F2, F16, G3, N2, S7, S12]."""

    what: str
    target: object = None
    """What it would take back or leave."""


DOES_NOTHING = CMeans("nothing")


@dataclass
class Model:
    """A box that was just switched on, with empty slots."""

    ledger: ModelLedger
    has_pot: bool = False
    rulebook_undo: bool = False

    now: int = 0
    starts: int = 1
    powered: bool = True
    asleep: bool = False
    last_input: int = 0
    alarm_at: int = 0
    """When time was up while something was half done; it postpones sleep [F22]."""
    not_done: bool = False
    """Whether an interruption waits to be acknowledged [N2]."""
    not_done_since: int = 0
    empty_since: int | None = 0
    """Since when both slots are empty for the bank; a lost reader's is not [N2]."""
    sound: str = ""
    keys_down: set[str] = field(default_factory=set)
    """The keys that the bank considers down."""
    stuck_keys: dict[str, int] = field(default_factory=dict)
    """Keys that stay down, and when each was reported [D28]."""
    c_down_since: int | None = None
    """Since when C is down, until it has acted."""
    c_means: CMeans = DOES_NOTHING
    """What C meant when it was pressed; when released, it does only that."""
    undo_stack: list[Move | Insertion] = field(default_factory=list)
    """Moves, and cards that took a number, since cards last counted as just put in [C2]."""

    physical: dict[str, bytes] = field(default_factory=dict)
    insertions: list[Insertion] = field(default_factory=list)
    lost_readers: set[str] = field(default_factory=set)
    """The slots whose readers do not answer [D6]."""

    disk: Disk = field(default_factory=Disk)
    in_doubt: bool = False
    """Whether the bank does not know what is on disk and assumes the state before [D27]."""
    committed: "Model | None" = None
    """The state right after the uncertain write, if it was committed."""
    disk_retried_at: int = 0
    count_pending: bool = False
    """Whether time ran out while something was half done, or in doubt: the count opens later
    [F22, D27].
    """

    offer: Move | Forgotten | None = None
    """A move that C would make again, or a card that it would restore, until another key or a card
    [C5, F19].
    """
    dialog: Dialog | None = None
    count: FinalCount | None = None
    """The final count, while it is open; a dialog lies above it."""
    entry: list[str] = field(default_factory=list)
    message_shown: Message | None = None
    number_shown: Number | None = None
    balance_shown: BalanceOf | None = None
    status_shown: str = ""
    """The status row after a move, until the next key or card [N4]."""

    # Inputs

    def insert(self, slot: str, uid: bytes) -> None:
        self.sound = ""
        self.physical[slot] = uid
        if self.powered and slot not in self.lost_readers:
            self._card_detected(slot, uid)

    def _card_detected(self, slot: str, uid: bytes) -> None:
        self._before_input()
        self.asleep = False
        self._insert(slot, uid)
        self.last_input = self.now
        self._after_input()

    def remove(self, slot: str) -> None:
        self.sound = ""
        del self.physical[slot]
        if self.powered and slot not in self.lost_readers:
            self._before_input()
            counted = slot == "left" and self.seated("left")
            interrupts = self._take_out(slot)
            if counted and not interrupts and self.count and self.count.table():
                self.sound = "ok"  # [F17]
            self._after_input()

    def press(self, keys: str) -> None:
        self.sound = ""
        for key in keys:
            self._press_key(key, 0)

    def hold(self, key: str, duration: int) -> None:
        self.sound = ""
        self._press_key(key, duration)

    def wait(self, duration: int) -> None:
        self.sound = ""
        self._pass_time(duration)

    def lose_reader(self, slot: str) -> None:
        """A reader stops answering; its slot counts as empty [D6]."""
        self.sound = ""
        self.lost_readers.add(slot)
        if not self.powered:
            return
        self._before_input()
        if any(card.slot == slot for card in self.insertions):
            self._take_out(slot)
        self._after_input()

    def restore_reader(self, slot: str) -> None:
        """The reader answers again; a card in it counts as just inserted [D6]."""
        self.sound = ""
        self.lost_readers.discard(slot)
        if self.powered:
            self._before_input()
        if self.powered and slot in self.physical:
            self._card_detected(slot, self.physical[slot])
        elif self.powered:
            self._after_input()

    def stick_key(self, key: str) -> None:
        """A key goes down and stays down."""
        self.sound = ""
        self.stuck_keys[key] = self.now
        if self.powered:
            self._key_down(key)

    def free_key(self, key: str) -> None:
        self.sound = ""
        del self.stuck_keys[key]
        self._release_stuck(key)

    def _release_stuck(self, key: str) -> None:
        if key in self.keys_down:
            self._key_up(key)

    def power_off(self) -> None:
        self.sound = ""
        self.powered = False
        self.asleep = False
        self.keys_down = set()
        self.c_down_since = None
        self._resolve_doubt()
        self.not_done = False
        self.insertions = []
        self.undo_stack = []
        self.offer = None
        self.ledger.game.restore_time()
        self.count_pending = False  # the lost minute will be played again
        self._reset_input()

    def power_on(self) -> None:
        self.sound = ""
        self.powered = True
        self.starts += 1
        for slot in ("left", "right"):  # left first [P3]
            if slot in self.physical and slot not in self.lost_readers:
                self._insert(slot, self.physical[slot])
        self.last_input = self.now
        self._after_input()

    # The view

    @property
    def card(self) -> int | None:
        """The card number that the big field shows, if any."""
        if self.number_shown and self.now < self.number_shown.until:
            return self.number_shown.number
        return None

    @property
    def on_top(self) -> Dialog | None:
        """The dialog that receives keys and shows."""
        return self.dialog or self.count

    @property
    def half_done(self) -> bool:
        """Whether an entry, a list or a question of F is open [N1]."""
        return bool(self.entry or self.dialog)

    # Interruptions

    def interrupt(self, *, silent: bool = False) -> None:
        """End what is half done; the banker must acknowledge that [N1, N2]."""
        self._drop_half_done()
        self._start_not_done()
        if not silent:
            self.sound = "error"

    def _interrupt_if_half_done(self, *, silent: bool = False) -> bool:
        interrupts = self.half_done
        if interrupts:
            self.interrupt(silent=silent)
        return interrupts

    def _start_not_done(self) -> None:
        self.not_done = True
        self.not_done_since = self.now

    def _acknowledge(self) -> None:
        self.not_done = False

    def _slots_empty(self) -> bool:
        """Whether both slots are empty for the bank; a lost reader's counts as occupied [N2]."""
        return not self.lost_readers and not self.any_seated() and not self.refused()

    def _after_input(self) -> None:
        """Note what may start or end after something happened."""
        if not self._slots_empty():
            self.empty_since = None
        elif self.empty_since is None:
            self.empty_since = self.now
        self._open_pending_count()

    # Cards

    def seated(self, slot: str) -> Insertion | None:
        """The player's card in a slot, but not a refused or forgotten one [S10, S12]."""
        for card in self.insertions:
            if card.slot == slot and card.seated:
                return card
        return None

    def any_seated(self) -> bool:
        return any(card.seated for card in self.insertions)

    def refused(self) -> list[Insertion]:
        return [card for card in self.insertions if card.refusal]

    def _insert(self, slot: str, uid: bytes) -> None:
        self._clear_transient()
        self._withdraw()
        card = self._insertion(slot, uid, self.ledger.card_with(uid), self.why_refused(uid))
        self.insertions.append(card)
        half_done = self.half_done
        if not card.refusal and card.card is None:
            self._admit(card)
        if card.refusal:
            self._interrupt_if_half_done()  # [N3]
            self.sound = "error"
            return
        self.sound = "card"
        self._join(card)
        self._adjust_list()
        if not self.refused() and not half_done and card.card:  # [S12, N3]
            until = self.now + NUMBER_SHOWS
            self.number_shown = Number(card.card.number, card.card.name, until)
            if card.new:
                self.show_message("NEW CARD")

    def _insertion(self, slot: str, uid: bytes, card: Card | None, refusal: str) -> Insertion:
        account = self.ledger.game.accounts.get(card.number) if card else None
        return Insertion(slot, uid, card, account, refusal)

    def _admit(self, card: Insertion) -> None:
        """An unknown card takes a number, unless the disk refuses the write [S10, D10].

        It gets the account of the number, if the game has one, even if its player is out.
        """
        if not self.commit():
            card.refusal = "ERROR"
            return
        card.card = Card(self.ledger.free_numbers()[0], card.uid)
        card.new, card.opened = True, card.card.number not in self.ledger.game.accounts
        self.ledger.cards.append(card.card)
        self.ledger.open_accounts()
        card.account = self.ledger.game.accounts[card.card.number]
        card.refusal = "OUT" if self.ledger.is_out(card.account) else ""
        self.undo_stack.append(card)

    def _join(self, card: Insertion) -> None:
        """A card in the left slot is counted while the count is open [F16].

        If the disk refuses the write, it is not counted.
        """
        if self.count and card.slot == "left" and card.account:
            self.count.ended = False
            if card.account.counted is None and self.commit():
                card.account.counted = []

    def why_refused(self, uid: bytes) -> str:
        if any(card.uid == uid for card in self.insertions):
            return "SAME CARD"
        card = self.ledger.card_with(uid)
        if card and card.number > self.ledger.edition.cards:
            return "UNKNOWN CARD"  # [F18]
        if card:
            return "OUT" if self.ledger.is_out(self.ledger.game.accounts[card.number]) else ""
        random = len(uid) == 4 and uid[0] == 0x08
        return "UNKNOWN CARD" if random or not self.ledger.free_numbers() else ""

    def _take_out(self, slot: str) -> bool:
        """A card is taken out, or its reader is lost; True if that interrupts something [N3]."""
        card = next(card for card in self.insertions if card.slot == slot)
        entry_ends = bool(self.entry) and (card.seated or bool(card.refusal))
        question_ends = self.dialog is not None and card in self.dialog.needs
        for thing in self.undo_stack:
            if isinstance(thing, Move) and card.seated and card.account in thing.accounts:
                thing.card_left = True  # [C2]
        self.insertions.remove(card)
        self._clear_transient()
        self._withdraw()
        self.last_input = self.now
        if entry_ends or question_ends:
            self.interrupt()
        self._adjust_list()
        return entry_ends or question_ends

    def _adjust_list(self) -> None:
        """A page that no longer exists gives way to the first [N3]."""
        if self.dialog and self.dialog.page >= max(len(self.dialog.pages()), 1):
            self.dialog.page = 0

    # Keys

    def _press_key(self, key: str, duration: int) -> None:
        """Press a key and release it after a while; a stuck key does nothing."""
        if key in self.stuck_keys or not self.powered:
            self._pass_time(duration)
            return
        self._key_down(key)
        self._pass_time(duration)
        self._key_up(key)

    def _key_down(self, key: str) -> None:
        was_in_doubt = self.in_doubt
        self._before_input()
        self._release_c()  # [D14]
        self._release_m()  # [F5]
        self.keys_down.add(key)
        if self.asleep and not self._acts_when_asleep(key):
            self._wake(key)
        else:
            self._press_awake(key, late=was_in_doubt)
        self._after_input()

    def _press_awake(self, key: str, *, late: bool) -> None:
        self.asleep = False
        c_means = self._c_means()
        self._clear_transient()
        if self.count:
            self.count.key_down()
        if key != "C":
            self.offer = None
        if late:
            self._refuse_late(key)
        elif key == "C":
            self.c_means = c_means
            self.c_down_since = self.now
        else:
            self._handle_key(key)

    def _key_up(self, key: str) -> None:
        self._before_input()
        self.keys_down.discard(key)
        self.last_input = self.now
        if key == "C":
            self._release_c()
        elif key == "M":
            self._release_m()
        self._after_input()

    def _acts_when_asleep(self, key: str) -> bool:
        """Whether a key does more than wake the box [P2]."""
        return key in DIGITS_AND_COMMA and (self.any_seated() or bool(self.refused()))

    def _wake(self, key: str) -> None:
        """A key that only wakes; with a card in, G and F would have done something [P2]."""
        self.asleep = False
        if not self.any_seated() and not self.refused():
            return
        if not self.refused() and (key == "F" or (key == "G" and not self.not_done)):
            self.show_message("PRESS AGAIN")
        if key == "F":
            self._start_not_done()

    def _refuse_late(self, key: str) -> None:
        """Refuse a key that came too late; more digits may follow it [D27]."""
        if key == "F" or key in DIGITS_AND_COMMA:
            self._start_not_done()
        self.refuse_without_message()  # what shows is said by the state that has begun

    def _release_m(self) -> None:
        """M is let go, or counts as let go when another key is pressed [F5]."""
        if isinstance(self.dialog, fkey.Bankrupt):
            self.dialog.let_go()

    def _handle_key(self, key: str) -> None:
        if self.refused():
            self.refuse_without_message()  # the refused card's message shows anyway [S12]
        elif key == "F":
            self._acknowledge()
            self.drop_entry()
            self.dialog = fkey.after_f(self)
        elif self.not_done:
            self._press_unacknowledged(key)
        elif self.on_top:
            self.on_top.press(key)
        elif key == "G":
            self._pay_salary()
        elif key in "MK":
            self._complete_entry(key)
        elif key == "," and not self.any_seated():
            self.next_volume()
        else:
            self.type(key)

    def _press_unacknowledged(self, key: str) -> None:
        """A key other than C and F before an interruption is acknowledged [N2, S8, V1]."""
        if not self._slots_empty() or key == "G":
            self.refuse(NOT_DONE)
        elif key == ",":
            self.next_volume()
        else:
            self.refuse("NO CARD")

    def type(self, key: str) -> None:
        if not self.any_seated():
            self.refuse("NO CARD")
        elif may_follow(self.entry, key):
            self.entry.append(key)
        else:
            self.refuse_without_message()

    def _complete_entry(self, unit: str) -> None:
        amount = self.take_entry(unit)
        if amount is not None:
            self.pay(*self.payer_and_payee(), amount, "PAID")

    def take_entry(self, unit: str, *, limited: bool = True) -> int | None:
        """The amount that a unit key completes, or None if it is refused.

        In the final count the maximum of an entry does not apply [F16].
        """
        keys, size, edition = self.entry, self.ledger.edition.units[unit], self.ledger.edition
        if not limited:
            edition = edition._replace(maximum=edition.ceiling)
        why = entry_error(keys, size, edition) if self.any_seated() else "NO CARD"
        self.drop_entry()
        if why:
            self.refuse(why)
            return None
        return int(entry_amount(keys, size))

    def _pay_salary(self) -> None:
        """Pay the salary [S7]."""
        left, right = self.seated("left"), self.seated("right")
        if right:
            self.refuse("LEFT CARD ONLY")
        elif not left:
            self.refuse("NO CARD")
        elif self.entry:
            self.refuse(CLEAR_FIRST)
        elif any(
            move.what == "SALARY" and move.payee is left for move in self.ledger.game.active_moves
        ):
            self.refuse("ALREADY PAID")
        else:
            self.pay(BankOrPot.BANK, left, self.ledger.edition.salary, "SALARY")

    def next_volume(self) -> None:
        if self.commit_or_refuse():
            self.ledger.volume = (self.ledger.volume + 1) % 4
            self.sound = "volume"
            self.show_message(f"VOLUME {self.ledger.volume}")

    # The C key

    def _release_c(self) -> None:
        """C acts when it is released, or when another key follows while it is down [C1, D14]."""
        since, self.c_down_since = self.c_down_since, None
        if since is None:
            return
        if self.now - since < SHORT_C:
            self._short_c()
        self.offer = None
        self._after_input()

    @property
    def message_now(self) -> Message | None:
        """The transient message, while it shows."""
        message = self.message_shown
        ends = message is None or (message.until is not None and self.now >= message.until)
        return None if ends else message

    def _c_means(self) -> CMeans:
        """What a short C would do now."""
        message = self.message_now
        if self.refused() or self.in_doubt:
            return CMeans("is refused")  # [S12, D27]
        if self.not_done:
            return CMeans("acknowledges")  # [N2]
        if self.offer:
            return CMeans("takes the offer", self.offer)  # [C5, F19]
        if message and message.refusal and message.text != CLEAR_FIRST:
            return CMeans("clears the message")  # [G3]
        if self.entry:
            return CMeans("clears the entry")  # [C1, F16, S7]
        if self.dialog:
            return CMeans("leaves", self.dialog)  # [F2]
        if self.count:
            return self._c_means_in_count(self.count)
        return CMeans("takes back", self.newest())

    def _c_means_in_count(self, count: FinalCount) -> CMeans:
        if count.asks:
            return CMeans("answers no")  # [D45]
        left = self.seated("left")
        return CMeans("takes back an amount", left) if left else CMeans("leaves", count)  # [F16]

    def _short_c(self) -> None:
        meant, means = self.c_means, self._c_means()
        if "is refused" in (meant.what, means.what):
            self.refuse_without_message()
        elif meant.what != means.what or meant.target is not means.target:
            pass  # it came too late for what it meant, or only cleared a message
        elif means.what == "acknowledges":
            self._acknowledge()
        elif means.what == "clears the entry":
            self.drop_entry()
        elif self.offer:
            self._take_offer(self.offer)
        elif self.dialog:
            self.dialog = None
        elif self.count:
            self._short_c_in_count(self.count)
        else:
            self._undo()

    def _take_offer(self, offer: Move | Forgotten) -> None:
        if isinstance(offer, Move):
            self.make_again(offer)
        else:
            self._restore(offer)

    def _short_c_in_count(self, count: FinalCount) -> None:
        if self.seated("left"):
            count.take_back()
        elif self.commit_or_refuse():
            self.count = None

    def newest(self) -> Move | Insertion | None:
        """The newest move or number that has not been taken back [C2]."""
        for thing in reversed(self.undo_stack):
            if isinstance(thing, Move):
                gone = thing.reversed
            else:
                gone = thing.card is None or thing.card.forgotten
            if not gone:
                return thing
        return None

    def _undo(self) -> None:
        """Take back the newest thing, and nothing older [C2, C3]."""
        newest = self.newest()
        if isinstance(newest, Insertion) and self._forgettable(newest):
            if self.commit_or_refuse():
                self._take_number_back(newest)
                self.sound = "undo"
        elif isinstance(newest, Move) and self._in_reach(newest):
            self.take_back(newest)
        else:
            self.refuse("NOTHING TO UNDO")

    def _in_reach(self, move: Move) -> bool:
        """Whether no card of a move has left its slot since, or was forgotten [C2]."""
        return not move.card_left and all(map(self.ledger.has_card, move.accounts))

    def _still_in(self, card: Insertion) -> bool:
        return card in self.insertions and card.seated

    def _forgettable(self, card: Insertion) -> bool:
        """Whether C can take back the number of a card that was new [S10]."""
        used = any(card in move.cards for move in self.ledger.game.moves)
        return self._still_in(card) and not used

    def _take_number_back(self, card: Insertion) -> None:
        """An account that the card found stays [S10]."""
        assert card.card is not None
        card.card.forgotten = True
        if card.opened:
            del self.ledger.game.accounts[card.card.number]

    # Games

    def choose_edition(self, name: str) -> None:
        self.ledger.next_edition = EDITIONS[name]

    def _new_game(self) -> None:
        self.c_down_since = None
        self.offer = None
        self._drop_half_done()
        self._retry_disk()
        self._save_time()
        if not self.commit_or_refuse():
            return
        self.ledger.last_game += 1
        game = Game(self.ledger.next_edition, self.ledger.next_kind, self.ledger.last_game)
        self._switch_game(game)
        self.ledger.next_kind = NORMAL
        self.sound = "new-game"
        self.show_message("NEW GAME")

    def game_back(self) -> None:
        assert self.ledger.before is not None
        self.dialog = None
        self._save_time()
        if not self.commit_or_refuse():
            return
        self._switch_game(self.ledger.before)
        self.sound = "undo"
        self.show_message("GAME BACK")

    def _switch_game(self, game: Game) -> None:
        """Switch to a game; inserted cards count as just inserted [C4]."""
        self.ledger.play_game(game)
        self.count = None
        self.offer = None
        self.count_pending = False  # [F22]
        self._acknowledge()
        self.undo_stack = []
        self.insertions = [self._reinserted(card) for card in self.insertions]

    def _reinserted(self, card: Insertion) -> Insertion:
        again = self._insertion(card.slot, card.uid, card.card, card.refusal)
        if not card.plays:
            return again
        if again.account is None:
            again.refusal = "UNKNOWN CARD"  # [F18]
        else:
            again.refusal = "OUT" if self.ledger.is_out(again.account) else ""  # [F5]
        if again.seated:
            self._join(again)
        return again

    # Money

    def payer_and_payee(self) -> tuple[Party, Party]:
        """The parties of a move with the inserted cards [S2]."""
        return self.seated("right") or BankOrPot.BANK, self.seated("left") or BankOrPot.BANK

    def pay(self, payer: Party, payee: Party, amount: int, what: str) -> bool:
        if self._forbidden(payer, payee, amount) or not self.commit_or_refuse():
            return False
        move = Move(payer, payee, amount, what, self.now, self.starts)
        self.ledger.game.moves.append(move)
        self.undo_stack.append(move)
        self.ledger.moves_made += 1
        self.sound = "ok"
        if isinstance(payer, Insertion) and isinstance(payee, Insertion) and payee.account:
            self.balance_shown = BalanceOf(payee.account, self.now + PAYER_SHOWS)
        elif isinstance(payee, Insertion) and payee.account:  # [F4]
            self.balance_shown = BalanceOf(payee.account, self.now)
        self.status_shown = f"{way(payer, payee)} {format_amount(amount, self.ledger.edition)}"
        return True

    def take_back(self, move: Move) -> None:
        if not self._forbidden(move.payee, move.payer, move.amount) and self.commit_or_refuse():
            move.reversed = True
            self.sound = "undo"
            self.number_shown = None  # a card may have been put in while C was down
            seated = [card.account for card in self.insertions if card.seated]
            for account in (account_of(move.payee), account_of(move.payer)):  # [C2]
                if account and account in seated:
                    self.balance_shown = BalanceOf(account, self.now)
            self.status_shown = f"UNDO {format_amount(move.amount, self.ledger.edition)}"

    def offer_again(self, move: Move) -> None:
        """C would make a move again that HISTORY took back; never a bankruptcy [C5, D44]."""
        if move.what != "BANKRUPT":
            self.offer = move
            self.show_message(C_AGAIN, lasts=True)

    def make_again(self, move: Move) -> None:
        """Make a move again that was taken back; its cards may be in or not [C5, F13, D44]."""
        if any(self.ledger.is_out(account) for account in move.accounts):
            self.refuse("OUT")
            return
        payer, payee = self._in_now(move.payer_holder), self._in_now(move.payee_holder)
        if self.pay(payer, payee, move.amount, move.what):
            move.made_again = True
            self.number_shown = None  # a card may have been put in while C was down
            if not isinstance(payee, Insertion) or payee.slot != "left":
                self.balance_shown = None

    def _in_now(self, holder: Account | BankOrPot) -> Party:
        """A holder's card, if it is in a slot now."""
        seated = [card for card in self.insertions if card.seated and card.account is holder]
        return seated[0] if seated else holder

    def commit_or_refuse(self) -> bool:
        """Write a change that a player asked for; show the refusal if it fails [D3]."""
        committed = self.commit()
        if not committed:
            self.refuse("ERROR")
        return committed

    def commit(self) -> bool:
        """Write a change; False if it is refused or uncertain."""
        if self.in_doubt:
            return False
        result = self.disk.write()
        if result is WriteResult.UNKNOWN:
            self.in_doubt = True
            self.disk_retried_at = self.now
            self.offer = None  # [D46]
            self._interrupt_if_half_done()  # [N3]
        return result is WriteResult.COMMITTED

    def _before_input(self) -> None:
        """Retry the disk [D27]."""
        self._retry_disk()

    def _retry_disk(self) -> None:
        """Retry at every input, and every ten seconds [D27]."""
        if not self.in_doubt:
            return
        self.disk_retried_at = self.now
        if self.disk.settles():
            self._resolve_doubt()
            self.undo_stack = []
            self._reset_input()
            self.c_down_since = None
            self._reinsert_cards()
            self._open_pending_count()

    def _resolve_doubt(self) -> None:
        """Find out whether the uncertain write is on disk.

        A count that was ended with M goes on, as after a start [F17].
        """
        self.in_doubt, self.disk_retried_at = False, 0
        committed, self.committed = self.committed, None
        counting = committed.count if committed else self.count
        self.count = FinalCount(self) if counting else None
        if committed:
            assumed, self.ledger = self.ledger, committed.ledger
            if self.ledger.games_begun == assumed.games_begun:
                self.ledger.game.played = assumed.game.played
            else:
                self.ledger.game.restore_time()
                self.count_pending = False
            if self.ledger.moves_made > assumed.moves_made:
                # The age of this move is unknown.
                self.ledger.game.moves[-1].start = 0

    def _reinsert_cards(self) -> None:
        """Treat all cards as just inserted, as if both readers had been lost [D6, D27]."""
        insertions, self.insertions = self.insertions, []
        for insertion in insertions:
            known = [card for card in self.ledger.cards if card.uid == insertion.uid]
            refusal = "" if self._was_admitted(insertion) else insertion.refusal
            card = Insertion(insertion.slot, insertion.uid, known[-1] if known else None)
            card.refusal = refusal
            self.insertions.append(self._reinserted(card))

    def _was_admitted(self, insertion: Insertion) -> bool:
        card = self.ledger.card_with(insertion.uid)
        here = card is not None and card.number <= self.ledger.edition.cards
        return insertion.refusal == "ERROR" and here

    def _reset_input(self) -> None:
        self._drop_half_done()
        self._clear_transient()

    def _forbidden(self, payer: Party, payee: Party, amount: int) -> bool:
        """Refuse a move that would exceed the limits of a balance [M8]."""
        payer_account, payee_account = account_of(payer), account_of(payee)
        poor = payer_account and self.ledger.holds(payer_account) - amount < 0
        if poor or (payer is BankOrPot.POT and self.ledger.in_pot() - amount < 0):
            self.refuse("NO FUNDS")
            return True
        if (
            payee_account
            and self.ledger.holds(payee_account) + amount > self.ledger.edition.ceiling
        ):
            self.refuse("FULL")
            return True
        return False

    def open_count(self) -> None:
        """Open the final count; a card may be in the left slot [F16]."""
        self.dialog = None
        if self.count:
            return
        self.count = FinalCount(self)
        left = self.seated("left")
        if left and left.account and left.account.counted is None:
            left.account.counted = []

    def forget(self, card: Card) -> None:
        """The card's balance goes back to the bank, and its number is free [F19].

        Only in this game: the accounts of other games stay.
        """
        card.forgotten = True
        self.offer = Forgotten(card, self.ledger.game.accounts.pop(card.number))

    def _restore(self, forgotten: Forgotten) -> None:
        """C right after FORGET restores the card; nothing else was changed [F19, D46]."""
        if self.commit_or_refuse():
            forgotten.card.forgotten = False
            self.ledger.game.accounts[forgotten.card.number] = forgotten.account
            self.sound = "undo"

    # Transient displays

    def show_message(self, text: str, *, lasts: bool = False) -> None:
        """Show a message for two seconds, or until the next key or card [G2]."""
        until = None if lasts else self.now + MESSAGE_SHOWS
        self.message_shown = Message(text, until, refusal=False)

    def refuse(self, text: str) -> None:
        self.sound = "error"
        self.message_shown = Message(text, None, refusal=True)

    def refuse_without_message(self) -> None:
        self.sound = "error"

    def drop_entry(self) -> None:
        self.entry = []

    def _drop_half_done(self) -> None:
        self.drop_entry()
        self.dialog = None

    def _clear_transient(self) -> None:
        """The next key or card clears what shows for a while [G2, S3, N4]."""
        self.message_shown = None
        self.number_shown = None
        self.balance_shown = None
        self.status_shown = ""

    def _withdraw(self) -> None:
        """A card that moves ends what C or M would do once [C5, D45, D46]."""
        self.offer = None
        if self.count:
            self.count.asks = False

    # Time

    def _pass_time(self, duration: int) -> None:
        """Let time pass, and run the timers that are due."""
        end = self.now + duration
        while self.powered:
            due = self._timers()
            if not due or min(due) > end:
                break
            happens = due[min(due)]
            self._advance_to(min(due))
            happens()
            self._after_input()
        self._advance_to(end)

    def _timers(self) -> dict[int, Callable[[], None]]:
        """The next timers by their instants; of two at the same instant, the later in the list
        wins.
        """
        due: dict[int, Callable[[], None]] = {}
        if not self.asleep and not self.keys_down:
            due[max(self.last_input, self.alarm_at) + SLEEPS_AFTER] = self._fall_asleep
        if self.dialog and self.dialog.closes_by_itself and not self.keys_down:
            due[self.last_input + LISTS_CLOSE_AFTER] = partial(self.interrupt, silent=True)
        if self.not_done and self.empty_since is not None:
            empty = max(self.not_done_since, self.empty_since)
            due[empty + EMPTY_ACKNOWLEDGES_AFTER] = self._acknowledge
        if self.in_doubt and not self.asleep:
            asks_at = max(self.disk_retried_at + RETRIES_DISK_AFTER, self.now)
            due[asks_at] = self._retry_disk
        for key in self.stuck_keys.keys() & self.keys_down:
            due[self.stuck_keys[key] + STUCK_AFTER] = partial(self._release_stuck, key)
        if self.time_left() > 0:
            due[self.now + (self.time_left() - 1) % MINUTE + 1] = self._minute_over
        if isinstance(self.dialog, fkey.Bankrupt) and self.dialog.m_down_since is not None:
            due[self.dialog.m_down_since + HOLD_M] = self.dialog.held_long_enough
        if self.c_down_since is not None:
            due[self.c_down_since + LONG_C] = self._new_game
        return due

    def _advance_to(self, instant: int) -> None:
        if self.powered and self.ledger.game.kind.minutes:
            self.ledger.game.played += min(instant - self.now, self.time_left())
        self.now = instant

    def _minute_over(self) -> None:
        """A minute of the game has passed [F22]."""
        if self.time_left() == 0:
            self._time_up()
        else:
            self._save_time()

    def _save_time(self) -> None:
        """Save the time played; if the disk refuses, a power cut loses more."""
        if self.ledger.game.kind.minutes and self.commit():
            self.ledger.game.save_time()

    def time_left(self) -> int:
        return self.ledger.game.kind.minutes * MINUTE - self.ledger.game.played

    def _fall_asleep(self) -> None:
        self._interrupt_if_half_done(silent=True)
        self._clear_transient()
        if isinstance(self.offer, Move):
            self.offer = None  # [D44]
        if self.count:
            self.count.asks = False  # [D45]
        self.asleep = True

    def _time_up(self) -> None:
        """The time of the game is up; the count waits for what is half done [F22]."""
        self._retry_disk()
        self.sound = "alarm"
        if self.half_done:
            self.alarm_at = self.now
            self.count_pending = True
            self.show_message("TIME")
            return
        self.asleep = False
        self.last_input = self.now
        if self.c_down_since is not None or isinstance(self.offer, Move):
            self.offer = None
        self.c_down_since = None
        self._clear_transient()
        self.show_message("TIME")
        self._open_timed_count()

    def _open_timed_count(self) -> None:
        """Open the count because time is up; later, if in doubt [F22, D27]."""
        if self.count or self.commit():
            self.open_count()
            self._save_time()
        else:
            self.count_pending = self.in_doubt

    def _open_pending_count(self) -> None:
        if self.count_pending and not self.half_done and not self.in_doubt:
            self.count_pending = False
            self._open_timed_count()
