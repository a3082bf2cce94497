"""Worlds are drawn uniformly: compared with all worlds by brute force, for every game and every constraint."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import pytest
from tests.playing import SETUPS, Options, lively, rules_of, say, setup_id
from tests.worlds.brute import current, hidden, histories, key, played_by, replayed, surprise, worlds

import dasan
from dasan import State, View
from dasan import worlds as sampling
from dasan.cards import Hand, format_cards
from dasan.play.events import EventType
from dasan.worlds.knowledge import Knowledge
from dasan.worlds.states import Sampler

pytestmark = pytest.mark.full

Wanted = Callable[[View, Knowledge], bool]
MOST = 3.3
"""A chi-square that is less likely than 1 in 2,000 if worlds are drawn uniformly."""


def views(rules: dasan.Rules, seed: int, hands: int) -> Iterator[View]:
    """Every seat's view late in the hands of a session, when few cards are hidden."""
    rng = random.Random(seed)
    session = dasan.session(rules, seed=seed)
    for number in range(hands):
        if number:
            session = session.next_hand()
        while session.state.to_act is not None:
            session = session.play(lively(session.state, rng))
            state = session.state
            for seat in range(rules.players):
                if state.phase == "play" and 3 <= sum(state.hand_sizes) - len(state.hands[seat]) <= 7:
                    yield state.view(seat)


def find(preset: str, options: dict[str, Any], wanted: Wanted, hands: int) -> View:
    """The first wanted view with three worlds or more."""
    rules = dasan.rules(preset, **options)
    for seed in range(60):
        for view in views(rules, seed, hands):
            knows = Knowledge(view)
            if wanted(view, knows) and knows.layout().total >= 3 and ways(view) <= 700:
                return view
    raise AssertionError("there is no such view")


def ways(view: View) -> int:
    """The number of placements that brute force would try."""
    from math import comb

    n, out = len(hidden(view, {})), 1
    for seat, size in enumerate(view.hand_sizes):
        if seat != view.seat:
            out *= comb(n, size)
            n -= size
    return out


def exchanged(seat: str) -> Wanted:
    def wanted(view: View, knows: Knowledge) -> bool:
        pair = getattr(view.begun, "exchange", None)
        if pair is None:
            return False
        role = {pair[0]: "winner", pair[1]: "loser"}.get(view.seat, "other")
        return role == seat and (seat == "loser" or any(c for c in knows.limits))

    return wanted


def bound(view: View, knows: Knowledge) -> bool:
    """Whether the constraints matter: there are fewer worlds than placements."""
    return bool(knows.limits) and knows.layout().total < ways(view)


CASES: list[tuple[str, str, dict[str, Any], Wanted, int]] = [
    ("the bidder of three", "big-three", {}, lambda v, k: v.seat == v.bidder, 1),
    ("a kitty that all saw", "big-three", {"reveal_kitty": True}, lambda v, k: v.seat != v.bidder, 1),
    ("no hand that must dig", "big-three", {"must_dig": True, "reveal_kitty": True}, lambda v, k: _told(v, k), 1),
    ("the bidder of four", "big-three-4p", {}, lambda v, k: v.seat == v.bidder and v.partner is None, 1),
    ("an opponent in four", "big-three-4p", {}, lambda v, k: v.seat != v.bidder and v.partner is None, 1),
    ("the partner", "big-three-4p", {"must_dig": True}, lambda v, k: v.seat == v.partner and _told(v, k), 1),
    ("big two", "big-two", {}, lambda v, k: True, 1),
    ("guards who obeyed", "big-two", {"guard": "enforced"}, bound, 1),
    ("one who knows no exchange", "winner", {"players": 3}, lambda v, k: True, 1),
    ("beside an exchange", "winner", {"players": 3}, lambda v, k: exchanged("other")(v, k) and bound(v, k), 2),
    ("the winner of an exchange", "winner", {"jokers": True}, exchanged("winner"), 2),
    ("the loser of an exchange", "winner", {"players": 3}, lambda v, k: exchanged("loser")(v, k) and _offer(k), 2),
    ("suits without order", "winner", {"suits_ranked": False, "players": 3}, exchanged("other"), 2),
    ("the opening card exchanged", "winner", {"later_lead": "three-of-diamonds", "players": 3}, exchanged("other"), 2),
    ("bombs of four", "winner-bomb", {}, lambda v, k: True, 1),
]


