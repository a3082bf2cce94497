"""Features of moves: each one's meaning, the equality of the two layouts, and independence of hidden cards."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import dasan
from dasan import vector
from dasan.features import (
    action_features,
    encode_moves,
    encode_perfect,
    kinds,
    move_layout,
    move_size,
    perfect_layout,
    perfect_size,
)
from dasan.play.action_ids import action_ids
from dasan.play.moves import Move, MoveType

pytestmark = pytest.mark.full

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("big-three", {}),
    ("big-three-4p", {}),
    ("big-two", {}),
    ("winner", {}),
    ("winner", {"players": 6, "decks": 2, "jokers": True}),
    ("winner", {"suits_ranked": False, "decks": 2}),
    ("dou-dizhu", {}),
]


def parts(rules: dasan.Rules, row: list[int]) -> dict[str, list[int]]:
    return {f.name: row[f.start : f.start + f.size] for f in move_layout(rules)}


def check_cards(rules: dasan.Rules, move: Move, said: dict[str, list[int]]) -> None:
    """The card planes against the cards of the move itself."""
    places = [rules.order.place[c] for c in move.cards] if move.type is MoveType.PLAY else []
    of_rank = Counter(rank for rank, _ in places)
    if "counts" in said or not rules.suits_ranked:
        flags = said.get("counts") or said["cards"]
        ranks = 13 + 2 * rules.jokers
        assert flags == [int(of_rank[rank] > n) for n in range(len(flags) // ranks) for rank in range(ranks)]
        assert sum(flags) == len(places)
    else:
        assert said["cards"] == [int((rank, suit) in places) for rank in range(13) for suit in range(4)]


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize(("preset", "options"), GAMES, ids=str)
def test_a_row_says_what_the_move_is(preset: str, options: dict[str, Any]) -> None:
    rules = dasan.rules(preset, **options)
    ids = action_ids(rules)
    source = random.Random(2)
    for seed in range(4):
        state = dasan.deal(rules, seed=seed)
        while state.result is None:
            moves = state.legal_moves()
            rows = encode_moves(state.view(state.to_act))
            assert sorted(rows) == sorted(ids.of(move, state.called) for move in moves)
            strengths: dict[str, list[tuple[int, int]]] = {}
            for move in moves:
                row = parts(rules, rows[ids.of(move, state.called)])
                check_cards(rules, move, row)
                taken = len(move.cards) if move.type is MoveType.PLAY else 0
                assert row["pass"] == [move.type is MoveType.PASS]
                assert row["size"] == [taken]
                assert row["left"] == [len(state.hands[state.to_act or 0]) - taken]
                assert row["out"] == [row["left"] == [0]]
                played = move.combination
                assert [k for k, flag in zip(kinds(rules), row["kind"], strict=True) if flag] == (
                    [] if played is None else [played.kind]
                )
                if "bid" in row:
                    assert row["bid"] == [move.bid == n for n in range(1, len(row["bid"]) + 1)]
                if "call" in row:
                    called = [c for c, flag in zip(ids.callable_cards, row["call"], strict=True) if flag]
                    assert called == (list(move.cards) if move.type is MoveType.CALL else [])
                    assert row["with_called"] == [move.type is MoveType.PLAY and state.called in move.cards]
                if "suit" in row and taken == 1 and rules.suits_ranked and move.cards[0].rank in rules.ranks:
                    assert row["suit"].index(1) == rules.order.place[move.cards[0]][1]
                if played is not None:
                    strengths.setdefault(played.family, []).append((played.strength, row["strength"][0]))
            for values in strengths.values():
                shares = [share for _, share in sorted(values)]
                assert shares == sorted(shares)
            state = state.play(source.choice(moves))
    assert encode_moves(state.view(0)) == {}


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize(("preset", "options"), GAMES, ids=str)
def test_features_fill_the_row(preset: str, options: dict[str, Any]) -> None:
    rules = dasan.rules(preset, **options)
    for session in (False, True):
        for features, size in (
            (move_layout(rules, session), move_size(rules, session)),
            (perfect_layout(rules), perfect_size(rules)),
        ):
            places = [at for f in features for at in range(f.start, f.start + f.size)]
            assert places == list(range(len(places)))
            assert len(places) <= size < len(places) + 8
            assert size % 8 == 0
        flags = [f.flags for f in move_layout(rules, session)]
        assert flags == sorted(flags, reverse=True)
        table = action_features(rules, session)
        assert len(table) == action_ids(rules, session).count
        assert {len(row) for row in table} == {move_size(rules, session)}


def test_sizes_are_pinned() -> None:
    sizes = {
        name: (move_size(dasan.rules(name)), move_size(dasan.rules(name), True), perfect_size(dasan.rules(name)))
        for name in dasan.PRESETS
    }
    assert sizes == {
        "big-three": (72, 72, 160),
        "big-three-denexa": (72, 72, 160),
        "big-three-fr": (72, 72, 160),
        "big-three-4p": (104, 104, 160),
        "big-two": (64, 64, 160),
        "winner": (72, 128, 160),
        "winner-bomb": (72, 128, 160),
        "wa-keng": (72, 72, 160),
        "wa-keng-4": (72, 72, 208),
        "big-two-hong-kong": (72, 72, 160),
        "big-two-taiwan": (64, 64, 160),
        "big-two-philippines": (72, 72, 160),
        "big-two-indonesia": (72, 72, 160),
        "zheng-shangyou": (80, 80, 168),
        "dou-dizhu": (88, 88, 184),
    }


@pytest.mark.sampled(3, 3)
@pytest.mark.parametrize("steps", [30, pytest.param(120, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("preset", "options"), GAMES, ids=str)
def test_both_layouts_hold_the_same_rows(preset: str, options: dict[str, Any], steps: int) -> None:
    padded = vector.make(preset, 40, seed=6, session=True, moves=True, perfect=True, threads=3, **options)
    ragged = vector.make(preset, 40, seed=6, session=True, moves="ragged", perfect=True, **options)
    bare = vector.make(preset, 40, seed=6, session=True, observations=False, **options)
    assert (bare.moves, bare.perfect, bare.move_starts) == (None, None, None)
    for _ in range(steps):
        assert padded.moves is not None
        assert ragged.moves is not None
        assert ragged.move_starts is not None
        valid = np.arange(padded.legal.shape[1]) < padded.num_legal[:, None]
        rows = padded.moves[valid]
        assert (rows == ragged.moves[: ragged.move_starts[-1]]).all()
        ids = padded.legal[valid]
        static = padded.action_features[ids]
        free = [f.start for f in padded.move_features if f.name in ("out", "left")]
        assert (np.delete(static, free, axis=1) == np.delete(rows, free, axis=1)).all()
        assert padded.perfect is not None
        assert (padded.perfect == ragged.perfect).all()
        assert sum(f.size for f in padded.perfect_features) <= padded.num_perfect_features
        actions = padded.sample()
        assert (actions == bare.sample()).all()
        for env in (padded, ragged, bare):
            env.step(actions)


def test_perfect_information_shows_every_hidden_card() -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=3)
    assert state.to_act is not None
    flags = encode_perfect(state)
    assert sum(flags) == 52 - len(state.hands[state.to_act])
    while state.result is None:
        state = state.play(state.legal_moves()[0])
    with pytest.raises(ValueError, match="nobody"):
        encode_perfect(state)


def test_a_layout_there_is_not_is_refused() -> None:
    wrong: Any = "square"
    with pytest.raises(ValueError, match="ragged"):
        vector.make("big-three", 1, moves=wrong)
