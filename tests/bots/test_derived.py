"""Derived features: the same as counted from the cards themselves, one view at a time and in batches."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import dasan
from dasan.bots.derived import derived
from dasan.bots.network import Network, Shape, fresh
from dasan.bots.scoring import Scorer
from dasan.features import Feature, encode, encode_moves, move_size, observation_size
from dasan.play.action_ids import action_ids

GAMES = {
    "big-three": dasan.rules("big-three"),
    "big-three-4p": dasan.rules("big-three-4p"),
    "big-two": dasan.rules("big-two"),
    "winner": dasan.rules("winner"),
    "winner of two decks": dasan.rules("winner", players=6, decks=2),
    "winner with jokers": dasan.rules("winner", jokers=True),
}


def part(row: np.ndarray, features: tuple[Feature, ...], name: str) -> list[int]:
    """The numbers of a feature."""
    found = next(f for f in features if f.name == name)
    return [int(n) for n in row[found.start : found.start + found.size]]


def places(flags: list[int]) -> list[int]:
    """Which flags are 1."""
    return [i for i, flag in enumerate(flags) if flag]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_what_others_may_hold_and_what_stays_are_counted_from_the_cards(game: str, seed: int) -> None:
    rules = GAMES[game]
    whole = Counter(rules.order.place[c][0] for c in rules.pack)
    many = max(whole.values())
    in_runs = {
        kind: {rank for row in rules.catalogue.rows if row.kind == kind for rank, _ in row.pattern.counts}
        for kind in ("straight", "pair-run")
    }
    sizes = {kind: [row.size for row in rules.catalogue.rows if row.kind == kind] for kind in ("straight", "pair-run")}
    shortest = {kind: min(found, default=99) for kind, found in sizes.items()}
    features, place, ids = derived(rules), rules.order.place, action_ids(rules)
    state, thrifty = dasan.deal(rules, seed=seed), dasan.bot("thrifty")
    seen = 0
    while state.to_act is not None:
        view = state.view(state.to_act)
        rows = encode_moves(view)
        moves = list(view.legal_moves())
        obs, longer = features.of(encode(view), [rows[ids.of(move, view.called)] for move in moves])
        assert obs[0, : len(encode(view))].tolist() == encode(view)
        plays = [event.cards for event in view.events if event.type.value == "play"]
        gone = Counter(place[c][0] for cards in plays for c in cards if c is not None)
        mine = Counter(place[c][0] for c in view.hand)
        unseen = {rank: n - gone[rank] - mine[rank] for rank, n in sorted(whole.items())}
        assert places(part(obs[0], features.observation, "unseen")) == [many * r + n - 1 for r, n in unseen.items() if n]
        for move, row in zip(moves, longer, strict=True):
            assert row[: len(rows[ids.of(move, view.called)])].tolist() == rows[ids.of(move, view.called)]
            kept = mine - Counter(place[c][0] for c in (move.cards if move.combination else ()))
            weak = {r: any(unseen[higher] >= n for higher in range(r + 1, len(whole))) for r, n in kept.items()}
            assert places(part(row, features.move, "kept")) == sorted(
                2 * (many * r + n - 1) + weak[r] for r, n in kept.items()
            )
            assert places(part(row, features.move, "groups")) == [min(15, len(kept))]
            assert places(part(row, features.move, "beatable")) == [min(15, sum(weak.values()))]
            for name, least, long, used in (
                ("in_straights", 1, shortest["straight"], in_runs["straight"]),
                ("in_pair_runs", 2, shortest["pair-run"] // 2, in_runs["pair-run"]),
            ):
                runs = [range(a, a + long) for a in range(len(whole) - long + 1)]
                full = [run for run in runs if all(kept[rank] >= least and rank in used for rank in run)]
                assert places(part(row, features.move, name)) == sorted({rank for run in full for rank in run})
            seen += 1
        state = state.play(thrifty.choose(view))
    assert seen > 50


@pytest.mark.parametrize(
    ("held", "plays"), [((0, 1, 2, 3, 4, 8), 2), ((0, 0, 1, 2, 3, 4, 8), 3), ((0, 1, 8), 3), ((), 0)]
)
def test_a_straight_saves_plays(held: tuple[int, ...], plays: int) -> None:
    """Ranks of a straight are one play, but for those of which a card is left."""
    rules = dasan.rules("big-three")
    features = derived(rules)
    hand = next(f.start for f in features.observation if f.name == "hand")
    obs = [0] * observation_size(rules)
    for rank, n in Counter(held).items():
        for k in range(n):
            obs[hand + 13 * k + rank] = 1
    _, rows = features.of(obs, [[0] * move_size(rules)])
    assert places(part(rows[0], features.move, "plays")) == [plays]


@pytest.mark.parametrize("game", GAMES)
def test_a_view_and_a_batch_get_the_same_scores(game: str) -> None:
    rules = GAMES[game]
    features = derived(rules)
    shape = Shape(features.observation_size, features.move_size, 16, 8)
    network = Network({name: part.copy() for name, part in shape.views(fresh(shape, np.random.default_rng(1))).items()})
    env = dasan.vector.make(rules, 5, seed=3, moves="ragged")
    scorer = Scorer()
    for _ in range(12):
        env.step(env.thrifty())
    short = {**network.weights, "w_obs": network.weights["w_obs"][:-8]}
    with pytest.raises(ValueError, match="features of other rules"):
        scorer(env, np.arange(5), short)
    scores = scorer(env, np.arange(5), network.weights)
    assert env.obs is not None
    assert env.moves is not None
    assert env.move_starts is not None
    for i in range(5):
        rows = env.moves[env.move_starts[i] : env.move_starts[i + 1]]
        longer = features.of(env.obs[i].tolist(), rows.tolist())
        assert scores.rows[scores.begin[i] : scores.begin[i + 1]] == pytest.approx(network.score(*longer), abs=1e-4)
        obs, moves = scores.read(np.full(len(rows), i), np.arange(scores.begin[i], scores.begin[i + 1]))
        assert (obs == longer[0]).all()
        assert (moves == longer[1]).all()
