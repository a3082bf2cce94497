"""Opponents other than the learner, in a share of the environments.

A network that plays only itself may be weak against others. The pool teaches it to exploit other players.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dasan.arrays import Flags, Floats, Ints, Longs
from dasan.learn.config import Config
from dasan.networks import NETWORK
from dasan.networks.network import Network
from dasan.networks.scoring import Scorer
from dasan.networks.source import Source, find
from dasan.networks.trained import adapted, check_suits, fitted, load
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules
from dasan.vector import VectorEnv
from dasan.whole_file import whole_file

POOL = ("low", "shed", "thrifty", "past", "net")
"""The possible members of a pool, beside `net:` and a network: bots by name, the average of the run's weights when the
epoch began (with policy gradients, the round), and the package's network for the rules."""
_LAST = np.iinfo(np.int64).max


class MemberFailed(ValueError):
    """A member of the pool is a network that cannot be read, was trained for another game, or has changed since the run
    began.
    """


def noted(config: Config) -> Config:
    """`config` with the SHA-256 of each network of the pool. The member `net` is named after its network, if all games have the
    same one. `MemberFailed`: a file cannot be read.
    """
    pool = config.pool
    if "net" in pool:
        packages = [fitted(game.rules()) for game in config.games()]
        names = {None if package is None else package.trained.name for package in packages}
        if len(names) == 1 and None not in names:
            pool = tuple(f"{NETWORK}{names.copy().pop()}" if name == "net" else name for name in pool)
    digests = {name: _source(name).digest for name in pool if name.startswith(NETWORK)}
    return replace(config, pool=pool, pooled=digests | config.pooled)


def keep_copies(config: Config, folder: Path, copies: Mapping[str, str]) -> dict[str, str]:
    """Write the networks of the pool into `folder`, with their model cards, so that the run can go on if they change. Each is
    named by the SHA-256 that the run has noted. A network that has changed already, is gone, or cannot be saved is left out.

    copies: by that SHA-256 the SHA-256 of the copy, as far as the run knows it. Returns these and those of further copies.
    """
    known = dict(copies)
    for name, digest in config.pooled.items():
        copy = folder / f"{digest}.npz"
        with suppress(ValueError):
            if not copy.exists() and (source := _source(name)).digest == digest:
                folder.mkdir(exist_ok=True)
                with whole_file(copy) as stream:
                    replace(source.network, card=source.card).save(stream)
            if digest not in known and copy.exists():
                known[digest] = _source(f"{NETWORK}{copy}").digest
    return known


def from_copies(config: Config, folder: Path, copies: Mapping[str, str]) -> Config:
    """`config` with the copy in `folder` in place of each network of the pool that has changed since the run began, or is gone.
    copies: as in `keep_copies`. `MemberFailed`: there is no copy, or it has changed too.
    """
    replaced: dict[str, str] = {}
    for name, digest in config.pooled.items():
        try:
            fault = "" if (source := _source(name)).digest == digest else _changed(name, source.digest, digest)
        except MemberFailed as error:
            fault = str(error)
        copy = folder / f"{digest}.npz"
        if fault and not copy.exists():
            raise MemberFailed(f"{fault}; to go on, save the network that it began with, with its model card, as {copy}")
        if fault:
            replaced[name] = f"{NETWORK}{copy}"
            if digest in copies and _source(replaced[name]).digest != copies[digest]:
                raise MemberFailed(f"{fault}; and its copy {copy} has changed since it was written")
    pooled = {name: digest for name, digest in config.pooled.items() if name not in replaced}
    return replace(config, pool=tuple(replaced.get(name, name) for name in config.pool), pooled=pooled)


def _changed(name: str, digest: str, was: str) -> str:
    return (
        f"the pool's member {name} is not the network that this run began with: its SHA-256 is {digest[:8]}…, and was"
        f" {was[:8]}…"
    )


