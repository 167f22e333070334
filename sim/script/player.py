"""Plays the steps of a script on a rig, and tells what an expectation met."""

from typing import assert_never

from firmware.mistake import one_line
from hal.events import SECOND
from sim.rig import Rig
from sim.script import (
    Action,
    Cause,
    Expect,
    ExpectBalance,
    Hold,
    Insert,
    Mend,
    Power,
    Press,
    Remove,
    Subject,
    Wait,
)


class Unmet(Exception):
    """An expectation does not hold: expected this, got that."""


def perform(rig: Rig, step: Action | Expect | ExpectBalance) -> None:
    """Carry out a step; raises Unmet when it is an expectation that does not hold."""
    match step:
        case Power():
            _switch(rig, step)
        case Cause():
            rig.cause(step.fault)
        case Mend():
            rig.mend(step.fault)
        case Expect():
            _compare(f"{step.subject.value} {step.wanted}".strip(), step.wanted, seen(rig, step))
        case ExpectBalance():
            _compare_balance(rig, step)
        case _:
            _use_hands(rig, step)


def _use_hands(rig: Rig, step: Insert | Remove | Press | Hold | Wait) -> None:
    match step:
        case Insert():
            rig.insert(step.slot, step.uid)
        case Remove():
            rig.remove(step.slot)
        case Press():
            rig.press(step.keys)
        case Hold():
            rig.hold(step.key, step.duration)
        case Wait():
            rig.wait(step.duration)
        case _:
            assert_never(step)


def _switch(rig: Rig, step: Power) -> None:
    if not step.on:
        rig.power_off()
        return
    if rig.powered:
        raise Unmet("expected the power to have gone by now, got a box that is still on")
    rig.power_on()


def in_words(rig: Rig) -> str:
    """What can be seen, and what was heard."""
    view = rig.view
    if view is None:
        return "the screen is unplugged" if rig.powered else "the power is off"
    said = [f"screen {view.field}".strip() if view.lit else "the box sleeps"]
    said += [f"menu {view.menu.names}"] if view.menu else []
    said += ["table " + " ".join(f"{label} {content}" for label, content in view.table)] * bool(
        view.table
    )
    said += [f"message {view.message}"] if view.message else []
    said += [f"sound {rig.sound.value}"] if rig.sound else []
    return " | ".join(said)


def patience(step: Action | Expect | ExpectBalance) -> str | None:
    """What to tell a person on the wall clock before a step that takes long."""
    if isinstance(step, Wait | Hold) and step.duration > 2 * SECOND:
        return f"({step.duration // SECOND} seconds pass ...)"
    return None


def seen(rig: Rig, step: Expect) -> str:
    """What the subject of an expectation is now, in the words of a script."""
    view = rig.view
    match step.subject:
        case Subject.SCREEN:
            return view.field if view else ""
        case Subject.MESSAGE:
            return str(view.message) if view and view.message else ""
        case Subject.CARD:
            return "none" if view is None or view.card is None else str(view.card)
        case Subject.SOUND:
            return rig.sound.value if rig.sound else "none"
        case Subject.VOLUME:
            return "" if view is None else str(view.volume)
        case Subject.ASLEEP:
            return "" if rig.asleep else "awake"
        case Subject.AWAKE:
            return "asleep" if rig.asleep else ""
        case Subject.MENU:
            return view.menu.names if view and view.menu else "none"
        case Subject.BALANCE | Subject.WORTH:
            raise AssertionError("what the ledger says has a step of its own")


def _compare(subject: str, wanted: str, got: str) -> None:
    if wanted != got:
        # What a script expects is quoted, and may hold what a terminal would obey.
        raise Unmet(one_line(f"expected {subject or 'nothing'}, got {got or 'nothing'}"))


def _compare_balance(rig: Rig, step: ExpectBalance) -> None:
    is_worth = step.subject is Subject.WORTH
    amount = rig.worth(step.card) if is_worth else rig.balance(step.card)
    if (amount or 0) == step.amount:
        return
    if amount is None:
        got = f"card {step.card} not counted" if is_worth else f"no card {step.card}"
    else:
        written = rig.ledger.edition.units.write(amount)
        got = written.text if written.exact else str(amount)
    raise Unmet(f"expected {step.subject.value} {step.card} {step.written}, got {got}")
