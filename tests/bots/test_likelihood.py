"""How likely others' bids and plays are in deals that fit a view."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import dasan
from dasan import worlds
from dasan.bots.net import score
from dasan.bots.protocol import choices
from dasan.bots.sampling.beliefs import evenly
from dasan.bots.sampling.likelihood import SOFTNESS, _at_the_start, log_likelihoods, stories
from dasan.bots.sampling.simulator import simulator_for
from dasan.features import layout
from dasan.kernels.cards import words_of
from dasan.networks.trained import fitted
from dasan.play.phases import Phase
from dasan.records.retrace import moves_of
from dasan.worlds.kitties import with_kitty

pytestmark = pytest.mark.full

BIG_THREE = dasan.rules("big-three")
WORLDS = 64


def played(rules: dasan.Rules, seed: int, moves: int) -> dasan.State:
    """A hand after this many moves of the network."""
    state, net = dasan.deal(rules, seed=seed), dasan.bot("net")
    for _ in range(moves):
        state = state.play(net.choose(state.view(state.to_act)))
    return state


def dealt(view: dasan.View, seed: int) -> np.ndarray:
    """uint64 [worlds, seats and kitty]: the hands before the auction."""
    (world,) = worlds.sample(view, 1, seed)
    story = stories(view, world)[0]
    assert story.start.phase is Phase.AUCTION
    deals: np.ndarray = _at_the_start(view, story, with_kitty(view, worlds.deals(view, WORLDS, seed), seed)).one
    return deals


@pytest.mark.parametrize(
    ("preset", "seed"),
    [*(("big-three", seed) for seed in (0, 1, 2, 4, 10, 11)), ("big-three-4p", 0), ("big-three-4p", 1)],
)
def test_deals_go_back_to_the_auction(preset: str, seed: int) -> None:
    """Every card lies in one hand or the kitty, as it was dealt. The bidder knows the kitty, the opener held the card that they
    showed, and lower hearts lie in the kitty (B3.07).
    """
    rules = dasan.rules(preset)
    state = played(rules, seed, 12)
    sizes = [16, 16, 16, 4] if rules.kitty_size else [13, 13, 13, 13, 0]
    for seat in range(rules.players):
        view = state.view(seat)
        before = dealt(view, seed)
        assert [[int(word).bit_count() for word in row] for row in before] == [sizes] * WORLDS
        assert (np.bitwise_or.reduce(before, axis=1) == words_of(rules, rules.pack)[0]).all()
        opener = next(event for event in view.events if event.type.value == "open")
        (shown,) = opener.cards
        assert shown is not None
        assert (before[:, opener.seat] & words_of(rules, [shown])[0]).all()
        place = rules.order.place
        lower = [c for c in rules.pack if c.suit == shown.suit and place[c] < place[shown]]
        assert bool(lower) == (seed in (4, 10, 11))
        word = words_of(rules, lower)[0]
        assert (before[:, -1] & word == word).all()
        if seat == state.bidder and rules.kitty_size:
            taken = next(event for event in view.events if event.type.value == "kitty")
            assert (before[:, -1] == words_of(rules, [c for c in taken.cards if c is not None])[0]).all()


def test_each_card_of_the_bidder_is_as_likely_in_the_kitty() -> None:
    """All but the card with which the bidder opened."""
    state = dasan.deal(BIG_THREE, seed=0).play("bid 1").play("pass").play("pass")
    assert state.bidder is not None
    view = state.view((state.bidder + 1) % 3)
    drawn = worlds.deals(view, 4_000, 1)
    drawn.one[:] = drawn.one[0]
    kitties = with_kitty(view, drawn, 1).one[:, -1]
    assert kitties.tolist() == with_kitty(view, drawn, 1).one[:, -1].tolist()
    counts = [int((kitties >> np.uint64(k) & np.uint64(1)).sum()) for k in range(64)]
    among = [n for n in counts if n]
    opener = next(event for event in view.events if event.type.value == "open")
    assert opener.seat == state.bidder
    assert len(among) == 19
    assert not (kitties & words_of(BIG_THREE, [c for c in opener.cards if c is not None])[0]).any()
    assert all(n == pytest.approx(4_000 * 4 / len(among), rel=0.2) for n in among)


def test_a_bidder_who_need_not_dig_got_such_a_hand() -> None:
    """H.01: without the drawn kitty, the bidder's hand allows the bids that were made."""
    rules = dasan.rules("big-three", must_dig=True)
    fit = fitted(rules)
    assert fit is not None
    checked = 0
    for seed in range(8):
        state = dasan.deal(rules, seed=seed)
        while state.phase == "auction":
            legal = list(map(str, state.legal_moves()))
            state = state.play("pass" if "pass" in legal else legal[0])
        assert state.bidder is not None
        if state.bid == 3:
            continue
        view = state.view((state.bidder + 1) % 3)
        (world,) = worlds.sample(view, 1)
        drawn = with_kitty(view, worlds.deals(view, WORLDS), 1)
        logs = log_likelihoods(view, world, drawn, fit, simulator_for(rules, fit.trained.session))
        assert logs is not None
        checked += 1
    assert checked


