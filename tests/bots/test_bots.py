"""Properties of every bot: its name, its moves, and what it may know."""

from __future__ import annotations

import inspect
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.bots.hidden import shuffled_for
from tests.playing import SETUPS, Options, every_setup, rules_of, setup_id
from tests.vector.covering import allowed

import dasan
from dasan.bots import ABOUT, BOTS, CHARACTERS
from dasan.bots.protocol import Bot

SLOW = ("search", "strong")
CHEAP = (*(name for name in ABOUT if name not in SLOW and not name.startswith("level-")), "level-4")
every_bot = pytest.mark.parametrize("name", CHEAP)


def single_options() -> list[tuple[str, Options]]:
    """Every value of every option, one at a time, that changes its preset and needs no other option."""
    setups: list[tuple[str, Options]] = []
    for name, preset in dasan.PRESETS.items():
        for option in preset.options:
            values = option.choices or tuple({option.minimum, min(option.maximum, 8)})
            setups += [(name, {option.name: value}) for value in values if value != option.default]
    return [(name, options) for name, options in setups if allowed(name, options)]


def play_session(rules: dasan.Rules, seats: Sequence[Bot], hands: int, seed: int) -> dasan.Session:
    """A session of `hands` whole hands by these bots; every move they say is legal."""
    session = dasan.session(rules, seed=seed)
    for number in range(hands):
        if number:
            session = session.next_hand()
        while session.state.to_act is not None:
            seat = session.state.to_act
            view = session.state.view(seat)
            move = seats[seat].choose(view)
            assert move in view.legal_moves()
            session = session.play(move)
    return session


def test_an_unknown_bot_lists_the_known_names() -> None:
    assert {name: dasan.bot(name).name for name in BOTS} == {name: name for name in BOTS}
    with pytest.raises(ValueError, match=f"there is no bot 'grandma'; there are {', '.join(BOTS)}"):
        dasan.bot("grandma")


@every_bot
def test_a_bot_has_a_version_and_is_given_a_view_alone(name: str) -> None:
    made = dasan.bot(name, seed=3)
    assert made.version
    assert list(inspect.signature(made.choose).parameters) == ["view"]


@every_bot
def test_a_bot_that_is_not_to_act_says_so(name: str) -> None:
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    waiting = next(s for s in range(4) if s != state.to_act)
    with pytest.raises(ValueError, match="when it is its turn"):
        dasan.bot(name).choose(state.view(waiting))


@pytest.mark.sampled(4, 9)
@every_setup
def test_bots_play_whole_sessions_by_the_rules(setup: tuple[str, Options]) -> None:
    rules = rules_of(setup)
    seats = [dasan.bot("greedy" if s % 3 else "random", seed=s) for s in range(rules.players)]
    play_session(rules, seats, hands=3, seed=17)


@pytest.mark.slow
@pytest.mark.parametrize("setup", single_options(), ids=str)
def test_bots_play_by_the_rules_with_every_option(setup: tuple[str, Options]) -> None:
    preset, options = setup
    rules = dasan.rules(preset, **options)
    for number, first in enumerate(("greedy", "random")):
        seats = [dasan.bot("greedy" if s else first, seed=s) for s in range(rules.players)]
        play_session(rules, seats, hands=2, seed=number)


def every_bot_in_turn(least: int) -> pytest.MarkDecorator:
    """Every bot with every setup. One pair in `least` is not slow; together these have every bot and every setup."""
    return pytest.mark.parametrize(
        ("name", "setup"),
        [
            pytest.param(name, setup, id=f"{name} {setup_id(setup)}", marks=pytest.mark.slow if (i + j) % least else ())
            for i, name in enumerate(CHEAP)
            for j, setup in enumerate(SETUPS)
        ],
    )


@pytest.mark.sampled(2, 8)
@every_bot_in_turn(6)
def test_the_same_view_is_answered_by_the_same_move(name: str, setup: tuple[str, Options]) -> None:
    first, second = ([dasan.bot(name, seed=5)] * rules_of(setup).players for _ in range(2))
    records = {play_session(rules_of(setup), seats, hands=2, seed=23).record() for seats in (first, second)}
    assert len(records) == 1


