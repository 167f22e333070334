"""The guesses of one client wait for each other, and for nobody else's."""

import asyncio

import pytest

from sim.panel.guests.client_address import client_of
from sim.panel.guests.guess_turns import WRONG_CODE_DELAY, GuessTurns
from tests.campaign.fuzz.virtual_loop import VirtualLoop


@pytest.mark.parametrize(
    ("address", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        (None, ""),
        ("", ""),
    ],
)
def test_a_client_is_an_address_or_a_network(address: str | None, client: str) -> None:
    assert client_of(address) == client


def guessed(*addresses: str) -> dict[str, list[float]]:
    """When each address could make the guesses that it made at the same time, in seconds."""
    turns = GuessTurns()
    made: dict[str, list[float]] = {address: [] for address in addresses}
    loop = VirtualLoop()
    began = loop.time()

    async def guess(address: str) -> None:
        async with turns.of(address):
            made[address].append(loop.time() - began)
            await asyncio.sleep(WRONG_CODE_DELAY)

    async def guess_all() -> None:
        await asyncio.gather(*map(guess, addresses))

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(guess_all())
    assert len(turns) == 0, "clients that no longer guess are remembered"
    return made


def test_guesses_of_one_client_wait_for_their_turn() -> None:
    made = guessed(*["192.0.2.7"] * 4)
    assert made["192.0.2.7"] == pytest.approx([0, 0.25, 0.5, 0.75])


def test_a_network_of_ipv6_is_one_client() -> None:
    made = guessed("2001:db8::1", "2001:db8::2")
    assert sorted(at for [at] in made.values()) == pytest.approx([0, 0.25])


def test_clients_do_not_wait_for_each_other() -> None:
    others = [f"192.0.2.{n}" for n in range(100)]
    made = guessed(*others, "198.51.100.1", *others)
    assert made["198.51.100.1"] == [0]
    assert made["192.0.2.7"] == pytest.approx([0, 0.25])
