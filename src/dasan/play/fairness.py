"""Provably fair deals: commit, contribute, shuffle, reveal.

Before a deal the server publishes the `commitment` to a fresh secret; the players may then add strings of their
own; `deal_seed` hashes everything into a seed, `Stream` stretches the seed into random numbers, and `shuffle`
puts the pack in order. After the hand the secret is in the record, and anyone can repeat the computation.
``docs/guide/fairness.md`` explains to players how, and what this proves and what it cannot.

Two packs with jokers can lie in 108!/2^54 orders, a little more than 2^524. Everything on the way from secret to
deck is therefore 1,024 bits wide: a single SHA-512 or a 256-bit key anywhere in between would make most decks
impossible.
"""

from __future__ import annotations

import builtins
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import TypeVar

from dasan.arguments import whole

SECRET_BYTES = 128
SEED_BYTES = 128
MAX_CONTRIBUTIONS = 16
MAX_TEXT_BYTES = 256

T = TypeVar("T")


def new_secret() -> bytes:
    """A secret for one hand, from the operating system's generator; never use it for a second hand.

    >>> len(new_secret())
    128
    """
    return secrets.token_bytes(SECRET_BYTES)


def commitment(secret: bytes) -> str:
    """The commitment that is published before the deal: SHA-256 of the secret's bytes in hexadecimal.

    It is the plain hash, without prefix or salt, so that ``sha256sum`` gives the same.

    >>> commitment(bytes(128))[:16]
    '38723a2e5e8a17aa'
    """
    return hashlib.sha256(secret).hexdigest()


def deal_seed(secret: bytes, contributions: Sequence[str], rules_digest: str, hand: int) -> bytes:
    """The 128-byte seed of a published deal: a hash of everything that decides it.

    `contributions` are the players' strings in the order in which the record lists them (at most 16, each at
    most 256 bytes of UTF-8, taken as they are, without Unicode normalisation), `rules_digest` the digest of the
    rules in force, `hand` the number of the hand in its session (0 to 2^64 - 1; 0 is the draw for the deal).
    Anything else, and a secret that is not 128 bytes long, raises ValueError.

    >>> deal_seed(bytes(128), ["ab", "c"], "d1", 1) == deal_seed(bytes(128), ["a", "bc"], "d1", 1)
    False
    """
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {SECRET_BYTES} bytes, not {len(secret)}")
    if isinstance(contributions, str):
        raise ValueError("contributions are a sequence of strings, not one string")
    if len(contributions) > MAX_CONTRIBUTIONS:
        raise ValueError(f"a deal takes at most {MAX_CONTRIBUTIONS} contributions, not {len(contributions)}")
    return _expand(
        "dasan deal 1",
        secret,
        _text("the rules digest", rules_digest),
        _number("the number of the hand", hand),
        *(_text("a contribution", text) for text in contributions),
    )


def local_seed(seed: int | bytes, label: str, number: int) -> bytes:
    """128 bytes derived from a caller's seed, such as the 7 of ``dasan.deal(rules, seed=7)``.

    `seed` is any integer (hashed as its hexadecimal digits) or any bytes; `label` names the purpose and `number` (0
    to 2^64 - 1) counts its uses, so that one seed serves a whole session. ValueError as for `deal_seed`. The result
    is as hard to guess as the seed, and no harder: only a seed with at least 525 bits of entropy can reach every
    deal.

    >>> local_seed(7, "deal", 1) == local_seed(7, "deal", 2)
    False
    """
    kind, value = (b"bytes", seed) if isinstance(seed, bytes) else (b"int", b"%x" % whole(seed, "a seed"))
    return _expand("dasan local 1", kind, value, _text("a label", label), _number("the number", number))


