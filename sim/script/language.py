"""The script language: plain text that drives a box and says what must come of it.

A script is read line by line into steps. Whatever can be seen to be wrong
without running it is an error here, with the line it stands on: an unknown word,
a card put into a slot that holds one, a key pressed while the power is off.
"""

from collections.abc import Callable, Iterable
from copy import copy
from enum import Enum
from typing import NamedTuple, TypeAlias

from firmware import edition as editions
from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
from firmware.mistake import Mistake
from hal.events import Key, Slot
from hal.sounds import LOUDEST, Sound
from sim.fault import DiskCut, Fault, KeyStuck, fault_of, needs_disk, thing
from sim.script_words import (
    ScriptError,
    card_of,
    duration_of,
    exactly,
    key_of,
    number_of,
    slot_of,
    some,
    takes,
)

A_CARD = "a card's number"


class GivenEdition(NamedTuple):
    edition: Edition


class GivenNoCards(NamedTuple):
    """The box knows no card."""


class GivenHouse(NamedTuple):
    """The table has house rules: all that were given so far."""

    house: House


class Insert(NamedTuple):
    slot: Slot
    uid: bytes


class Remove(NamedTuple):
    slot: Slot


class Press(NamedTuple):
    keys: tuple[Key, ...]


class Hold(NamedTuple):
    key: Key
    duration: int


class Wait(NamedTuple):
    duration: int


class Power(NamedTuple):
    on: bool


class Cause(NamedTuple):
    """Something breaks, or goes wrong once."""

    fault: Fault


class Mend(NamedTuple):
    """Something is in order again."""

    fault: Fault
    """That was."""


class Subject(Enum):
    """What an expectation is about."""

    SCREEN = "screen"
    MESSAGE = "message"
    CARD = "card"
    BALANCE = "balance"
    SOUND = "sound"
    VOLUME = "volume"
    ASLEEP = "asleep"
    AWAKE = "awake"
    MENU = "menu"
    WORTH = "worth"


class Expect(NamedTuple):
    """What must be seen or heard now."""

    subject: Subject
    wanted: str
    """The text, number or name that is expected; empty for a dark screen."""


class ExpectBalance(NamedTuple):
    """What the ledger must say of a card: its balance, or its worth in the final count."""

    card: int
    amount: int
    written: str
    subject: Subject = Subject.BALANCE


Given: TypeAlias = GivenEdition | GivenNoCards | GivenHouse
Action: TypeAlias = Insert | Remove | Press | Hold | Wait | Power | Cause | Mend
Step: TypeAlias = Given | Action | Expect | ExpectBalance