@pytest.mark.sampled(2, 16)
@every_bot_in_turn(3)
def test_cards_that_a_seat_cannot_see_do_not_change_its_move(name: str, setup: tuple[str, Options]) -> None:
    rng = random.Random(31)
    bot = dasan.bot(name)
    state = dasan.session(rules_of(setup), seed=29).state
    while state.to_act is not None:
        seat = state.to_act
        move = bot.choose(state.view(seat))
        if state.phase is not dasan.Phase.EXCHANGE:
            other = shuffled_for(state, seat, rng)
            assert other.view(seat).to_json() == state.view(seat).to_json()
            assert dasan.bot(name).choose(other.view(seat)) == move
        state = state.play(move)


def test_random_is_uniform_and_its_seed_counts() -> None:
    state = dasan.deal(dasan.rules("big-three"), seed=7)
    view = state.view(state.to_act)
    counts = Counter(str(dasan.bot("random", seed=seed).choose(view)) for seed in range(3000))
    assert set(counts) == {"bid 1", "bid 2", "bid 3"}
    assert all(900 < n < 1100 for n in counts.values())


def test_graded_players_have_names_characters_and_levels() -> None:
    assert [character.bot for character in CHARACTERS] == [f"level-{n}" for n in range(1, 9)]
    assert len({character.name for character in CHARACTERS}) == 8
    for character in CHARACTERS:
        assert dasan.bot(character.bot).name == character.bot
        assert character.to_json()["how"].endswith(".")


def test_what_a_bot_does_is_a_phrase_that_follows_its_name() -> None:
    assert set(ABOUT) <= set(BOTS)  # packages and other tests register more
    assert [phrase for phrase in ABOUT.values() if not phrase[0].islower() or phrase.endswith(".")] == []


@pytest.mark.parametrize("name", ["low", "shed"])
def test_the_simple_opponents_lead_and_follow_as_described(name: str) -> None:
    rules = dasan.rules("big-two", guard="off")
    lead = dasan.start(rules, ["3D 3C 5H 7S", "4D 4S", "6D 6S", "9D 9S"], leader=0)
    move = dasan.bot(name).choose(lead.view(0))
    assert str(move) == {"low": "3D", "shed": "3D 3C"}[name]
    follow = dasan.start(rules, ["3C 5H 7S 2S", "4D 4S", "6D 6S", "9D 9S"], table="4H", table_seat=3, to_act=0, leader=3)
    assert str(dasan.bot(name).choose(follow.view(0))) == "5H"


@pytest.mark.parametrize("name", ["low", "shed", "thrifty", "greedy", "search"])
def test_bids_calls_and_exchanges_do_not_depend_on_the_order_of_legal_moves(name: str) -> None:
    """A host may list them in another order than `State.legal_moves` does (bot protocol)."""
    rng, seen = random.Random(name), set()
    for preset, options in (("big-three", {}), ("big-three-4p", {}), ("winner", {"suits_ranked": False, "decks": 2})):
        session = dasan.session(dasan.rules(preset, **options), seed=3)
        hands = 0
        while hands < 4:
            state = session.state
            if state.to_act is None:
                session, hands = session.next_hand(), hands + 1
                continue
            view, moves = state.view(state.to_act), state.legal_moves()
            if state.phase != "play":
                seen.add(moves[0].type)
                chosen = dasan.bot(name).choose(view)
                for order in (moves[::-1], tuple(rng.sample(moves, len(moves)))):
                    assert dasan.bot(name).choose(replace(view, _legal=order)) == chosen
                session = session.play(chosen)
            else:
                session = session.play(max(moves, key=lambda move: len(move.cards)))
    assert seen >= {"bid", "call", "give", "offer", "take"}


@pytest.mark.full
def test_legal_moves_are_in_the_order_that_the_protocol_states() -> None:
    """Bids and named cards from low to high, plays as the catalogue lists them, and the pass last."""
    for preset in dasan.PRESETS:
        state = dasan.deal(dasan.rules(preset), seed=4)
        while state.to_act is not None:
            moves, rows = state.legal_moves(), state.fits(state.to_act)
            place = state.rules.order.place
            plays = [move.cards for move in moves if move.combination is not None]
            assert plays == [c.cards for _, c in rows if c.cards in plays]
            named = [
                (move.bid or 0, [place[c] for c in move.cards]) for move in moves if move.type != "pass" and not plays
            ]
            assert named == sorted(named)
            assert all(move.type != "pass" for move in moves[:-1])
            state = state.play(moves[len(moves) // 2])
