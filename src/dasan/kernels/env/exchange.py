"""Winner's exchange between two hands of a session (W.20), the compiled counterpart of `dasan.play.exchange`.

Cards are bits 4 × rank + suit of the words that `kernels.patterns.env` keeps; their places in an action id are 0 to 53, the red
joker (bit 56) at 53.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dasan.arrays import Ints, U, Words
from dasan.kernels.env.buffers import signed
from dasan.kernels.runtime.bits import leading_zeros, trailing_zeros
from dasan.kernels.runtime.compiled import apart, woven

_0, _1 = U(0), U(1)

ONE, TWO, PHASE, SEAT = 0, 8, 34, 35
EX_WINNER, EX_LOSER, GIVEN, OFFER_1, OFFER_2, TAKEN = 50, 51, 52, 53, 54, 55
GIVING, OFFERING, TAKING, PLAYING = 0, 1, 2, 3


@woven
def _slot(bit: int) -> int:
    return bit if bit < 53 else 53


@woven
def _bit(slot: int) -> int:
    return slot if slot < 53 else 56


@woven
def _hand_over(row: Words, giver: int, taker: int, slot: int) -> None:
    """Move a card from the hand of `giver` to that of `taker`."""
    bit = _1 << U(_bit(slot))
    if row[TWO + giver] & bit != _0:
        row[TWO + giver] ^= bit
    else:
        row[ONE + giver] ^= bit
    row[TWO + taker] |= row[ONE + taker] & bit
    row[ONE + taker] |= bit


@apart
def exchange(row: Words, action: int, gives: int, pairs: int, takes: int, pair_cards: Ints) -> None:
    """Carry out a legal give, offer or take (W.20). After the take the phase is PLAYING."""
    winner, loser = signed(row[EX_WINNER]), signed(row[EX_LOSER])
    if row[PHASE] == GIVING:
        row[GIVEN] = action - gives
        _hand_over(row, loser, winner, action - gives)
        row[PHASE] = OFFERING
        row[SEAT] = winner
    elif row[PHASE] == OFFERING:
        cards = pair_cards[action - pairs]
        first, second = _1 << U(_bit(cards // 54)), _1 << U(_bit(cards % 54))
        row[OFFER_1] = first | second
        row[OFFER_2] = first & second
        row[PHASE] = TAKING
        row[SEAT] = loser
    else:
        row[TAKEN] = action - takes
        _hand_over(row, winner, loser, action - takes)
        row[PHASE] = PLAYING


@apart
def list_exchanges(
    i: int,
    row: Words,
    legal: npt.NDArray[np.int16],
    num_legal: Ints,
    suits_ranked: bool,
    gives: int,
    takes: int,
    pair_ids: Ints,
) -> None:
    """Write the legal gives, offers or takes of environment `i` into `legal` and `num_legal`."""
    winner, loser = signed(row[EX_WINNER]), signed(row[EX_LOSER])
    n = 0
    if row[PHASE] == GIVING:
        highest = 63 - signed(leading_zeros(row[ONE + loser]))
        cards = _1 << U(highest)
        if not suits_ranked:
            cards = row[ONE + loser] & (U(15) << U(highest & ~3))
        while cards != _0:
            legal[i, n] = gives + _slot(signed(trailing_zeros(cards)))
            cards &= cards - _1
            n += 1
    elif row[PHASE] == OFFERING:
        one, two = row[ONE + winner], row[TWO + winner]
        given = _1 << U(_bit(signed(row[GIVEN])))
        if two & given != _0:
            two ^= given
        else:
            one ^= given
        while one != _0:
            first = signed(trailing_zeros(one))
            if (two >> U(first)) & _1 != _0:
                legal[i, n] = pair_ids[55 * _slot(first)]
                n += 1
            one &= one - _1
            rest = one
            while rest != _0:
                legal[i, n] = pair_ids[54 * _slot(first) + _slot(signed(trailing_zeros(rest)))]
                rest &= rest - _1
                n += 1
    else:
        cards = row[OFFER_1]
        while cards != _0:
            legal[i, n] = takes + _slot(signed(trailing_zeros(cards)))
            cards &= cards - _1
            n += 1
    num_legal[i] = n
