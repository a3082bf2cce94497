"""Big Two in other regions: H.22 to H.33."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest
from tests.playing import Options, fill, lively, longest, paid, play_hands, play_out, refused, say, texts
from tests.rules.big_two import beats, kind, trick

import dasan
from dasan import IllegalPlay, State
from dasan.records.verify import verify

FLUSH = "3H 5H 7H 9H JH"
STRAIGHT = "3D 4C 5H 6S 7D"
HOUSE = "3D 3C 3H 4D 4C"
FOUR = "3D 3C 3H 3S 4D"
STRAIGHT_FLUSH = "5S 6S 7S 8S 9S"


def test_h_22_no_flushes() -> None:
    assert kind(FLUSH) == "flush"
    assert kind(STRAIGHT_FLUSH, flushes=False) == "straight-flush"
    with pytest.raises(IllegalPlay) as caught:
        dasan.rules("big-two", flushes=False).combination(FLUSH)
    assert caught.value.clause == "H.22"


def test_h_23_each_kind_for_itself() -> None:
    own: Options = {"five_card_order": "own-kind"}
    plain = (STRAIGHT, FLUSH, HOUSE)
    for a, b in product(plain, plain):
        assert not beats(a, b, **own)
    assert beats("4D 5C 6H 7S 8D", STRAIGHT, **own)
    assert beats("3S 5S 7S 9S QS", FLUSH, **own)
    assert beats("4D 4C 4H 3D 3C", HOUSE, **own)
    for lower in plain:
        assert beats(FOUR, lower, **own)
        assert beats(STRAIGHT_FLUSH, lower, **own)
        assert not beats(lower, FOUR, **own)
    assert beats(STRAIGHT_FLUSH, FOUR, **own)
    assert not beats(FOUR, STRAIGHT_FLUSH, **own)
    assert beats("4D 4C 4H 4S 3D", FOUR, **own)
    assert not beats(FOUR, "2D", **own), "without H.24 five cards beat five"
    state = say(trick(f"{STRAIGHT} 9D", "4H 6H 8H TH QH 9C", "9H", "9S", guard="off", **own), STRAIGHT)
    assert texts(state) == ["pass"]
    refused(state, "4H 6H 8H TH QH", "H.23")
    assert "4H 6H 8H TH QH" in texts(
        say(trick(f"{STRAIGHT} 9D", "4H 6H 8H TH QH 9C", "9H", "9S", guard="off"), STRAIGHT)
    )


@pytest.mark.parametrize("order", ["ranked", "own-kind"])
def test_h_24_bombs_of_five_cards(order: str) -> None:
    options: Options = {"bombs": True, "five_card_order": order, "triples": True}
    for lower in ("2S", "2H 2S", "AD AC AH", STRAIGHT, FLUSH, HOUSE):
        assert beats(FOUR, lower, **options)
        assert beats(STRAIGHT_FLUSH, lower, **options)
        assert not beats(lower, FOUR, **options)
    assert beats(STRAIGHT_FLUSH, FOUR, **options)
    assert not beats(FOUR, STRAIGHT_FLUSH, **options)
    assert beats("4D 4C 4H 4S 3D", FOUR, **options)
    state = say(trick("AD 9D", f"{FOUR} 9C", "KH QH", "KS 9S", **options), "AD")
    assert FOUR in texts(state)
    after = say(state, FOUR)
    assert after.to_act == 2
    refused(after, "KH", "H.24", IllegalPlay, "a four-plus-one beats a single")
    house = "6D 6C 6H 7D 7C"
    under = say(trick("AD 9D", f"{FOUR} 9C", f"{house} QH", "KS 9S", **options), "AD", FOUR)
    refused(under, house, "H.23" if order == "own-kind" else "H.24")
    refused(say(trick("AD 9D", f"{FOUR} 9C", "KH QH", "KS 9S"), "AD"), FOUR, "D2.12", IllegalPlay, "takes 1 card")


def test_h_24_a_guard_may_play_a_bomb_instead_of_the_highest_card() -> None:
    hands = f"{FOUR} 9C 2D", "8S", "KH QH", "6D 9S"
    state = say(trick(*hands, leader=3, bombs=True, guard="enforced"), "6D")
    assert texts(state) == ["2D", FOUR, "3D 3C 3H 3S 9C", "3D 3C 3H 3S 2D"]
    refused(state, "pass", "D2.16", IllegalPlay, "your highest card, 2D, or a bomb")
    refused(state, "9C", "D2.16", IllegalPlay, "or a bomb")
    over = say(trick(*hands, leader=3, bombs=True, guard="foul"), "6D", FOUR, "pass", "pass", "pass", "2D", "pass")
    assert over.watching is None
    assert say(over, "pass", "pass", "9C").result is not None


def test_h_25_the_philippine_order() -> None:
    order = "CSHD"
    rules = dasan.rules("big-two", suit_order="philippine")
    for low, high in ((i, j) for i in range(4) for j in range(i + 1, 4)):
        assert beats(f"9{order[high]}", f"9{order[low]}", suit_order="philippine")
        assert not beats(f"9{order[low]}", f"9{order[high]}", suit_order="philippine")
    hands = fill(rules, ["", "3C 4D", "", ""], 13)
    state = dasan.start(rules, hands)
    assert state.to_act == 1
    refused(state, "4D", "D2.11", IllegalPlay, "3C")
    assert rules.order.hand(rules.pack)[-1] == dasan.card("2D")


def test_h_26_any_first_lead() -> None:
    rules = dasan.rules("big-two", opening_lead="any")
    hands = fill(rules, ["", "3D 4D", "", ""], 13)
    state = dasan.start(rules, hands)
    assert (state.to_act, "4D" in texts(state)) == (1, True)
    assert say(state, "4D").table_seat == 1
    refused(dasan.start(dasan.rules("big-two"), hands), "4D", "D2.11")
    refused(state, "pass", "D2.12")


def test_h_27_three_players() -> None:
    rules = dasan.rules("big-two", players=3)
    seen = Counter[int]()
    for seed in range(60):
        state = dasan.deal(rules, seed=seed)
        dealt = [c for hand in state.begun.hands for c in hand if c is not None]
        lowest = min(dealt, key=rules.order.place.__getitem__)
        taker = next(s for s, hand in enumerate(state.begun.hands) if lowest in hand)
        (left,) = state.begun.kitty
        assert (state.to_act, state.must_include) == (taker, lowest)
        assert state.hand_sizes == tuple(18 if s == taker else 17 for s in range(3))
        assert left in state.hands[taker]
        for seat in range(3):
            seen_cards = next(e.cards for e in state.view(seat).events if e.type == "kitty")
            assert seen_cards == ((left,) if seat == taker else (None,))
        seen[str(left) == "3D"] += 1
        other = next(c for c in state.hands[taker] if c != lowest)
        refused(state, str(other), "H.27")
        assert all(lowest in move.cards for move in state.legal_moves())
    session = play_hands(dasan.session(rules, seed=3), 4, random.Random(3))
    assert dasan.replay(session.record()) == session


def test_h_27_the_example_of_three() -> None:
    rules = dasan.rules("big-two", players=3)
    hands = fill(rules, ["3C", "3H", "3S"], 17, leave="3D")
    state = dasan.start(rules, hands, kitty="3D")
    assert (state.to_act, str(state.must_include)) == (0, "3C")
    assert dasan.card("3D") in state.hands[0]
    refused(state, "3D", "H.27", IllegalPlay, "3C")
    assert "3D 3C" in texts(state)


def test_h_27_two_players() -> None:
    rules = dasan.rules("big-two", players=2)
    for seed in range(30):
        state = dasan.deal(rules, seed=seed)
        assert (state.hand_sizes, len(state.kitty)) == ((13, 13), 26)
        dealt = [c for hand in state.hands for c in hand]
        lowest = min(dealt, key=rules.order.place.__getitem__)
        assert state.must_include == lowest
        assert lowest in state.hands[state.mover]
        assert not any(e.type == "kitty" for e in state.view(state.to_act).events)
        assert all(c is None for c in state.view(0).begun.kitty)
    over = play_out(dasan.deal(rules, seed=1), random.Random(1))
    assert over.result is not None
    for seat in (0, 1, None):
        view = over.view(seat)
        assert view.hands == over.hands
        assert view.kitty is None
        assert set(view.begun.kitty) == {None}
        copy = over.record(view=seat)
        assert (" ".join("?" * 26)) in copy
        assert dasan.replay(copy) == over
        assert verify(copy).unproved == ()
    refused(dasan.deal(rules, seed=1), "pass", "D2.12")
    ended = play_hands(dasan.session(rules, seed=1), 3, random.Random(1))
    assert dasan.replay(ended.record()) == ended
    with pytest.raises(ValueError, match=r"H\.27"):
        dasan.rules("big-two", players=5)


@pytest.mark.parametrize(("scoring", "top"), [("cards", 1), ("cards-multiplied", 3), ("cards-hong-kong", 4)])
def test_h_27_a_player_who_has_played_none_pays_the_top(scoring: str, top: int) -> None:
    rules = dasan.rules("big-two", players=3, scoring=scoring)
    state = dasan.start(rules, ["3D", "4D 5D", "6D 7D 8D"], leader=0, has_played=(0, 2))
    assert paid(say(state, "3D")) == (2 * top + 3, -2 * top, -3)


def fouled(**options: dasan.OptionValue) -> State:
    """Seat 1 does not guard seat 2, who goes out; the others hold two and three cards, seat 1 two."""
    state = trick("3D 4D 5D 6D", "7D 2D 2S", "8S", "5C 6C", guard="foul", scoring="cards", **options)
    return say(state, "3D", "7D", "8S")


def test_h_28_the_guard_pays_for_all() -> None:
    plain = fouled()
    assert plain.result is not None
    assert (plain.result.foul, paid(plain)) == (1, (-3, -2, 7, -2))
    assert paid(fouled(guard_pays=True)) == (0, -7, 7, 0)
    state = say(trick("3D 4D", "7D 2D", "8S", "5C 6C", guard="foul", scoring="cards", guard_pays=True), "3D", "2D")
    assert "8S" not in texts(state)
    with pytest.raises(ValueError, match=r"guard_pays=on needs guard=foul \(H\.28\)"):
        dasan.rules("big-two", guard_pays=True, guard="off")


def test_h_29_unplayed_twos() -> None:
    nine = "4D 5D 6D 7D 8D 9D TD 2D 2S"
    for choice, cost in (("single", 9), ("double", 36)):
        state = trick("3D", nine, "4C", "2C", scoring="cards", unplayed_twos=choice, guard="off")
        twos = 2 if choice == "double" else 1
        assert paid(say(state, "3D")) == (cost + 1 + twos, -cost, -1, -twos)
    with pytest.raises(ValueError, match=r"H\.29"):
        dasan.rules("big-two", unplayed_twos="double")


@pytest.mark.parametrize(("held", "times"), [(1, 1), (7, 1), (8, 2), (9, 2), (10, 3), (12, 3), (13, 4)])
def test_h_30_hong_kongs_multiples(held: int, times: int) -> None:
    cards = ["4D", "5D", "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD", "4C", "5C"][:held]
    state = trick("3D", " ".join(cards), "6C", "7C", scoring="cards-hong-kong", guard="off")
    assert paid(say(state, "3D")) == (held * times + 2, -held * times, -1, -1)


def test_h_30_the_example() -> None:
    deck = [c for c in map(str, dasan.rules("big-two").pack) if c != "3D"]
    hands = ["3D", " ".join(deck[:7]), " ".join(deck[7:16]), " ".join(deck[16:29])]
    assert paid(say(trick(*hands, scoring="cards-hong-kong", guard="off"), "3D")) == (77, -7, -18, -52)


DRAGON = "3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 2D"


def dealt_dragons(*dragons: int, lowest: int = 0, **options: dasan.OptionValue) -> State:
    """A deal in which these seats hold a dragon."""
    rules = dasan.rules("big-two", dragon=True, **options)
    suits = iter("CHS")
    hands = [""] * 4
    for seat in dragons:
        suit = "D" if seat == lowest else next(suits)
        hands[seat] = DRAGON.replace("D", suit)
    pairs = [s for s in range(4) if s not in dragons]
    rest = [str(c) for c in rules.pack if not any(str(c) in h.split() for h in hands)]
    for i, seat in enumerate(pairs):
        hands[seat] = " ".join(rest[13 * i : 13 * (i + 1)])
    return dasan.start(rules, hands)


@pytest.mark.parametrize(("scoring", "each"), [("wins", 1), ("cards", 13), ("cards-hong-kong", 52)])
def test_h_31_a_dragon_wins_at_once(scoring: str, each: int) -> None:
    state = dealt_dragons(2, scoring=scoring)
    assert state.result is not None
    assert (state.phase, state.result.winners, state.result.next_dealer) == ("over", (2,), 2)
    assert paid(state) == tuple(3 * each if s == 2 else -each for s in range(4))
    shown = next(e for e in state.view(None).events if e.type == "dragon")
    assert (shown.seat, len({c.rank for c in shown.cards if c})) == (2, 13)
    refused(state, "3D", "D2.14")
    assert dasan.replay(state.record()) == state
    off = dasan.start(dasan.rules("big-two"), [str(dasan.rules("big-two").order.hand(h)) for h in state.hands])
    assert off.phase == "play"


def test_h_31_twos_do_not_double_what_a_dragon_earns() -> None:
    state = dealt_dragons(2, scoring="cards", unplayed_twos="double")
    assert any("2" in str(card) for seat in (0, 1, 3) for card in state.hands[seat])
    assert paid(state) == (-13, -13, 39, -13)


def test_h_31_the_card_that_is_left_completes_no_dragon() -> None:
    """Seat 0 holds twelve ranks and the lowest card that was dealt."""
    rules = dasan.rules("big-two", players=3, dragon=True)
    twelve = "3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD 4C 5C 6C 7C 8C"
    rest = [str(c) for c in rules.order.hand(rules.pack) if str(c) not in (*twelve.split(), "2D")]
    state = dasan.start(rules, [twelve, " ".join(rest[:17]), " ".join(rest[17:])], kitty="2D")
    assert (state.phase, state.to_act, len({c.rank for c in state.hands[0]})) == ("play", 0, 13)


def test_h_31_the_first_in_order_of_play() -> None:
    state = dealt_dragons(1, 3, lowest=3)
    assert state.result is not None
    assert state.result.winners == (3,)
    both = dealt_dragons(1, 2, lowest=0)
    assert both.result is not None
    assert both.result.winners == (1,)


def test_h_31_worlds_after_a_dragon_keep_the_hand_that_was_shown() -> None:
    state = dealt_dragons(2, show_hands_after=False)
    for view in (state.view(None), state.view(0)):
        worlds = list(dasan.worlds.sample(view, 3, seed=1))
        assert [world.hands[2] for world in worlds] == [state.hands[2]] * 3
        assert len({world.hands for world in worlds}) == 3
        assert [world.view(view.seat) for world in worlds] == [view] * 3


def test_h_31_environments_go_on_with_the_next_hand() -> None:
    from dasan.play.new_hand import begin
    from dasan.play.sessions import following

    state = dealt_dragons(2)
    dealt = dasan.deal(state.rules, seed=1).begun
    assert begin(state.rules, dealt).to_act is not None  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="starts from a position"):
        following(state, 1)


def test_h_32_play_goes_on_to_the_last() -> None:
    rules = dasan.rules("big-two", ending="last-in", scoring="cards", guard="off")
    session = play_hands(dasan.session(rules, seed=5), 3, random.Random(5))
    for result in session.results:
        assert sorted(result.finish_order) == [0, 1, 2, 3]
        assert (result.winners, result.next_dealer) == ((result.finish_order[0],), result.finish_order[0])
    assert dasan.replay(session.record()) == session
    state = trick("3D", "4D 6D", "5D 9C", "9D TD", ending="last-in", scoring="cards", guard="off")
    state = say(state, "3D")
    assert (state.phase, state.payments, state.to_act) == ("play", (6, -2, -2, -2), 1)
    refused(say(state, "4D"), "3C", "G.05")
    done = say(state, "pass", "pass", "pass")
    assert done.to_act == 1, "the next player still in leads"
    refused(session.state, "pass", "H.32", IllegalPlay, "over")
    assert say(trick("3D", "4D 6D", "5D 9C", "9D TD", guard="off"), "3D").phase == "over"


def test_h_32_the_guard_is_the_player_before_who_still_holds_cards() -> None:
    rules = dasan.rules("big-two", ending="last-in", guard="enforced")
    hands = ["3D 2S", "", "4D", "9D TD"]
    state = dasan.start(rules, hands, leader=0, finished=(1,), has_played=(0, 1, 2, 3))
    refused(state, "3D", "D2.16", IllegalPlay, "2S")
    assert texts(state) == ["2S"]


def test_h_32_a_neighbour_who_has_passed_is_guarded_unless_the_pass_is_final() -> None:
    """D2.16: the owner of the table is out, so seat 0, who has passed, may beat the 9D, or lead after a third pass."""
    hands = ["TD", "4D 5D", "5S 9D 2C", "8C"]
    for final, allowed in ((False, ["2C"]), (True, ["9D", "2C", "pass"])):
        rules = dasan.rules("big-two", ending="last-in", guard="enforced", pass_is_final=final)
        state = say(dasan.start(rules, hands, table="6C", table_seat=2, to_act=3), "8C", "pass", "pass")
        assert (state.to_act, texts(state)) == (2, allowed)


TAIWAN = dasan.rules("big-two-taiwan")


def test_h_33_the_presets() -> None:
    taiwan: Options = {"suit_order": "clubs-low", "straights": "taiwan", "flushes": False, "bombs": True}
    taiwan |= {"five_card_order": "own-kind"}
    presets: tuple[tuple[str, Options], ...] = (
        ("big-two-taiwan", taiwan),
        ("big-two-philippines", {"suit_order": "philippine", "triples": True}),
        ("big-two-hong-kong", {"scoring": "cards-hong-kong", "straights": "hong-kong"}),
        ("big-two-indonesia", {"triples": True, "ending": "last-in"}),
    )
    for name, options in presets:
        rules = dasan.rules(name)
        assert rules.clauses[0] == "H.33"
        assert options.items() <= rules.options.items()
        session = play_hands(dasan.session(rules, seed=2), 2, random.Random(2), longest)
        assert dasan.replay(session.record()) == session
    assert TAIWAN.combination("3C 3D 3H 3S 4C").beats(TAIWAN.combination("2S"))
    with pytest.raises(IllegalPlay) as caught:
        TAIWAN.combination(FLUSH)
    assert caught.value.clause == "H.22"


def payments_by_the_clauses(hand: State) -> tuple[int, ...]:
    """A second implementation of D2.17, D2.19 and H.27 to H.32, from the dealt hands and the events of a finished hand."""
    options, n = hand.rules.options, hand.rules.players
    held = [[c for c in cards if c is not None] for cards in hand.begun.hands]
    for event in hand.events:
        if event.type == "kitty":
            held[event.seat] += [c for c in event.cards if c is not None]
    played = set()
    out = None
    for event in hand.events:
        if event.type == "play" and out is None:
            played.add(event.seat)
            held[event.seat] = [c for c in held[event.seat] if c not in event.cards]
            out = event.seat if not held[event.seat] else None
    assert out is not None
    owed = []
    for seat in range(n):
        cards = len(held[seat])
        if options["scoring"] == "wins":
            owed.append(0 if seat == out else 1)
            continue
        times = 1
        if options["scoring"] == "cards-multiplied":
            times = 3 if cards >= 13 else 2 if cards >= 10 else 1
        if options["scoring"] == "cards-hong-kong":
            times = 4 if cards >= 13 else 3 if cards >= 10 else 2 if cards >= 8 else 1
        if n == 3 and seat not in played:
            times = {"cards": 1, "cards-multiplied": 3, "cards-hong-kong": 4}[str(options["scoring"])]
        amount = cards * times
        if options["unplayed_twos"] == "double":
            for c in held[seat]:
                amount *= 2 if c.rank == "2" else 1
        owed.append(amount)
    assert hand.result is not None
    if options["guard_pays"] and hand.result.foul is not None:
        owed = [sum(owed) if seat == hand.result.foul else 0 for seat in range(n)]
    return tuple(sum(owed) if seat == out else -owed[seat] for seat in range(n))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 2))])
@pytest.mark.parametrize("players", [2, pytest.param(3, marks=pytest.mark.full), 4])
def test_h_27_h_32_payments_of_whole_hands(players: int, seed: int) -> None:
    rng = random.Random(players + 10 * seed)
    choices: list[Options] = [
        {"scoring": scoring, "unplayed_twos": twos, "guard_pays": True, "ending": ending}
        for scoring, twos, ending in product(
            ("cards", "cards-multiplied", "cards-hong-kong"), ("single", "double"), ("first-out", "last-in")
        )
    ]
    for options in choices:
        rules = dasan.rules("big-two", players=players, **options)
        hand = play_out(dasan.deal(rules, seed=seed), rng, lively)
        assert paid(hand) == payments_by_the_clauses(hand)
