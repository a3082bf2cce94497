"""The rules of every table: G.01 to G.06."""

from __future__ import annotations

import gc
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest
from tests.playing import (
    SETUPS,
    Choose,
    Options,
    at_random,
    every_preset,
    every_setup,
    lively,
    longest,
    play_hands,
    play_out,
    rules_of,
    setup_id,
)

import dasan
from dasan import Card, DasanError, State, View
from dasan.play.dealing import Deal
from dasan.play.events import Event, EventType
from dasan.play.moves import Spoken, read_move
from dasan.play.origin import Origin
from dasan.records.verify import verify

CARD = re.compile(r"\b(?:[2-9TJQKA][DCHS]|[BR]J)\b")
SEATS = (0, 1, 2, None)


def states_of(setup: tuple[str, Options], seed: int = 1) -> Iterator[State]:
    """Every state of the first two hands of a session."""
    rng = random.Random(seed)
    session = dasan.session(rules_of(setup), seed=seed)
    for n in range(2):
        session = session.next_hand() if n else session
        yield session.state
        while session.state.phase != "over":
            session = session.play((lively if n else at_random)(session.state, rng))
            yield session.state


def wrong_moves(state: State, rng: random.Random) -> Iterator[str]:
    """Moves that are probably illegal: the seat's own cards, others' cards, and every other kind of move."""
    own = state.hands[state.to_act or 0]
    for size in (1, 2, 3, 5):
        if len(own) >= size:
            yield " ".join(map(str, rng.sample(own, size)))
    yield str(rng.choice(state.rules.pack))
    yield from (
        "pass",
        "bid 1",
        "bid 3",
        "bid 7",
        "call 8C",
        "give 2S",
        "offer 3D 4D",
        "take 3D",
        "5 5",
        "BJ",
        "hello",
        "",
    )


def without_suits(move: dasan.Move | Spoken) -> tuple[str, int | None, str]:
    """What a move is but for the suits: lists of legal moves leave out plays that differ only in them (B4.07)."""
    return move.type.value, move.bid, " ".join(sorted(str(c)[0] for c in move.cards))


@pytest.mark.sampled(9, 9)
@every_setup
def test_g_01_refusals_cite_a_clause_in_force_and_change_nothing(setup: tuple[str, Options]) -> None:
    rng, cited = random.Random(3), Counter[str]()
    for n, state in enumerate(states_of(setup)):
        if n % 7:
            continue
        before = state.record()
        legal = {without_suits(move) for move in state.legal_moves()}
        for text in wrong_moves(state, rng):
            try:
                state.play(text)
            except DasanError as error:
                assert error.clause in state.rules.clauses, f"{text}: {error}"
                assert error.code in ("illegal", "malformed", "ambiguous")
                assert re.fullmatch(r".*\w.* — [A-Z0-9]+\.\d\d", str(error)), error
                assert "\n" not in str(error)
                cited[error.clause] += 1
            else:
                assert without_suits(read_move(text)) in legal, f"{text} was accepted"
        assert state.record() == before
    assert len(cited) > 3


@pytest.mark.sampled(4, 9)
@every_setup
def test_g_02_no_view_holds_a_card_its_seat_may_not_see(setup: tuple[str, Options]) -> None:
    players = rules_of(setup).players
    for n, state in enumerate(states_of(setup)):
        if n % (2 * players) and state.phase not in ("exchange", "call", "over"):
            continue
        for seat in (*random.Random(n).sample(range(players), 3), None):
            may_see = visible(state, seat)
            view = state.view(seat)
            shown = {str(c) for c in cards_in(view)}
            assert shown <= may_see, f"{seat} sees {sorted(shown - may_see)}"
            if state.phase == "over" and state.rules.show_hands_after:
                continue
            text = CARD.findall(state.record(seat).partition("\n")[2])
            assert set(text) <= may_see
            assert set(CARD.findall(str(view.to_json()))) <= may_see | call_list(view)


