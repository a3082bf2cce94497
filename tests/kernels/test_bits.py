"""The bit primitives: the processor's instructions and the portable path give the same results."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from dasan.kernels import bits
from dasan.kernels.compiled import compiled

U = np.uint64


@compiled
def _all(word: Any, mask: Any) -> Any:
    return (
        bits.popcount(word),
        bits.trailing_zeros(word),
        bits.leading_zeros(word),
        bits.extract(word, mask),
        bits.deposit(word, mask),
    )


_portable = compiled(bits.portable_extract), compiled(bits.portable_deposit)


def test_primitives_equal_their_definitions() -> None:
    rng = random.Random(1)
    words = [0, 1, 1 << 63, (1 << 64) - 1, *(rng.getrandbits(64) & rng.getrandbits(64) for _ in range(500))]
    masks = [0, (1 << 64) - 1, 0x1FFF_1FFF_1FFF_1FFF, 0x0101_0101_0101_0101, 1, 1 << 63, ((1 << 64) - 1) ^ 1]
    for word in words:
        mask = masks.pop() if masks else rng.getrandbits(64)
        got = [int(x) for x in _all(U(word), U(mask))]
        zeros = (word & -word).bit_length() - 1 if word else 64
        places = [i for i in range(64) if mask >> i & 1]
        gathered = sum((word >> place & 1) << i for i, place in enumerate(places))
        spread = sum((word >> i & 1) << place for i, place in enumerate(places))
        assert got == [word.bit_count(), zeros, 64 - word.bit_length(), gathered, spread]
        assert [int(f(U(word), U(mask))) for f in _portable] == [gathered, spread]


def test_nth_set_bit() -> None:
    @compiled
    def nth(word: Any, n: Any) -> Any:
        return bits.nth_set_bit(word, n)

    assert [int(nth(U(0b1011000), U(i))) for i in range(3)] == [3, 4, 6]
