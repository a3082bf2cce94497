"""SplitMix64 random numbers: a 64-bit state that advances by a constant and is mixed (Steele, Lea, Flood 2014)."""

from __future__ import annotations

import numpy as np

from dasan.kernels.runtime.compiled import inlined, woven

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_HAND = np.uint64(0xA0761D6478BD642F)
_WORLD = np.uint64(0x8EBC6AF09C88C6E3)
_ONE = np.uint64(1)
_32 = np.uint64(32)


@inlined
def mixed(state: np.uint64) -> np.uint64:
    """The random word of a state."""
    word = (state ^ (state >> np.uint64(30))) * _MIX1
    word = (word ^ (word >> np.uint64(27))) * _MIX2
    return word ^ (word >> np.uint64(31))


@inlined
def stepped(state: np.uint64) -> np.uint64:
    """The next state."""
    return state + _STEP


@inlined
def below(word: np.uint64, n: np.uint64) -> np.uint64:
    """A number from 0 to n - 1 from a random word; for n < 1,000 the bias is at most n / 2**32."""
    return ((word >> _32) * n) >> _32


@woven
def draw(state: np.uint64, word: np.uint64, at: int, cards: int) -> tuple[np.uint64, np.uint64, int]:
    """A random place from `at` to `cards` - 1 of a pack. A random word serves two draws: an even `at` takes a new one, an odd
    one its lower half. Returns the state, the word and the place.
    """
    if at & 1:
        word <<= _32
    else:
        state = stepped(state)
        word = mixed(state)
    return state, word, at + np.int64(below(word, np.uint64(cards - at)))  # type: ignore[return-value]


@inlined
def hand_state(seed: np.uint64, number: int) -> np.uint64:
    """The state from which hand `number` of a seed is dealt."""
    return mixed(seed ^ (np.uint64(number) * _HAND))


@inlined
def world_state(seed: np.uint64, number: int) -> np.uint64:
    """The initial state of world `number` of a seed, counted from 0."""
    return mixed(seed ^ ((np.uint64(number) + _ONE) * _WORLD))
