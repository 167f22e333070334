"""A naive model of the box, written from the rules alone, to hold the firmware against.

It shares no code and no idea with the firmware. It keeps every move ever made and
every card that is in, in the order in which they came, and works out what shows
from scratch each time somebody looks. Numbers in brackets are the rules'.

Time is in whole milliseconds. Nothing here happens by itself: the world tells the
model how much time has passed, and whatever is over by then is over.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

SECOND = 1_000
NUMBER_SHOWS = 1 * SECOND
MESSAGE_SHOWS = 2 * SECOND
PAYER_SHOWS = 2 * SECOND
SHORT_C = 1 * SECOND
LONG_C = 3 * SECOND
SLEEPS_AFTER = 60 * SECOND

MOST_DIGITS = 5
IDLE = "-----"


class Edition(NamedTuple):
    """The figures of an edition that the bank itself needs."""

    cards: int
    opening: int
    salary: int
    minimum: int
    maximum: int
    step: int
    units: dict[str, int]

    @property
    def plain(self) -> bool:
        return self.units["M"] == 1

    @property
    def ceiling(self) -> int:
        """The most that a card can hold [M8]."""
        return 99_999 * max(self.units.values())


_LETTERED = {"M": 1_000_000, "K": 1_000}
_PLAIN = {"M": 1, "K": 1_000}

EDITIONS = {
    "banking": Edition(6, 15_000_000, 2_000_000, 10_000, 20_000_000, 1_000, _LETTERED),
    "europe": Edition(8, 1_500, 200, 1, 2_000, 1, _PLAIN),
    "duel-masters": Edition(6, 1_500, 200, 1, 2_000, 1, _PLAIN),
    "disney": Edition(6, 1_500, 200, 1, 2_000, 1, _PLAIN),
    "france98": Edition(8, 150_000, 20_000, 100, 200_000, 100, _LETTERED),
}


# Writing and reading amounts


def written(amount: int, edition: Edition) -> str:
    """An amount as the big field shows it: five digits at most, cut [M2, M3, M10]."""
    if amount == 0:
        return "0"
    letter, unit = _unit_shown(amount, edition)
    whole, rest = divmod(amount, unit)
    zeros = len(str(unit)) - 1
    decimals = str(rest).zfill(zeros)[: MOST_DIGITS - len(str(whole))].rstrip("0")
    return f"{whole},{decimals}{letter}" if decimals else f"{whole}{letter}"


def _unit_shown(amount: int, edition: Edition) -> tuple[str, int]:
    if edition.plain:
        return ("", 1) if amount <= 99_999 else ("K", 1_000)
    return ("M", 1_000_000) if amount >= 1_000_000 else ("K", 1_000)


def is_cut(amount: int, edition: Edition) -> bool:
    text = written(amount, edition)
    number, unit = text.rstrip("MK"), text[-1]
    shown = Fraction(number.replace(",", ".")) * edition.units.get(unit, 1)
    return shown != amount


def in_full(amount: int) -> str:
    """An amount as the message line shows it when the big field cannot [M3]."""
    return f"{amount:,}".replace(",", " ")


def entry_text(keys: list[str]) -> str:
    """What the big field shows of the keys of an entry [M4, M5]."""
    text = ""
    for key in keys:
        if key == "," and text == "":
            text = "0,"
        elif key != "," and text == "0":
            text = key
        else:
            text += key
    return text


def digits(keys: list[str]) -> int:
    """How many digits an entry has; the zero in front of a comma is none [M5]."""
    text = entry_text(keys)
    return len(text.removeprefix("0,").replace(",", ""))


def entry_amount(keys: list[str], unit: int) -> Fraction:
    return Fraction(entry_text(keys).replace(",", ".") or "0") * unit


# What the model remembers


@dataclass(eq=False)
class Insertion:
    """A card in a slot, from the moment it is put in until it is taken out.

    It has a number, or a refusal, or neither: then it has been forgotten.
    """

    slot: str
    uid: bytes
    number: int | None = None
    refusal: str = ""
    new: bool = False


@dataclass(eq=False)
class Move:
    """Money that changed hands; no payer or no payee means the bank."""

    game: int
    payer: Insertion | None
    payee: Insertion | None
    amount: int
    salary: bool
    reversed: bool = False

    @property
    def cards(self) -> list[Insertion]:
        return [card for card in (self.payer, self.payee) if card]


class Message(NamedTuple):
    """A message that passes, unlike that of a refused card."""

    text: str
    until: int
    refusal: bool


class Number(NamedTuple):
    """A card's number in the big field."""

    number: int
    until: int


class Payee(NamedTuple):
    """The payee of the last transfer, whose balance shows from an instant on [S3]."""

    number: int
    since: int


