"""Compares what a step did with what was announced."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from firmware.bank.purposes import Purpose
from firmware.bank.records import GameResumed, GameStarted
from hal.display.sounds import Sound
from hal.events import Key
from tests.campaign.hazards.announcement import (
    Announcement,
    NewGame,
    Nothing,
    OtherGame,
    Pays,
    PaysShown,
    TakesBack,
    announced,
    may_type,
)
from tests.campaign.hazards.memory import Memory
from tests.campaign.hazards.reach import way_of_posting
from tests.campaign.hazards.sight import Sight, described, sight_of, way_of
from tests.campaign.hazards.step import Step
from tests.campaign.storm.model.figures import EDITIONS, entry_text, format_amount, may_follow

QUESTIONS = (Sight.QUESTION, Sight.HOLD, Sight.TYPED_FOR_F)
ENTRIES = (Sight.ENTRY, Sight.COUNT_ENTRY)


class Hazard(Enum):
    """What is wrong with a step."""

    MONEY = "money moved that was not announced"
    GAME = "another game is played, which was not announced"
    TYPED = "an entry began, continued or changed, which was not announced"
    QUESTION = "a question changed although no key was pressed"
    NOT_PAID = "announced money did not move, and no error sounded"
    ERROR_PAID = "an error sounded, and money moved"
    STATUS = "money moved, and the status row does not say so"
    SILENT = "a key made no sound"
    IGNORED = "a key sounded accepted, and nothing changed"


class Find(NamedTuple):
    hazard: Hazard
    what: tuple[str, ...]
    """The screens, what was announced, and what has moved."""


def judge(step: Step, memory: Memory, pending: Sequence[Announcement] = ()) -> Find | None:
    """Return what is wrong with a step; ``pending`` is announced for a key that is still down."""
    may: list[Announcement] = [*pending]
    if step.key and step.held is not None:
        may.append(announced(step.before, memory, step.key, step.held))
    elif step.key:
        may.append(announced(step.before, memory, step.key, 0))
    hazard = _money(step, may) or _typing(step, memory) or _question(step, memory)
    if hazard is None and step.key and step.held == 0:
        hazard = _answer(step, may[-1]) if not pending else None
    return Find(hazard, _explained(step, memory, may)) if hazard else None


# Money


def _money(step: Step, may: Sequence[Announcement]) -> Hazard | None:
    if not any(_game_allowed(announcement, step) for announcement in [Nothing(), *may]):
        return Hazard.GAME
    if not any(_allowed(announcement, step) for announcement in [Nothing(), *may]):
        return Hazard.MONEY
    return None


def _game_allowed(announcement: Announcement, step: Step) -> bool:
    started = any(isinstance(record, GameStarted) for record in step.records)
    resumed = any(isinstance(record, GameResumed) for record in step.records)
    return (not started or isinstance(announcement, NewGame)) and (
        not resumed or isinstance(announcement, OtherGame)
    )


def _allowed(announcement: Announcement, step: Step) -> bool:
    match announcement:
        case Nothing():
            # A new card opens with money of the bank (S10).
            return not step.postings or (step.key is None and _only(step, Purpose.OPENING))
        case NewGame():
            return _only(step, Purpose.OPENING)
        case OtherGame(number):
            own = all(str(posting.game) == number for posting in step.postings)
            return own and _only(step, Purpose.OPENING, Purpose.RETURN)
    return len(step.postings) == 1 and _is_one(announcement, step)


def _is_one(announcement: Announcement, step: Step) -> bool:
    posting = step.postings[0]
    way = way_of_posting(posting)
    match announcement:
        case Pays():
            return (way, posting.amount) == announcement
        case PaysShown():
            shown = format_amount(posting.amount, EDITIONS[announcement.edition])
            return PaysShown(way, shown, announcement.edition) == announcement
        case TakesBack(moves, number):
            is_number = (way.payer, way.payee, posting.purpose) == (number, "B", Purpose.RETURN)
            return is_number or (way, posting.amount) in moves
    return False


def _only(step: Step, *purposes: Purpose) -> bool:
    return all(posting.purpose in purposes for posting in step.postings)


# Entries


def _typing(step: Step, memory: Memory) -> Hazard | None:
    """An entry may only begin or change where the screen offers it, by a digit or comma."""
    before, after = memory.uncovered(step.before), memory.uncovered(step.after)
    if sight_of(after) not in ENTRIES:
        return None
    typed = before.field if sight_of(before) in ENTRIES else ""
    if step.key and (step.key.is_digit or step.key is Key.COMMA):
        if not may_type(step.before, memory):
            return Hazard.TYPED
        refused = Sound.ERROR in step.sounds and after.field == before.field
        if may_follow(list(typed), step.key.value) and not refused:
            typed = entry_text([*typed, step.key.value])
    return None if after.field == typed else Hazard.TYPED


def _question(step: Step, memory: Memory) -> Hazard | None:
    """Who pays whom, and how much, stays as it was when F asked [N3]."""
    before, after = memory.uncovered(step.before), memory.uncovered(step.after)
    if step.key or sight_of(before) not in QUESTIONS or sight_of(after) not in QUESTIONS:
        return None
    same = (before.field, way_of(before)) == (after.field, way_of(after))
    return None if same else Hazard.QUESTION


# What the box answers


def _answer(step: Step, announcement: Announcement) -> Hazard | None:
    """A key either does something that shows, or sounds refused."""
    if not step.sounds:
        return Hazard.SILENT
    refused = Sound.ERROR in step.sounds
    if step.postings:
        return Hazard.ERROR_PAID if refused else _status(step)
    if refused:
        return None
    if isinstance(announcement, Pays | PaysShown) and step.before.field != "0":
        return Hazard.NOT_PAID
    same = step.before == step.after and not step.records
    return Hazard.IGNORED if same and not _may_look_alike(step) else None


def _status(step: Step) -> Hazard | None:
    """The status row says what has moved; not for a forgotten card or a new game [N4]."""
    posting = step.postings[-1]
    of_a_card = posting.purpose in (Purpose.RETURN, Purpose.RESTORED)
    if step.starts_game or of_a_card or step.after.status == "COUNT":
        return None
    amount = format_amount(posting.amount, EDITIONS[step.after.edition])
    said = (f"{way_of_posting(posting)} {amount}", f"UNDO {amount}")
    return None if step.after.status in said else Hazard.STATUS


def _may_look_alike(step: Step) -> bool:
    """A list with one page, a second zero, and two moves in the history that look alike."""
    if sight_of(step.before) is Sight.HISTORY:
        return step.key in (Key.GO, Key.COMMA)
    if step.key is Key.FUNCTION:
        return step.before.menu is not None
    return step.key is Key.ZERO and step.before.typed and step.before.field == "0"


# Reports


def _explained(step: Step, memory: Memory, may: Sequence[Announcement]) -> tuple[str, ...]:
    parts = [f"shown: {described(step.before)}"]
    if memory.owed:
        parts.append(f"before, and not acknowledged: {memory.owed}")
    if memory.lost_refusal:
        parts.append(f"before, and gone by itself: {memory.lost_refusal}")
    parts += [f"announced: {announcement}" for announcement in may]
    parts += [f"moved: {way_of_posting(p)} {p.amount} ({p.purpose.value})" for p in step.postings]
    parts.append(f"then shown: {described(step.after)}")
    parts.append(f"sounds: {' '.join(sound.value for sound in step.sounds) or 'none'}")
    return tuple(parts)