class Reader:
    """Reads one line after the other, knowing what the lines before have done."""

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.house = BY_THE_BOOK
        self._powered: bool | None = True
        """None: nobody knows, for an operation of the disk takes the power away."""
        self._cut_is_set = False
        self._occupied = dict.fromkeys(Slot, False)
        self._broken: dict[str, Fault] = {}
        """What is not in order, by its name."""
        self._givens: set[str] = set()
        self._begun = False

    def copy(self) -> "Reader":
        """What it knows now, for whoever may have to go back to it."""
        other = copy(self)
        other._occupied = dict(self._occupied)
        other._broken = dict(self._broken)
        other._givens = set(self._givens)
        return other

    def read(self, line: str) -> Step | None:
        """The step on a line, or None when there is none; raises ScriptError."""
        words = line.partition("#")[0].split()
        if not words:
            return None
        verb, rest = words[0], words[1:]
        if verb == "given":
            return self._given(rest)
        self._begun = True
        read: dict[str, Callable[[list[str]], Action | Expect | ExpectBalance]] = {
            "insert": self._insert,
            "remove": self._remove,
            "press": self._press,
            "hold": self._hold,
            "wait": self._wait,
            "power": self._power,
            "fault": self._cause,
            "mend": self._mend,
            "expect": self._expect,
        }
        if verb not in read:
            raise ScriptError(f"there is no {verb!r}; a line begins with given, {', '.join(read)}")
        return read[verb](rest)

    def _press(self, rest: list[str]) -> Press:
        self._must_have_power("press")
        return Press(tuple(key_of(letter) for letter in some("".join(rest), "press", "keys")))

    def _hold(self, rest: list[str]) -> Hold:
        self._must_have_power("hold")
        key, duration = exactly(rest, "hold", "a key and a duration")
        return Hold(key_of(key), duration_of(duration))

    def _must_have_power(self, what: str) -> None:
        if self._powered is False:
            raise ScriptError(f"{what!r} makes no sense while the power is off")

    def _wait(self, rest: list[str]) -> Wait:
        (duration,) = exactly(rest, "wait", "a duration")
        return Wait(duration_of(duration))

    def _given(self, rest: list[str]) -> Given:
        if self._begun:
            raise ScriptError("'given' must come before every other line")
        if rest[:1] and rest[0] in self._givens:
            raise ScriptError(f"'given {rest[0]}' was said already")
        match rest:
            case ["edition", name]:
                self._givens.add("edition")
                self.edition = _edition(name)
                return GivenEdition(self.edition)
            case ["cards", "none"]:
                self._givens.add("cards")
                return GivenNoCards()
            case ["pot", ("true" | "false") as word]:
                self._givens.add("pot")
                self.house = self.house._replace(pot=word == "true")
                return GivenHouse(self.house)
            case ["undo", ("rulebook" | "any") as word]:
                self._givens.add("undo")
                self.house = self.house._replace(strict_undo=word == "rulebook")
                return GivenHouse(self.house)
        raise ScriptError(
            "'given' takes 'edition NAME', 'cards none', 'pot true' or 'undo rulebook'"
        )

    def _insert(self, rest: list[str]) -> Insert:
        slot, card = exactly(rest, "insert", "a slot and a card")
        step = Insert(slot_of(slot), card_of(card))
        if self._occupied[step.slot]:
            raise ScriptError(f"the {slot} slot holds a card already")
        self._occupied[step.slot] = True
        return step

    def _remove(self, rest: list[str]) -> Remove:
        (slot,) = exactly(rest, "remove", "a slot")
        step = Remove(slot_of(slot))
        if not self._occupied[step.slot]:
            raise ScriptError(f"the {slot} slot holds no card")
        self._occupied[step.slot] = False
        return step

    def _power(self, rest: list[str]) -> Power:
        if rest not in (["on"], ["off"]):
            raise ScriptError("'power' takes 'on' or 'off'")
        step = Power(on=rest == ["on"])
        if step.on == self._powered:
            raise ScriptError(f"the power is {rest[0]} already")
        # It may go while the box starts. A cut that has come, or that came too late, is over.
        self._powered = None if step.on and self._powered is False and self._cut_is_set else step.on
        self._cut_is_set = self._powered is None
        return step

    def _cause(self, rest: list[str]) -> Cause:
        fault = fault_of(rest)
        name = thing(fault)
        if name is not None:
            self._must_be_whole(fault, name)
            self._broken[name] = fault
        if isinstance(fault, DiskCut):
            self._cut_is_set = True
            self._powered = None if self._powered else self._powered
        return Cause(fault)

    def _must_be_whole(self, fault: Fault, name: str) -> None:
        """One fault of a disk takes the place of another; nothing breaks twice in one way."""
        if self._broken.get(name) == fault:
            raise ScriptError(f"'fault {fault.words}' was said already; 'mend {name}' ends it")
        stuck = [other for other in self._broken.values() if isinstance(other, KeyStuck)]
        if isinstance(fault, KeyStuck) and stuck:
            raise ScriptError(f"key {stuck[0].key.value} is stuck already, and one is enough")

    def _mend(self, rest: list[str]) -> Mend:
        name = " ".join(rest)
        if name not in self._broken:
            broken = " or ".join(repr(known) for known in self._broken)
            here = f"{broken} here, not {name!r}" if broken else "what is broken, and nothing is"
            cut = "; a cut ends with the power" if name == "disk" and self._cut_is_set else ""
            raise ScriptError(f"'mend' takes {here}{cut}")
        return Mend(self._broken.pop(name))

    def _expect(self, rest: list[str]) -> Expect | ExpectBalance:
        try:
            subject = Subject("".join(rest[:1]))
        except ValueError:
            known = ", ".join(subject.value for subject in Subject)
            raise takes("expect", f"one of {known}", rest[:1]) from None
        in_the_ledger = subject in (Subject.BALANCE, Subject.WORTH)
        if not (in_the_ledger or subject is Subject.SCREEN):
            self._must_have_power(f"expect {subject.value}")
        if in_the_ledger:
            return self._balance(subject, rest[1:])
        return Expect(subject, _wanted(subject, rest[1:]))

    def _balance(self, subject: Subject, rest: list[str]) -> ExpectBalance:
        verb = f"expect {subject.value}"
        card, written = exactly(rest, verb, "a card's number and an amount")
        try:
            amount = self.edition.units.read(written)
        except ValueError as error:
            raise ScriptError(str(error)) from None
        return ExpectBalance(number_of(card, A_CARD), amount, written, subject)