def call_list(view: View) -> set[str]:
    """Before the call the bidder is told which cards can be called: all that are not in the bidder's hand."""
    return {str(c) for m in view.legal_moves() if m.type == "call" for c in m.cards}


def visible(state: State, seat: int | None) -> set[str]:
    """The cards that `seat` has seen by the clauses: its own, the kitty it took, and what lay open on the table."""
    rules, begun = state.rules, state.begun
    assert isinstance(begun, Deal)
    seen = set(map(str, state.hands[seat])) | set(map(str, begun.hands[seat])) if seat is not None else set[str]()
    for event in state.events:
        if sees(state, seat, event):
            seen |= set(map(str, event.cards))
    if state.phase == "over" and rules.show_hands_after:
        seen |= set(map(str, rules.pack))
    return seen


def sees(state: State, seat: int | None, event: Event) -> bool:
    """Whether `seat` sees the cards of an event while hands are hidden."""
    if event.type is EventType.KITTY:
        return event.seat == seat or state.rules.reveal_kitty
    if event.type is EventType.OFFER:
        return state.exchange is not None and seat in (event.seat, state.exchange.loser)
    return True


def cards_in(thing: object) -> Iterator[Card]:
    """Every card reachable from a view; fails on a state or a secret."""
    assert not isinstance(thing, (State, Origin, bytes))
    if isinstance(thing, Card):
        yield thing
    elif isinstance(thing, dasan.Rules):
        return
    elif isinstance(thing, (tuple, list, frozenset)):
        for part in thing:
            yield from cards_in(part)
    elif isinstance(thing, dict):
        yield from cards_in(tuple(thing.values()))
    elif isinstance(thing, dasan.Move):
        if thing.type != "call":
            yield from cards_in((thing.cards, thing.combination))
    elif is_dataclass(thing):
        for field in fields(thing):
            yield from cards_in(getattr(thing, field.name))
        yield from cards_in(getattr(thing, "__dict__", {}))


@every_preset
def test_g_02_no_way_back_from_a_view_to_the_state(preset: str) -> None:
    state = dasan.deal(dasan.rules(preset), seed=1)
    view = state.view(1)
    reached, todo = set[int](), list[object]([view.__dict__])
    while todo:
        thing = todo.pop()
        if id(thing) in reached:
            continue
        reached.add(id(thing))
        assert not isinstance(thing, (State, Origin))
        if getattr(type(thing), "__module__", "").startswith("dasan") or isinstance(thing, (dict, tuple, list)):
            todo += gc.get_referents(thing)


@every_setup
def test_g_02_refusals_name_no_hidden_card(setup: tuple[str, Options]) -> None:
    rng = random.Random(4)
    refusals = 0
    for n, state in enumerate(states_of(setup)):
        if n % 11 or state.to_act is None:
            continue
        may_see = visible(state, state.to_act)
        for move in wrong_moves(state, rng):
            try:
                state.play(move)
            except DasanError as error:
                refusals += 1
                named = set(CARD.findall(error.message)) - set(CARD.findall(move))
                examples = {"4H", "TS", "RJ", "4S", "8C", "2S", "3D", "4C"}
                assert named <= may_see | (examples if error.code != "illegal" else set()), error
    assert refusals


@every_setup
def test_g_03_a_finished_hand_is_replayed_from_its_record_alone(setup: tuple[str, Options]) -> None:
    session = play_hands(dasan.session(rules_of(setup), seed=6), 2, random.Random(6))
    for state in (*session.past, session.state):
        again = dasan.replay(state.record())
        assert again == state
        assert again.record() == state.record()
    checked = verify(session.record())
    assert checked.game is not None
    assert checked.game.record() == session.record()
    assert not checked.unproved