def test_in_deals_the_bidder_sees_a_kitty_of_its_own_cards() -> None:
    """In a deal that another seat imagines, the bidder knows the kitty of that deal."""
    fit = fitted(BIG_THREE)
    assert fit is not None
    simulator = simulator_for(BIG_THREE, fit.trained.session)
    kitty = next(f for f in layout(BIG_THREE) if f.name == "kitty").start
    checked = 0
    for seed in range(6):
        state = dasan.deal(BIG_THREE, seed=seed)
        net = dasan.bot("net")
        while state.phase != "play":
            state = state.play(net.choose(state.view(state.to_act)))
        while state.to_act is not None and (state.to_act + 1) % 3 != state.bidder:
            state = state.play(state.legal_moves()[0])
        if state.to_act is None:
            continue
        view = state.view(state.to_act)
        beliefs = evenly(view, WORLDS, seed)
        simulator.positions.put_worlds(0, beliefs.state, beliefs.deals)
        simulator.positions.copy(0, slice(WORLDS, simulator.positions.size))
        env = simulator.env
        env.load(simulator.positions)
        env.step(np.full(env.num_envs, env.ids.of(view.legal_moves()[0], None), np.int32))
        assert (env.to_act == state.bidder).all()
        assert env.obs is not None
        for k in range(WORLDS):
            seen = env.obs[k, kitty : kitty + 52].reshape(4, 13).sum(axis=0)
            gone = Counter(BIG_THREE.order.place[c][0] for c in played_by(state, state.bidder))
            mine = Counter(BIG_THREE.order.place[c][0] for c in beliefs.deals.hand(k, state.bidder or 0))
            assert all(seen[rank] <= gone[rank] + mine[rank] for rank in range(13))
            assert seen.sum() == 4
        assert len({bytes(env.obs[k, kitty : kitty + 52]) for k in range(WORLDS)}) > 10
        checked += 1
    assert checked


def test_a_kitty_that_was_shown_is_the_same_in_every_deal() -> None:
    """B3.11, `reveal_kitty`: all see it, so bids are judged with the hands before it."""
    rules = dasan.rules("big-three", reveal_kitty=True)
    state = played(rules, 1, 8)
    assert state.bidder is not None
    view = state.view((state.bidder + 1) % 3)
    (kitty,) = {int(word) for word in with_kitty(view, worlds.deals(view, WORLDS, 1), 1).one[:, -1]}
    assert kitty == words_of(rules, [c for c in state.begun.kitty if c is not None])[0]
    assert (dealt(view, 1)[:, -1] == np.uint64(kitty)).all()


def test_bids_so_far_are_judged_during_the_auction() -> None:
    """A seat that has raised is more likely to hold threes; nobody has the kitty yet."""
    fit = fitted(BIG_THREE)
    assert fit is not None
    state = dasan.deal(BIG_THREE, seed=2).play("bid 1")
    raiser = state.mover
    state = state.play("bid 2")
    view = state.view(state.to_act)
    assert view.phase is Phase.AUCTION
    drawn = worlds.deals(view, 256, 1)
    assert with_kitty(view, drawn, 1) is drawn
    (world,) = worlds.sample(view, 1, 1)
    logs = log_likelihoods(view, world, drawn, fit, simulator_for(BIG_THREE, fit.trained.session))
    assert logs is not None
    assert np.isfinite(logs).all()
    threes = words_of(BIG_THREE, [c for c in BIG_THREE.pack if c.rank == "3"])[0]
    held = np.array([int(word & threes).bit_count() for word in drawn.one[:, raiser]])
    assert np.corrcoef(held, logs)[0, 1] > 0.3


