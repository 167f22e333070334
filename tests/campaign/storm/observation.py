"""What is seen and heard of a box, and what its ledger says, to be held against the model's."""

from collections.abc import Iterator
from typing import NamedTuple

from firmware.ledger import Ledger
from hal.sounds import Sound
from hal.view import Item, Tenant, View
from sim.storm.model.look import Look
from sim.storm.model.model import Model

SLOTS = ("left", "right")
NUMBERS = range(1, 9)
"""No edition has more cards."""
POT = 99
"""Its account [D22]."""


class Books(NamedTuple):
    """What a ledger says."""

    balances: tuple[int | None, ...]
    worths: tuple[int | None, ...]
    pot: int
    players: tuple[int, ...]
    volume_kept: int
    counting: bool


NO_BOOKS = Books((), (), 0, (), 0, False)


class Seen(NamedTuple):
    """What somebody at the table sees and hears of a box, and what its ledger says."""

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
    tenants: tuple[str, ...] = ()
    edition: str = ""
    minutes_left: int | None = None
    menu: str = ""
    page: tuple[tuple[str, str], ...] = ()
    table: tuple[tuple[str, str], ...] = ()


def books_of_ledger(ledger: Ledger) -> Books:
    cards = ledger.cards
    assert sum(ledger.accounts.values()) == 0, "the accounts do not sum to zero"
    return Books(
        tuple(ledger.balance(card) if card in cards else None for card in NUMBERS),
        tuple(ledger.current.worth(card) for card in NUMBERS),
        ledger.accounts.get(POT, 0),
        tuple(ledger.players),
        ledger.volume,
        ledger.current.counting,
    )


def books_of_model(model: Model) -> Books:
    balances, known = model.books.balances, model.books.known
    return Books(
        tuple(balances.get(card) for card in NUMBERS),
        tuple(model.books.worths.get(known[card]) if card in known else None for card in NUMBERS),
        model.books.in_pot() if model.has_pot else 0,
        tuple(sorted(account.number for account in model.books.players())),
        model.books.volume,
        model.count is not None,
    )


def seen_of_box(view: View | None, sound: Sound | None, asleep: bool, books: Books) -> Seen:
    if view is None:
        return dark(books)
    return Seen(
        lit=True,
        field=view.field,
        message=str(view.message) if view.message else "",
        card=view.card,
        sound=sound.value if sound else "",
        volume=view.volume,
        asleep=asleep,
        balances=books.balances,
        worths=books.worths,
        pot=books.pot,
        players=books.players,
        volume_kept=books.volume_kept,
        counting=books.counting,
        tenants=tuple(who.value if isinstance(who, Tenant) else str(who) for who in view.tenants),
        edition=view.edition,
        minutes_left=view.minutes_left,
        menu=view.menu.names if view.menu else "",
        page=_said(view.menu.shown) if view.menu else (),
        table=_said(view.table),
    )


def _said(items: tuple[Item, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((item.label, str(item.content)) for item in items)


def seen_of_model(model: Model) -> Seen:
    books = books_of_model(model)
    if not model.powered:
        return dark(books)
    if model.in_doubt and not model.asleep:
        return in_doubt(model.sound, books)
    look = Look(model)
    menu = look.menu
    return Seen(
        lit=True,
        field=look.big_field,
        message=look.message,
        card=model.card,
        sound=model.sound,
        volume=model.books.volume,
        asleep=model.asleep,
        balances=books.balances,
        worths=books.worths,
        pot=books.pot,
        players=books.players,
        volume_kept=books.volume_kept,
        counting=books.counting,
        tenants=tuple(look.tenant(slot) for slot in SLOTS),
        edition=model.books.edition.name,
        minutes_left=look.minutes_left(),
        menu=" ".join(name for page in menu for name in page.values()),
        page=tuple(menu[look.page].items()) if menu else (),
        table=tuple(look.table),
    )


def dark(books: Books) -> Seen:
    """Without power, or a screen, there is only what the ledger says to compare."""
    return Seen(False, "", "", None, "", None, False, *books)


def in_doubt(sound: str, books: Books) -> Seen:
    """The screen of a box that does not know what is on its disk [D27]."""
    return Seen(
        *(True, "-----", "LEDGER ERROR", None, sound, 0, False),
        *books,
        tenants=("empty", "empty"),
    )


def differences(box: Seen, model: Seen) -> list[str]:
    return [
        f"{name}: the box has {box_has!r}, the model {model_has!r}"
        for name, box_has, model_has in zip(Seen._fields, box, model, strict=True)
        if box_has != model_has
    ]


def expectations(box: Seen, model: Seen) -> list[str]:
    """What a script would have expected there."""
    told = []
    texts = {"field": "screen", "message": "message", "card": "card", "sound": "sound"}
    for name in Seen._fields:
        wanted, got = getattr(model, name), getattr(box, name)
        if wanted == got or not (model.lit or name in ("balances", "worths")):
            continue
        if name in texts:
            nothing = "none" if name in ("card", "sound") else ""
            told.append(f"expect {texts[name]} {nothing if wanted in (None, '') else wanted}")
        elif name == "volume":
            told.append(f"expect volume {wanted}")
        elif name == "asleep":
            told.append("expect asleep" if wanted else "expect awake")
        elif name == "menu":
            told.append(f"expect menu {wanted or 'none'}")
        elif name in ("balances", "worths"):
            told += _amounts(name.removesuffix("s"), got, wanted)
        else:
            told.append(f"# {name}: expected {wanted!r}, got {got!r}")
    return [line.rstrip() for line in told]


def _amounts(
    what: str, got: tuple[int | None, ...], wanted: tuple[int | None, ...]
) -> Iterator[str]:
    for number, (has, must) in enumerate(zip(got, wanted, strict=True), start=1):
        if has != must:
            yield f"expect {what} {number} {must or 0}"
