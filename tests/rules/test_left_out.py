"""Packs with ranks and suits left out, and the teaching variants made of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dasan
from dasan.cards import RANKS
from dasan.games import TEACHING


@pytest.mark.parametrize("preset", TEACHING)
def test_a_teaching_variant_plays_and_is_replayed(preset: str) -> None:
    rules = dasan.rules(preset)
    assert preset not in dasan.PRESETS
    assert dasan.Rules.from_json(rules.to_json()) == rules
    bots = [dasan.bot(name) for name in ("greedy", "random")]
    for seed in range(20):
        state = dasan.deal(rules, seed=seed)
        while state.to_act is not None:
            state = state.play(bots[state.to_act % 2].choose(state.view(state.to_act)))
        assert dasan.replay(state.record()) == state


@pytest.mark.parametrize("preset", TEACHING)
def test_every_row_can_be_held(preset: str) -> None:
    rules = dasan.rules(preset)
    table = rules.catalogue
    for row in table.rows:
        cards = table.pick(rules.order.hand(rules.pack), row)
        assert cards is not None
        assert set(cards) <= set(rules.pack)


def test_a_smaller_pack_has_fewer_cards_and_combinations() -> None:
    rules = dasan.rules("big-three-small")
    assert sorted({c.rank for c in rules.pack}) == sorted("JQK23")
    assert (len(rules.pack), rules.players, rules.hand_size, rules.kitty_size) == (10, 3, 3, 1)
    assert rules.catalogue.census() == {"single": 5, "pair": 5, "straight": 1}
    with pytest.raises(dasan.Malformed, match="not in the pack"):
        rules.combination("4H")
    with pytest.raises(ValueError, match="no option"):
        dasan.rules("big-three-small", cut=True)


@pytest.mark.parametrize("left_out", ["X", "33", "DCHS", "3456789TJQKA", "H"])
def test_what_cannot_be_left_out(left_out: str) -> None:
    with pytest.raises(ValueError, match=r"left out|stay in the pack|suit that decides|too few cards"):
        replace(dasan.rules("big-three"), left_out=left_out)


@pytest.mark.parametrize(
    ("preset", "hearts", "hand_size"), [("big-three", "3", 12), ("big-three", "3KA2", 13), ("big-three-4p", "", 9)]
)
def test_g_04_a_heart_always_remains_to_open_the_auction(preset: str, hearts: str, hand_size: int) -> None:
    """B3.07: the holder of the lowest heart opens, so the kitty must be too small for all of them."""
    left_out = " ".join(f"{rank}H" for rank in RANKS if rank not in hearts)
    with pytest.raises(ValueError, match="the kitty could contain a whole suit"):
        replace(dasan.rules(preset), left_out_cards=left_out, hand_size=hand_size, settings=(), name="own")


def test_g_04_an_opener_who_is_drawn_needs_no_heart() -> None:
    """DD.02: who opens does not depend on the cards."""
    hearts = " ".join(f"{rank}H" for rank in RANKS)
    rules = replace(dasan.rules("dou-dizhu"), left_out_cards=hearts, hand_size=12, settings=(), name="own")
    assert dasan.deal(rules, seed=1).to_act is not None
