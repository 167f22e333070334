"""Access control: the accepted host names and origins, and one-time codes.

A foreign web page must not be able to operate the box through the browser of its visitor. So
the ``Host`` of a request must be an address of this machine, which stops DNS rebinding, and
its ``Origin`` must be the panel itself. If the panel is served to other machines, a visitor
must also enter a code that only the terminal shows. A code is valid for one visitor, and until
that visitor enters it (``guess_turns`` says why guesses may not change it). The visitor gets a
token, which is valid until the panel stops.
"""

import ipaddress
import secrets
from collections.abc import Callable
from urllib.parse import urlsplit

from sim.panel.guests.client_address import client_of

DIGITS = 12
GROUP = 4
"""The digits of a group, as the terminal shows the code; spaces are ignored in a guess."""


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_name(authority: str) -> str | None:
    """The host of a ``Host`` header, in lower case and without its port; None if invalid."""
    try:
        return urlsplit(f"//{authority}").hostname
    except ValueError:
        return None


class AccessControl:
    """Decides which requests are allowed; passes each new code to ``show_code``."""

    def __init__(
        self, host: str, own_names: tuple[str, ...], show_code: Callable[[str], None]
    ) -> None:
        self.requires_code = not is_loopback(host)
        self._names = {host.lower()}
        if self.requires_code:
            # On loopback there is no code, so a name that others can make resolve to this
            # machine must not be accepted.
            self._names |= {name.lower() for name in own_names}
        self._show_code = show_code
        self._tokens: set[str] = set()
        self._code = ""

    def start(self) -> None:
        """Create and show the first code, if codes are required."""
        if self.requires_code:
            self._change_code()

    def _change_code(self) -> None:
        self._code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        groups = (self._code[at : at + GROUP] for at in range(0, DIGITS, GROUP))
        self._show_code(" ".join(groups))

    def allows_host(self, authority: str | None, local_address: str) -> bool:
        """Whether the ``Host`` is one of our names, or the address that was connected to."""
        name = host_name(authority or "")
        if name is None:
            return False
        if name in self._names or is_loopback(name):
            return True
        try:
            local = ipaddress.ip_address(local_address)
            # An IPv6 socket that accepts an IPv4 connection has an IPv4-mapped address.
            return ipaddress.ip_address(name) == (getattr(local, "ipv4_mapped", None) or local)
        except ValueError:
            return False

    def allows_origin(self, origin: str | None, authority: str | None) -> bool:
        """Whether a request comes from one of our own pages, or from no page at all."""
        return origin is None or origin == f"http://{authority}"

    def allows_token(self, token: str | None) -> bool:
        return not self.requires_code or token in self._tokens

    def guest(self, token: str | None, address: str | None) -> str:
        """Tells visitors apart who were let in: by their tokens, or without codes by address."""
        return token or "" if self.requires_code else client_of(address)

    def try_code(self, code: str) -> str | None:
        """A token for the right code, which is used up; None for a wrong one."""
        typed = "".join(code.split()).encode(errors="replace")
        if not self._code or not secrets.compare_digest(typed, self._code.encode()):
            return None
        token = secrets.token_urlsafe(32)
        self._tokens.add(token)
        self._change_code()
        return token