class Simple:
    """Vectorized versions of the bots `low` and `shed`, with the same moves."""

    def __init__(self, rules: Rules, session: bool) -> None:
        ids = action_ids(rules, session)
        place = {c: i for i, c in enumerate(rules.order.hand(dict.fromkeys(rules.pack)))}
        size = np.zeros(ids.count, np.int64)
        lowest = np.zeros(ids.count, np.int64)
        height = np.zeros(ids.count, np.int64)
        heights = sorted({(row.power, row.strength) for row in rules.catalogue.rows})
        order = {key: i + 1 for i, key in enumerate(heights)}
        for row in rules.catalogue.rows:
            i = ids.rows + row.id
            size[i] = row.size
            height[i] = order[row.power, row.strength]
            lowest[i] = (
                min(place[c] for c in row.cards)
                if row.cards is not None
                else min(r for r, _ in row.pattern.counts) * len(rules.suits)
            )
        self._size, self._lowest, self._height = size, lowest, height

    def choose(self, name: str, env: VectorEnv, envs: Longs) -> Ints:
        """int32 [len(envs)]: the action of each environment."""
        legal = env.legal[envs].astype(np.int64)
        there = np.arange(legal.shape[1]) < env.num_legal[envs, None]
        legal = np.where(there, legal, 0)
        size = self._size[legal]
        plays = there & (size > 0)
        leads = ~(legal == 0).any(axis=1, where=there) & plays.any(axis=1)
        key = self._height[legal]
        span = np.int64(self._height.max() + 1)
        if name == "low":
            ahead = size
        else:
            lowest = np.where(plays, self._lowest[legal], _LAST)
            plays &= ~leads[:, None] | (lowest == lowest.min(axis=1, keepdims=True))
            ahead = self._size.max() - size
        key = np.where(leads[:, None], key + span * ahead, key)
        key = key * len(self._height) + legal  # the lowest id on ties, as among a view's legal moves
        best = np.where(plays, key, _LAST).argmin(axis=1)
        silent = ~plays.any(axis=1)
        best[silent] = (there & (legal == 0))[silent].argmax(axis=1)  # pass, or the first move if it may not pass
        actions: Ints = env.legal[envs, best].astype(np.int32)
        return actions


class Pool:
    """The player of each seat. In the first `share` of the environments the learner has one seat and a member of the
    pool the others; in the rest the learner plays every seat.

    ValueError: an unknown member, or a share without members. `MemberFailed`: the network of a member cannot be read, was
    trained for another game, or is not that of `config.pooled`.
    """

    def __init__(self, config: Config) -> None:
        rules, session, members, share = config.rules(), config.session, config.pool, config.share
        unknown = [name for name in members if name not in POOL and not name.startswith(NETWORK)]
        if unknown or not 0 <= share <= 1 or (share and not members):
            raise ValueError(
                f"a pool has members among {', '.join(POOL)} and networks such as net:FILE, and a share from 0 to 1"
            )
        self._frozen = {
            name: _frozen(name, rules, session, config.pooled.get(name)).weights
            for name in members
            if name == "net" or name.startswith(NETWORK)
        }
        self._simple = Simple(rules, session) if share else None
        self._members = members
        mixed = round(share * config.envs / config.branches)
        every = np.arange(config.envs) // config.branches
        self._seat = np.where(every < mixed, every % rules.players, -1).astype(np.int8)
        self._member = every // rules.players % max(1, len(members))

    def others(self, envs: Longs, seats: npt.NDArray[np.int8]) -> Flags:
        """bool [len(envs)]: whether the seat to act, in `seats`, belongs to a member of the pool."""
        mine = self._seat[envs]
        out: Flags = (mine >= 0) & (mine != seats)
        return out

    def choose(self, env: VectorEnv, envs: Longs, past: Mapping[str, Floats], scorer: Scorer) -> Ints:
        """int32 [len(envs)]: the actions of the pool's members. past: the weights of the member `past`."""
        out = np.zeros(len(envs), np.int32)
        for k, name in enumerate(self._members):
            where = np.flatnonzero(self._member[envs] == k)
            if not len(where):
                continue
            weights = past if name == "past" else self._frozen.get(name)
            if weights is not None:
                scores = scorer(env, envs[where], weights)
                out[where] = env.legal[envs[where], scores.best() - scores.begin[:-1]]
            elif name == "thrifty":
                out[where] = env.thrifty()[envs[where]]
            elif self._simple is not None:
                out[where] = self._simple.choose(name, env, envs[where])
        return out


def _source(name: str) -> Source:
    try:
        return find(name)
    except OSError as error:
        raise MemberFailed(f"cannot read the network of {name}: {error.strerror or error}") from error
    except ValueError as error:
        raise MemberFailed(str(error)) from error


def _frozen(name: str, rules: Rules, session: bool, digest: str | None) -> Network:
    """The network of a member: the package's for `rules`, or the named one, which has this digest; None: any."""
    if name == "net":
        package = fitted(rules)
        if package is None:
            raise MemberFailed("the pool's member net is the package's network, which has none for these rules")
        trained = package.trained
    else:
        source = _source(name)
        if digest is not None and digest != source.digest:
            raise MemberFailed(_changed(name, source.digest, digest))
        try:
            trained = source.trained(rules)
            check_suits(trained, rules, name)
        except ValueError as error:
            raise MemberFailed(str(error)) from error
    return adapted(load(trained), trained, rules, trained.reads._replace(session=session))
