"""The script language: plain text that operates a box and checks what it shows.

A script is read line by line into steps. What is wrong without running it is an error here, with
its line: an unknown word, a card put into a slot that holds one, a key pressed without power.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import NamedTuple, TypeAlias

from firmware.bank import edition as editions
from firmware.bank.edition import Edition
from firmware.bank.house_rules import BY_THE_BOOK, HouseRules
from firmware.user_error import UserError
from hal.display.sounds import LOUDEST, Sound
from hal.events import Key, Slot
from sim.board.fault import DiskCut, Fault, KeyStuck, lasting_name, needs_disk, script_words
from sim.script.words import (
    ScriptError,
    card_of,
    duration_of,
    exactly,
    key_of,
    name_of,
    number_of,
    slot_of,
    takes,
)

A_CARD = "a card's number"


class Given(NamedTuple):
    """A line about the new box; the reader keeps the value."""

    what: str


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
    """A fault ends."""

    fault: Fault


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
    STATUS = "status"
    """The middle of the status row: who pays whom."""


class Expect(NamedTuple):
    """What the box must show or sound now."""

    subject: Subject
    wanted: str
    """The text, number or name that is expected; empty for a dark screen."""


class ExpectBalance(NamedTuple):
    """A card's balance in the ledger, or its worth in the final count."""

    card: int
    amount: int
    written: str
    subject: Subject = Subject.BALANCE


ScriptAction: TypeAlias = Insert | Remove | Press | Hold | Wait | Power | Cause | Mend
Playable: TypeAlias = ScriptAction | Expect | ExpectBalance
Step: TypeAlias = Given | Playable


