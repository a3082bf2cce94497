"""The bit primitives: the processor's instructions and the portable path give the same results."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from dasan.arrays import U
from dasan.kernels.runtime import bits
from dasan.kernels.runtime.compiled import compiled

pytestmark = pytest.mark.full


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


_spreads = [compiled(lambda word, out, i, at: bits.spread(word, out, i, at)), compiled(bits.portable_spread)]
_few = [compiled(lambda word, out, i, at: bits.spread_few(word, out, i, at)), compiled(bits.portable_spread_few)]
_gathers = [
    compiled(lambda word, offsets, first, base, out, i, at: bits.gather(word, offsets, first, base, out, i, at)),
    compiled(bits.portable_gather),
]


def test_spread_writes_a_byte_for_each_bit_and_nothing_else() -> None:
    rng = random.Random(2)
    for word in (0, 1, 1 << 63, (1 << 64) - 1, *(rng.getrandbits(64) for _ in range(50))):
        expected = [word >> k & 1 for k in range(64)]
        for spread in _spreads:
            for at in (0, 5, 26):
                out = np.full((3, 90), 7, np.uint8)
                spread(U(word), out, 1, at)
                assert out[1, at : at + 64].tolist() == expected
                assert (np.delete(out.reshape(-1), range(90 + at, 154 + at)) == 7).all()
            words = np.full((3, 9), 7, np.uint64)
            spread(U(word), words, 1, 1)
            assert words[1, 1:].view(np.uint8).tolist() == expected
            assert (words[[0, 2]] == 7).all()
            assert words[1, 0] == 7


def test_spread_few_writes_sixteen_bytes_and_nothing_else() -> None:
    rng = random.Random(4)
    for word in (0, 1, 1 << 15, (1 << 64) - 1, *(rng.getrandbits(64) for _ in range(50))):
        for spread in _few:
            for at in (0, 5, 24):
                out = np.full((3, 40), 7, np.uint8)
                spread(U(word), out, 1, at)
                assert out[1, at : at + 16].tolist() == [word >> k & 1 for k in range(16)]
                assert (np.delete(out.reshape(-1), range(40 + at, 56 + at)) == 7).all()


def test_gather_lists_the_set_bits() -> None:
    rng = random.Random(3)
    offsets = np.array([rng.randrange(256) for _ in range(128)], np.uint8)
    for word in (0, 1, 1 << 63, (1 << 64) - 1, (1 << 17) - 1, (1 << 33) - 1, *(rng.getrandbits(64) for _ in range(50))):
        expected = [1000 + int(offsets[64 + b]) for b in range(64) if word >> b & 1]
        for gather in _gathers:
            out = np.full((3, 140), -7, np.int16)
            end = 9 + len(expected)
            assert gather(U(word), offsets, 64, 1000, out, 1, 9) == end
            assert out[1, 9:end].tolist() == expected
            assert (out[[0, 2]] == -7).all()
            assert (out[1, :9] == -7).all()
            assert (out[1, end + 64 :] == -7).all()
