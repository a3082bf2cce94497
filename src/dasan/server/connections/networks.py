"""The networks of an address, so that limits also apply to a client with many addresses.

A provider gives one customer an IPv6 network of 2^64 addresses or more: usually a /64, often a /56, sometimes a /48. A
limit treats the /64 like one IPv4 address, and allows wider networks a small multiple.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from functools import lru_cache
from typing import TypeAlias

from starlette.requests import HTTPConnection

Networks: TypeAlias = tuple[tuple[str, int], ...]
"""(network, multiple of the limit that it may use), the narrowest first."""

SHARES = ((64, 1), (56, 4), (48, 16))
"""IPv6 prefix lengths, and the multiple of a limit that each may use."""


def address_of(connection: HTTPConnection) -> str:
    """The client's address; behind a trusted proxy, the one that the proxy names."""
    return connection.client.host if connection.client else ""


@lru_cache(8192)
def networks(address: str) -> Networks:
    """The networks that an address counts towards.

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
    """Counts of something per network."""

    def __init__(self) -> None:
        self._by_network: Counter[str] = Counter()
        self.total = 0

    def enter(self, address: str, most: int) -> bool:
        """Count one more, until `leave`. Returns whether every network of the address is within ``most`` times its
        multiple.
        """
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
