"""Banned networks and blocked words, in memory: every request and every chat message is checked."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterable

from fontTools.unicodedata import script

from dasan.reasons import reason
from dasan.server.people.names import keys, plain
from dasan.server.refusals import Refused

UNSPACED = frozenset({"Hani", "Hira", "Kana", "Bopo", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"})
"""Scripts without spaces between words: their words are also matched inside others."""
WIDEST = {4: 8, 6: 16}
"""The shortest network prefix that can be banned, by IP version."""
WORDS = re.compile(r"[^\W_]+(?:[\u0300-\u036f'\u2019-][^\W_]+)*")

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def network_named(text: str) -> _Network:
    """Parse a moderator's network. ``Refused``: it is not a network, or is too wide.

    >>> str(network_named("192.0.2.7/24")), str(network_named("2001:db8::1")), str(network_named("::ffff:192.0.2.7"))
    ('192.0.2.0/24', '2001:db8::/64', '192.0.2.7/32')
    """
    try:
        network: _Network = ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise Refused("malformed", reason("network")) from None
    if isinstance(network, ipaddress.IPv6Network):
        mapped = network.network_address.ipv4_mapped
        if mapped is not None and network.prefixlen >= 96:
            network = ipaddress.ip_network(f"{mapped}/{network.prefixlen - 96}")
        elif network.prefixlen > 64:
            # One customer owns all addresses of a /64.
            network = network.supernet(new_prefix=64)
    if network.prefixlen < WIDEST[network.version]:
        raise Refused("malformed", reason("network"))
    return network


def network_of_address(address: str) -> str:
    """The network of one client: an IPv4 address, or the /64 of an IPv6 address; empty for other text."""
    try:
        return str(network_named(address.partition("%")[0]))
    except Refused:
        return ""


class Restrictions:
    """Checks addresses and texts against the moderators' restrictions.

    >>> restrictions = Restrictions()
    >>> restrictions.set([("192.0.2.0/24", 1000)], ["darn", "shut up", "笨蛋"])
    >>> restrictions.bans("192.0.2.9", 5), restrictions.bans("192.0.2.9", 1000), restrictions.bans("192.0.3.9", 5)
    (True, False, False)
    >>> [restrictions.refuses(text) for text in ("D\u0430rn!", "darning", "Shut up", "shut it", "你是笨 蛋")]
    [True, False, True, False, True]
    """

    def __init__(self) -> None:
        self._networks: dict[tuple[int, int], dict[int, int]] = {}
        """By IP version and number of host bits: the end of each network's ban, by network bits."""
        self._phrases: dict[str, list[tuple[frozenset[str], ...]]] = {}
        """The keys of a phrase's other words, by each key of its first word."""
        self._parts: tuple[str, ...] = ()

    def set(self, networks: Iterable[tuple[str, int]], words: Iterable[str]) -> None:
        """Replace the restrictions: networks, each banned until a time in milliseconds, and words."""
        banned: dict[tuple[int, int], dict[int, int]] = {}
        for name, until in networks:
            network = network_named(name)
            free = network.max_prefixlen - network.prefixlen
            banned.setdefault((network.version, free), {})[int(network.network_address) >> free] = until
        phrases: dict[str, list[tuple[frozenset[str], ...]]] = {}
        parts: set[str] = set()
        for word in map(plain, words):
            if _unspaced(word):
                parts.add(_joined(word))
            elif pieces := WORDS.findall(word):
                first, *rest = map(keys, pieces)
                for key in first:
                    phrases.setdefault(key, []).append(tuple(rest))
        self._networks, self._phrases, self._parts = banned, phrases, tuple(sorted(parts - {""}))

    def bans(self, address: str, now: int) -> bool:
        """Whether the address is banned at the time ``now``."""
        if not self._networks:
            return False
        client = network_of_address(address)
        if not client:
            return False
        one = ipaddress.ip_network(client)
        number = int(one.network_address)
        return any(
            version == one.version and now < ends.get(number >> free, now)
            for (version, free), ends in self._networks.items()
        )

    def refuses(self, text: str) -> bool:
        """Whether the text has a blocked word, also in confusable letters, with or without accents."""
        text = plain(text)
        if self._parts:
            joined = _joined(text)
            if any(part in joined for part in self._parts):
                return True
        if not self._phrases:
            return False
        written = [keys(piece) for piece in WORDS.findall(text)]
        return any(
            len(rest) < len(written) - at and not any(map(frozenset.isdisjoint, rest, written[at + 1 :]))
            for at, first in enumerate(written)
            for key in first
            for rest in self._phrases.get(key, ())
        )


def _unspaced(word: str) -> bool:
    return any(script(character) in UNSPACED for character in word)


def _joined(text: str) -> str:
    """Only the letters, so that nothing between them hides a word of a script without spaces."""
    whole = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in whole if unicodedata.category(c)[0] in "LM")
