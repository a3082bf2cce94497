"""Bots by name, including those of installed packages. dasan's own bots are imported on first use."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import signature
from typing import NamedTuple

from dasan.arguments import WrongType, shown, whole
from dasan.bots.characters import CHARACTERS, Character, at_level
from dasan.bots.protocol import Bot, ExplainingBot
from dasan.networks import NETWORK
from dasan.registry import Registry
from dasan.ruleset.rules import Rules

Maker = Callable[[int], Bot]
GROUP = "dasan.bots"
"""The entry points of this group are functions that make another package's bot from a seed."""


class _Player(NamedTuple):
    """A bot of dasan. module, kind: the file and the class. seeded: whether it draws random numbers, and so takes a seed.
    about: see `ABOUT`.
    """

    module: str
    kind: str
    seeded: bool
    about: str

    def make(self, seed: int) -> ExplainingBot:
        make: Callable[..., ExplainingBot] = getattr(import_module(f"dasan.bots.{self.module}"), self.kind)
        return make(seed) if self.seeded else make()


PROGRAM = "cmd:"
"""The prefix of a program's command where bots are named, see `dasan.bots.external.program.player`."""

_PLAYERS = {
    "random": _Player("random_bot", "RandomBot", True, "plays anything legal"),
    "low": _Player("simple", "LowBot", False, "plays its lowest card"),
    "shed": _Player("simple", "ShedBot", False, "plays as many cards as it can"),
    "thrifty": _Player("thrifty", "ThriftyBot", False, "sheds low cards first and keeps high ones"),
    "greedy": _Player("greedy", "GreedyBot", False, "plans how to empty its hand in few turns"),
    "search": _Player("search", "SearchBot", True, "plays many deals in its head before it moves"),
    "net": _Player("net", "NetBot", False, "learned by playing against itself"),
    "strong": _Player("search", "StrongBot", True, "the strongest bot here"),
}

_OWN: dict[str, Callable[[int], ExplainingBot]] = {
    **{name: player.make for name, player in _PLAYERS.items()},
    **{character.bot: partial(at_level, character.level) for character in CHARACTERS},
}

ABOUT: dict[str, str] = {
    **{name: player.about for name, player in _PLAYERS.items()},
    **{character.bot: character.line for character in CHARACTERS},
}
"""By name, what each of dasan's own bots does: a phrase for people who choose an opponent, to follow the bot's name."""


def register(name: str, make: Maker) -> None:
    """Add a bot. make: a function of a seed. ValueError: the name is taken or malformed. TypeError: the name is not a string,
    or `make` is not a function of a seed.
    """
    BOTS.add(name, maker(make))


def maker(make: Maker) -> Maker:
    """`make`, checked to be a function of a seed as far as its signature is known. TypeError: it is not."""
    try:
        if callable(make):
            signature(make).bind(0)
            return make
    except TypeError:
        pass
    except ValueError:  # code in C may have no signature
        return make
    raise WrongType(f"a bot is made by a function of a seed, such as lambda seed: MyBot(), not by {shown(make)}")


BOTS: Registry[Maker] = Registry("bot", GROUP, _OWN, register)
"""By name, a function that makes the bot from a seed."""


def bot(name: str, *, seed: int = 0, rules: Rules | None = None) -> ExplainingBot:
    """The bot called `name`: one of `BOTS`, or `net:` and a network, which is one of the package by its name, or a file that
    `dasan train` wrote, or the folder of its run. Never pass an untrusted name: it may be any file. seed: for bots that use
    random numbers. rules: those that it is to play; a network for another game is refused before its first move.

    ValueError: there is no such bot, its network is unreadable or cannot play `rules`, or another package's function does not
    return a bot. OSError: the file of its network cannot be read. TypeError: the seed is not a whole number.

    >>> import dasan
    >>> state = dasan.deal(dasan.rules("big-two"), seed=7)
    >>> bot("greedy").choose(state.view(state.to_act)) in state.legal_moves()
    True
    """
    seed = whole(seed, "a seed")
    if not isinstance(name, str):
        raise WrongType(f"a bot is named by a text, such as 'greedy', not by {shown(name)}")
    if name.startswith(NETWORK):
        from dasan.bots.net import NetworkBot

        network = NetworkBot(name)
        if rules is not None:
            network.check(rules)
        return network
    if name.startswith(PROGRAM):
        raise ValueError(f"{shown(name)} is a program, which plays in dasan arena, dasan evaluate and dasan generate")
    if name in _OWN:
        return _OWN[name](seed)
    make = BOTS.get(name)
    if make is None:
        raise ValueError(f"there is no bot {shown(name)}; there are {', '.join(BOTS)}")
    made = make(seed)
    if isinstance(made, ExplainingBot):
        return made
    if not isinstance(made, Bot):
        raise ValueError(f"{name} does not make a bot: a bot has a name, a version and choose(view)")
    from dasan.bots.facts import Explained

    return Explained(made)


__all__ = [
    "ABOUT",
    "BOTS",
    "CHARACTERS",
    "GROUP",
    "PROGRAM",
    "Bot",
    "Character",
    "ExplainingBot",
    "Maker",
    "bot",
    "maker",
    "register",
]
