"""Networks for several rule sets: equal features share weights, and folded weights give the same scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dasan
from dasan.bots.net import NetBot
from dasan.bots.protocol import choices
from dasan.cards import card
from dasan.features import card_flags, encode, encode_moves
from dasan.networks import trained
from dasan.networks.derived import Reads, derived, layouts
from dasan.networks.network import LayerSizes, Network, fresh
from dasan.networks.shared import labels_of, shared_inputs
from dasan.networks.trained import catalogue, fit, fitted, named, suits
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules

WINNER = (dasan.rules("winner"), dasan.rules("winner-bomb", players=3), dasan.rules("zheng-shangyou"))
BIG_TWO = (dasan.rules("big-two"), dasan.rules("big-two-taiwan"), dasan.rules("big-two-indonesia"))


def rows(rules: Rules, session: bool, with_derived: bool) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The observation of a first mover, once for each of its legal moves, and these moves."""
    state = dasan.deal(rules, seed=5)
    assert state.to_act is not None
    view, ids = state.view(state.to_act), action_ids(rules, session)
    encoded = encode_moves(view, session)
    moves = [encoded[ids.of(move, view.called)] for move in choices(view)]
    observation = encode(view, session)
    if not with_derived:
        return np.array([observation] * len(moves), np.uint8), np.array(moves, np.uint8)
    longer, longer_moves = derived(rules, Reads(session, answers=True)).of(observation, moves)
    return np.repeat(longer, len(moves), axis=0), longer_moves


@pytest.mark.full
@pytest.mark.parametrize(
    ("games", "with_derived"),
    [(WINNER, False), (WINNER, True), (BIG_TWO, False)],
    ids=["winner", "derived", "big-two"],
)
def test_folded_weights_score_as_the_whole_network_does(games: tuple[Rules, ...], with_derived: bool) -> None:
    shared = shared_inputs(games, Reads(True, with_derived, with_derived))
    shape = LayerSizes(*shared.sizes, 8, 4)
    whole = Network(shape.views(fresh(shape, np.random.default_rng(1))))
    for rules in games:
        obs, moves = rows(rules, True, with_derived)
        folded = Network(shared.folded(whole.weights, rules))
        assert folded.fits(rules, True)
        seen, made = shared.rows(rules, obs, moves)
        expected = [whole.score(*one)[0] for one in zip(seen, made[:, None], strict=True)]
        assert folded.score(obs[0], moves) == pytest.approx(np.array(expected), abs=1e-5)


@pytest.mark.parametrize("games", [WINNER, BIG_TWO], ids=["winner", "big-two"])
def test_no_two_features_of_a_game_have_one_label(games: tuple[Rules, ...]) -> None:
    for rules in games:
        for places, layout_ in zip(labels_of(rules, Reads(True)), layouts(rules, Reads(True)), strict=True):
            assert sorted(places.values()) == [f.start + k for f in layout_ for k in range(f.size)]


def test_the_same_card_is_the_same_feature_with_and_without_jokers() -> None:
    """Also the same kind, and the same seat of fewer players."""
    shared = shared_inputs(WINNER, Reads(True))
    for c in map(card, ("3D", "2S", "TH")):
        labels = []
        for rules in WINNER:
            own = labels_of(rules, Reads(True))[0]
            hand = min(place for label, place in own.items() if label[0] == "hand")
            place = hand + card_flags(rules, [c]).index(1)
            labels.append(next(label for label, at in own.items() if at == place))
        assert len(set(labels)) == 1
    flags = {label[1:] for label in shared.labels[0] if label[0] == "rule"}
    assert {("players", 3), ("players", 4), ("bomb", "any-size"), ("jokers", True)} <= flags
    assert not any(name == "decks" for name, _ in flags)  # all have one
    assert len([label for label in shared.labels[0] if label[0] == "passed"]) == 4
    assert ("kind", "bomb") in shared.labels[1]


def test_all_cards_played_are_another_feature_than_those_of_a_seat() -> None:
    shared = shared_inputs(BIG_TWO, Reads())
    names = [label[0] for label in shared.labels[0]]
    assert (names.count("played"), names.count("played by all")) == (4 * 52, 52)


def test_rules_that_options_do_not_tell_apart_are_refused() -> None:
    with pytest.raises(ValueError, match="the same options"):
        shared_inputs((dasan.rules("winner"), dasan.rules("winner", show_hands_after=False)), Reads(True))


def test_a_network_with_a_list_of_presets_plays_these_first_and_other_rules_last() -> None:
    for preset in ("big-two", "big-two-taiwan", "big-two-hong-kong", "big-two-philippines", "big-two-indonesia"):
        fit = fitted(dasan.rules(preset))
        assert fit is not None
        assert (fit.trained.name, fit.exact) == ("big-two-all-suits", True)
    for rules, name in (
        (dasan.rules("big-two-hong-kong", pass_is_final=True), "big-two-all-suits"),
        (dasan.rules("big-two", guard="off"), "big-two-all-suits"),
        (dasan.rules("big-two", guard="off", pass_is_final=True), "big-two"),
        (dasan.rules("big-two", five_card_order="own-kind"), "big-two"),  # nearest to Taiwan's rules
    ):
        other = fitted(rules)
        assert other is not None
        assert other.trained.name == name
    nearer = fitted(dasan.rules("big-two", scoring="cards"))  # to Hong Kong's rules than to Charlesworth's
    assert nearer is not None
    assert nearer.trained.name == "big-two-charlesworth-suits"
    alone = fitted(dasan.rules("big-two-indonesia", later_lead="winner", pass_is_final=True))
    assert alone is not None
    assert (alone.trained.name, alone.exact) == ("big-two-all-suits", False)


