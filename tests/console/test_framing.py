"""Framing: untrusted bytes from a serial line become lines of text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.console.framing import LONGEST, Break, Framing, GarbledLine, Heard, TextLine
from hal.events import SECOND, Instant

NOW = Instant(0)


def heard(*chunks: bytes) -> list[Heard]:
    framing = Framing()
    return [one for chunk in chunks for one in framing.take_in(chunk, NOW)]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_line_endings(end: bytes) -> None:
    assert heard(b"press 1" + end + b"press 2" + end) == [TextLine("press 1"), TextLine("press 2")]


def test_line_may_arrive_byte_by_byte() -> None:
    assert heard(*(bytes([byte]) for byte in b"wait 5s\r\nnew\n")) == [
        TextLine("wait 5s"),
        TextLine("new"),
    ]


def test_empty_line_counts() -> None:
    assert heard(b"\n\n") == [TextLine(""), TextLine("")]


def test_noise_is_refused_and_the_next_line_is_read() -> None:
    noise, line = heard(b"pre\xffss\x00 1\npress 1\n")
    assert isinstance(noise, GarbledLine)
    assert line == TextLine("press 1")


def test_line_has_at_most_200_characters() -> None:
    exactly, over, after = heard(b"x" * LONGEST + b"\n" + b"x" * (LONGEST + 1) + b"\nnew\n")
    assert exactly == TextLine("x" * LONGEST)
    assert isinstance(over, GarbledLine)
    assert after == TextLine("new")


def test_endless_line_takes_no_memory() -> None:
    framing = Framing()
    for _ in range(1000):
        framing.take_in(b"x" * 1000, NOW)
    assert len(framing._partial) == LONGEST


def test_ctrl_c_discards_an_incomplete_line() -> None:
    assert heard(b"hold C 3\x03new\n") == [Break(), TextLine("new")]


def test_incomplete_line_is_discarded_after_ten_seconds() -> None:
    framing = Framing()
    assert framing.take_in(b"press 1", Instant(0)) == []
    assert framing.take_in(b"5", Instant(10 * SECOND - 1)) == []
    assert framing.take_in(b"M\n", Instant(15 * SECOND)) == [TextLine("press 15M")]
    framing.take_in(b"press 1", Instant(20 * SECOND))
    assert framing.take_in(b"new\n", Instant(30 * SECOND)) == [TextLine("new")]


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_any_bytes_are_accepted_in_any_chunks(chunks: list[bytes]) -> None:
    framing = Framing()
    together = [one for chunk in chunks for one in framing.take_in(chunk, NOW)]
    assert together == Framing().take_in(b"".join(chunks), NOW)
    ends = b"".join(chunks).count(b"\n") + b"".join(chunks).count(b"\r")
    assert sum(not isinstance(one, Break) for one in together) <= ends


def test_empty_read_does_not_extend_the_ten_seconds() -> None:
    framing = Framing()
    framing.take_in(b"ins", Instant(0))
    for second in range(1, 10):
        framing.take_in(b"", Instant(second * SECOND))
    assert framing.take_in(b"new\n", Instant(10 * SECOND)) == [TextLine("new")]
