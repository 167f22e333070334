"""What goes over a page's line: the right pages of the picture, and few bytes."""

from hal.language import Language
from hal.pages import packed
from hal.picture import draw
from sim.panel.telling import DARK, all_pixels, pages_of, pixels, text
from tests.golden import views

FRAME_HEADS = 2 * 4
"""Bytes that two WebSocket frames of this size cost beside their content."""
MOST_BYTES = 1_200


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
    everything = [
        view._replace(language=language) for view in views().values() for language in Language
    ]
    drawn = [(view, packed(draw(view))) for view in everything]
    most = 0
    for _, before in drawn:
        for view, after in drawn:
            message = pixels(before, after)
            assert followed(before, message) == after
            words = {
                "field": view.field,
                "message": view.said,
                "card": view.card,
                "lit": view.lit,
                "asleep": not view.lit,
                "took": 999_999,
            }
            most = max(most, len(message) + len(text("screen", words).encode()) + FRAME_HEADS)
    assert 1_000 < most < MOST_BYTES


def test_who_has_just_come_is_sent_every_page() -> None:
    assert followed([b"\x55" * 128] * 8, all_pixels(DARK)) == DARK
    assert pages_of(b"".join(DARK)) == DARK
