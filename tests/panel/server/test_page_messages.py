"""What goes over a page's line: the right pages of the picture, and few bytes."""

import pytest

from hal.language import Language
from hal.pages import packed
from hal.picture import draw
from hal.view import Item, Menu, Message, Tenant, Text, View
from sim.panel.screen_words import words_of
from sim.panel.telling import DARK, all_pixels, pages_of, pixels, text
from tests.golden import views

FRAME_HEADS = 2 * 4
"""Bytes that two WebSocket frames of this size cost beside their content."""
MOST_BYTES = 1_200


NOBODY = Tenant.NOBODY, Tenant.NOBODY


def menu(*pages: dict[str, Text], page: int = 0) -> View:
    """A list to choose from, in a game against the clock."""
    listed = tuple(tuple(Item(key, Message(name)) for key, name in of.items()) for of in pages)
    return View("", None, None, (1, 2), 2, "banking", menu=Menu(listed, page), minutes_left=999)


def table(message: Message, *contents: Message) -> View:
    """Cards and what they have, likewise."""
    items = tuple(Item(str(card), content) for card, content in enumerate(contents, start=1))
    return View("", message, None, NOBODY, 2, "france98", table=items, minutes_left=999)


def amount(written: str) -> Message:
    return Message(Text.WHOLE_AMOUNT, written)


FIRST_PAGE = {
    "1": Text.ALL,
    "2": Text.MORTGAGE,
    "3": Text.INTEREST,
    "4": Text.UTILITY,
    "5": Text.JAIL,
    "6": Text.HALF,
    "7": Text.AGAIN,
    "8": Text.HISTORY,
    "9": Text.COUNT,
    "0": Text.GAME,
}
SECOND_PAGE = {"1": Text.FIGHT_LOST, "2": Text.POT}
FULLEST = (
    menu(FIRST_PAGE, SECOND_PAGE),
    menu(FIRST_PAGE, SECOND_PAGE, page=1),
    table(Message(Text.WINNER, "1 2 3 4 5 6 7 8"), *[amount("12,345M")] * 8),
    table(Message(Text.COUNT, lead="M ="), *[Message(Text.OUT)] * 8),
)
"""The longest that a list and a table can be, which no short script comes to."""


def followed(before: list[bytes], message: bytes) -> list[bytes]:
    """What a page makes of a message, written from the protocol and not from the sender."""
    mask, rest = message[0], message[1:]
    after = list(before)
    for page in range(8):
        if mask >> page & 1:
            after[page], rest = rest[:128], rest[128:]
    assert rest == b""
    return after


def test_a_page_can_follow_from_every_screen_to_every_other_in_few_bytes() -> None:
    """The issue's figure: a changed screen sends less than 1.2 KB, words and heads included."""
    shown = [*views().values(), *FULLEST]
    everything = [view._replace(language=language) for view in shown for language in Language]
    drawn = [(view, packed(draw(view))) for view in everything]
    most = 0
    for _, before in drawn:
        for view, after in drawn:
            message = pixels(before, after)
            assert followed(before, message) == after
            words = words_of(view, asleep=not view.lit, took=999_999)
            most = max(most, len(message) + len(text("screen", words).encode()) + FRAME_HEADS)
    assert 1_000 < most < MOST_BYTES


def test_who_has_just_come_is_sent_every_page() -> None:
    assert followed([b"\x55" * 128] * 8, all_pixels(DARK)) == DARK
    assert pages_of(b"".join(DARK)) == DARK


@pytest.mark.parametrize(
    ("view", "said"),
    [
        (View("15M", None, None, NOBODY, 2, "banking"), {"field": "15M"}),
        (View("3", None, 3, (3, Tenant.NOBODY), 2, "banking"), {"field": "3", "card": 3}),
        (
            View("15M", Message(Text.NO_FUNDS), None, NOBODY, 2, "banking"),
            {"field": "15M", "message": "SOLDE TROP BAS"},
        ),
        (
            menu({"5": Text.JAIL, "0": Text.GAME}),
            {"list": "5PRISON;0PARTIE", "minutes": 999},
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
def test_a_screen_in_words_says_what_there_is_in_the_boxs_language(
    view: View, said: dict[str, object]
) -> None:
    words = words_of(view._replace(language=Language.FRENCH), asleep=False, took=None)
    assert words == {**said, "took": None}
