"""The kernels of Dou Dizhu against the engine, move by move, and against the catalogue, hand by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.vector.differential import follow

import dasan
from dasan import vector
from dasan.backends import KICKERS
from dasan.backends.kickers import most_plays
from dasan.cards import Card
from dasan.kernels.env.results import NOBODY
from dasan.kernels.kickers import hands as kicker_hands
from dasan.kernels.kickers import play as kicker_play
from dasan.kernels.kickers.tables import kicker_catalogue, kicker_policy, packed
from dasan.play.dealing import Deal
from dasan.play.moves import Move, MoveType
from dasan.play.new_hand import begin
from dasan.ruleset.shapes import AnyShape, Kickers, Run

VARIANTS: list[dict[str, Any]] = [
    {},
    {"joker_kickers": True},
    {"kickers": "distinct", "spring": False, "doubling_cap": 1},
    {"kickers": "distinct", "joker_kickers": True, "doubling_cap": 2},
]
SEED = np.uint64(20_26)
every_variant = pytest.mark.parametrize("options", VARIANTS, ids=str)


def rules_of(options: dict[str, Any]) -> dasan.Rules:
    return dasan.rules("dou-dizhu", **options)


def counts_of(rules: dasan.Rules, cards: Sequence[Card]) -> np.uint64:
    ranks = [rules.order.place[card][0] for card in cards]
    return np.uint64(packed({rank: ranks.count(rank) for rank in ranks}))


def cards_of(rules: dasan.Rules, counts: Sequence[int]) -> list[list[Card]]:
    """Hands and a kitty with these counts, of a whole pack."""
    left = {rank: [c for c in rules.pack if rules.order.place[c][0] == rank] for rank in range(15)}
    return [[left[rank].pop() for rank in range(15) for _ in range(word >> (4 * rank) & 15)] for word in counts]


def move_of(state: dasan.State, code: int) -> Move:
    """The engine's move that a trace code names."""
    legal = state.legal_moves()
    if state.phase is dasan.Phase.AUCTION:
        bid = kicker_hands.BID - code
        return next(m for m in legal if (m.bid or 0) == bid)
    if code == kicker_hands.PASS:
        return next(m for m in legal if m.type is MoveType.PASS)
    row = state.rules.catalogue.rows[code]
    return next(
        move
        for move in legal
        if move.combination is not None
        and (move.combination.family, move.combination.strength) == (row.family, row.strength)
        and counts_of(state.rules, move.cards) == packed(row.pattern.counts)
    )


def played_at_random(rules: dasan.Rules, hands: int) -> Any:
    """Whole hands: the state at the beginning, the plies, the payments and the seat that went out."""
    t, p = kicker_catalogue(rules), kicker_policy(rules)
    pack, words = np.zeros(kicker_hands.CARDS, np.uint64), np.zeros(4, np.uint64)
    scratch, payments = np.zeros(kicker_play.PLAY_WORDS, np.uint64), np.zeros(3, np.int64)
    state = SEED
    for number in range(hands):
        kicker_hands.fill_pack(pack, False)
        trace = np.zeros(3 * 400, np.int64)
        state = np.uint64(kicker_hands.deal_cards(state, pack, words, p.hand_size, 3))
        *dealt, kitty = (rules.order.hand(cards) for cards in cards_of(rules, [int(word) for word in words]))
        begun = begin(rules, Deal(1, 0, tuple(dealt), kitty, opener=number % 3))
        after, plies, out = kicker_hands.random_hand(state, words, number % 3, scratch, t, p, payments, trace)
        state = np.uint64(after)
        yield begun, trace[: 3 * plies].reshape(-1, 3).tolist(), tuple(payments.tolist()), out


@pytest.mark.full
@pytest.mark.sampled(1, 4)
@every_variant
def test_random_hands_are_the_engines_hands(options: dict[str, Any]) -> None:
    """Every ply is legal in the engine, and the number of legal moves and the payments agree."""
    for begun, trace, payments, out in played_at_random(rules_of(options), 60):
        check_hand(begun, trace, payments, out)


def check_hand(state: dasan.State, trace: list[list[int]], payments: tuple[int, ...], out: int) -> None:
    for seat, code, legal in trace:
        assert state.to_act == seat
        assert len(state.legal_moves()) == legal
        state = state.play(move_of(state, code))
    assert state.result is not None
    assert state.result.payments == payments
    assert state.result.finish_order[:1] == (() if out == NOBODY else (out,))


@pytest.mark.full
def test_dd_02_one_random_hand_in_64_is_void() -> None:
    voids = [hand for hand in played_at_random(rules_of({}), 1200) if hand[3] == NOBODY]
    assert 7 <= len(voids) <= 35
    for hand in voids[:3]:
        check_hand(*hand)


def many_hands(rules: dasan.Rules, source: random.Random) -> list[list[Card]]:
    """Hands of any cards, and of few ranks, in which planes, fours and bombs are common."""
    out = []
    for size in (1, 2, 5, 9, 14, 17, 20, 20):
        start = source.randrange(9)
        ranks = range(start, start + 6)
        for pack in (rules.pack, [c for c in rules.pack if c.is_joker or rules.order.place[c][0] in ranks]):
            out.append(source.sample(pack, min(size, len(pack))))
    return out