@pytest.mark.full
def test_a_shared_network_plays_what_its_card_lists_and_what_suits_no_other() -> None:
    """`winner-all-policy` comes before `winner-all`, which it continues, but leaves three players to `winner-3`."""
    one, zheng = named("winner-all-policy"), dasan.rules("zheng-shangyou")
    assert all(suits(one, rules) for rules in one.every)
    assert not suits(one, dasan.rules("zheng-shangyou", decks=2))
    listed = [dasan.rules("winner"), dasan.rules("winner", players=6), dasan.rules("winner-bomb"), zheng]
    near = [
        dasan.rules("winner", min_straight=3),
        dasan.rules("winner", players=5),
        dasan.rules("winner", jokers=True),
        dasan.rules("winner-bomb", min_straight=3),
        *(dasan.rules("zheng-shangyou", players=n) for n in (3, 5)),
    ]
    for rules in (*listed, *near):
        fit = fitted(rules)
        assert fit is not None
        assert (fit.trained.name, fit.exact) == ("winner-all-policy", rules in listed)
        state = dasan.deal(rules, seed=2)
        values = dasan.bot("net").explain(state.view(state.to_act)).moves
        assert values[0].value is not None
    for rules in (dasan.rules("winner", players=3), dasan.rules("winner-bomb", players=3)):
        fit = fitted(rules)
        assert fit is not None
        assert fit.trained.name == "winner-3"


@pytest.mark.full
def test_a_level_plays_as_before_where_the_network_has_no_sight_for_it() -> None:
    state = dasan.deal(dasan.rules("zheng-shangyou"), seed=2)
    view = state.view(state.to_act)
    level, net = dasan.bot("level-4"), dasan.bot("net")
    assert {one.value for one in net.explain(view).moves} != {one.value for one in level.explain(view).moves}
    assert NetBot(name="level-4", sighted=True).values(view) is None
    other = dasan.deal(dasan.rules("winner-bomb"), seed=2)
    winner = fit(named("winner"), other.rules).network.of_view(other.view(other.to_act), True)
    values = NetBot(name="level-4", sighted=True).values(other.view(other.to_act))
    assert values is not None
    assert values.tolist() == winner.tolist()


def test_a_network_that_continues_another_for_its_rules_comes_first() -> None:
    """Levels keep the network that it continues, whose card has their sight."""
    rules = named("big-three-4p").rules
    plays, levels = fitted(rules), fitted(rules, sighted=True)
    assert plays is not None
    assert levels is not None
    assert (plays.trained.name, plays.exact) == ("big-three-4p-opponents", True)
    assert (levels.trained.name, levels.exact) == ("big-three-4p", True)
    assert [one.name for one in catalogue() if one.continues] == [
        "big-three-4p-opponents",
        "big-three-4p-policy",
        "big-three-policy",
        "big-two-all-opponents",
        "big-two-all-policy",
        "big-two-all-suits",
        "big-two-charlesworth-policy",
        "big-two-charlesworth-suits",
        "dou-dizhu-policy",
        "winner-all-policy",
    ]
    one = named("winner-all-policy")
    config = {**one.card["config"], "start": "runs/winner-all"}
    assert not replace(one, card={**one.card, "config": config}).continues


def test_a_chain_of_continuations_is_followed_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where those that continue come last, and if one continued itself."""
    chain = [one for one in catalogue() if one.name.startswith("big-three-4p")]
    last = [replace(one, card={**one.card, "plays": []}) if one.continues else one for one in chain]
    assert len(last) == 3
    monkeypatch.setattr(trained, "catalogue", lambda: tuple(last))
    chosen = trained.fitted.__wrapped__(chain[0].rules)
    assert chosen is not None
    assert chosen.trained.name == "big-three-4p-opponents"
    own = replace(chain[0], card={**chain[0].card, "config": {**chain[0].card["config"], "start": chain[0].name}})
    monkeypatch.setattr(trained, "catalogue", lambda: (own,))
    alone = trained.fitted.__wrapped__(own.rules)
    assert alone is not None
    assert alone.trained is own


def test_a_network_that_continues_another_also_plays_the_rules_nearest_to_both() -> None:
    for preset in ("big-three", "big-three-fr", "big-three-denexa", "wa-keng"):
        rules = dasan.rules(preset)
        plays, levels = fitted(rules), fitted(rules, sighted=True)
        assert plays is not None
        assert levels is not None
        assert (plays.trained.name, plays.exact) == ("big-three-policy", preset == "big-three")
        assert (levels.trained.name, levels.exact) == ("big-three", preset == "big-three")
