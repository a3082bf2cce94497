"""The clauses of Tien Len, for and against, and whole sessions by bots."""

import itertools
import random
from collections import Counter

import pytest

import dasan

RULES = dasan.rules("tien-len")
RANKS, SUITS = "3456789TJQKA2", "SCDH"


def beats(mine: str, theirs: str) -> bool:
    return RULES.combination(mine).beats(RULES.combination(theirs))


def naive(cards: tuple[dasan.Card, ...]) -> tuple[str, tuple[int, int]] | None:
    """Kind and highest card, straight from TL.02 and TL.03."""
    top = max((RANKS.index(c.rank), SUITS.index(c.suit)) for c in cards)
    counts = Counter(RANKS.index(c.rank) for c in cards)
    copies, length = set(counts.values()), len(counts)
    if length == 1:
        return ("single", "pair", "triplet", "quad")[len(cards) - 1], top
    in_a_row = max(counts) - min(counts) == length - 1 and length >= 3 and max(counts) < RANKS.index("2")
    kind = {frozenset({1}): "straight", frozenset({2}): "pair-run"}.get(frozenset(copies))
    return (kind, top) if kind is not None and in_a_row else None


def naive_beats(mine: tuple[dasan.Card, ...], theirs: tuple[dasan.Card, ...]) -> bool:
    (kind, top), (other, below) = naive(mine) or ("", (0, 0)), naive(theirs) or ("", (0, 0))
    twos = len(theirs) if {c.rank for c in theirs} == {"2"} else 0
    chops = {("quad", 4): 1, ("pair-run", 6): 1, ("pair-run", 8): 2, ("pair-run", 10): 3, ("pair-run", 12): 3}
    if kind == other and len(mine) == len(theirs):
        return top > below if kind != "triplet" and kind != "quad" else top[0] > below[0]
    return twos > 0 and chops.get((kind, len(mine))) == twos


def test_tl_02_tl_03_tl_04_the_engine_agrees_with_the_clauses_read_naively() -> None:
    source = random.Random(7)
    plays: list[tuple[dasan.Card, ...]] = []
    for _ in range(40):
        hand = RULES.order.hand(source.sample(RULES.pack, 13))
        plays += [c.cards for _, c in RULES.catalogue.fits(hand)]
        chosen = tuple(source.sample(hand, source.randint(1, 6)))
        if naive(chosen) is None:
            with pytest.raises(dasan.IllegalPlay):
                RULES.combination(chosen)
    plays += [c.cards for _, c in RULES.catalogue.fits(RULES.order.hand(c for c in RULES.pack if c.suit in "SH"))]
    plays += [c.cards for _, c in RULES.catalogue.fits(RULES.order.hand(c for c in RULES.pack if c.rank in "2A"))]
    combinations = {cards: RULES.combination(cards) for cards in source.sample(plays, 300)}
    assert all(combinations[cards].kind == (naive(cards) or ("",))[0] for cards in combinations)
    for mine, theirs in itertools.product(source.sample(sorted(combinations, key=str), 120), repeat=2):
        assert combinations[mine].beats(combinations[theirs]) is naive_beats(mine, theirs), (mine, theirs)


def test_tl_01_tl_03_rank_counts_then_suit() -> None:
    assert beats("2H", "2D")
    assert beats("4S", "3H")
    assert beats("9S 9H", "9C 9D")
    assert beats("TS JS QH", "TH JH QS")
    assert not beats("TH JH QS", "TS JS QH")


def test_tl_04_what_chops_a_two() -> None:
    assert beats("6S 6C 6D 6H", "2H")
    assert beats("3S 3C 4S 4C 5S 5C", "2H")
    assert beats("3S 3C 4S 4C 5S 5C 6S 6C", "2S 2C")
    assert not beats("6S 6C 6D 6H", "AH")
    assert not beats("6S 6C 6D 6H", "2S 2C")
    assert not beats("3S 3C 4S 4C 5S 5C", "2S 2C")
    assert beats("7S 7C 7D 7H", "6S 6C 6D 6H")
    assert beats("4H 4D 5H 5D 6S 6H", "3S 3C 4S 4C 5S 5C")


def test_tl_05_tl_06_the_first_lead_and_a_pass() -> None:
    state = dasan.deal(RULES, seed=1)
    assert state.to_act is not None
    assert all("3S" in str(move) for move in state.legal_moves())
    leader, state = state.to_act, state.play("3S").play("pass")
    with pytest.raises(dasan.IllegalPlay, match=r"TL\.06"):
        dasan.deal(RULES, seed=1).play("pass")
    while state.table is not None:
        assert state.to_act != (leader + 1) % 4
        state = state.play(state.legal_moves()[0])


@pytest.mark.parametrize("preset", ["tien-len", "tien-len-cards"])
def test_tl_07_tl_08_tl_09_sessions_by_bots(preset: str) -> None:
    bot = dasan.bot("greedy")
    session = dasan.session(dasan.rules(preset), seed=7)
    for number in range(3):
        while (seat := session.state.to_act) is not None:
            session = session.play(bot.choose(session.state.view(seat)))
        result = session.state.result
        assert result is not None
        left = [len(hand) for hand in session.state.hands]
        if preset == "tien-len":
            assert sorted(result.payments) == [-1, -1, -1, 3]
            assert len(result.finish_order) == 4
        else:
            assert [-p for p in result.payments if p < 0] == [n * (2 if n == 13 else 1) for n in left if n]
        if number < 2:
            session = session.next_hand()
            assert session.state.leader == result.finish_order[0]
    assert dasan.replay(session.record()) == session