@pytest.mark.full
@pytest.mark.sampled(2, 4)
@every_variant
def test_hands_can_play_what_the_catalogue_says(options: dict[str, Any]) -> None:
    """Leads, and answers to a play: their rows in order, and the cards that each takes."""
    rules = rules_of(options)
    t, rows = kicker_catalogue(rules), rules.catalogue.rows
    scratch = np.zeros(kicker_play.PLAY_WORDS, np.uint64)
    source = random.Random(5)
    kinds: set[str] = set()

    def found(hand: np.uint64, code: int) -> list[int]:
        _, n = kicker_play.find(hand, code, scratch, t)
        return [kicker_play.choice(i, scratch, t) for i in range(n)]

    for cards in many_hands(rules, source):
        fits = rules.catalogue.fits(rules.order.hand(cards))
        hand = counts_of(rules, cards)
        assert found(hand, kicker_play.LEAD) == [row.id for row, _ in fits]
        assert len(fits) < most_plays(rules)
        assert kicker_play.size(hand) == len(cards)
        kinds |= {row.kind for row, _ in fits}
        for row, combination in fits:
            assert np.uint64(t.counts[row.id]) == counts_of(rules, combination.cards)
        others = [rows[source.randrange(len(rows))] for _ in range(6)]
        for other in (*others, *(row for row, _ in source.sample(fits, min(len(fits), 6)))):
            beaten = replace(fits[0][1], family=other.family, power=other.power, strength=other.strength)
            assert found(hand, int(t.shown[other.id]) >> 32 & 0xFFFF) == [
                row.id for row, fit in fits if fit.beats(beaten)
            ]
    assert kinds == {row.kind for row in rows}


@pytest.mark.full
def test_every_card_goes_to_every_seat_equally_often() -> None:
    """Chi-square below its 99.9 % quantile: 53 × 3 degrees of freedom."""
    pack, words = np.zeros(kicker_hands.CARDS, np.uint64), np.zeros(4, np.uint64)
    counts = np.zeros((64, 4))
    hands = 8000
    for number in range(hands):
        kicker_hands.fill_pack(pack, True)
        kicker_hands.deal_cards(np.uint64(number << 32), pack, words, 17, 3)
        counts += (words[None, :] >> np.arange(64, dtype=np.uint64)[:, None]) & np.uint64(1)
    seen = counts[counts.sum(axis=1) > 0]
    expected = hands * np.array([17, 17, 17, 3]) / 54
    assert seen.shape == (54, 4)
    assert (seen.sum(axis=1) == hands).all()
    assert float(((seen - expected) ** 2 / expected).sum()) < 220


def own_shapes(name: str) -> tuple[AnyShape, ...]:
    """Shapes in an order and with powers unlike the preset's."""
    shapes = rules_of({}).shapes
    if name == "triplets are bombs":
        return tuple(replace(s, power=1) if s.kind == "triplet" else s for s in shapes)
    if name == "fours with kickers are bombs":
        powers = {"bomb": 0, "four-with-singles": 1}
        return tuple(replace(s, power=powers.get(s.kind, s.power)) for s in shapes)
    if name == "kickers last":
        return (*shapes[:2], *shapes[8:], *shapes[2:8])
    return shapes[::-1] if name == "reversed" else shapes[:-2]


@pytest.mark.full
@pytest.mark.sampled(2, 3)
@pytest.mark.parametrize(
    "name", ["reversed", "no bombs", "triplets are bombs", "fours with kickers are bombs", "kickers last"]
)
def test_shapes_of_ones_own(name: str) -> None:
    rules = replace(rules_of({}), shapes=own_shapes(name))
    env = vector.make(rules, 4, seed=1, session=True, perfect=True, backend="compiled")
    assert follow(env, 8, every=5).hands >= 8


def _changed(kind: str, /, **changes: Any) -> tuple[AnyShape, ...]:
    return tuple(replace(s, **changes) if s.kind == kind else s for s in rules_of({}).shapes)


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (_changed("single", power=1), "scoring.most_doublings is 0, not a limit where bombs have 1 cards"),
        (_changed("straight", sequence="3579J", longest=5), "not ranks of 3456789TJQKA2 that follow one another"),
        (_changed("pair", also_beats=(("single", "2"),)), r"shapes\[1\].also_beats"),
        (_changed("plane-with-singles", copies=1), "plays of one hand, not fewer than 4096"),
        (_changed("triplet", family="pair"), "shapes are two of the same family"),
        (_changed("triplet", kind="pair", family="more"), "two of the same kind"),
    ],
)
def test_what_the_kernels_do_not_play_is_refused(shapes: tuple[AnyShape, ...], words: str) -> None:
    assert {Run, Kickers} < {type(shape) for shape in shapes}
    with pytest.raises(ValueError, match=f"backend kickers does not play these rules: .*{words}"):
        KICKERS.require(replace(rules_of({}), shapes=shapes))
