"""Token buckets: limits of bursts and of actions a second, for a bounded number of callers."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

from starlette.requests import HTTPConnection

from dasan.reasons import reason
from dasan.server.connections.networks import address_of, networks
from dasan.server.refusals import Refused


class Bucket:
    """Holds up to ``burst`` tokens and refills at ``rate`` a second.

    >>> now = [0.0]
    >>> bucket = Bucket(rate=1, burst=2, clock=lambda: now[0])
    >>> bucket.take(), bucket.take(), bucket.take()
    (True, True, False)
    >>> now[0] = 1.0
    >>> bucket.take(), bucket.take()
    (True, False)
    """

    __slots__ = ("_at", "_burst", "_clock", "_rate", "_tokens")

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._tokens = float(burst)
        self._at = clock()

    def has_one(self) -> bool:
        """Whether there is a token."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now
        return self._tokens >= 1

    def take(self) -> bool:
        """Take one token, if there is one."""
        there = self.has_one()
        self._tokens -= there
        return there

    def give_back(self) -> None:
        """Return a token that was taken."""
        self._tokens += 1


class Buckets:
    """One bucket per key; beyond ``most`` keys the least recently used one is dropped.

    >>> buckets = Buckets(rate=0.001, burst=1)
    >>> [buckets.take_for(f"2001:db8::{host}") for host in (1, 2)], buckets.take_for("2001:db8:0:1::1")
    ([True, False], True)
    """

    def __init__(self, rate: float, burst: int, most: int = 10_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._most, self._clock = rate, burst, most, clock
        self._buckets: OrderedDict[Hashable, Bucket] = OrderedDict()

    def take_for(self, address: str) -> bool:
        """Take a token of every network of the address, if each has one.

        A refusal adds no key: a customer has 65,536 networks in a /48, and could make the others drop out with them.
        """
        wanted = [(("network", network), share) for network, share in networks(address)]
        known = [key for key, _ in wanted if key in self._buckets]
        for key in known:
            self._buckets.move_to_end(key)
        return all(self._buckets[key].has_one() for key in known) and all(self.take(*one) for one in wanted)

    def take(self, key: Hashable, share: int = 1) -> bool:
        """Take one of ``key``'s tokens, if there is one. share: the multiple of the usual tokens that the key has."""
        bucket = self._buckets.pop(key, None) or Bucket(self._rate * share, self._burst * share, self._clock)
        self._buckets[key] = bucket
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return bucket.take()

    def give_back(self, key: Hashable) -> None:
        """Return a token that was taken for an action that did not happen."""
        if bucket := self._buckets.get(key):
            bucket.give_back()


def limit(connection: HTTPConnection, name: str, *keys: str | None) -> None:
    """Take a token of the limit ``name`` for the address of a request or a socket, and for each key.

    ``Refused``: one of them has none left.
    """
    buckets: Buckets = connection.app.state.limits[name]
    if not buckets.take_for(address_of(connection)) or not all(buckets.take(key) for key in keys if key is not None):
        raise Refused("too-fast", reason("fast"))
