"""The screen as text, for screen readers; empty parts are left out to keep messages short."""

from typing import Any

from hal.display.messages import Message, Text
from hal.display.view import Item, View

SEPARATOR = ";"
"""Between the items of a list or a table; amounts may contain commas."""
NEXT_PAGE = "F"
"""In place of an item: the list has more pages, and this key turns them."""


def screen_text(view: View, *, asleep: bool, took: int | None) -> dict[str, Any]:
    """What shows, in the box's language; ``took``: microseconds since the input that caused it."""
    texts = {
        "field": view.field,
        "message": "" if view.menu else view.said,
        "list": SEPARATOR.join(_items(view)),
    }
    screen: dict[str, Any] = {name: text for name, text in texts.items() if text}
    screen |= _money(view)
    if view.card is not None:
        screen["card"] = view.card
    if view.minutes_left is not None:
        screen["minutes"] = view.minutes_left
    if view.message and view.message.ask is Text.HOLD_M:
        screen["hold"] = True
    if not view.lit:
        screen["lit"] = False
    if asleep:
        screen["asleep"] = True
    return {**screen, "took": took}


def _money(view: View) -> dict[str, str]:
    """Who pays whom, as ``2>1`` or ``2>1 1,4M``, or the amount that was taken back (N4)."""
    match view.middle:
        case Message(Text.WHOLE_AMOUNT, str(way)):
            return {"way": way}
        case Message(Text.UNDO_SHORT, str(amount)):
            return {"undone": amount}
    return {}


def _items(view: View) -> list[str]:
    """The items that show instead of the big field: a page of a list, or a table."""
    if view.menu is None:
        return [_item(item, view) for item in view.table]
    next_page = [NEXT_PAGE] if len(view.menu.pages) > 1 else []
    return [*(_item(item, view) for item in view.menu.shown), *next_page]


def _item(item: Item, view: View) -> str:
    """The label is one character; the page puts a space after it."""
    return item.label + item.content.translated(view.language)
