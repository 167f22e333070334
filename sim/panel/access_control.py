"""Who may come in: which names the panel answers to, from whose pages, and with which code.

A page of somebody else's must not be able to work the box through the browser of a person who
happens to visit it. So a request must be for an address of ours (a foreign name that was made
to point here is refused), and must not come from a page of anybody else's. Where the panel is
open to other machines, a visitor has to type a code that only the terminal shows. It is good
for one visitor, and is changed after a few wrong guesses.
"""

import ipaddress
import secrets
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urlsplit

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

MOST_GUESSES = 5
DIGITS = 6


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def name_of(authority: str) -> str | None:
    """The host of a ``Host`` header, in lower case and without its port; None: nonsense."""
    try:
        return urlsplit(f"//{authority}").hostname
    except ValueError:
        return None


def _plain(address: Address) -> Address:
    """An address of IPv4 that was reached over IPv6 is one of IPv4 all the same."""
    mapped = address.ipv4_mapped if address.version == 6 else None
    return mapped or address


class Doorkeeper:
    """Decides; says what to the terminal through ``show_code``."""

    def __init__(
        self, host: str, own_names: tuple[str, ...], show_code: Callable[[str], None]
    ) -> None:
        self.asks_for_code = not is_loopback(host)
        self._names = {"localhost", host.lower()}
        if self.asks_for_code:
            # On loopback a name that somebody else could make point here would let them in.
            self._names |= {name.lower() for name in own_names}
        self._show_code = show_code
        self._sessions: set[str] = set()
        self._guesses = 0
        self._code = ""

    def open(self) -> None:
        """Visitors may come from now on."""
        if self.asks_for_code:
            self._change_code()

    def _change_code(self) -> None:
        self._guesses = 0
        self._code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        self._show_code(self._code)

    def knows_host(self, authority: str | None, reached_at: str) -> bool:
        """Whether a request is for us: by one of our names, or the address it has reached."""
        name = name_of(authority or "")
        if name is None:
            return False
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
            return address.is_loopback or address == _plain(ipaddress.ip_address(reached_at))
        except ValueError:
            return False

    def knows_origin(self, origin: str | None, authority: str | None) -> bool:
        """Whether a request comes from one of our own pages, or from no page at all."""
        return origin is None or origin == f"http://{authority}"

    def admits(self, session: str | None) -> bool:
        return not self.asks_for_code or session in self._sessions

    def try_code(self, code: str) -> str | None:
        """A session for the right code, which is then used up; None for a wrong one."""
        typed = "".join(code.split())
        if self._code and secrets.compare_digest(typed.encode(), self._code.encode()):
            session = secrets.token_urlsafe(32)
            self._sessions.add(session)
            self._change_code()
            return session
        self._guesses += 1
        if self._guesses >= MOST_GUESSES:
            self._change_code()
        return None
