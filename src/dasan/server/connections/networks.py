"""The networks of an address, so that limits also hold for a client with many addresses.

A provider gives one customer an IPv6 network of 2^64 addresses or more: usually a /64, often a /56, sometimes a /48. A limit
counts the /64 like one IPv4 address, and the wider networks with a few times as much.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from functools import lru_cache
from typing import TypeAlias

Networks: TypeAlias = tuple[tuple[str, int], ...]
"""Names of networks, the narrowest first, each with the number of times that it may use a limit."""

SHARES = ((64, 1), (56, 4), (48, 16))
"""Prefix lengths of IPv6, and how many times as much as one address each may use."""


@lru_cache(8192)
def networks(address: str) -> Networks:
    """The networks that an address counts for.

    >>> networks("192.0.2.7"), networks("::ffff:192.0.2.7")
    ((('192.0.2.7', 1),), (('192.0.2.7', 1),))
    >>> networks("2001:db8:1:2fe:3::4")
    (('2001:db8:1:2fe::/64', 1), ('2001:db8:1:200::/56', 4), ('2001:db8:1::/48', 16))
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ((address, 1),)
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is None:
            return tuple((str(ipaddress.ip_network((parsed, bits), strict=False)), share) for bits, share in SHARES)
        parsed = parsed.ipv4_mapped
    return ((str(parsed), 1),)


class NetworkCounts:
    """How many of something each network has."""

    def __init__(self) -> None:
        self._by_network: Counter[str] = Counter()
        self.total = 0

    def enter(self, address: str, most: int) -> bool:
        """Count one more, until it leaves; whether all networks of the address have at most ``most``, times their share."""
        self.total += 1
        fits = True
        for network, share in networks(address):
            self._by_network[network] += 1
            fits = fits and self._by_network[network] <= most * share
        return fits

    def leave(self, address: str) -> None:
        self.total -= 1
        for network, _ in networks(address):
            self._by_network[network] -= 1
            if not self._by_network[network]:
                del self._by_network[network]