class Stream:
    """An endless stream of uniform random bytes, determined by a 128-byte seed.

    Block i, of 32 bytes, is ``HMAC-SHA256(key=seed[:64], message=i as 8 bytes, big-endian, then seed[64:])``.

    HMAC hashes a longer key than 64 bytes down to 256 bits, which would leave 2^256 decks of the 2^524: so only
    half of the seed is the key, and the other half is in every message. The counter stands before it because
    SHA-256 carries no more than 256 bits from one 64-byte block of its input to the next: were the seed first,
    every output would depend on it only through 512 bits (inner and outer state), again too few.

    >>> dice = Stream(local_seed(7, "dice", 0))
    >>> [dice.below(6) + 1 for _ in range(5)]
    [1, 2, 4, 5, 2]
    """

    __slots__ = ("_blocks", "_left", "_seed")

    def __init__(self, seed: builtins.bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        self._seed = seed
        self._blocks = 0
        self._left = b""

    def bytes(self, n: int) -> builtins.bytes:
        """The next `n` bytes.

        >>> stream, other = Stream(bytes(128)), Stream(bytes(128))
        >>> stream.bytes(20) + stream.bytes(30) == other.bytes(50)
        True
        """
        if n < 0:
            raise ValueError(f"cannot take {n} bytes")
        ahead = self._left
        if n > len(ahead):
            first, self._blocks = self._blocks, self._blocks + -(-(n - len(ahead)) // 32)
            ahead += b"".join(_block(self._seed, i) for i in range(first, self._blocks))
        self._left = ahead[n:]
        return ahead[:n]

    def below(self, n: int) -> int:
        """An integer from 0 to n - 1, all equally likely: ValueError unless n is at least 1.

        With k the number of bits in n - 1: take the fewest bytes that hold k bits, read them as a big-endian
        number, keep its low k bits, and start again with new bytes when the result is not below n. (n = 1 takes
        no bytes.)
        """
        if n < 1:
            raise ValueError(f"there is no number from 0 to {n - 1}")
        bits = (n - 1).bit_length()
        while True:
            number = int.from_bytes(self.bytes((bits + 7) // 8), "big") & ((1 << bits) - 1)
            if number < n:
                return number


def shuffle(seed: bytes | Stream, cards: Sequence[T]) -> tuple[T, ...]:
    """The cards in random order, first card on top (Fisher-Yates from the top).

    For i = 0, 1, … up to the last card but one, the card at place i changes places with the one at place ``i +
    below(n - i)``, where n is the number of cards. A seed starts a stream of its own; a `Stream` continues from its
    current position.

    >>> "".join(shuffle(local_seed(7, "letters", 0), "abcdefgh"))
    'ebfgahcd'
    """
    stream = seed if isinstance(seed, Stream) else Stream(seed)
    deck = list(cards)
    for i in range(len(deck) - 1):
        j = i + stream.below(len(deck) - i)
        deck[i], deck[j] = deck[j], deck[i]
    return tuple(deck)


def _block(seed: bytes, index: int) -> bytes:
    return hmac.digest(seed[:64], index.to_bytes(8, "big") + seed[64:], "sha256")


def _expand(domain: str, *parts: bytes) -> bytes:
    """1,024 bits that depend on every part: two SHA-512 hashes which differ in a counter.

    The input is the domain, the counter (one byte, 0 or 1) and the parts, each preceded by its length as 8 bytes,
    big-endian, so that different lists of parts never give the same input. The counter comes before the parts because
    SHA-512, too, carries only its own width from block to block.
    """
    head, tail = _framed(domain.encode()), b"".join(map(_framed, parts))
    return b"".join(hashlib.sha512(head + _framed(counter) + tail).digest() for counter in (b"\x00", b"\x01"))


def _framed(part: bytes) -> bytes:
    return len(part).to_bytes(8, "big") + part


def _text(what: str, text: str) -> bytes:
    """A text as UTF-8, bounded before it is encoded; a lone surrogate raises UnicodeEncodeError, a ValueError."""
    if len(text) > MAX_TEXT_BYTES or len(data := text.encode()) > MAX_TEXT_BYTES:
        raise ValueError(f"{what} has at most {MAX_TEXT_BYTES} bytes of UTF-8")
    return data


def _number(what: str, number: int) -> bytes:
    if not 0 <= number < 1 << 64:
        raise ValueError(f"{what} is between 0 and 2^64 - 1")
    return number.to_bytes(8, "big")
