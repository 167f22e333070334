"""What a box shows and its ledger contains, in a form to compare with the model."""

from collections.abc import Iterator
from typing import NamedTuple

from firmware.bank.ledger import Ledger
from hal.display.sounds import Sound
from hal.display.view import Item, Occupant, View
from tests.campaign.storm.model.model import Model
from tests.campaign.storm.model.screen import Screen

SLOTS = ("left", "right")
NUMBERS = range(1, 9)
"""No edition has more cards."""
POT = 99
"""The account of the pot [D22]."""


class LedgerSummary(NamedTuple):
    """The contents of a ledger."""

    balances: tuple[int | None, ...]
    worths: tuple[int | None, ...]
    pot: int
    players: tuple[int, ...]
    volume_kept: int
    counting: bool


EMPTY_SUMMARY = LedgerSummary((), (), 0, (), 0, False)


class Observation(NamedTuple):
    """What a box shows and sounds, and what its ledger contains."""

    lit: bool
    field: str
    message: str
    card: int | None
    sound: str
    volume: int | None
    asleep: bool
    balances: tuple[int | None, ...]
    worths: tuple[int | None, ...]
    pot: int
    players: tuple[int, ...]
    volume_kept: int
    counting: bool
    occupants: tuple[str, ...] = ()
    edition: str = ""
    minutes_left: int | None = None
    status: str = ""
    menu: str = ""
    page: tuple[tuple[str, str], ...] = ()
    table: tuple[tuple[str, str], ...] = ()


def summary_of_ledger(ledger: Ledger) -> LedgerSummary:
    cards = ledger.cards
    assert sum(ledger.accounts.values()) == 0, "the accounts do not sum to zero"
    return LedgerSummary(
        tuple(ledger.balance(card) if card in cards else None for card in NUMBERS),
        tuple(ledger.worth(card) for card in NUMBERS),
        ledger.accounts.get(POT, 0),
        tuple(ledger.players),
        ledger.state.volume,
        ledger.current.counting,
    )


def summary_of_model(model: Model) -> LedgerSummary:
    balances = model.ledger.balances
    return LedgerSummary(
        tuple(balances.get(card) for card in NUMBERS),
        tuple(model.ledger.worth(card) for card in NUMBERS),
        model.ledger.in_pot() if model.has_pot else 0,
        tuple(sorted(account.number for account in model.ledger.players())),
        model.ledger.volume,
        model.count is not None,
    )


def observe_box(
    view: View | None, sound: Sound | None, asleep: bool, summary: LedgerSummary
) -> Observation:
    if view is None:
        return dark(summary)
    return Observation(
        lit=True,
        field=view.field,
        message=str(view.message) if view.message else "",
        card=view.card,
        sound=sound.value if sound else "",
        volume=view.volume,
        asleep=asleep,
        balances=summary.balances,
        worths=summary.worths,
        pot=summary.pot,
        players=summary.players,
        volume_kept=summary.volume_kept,
        counting=summary.counting,
        occupants=tuple(
            occupant.value if isinstance(occupant, Occupant) else str(occupant)
            for occupant in view.occupants
        ),
        edition=view.edition,
        minutes_left=view.minutes_left,
        status=view.status,
        menu=view.menu.names if view.menu else "",
        page=_said(view.menu.shown) if view.menu else (),
        table=_said(view.table),
    )


def _said(items: tuple[Item, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((item.label, str(item.content)) for item in items)


def observe_model(model: Model) -> Observation:
    summary = summary_of_model(model)
    if not model.powered:
        return dark(summary)
    if model.in_doubt and not model.asleep:
        return in_doubt(model.sound, summary)
    screen = Screen(model)
    menu = screen.menu
    return Observation(
        lit=True,
        field=screen.big_field,
        message=screen.message,
        card=model.card,
        sound=model.sound,
        volume=model.ledger.volume,
        asleep=model.asleep,
        balances=summary.balances,
        worths=summary.worths,
        pot=summary.pot,
        players=summary.players,
        volume_kept=summary.volume_kept,
        counting=summary.counting,
        occupants=tuple(screen.occupant(slot) for slot in SLOTS),
        edition=model.ledger.edition.name,
        minutes_left=screen.minutes_left(),
        status=screen.status,
        menu=" ".join(name for page in menu for name in page.values()),
        page=tuple(menu[screen.page].items()) if menu else (),
        table=tuple(screen.table),
    )


def dark(summary: LedgerSummary) -> Observation:
    """Without power or a screen only the ledger can be compared."""
    return Observation(False, "", "", None, "", None, False, *summary)


def in_doubt(sound: str, summary: LedgerSummary) -> Observation:
    """The screen of a box that does not know what is on its disk [D27]."""
    return Observation(
        *(True, "-----", "LEDGER ERROR", None, sound, 0, False),
        *summary,
        occupants=("empty", "empty"),
    )


def differences(box: Observation, model: Observation) -> list[str]:
    return [
        f"{name}: the box has {box_has!r}, the model {model_has!r}"
        for name, box_has, model_has in zip(Observation._fields, box, model, strict=True)
        if box_has != model_has
    ]


def expectations(box: Observation, model: Observation) -> list[str]:
    """Lines of a script that the model meets and the box does not."""
    expected = []
    texts = {"field": "screen", "message": "message", "card": "card", "sound": "sound"}
    texts |= {"status": "status"}
    for name in Observation._fields:
        wanted, got = getattr(model, name), getattr(box, name)
        if wanted == got or not (model.lit or name in ("balances", "worths")):
            continue
        if name in texts:
            nothing = "none" if name in ("card", "sound") else ""
            expected.append(f"expect {texts[name]} {nothing if wanted in (None, '') else wanted}")
        elif name == "volume":
            expected.append(f"expect volume {wanted}")
        elif name == "asleep":
            expected.append("expect asleep" if wanted else "expect awake")
        elif name == "menu":
            expected.append(f"expect menu {wanted or 'none'}")
        elif name in ("balances", "worths"):
            expected += _amounts(name.removesuffix("s"), got, wanted)
        else:
            expected.append(f"# {name}: expected {wanted!r}, got {got!r}")
    return [line.rstrip() for line in expected]


def _amounts(
    what: str, got: tuple[int | None, ...], wanted: tuple[int | None, ...]
) -> Iterator[str]:
    for number, (has, must) in enumerate(zip(got, wanted, strict=True), start=1):
        if has != must:
            yield f"expect {what} {number} {must or 0}"
