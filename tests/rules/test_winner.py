"""Winner: W.01 to W.15, the deal and the combinations."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from tests.playing import Options, fill, refused, say, texts
from tests.rules.winner import RANKS, RULES, SEQUENCE, ascending, beats, both, kind, trick

import dasan
from dasan import IllegalPlay, Malformed
from dasan.play import fairness
from dasan.play.dealing import drawn_dealer
from dasan.play.events import Event, EventType


def test_w_01_players_and_packs() -> None:
    assert (RULES.players, RULES.direction, RULES.decks) == (4, "clockwise", 1)
    for players in range(3, 9):
        rules = dasan.rules("winner", players=players)
        assert (rules.players, rules.decks) == (players, 2 if players > 6 else 1)
        assert rules.options["decks"] == rules.decks
    for players in range(4, 9):
        assert len(dasan.rules("winner", players=players, decks=2).pack) == 104
    wrong: list[Options] = [
        {"players": 2},
        {"players": 9},
        {"players": 3, "decks": 2},
        {"players": 7, "decks": 1},
        {"players": 8, "decks": 1},
        {"decks": 3},
        {"decks": 0},
        {"decks": True},
        {"players": "4"},
        {"players": 4.0},
        {"direction": "clockwise"},
    ]
    for options in wrong:
        with pytest.raises(ValueError, match=r"W\.01|has no option 'direction'"):
            dasan.rules("winner", **options)


@pytest.mark.parametrize(("decks", "jokers", "size"), [(1, False, 52), (1, True, 54), (2, False, 104), (2, True, 108)])
def test_w_02_the_pack(decks: int, jokers: bool, size: int) -> None:
    rules = dasan.rules("winner", decks=decks, jokers=jokers)
    assert len(rules.pack) == size
    for joker in ("BJ", "RJ"):
        assert rules.pack.count(dasan.card(joker)) == (decks if jokers else 0)
    assert all(rules.pack.count(dasan.card(r + s)) == decks for r, s in product(RANKS, "DCHS"))
    assert RULES.jokers is False
    with pytest.raises(Malformed) as caught:
        RULES.combination("BJ")
    assert caught.value.clause == "W.02"


@pytest.mark.sampled(1, 1)
@both
def test_w_03_order_of_the_cards(preset: str) -> None:
    ascending(*[r + s for r in RANKS for s in "DCHS"], "BJ", "RJ", preset=preset, jokers=True)
    for card in ("3D", "2S", "BJ", "RJ"):
        assert not beats(card, card, preset, decks=2, jokers=True), "identical cards tie"


def sizes(players: int, cards: int) -> list[int]:
    return [cards // players + (i < cards % players) for i in range(players)]


@pytest.mark.parametrize(("players", "decks"), [*((n, 1) for n in range(3, 7)), *((n, 2) for n in range(4, 9))])
@pytest.mark.parametrize("jokers", [False, True])
def test_w_04_the_deal(players: int, decks: int, jokers: bool) -> None:
    rules = dasan.rules("winner", players=players, decks=decks, jokers=jokers)
    for dealer in (0, players - 1):
        state = dasan.deal(rules, seed=9, dealer=dealer)
        secret = fairness.local_seed(9, "secret", 1)
        deck = fairness.shuffle(fairness.deal_seed(secret, (), rules.digest, 1), rules.pack)
        for i in range(players):
            hand = state.hands[(dealer + i) % players]
            assert hand == rules.order.hand(deck[i::players])
        assert [state.hand_sizes[(dealer + i) % players] for i in range(players)] == sizes(players, len(rules.pack))
        assert state.kitty == ()


def test_w_04_three_players_eighteen_and_seventeen() -> None:
    state = dasan.deal(dasan.rules("winner", players=3), seed=1, dealer=2)
    assert state.hand_sizes == (17, 17, 18)


@pytest.mark.sampled(2, 2)
@pytest.mark.parametrize(("players", "decks"), [(3, 1), (4, 1), (4, 2), (8, 2)])
def test_w_04_the_highest_card_cut_deals(players: int, decks: int) -> None:
    order = [r + s for r in RANKS for s in "DCHS"]
    ties = 0
    for seed in range(250):
        session = dasan.session(dasan.rules("winner", players=players, decks=decks), seed=seed)
        events = list(session.opening)
        assert events.pop().to_json() == {"seq": len(events), "seat": session.dealer, "type": "dealer"}
        drawing = list(range(players))
        while len(drawing) > 1:
            turn, events = events[: len(drawing)], events[len(drawing) :]
            assert [e.seat for e in turn] == drawing
            worth = [order.index(str(e.cards[0])) for e in turn]
            drawing = [s for s, w in zip(drawing, worth, strict=True) if w == max(worth)]
            ties += len(drawing) > 1
        assert not events
        assert drawing == [session.dealer]
    assert (ties > 0) == (decks == 2), "only identical cards tie"


def test_w_04_only_identical_cards_cut_again() -> None:
    rules = dasan.rules("winner", players=4, decks=2, jokers=True)

    def cut(*cards: str, seats: tuple[int, ...] = (0, 1, 2, 3)) -> list[Event]:
        return [Event(0, s, EventType.DRAW, (dasan.card(c),)) for s, c in zip(seats, cards, strict=True)]

    def dealer(seat: int) -> Event:
        return Event(0, seat, EventType.DEALER)

    assert drawn_dealer(rules, [*cut("2H", "2S", "3D", "AS"), dealer(1)]) == 1
    assert drawn_dealer(rules, [*cut("RJ", "BJ", "2S", "2S"), dealer(0)]) == 0
    tie = cut("RJ", "BJ", "RJ", "2S")
    assert drawn_dealer(rules, [*tie, dealer(0)]) is None
    again = cut("3D", "4D", seats=(0, 2))
    assert drawn_dealer(rules, [*tie, *again, dealer(2)]) == 2


def test_w_05_the_holder_of_the_three_of_diamonds_leads_anything() -> None:
    for holder in range(4):
        hands = ["", "", "", ""]
        hands[holder] = "3D 5C"
        state = dasan.start(RULES, fill(RULES, hands, 13))
        assert (state.to_act, state.leader) == (holder, holder)
        assert state.events[0].to_json() == {"seq": 1, "seat": holder, "type": "open", "cards": ["3D"]}
        assert state.play("5C").table is not None, "it need not be played"
        refused(state, "pass", "W.16")


def test_w_05_of_two_holders_the_one_nearer_the_dealer() -> None:
    rules = dasan.rules("winner", decks=2)
    for dealer, holders in product(range(4), combinations(range(4), 2)):
        hands = ["", "", "", ""]
        for holder in holders:
            hands[holder] = "3D"
        state = dasan.start(rules, fill(rules, hands, 26), dealer=dealer)
        nearest = next(s % 4 for s in range(dealer, dealer + 4) if s % 4 in holders)
        assert state.to_act == nearest
    both_in_one = dasan.start(rules, fill(rules, ["", "3D 3D", "", ""], 26), dealer=2)
    assert both_in_one.to_act == 1


KINDS = {
    "3D": "single",
    "3D 3S": "pair",
    "3D 3S 4H 4C": "pair-run",
    "3D 3S 4H 4C 5H 5C": "pair-run",
    "3D 3S 3H": "triplet",
    "3D 3S 3H 4D 4S 4H": "triplet-run",
    "3D 3S 3H 5D 5S": "full-house",
    "3D 3S 3H 3C": "quad",
    "3D 4S 5H 6C 7D": "straight",
    "3D 3S 3H 3C 5D": "bomb",
    "3D 4D 5D 6D 7D": "straight-flush",
}


def test_w_06_the_kinds() -> None:
    for text, expected in KINDS.items():
        assert kind(text) == expected
    for nothing in ("3D 4D", "3D 3S 5H 5C", "3D 3S 3H 5D 5S 5H", "3D 4D 5D 6D", "3D 3S 3H 3C 5D 5S", "3D 3S 3H 5D"):
        assert kind(nothing) is None
    for text, expected in KINDS.items():
        state = trick(text, "8D", "9D", "TD")
        assert expected in {m.combination.kind for m in state.legal_moves() if m.combination}
        assert set(str(state.play(text).table).split()) == set(text.split())


@pytest.mark.parametrize(
    ("text", "clause"),
    [("3D 4S", "W.06"), ("3D 3S 5H 5C 7D 7C", "W.07"), ("3D 4S 5D 6D 8D", "W.09"), ("3D 3C 3H 5D 5C 5H", "W.06")],
)
def test_w_06_what_is_no_combination(text: str, clause: str) -> None:
    refused(trick(text, "8S", "9S", "TD"), text, clause)


def test_w_06_a_follower_needs_the_same_kind_and_number() -> None:
    hand = "4D 4C 4H 5D 5C 5H 6C 6H 6S 7D 8S 9D"
    state = say(trick(hand, "3D 3C JD", "JC", "JH", leader=1), "3D 3C", "pass", "pass")
    for other in ("4D", "4D 4C 4H", "4D 4C 5D 5C"):
        refused(state, other, "W.06", IllegalPlay, "it takes 2 cards")
    assert {m.combination.kind for m in state.legal_moves() if m.combination} == {"pair"}
    straight = say(trick(hand, "3D 4S 5S 6D 7C JD", "JC", "JH", leader=1), "3D 4S 5S 6D 7C", "pass", "pass")
    kinds = {(m.combination.kind, len(m.cards)) for m in straight.legal_moves() if m.combination}
    assert kinds == {("straight", 5)}
    refused(straight, "4D 5D 6C 7D 8S 9D", "W.06", IllegalPlay, "it takes 5 cards, not 6")
    refused(straight, "4D 4C 4H 5D 5C", "W.06", IllegalPlay, "it takes a straight, not a full-house")


@both
def test_w_07_pairs_and_runs_of_pairs(preset: str) -> None:
    assert beats("KS KC", "KH KD", preset)
    ascending("3C 3D", "3H 3D", "3S 3D", "4C 4D", "AS AH", "2C 2D", "2S 2D", preset=preset)
    ascending("3D 3S 4C 4H", "3D 3C 4D 4S", "4D 4C 5D 5C", preset=preset)
    assert not beats("3S 3H 4C 4D", "3D 3C 4H 4D", preset), "the top pair decides"
    assert not beats("4D 4C 5D 5C 6D 6C", "3D 3C 4D 4C", preset)
    assert not beats("KS KC", "KS KD", preset, decks=2)


@both
def test_w_07_pairs_of_jokers(preset: str) -> None:
    two: Options = {"decks": 2, "jokers": True}
    ascending("2S 2S", "BJ BJ", "RJ RJ", preset=preset, **two)
    assert not beats("RJ RJ", "RJ RJ", preset, **two)
    for nothing in ("BJ RJ", "BJ BJ RJ RJ", "2H 2S BJ BJ", "AS AH BJ BJ", "3D 3C 3H BJ BJ"):
        assert kind(nothing, preset, **two) is None


@both
def test_w_08_triplets_full_houses_and_fours_by_rank(preset: str) -> None:
    ascending(*(f"{r}D {r}C {r}H" for r in RANKS), preset=preset)
    ascending(*(f"{r}D {r}C {r}H {r}S" for r in RANKS), preset=preset)
    ascending(*(f"{r}D {r}C {r}H {'3D 3C' if r != '3' else '4D 4C'}" for r in RANKS), preset=preset)
    runs = [SEQUENCE[i : i + 2] for i in range(13)]
    ascending(*(" ".join(r + s for r in w for s in "DCH") for w in runs), preset=preset)
    assert not beats("KD KC KS", "KD KC KH", preset)
    assert not beats("3D 3C 3S 4D 4C 4S", "3D 3C 3H 4D 4C 4H", preset)
    assert not beats("3S 3C 3H AS AH", "3D 3C 3H 4D 4C", preset)


def test_w_08_a_full_house_has_two_ranks() -> None:
    assert kind("3D 3D 3C 3C 3H", decks=2) == "bomb"
    assert kind("3D 3D 3C 3C 3H", "winner-bomb", decks=2) is None
    assert kind("3D 3D 3C 4C 4C", decks=2) == "full-house"


@both
def test_w_09_the_sequence(preset: str) -> None:
    windows = [SEQUENCE[i : i + n] for n in range(5, 14) for i in range(15 - n)]
    rings = {RANKS[i:] + RANKS[:i] for i in range(13)}
    for ring in rings:
        for n in range(5, 14):
            ranks = ring[:n]
            text = " ".join(r + s for r, s in zip(ranks, "DCHSDCHSDCHSD", strict=False))
            assert (kind(text, preset) == "straight") == (any(set(w) == set(ranks) for w in windows)), ranks
    for short in ("3D 4C 5H", "3D 4C 5H 6S"):
        assert kind(short, preset) is None
    straights = [" ".join(r + s for r, s in zip(SEQUENCE[i : i + 5], "DCHSD", strict=True)) for i in range(10)]
    ascending(*straights, preset=preset)


def test_w_09_cards_count_by_their_place() -> None:
    ascending("AS AH 2S 2H", "2D 2C 3D 3C", "3D 3C 4D 4C", "QS QH KS KH", "KD KC AD AC")
    assert beats("2D 3S 4S 5S 6S", "AS 2S 3S 4S 5D")
    assert beats("3D 4S 5S 6S 7S", "2S 3S 4S 5S 6D")
    assert kind("AD AC 2D 2C KD KC") is None
    assert kind("KD KC AD AC 2D 2C") is None
    assert kind("AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AC") is None, "an ace is used once"
    assert kind("AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD", decks=2) is None


def test_w_09_thirteen_ranks_read_from_the_two() -> None:
    rest = "3S 4D 5D 6D 7D 8D 9D TD JD QD KD"
    assert beats(f"2S AD {rest}", f"2D AS {rest}")
    assert not beats(f"2D AS {rest}", f"2D AD {rest}")
    pairs = " ".join(f"{r}D {r}C" for r in "23456789TJQK")
    assert beats(f"{pairs} AD AH", f"{pairs} AD AC", decks=2)


@pytest.mark.parametrize("shortest", [3, 4, 5])
def test_w_09_min_straight(shortest: int) -> None:
    for length in range(2, 8):
        mixed = " ".join(r + s for r, s in zip(SEQUENCE[:length], "DCHSDCH", strict=False))
        suited = " ".join(r + "S" for r in SEQUENCE[:length])
        assert kind(mixed, min_straight=shortest) == ("straight" if length >= shortest else None)
        assert kind(suited, min_straight=shortest) == ("straight-flush" if length >= shortest else None)
    for wrong in (2, 6, True, "3"):
        with pytest.raises(ValueError, match="min_straight"):
            dasan.rules("winner", min_straight=wrong)


def test_w_10_the_example() -> None:
    table = "4C 5H 6S 7D 8C"
    for higher in ("5D 6D 7C 8H 9D", "5S 6S 7S 8S 9D"):
        assert beats(higher, table)
        assert beats(higher, table, straight_tie="rank")
    assert beats("4H 5D 6D 7C 8D", table)
    assert not beats("4H 5D 6D 7C 8D", table, straight_tie="rank")
    assert not beats("4D 5S 6H 7S 8S", table)
    assert not beats("5D 6D 7C 8H 9D TD", table), "another length"


def test_w_10_refusals() -> None:
    state = say(trick("4C 5H 6S 7D 8C 3H", "4D 5S 6H 7S 8S 4H 9D", "TD", "JD"), "4C 5H 6S 7D 8C")
    refused(state, "4D 5S 6H 7S 8S", "W.10", IllegalPlay, "must be higher")
    assert state.play("4H 5S 6H 7S 8S").table is not None
    rank = say(trick("4C 5H 6S 7D 8C 3H", "4H 5S 6H 7S 8S 9D", "TD", "JD", straight_tie="rank"), "4C 5H 6S 7D 8C")
    refused(rank, "4H 5S 6H 7S 8S", "W.10")
    assert rank.play("5S 6H 7S 8S 9D").table is not None


@pytest.mark.sampled(1, 1)
@both
def test_w_11_straight_flushes_compare_as_straights(preset: str) -> None:
    ascending(*(" ".join(r + s for r in SEQUENCE[i : i + 5]) for i in range(10) for s in "DCHS"), preset=preset)
    assert not beats("4H 5H 6H 7H 8H", "4C 5C 6C 7C 8C", preset, straight_tie="rank")
    assert kind("3D 4D 5D 6D 8D", preset) is None


@pytest.mark.parametrize("joker", ["BJ", "RJ"])
def test_w_12_a_joker_is_single_or_the_odd_card_of_a_bomb(joker: str) -> None:
    assert kind(joker, jokers=True) == "single"
    assert kind(f"3D 3C 3H 3S {joker}", jokers=True) == "bomb"
    two: Options = {"decks": 2, "jokers": True}
    assert kind(f"{joker} {joker}", **two) == "pair"
    assert kind(f"3D 3C 3H 3S {joker} {joker}", **two) is None
    for text in (f"3D {joker}", f"3D 3C {joker}", f"3D 3C 3H {joker}", f"3D 4C 5H 6S {joker}", f"3D 4D 5D 6D {joker}"):
        assert kind(text, jokers=True) is None
    state = trick(f"3D 3C {joker}", "8D", "9D", "TD", jokers=True)
    refused(state, f"3D {joker}", "W.12", IllegalPlay, "a joker")
    assert kind(f"3D 3C 3H 3S {joker}", "winner-bomb", jokers=True) is None


@pytest.mark.parametrize("text", [t for t, k in KINDS.items() if k not in ("bomb", "straight-flush")])
def test_w_13_a_bomb_on_any_trick(text: str) -> None:
    high = {"3D": "2S", "3D 3S": "2H 2S", "3D 3S 3H 3C": "2D 2C 2H 2S"}.get(text, text)
    assert beats("4D 4C 4H 4S 3D", high, decks=2)
    assert not beats(high, "4D 4C 4H 4S 3D", decks=2)


def test_w_13_bombs_among_themselves() -> None:
    ascending(*(f"{r}D {r}C {r}H {r}S {'3D' if r != '3' else '2S'}" for r in RANKS))
    assert not beats("4D 4C 4H 4S 2S", "4D 4C 4H 4S 3D", decks=2), "the odd card does not matter"
    assert kind("4D 4D 4C 4H 4S", decks=2) == "bomb"
    ascending("4D 4D 4C 4H 4S", "5D 5C 5H 5S 3D", decks=2)
    assert not beats("5D 5C 5H 5S 5S", "5D 5C 5H 5S 3D", decks=2)
    state = say(trick("5D 5C 5H 5S 3D 8C", "4D 4C 4H 4S 3C", "9D", "TD"), "5D 5C 5H 5S 3D")
    refused(state, "4D 4C 4H 4S 3C", "W.13", IllegalPlay, "must be higher")
    assert texts(state) == ["pass"]


def test_w_13_no_bomb_on_a_straight_flush() -> None:
    assert not beats("2D 2C 2H 2S 3C", "AD 2D 3D 4D 5D", decks=2)
    assert not beats("2D 2D 2C 2H 2S", "AD 2D 3D 4D 5D", decks=2)
    state = say(trick("AD 2D 3D 4D 5D 8C", "KD KC KH KS 3C 9S", "9D", "TD"), "AD 2D 3D 4D 5D")
    assert texts(state) == ["pass"]
    refused(state, "KD KC KH KS 3C", "W.14")


def test_w_14_a_straight_flush_on_any_trick() -> None:
    lowest = "AD 2D 3D 4D 5D"
    for text in ("2S", "2S 2H", "2D 2C 2H 2S", "2D 2C 2H 2S 3D", "TS JS QS KD AS", "9S TS JS QS KD AS", "RJ"):
        assert beats(lowest, text, jokers=True)
        assert not beats(text, lowest, jokers=True)
    assert not beats("2D 3D 4D 5D 6D 7D", lowest), "another length"
    assert not beats(lowest, "2D 3D 4D 5D 6D 7D")
    state = say(trick("2C 3C 4C 5C 6C 8C", "AD 2D 3D 4D 5D 9S", "9D", "TD"), "2C 3C 4C 5C 6C")
    refused(state, "AD 2D 3D 4D 5D", "W.14")


@pytest.mark.parametrize(("preset", "options"), [("winner-bomb", {}), ("winner", {"bomb": "quad"})])
def test_w_15_four_alone_is_the_bomb(preset: str, options: Options) -> None:
    assert kind("3D 3C 3H 3S", preset, **options) == "bomb"
    assert kind("3D 3C 3H 3S 4D", preset, **options) is None
    for text in ("2S", "2H 2S", "2H 2S 2D", "2D 2C 2H AS AH", "TS JS QS KD AS", "TS JS QS KS AS"):
        assert beats("3D 3C 3H 3S", text, preset, **options)
        assert not beats(text, "3D 3C 3H 3S", preset, **options)
    ascending(*(f"{r}D {r}C {r}H {r}S" for r in RANKS), preset=preset, **options)
    state = say(trick("4D 4C 4H 4S 8C", "3D 3C 3H 3S", "TS JS QS KS AS", "TD", preset=preset, **options), "4D 4C 4H 4S")
    refused(state, "3D 3C 3H 3S", "W.15", IllegalPlay, "must be higher")
    assert texts(say(state, "pass")) == ["pass"], "not even a straight flush"
    assert dasan.rules("winner-bomb", bomb="quad-plus-one").shapes == RULES.shapes
