"""Bots by name. Each is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable

from dasan.bots.protocol import Bot


def _random(seed: int) -> Bot:
    from dasan.bots.random_bot import RandomBot

    return RandomBot(seed)


def _greedy(seed: int) -> Bot:
    from dasan.bots.greedy import GreedyBot

    return GreedyBot()


def _thrifty(seed: int) -> Bot:
    from dasan.bots.thrifty import ThriftyBot

    return ThriftyBot()


BOTS: dict[str, Callable[[int], Bot]] = {"random": _random, "thrifty": _thrifty, "greedy": _greedy}
"""How to make each bot, from a seed."""


def bot(name: str, *, seed: int = 0) -> Bot:
    """The bot called `name`; ValueError if there is none. `seed` matters to those that draw lots.

    >>> import dasan
    >>> state = dasan.deal(dasan.rules("big-two"), seed=7)
    >>> bot("greedy").choose(state.view(state.to_act)) in state.legal_moves()
    True
    """
    make = BOTS.get(name)
    if make is None:
        raise ValueError(f"there is no bot {name!r}; there are {', '.join(BOTS)}")
    return make(seed)


__all__ = ["BOTS", "Bot", "bot"]
