"""Explanations of moves: ordered, complete and true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.playing import Options, every_setup, rules_of

import dasan
from dasan import worlds
from dasan.bots.explanation import SENTENCES, Reason
from dasan.bots.net import NetBot

HOLE = re.compile(r"\{(\w+)\}")


@pytest.mark.sampled(6)
@every_setup
def test_the_first_candidate_is_what_greedy_chooses(setup: tuple[str, Options]) -> None:
    greedy = dasan.bot("greedy")
    session = dasan.session(rules_of(setup), seed=5)
    for step in range(24):
        seat = session.state.to_act
        if seat is None:
            session = session.next_hand()
            continue
        view = session.state.view(seat)
        move = greedy.choose(view)
        if step % 3 == 0:
            explanation = greedy.explain(view)
            assert explanation.moves[0].move == move
            assert {one.move for one in explanation.moves} == set(view.legal_moves())
            assert json.loads(json.dumps(explanation.to_json()))["moves"][0]["move"] == str(move)
            assert all(reason.id in SENTENCES and reason.text for one in explanation.moves for reason in one.reasons)
        session = session.play(move)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("preset", ["big-three", "big-two", "winner"])
def test_what_cannot_be_beaten_is_beaten_in_no_world(preset: str) -> None:
    greedy = dasan.bot("greedy")
    state = dasan.deal(dasan.rules(preset), seed=21)
    checked = 0
    while state.to_act is not None and checked < 12:
        seat = state.to_act
        view = state.view(seat)
        explanation = greedy.explain(view)
        for one in explanation.moves:
            play = one.move.combination
            if play is None or Reason("cannot-be-beaten") not in one.reasons:
                continue
            checked += 1
            for world in worlds.sample(view, 3, seed=checked):
                after = world.play(one.move)
                while after.to_act is not None and after.table_seat == seat and after.to_act != seat:
                    allies = {world.bidder, world.partner}
                    enemy = world.bidder is None or (after.to_act in allies) != (seat in allies)
                    assert not enemy or all(move.combination is None for move in after.legal_moves())
                    after = after.play("pass")
        state = state.play(explanation.moves[0].move)
    assert checked


def test_a_pass_does_not_hand_the_lead_to_a_last_card() -> None:
    state = dasan.start(
        dasan.rules("big-two", guard="off"),
        ["4D 5D 8S 8H 8C", "2C", "JC QC KD", "7S 7H 9D"],
        table="3S",
        table_seat=1,
        to_act=0,
        passed=(2, 3),
        leader=1,
    )
    greedy = dasan.bot("greedy")
    explanation = greedy.explain(state.view(0))
    assert greedy.choose(state.view(0)).cards
    (passing,) = [one for one in explanation.moves if not one.move.cards]
    assert Reason("hands-over-lead", {"seat": 1}) in passing.reasons


def test_one_is_said_in_the_singular() -> None:
    """One more play, one card of an ally, one highest card."""
    state = dasan.start(
        dasan.rules("big-three"),
        ["4D 3S", "8H", "JC QC KD"],
        bidder=2,
        bid=1,
        table="9D",
        table_seat=1,
        to_act=0,
        passed=(2,),
        leader=1,
    )
    reasons = [reason for one in dasan.bot("greedy").explain(state.view(0)).moves for reason in one.reasons]
    assert {reason.values["rank"] for reason in reasons if "rank" in reason.values} == {"3"}
    texts = {reason.text for reason in reasons}
    assert texts >= {
        "The rest of your hand takes 1 more play.",
        "It leaves the trick to your ally in seat 1, who holds 1 card.",
        "It uses your only card of the highest rank (3s).",
        "It keeps your only card of the highest rank (3s).",
    }, texts


@pytest.mark.parametrize("jokers", [False, True])
def test_a_two_is_no_highest_card_below_jokers(jokers: bool) -> None:
    state = dasan.start(
        dasan.rules("winner", jokers=jokers),
        ["3S 4S 2S 2D", "6H 7H 9H 9S", "7C 8C 8S TD", "JD JC"],
        leader=1,
        table="KS",
        table_seat=3,
    )
    reasons = {reason.id for one in dasan.bot("greedy").explain(state.view(0)).moves for reason in one.reasons}
    assert reasons.isdisjoint({"spends-top", "keeps-top"}) == jokers


def test_the_page_words_every_reason() -> None:
    """All four catalogues have each reason with its values; in English it says what the bot says."""
    languages = sorted((Path(__file__).parents[2] / "web" / "src" / "i18n").glob("*.json"))
    assert len(languages) == 4
    for path in languages:
        words = json.loads(path.read_text(encoding="utf-8"))
        texts = {key.removeprefix("reason."): text for key, text in words.items() if key.startswith("reason.")}
        assert texts.keys() == SENTENCES.keys(), path.stem
        assert all(set(HOLE.findall(texts[id])) == set(HOLE.findall(SENTENCES[id])) for id in SENTENCES), path.stem
        # The page puts the name of the player in place of the number of the seat.
        named = {id: re.sub(r"(in )?[Ss]eat (?=\{)", "", text) for id, text in SENTENCES.items()}
        typed = {id: text.replace("\N{MINUS SIGN}", "-") for id, text in texts.items()}
        assert path.stem != "en" or typed == named


def test_bots_without_values_explain_by_facts_alone() -> None:
    state = dasan.deal(dasan.rules("big-two"), seed=2)
    for name in ("random", "thrifty"):
        explanation = dasan.bot(name).explain(state.view(state.to_act))
        assert explanation.unit == "none"
        assert {one.value for one in explanation.moves} == {None}
        assert name in explanation.text


@pytest.mark.full
@pytest.mark.parametrize("name", ["search", "net", "strong", "level-3", "level-8"])
def test_an_explanation_names_the_bot_that_was_asked(name: str) -> None:
    """Also where another bot chooses for it: without a network, in auctions and exchanges, and where only one move is legal."""
    forced = dasan.start(
        dasan.rules("big-two", guard="off"), ["3D", "4D", "5D", "6D"], table="8C", table_seat=3, to_act=0
    )
    auction = dasan.deal(dasan.rules("big-three"), seed=1)
    unknown = dasan.start(dasan.rules("big-two", players=3), ["3D 5D", "4D", "6D"], leader=0)
    session = dasan.session(dasan.rules("winner", players=3), seed=1)
    while session.state.to_act is not None:
        session = session.play(session.state.legal_moves()[0])
    exchange = session.next_hand().state
    states = [forced, auction, unknown, exchange, exchange.play(exchange.legal_moves()[0])]
    if name in ("strong", "level-8"):
        states.remove(auction)  # they take a second to look ahead
    for state in states:
        assert dasan.bot(name).explain(state.view(state.to_act)).text.startswith(f"{name} would choose ")


@pytest.mark.parametrize(
    ("hand", "said"),
    [
        # Four threes, four twos and a long straight.
        ("3D 3C 3H 3S 2D 2C 2H 2S 4D 5D 6D 7D 8D 9D TD JD", {"bid-good"}),
        ("4D 4C 5D 5H 6H 7S 7C 8D 9C 9H TC JS QD KC KH AD", {"bid-weak"}),
    ],
)
def test_a_bid_is_judged_in_words(hand: str, said: set[str]) -> None:
    rest = [rank + suit for rank in "456789TJQKA23" for suit in "DCHS" if rank + suit not in hand]
    others = [" ".join(rest[:16]), " ".join(rest[16:32])]
    state = dasan.start(dasan.rules("big-three", cut=False), [hand, *others], kitty=" ".join(rest[32:]), dealer=0)
    while state.to_act != 0:
        state = state.play("bid 1" if state.bid is None else "pass")
    explained = dasan.bot("greedy").explain(state.view(0)).moves
    (passed,) = [one for one in explained if str(one.move) == "pass"]
    assert [(reason.id, reason.values["bid"]) for reason in passed.reasons] == (
        [("bid-weak", 2)] if said == {"bid-weak"} else []
    )
    reasons = [reason for one in dasan.bot("greedy").explain(state.view(0)).moves for reason in one.reasons]
    assert {reason.id for reason in reasons if reason.id.startswith("bid-")} == said
    assert not any(char.isdigit() for reason in reasons for char in reason.text.replace(str(reason.values["bid"]), ""))


@pytest.mark.parametrize(("scoring", "exact"), [("off", True), ("cards", False)])
def test_a_network_that_was_trained_for_places_names_places(scoring: str, exact: bool) -> None:
    """Winner with payments has no network of its own."""
    rules = dasan.rules("winner", scoring=scoring)
    state = dasan.deal(rules, seed=3)
    assert (NetBot().note(rules) == "") is exact
    assert NetBot().explain(state.view(state.to_act)).unit == "place"


def test_a_weak_hand_that_must_bid_is_too_weak_for_more() -> None:
    """Who opens the auction bids at least 1: that the hand is too weak for 1 would speak against the only choice."""
    hand = "4H 4C 5D 5H 6H 7S 7C 8D 9C 9H TC JS QD KC KH AD"
    rest = [rank + suit for rank in "456789TJQKA23" for suit in "DCHS" if rank + suit not in hand]
    others = [" ".join(rest[:16]), " ".join(rest[16:32])]
    state = dasan.start(dasan.rules("big-three", cut=False), [hand, *others], kitty=" ".join(rest[32:]), dealer=0)
    explained = dasan.bot("greedy").explain(state.view(0)).moves
    assert [(str(one.move), *((reason.id, reason.values["bid"]) for reason in one.reasons)) for one in explained] == [
        ("bid 1", ("bid-weak", 2)),
        ("bid 2", ("bid-weak", 2)),
        ("bid 3", ("bid-weak", 3)),
    ]