def _wanted(subject: Subject, rest: list[str]) -> str:
    """The value that a subject is compared with, if it is one that can be."""
    text = " ".join(rest)
    match subject:
        case Subject.CARD if text != "none":
            return str(number_of(_only(rest, subject, "a card's number or 'none'"), A_CARD))
        case Subject.SOUND if text not in ("none", *(sound.value for sound in Sound)):
            known = ", ".join(sound.value for sound in Sound if sound is not Sound.KEY)
            raise takes("expect sound", f"'none' or one of {known}", rest)
        case Subject.VOLUME:
            level = number_of(_only(rest, subject, "a volume"), "a volume")
            if level > LOUDEST:
                raise ScriptError(f"the volume is from 0 to {LOUDEST}, not {text}")
            return str(level)
        case Subject.MENU:
            # Commas between the entries may make a line easier to read.
            return " ".join(text.replace(",", " ").split()) or "none"
        case Subject.ASLEEP | Subject.AWAKE if rest:
            raise ScriptError(f"nothing follows 'expect {subject.value}'")
    return text


def _only(rest: list[str], subject: Subject, what: str) -> str:
    (word,) = exactly(rest, f"expect {subject.value}", what)
    return word


def _edition(name: str) -> Edition:
    if name not in editions.names():
        raise ScriptError(f"there is no edition {name!r}; there are {', '.join(editions.names())}")
    try:
        return editions.load(name)
    except Mistake as error:
        raise ScriptError(str(error)) from None


class Script(NamedTuple):
    """A script that has been read without an error."""

    file: str
    edition: Edition
    stock_known: bool
    house: House
    steps: tuple[tuple[int, Action | Expect | ExpectBalance], ...]
    """Each with the number of its line."""
    lines: tuple[str, ...]
    """As they were written, for whoever passes them on."""

    @property
    def faults(self) -> tuple[tuple[int, Fault], ...]:
        """What it breaks, each with the number of its line."""
        return tuple((at, step.fault) for at, step in self.steps if isinstance(step, Cause))

    @property
    def needs_disk(self) -> bool:
        """Whether its ledger has to lie on a disk that can fail."""
        return any(needs_disk(fault) for _, fault in self.faults)


def read_script(file: str, lines: Iterable[str], default: Edition) -> Script:
    """Read a whole script; raises Mistake with the first line that is wrong."""
    reader = Reader(default)
    stock_known = True
    steps = []
    lines = tuple(lines)
    for number, line in enumerate(lines, start=1):
        try:
            step = reader.read(line)
        except ScriptError as error:
            raise Mistake(f"{file}:{number}: {error}", status=2) from None
        match step:
            case GivenNoCards():
                stock_known = False
            case GivenEdition() | GivenHouse() | None:
                pass
            case _:
                steps.append((number, step))
    return Script(file, reader.edition, stock_known, reader.house, tuple(steps), lines)
