"""The random numbers of worlds: SplitMix64 in plain Python, identical to the kernels'."""

from __future__ import annotations

_64 = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
WORLD = 0x8EBC6AF09C88C6E3
"""Multiplier of a world's number, so that each world has its own random stream."""


def mixed(state: int) -> int:
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & _64
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & _64
    return state ^ (state >> 31)


def stepped(state: int) -> int:
    """The next state."""
    return (state + _STEP) & _64


def below(word: int, n: int) -> int:
    """A number from 0 to n - 1 from a random word."""
    return (word >> 32) * n >> 32


class WorldStream:
    """The random numbers of world `number` of `seed`."""

    def __init__(self, seed: int, number: int) -> None:
        self._state = mixed(mixed(seed & _64) ^ (number + 1) * WORLD & _64)

    def word(self) -> int:
        """64 random bits."""
        self._state = stepped(self._state)
        return mixed(self._state)

    def below(self, n: int) -> int:
        """A number from 0 to n - 1; for a pack of cards the bias is below 2**-25."""
        return below(self.word(), n)
