"""A screen in words, for who hears the page: only what there is to say, for a line has a budget."""

from typing import Any

from hal.view import Item, View

BETWEEN_ITEMS = ";"
"""Of a list or a table; an amount may have a comma in it."""
NEXT_PAGE = "F"
"""In place of an item: the list has more pages, and that key turns them."""


def words_of(view: View, *, asleep: bool, took: int | None) -> dict[str, Any]:
    """What shows, in the box's language; and how many microseconds a hand waited for it."""
    there = {
        "field": view.field,
        "message": "" if view.menu else view.said,
        "list": BETWEEN_ITEMS.join(_items(view)),
    }
    said: dict[str, Any] = {name: text for name, text in there.items() if text}
    if view.card is not None:
        said["card"] = view.card
    if view.minutes_left is not None:
        said["minutes"] = view.minutes_left
    if not view.lit:
        said["lit"] = False
    if asleep:
        said["asleep"] = True
    return {**said, "took": took}


def _items(view: View) -> list[str]:
    """The places of what shows instead of the big field: a page of a list, or a table."""
    if view.menu is None:
        return [_spoken(item, view) for item in view.table]
    further = [NEXT_PAGE] if len(view.menu.pages) > 1 else []
    return [*(_spoken(item, view) for item in view.menu.shown), *further]


def _spoken(item: Item, view: View) -> str:
    """The page knows that a label is one letter, and puts a space after it."""
    return item.label + item.content.spoken(view.language)
