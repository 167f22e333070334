"""Presence: which scans cause which events."""

import pytest

from hal.events import CardIn, CardOut, CardsClash, Event, Instant, Slot
from hal.pi.presence import Presence
from hal.pi.readers.card_reader import Card, ScanResult

SCANS: dict[str, Card | ScanResult] = {
    "-": ScanResult.NOTHING,
    "?": ScanResult.SOMETHING,
    "*": ScanResult.SEVERAL,
    "A": Card(b"AAAA"),
    "B": Card(b"BBBB"),
    "p": Card(b"\x08AAA"),
    "q": Card(b"\x08BBB"),
    "s": Card(b"\x08AAAAAA"),
    "t": Card(b"\x08BBBBBB"),
}


def format_event(event: Event) -> str:
    match event:
        case CardIn(uid=uid):
            return f"+{uid[:1].decode()}"
        case CardOut():
            return "out"
        case CardsClash():
            return "clash"
    raise AssertionError(event)


def events_of(scans: str) -> dict[int, str]:
    """Return the events by the number of the scan, from 1."""
    presence = Presence(Slot.LEFT)
    found = {}
    for number, scan in enumerate(scans, start=1):
        events = presence.take_in(SCANS[scan], Instant(number))
        assert all(event.at == number for event in events)
        if events:
            found[number] = " ".join(map(format_event, events))
    return found


@pytest.mark.parametrize(
    ("scans", "expected"),
    [
        ("----", {}),
        ("-A--", {2: "+A"}),
        ("A---AAAA", {1: "+A"}),  # three scans without an answer are ignored
        ("A----", {1: "+A", 5: "out"}),  # the fourth counts: 200 ms
        (
            "A---?----",
            {1: "+A", 9: "out"},
        ),  # a garbled answer restarts the count
        ("A---A----", {1: "+A", 9: "out"}),
        ("A----A", {1: "+A", 5: "out", 6: "+A"}),
        ("A--------", {1: "+A", 5: "out"}),  # reported once
        ("????????", {}),  # no UID was read
        ("A????????", {1: "+A"}),
        ("AB", {1: "+A", 2: "out +B"}),  # another card, at once
        ("A?B", {1: "+A", 3: "out +B"}),
        ("A--B", {1: "+A", 4: "out +B"}),
        ("A*A*A*A", {1: "+A"}),  # noise can scan like a second card
        ("A**", {1: "+A", 3: "clash"}),
        ("**", {2: "clash"}),
        ("*?*", {}),
        ("**********", {2: "clash"}),  # reported once
        ("A**A", {1: "+A", 3: "clash"}),  # and does not end after one scan
        ("A**AA", {1: "+A", 3: "clash", 5: "out +A"}),
        ("A**A*A*A", {1: "+A", 3: "clash"}),
        ("A**AB", {1: "+A", 3: "clash", 5: "out +B"}),
        ("A**----", {1: "+A", 3: "clash", 7: "out"}),
        ("A**-----A", {1: "+A", 3: "clash", 7: "out", 9: "+A"}),
        ("pqpq----", {1: "+\x08", 8: "out"}),  # a phone makes up a UID each time
        ("pA", {1: "+\x08", 2: "out +A"}),
        ("Ap", {1: "+A", 2: "out +\x08"}),
        ("st", {1: "+\x08", 2: "out +\x08"}),  # a longer UID is never made up
        ("ps", {1: "+\x08", 2: "out +\x08"}),
        ("A**AA**", {1: "+A", 3: "clash", 5: "out +A", 7: "clash"}),
    ],
)
def test_events(scans: str, expected: dict[int, str]) -> None:
    assert events_of(scans) == expected


def test_uid_is_known_only_while_one_card_is_in() -> None:
    presence = Presence(Slot.RIGHT)

    def state() -> tuple[bytes | None, bool]:
        return presence.uid, presence.occupied

    assert state() == (None, False)
    presence.take_in(SCANS["A"], Instant(0))
    assert state() == (b"AAAA", True)
    presence.take_in(SCANS["*"], Instant(1))
    assert state() == (b"AAAA", True)
    assert presence.take_in(SCANS["*"], Instant(2)) == (CardsClash(Instant(2), Slot.RIGHT),)
    assert state() == (None, True)
