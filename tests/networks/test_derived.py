"""Derived features equal counts made from the cards themselves, for one view at a time and in batches."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
import pytest

import dasan
from dasan.features import Feature, encode, encode_moves, move_size, observation_size
from dasan.features.cards import ranks
from dasan.networks.derived import Reads, derived, fitting
from dasan.networks.network import LayerSizes, Network, fresh
from dasan.networks.scoring import Scorer
from dasan.play.action_ids import action_ids

pytestmark = pytest.mark.full

CHARLESWORTH = dasan.rules("big-two", triples=True, two_pairs=True, fours=True, straights="hong-kong", guard="off")
GAMES = {
    "big-three": dasan.rules("big-three"),
    "big-three-4p": dasan.rules("big-three-4p"),
    "big-two": dasan.rules("big-two"),
    "winner": dasan.rules("winner"),
    "winner of two decks": dasan.rules("winner", players=6, decks=2),
    "winner with jokers": dasan.rules("winner", jokers=True),
    "big-two with two pairs": CHARLESWORTH,
    "dou-dizhu": dasan.rules("dou-dizhu"),
    "a tiny pack of suits": dasan.rules("big-two-tiny"),
    "a small pack": dasan.rules("big-three-small"),
}


def part(row: np.ndarray, features: tuple[Feature, ...], name: str) -> list[int]:
    """The numbers of a feature."""
    feature = next(f for f in features if f.name == name)
    return [int(n) for n in row[feature.start : feature.start + feature.size]]


def places(flags: list[int]) -> list[int]:
    """Which flags are 1."""
    return [i for i, flag in enumerate(flags) if flag]


@pytest.mark.sampled(10, 10)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_what_others_may_hold_and_what_stays_are_counted_from_the_cards(game: str, seed: int) -> None:
    rules = GAMES[game]
    whole = Counter(rules.order.place[c][0] for c in rules.pack)
    many = len(rules.suits) * rules.decks
    in_runs = {
        kind: {rank for row in rules.catalogue.rows if row.kind == kind for rank, _ in row.pattern.counts}
        for kind in ("straight", "pair-run")
    }
    sizes = {kind: [row.size for row in rules.catalogue.rows if row.kind == kind] for kind in ("straight", "pair-run")}
    shortest = {kind: min(size, default=99) for kind, size in sizes.items()}
    features, place, ids = derived(rules, Reads(answers=True)), rules.order.place, action_ids(rules)
    two_pairs = any(row.kind == "two-pair" for row in rules.catalogue.rows)
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
        unseen = {rank: whole[rank] - gone[rank] - mine[rank] for rank in range(max(whole) + 1)}
        assert places(part(obs[0], features.observation, "unseen")) == [many * r + n - 1 for r, n in unseen.items() if n]
        holds = [view.hand_sizes[(state.to_act + k) % rules.players] for k in range(rules.players)]
        assert places(part(obs[0], features.observation, "size_flags")) == [
            16 * k + min(15, n) for k, n in enumerate(holds)
        ]
        for move, row in zip(moves, longer, strict=True):
            assert row[: len(rows[ids.of(move, view.called)])].tolist() == rows[ids.of(move, view.called)]
            rest = mine - Counter(place[c][0] for c in (move.cards if move.combination else ()))
            weak = {r: any(unseen[higher] >= n for higher in range(r + 1, len(unseen))) for r, n in rest.items()}
            assert places(part(row, features.move, "kept")) == sorted(
                2 * (many * r + n - 1) + weak[r] for r, n in rest.items()
            )
            assert places(part(row, features.move, "groups")) == [min(15, len(rest))]
            assert places(part(row, features.move, "beatable")) == [min(15, sum(weak.values()))]
            for name, least, long, used in (
                ("in_straights", 1, shortest["straight"], in_runs["straight"]),
                ("in_pair_runs", 2, shortest["pair-run"] // 2, in_runs["pair-run"]),
            ):
                runs = [range(a, a + long) for a in range(len(unseen) - long + 1)]
                full = [run for run in runs if all(rest[rank] >= least and rank in used for rank in run)]
                assert places(part(row, features.move, name)) == sorted({rank for run in full for rank in run})
            counts = Counter(place[c][0] for c in (move.cards if move.combination else ()))
            assert part(row, features.move, "enough") == [int(0 < counts.total() <= n) for n in holds[1:]]
            assert part(row, features.move, "just_enough") == [int(0 < counts.total() == n) for n in holds[1:]]
            above = higher_places(counts, unseen, in_runs, two_pairs)
            assert places(part(row, features.move, "above")) == ([] if above is None else [min(15, above)])
            seen += 1
        state = state.play(thrifty.choose(view))
    assert seen > 5


@pytest.mark.parametrize("game", ["big-two", "big-two with two pairs", "a tiny pack of suits"])
@pytest.mark.parametrize("seed", range(3))
def test_what_depends_on_suits_is_counted_from_the_cards(game: str, seed: int) -> None:
    rules = GAMES[game]
    features, place, ids = derived(rules, Reads(answers=True, suits=True)), rules.order.place, action_ids(rules)
    observed, of_moves = partial(part, features=features.observation), partial(part, features=features.move)
    state, thrifty = dasan.deal(rules, seed=seed), dasan.bot("thrifty")
    flushes = seen = 0
    while state.to_act is not None:
        view = state.view(state.to_act)
        rows, moves = encode_moves(view), list(view.legal_moves())
        obs, longer = features.of(encode(view), [rows[ids.of(move, view.called)] for move in moves])
        gone = {c for event in view.events if event.type.value == "play" for c in event.cards}
        others = sorted(place[c] for c in {*rules.pack} - gone - {*view.hand})
        unseen = [sum(rank < 13 and suit == s for rank, suit in others) for s in range(4)]
        assert places(observed(obs[0], name="suits_unseen")) == [16 * s + n for s, n in enumerate(unseen)]
        table = view.table.cards if view.table else ()
        if len(table) < 2:
            beaten = [] if not table else [min(15, sum(one > place[table[0]] for one in others))]
            assert places(observed(obs[0], name="table_above")) == beaten
        for move, row in zip(moves, longer, strict=True):
            played = move.cards if move.combination else ()
            rest = [place[c] for c in view.hand if c not in played]
            ranks_left = Counter(rank for rank, _ in rest)
            suits = [[rank for rank, suit in rest if rank < 13 and suit == s] for s in range(4)]
            assert places(of_moves(row, name="suits_kept")) == [16 * s + len(suit) for s, suit in enumerate(suits)]
            saves = [min(5, sum(ranks_left[rank] == 1 for rank in suit)) for suit in suits if len(suit) >= 5]
            assert places(of_moves(row, name="flush_saves")) == [max(saves, default=0)]
            flushes += bool(saves)
            controls = sum(one > max(others, default=(-1, 0)) for one in rest)
            assert places(of_moves(row, name="controls")) == [min(15, controls)]
            higher = [min(15, sum(one > place[played[0]] for one in others))] if len(played) == 1 else []
            assert places(of_moves(row, name="higher")) == higher
            seen += 1
        state = state.play(thrifty.choose(view))
    assert seen > flushes
    assert flushes > 0 or len(rules.pack) < 52


def test_games_without_ranked_suits_have_no_features_of_suits() -> None:
    for game in ("big-three", "winner", "winner with jokers", "winner of two decks"):
        assert (
            derived(GAMES[game], Reads(answers=True, suits=True)).move == derived(GAMES[game], Reads(answers=True)).move
        )


def higher_places(
    counts: Counter[int], unseen: dict[int, int], in_runs: dict[str, set[int]], two_pairs: bool
) -> int | None:
    """The number of higher ranks, or runs of ranks, of which others may hold as many cards as `counts` has of its most
    frequent ones; None if these are not a run. Two pairs that are not a run count as the higher one.
    """
    most = max(counts.values(), default=0)
    ranks = sorted(rank for rank, n in counts.items() if n == most)
    allowed = in_runs["straight" if most == 1 else "pair-run"]
    if len(ranks) > 1 and not (ranks == list(range(ranks[0], ranks[-1] + 1)) and set(ranks) <= allowed):
        if most == 1 or not two_pairs:
            return None
        ranks = ranks[-1:]
    if not ranks:
        return None
    starts = range(ranks[0] + 1, len(unseen) - len(ranks) + 1)
    rows = [range(start, start + len(ranks)) for start in starts]
    return sum(all(unseen[r] >= most and (len(ranks) == 1 or r in allowed) for r in row) for row in rows)


def longer_row(rules: dasan.Rules, held: str, cards: str) -> np.ndarray:
    """The row of playing `cards` from `held`, when nobody has played yet and every seat holds seven cards."""
    features = derived(rules, Reads(answers=True))
    state = dasan.start(rules, [held, "3C 4C 5C 7C 8C 9C TC", "3S 4S 5S 7S 8S 9S TS", "JC QC KC JS QS KS AS"], leader=0)
    view = state.view(0)
    rows, ids = encode_moves(view), action_ids(rules)
    move = next(move for move in view.legal_moves() if str(move) == cards)
    row: np.ndarray = features.of(encode(view), [rows[ids.of(move, None)]])[1][0]
    return row


def test_two_pairs_count_as_the_higher_one() -> None:
    """Of 33 66 and 33 44 others may hold 77 to JJ, QQ, KK, AA and 22, and 55 and 66 too."""
    above = partial(part, features=derived(CHARLESWORTH, Reads(answers=True)).move, name="above")
    held = "3D 3H 4D 4H 6D 6H 2D"
    assert places(above(longer_row(CHARLESWORTH, held, "3D 3H 6D 6H"))) == [9]
    assert places(above(longer_row(CHARLESWORTH, held, "3D 3H 4D 4H"))) == [11]
    assert places(above(longer_row(CHARLESWORTH, held, "6D 6H"))) == [9]
    assert places(above(longer_row(CHARLESWORTH, held, "2D"))) == [0]


@pytest.mark.parametrize(
    ("held", "plays"), [((0, 1, 2, 3, 4, 8), 2), ((0, 0, 1, 2, 3, 4, 8), 3), ((0, 1, 8), 3), ((), 0)]
)
def test_a_straight_saves_plays(held: tuple[int, ...], plays: int) -> None:
    """Ranks of a straight are one play, but for those of which a card is left."""
    rules = dasan.rules("big-three")
    assert places(part(kept_row(rules, held), derived(rules).move, "plays")) == [plays]


def kept_row(rules: dasan.Rules, held: tuple[int, ...]) -> np.ndarray:
    """The row of a move that leaves a hand of these ranks."""
    features = derived(rules)
    hand = next(f.start for f in features.observation if f.name == "hand")
    obs = [0] * observation_size(rules)
    for rank, n in Counter(held).items():
        for k in range(n):
            obs[hand + ranks(rules) * k + rank] = 1
    row: np.ndarray = features.of(obs, [[0] * move_size(rules)])[1][0]
    return row


@pytest.mark.parametrize(
    ("held", "plays"),
    [((0, 0, 0, 4), 1), ((0, 0, 0, 4, 6, 6), 2), ((0, 0, 0, 4, 5, 6, 7, 8), 2), ((0, 0, 0, 1, 1, 1), 2), ((0, 4), 2)],
)
def test_a_triplet_takes_a_group_along(held: tuple[int, ...], plays: int) -> None:
    """But no card of a run (DD.04)."""
    rules = dasan.rules("dou-dizhu")
    assert places(part(kept_row(rules, held), derived(rules).move, "plays")) == [plays]


@pytest.mark.parametrize("game", GAMES)
def test_a_view_and_a_batch_get_the_same_scores(game: str) -> None:
    rules = GAMES[game]
    features = derived(rules)
    shape = LayerSizes(features.observation_size, features.move_size, 16, 8)
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


def test_a_network_reads_the_features_that_it_was_trained_with() -> None:
    """Rows are as long as its weights; weights for other lengths are refused."""
    rules = GAMES["big-two"]
    state = dasan.deal(rules, seed=1)
    view = state.view(state.to_act)
    env = dasan.vector.make(rules, 3, seed=3, moves="ragged")
    for answers, suits in ((False, False), (True, False), (True, True)):
        features = derived(rules, Reads(answers=answers, suits=suits))
        shape = LayerSizes(features.observation_size, features.move_size, 8, 4)
        network = Network(
            {name: part.copy() for name, part in shape.views(fresh(shape, np.random.default_rng(1))).items()}
        )
        obs, moves = network.inputs(view, session=False)
        assert (len(obs), moves.shape[1]) == (features.observation_size, features.move_size)
        assert len(Scorer()(env, np.arange(3), network.weights).rows) == env.num_legal.sum()
    with pytest.raises(ValueError, match="features of other rules"):
        fitting(rules, False, features.observation_size + 8)
    assert (
        derived(rules).observation == derived(rules, Reads(answers=True)).observation[: len(derived(rules).observation)]
    )
    assert derived(rules).move == derived(rules, Reads(answers=True)).move[: len(derived(rules).move)]
