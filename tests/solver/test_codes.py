"""Proof numbers in 24 bits."""

from __future__ import annotations

import random

import pytest

from dasan.arrays import U
from dasan.kernels.proofs.transpositions import CODES, INFINITE, LARGEST, coded, decoded


@pytest.mark.full
def test_codes_of_numbers() -> None:
    """Exact below 2 ** 20, then rounded up by less than one part in 2 ** 19; in the order of the numbers."""
    source = random.Random(3)
    numbers = [0, 1, 2**20 - 1, 2**20, 2**20 + 1, 2**21 - 1, 2**21 + 1, LARGEST - 1, LARGEST, INFINITE]
    numbers += [source.getrandbits(source.randrange(1, 50)) for _ in range(2_000)]
    numbers.sort()
    codes = [int(coded(number)) for number in numbers]
    assert codes == sorted(codes)
    assert codes[-1] == CODES
    for number, code in zip(numbers, codes, strict=True):
        back = int(decoded(U(code)))
        assert back == number if number < 2**20 else number <= back <= number + (number >> 19)
        assert int(coded(back)) == code
