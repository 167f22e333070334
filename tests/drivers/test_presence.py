"""Presence, look by look: what is believed, and after how many looks."""

import pytest

from hal.events import CardIn, CardOut, CardsClash, Event, Instant, Slot
from hal.pi.look import Card, Seen
from hal.pi.presence import Presence

LOOKS: dict[str, Card | Seen] = {
    "-": Seen.NOTHING,
    "?": Seen.SOMETHING,
    "*": Seen.SEVERAL,
    "A": Card(b"AAAA"),
    "B": Card(b"BBBB"),
    "p": Card(b"\x08AAA"),
    "q": Card(b"\x08BBB"),
    "s": Card(b"\x08AAAAAA"),
    "t": Card(b"\x08BBBBBB"),
}


def word(event: Event) -> str:
    match event:
        case CardIn(uid=uid):
            return f"+{uid[:1].decode()}"
        case CardOut():
            return "out"
        case CardsClash():
            return "clash"
    raise AssertionError(event)


def told(looks: str) -> dict[int, str]:
    """What is told after which look, counted from 1."""
    presence = Presence(Slot.LEFT)
    found = {}
    for number, look in enumerate(looks, start=1):
        events = presence.take_in(LOOKS[look], Instant(number))
        assert all(event.at == number for event in events)
        if events:
            found[number] = " ".join(map(word, events))
    return found


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ("----", {}),
        ("-A--", {2: "+A"}),
        ("A---AAAA", {1: "+A"}),  # three silent looks in a row are nothing
        ("A----", {1: "+A", 5: "out"}),  # the fourth is: 200 ms
        (
            "A---?----",
            {1: "+A", 9: "out"},
        ),  # a garbled answer is an answer, and the count begins anew
        ("A---A----", {1: "+A", 9: "out"}),
        ("A----A", {1: "+A", 5: "out", 6: "+A"}),
        ("A--------", {1: "+A", 5: "out"}),  # reported once
        ("????????", {}),  # nothing was ever read
        ("A????????", {1: "+A"}),
        ("AB", {1: "+A", 2: "out +B"}),  # another card, at once
        ("A?B", {1: "+A", 3: "out +B"}),
        ("A--B", {1: "+A", 4: "out +B"}),
        ("A*A*A*A", {1: "+A"}),  # noise looks like a second card, once
        ("A**", {1: "+A", 3: "clash"}),
        ("**", {2: "clash"}),
        ("*?*", {}),
        ("**********", {2: "clash"}),  # reported once
        ("A**A", {1: "+A", 3: "clash"}),  # and is not over after one look
        ("A**AA", {1: "+A", 3: "clash", 5: "out +A"}),
        ("A**A*A*A", {1: "+A", 3: "clash"}),
        ("A**AB", {1: "+A", 3: "clash", 5: "out +B"}),
        ("A**----", {1: "+A", 3: "clash", 7: "out"}),
        ("A**-----A", {1: "+A", 3: "clash", 7: "out", 9: "+A"}),
        ("pqpq----", {1: "+\x08", 8: "out"}),  # a phone has another UID each time
        ("pA", {1: "+\x08", 2: "out +A"}),
        ("Ap", {1: "+A", 2: "out +\x08"}),
        ("st", {1: "+\x08", 2: "out +\x08"}),  # a longer UID is never made up
        ("ps", {1: "+\x08", 2: "out +\x08"}),
        ("A**AA**", {1: "+A", 3: "clash", 5: "out +A", 7: "clash"}),
    ],
)
def test_looks(looks: str, expected: dict[int, str]) -> None:
    assert told(looks) == expected


def test_a_card_is_asked_for_by_name_only_while_it_is_in() -> None:
    presence = Presence(Slot.RIGHT)

    def state() -> tuple[bytes | None, bool]:
        return presence.uid, presence.occupied

    assert state() == (None, False)
    presence.take_in(LOOKS["A"], Instant(0))
    assert state() == (b"AAAA", True)
    presence.take_in(LOOKS["*"], Instant(1))
    assert state() == (b"AAAA", True)
    assert presence.take_in(LOOKS["*"], Instant(2)) == (CardsClash(Instant(2), Slot.RIGHT),)
    assert state() == (None, True)
