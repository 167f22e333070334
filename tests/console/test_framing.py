"""What comes over a line, cut into lines; none of it is trusted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.console.framing import LONGEST, Break, Framing, Garbled, Heard, Said
from hal.events import SECOND, Instant

NOW = Instant(0)


def heard(*chunks: bytes) -> list[Heard]:
    framing = Framing()
    return [one for chunk in chunks for one in framing.take_in(chunk, NOW)]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_every_way_to_end_a_line(end: bytes) -> None:
    assert heard(b"press 1" + end + b"press 2" + end) == [Said("press 1"), Said("press 2")]


def test_a_line_may_come_byte_by_byte() -> None:
    assert heard(*(bytes([byte]) for byte in b"wait 5s\r\nnew\n")) == [Said("wait 5s"), Said("new")]


def test_an_empty_line_is_a_line() -> None:
    assert heard(b"\n\n") == [Said(""), Said("")]


def test_noise_is_refused_and_the_next_line_heard() -> None:
    noise, line = heard(b"pre\xffss\x00 1\npress 1\n")
    assert isinstance(noise, Garbled)
    assert line == Said("press 1")


def test_a_line_may_have_two_hundred_characters_and_no_more() -> None:
    exactly, over, after = heard(b"x" * LONGEST + b"\n" + b"x" * (LONGEST + 1) + b"\nnew\n")
    assert exactly == Said("x" * LONGEST)
    assert isinstance(over, Garbled)
    assert after == Said("new")


def test_a_line_without_an_end_takes_no_memory() -> None:
    framing = Framing()
    for _ in range(1000):
        framing.take_in(b"x" * 1000, NOW)
    assert len(framing._half) == LONGEST


def test_ctrl_c_takes_back_a_half_line() -> None:
    assert heard(b"hold C 3\x03new\n") == [Break(), Said("new")]


def test_a_half_line_is_forgotten_after_ten_seconds_of_silence() -> None:
    framing = Framing()
    assert framing.take_in(b"press 1", Instant(0)) == []
    assert framing.take_in(b"5", Instant(10 * SECOND - 1)) == []
    assert framing.take_in(b"M\n", Instant(15 * SECOND)) == [Said("press 15M")]
    framing.take_in(b"press 1", Instant(20 * SECOND))
    assert framing.take_in(b"new\n", Instant(30 * SECOND)) == [Said("new")]


@given(st.lists(st.binary(max_size=300), max_size=20))
def test_anything_at_all_is_taken_in(chunks: list[bytes]) -> None:
    framing = Framing()
    together = [one for chunk in chunks for one in framing.take_in(chunk, NOW)]
    assert together == Framing().take_in(b"".join(chunks), NOW)
    ends = b"".join(chunks).count(b"\n") + b"".join(chunks).count(b"\r")
    assert sum(not isinstance(one, Break) for one in together) <= ends


def test_looking_for_bytes_that_are_not_there_does_not_keep_a_half_line_alive() -> None:
    framing = Framing()
    framing.take_in(b"ins", Instant(0))
    for second in range(1, 10):
        framing.take_in(b"", Instant(second * SECOND))
    assert framing.take_in(b"new\n", Instant(10 * SECOND)) == [Said("new")]