@dataclass
class Model:
    """A box that has just been switched on, with empty slots."""

    edition: Edition
    known: dict[int, bytes]

    now: int = 0
    powered: bool = True
    asleep: bool = False
    last_input: int = 0
    volume: int = 2
    sound: str = ""

    physical: dict[str, bytes] = field(default_factory=dict)
    inside: list[Insertion] = field(default_factory=list)
    game: int = 1
    moves: list[Move] = field(default_factory=list)

    entry: list[str] = field(default_factory=list)
    passing: Message | None = None
    number_shown: Number | None = None
    payee_shown: Payee | None = None

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
            self.inside = [card for card in self.inside if card.slot != slot]
            self._drop_entry()
            self._end_what_passes()
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
        self.now += duration
        if self.powered and self.now - self.last_input >= SLEEPS_AFTER:
            self._fall_asleep()

    def power_off(self) -> None:
        self.sound = ""
        self.powered = False
        self.asleep = False
        self.inside = []
        self._drop_entry()
        self._end_what_passes()

    def power_on(self) -> None:
        self.sound = ""
        self.powered = True
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

    def balance(self, number: int) -> int | None:
        """A card's balance, added up from all the moves of this game."""
        if number not in self.known:
            return None
        total = self.edition.opening
        for move in self._standing():
            if move.payer and move.payer.number == number:
                total -= move.amount
            if move.payee and move.payee.number == number:
                total += move.amount
        return total

    def _balance_shown(self) -> int | None:
        """The payer's balance, then the payee's; else the right card's, or the left's [S3]."""
        if self.payee_shown and self.now >= self.payee_shown.since:
            return self.balance(self.payee_shown.number)
        card = self.seated("right") or self.seated("left")
        return self.balance(card.number) if card and card.number else None

    # What is in the slots, for the bank

    def seated(self, slot: str) -> Insertion | None:
        """The player's card in a slot; a refused or a forgotten one is not there [S10, S12]."""
        for card in self.inside:
            if card.slot == slot and card.number is not None:
                return card
        return None

    def any_seated(self) -> bool:
        return any(card.number is not None for card in self.inside)

    def refused(self) -> list[Insertion]:
        return [card for card in self.inside if card.refusal]

    def _put_in(self, slot: str, uid: bytes) -> None:
        self._drop_entry()
        self._end_what_passes()
        card = Insertion(slot, uid)
        card.refusal = self._why_refused(uid)
        self.inside.append(card)
        if card.refusal:
            self.sound = "error"
            return
        card.number = self._number_of(uid)
        if card.number is None:
            card.number = self._lowest_free()
            self.known[card.number] = uid
            card.new = True
        self.sound = "card"
        if not self.refused():  # [S12]
            self.number_shown = Number(card.number, self.now + NUMBER_SHOWS)
            if card.new:
                self._say("NEW CARD")

    def _why_refused(self, uid: bytes) -> str:
        if any(card.uid == uid for card in self.inside):
            return "SAME CARD"
        random = len(uid) == 4 and uid[0] == 0x08
        stranger = self._number_of(uid) is None and len(self.known) == self.edition.cards
        return "UNKNOWN CARD" if random or stranger else ""

    def _number_of(self, uid: bytes) -> int | None:
        for number, known in self.known.items():
            if known == uid:
                return number
        return None

    def _lowest_free(self) -> int:
        return min(set(range(1, self.edition.cards + 1)) - set(self.known))

    # Keys

    def _strike(self, key: str, duration: int) -> None:
        """A key goes down, stays down for a while, and is let go."""
        if self.asleep and not self._counts_asleep(key):
            self.asleep = False
            self.now += duration
        else:
            self.asleep = False
            if key == "C":
                self._strike_c(duration)
            else:
                self._end_what_passes()
                self._act(key)
                self.now += duration
        self.last_input = self.now

    def _counts_asleep(self, key: str) -> bool:
        """Whether a key does more than wake the box [P2]."""
        return key.isdigit() and (self.any_seated() or bool(self.refused()))

    def _act(self, key: str) -> None:
        if self.refused() or key == "F":
            self.sound = "error"  # the refused card's message shows anyway [S12]
        elif key == "G":
            self._go()
        elif key in "MK":
            self._complete_entry(key)
        elif key == "," and not self.any_seated():
            self._next_volume()
        else:
            self._type(key)

    def _type(self, key: str) -> None:
        if not self.any_seated():
            self._refuse("NO CARD")
        elif [*self.entry, key].count(",") > 1 or digits([*self.entry, key]) > MOST_DIGITS:
            self.sound = "error"
        else:
            self.entry.append(key)

    def _complete_entry(self, unit: str) -> None:
        amount = entry_amount(self.entry, self.edition.units[unit])
        why = self._why_not_entry(amount)
        self._drop_entry()
        if why:
            self._refuse(why)
        else:
            self._move(int(amount), salary=False)

    def _why_not_entry(self, amount: Fraction) -> str:
        """The checks in the order of [M9], up to the step."""
        edition = self.edition
        if not self.any_seated():
            return "NO CARD"
        if self.entry in ([], [","]):
            return "NO AMOUNT"
        if amount < edition.minimum:
            return f"MIN {written(edition.minimum, edition)}"
        if amount > edition.maximum:
            return f"MAX {written(edition.maximum, edition)}"
        if amount % edition.step != 0:
            return f"STEP {written(edition.step, edition)}"
        return ""

    def _go(self) -> None:
        """The salary [S7]."""
        left, right = self.seated("left"), self.seated("right")
        if right:
            self._refuse("LEFT CARD ONLY")
        elif not left:
            self._refuse("NO CARD")
        else:
            self._drop_entry()
            if any(move.salary and move.payee is left for move in self._standing()):
                self._refuse("ALREADY PAID")
            else:
                self._move(self.edition.salary, salary=True)

    def _next_volume(self) -> None:
        self.volume = (self.volume + 1) % 4
        self.sound = "volume"
        self._say(f"VOLUME {self.volume}")

    # The C key

    def _strike_c(self, duration: int) -> None:
        only_clears = self._refusal_shows()
        self._end_what_passes()
        if duration >= LONG_C:
            self.now += LONG_C
            self._new_game()
            self.now += duration - LONG_C
        else:
            self.now += duration
            if duration < SHORT_C:
                self._short_c(only_clears)

    def _refusal_shows(self) -> bool:
        return self.passing is not None and self.passing.refusal and self.now < self.passing.until

    def _short_c(self, only_clears: bool) -> None:
        if self.refused():
            self.sound = "error"
        elif only_clears:  # [G3]
            pass
        elif self.entry:  # [C1]
            self._drop_entry()
        elif self.forgettable():
            self._forget(self.forgettable()[-1])
        else:
            self._reverse()

    def forgettable(self) -> list[Insertion]:
        """The new cards that a short C forgets again, in the order they came [S10]."""
        used = [card for move in self.moves for card in move.cards]
        return [card for card in self.inside if card.new and card not in used]

    def _forget(self, card: Insertion) -> None:
        assert card.number is not None
        del self.known[card.number]
        card.number = None
        card.new = False
        self.sound = "undo"

    def _reverse(self) -> None:
        standing = self._standing()
        if standing and all(card in self.inside for card in standing[-1].cards):
            standing[-1].reversed = True
            self.sound = "undo"
        else:
            self._refuse("NOTHING TO UNDO")

    def _new_game(self) -> None:
        """Cards that are in count as just put in: each becomes another insertion [C4]."""
        self.game += 1
        self.inside = [
            Insertion(card.slot, card.uid, card.number, card.refusal) for card in self.inside
        ]
        self._drop_entry()
        self.sound = "new-game"
        self._say("NEW GAME")

    # Money

    def _move(self, amount: int, *, salary: bool) -> None:
        payer, payee = self.seated("right"), self.seated("left")
        if payer and self._balance_of(payer) - amount < 0:
            self._refuse("NO FUNDS")
        elif payee and self._balance_of(payee) + amount > self.edition.ceiling:
            self._refuse("FULL")
        else:
            self.moves.append(Move(self.game, payer, payee, amount, salary))
            self.sound = "ok"
            if payer and payee and payee.number:
                self.payee_shown = Payee(payee.number, self.now + PAYER_SHOWS)

    def _balance_of(self, card: Insertion) -> int:
        assert card.number is not None
        balance = self.balance(card.number)
        assert balance is not None
        return balance

    def _standing(self) -> list[Move]:
        """The moves of this game that have not been reversed."""
        return [move for move in self.moves if move.game == self.game and not move.reversed]

    # What passes

    def _say(self, text: str, *, refusal: bool = False) -> None:
        self.passing = Message(text, self.now + MESSAGE_SHOWS, refusal)

    def _refuse(self, text: str) -> None:
        self.sound = "error"
        self._say(text, refusal=True)

    def _drop_entry(self) -> None:
        self.entry = []

    def _end_what_passes(self) -> None:
        """The next key or card ends a message, a number and a payee's balance [G2, S3]."""
        self.passing = None
        self.number_shown = None
        self.payee_shown = None

    def _fall_asleep(self) -> None:
        self.asleep = True
        self._drop_entry()
        self._end_what_passes()
