"""Plays the steps of a script on a harness, and checks its expectations."""

from typing import TypeVar, assert_never

from firmware.user_error import one_line
from hal.display.view import View
from hal.events import SECOND
from sim.board.harness import Harness
from sim.script.language import (
    Cause,
    Expect,
    ExpectBalance,
    Hold,
    Insert,
    Mend,
    Playable,
    Power,
    Press,
    Remove,
    Script,
    Subject,
    Wait,
)

T = TypeVar("T", bound=Harness)


def begin(harness: T, script: Script) -> T:
    """Switch on the box of a script."""
    return harness.begin_new(
        script.edition,
        stock_known=script.stock_known,
        house=script.house,
        names=script.names,
        kept=harness.failing_disk() if script.needs_disk else None,
    )


class Unmet(Exception):
    """An expectation does not hold: expected this, got that."""


def perform(harness: Harness, step: Playable) -> None:
    """Carry out a step. Raises Unmet if it is an expectation that does not hold."""
    match step:
        case Power():
            _switch(harness, step)
        case Cause():
            harness.cause(step.fault)
        case Mend():
            harness.mend(step.fault)
        case Expect():
            subject = f"{step.subject.value} {step.wanted}".strip()
            _compare(subject, step.wanted, seen(harness, step))
        case ExpectBalance():
            _compare_balance(harness, step)
        case _:
            _input(harness, step)


def _input(harness: Harness, step: Insert | Remove | Press | Hold | Wait) -> None:
    match step:
        case Insert():
            harness.insert(step.slot, step.uid)
        case Remove():
            harness.remove(step.slot)
        case Press():
            harness.press(step.keys)
        case Hold():
            harness.hold(step.key, step.duration)
        case Wait():
            harness.wait(step.duration)
        case _:
            assert_never(step)


def _switch(harness: Harness, step: Power) -> None:
    if not step.on:
        harness.power_off()
        return
    if harness.powered:
        raise Unmet("expected the power to have gone by now, got a box that is still on")
    harness.power_on()


def in_words(harness: Harness) -> str:
    """Return what shows, and the last sound."""
    view = harness.view
    if view is None:
        return "the screen is unplugged" if harness.powered else "the power is off"
    said = [f"screen {view.field}".strip() if view.lit else "the box sleeps"]
    said += [f"menu {view.menu.names}"] if view.menu else []
    if view.table:
        said += ["table " + " ".join(f"{label} {content}" for label, content in view.table)]
    said += [f"message {view.message}"] if view.message else []
    said += [f"sound {harness.sound.value}"] if harness.sound else []
    return " | ".join(said)


def long_wait(step: Playable) -> str | None:
    """Return what to tell a person before a step that takes long in real time."""
    if isinstance(step, Wait | Hold) and step.duration > 2 * SECOND:
        return f"({step.duration // SECOND} seconds pass ...)"
    return None


def seen(harness: Harness, step: Expect) -> str:
    """Return the current value of an expectation's subject, as in a script."""
    match step.subject:
        case Subject.SOUND:
            return harness.sound.value if harness.sound else "none"
        case Subject.ASLEEP:
            return "" if harness.asleep else "awake"
        case Subject.AWAKE:
            return "asleep" if harness.asleep else ""
        case Subject.BALANCE | Subject.WORTH:
            raise AssertionError("what the ledger says has a step of its own")
        case _:
            return on_screen(harness.view, step.subject)


def on_screen(view: View | None, subject: Subject) -> str:
    """What the screen shows of a subject; None is a screen that shows nothing."""
    if view is None:
        return "none" if subject in (Subject.CARD, Subject.MENU) else ""
    match subject:
        case Subject.MESSAGE:
            return str(view.message or "")
        case Subject.STATUS:
            return view.status
        case Subject.CARD:
            return "none" if view.card is None else str(view.card)
        case Subject.VOLUME:
            return str(view.volume)
        case Subject.MENU:
            return view.menu.names if view.menu else "none"
        case _:
            return view.field


def _compare(subject: str, wanted: str, got: str) -> None:
    if wanted != got:
        # The expected text may contain control characters.
        raise Unmet(one_line(f"expected {subject or 'nothing'}, got {got or 'nothing'}"))


def _compare_balance(harness: Harness, step: ExpectBalance) -> None:
    is_worth = step.subject is Subject.WORTH
    amount = harness.ledger.worth(step.card) if is_worth else harness.balance(step.card)
    if (amount or 0) == step.amount:
        return
    if amount is None:
        got = f"card {step.card} not counted" if is_worth else f"no card {step.card}"
    else:
        written = harness.ledger.edition.units.write(amount)
        got = written.text if written.exact else str(amount)
    raise Unmet(f"expected {step.subject.value} {step.card} {step.written}, got {got}")