def played_by(state: dasan.State, seat: int | None) -> list[dasan.Card]:
    plays = [event.cards for event in state.events if event.type.value == "play" and event.seat == seat]
    return [c for cards in plays for c in cards if c is not None]


@pytest.mark.parametrize(("preset", "hands"), [("big-three", 12), ("big-three-4p", 100)])
def test_bids_speak_for_the_cards(preset: str, hands: int) -> None:
    """Before anybody has played, the bids alone make the true cards more likely than others."""
    rules = dasan.rules(preset)
    fit = fitted(rules)
    assert fit is not None
    simulator = simulator_for(rules, fit.trained.session)
    gains = []
    for seed in range(hands):
        state = dasan.deal(rules, seed=seed)
        net = dasan.bot("net")
        while state.phase != "play":
            state = state.play(net.choose(state.view(state.to_act)))
        view = state.view(state.to_act)
        (world,) = worlds.sample(view, 1)
        drawn = worlds.deals(view, WORLDS)
        for seat, hand in enumerate(state.hands):
            drawn.one[0, seat] = words_of(rules, hand)[0]
        drawn = with_kitty(view, drawn, seed)
        logs = log_likelihoods(view, world, drawn, fit, simulator)
        assert logs is not None
        assert np.isfinite(logs).all()
        gains.append(logs[0] - np.log(np.exp(logs[1:]).mean()))
    assert np.mean(gains) > 0


def test_a_hand_that_begins_after_the_auction_is_judged_by_its_plays() -> None:
    state = dasan.start(
        BIG_THREE, ["6D 7C 8H 9D TD", "6H QH", "7S KS"], bidder=0, table="6S 7H 8D 9S", table_seat=2, to_act=0
    )
    state = state.play("pass").play("pass").play("7S")
    view = state.view(state.to_act)
    (world,) = worlds.sample(view, 1)
    story = stories(view, world)
    assert [one.start.phase for one in story] == [Phase.PLAY]
    fit = fitted(BIG_THREE)
    assert fit is not None
    logs = log_likelihoods(view, world, worlds.deals(view, 16), fit, simulator_for(BIG_THREE, fit.trained.session))
    assert logs is not None
    assert np.isfinite(logs).all()


def test_a_call_says_something_where_the_hand_begins_with_it() -> None:
    """The bidder has called a card; the others have not moved (B4.03)."""
    rules = dasan.rules("big-three-4p")
    hands = [" ".join(map(str, hand)) for hand in dasan.deal(rules, seed=1).hands]
    state = dasan.start(rules, hands, bidder=0, bid=1, leader=1)
    state = state.play(state.legal_moves()[0])
    view = state.view(state.to_act)
    (world,) = worlds.sample(view, 1)
    assert [one.start.phase for one in stories(view, world)] == [Phase.CALL]


@pytest.mark.parametrize(("preset", "moves"), [("big-two", 14), ("winner", 10)])
def test_each_move_is_as_likely_as_the_networks_scores_say(preset: str, moves: int) -> None:
    """The softmax of the scores of views, one at a time."""
    rules = dasan.rules(preset)
    fit = fitted(rules)
    assert fit is not None
    state = played(rules, 5, moves)
    view = state.view(state.to_act)
    expected = []
    for world in (sampled := worlds.sample(view, 6)):
        total = 0.0
        for before, move in moves_of(world):
            legal = choices(before.view(before.to_act))
            if before.to_act != view.seat and len(legal) > 1:
                scaled = score(fit, before.view(before.to_act)).astype(float) / fit.network.unit / SOFTNESS
                total += scaled[legal.index(move)] - np.log(np.exp(scaled).sum())
        expected.append(total)
    logs = log_likelihoods(view, sampled[0], worlds.deals(view, 6), fit, simulator_for(rules, fit.trained.session))
    assert logs == pytest.approx(expected, abs=1e-3)
    assert np.ptp(logs) > 0.1


def test_no_facts_before_the_first_move() -> None:
    state = dasan.deal(BIG_THREE, seed=3)
    view = state.view(state.to_act)
    (world,) = worlds.sample(view, 1)
    assert stories(view, world) == []
    fit = fitted(BIG_THREE)
    assert fit is not None
    assert log_likelihoods(view, world, worlds.deals(view, 4), fit, simulator_for(BIG_THREE, False)) is None