class ScriptReader:
    """Reads one line after the other, knowing what the lines before have done.

    Its state is made of values that do not change, so ``copy.copy`` takes a snapshot.
    """

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.house = BY_THE_BOOK
        self.stock_known = True
        self.names: Mapping[int, str] = {}
        """The names of cards, by number."""
        self._powered: bool | None = True
        """None: unknown, because an operation of the disk cuts the power."""
        self._cut_is_set = False
        self._occupied: frozenset[Slot] = frozenset()
        self._broken: Mapping[str, Fault] = {}
        """The faults that last, by name."""
        self._givens: frozenset[str] = frozenset()
        self._begun = False

    def read(self, line: str) -> Step | None:
        """Return the step on a line, or None if there is none. Raises ScriptError."""
        words = line.partition("#")[0].split()
        if not words:
            return None
        verb, rest = words[0], words[1:]
        if verb == "given":
            return self._given(rest)
        self._begun = True
        read: dict[str, Callable[[list[str]], Playable]] = {
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
        if not rest:
            raise takes("press", "keys", rest)
        return Press(tuple(key_of(letter) for letter in "".join(rest)))

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
            raise ScriptError(f"'given {rest[0]}' is given twice")
        match rest:
            case ["name", card, *words]:
                self._name(number_of(card, A_CARD), name_of(words))
                return Given("name")
            case ["edition", name]:
                self.edition = _edition(name)
            case ["cards", "none"]:
                self.stock_known = False
            case ["pot", ("true" | "false") as word]:
                self.house = self.house._replace(pot=word == "true")
            case ["undo", ("rulebook" | "any") as word]:
                self.house = self.house._replace(strict_undo=word == "rulebook")
            case _:
                raise ScriptError(
                    "'given' takes 'edition NAME', 'cards none', 'pot true', 'undo rulebook' or "
                    "'name 1 Ana'"
                )
        for number in self.names:
            self._must_be_known(number)
        self._givens |= {rest[0]}
        return Given(rest[0])

    def _name(self, number: int, name: str) -> None:
        self._must_be_known(number)
        if number in self.names:
            raise ScriptError(f"'given name {number}' is given twice")
        self.names = {**self.names, number: name}

    def _must_be_known(self, number: int) -> None:
        """Only a card that the box knows has a name."""
        if not self.stock_known:
            raise ScriptError("with 'given cards none' the box knows no card to name")
        if not 1 <= number <= self.edition.cards:
            raise ScriptError(
                f"edition {self.edition.name} has no card {number} to name; it has cards 1 to "
                f"{self.edition.cards}, and 'given edition' comes before 'given name'"
            )

    def _insert(self, rest: list[str]) -> Insert:
        slot, card = exactly(rest, "insert", "a slot and a card")
        step = Insert(slot_of(slot), card_of(card))
        if step.slot in self._occupied:
            raise ScriptError(f"the {slot} slot holds a card already")
        self._occupied |= {step.slot}
        return step

    def _remove(self, rest: list[str]) -> Remove:
        (slot,) = exactly(rest, "remove", "a slot")
        step = Remove(slot_of(slot))
        if step.slot not in self._occupied:
            raise ScriptError(f"the {slot} slot holds no card")
        self._occupied -= {step.slot}
        return step

    def _power(self, rest: list[str]) -> Power:
        if rest not in (["on"], ["off"]):
            raise ScriptError("'power' takes 'on' or 'off'")
        step = Power(on=rest == ["on"])
        if step.on == self._powered:
            raise ScriptError(f"the power is {rest[0]} already")
        # A cut that is set now may come while the box starts. Any other cut is over.
        self._powered = None if step.on and self._powered is False and self._cut_is_set else step.on
        self._cut_is_set = self._powered is None
        return step

    def _cause(self, rest: list[str]) -> Cause:
        from sim.script.fault_words import fault_of  # only a script with faults needs it

        fault = fault_of(rest)
        name = lasting_name(fault)
        if name is not None:
            self._must_be_whole(fault, name)
            self._broken = {**self._broken, name: fault}
        if isinstance(fault, DiskCut):
            self._cut_is_set = True
            self._powered = None if self._powered else self._powered
        return Cause(fault)

    def _must_be_whole(self, fault: Fault, name: str) -> None:
        """A new fault of the disk replaces the last one; no fault happens twice."""
        if self._broken.get(name) == fault:
            raise ScriptError(f"'fault {script_words(fault)}' lasts already; 'mend {name}' ends it")
        stuck = [other for other in self._broken.values() if isinstance(other, KeyStuck)]
        if isinstance(fault, KeyStuck) and stuck:
            raise ScriptError(
                f"key {stuck[0].key.value} is stuck already; only one key can be stuck"
            )

    def _mend(self, rest: list[str]) -> Mend:
        name = " ".join(rest)
        if name not in self._broken:
            broken = " or ".join(repr(known) for known in self._broken)
            here = f"takes {broken} here, not {name!r}" if broken else "has nothing to repair"
            cut = "; a cut ends with the power" if name == "disk" and self._cut_is_set else ""
            raise ScriptError(f"'mend' {here}{cut}")
        fault = self._broken[name]
        self._broken = {other: broken for other, broken in self._broken.items() if other != name}
        return Mend(fault)

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
    """Return the value that a subject is compared with. Raises ScriptError if it is invalid."""
    text, verb = " ".join(rest), f"expect {subject.value}"
    match subject:
        case Subject.CARD if text != "none":
            (number,) = exactly(rest, verb, "a card's number or 'none'")
            return str(number_of(number, A_CARD))
        case Subject.SOUND if text not in ("none", *(sound.value for sound in Sound)):
            known = ", ".join(sound.value for sound in Sound if sound is not Sound.KEY)
            raise takes(verb, f"'none' or one of {known}", rest)
        case Subject.VOLUME:
            (number,) = exactly(rest, verb, "a volume")
            level = number_of(number, "a volume")
            if level > LOUDEST:
                raise ScriptError(f"the volume is from 0 to {LOUDEST}, not {text}")
            return str(level)
        case Subject.MENU:
            # Commas between the entries may make a line easier to read.
            return " ".join(text.replace(",", " ").split()) or "none"
        case Subject.ASLEEP | Subject.AWAKE if rest:
            raise ScriptError(f"nothing follows {verb!r}")
    return text


def _edition(name: str) -> Edition:
    if name not in editions.names():
        raise ScriptError(f"there is no edition {name!r}; there are {', '.join(editions.names())}")
    try:
        return editions.load(name)
    except UserError as error:
        raise ScriptError(str(error)) from None


class Script(NamedTuple):
    """A script that has been read without an error."""

    file: str
    edition: Edition
    stock_known: bool
    house: HouseRules
    names: Mapping[int, str]
    """The names of cards, by number."""
    steps: tuple[tuple[int, Playable], ...]
    """Each with the number of its line."""
    lines: tuple[str, ...]
    """As they were written."""

    @property
    def faults(self) -> tuple[tuple[int, Fault], ...]:
        """The faults that it causes, each with the number of its line."""
        return tuple((at, step.fault) for at, step in self.steps if isinstance(step, Cause))

    @property
    def needs_disk(self) -> bool:
        """Whether its ledger must be on a disk that can fail."""
        return any(needs_disk(fault) for _, fault in self.faults)


def read_script(file: str, lines: Iterable[str], default: Edition) -> Script:
    """Read a whole script. Raises UserError with the first line that is wrong."""
    reader = ScriptReader(default)
    steps = []
    lines = tuple(lines)
    for number, line in enumerate(lines, start=1):
        try:
            step = reader.read(line)
        except ScriptError as error:
            raise UserError(f"{file}:{number}: {error}", status=2) from None
        if step is not None and not isinstance(step, Given):
            steps.append((number, step))
    return Script(
        *(file, reader.edition, reader.stock_known, reader.house, reader.names),
        *(tuple(steps), lines),
    )
