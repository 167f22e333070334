"""The script language: plain text that drives a box and says what must come of it.

A script is read line by line into steps. Whatever can be seen to be wrong
without running it is an error here, with the line it stands on: an unknown word,
a card put into a slot that holds one, a key pressed while the power is off.
"""

import re
from collections.abc import Iterable
from copy import copy
from enum import Enum
from typing import NamedTuple, TypeAlias

from firmware import edition as editions
from firmware.edition import Edition
from firmware.house import BY_THE_BOOK, House
from firmware.mistake import Mistake
from hal.events import MILLISECOND, SECOND, Key, Slot
from hal.sounds import LOUDEST, Sound
from sim.stock import STOCK

_DURATION = re.compile(r"([0-9]{1,15})(ms|s|m|h)")
_LONGEST_WAIT = 100 * 365 * 24 * 3600 * SECOND
_LENGTH = {"ms": MILLISECOND, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
_UID_LENGTHS = (4, 7, 10)
_NUMBERS = [str(number) for number, _ in enumerate(STOCK, start=1)]
_VERBS = "given, insert, remove, press, hold, wait, power, expect"


class ScriptError(Exception):
    """A line that cannot be understood, or that makes no sense where it stands."""


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
Action: TypeAlias = Insert | Remove | Press | Hold | Wait | Power
Step: TypeAlias = Given | Action | Expect | ExpectBalance


class Reader:
    """Reads one line after the other, knowing what the lines before have done."""

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.house = BY_THE_BOOK
        self._powered = True
        self._occupied = dict.fromkeys(Slot, False)
        self._givens: set[str] = set()
        self._begun = False

    def copy(self) -> "Reader":
        """What it knows now, for whoever may have to go back to it."""
        other = copy(self)
        other._occupied = dict(self._occupied)
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
        match verb:
            case "insert":
                return self._insert(rest)
            case "remove":
                return self._remove(rest)
            case "press" | "hold":
                return self._keys(verb, rest)
            case "wait":
                (duration,) = _words(rest, "wait", "a duration")
                return Wait(_duration(duration))
            case "power":
                return self._power(rest)
            case "expect":
                return self._expect(rest)
        raise ScriptError(f"there is no {verb!r}; a line begins with {_VERBS}")

    def _keys(self, verb: str, rest: list[str]) -> Press | Hold:
        if not self._powered:
            raise ScriptError(f"{verb!r} makes no sense while the power is off")
        if verb == "press":
            return Press(tuple(_key(letter) for letter in _some("".join(rest), verb, "keys")))
        key, duration = _words(rest, verb, "a key and a duration")
        return Hold(_key(key), _duration(duration))

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
        slot, card = _words(rest, "insert", "a slot and a card")
        step = Insert(_slot(slot), card_of(card))
        if self._occupied[step.slot]:
            raise ScriptError(f"the {slot} slot holds a card already")
        self._occupied[step.slot] = True
        return step

    def _remove(self, rest: list[str]) -> Remove:
        (slot,) = _words(rest, "remove", "a slot")
        step = Remove(_slot(slot))
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
        self._powered = step.on
        return step

    def _expect(self, rest: list[str]) -> Expect | ExpectBalance:
        try:
            subject = Subject("".join(rest[:1]))
        except ValueError:
            known = ", ".join(subject.value for subject in Subject)
            raise ScriptError(f"'expect' takes one of {known}") from None
        in_the_ledger = subject in (Subject.BALANCE, Subject.WORTH)
        if not (self._powered or in_the_ledger or subject is Subject.SCREEN):
            raise ScriptError(f"'expect {subject.value}' makes no sense while the power is off")
        if in_the_ledger:
            return self._balance(subject, rest[1:])
        return Expect(subject, _wanted(subject, rest[1:]))

    def _balance(self, subject: Subject, rest: list[str]) -> ExpectBalance:
        verb = f"expect {subject.value}"
        card, written = _words(rest, verb, "a card's number and an amount")
        try:
            amount = self.edition.units.read(written)
        except ValueError as error:
            raise ScriptError(str(error)) from None
        return ExpectBalance(_number(card, "card"), amount, written, subject)


def _wanted(subject: Subject, rest: list[str]) -> str:
    """The value that a subject is compared with, if it is one that can be."""
    text = " ".join(rest)
    match subject:
        case Subject.CARD if text != "none":
            return str(_number(_only(rest, subject, "a card's number or 'none'"), "card"))
        case Subject.SOUND if text not in ("none", *(sound.value for sound in Sound)):
            raise ScriptError(f"there is no sound {text!r}")
        case Subject.VOLUME:
            level = _number(_only(rest, subject, "a volume"), "volume")
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
    (word,) = _words(rest, f"expect {subject.value}", what)
    return word


def _words(rest: list[str], verb: str, what: str) -> list[str]:
    if len(rest) != what.count(" and ") + 1:
        raise ScriptError(f"{verb!r} takes {what}, not {' '.join(rest)!r}")
    return rest


def _some(text: str, verb: str, what: str) -> str:
    if not text:
        raise ScriptError(f"{verb!r} takes {what}")
    return text


def _slot(word: str) -> Slot:
    try:
        return Slot(word)
    except ValueError:
        raise ScriptError(f"there is no slot {word!r}; there are left and right") from None


def _key(letter: str) -> Key:
    try:
        return Key(letter)
    except ValueError:
        raise ScriptError(f"there is no key {letter!r}; keys are 0-9 , M K C G F") from None


def _number(word: str, what: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise ScriptError(f"{word!r} is not a {what}'s number")
    return int(word)


def _duration(word: str) -> int:
    match = _DURATION.fullmatch(word)
    if match is None:
        raise ScriptError(f"{word!r} is not a duration such as 500ms, 3s, 2m or 1h")
    duration = int(match[1]) * _LENGTH[match[2]]
    if duration > _LONGEST_WAIT:
        raise ScriptError(f"{word!r} is more than a hundred years")
    return duration


def card_of(word: str) -> bytes:
    """The UID of a card, as scripts name one."""
    if word.startswith("uid:"):
        return _uid(word.removeprefix("uid:"))
    if word not in _NUMBERS:
        raise ScriptError(f"a card is 1 to {len(STOCK)} or uid:04A1B2C3, not {word!r}")
    return STOCK[_NUMBERS.index(word)]


def _uid(digits: str) -> bytes:
    try:
        uid = bytes.fromhex(digits)
    except ValueError:
        uid = b""
    if len(uid) not in _UID_LENGTHS:
        raise ScriptError(f"a UID has 4, 7 or 10 bytes in hexadecimal, not {digits!r}")
    return uid


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
