"""Players who overlook plays: which plays they notice, and how they explain."""

from __future__ import annotations

import pytest

import dasan
from dasan.bots.net import NetBot
from dasan.bots.overlooking import SIGHT, Overlooking, sight_of
from dasan.networks.trained import catalogue, fitted
from dasan.worlds.states import Sampler

pytestmark = pytest.mark.full

LEVELS = [f"level-{n}" for n in range(1, 8)]


def asked(bot: Overlooking, rules: dasan.Rules, hands: int) -> tuple[int, int]:
    """The number of legal plays of two or more cards in some hands, and how many of them `bot` notices."""
    there = noticed = 0
    for seed in range(hands):
        state = dasan.deal(rules, seed=seed)
        while state.to_act is not None:
            view = state.view(state.to_act)
            if view.phase == "play" and len(view.legal_moves()) > 1:
                explanation = bot.explain(view)
                assert {one.move for one in explanation.moves} == set(view.legal_moves())
                assert explanation.moves[0].move == bot.choose(view)
                assert all(reason.id != "only-move" for one in explanation.moves for reason in one.reasons)
                long = [one for one in explanation.moves if 1 < len(one.move.cards) < len(view.hand)]
                there += len(long)
                noticed += sum(one.value is not None for one in long)
            state = state.play(dasan.bot("thrifty").choose(view))
    return there, noticed


def test_the_weaker_a_player_the_less_it_notices() -> None:
    rules = dasan.rules("big-three")
    shares = []
    for name in LEVELS:
        there, noticed = asked(Overlooking(NetBot(proofs=False), name, 5), rules, 2)
        assert there > 50
        shares.append(noticed / there)
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5 < shares[-1] < 1


def test_the_same_view_and_seed_have_the_same_move_and_seeds_differ() -> None:
    rules = dasan.rules("winner")
    state = dasan.deal(rules, seed=3)
    view = state.view(state.to_act)
    moves = {seed: dasan.bot("level-2", seed=seed).choose(view) for seed in range(12)}
    assert moves == {seed: dasan.bot("level-2", seed=seed).choose(view) for seed in range(12)}
    assert len(set(moves.values())) > 1


@pytest.mark.parametrize("hand", ["5D 5H 5S JC JH", "3C 3H", "7D 7H"])
def test_a_player_who_can_go_out_does(hand: str) -> None:
    state = dasan.start(dasan.rules("winner"), [hand, "9C TC", "QC KD", "KC AC"], leader=0)
    for name in LEVELS:
        for seed in range(4):
            assert len(dasan.bot(name, seed=seed).choose(state.view(0)).cards) == len(hand.split())


def test_a_player_who_overlooks_every_play_still_plays_if_it_must() -> None:
    state = dasan.start(dasan.rules("big-two", guard="off"), ["4D 5C", "9C TC", "JC QC", "KC AC"], leader=0)
    moves = {str(dasan.bot("level-1", seed=seed).choose(state.view(0))) for seed in range(20)}
    assert moves == {"4D", "5C"}


def test_each_network_s_card_has_the_sight_of_every_level() -> None:
    for one in catalogue():
        if "sight" not in one.card:  # levels play by other networks, or by greedy as on the ladder
            assert one.also or one.continues or one.name == "wa-keng-4"
            continue
        view = dasan.deal(one.rules, seed=1).view(0)
        sight = [sight_of(name, view) for name in LEVELS]
        assert sight == [one.card["sight"][name] for name in LEVELS]
        assert sight == sorted(sight)
        assert 0 < sight[0] < sight[-2] < sight[-1] <= 1


def test_without_a_network_greedy_plays_with_the_common_sight() -> None:
    rules = dasan.rules("winner", players=7)
    assert fitted(rules) is None
    view = dasan.deal(rules, seed=1).view(0)
    assert [sight_of(name, view) for name in LEVELS] == list(SIGHT.values())


def test_chances_are_counted_where_deals_must_be_checked_by_playing() -> None:
    """A deal fits the view of a player who overlooks moves if it fits the view with all of them."""
    state = dasan.deal(dasan.rules("big-two", dragon=True), seed=1)
    view = state.view(state.to_act)
    bot = dasan.bot("level-1")
    assert isinstance(bot, Overlooking)
    noticed = bot._noticed(view)
    assert len(noticed.legal_moves()) < len(view.legal_moves())
    assert Sampler(noticed).hands(100, 0) == Sampler(view).hands(100, 0)
    assert any(reason.id == "stands" for one in bot.explain(view).moves for reason in one.reasons)
