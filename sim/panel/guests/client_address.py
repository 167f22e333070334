"""Tells clients apart by their addresses.

Only the address of the connection counts. ``X-Forwarded-For`` does not, because a client can send
any. So guests behind one router that translates addresses are one client, and so are all behind a
reverse proxy on this machine.
"""

import ipaddress
from functools import lru_cache

OWN_BITS = 64
"""A machine may choose the rest of its IPv6 address, and change it at any time."""


@lru_cache
def client_of(address: str | None) -> str:
    """The client at an IPv4 address, or in a network of IPv6."""
    try:
        found = ipaddress.ip_address(address or "")
    except ValueError:  # the connection is closed
        return ""
    if not isinstance(found, ipaddress.IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(found), OWN_BITS), strict=False))
