"""Host names, origins and one-time codes."""

import re

import pytest

from sim.panel.guests.access_control import AccessControl


def access_control(host: str = "127.0.0.1") -> tuple[AccessControl, list[str]]:
    codes: list[str] = []
    access = AccessControl(host, ("kitchen", "kitchen.local"), codes.append)
    access.start()
    return access, codes


@pytest.mark.parametrize(
    ("authority", "local_address", "allowed"),
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
def test_the_host_must_be_ours(authority: str | None, local_address: str, allowed: bool) -> None:
    access, _ = access_control("0.0.0.0")
    assert access.allows_host(authority, local_address) is allowed


@pytest.mark.parametrize(
    ("origin", "allowed"),
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
def test_the_origin_must_be_ours(origin: str | None, allowed: bool) -> None:
    access, _ = access_control()
    assert access.allows_origin(origin, "localhost:8765") is allowed


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_loopback_requires_no_code(host: str) -> None:
    access, codes = access_control(host)
    assert access.allows_token(None)
    assert codes == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "kitchen"])
def test_any_other_host_requires_a_code(host: str) -> None:
    access, codes = access_control(host)
    assert not access.allows_token(None)
    assert not access.allows_token("")
    assert len(codes) == 1


def test_a_code_is_valid_once() -> None:
    access, codes = access_control("0.0.0.0")
    token = access.try_code(f" {codes[0]}\n")
    assert token
    assert access.allows_token(token)
    assert not access.allows_token(token + "x")
    assert len(codes) == 2
    assert access.try_code(codes[0]) is None


def test_a_code_is_too_long_to_be_guessed() -> None:
    """``guess_turns`` has the arithmetic."""
    _, codes = access_control("0.0.0.0")
    assert re.fullmatch(r"\d{4} \d{4} \d{4}", codes[0])


@pytest.mark.parametrize("guess", ["", "nonsense", "123456789012", "١٢٣٤", "\ud800", "x" * 4_000])
def test_wrong_guesses_change_neither_the_code_nor_who_is_in(guess: str) -> None:
    access, codes = access_control("0.0.0.0")
    token = access.try_code(codes[0])
    for _ in range(100):
        assert access.try_code(guess) is None
    assert len(codes) == 2
    assert access.try_code(codes[1])
    assert access.allows_token(token)
