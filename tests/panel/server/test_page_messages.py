"""The messages to a page: the changed display pages, in few bytes."""

import json

import pytest

from hal.display.messages import Language, Message, Text
from hal.display.pages import packed
from hal.display.renderer import draw
from hal.display.view import Item, Menu, Occupant, View
from sim.panel.page_messages import (
    DARK,
    SCRIPT_LINES,
    all_pixels,
    pages_of,
    pixels,
    script,
    text,
)
from sim.panel.screen_text import screen_text
from tests.golden import views

FRAME_HEADERS = 2 * 4
"""The headers of two WebSocket frames of this size, in bytes."""
MAX_BYTES = 1_200


NO_CARDS = Occupant.NONE, Occupant.NONE


def menu(*pages: dict[str, Text], page: int = 0) -> View:
    """A menu, in a timed game."""
    listed = tuple(tuple(Item(key, Message(name)) for key, name in of.items()) for of in pages)
    return View("", None, None, (1, 2), 2, "banking", menu=Menu(listed, page), minutes_left=999)


def table(message: Message, *contents: Message) -> View:
    """A table of cards, in a timed game."""
    items = tuple(Item(str(card), content) for card, content in enumerate(contents, start=1))
    return View("", message, None, NO_CARDS, 2, "france98", table=items, minutes_left=999)


def amount(written: str) -> Message:
    return Message(Text.WHOLE_AMOUNT, written)


BANKRUPT = Message(Text.BANKRUPT, ask=Text.HOLD_M)
FIRST_PAGE = {
    "1": Text.BANKRUPT,
    "2": Text.MORTGAGE,
    "3": Text.INTEREST,
    "4": Text.UTILITY,
    "5": Text.FINE,
    "6": Text.SELL,
    "7": Text.AGAIN,
    "8": Text.HISTORY,
    "9": Text.COUNT,
    "0": Text.GAME,
}
SECOND_PAGE = {"1": Text.FIGHT_LOST, "2": Text.POT}
LONGEST = (
    menu(FIRST_PAGE, SECOND_PAGE),
    menu(FIRST_PAGE, SECOND_PAGE, page=1),
    table(Message(Text.WINNER, "1 2 3 4 5 6 7 8"), *[amount("12,345M")] * 8),
    table(Message(Text.COUNT, ask=Text.PRESS_M), *[Message(Text.OUT)] * 8),
)
"""The longest possible menus and tables."""


def apply(before: list[bytes], message: bytes) -> list[bytes]:
    """The display pages after a message; written from the protocol, not from the encoder."""
    mask, rest = message[0], message[1:]
    after = list(before)
    for page in range(8):
        if mask >> page & 1:
            after[page], rest = rest[:128], rest[128:]
    assert rest == b""
    return after


def test_every_change_of_screen_fits_into_few_bytes() -> None:
    """A changed screen needs less than 1.2 KB, text and frame headers included."""
    shown = [*views().values(), *LONGEST]
    everything = [view._replace(language=language) for view in shown for language in Language]
    drawn = [(view, packed(draw(view))) for view in everything]
    most = 0
    for _, before in drawn:
        for view, after in drawn:
            message = pixels(before, after)
            assert apply(before, message) == after
            content = screen_text(view, asleep=not view.lit, took=999_999)
            most = max(most, len(message) + len(text("screen", content).encode()) + FRAME_HEADERS)
    assert 1_000 < most < MAX_BYTES


def test_a_new_page_gets_every_display_page() -> None:
    assert apply([b"\x55" * 128] * 8, all_pixels(DARK)) == DARK
    assert pages_of(b"".join(DARK)) == DARK


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (View("15M", None, None, NO_CARDS, 2, "banking"), {"field": "15M"}),
        (View("3", None, 3, (3, Occupant.NONE), 2, "banking"), {"field": "3", "card": 3}),
        (
            View("15M", Message(Text.NO_FUNDS), None, NO_CARDS, 2, "banking"),
            {"field": "15M", "message": "SOLDE TROP BAS"},
        ),
        (
            View("15M", BANKRUPT, None, (1, 2), 2, "banking"),
            {"field": "15M", "message": "FAILLITE ? TENIR M", "hold": True},
        ),
        (
            View("15M", None, None, (1, 2), 2, "banking", middle=amount("2>1 1,4M")),
            {"field": "15M", "way": "2>1 1,4M"},
        ),
        (
            View("15M", None, None, (1, 2), 2, "banking", middle=Message(Text.UNDO_SHORT, "1,4M")),
            {"field": "15M", "undone": "1,4M"},
        ),
        (
            View("15M", None, None, (1, 2), 2, "banking", middle=Message(Text.COUNT)),
            {"field": "15M"},
        ),
        (
            menu({"5": Text.FINE, "0": Text.GAME}),
            {"list": "5AMENDE;0PARTIE", "minutes": 999},
        ),
        (
            menu(FIRST_PAGE, SECOND_PAGE, page=1),
            {"list": "1COMBAT PERDU;2CAGNOTTE;F", "minutes": 999},
        ),
        (
            table(Message(Text.WINNER, "1"), amount("12,345M"), Message(Text.OUT)),
            {"message": "VAINQUEUR 1", "list": "112,345M;2ÉLIMINÉ", "minutes": 999},
        ),
    ],
)
def test_the_screen_as_text_is_in_the_boxs_language(
    view: View, expected: dict[str, object]
) -> None:
    content = screen_text(view._replace(language=Language.FRENCH), asleep=False, took=None)
    assert content == {**expected, "took": None}


def test_a_page_that_joins_gets_the_end_of_a_long_recording() -> None:
    lines = [f"press {number}" for number in range(3 * SCRIPT_LINES)]
    assert json.loads(script(lines[:2])) == {"script": {"from": 0, "lines": lines[:2]}}
    newest = {"from": 2 * SCRIPT_LINES, "lines": lines[2 * SCRIPT_LINES :]}
    assert json.loads(script(lines)) == {"script": newest}
