"""Which names are ours, which pages may work the box, and what a code is good for."""

import pytest

from sim.panel.doorkeeper import MOST_GUESSES, Doorkeeper


def doorkeeper(host: str = "127.0.0.1") -> tuple[Doorkeeper, list[str]]:
    codes: list[str] = []
    keeper = Doorkeeper(host, ("kitchen", "kitchen.local"), codes.append)
    keeper.open()
    return keeper, codes


@pytest.mark.parametrize(
    ("authority", "reached", "known"),
    [
        ("localhost:8765", "127.0.0.1", True),
        ("127.0.0.1:8765", "127.0.0.1", True),
        ("[::1]:8765", "::1", True),
        ("kitchen.local", "192.0.2.7", True),
        ("Kitchen:80", "192.0.2.7", True),
        ("192.0.2.7:8765", "192.0.2.7", True),
        ("192.0.2.7:8765", "::ffff:192.0.2.7", True),
        ("[2001:db8::7]:8765", "2001:db8::7", True),
        ("192.0.2.8:8765", "192.0.2.7", False),
        ("evil.example", "192.0.2.7", False),
        ("kitchen.evil.example", "192.0.2.7", False),
        ("", "192.0.2.7", False),
        (None, "192.0.2.7", False),
        ("[bad", "192.0.2.7", False),
    ],
)
def test_a_request_must_be_for_us(authority: str | None, reached: str, known: bool) -> None:
    keeper, _ = doorkeeper("0.0.0.0")
    assert keeper.knows_host(authority, reached) is known


@pytest.mark.parametrize(
    ("origin", "known"),
    [
        (None, True),
        ("http://localhost:8765", True),
        ("http://localhost:8766", False),
        ("https://localhost:8765", False),
        ("http://evil.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_a_page_must_be_ours(origin: str | None, known: bool) -> None:
    keeper, _ = doorkeeper()
    assert keeper.knows_origin(origin, "localhost:8765") is known


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_this_machine_needs_no_code(host: str) -> None:
    keeper, codes = doorkeeper(host)
    assert keeper.admits(None)
    assert codes == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "kitchen"])
def test_any_other_asks_for_one(host: str) -> None:
    keeper, codes = doorkeeper(host)
    assert not keeper.admits(None)
    assert not keeper.admits("")
    assert len(codes) == 1


def test_a_code_lets_one_in_and_is_used_up() -> None:
    keeper, codes = doorkeeper("0.0.0.0")
    spaced = f" {codes[0][:3]} {codes[0][3:]} "
    session = keeper.try_code(spaced)
    assert session
    assert keeper.admits(session)
    assert not keeper.admits(session + "x")
    assert len(codes) == 2
    if codes[0] != codes[1]:
        assert keeper.try_code(codes[0]) is None


def test_a_code_that_was_guessed_at_is_changed() -> None:
    keeper, codes = doorkeeper("0.0.0.0")
    for _ in range(MOST_GUESSES):
        assert keeper.try_code("nonsense") is None
    assert len(codes) == 2
    assert keeper.try_code(codes[1])
