"""Whole hands from the deal to the payments, for statistics: only results are kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dasan.arguments import MOST_WORKERS, WrongType, quantity, shown, whole
from dasan.arrays import Bytes, Ints, Longs
from dasan.backends import Purpose, Wanted, choose
from dasan.games import rules_of
from dasan.memory import require_memory
from dasan.ruleset.policies import OptionValue
from dasan.ruleset.rules import Rules

MOST_HANDS = (1 << 31) - 1


@dataclass(frozen=True, eq=False)
class Playouts:
    """The results of whole hands, in the order of their numbers.

    - payments: int64 [hands, seats], the payment to each seat in units.
    - places: uint8 [hands, seats], 1 for the first out, as in `VectorEnv.places`; all 0 for void hands (H.12).
    - plies: int32 [hands], the number of bids, calls, plays and passes; 0 if the deal decides (H.31).
    - backend: the name of the code that played, as in `VectorEnv.backend`.
    """

    payments: Longs
    places: Bytes
    plies: Ints
    backend: str

    def __repr__(self) -> str:
        return f"<Playouts of {len(self)} hands, played by {self.backend}>"

    def __len__(self) -> int:
        return len(self.plies)


def playouts(
    preset: str | Rules,
    hands: int,
    seed: int = 0,
    *,
    policy: Literal["random"] = "random",
    first: int = 0,
    threads: int = 1,
    backend: Wanted = "auto",
    **options: OptionValue,
) -> Playouts:
    """Deal and play `hands` whole hands of `preset` with `options`, and return their results.

    Only results are written, so this is several times as fast as `make`. Every hand is a first hand, without the
    exchange of a session. A hand depends only on the seed, its number and the backend, never on `hands`, `first` or
    `threads`.

    - preset, backend, options: as for `make`.
    - hands: the number of hands, at least 0. first: the number of the first, from 0.
    - seed: taken modulo 2 ** 64.
    - policy: "random": every legal move is equally likely.
    - threads: the number of threads that share the hands, at least 1.

    >>> import dasan
    >>> done = dasan.vector.playouts("dou-dizhu", 1000, seed=7)
    >>> done.payments.shape, int(done.payments.sum()), len(done)
    ((1000, 3), 0, 1000)

    ValueError: as for `make`; a number is out of range; or there is no such policy.
    """
    from dasan.kernels.env.code import code_of
    from dasan.kernels.env.results import HandResults, new_results

    rules = rules_of(preset, options)
    hands, first = whole(hands, "hands", 0, MOST_HANDS), whole(first, "first", 0, MOST_HANDS)
    seed = whole(seed, "a seed")
    threads = whole(threads, "threads", 1, MOST_WORKERS)
    if not isinstance(policy, str) or policy != "random":
        raise (ValueError if isinstance(policy, str) else WrongType)(f'policy is "random", not {shown(policy)}')
    chosen = choose(rules, Purpose.ENVIRONMENTS, backend)
    code = code_of(chosen).whole
    tables = code.hand_tables(rules)
    require_memory(hands * (9 * rules.players + 4), f"the results of {quantity(hands, 'hand')} of {rules.name}")
    results = new_results(hands, rules.players)

    def play(start: int, end: int) -> None:
        payments, places, plies = results
        share = HandResults(payments[start:end], places[start:end], plies[start:end])
        code.random_hands(first + start, np.uint64(seed % 2**64), *tables, share)

    if threads == 1 or not chosen.compiled:
        play(0, hands)
    else:
        ends = [hands * k // threads for k in range(threads + 1)]
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(play, ends[:-1], ends[1:]))
    return Playouts(*results, chosen.name)
