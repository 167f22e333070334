"""Limits how fast codes can be guessed, without refusing a right one.

The guesses of a client (``client_address``) wait for their turn: one is looked at at a time, and
after a wrong one the next waits for WRONG_CODE_DELAY. Clients do not wait for each other, and a
wrong guess changes no code. So somebody with the right code gets in at once, whatever others do. If
the others have the same address, because all are behind one router or one reverse proxy, the right
code waits until those before it have had their turn: a second beside four loops, and less than a
minute beside as many connections as the panel keeps.

How long must a code be? A code has twelve digits, and is valid until it is used. In six hours

- one address, or one network of IPv6, makes 86 400 guesses: one chance in 11 million;
- 200 addresses make 17 million: one chance in 58 000;
- all addresses of a network together at most as many as the server can answer, which is fewer than
  5 000 a second: 108 million, one chance in 9 000.

Of the six digits that a code had once, 200 addresses would try all in 21 minutes.
"""

import asyncio
from weakref import WeakValueDictionary

from sim.panel.guests.client_address import client_of

WRONG_CODE_DELAY = 0.25
"""Seconds."""


class GuessTurns:
    """A lock for each client whose guesses are waiting; it is forgotten with the last of them."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._locks)

    def of(self, address: str | None) -> asyncio.Lock:
        """Who holds it may guess; the others wait in the order in which they came."""
        return self._locks.setdefault(client_of(address), asyncio.Lock())