@every_setup
@pytest.mark.parametrize("choose", [at_random, lively, longest], ids=lambda f: f.__name__)
def test_g_04_exactly_one_seat_is_to_act_and_every_hand_ends(setup: tuple[str, Options], choose: Choose) -> None:
    rng, state = random.Random(2), dasan.deal(rules_of(setup), seed=2)
    for _ in range(5_000):
        if state.phase == "over":
            break
        assert state.to_act is not None
        assert state.hands[state.to_act]
        assert state.legal_moves()
        assert len(set(state.legal_moves())) == len(state.legal_moves())
        assert state.result is None
        acting = [s for s in range(state.rules.players) if state.view(s).legal_moves()]
        assert acting == [state.to_act]
        state = state.play(choose(state, rng))
    assert state.phase == "over"
    assert (state.to_act, state.legal_moves()) == (None, ())
    assert state.result is not None


def test_g_04_draws_cuts_and_deals_are_no_states() -> None:
    session = dasan.session(dasan.rules("big-three"), seed=1)
    assert [e.type.value for e in session.opening][-1] == "dealer"
    assert session.state.phase == "auction"
    with pytest.raises(dasan.IllegalPlay) as caught:
        session.next_hand()
    assert caught.value.clause == "G.04"


@every_setup
def test_g_05_every_card_is_in_one_place_and_payments_sum_to_zero(setup: tuple[str, Options]) -> None:
    for state in states_of(setup, seed=5):
        places = Counter(c for h in state.hands for c in h) + Counter(state.kitty) + Counter(state.played)
        assert places == Counter(state.rules.pack)
        if state.result is not None:
            assert sum(state.result.payments) == 0
            assert len(state.result.payments) == state.rules.players


@pytest.mark.sampled(10)
@every_preset
@pytest.mark.parametrize("shown", [True, False])
def test_g_06_hands_are_shown_after_the_hand_where_the_table_says_so(preset: str, shown: bool) -> None:
    rules = dasan.rules(preset, show_hands_after=shown)
    rng = random.Random(7)
    session = play_hands(dasan.session(rules, seed=7), 2, rng)
    for state in (*session.past, session.state):
        assert isinstance(state.begun, Deal)
        for seat in (*range(rules.players), None):
            view = state.view(seat).to_json()
            assert view["hands"] == ([[str(c) for c in h] for h in state.hands] if shown else None)
            assert view["kitty"] == ([str(c) for c in state.begun.kitty] if shown else None)
            for event, told in zip(state.events, view["events"], strict=True):
                assert ("?" in told.get("cards", ())) == (not shown and not sees(state, seat, event))
            copy = state.record(seat)
            assert ("?" in copy) == (not shown)
            assert ('"secret"' in copy) == shown, "the secret would tell the hands"
        assert "?" not in state.record()
        assert '"secret"' in state.record(), "the record has everything once the hand is over"


@every_preset
def test_g_06_what_is_public_while_a_hand_goes_on(preset: str) -> None:
    state = dasan.deal(dasan.rules(preset), seed=8)
    rng = random.Random(8)
    for _ in range(25):
        if state.phase == "over":
            break
        state = state.play(lively(state, rng))
    spectator = state.view(None).to_json()
    assert spectator["hand"] == []
    assert spectator["legal_moves"] == []
    for seat in range(state.rules.players):
        mine = state.view(seat).to_json()
        for key in ("hand_sizes", "phase", "to_act", "dealer", "opener", "leader", "bidder", "bid", "called", "table"):
            assert mine[key] == spectator[key]
        public = [e for e in mine["events"] if e["type"] != "kitty"]
        assert public == [e for e in spectator["events"] if e["type"] != "kitty"]
    assert '"secret"' not in state.record()
    assert '"secret"' not in state.record(0)


@pytest.mark.parametrize("setup", SETUPS[::4], ids=setup_id)
def test_g_06_the_finishing_order_is_public(setup: tuple[str, Options]) -> None:
    over = play_out(dasan.deal(rules_of(setup), seed=1), random.Random(1))
    assert over.result is not None
    for seat in (0, None):
        assert over.view(seat).to_json()["result"]["finish_order"] == list(over.result.finish_order)
