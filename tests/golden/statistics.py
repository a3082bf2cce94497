"""Statistics of random play; `python -m tests.golden.statistics` rewrites `statistics.txt`.

Every figure is a ratio of two sums over independent units (hands, or environments that play as many hands each), so that
its standard error follows from them.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

import dasan
from dasan import backends, vector
from dasan.play.action_ids import action_ids
from dasan.play.moves import MoveType
from dasan.play.phases import Phase

PINNED = Path(__file__).parent / "statistics.txt"
"""preset, figure, mean, standard error."""
ENVIRONMENTS, HANDS, SEED = 2_000, 100, 2026

COMPILED = tuple(
    preset
    for preset in dasan.PRESETS
    if any(backend.compiled and not refusal for backend, refusal in backends.report(dasan.rules(preset)))
)
"""The presets that compiled code plays: without it the figures take hours."""

Figures = dict[str, tuple[float, float]]


def names(players: int) -> list[str]:
    return ["plies", "leading", "following", *(f"seat-{k}-first-out" for k in range(players))]


def ratio(above: Any, below: Any) -> tuple[float, float]:
    """The mean and the standard error of sum(above) / sum(below), over units."""
    above, below = np.asarray(above, float), np.asarray(below, float)
    mean = above.sum() / below.sum()
    n = len(above)
    return float(mean), float(np.sqrt(((above - mean * below) ** 2).sum() * n / (n - 1)) / below.sum())


def figures(hands: Any, plies: Any, leads: Any, follows: Any, lead_moves: Any, follow_moves: Any, wins: Any) -> Figures:
    """plies: of a hand. leading, following: legal moves. seat-k-first-out: how often the k-th seat after the first to act
    is the first out. All arguments by unit; wins [unit, seats].
    """
    pairs = [(plies, hands), (lead_moves, leads), (follow_moves, follows), *((column, hands) for column in wins.T)]
    return {name: ratio(*pair) for name, pair in zip(names(wins.shape[1]), pairs, strict=True)}


def by_kernels(preset: str, environments: int, hands: int, seed: int) -> Figures:
    """The first `hands` hands of every environment."""
    env = vector.make(preset, environments, seed, observations=False)
    n, players = environments, env.num_players
    over, plies, leads, follows, lead_moves, follow_moves = (np.zeros(n, np.int64) for _ in range(6))
    wins = np.zeros((n, players), np.int64)
    first = env.to_act.astype(np.int64)
    counts = np.ones(n, bool)
    while counts.any():
        passing = env.mask[:, 0]
        playing = in_play(env)
        lead, follow = counts & playing & ~passing, counts & playing & passing
        plies += counts
        leads += lead
        follows += follow
        lead_moves += lead * env.num_legal
        follow_moves += follow * env.num_legal
        env.step(env.sample())
        ended = np.flatnonzero(env.done & counts)
        won = env.places[ended] == 1
        wins[ended, (won.argmax(axis=1) - first[ended]) % players] += won.any(axis=1)
        over[ended] += 1
        first = np.where(env.done, env.to_act, first)
        counts = over < hands
    return figures(over, plies, leads, follows, lead_moves, follow_moves, wins)


def in_play(env: vector.VectorEnv) -> Any:
    """Whether each environment is past the auction and the call: one of the first two legal moves is a play, because
    one may be the pass; or only the pass is legal.
    """
    plays = env.legal[:, :2].max(axis=1, initial=0, where=np.arange(2) < env.num_legal[:, None]) >= env.ids.rows
    return plays | ((env.num_legal == 1) & env.mask[:, 0])


def by_engine(preset: str, hands: int, seed: int) -> Figures:
    rules = dasan.rules(preset)
    source = random.Random(seed)
    plies, leads, follows, lead_moves, follow_moves = ([0] * hands for _ in range(5))
    wins = np.zeros((hands, rules.players), np.int64)
    for hand in range(hands):
        state = dasan.deal(rules, seed=source.randrange(1 << 32))
        first = state.to_act or 0
        while state.result is None:
            moves = state.legal_moves()
            plies[hand] += 1
            if state.phase is Phase.PLAY:
                following = state.table is not None
                (follows if following else leads)[hand] += 1
                ids = {action_ids(rules).of(move, state.called) for move in moves}
                assert following == any(move.type is MoveType.PASS for move in moves)
                (follow_moves if following else lead_moves)[hand] += len(ids)
            state = state.play(source.choice(moves))
        if state.result.finish_order:
            wins[hand, (state.result.finish_order[0] - first) % rules.players] += 1
    return figures(np.ones(hands), plies, leads, follows, lead_moves, follow_moves, wins)


def pinned() -> dict[str, Figures]:
    out: dict[str, Figures] = {}
    for line in PINNED.read_text().splitlines():
        preset, name, mean, error = line.split()
        out.setdefault(preset, {})[name] = (float(mean), float(error))
    return out


def main() -> None:
    rows = [
        f"{preset} {name} {mean:.5f} {error:.5f}"
        for preset in COMPILED
        for name, (mean, error) in by_kernels(preset, ENVIRONMENTS, HANDS, SEED).items()
    ]
    PINNED.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