def _told(view: View, knows: Knowledge) -> bool:
    """Whether an unseen card could have forced a hand to dig."""
    return bool(knows.dig_ranks) and bool(knows.low - {view.seat}) and any(c.rank in "32" for c in hidden(view, {}))


def _offer(knows: Knowledge) -> bool:
    """Whether the refused card of the offer is still known to be with the winner."""
    pair = getattr(knows.view.begun, "exchange", None)
    shown = {e.type: e.cards for e in knows.view.events}
    vain = set(shown.get(EventType.OFFER, ())) - set(shown.get(EventType.TAKE, ()))
    return pair is not None and not vain.isdisjoint(knows.known[pair[0]])


@pytest.mark.sampled(6, 6)
@pytest.mark.parametrize(("preset", "options", "wanted", "hands"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_every_world_is_equally_likely(preset: str, options: dict[str, Any], wanted: Wanted, hands: int) -> None:
    view = find(preset, options, wanted, hands)
    states = list(worlds(view))
    everything = [key(state) for state in states]
    assert len(everything) == len(set(everything))
    listed = Sampler(view).hands(len(states), 0)
    assert listed.whole
    weights = Counter[tuple[Hand, ...]]()
    for hands_now, weight in zip(listed.hands, listed.weights, strict=True):
        weights[tuple(map(view.rules.order.hand, hands_now))] += round(weight)
    times = len(states) // weights.total()
    assert {hands: n * times for hands, n in weights.items()} == Counter(state.hands for state in states)
    expected = dict.fromkeys(everything, 1.0)
    n = max(600, 12 * len(everything))
    counts = Counter(key(state) for state in sampling.sample(view, n, seed=1))
    assert surprise(counts, expected) < MOST


@pytest.mark.long
@pytest.mark.parametrize("must_dig", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_kitty_taken_up_unseen_lies_in_every_way(must_dig: bool) -> None:
    """B3.11, H.01: the others do not know which of the bidder's cards were dealt; a player who did not dig did not have to."""
    view = one_to_come(dasan.rules("big-three", must_dig=must_dig))
    expected: Counter[str] = Counter()
    kitties: Counter[str] = Counter()
    for now in current(view, {}):
        had = [[*hand, *played_by(view, s)] for s, hand in enumerate(now)]
        for dealt, kitty, _ in histories(view, had):
            auction = replayed(view, dealt, kitty, (), stop="kitty")
            if auction is not None and auction.events[0] == view.events[0]:
                expected[text(now, view)] += 1
                kitties.update(str(c) for c in kitty)
    assert must_dig is (len(set(expected.values())) > 1)
    counts: Counter[str] = Counter()
    lay: Counter[str] = Counter()
    for state in sampling.sample(view, 2000, seed=2):
        counts[text(state.hands, view)] += 1
        lay.update(str(c) for c in state.begun.kitty)
    assert surprise(counts, dict(expected)) < MOST
    assert surprise(lay, dict(kitties)) < MOST


def text(hands: Sequence[Sequence[dasan.Card]], view: View) -> str:
    return " ".join(format_cards(view.rules.order.hand(hand)) for hand in hands)


def one_to_come(rules: dasan.Rules) -> View:
    """Seat 0's view when the bidder has shown three 3s and the last one is among three hidden cards."""
    kitty = "3H 7S 8S 5C"
    bidder = "4H 3D 3C 5D 6D 7D 8D 9D TD JD QD KD 6C 7C 8C AD"
    third = "3S 2S AS AH 9S TS JS QS KS KH QH JH TH 9H 8H 7H"
    left = [c for c in rules.pack if str(c) not in f"{kitty} {bidder} {third}".split()]
    rng = random.Random(7)
    for _ in range(400):
        state = say(dasan.start(rules, [format_cards(left), bidder, third], kitty=kitty), "bid 1", "pass", "pass")
        while state.to_act is not None:
            state = state.play(lively(state, rng))
            view = state.view(0)
            shown = [str(c) for c in played_by(view, 1)]
            pool = [str(c) for c in hidden(view, {})]
            if len(pool) == 3 and "3S" in pool and sum(c[0] == "3" for c in shown) == 3 and all(view.hand_sizes[1:]):
                return view
    raise AssertionError("there is no such view")


def naive(view: View, n: int, rng: random.Random) -> Iterator[State]:
    """Worlds of an auction, by shuffling the unseen cards until they allow the same auction."""
    pool = hidden(view, {})
    sizes = [0 if s == view.seat else view.hand_sizes[s] for s in range(view.rules.players)]
    while n:
        rng.shuffle(pool)
        ends = [sum(sizes[: s + 1]) for s in range(len(sizes))]
        hands = [pool[end - size : end] if size else list(view.hand) for size, end in zip(sizes, ends, strict=True)]
        state = replayed(view, hands, pool[ends[-1] :], ())
        if state is not None and state.view(view.seat) == view:
            n -= 1
            yield state


def shape(state: State) -> list[str]:
    """The cards about which an auction gives information: each place's 3s, 2s and low hearts."""
    places = [*state.hands, state.kitty]
    return [
        f"{name} {[sum(c in cards for c in hand) for hand in places]}"
        for name, cards in (
            ("3s", [dasan.card(f"3{s}") for s in "DCHS"]),
            ("2s", [dasan.card(f"2{s}") for s in "DCHS"]),
            ("hearts", [dasan.card(f"{r}H") for r in "4567"]),
        )
    ]


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize("preset", ["big-three", "big-three-4p"])
def test_auctions(preset: str) -> None:
    """B3.07, H.01: the opener holds the lowest heart, lower ones are in the kitty, and a player who did not dig did
    not have to.
    """
    rules = dasan.rules(preset, must_dig=True)
    for seed in range(100):
        state = dasan.deal(rules, seed=seed)
        shown = state.events[0].cards[0]
        while state.phase == "auction" and "bid 3" in map(str, state.legal_moves()) and len(state.legal_moves()) > 1:
            state = state.play("pass" if len(state.events) > 1 else "bid 1")
            if len(state.events) == 3:
                break
        if len(state.events) == 3 and shown is not None and (rules.kitty_size == 0 or shown.rank == "5"):
            break
    view = state.view(state.to_act)
    n = 300
    theirs = [shape(s) for s in naive(view, n, random.Random(4))]
    ours = [shape(s) for s in sampling.sample(view, n, seed=3)]
    for i in range(3):
        assert agree(Counter(x[i] for x in theirs), Counter(x[i] for x in ours)) < MOST


def agree(first: Counter[str], second: Counter[str]) -> float:
    """The distance between the distributions of two samples of one size, as a normal deviate; rare values are pooled."""
    both = first + second
    common = [k for k, count in both.items() if count >= 20]
    rare = both.total() - sum(both[k] for k in common)
    pairs = [(first[k], second[k]) for k in common]
    if rare:
        pairs.append((first.total() - sum(a for a, _ in pairs), second.total() - sum(b for _, b in pairs)))
    if len(pairs) < 2:
        return 0.0
    chi = sum((a - b) ** 2 / (a + b) for a, b in pairs if a + b)
    free = len(pairs) - 1
    deviate: float = ((chi / free) ** (1 / 3) - (1 - 2 / (9 * free))) / (2 / (9 * free)) ** 0.5
    return deviate


def test_two_cards_offered_in_secret() -> None:
    """W.20: a third player knows that the loser has nothing higher than was given, and not which cards are offered."""
    rules = dasan.rules("winner", players=3, jokers=True)
    session = dasan.session(rules, seed=8)
    rng = random.Random(1)
    while session.state.to_act is not None:
        session = session.play(lively(session.state, rng))
    session = session.next_hand()
    for _ in range(2):
        session = session.play(lively(session.state, rng))
    deal = session.state.exchange
    assert deal is not None
    assert deal.given is not None
    view = session.state.view(3 - deal.winner - deal.loser)
    offered: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for state in sampling.sample(view, 3000, seed=5):
        assert state.view(view.seat) == view
        assert state.exchange is not None
        theirs = [c for c in state.hands[deal.winner] if c != deal.given]
        offered[" ".join(str(theirs.index(c)) for c in state.exchange.offered)] += 1
        held.update(str(c) for c in theirs)
    pairs = combinations(range(view.hand_sizes[deal.winner] - 1), 2)
    assert surprise(offered, {f"{a} {b}": 1.0 for a, b in pairs}) < MOST
    value = rules.order.value
    free = [c for c in rules.pack if c not in view.hand and c != deal.given]
    high = [c for c in free if value[c] > value[deal.given]]
    chance = (len(theirs) - len(high)) / (len(free) - len(high))
    assert surprise(held, {str(c): 1.0 if c in high else chance for c in free}) < MOST


def test_alike_cards_are_two_cards() -> None:
    """W.05: the opener showed a 3♦; the other one is equally likely in every place that the rules allow."""
    rules = dasan.rules("winner", players=4, decks=2)
    three = dasan.card("3D")
    for view in (v for seed in range(200) for v in views(rules, seed, 1)):
        knows = Knowledge(view)
        if three in hidden(view, {}) and view.seat != view.opener and knows.layout().total > 3:
            break
    seen = {seat: [three] for seat in range(4) if seat == view.opener and three in knows.known[seat]}
    everything = Counter(key(state) for state in worlds(view, seen))
    counts = Counter(key(state) for state in sampling.sample(view, 2000, seed=7))
    assert surprise(counts, dict(everything)) < MOST


POSITIONS: list[tuple[str, dict[str, Any], list[str], dict[str, Any], list[str]]] = [
    ("big-three", {}, ["KD", "4H 6S", "9D"], {"bidder": 1, "leader": 1}, ["4H"]),
    ("winner", {"players": 3}, ["2S KD", "8S", "KH"], {"to_act": 0}, ["2S"]),
]


@pytest.mark.sampled(1, 1)
@pytest.mark.parametrize(("preset", "options", "hands", "start", "moves"), POSITIONS, ids=str)
def test_positions_from_the_middle(
    preset: str, options: dict[str, Any], hands: list[str], start: dict[str, Any], moves: list[str]
) -> None:
    """Cards that were gone before a given position are hidden too; a 2♠ that ended a trick says that none can beat it."""
    view = say(dasan.start(dasan.rules(preset, **options), hands, **start), *moves).view(0)
    everything = {text(s.hands, view) for s in worlds(view)}
    wanted = Counter(c for cards in everything for c in cards.split())
    sample = [text(s.hands, view) for s in sampling.sample(view, 3000, seed=3)]
    assert set(sample) <= everything
    assert surprise(Counter(c for cards in sample for c in cards.split()), dict(wanted)) < MOST


@pytest.mark.parametrize(
    ("called", "seats"), [({"called": "9D"}, ("1", "2", "3")), ({"called": "TD", "partner": 2}, ("",))]
)
def test_a_called_card_in_a_given_position(called: dict[str, Any], seats: tuple[str, ...]) -> None:
    """B4.03, B4.04: somebody other than the bidder holds it, or it has been played."""
    state = dasan.start(dasan.rules("big-three-4p"), ["KD", "4H", "9D", "8D"], bidder=0, **called)
    sample = sampling.sample(state.view(0), 1500, seed=1)
    wanted = dasan.card(called["called"])
    at = Counter("".join(str(s) for s in (1, 2, 3) if wanted in world.hands[s]) for world in sample)
    assert surprise(at, dict.fromkeys(seats, 1.0)) < MOST
    others = Counter(str(c) for world in sample for s in (1, 2, 3) for c in world.hands[s] if c != wanted)
    free = [str(c) for c in state.rules.pack if c != wanted and c not in state.hands[0]]
    assert surprise(others, dict.fromkeys(free, 1.0)) < MOST


@pytest.mark.parametrize(("other", "allowed"), [("2C", "456789TJQKA2"), ("3C", "3")])
def test_whether_a_foul_was_named_says_what_the_guard_held(other: str, allowed: str) -> None:
    """D2.17: where hands stay hidden after the end, the result still tells whether the guard had a higher card."""
    rules = dasan.rules("big-two", show_hands_after=False)
    state = say(dasan.start(rules, [f"4D {other}", "8S", "KD JD", "QD JC"], to_act=0), "4D", "8S")
    assert state.result is not None
    view = state.view(3)
    held = Counter(str(world.hands[0][0]) for world in sampling.sample(view, 200, seed=1))
    seen = [*state.hands[3], *state.played]
    assert surprise(held, {str(c): 1.0 for c in rules.pack if c.rank in allowed and c not in seen}) < MOST


def test_h_32_the_pass_of_a_guard_past_an_empty_seat_says_what_it_held() -> None:
    """D2.16: seat 1 is out, so seat 0 guards seat 2, and passed because it held nothing above the 8C."""
    rules = dasan.rules("big-two", ending="last-in", guard="enforced")
    position: dict[str, Any] = {"table": "8C", "table_seat": 3, "to_act": 0, "finished": (1,)}
    state = dasan.start(rules, ["5D 7C", "", "6C", "6D 9D 4C 4D"], **position)
    view = say(state, "pass", "pass", "6D").view(3)
    held = Counter(str(c) for world in sampling.sample(view, 1500, seed=1) for c in world.hands[0])
    seen = [*view.hand, *(dasan.card(text) for text in ("8C", "6D"))]
    lower = [str(c) for c in rules.pack if rules.order.value[c] < rules.order.value[dasan.card("8C")] and c not in seen]
    assert surprise(held, dict.fromkeys(lower, 1.0)) < MOST
    deals = sampling.deals(view, 200, seed=1)
    assert {str(c) for i in range(200) for c in deals.hand(i, 0)} <= set(lower)


@pytest.mark.slow
@pytest.mark.parametrize("setup", SETUPS, ids=setup_id)
def test_there_are_as_many_worlds_as_brute_force_finds(setup: tuple[str, Options]) -> None:
    """For every view late in a hand, in every game; another test counts hidden kitties."""
    rules, rng = rules_of(setup), random.Random(1)
    checked = 0
    for view in (view for seed in range(12) for view in views(rules, seed, 2) if rng.random() < 0.2):
        knows = Knowledge(view)
        if checked == 12 or ways(view) > 60 or knows.split is not None or knows.doubtful:
            continue
        known = {seat: knows.known[seat] for seat in range(rules.players) if seat != view.seat and knows.known[seat]}
        secret = any(e.type is EventType.OFFER and None in e.cards for e in view.events)
        winner = getattr(view.begun, "exchange", None)
        offers = len(view.begun.hands[winner[0]]) - 1 if secret and winner is not None else 1
        count = sum(1 for _ in worlds(view, known if rules.decks == 2 else {}))
        assert count == knows.layout().total * offers
        checked += 1
    assert checked
