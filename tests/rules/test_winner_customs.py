"""Winner's two customs: W.17, the two of spades that starts again, and W.20, the exchange between hands."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest
from tests.playing import Options, play_hands, refused, say, texts, types
from tests.rules.winner import RULES, trick

import dasan
from dasan import Ambiguous, Card, IllegalPlay, Malformed, Rules, Session, State
from dasan.cards import card
from dasan.play.events import Event, EventType
from dasan.play.phases import Exchange


def starts_again(state: State, move: str) -> bool:
    """Whether this two of spades ends the trick immediately."""
    seat = state.to_act
    after = state.play(move)
    if after.table is None:
        assert after.to_act == seat
        assert types(after)[-2:] == ["play", "trick"]
        return True
    assert after.to_act != seat
    return False


# W.17, when unbeatable


def test_w_17_hands_too_small_for_a_bomb() -> None:
    """Four cards hold no bomb of five and no straight flush; five may."""
    four = "4D 4C 4H 4S"
    assert starts_again(trick("2S 9D", four, "6D 6C", "7D 7C"), "2S")
    assert starts_again(trick("2S 2D 9D", four, "6D 6C", "7D 7C"), "2S 2D")
    assert not starts_again(trick("2S 9D", f"{four} 5D", "6D 6C", "7D 7C"), "2S")
    assert not starts_again(trick("2S 2D 9D", f"{four} 5D", "6D 6C", "7D 7C"), "2S 2D")


def test_w_17_it_is_never_looked_into_hands() -> None:
    """The fours are in four different hands, but nobody knows that: a hand of five could hold them."""
    hands = ["2S 4D 9D", "4C 5D 5C 6D 7D", "4H 6H 9H", "4S 7S 8S"]
    assert not starts_again(trick(*hands), "2S")
    exchanged = ["2S 9D 4C", "4D 5D 5C 6D 7D", "4H 6H 9H", "4S 7S 8S"]
    assert not starts_again(trick(*exchanged), "2S")
    without = ["2S 9D TD", "4C 5D 5C 6D 7D", "4H 6H 9H", "4S 7S 8S"]
    assert starts_again(trick(*without), "2S"), "one of the fours has been played"


def test_w_17_the_players_own_cards_are_not_public() -> None:
    """The player knows that nobody else can have the four fours; the table does not."""
    assert not starts_again(trick("2S 4D 4C", "5D 6D 7S 8S 9S", "4H", "4S"), "2S")
    assert not starts_again(trick("2S BJ", "5D", "6D", "7D", jokers=True), "2S")


def test_w_17_the_size_of_the_players_own_hand_does_not_matter() -> None:
    assert starts_again(trick("2S 4D 4C 4H 4S 5D", "6D", "6C", "6H"), "2S"), "nobody else holds five cards"
    assert starts_again(trick("2S 2D 4D 4C 4H 4S 5D", "6D", "6C", "6H"), "2S 2D")


def test_w_17_a_card_shown_in_the_exchange_counts_as_not_yet_seen() -> None:
    """Everybody saw the joker go to the player of the two of spades. Records from before replay only if that changes nothing."""
    state = trick("2S RJ", "5D", "6D", "7D", jokers=True)
    given = Exchange(winner=0, loser=1, given=card("RJ"), offered=tuple(map(card, ("3C", "4C"))))
    assert not starts_again(replace(state, exchange=given), "2S")


def test_w_17_a_card_shown_in_the_exchange_may_count_as_seen() -> None:
    """The only joker that could beat the two of spades is known to be with its player; without the exchange nobody knows."""
    unseen = trick("2S RJ", "5D", "6D", "7D", jokers=True, two_of_spades_restart="when-known-unbeatable")
    assert not starts_again(unseen, "2S")
    given = Exchange(winner=0, loser=1, given=card("RJ"), offered=tuple(map(card, ("3C", "4C"))))
    event = Event(len(unseen.events), 1, EventType.GIVE, (card("RJ"),))
    seen = replace(unseen, exchange=given, events=(*unseen.events, event))
    assert starts_again(seen, "2S")
    elsewhere = replace(seen, exchange=replace(given, winner=2))
    assert not starts_again(elsewhere, "2S")
    back = Exchange(winner=1, loser=0, given=card("3C"), offered=(card("RJ"), card("4C")))
    took = Event(len(unseen.events), 0, EventType.TAKE, (card("RJ"),))
    assert starts_again(replace(unseen, exchange=back, events=(*unseen.events, took)), "2S"), "so did the Loser's"


def test_w_17_a_card_shown_in_the_exchange_and_played_says_nothing_of_its_twin() -> None:
    two: Options = {"decks": 2, "jokers": True, "two_of_spades_restart": "when-known-unbeatable"}
    state = trick("2S 9D", "RJ", "6D", "7D", **two)
    given = Exchange(winner=0, loser=1, given=card("RJ"), offered=tuple(map(card, ("3C", "4C"))))
    gift = Event(len(state.events), 1, EventType.GIVE, (card("RJ"),))
    gone = Event(len(state.events) + 1, 0, EventType.PLAY, (card("RJ"),))
    assert not starts_again(replace(state, exchange=given, events=(*state.events, gift, gone)), "2S")


def test_w_17_h_40_cards_shown_in_the_exchange_of_two_pairs() -> None:
    """Seat 0 received the only joker: from the second, or in return. In the last case it has given the joker back."""
    known: Options = {"jokers": True, "two_of_spades_restart": "when-known-unbeatable"}
    holds, gone = trick("2S RJ", "5D", "6D", "7D", **known), trick("2S 9D", "5D RJ", "6D", "7D", **known)
    for state, exchange, givers, free in (
        (holds, Exchange(winner=1, loser=3, inner=(2, 0)), (2,), True),
        (holds, Exchange(winner=1, loser=3, inner=(2, 0)), (1,), False),
        (holds, Exchange(winner=1, loser=0, inner=(2, 3)), (0, 1), True),
        (gone, Exchange(winner=0, loser=1, inner=(2, 3)), (1, 0), False),
    ):
        gifts = [Event(len(state.events) + i, seat, EventType.GIVE, (card("RJ"),)) for i, seat in enumerate(givers)]
        exchanged = replace(state, exchange=exchange, events=(*state.events, *gifts))
        assert starts_again(exchanged, "2S") == free


def test_w_17_a_straight_flush_that_is_still_there() -> None:
    hands = ["2S TH", "5D 6D 7D 8D TC", "9D 3C", "7C 7H"]
    assert not starts_again(trick(*hands), "2S"), "5-6-7-8-9 of diamonds are unplayed, in two hands"
    broken = ["2S TH", "5D 6D 7D 8C TC", "9D 3C", "7C 7H"]
    assert starts_again(trick(*broken), "2S"), "the 8D is gone"


@pytest.mark.parametrize(("shortest", "free"), [(3, False), (4, True), (5, True)])
def test_w_17_short_straights(shortest: int, free: bool) -> None:
    hands = "2S TH", "5D 6D 7D", "8C 8H", "JC"
    assert starts_again(trick(*hands, min_straight=shortest), "2S") == free
    two = "2S TH", "5D 6D", "7D 8H", "JC"
    assert starts_again(trick(*two, min_straight=3), "2S"), "nobody holds three cards"


def test_w_17_where_four_alone_is_the_bomb() -> None:
    four = "2S 9D", "4D 4C 4H 4S", "6D 6C", "7D 7C"
    assert not starts_again(trick(*four, preset="winner-bomb"), "2S")
    assert not starts_again(trick("2S 2H 9D", *four[1:], preset="winner-bomb"), "2S 2H")
    three = "2S 9D", "4D 4C 4H", "4S 6D 6C", "7D 7C"
    assert starts_again(trick(*three, preset="winner-bomb"), "2S"), "no hand of four"


def test_w_17_jokers_unseen() -> None:
    on: Options = {"jokers": True}
    for joker in ("BJ", "RJ"):
        for holder in range(4):
            hands = ["2S 9D", "5D", "6D", "7D"]
            hands[holder] += f" {joker}"
            assert not starts_again(trick(*hands, **on), "2S")
            pair = ["2S 2D 9D", *hands[1:]]
            pair[holder] = " ".join(dict.fromkeys(f"{pair[holder]} {joker}".split()))
            assert starts_again(trick(*pair, **on), "2S 2D"), "with one pack no pair of jokers beats a pair"
    assert starts_again(trick("2S 9D", "5D", "6D", "7D", **on), "2S"), "both jokers have been played"


def test_w_17_two_packs_pairs_of_jokers() -> None:
    two: Options = {"decks": 2, "jokers": True}
    assert not starts_again(trick("2S 2D 9D", "5D BJ", "6D BJ", "7D", **two), "2S 2D"), (
        "two black jokers, and a hand of two"
    )
    assert starts_again(trick("2S 2D 9D", "5D BJ", "6D RJ", "7D", **two), "2S 2D"), "one of each is no pair"
    assert starts_again(trick("2S 2D 9D", "BJ", "BJ", "RJ", **two), "2S 2D"), "nobody holds two cards"
    assert not starts_again(trick("2S 2D 9D BJ", "BJ", "6D 7D", "RJ", **two), "2S 2D")
    assert not starts_again(trick("2S 9D", "BJ", "5D", "6D", **two), "2S")


def test_w_17_the_other_two_of_spades_ties() -> None:
    two: Options = {"decks": 2}
    assert starts_again(trick("2S 9D", "2S", "5D", "6D", **two), "2S")
    assert starts_again(trick("2S 2S 9D", "2H 2H", "5D", "6D", **two), "2S 2S")
    assert starts_again(trick("2S 2D 9D", "2S 2H", "5D", "6D", **two), "2S 2D")
    bomb = trick("2S 9D", "4D 4D 4C 4C 4H", "5D", "6D", **two)
    assert not starts_again(bomb, "2S"), "five of one rank are a bomb"


def could_be_beaten(rules: Rules, state: State, play: str) -> bool:
    """Brute force over the unplayed cards and the sizes of the hands."""
    mine, seat = rules.combination(play), state.to_act
    unseen = [c for h in state.hands for c in h]
    for c in mine.cards:
        unseen.remove(c)
    most = max(len(h) for s, h in enumerate(state.hands) if s != seat)
    for size in range(1, min(most, 6) + 1):
        for cards in combinations(unseen, size):
            try:
                if rules.combination(cards).beats(mine):
                    return True
            except IllegalPlay:
                continue
    return False


VARIANTS: list[Options] = [
    {},
    {"jokers": True},
    {"min_straight": 3},
    {"bomb": "quad", "jokers": True},
    {"decks": 2, "jokers": True},
    {"decks": 2, "bomb": "quad", "min_straight": 4},
]


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_w_17_against_brute_force(options: Options) -> None:
    rules, rng = dasan.rules("winner", **options), random.Random(5)
    answers: list[bool] = []
    for _ in range(60):
        ranks = rng.sample("3456789TJQKA", rng.choice((2, 3, 5)))
        suits = rng.sample("DCHS", rng.choice((2, 3, 4)))
        pool = [c for c in rules.pack if (c.rank in ranks and c.suit in suits) or c.rank == "2" or c.is_joker]
        pool.remove(dasan.card("2S"))
        rng.shuffle(pool)
        sizes = [rng.randint(0, 2), rng.randint(1, 5), rng.randint(1, 2), 1]
        hands: list[list[Card]] = []
        for size in sizes:
            hands.append([pool.pop() for _ in range(min(size, len(pool)))])
        if not all(hands[1:]):
            continue
        hands[0].append(dasan.card("2S"))
        other = next((c for c in hands[0] if c.rank == "2" and str(c) != "2S"), None)
        state = dasan.start(rules, [" ".join(map(str, h)) for h in hands], leader=0)
        for play in ["2S"] + ([f"2S {other}"] if other else []):
            beatable = could_be_beaten(rules, state, play)
            assert starts_again_or_out(state, play) == (not beatable)
            answers.append(beatable)
    assert {True, False} == set(answers)


def starts_again_or_out(state: State, play: str) -> bool:
    return state.play(play).table is None


# W.17, other options and places


def test_w_17_always_and_off() -> None:
    hands = "2S 9D", "4D 4C 4H 4S 5D", "BJ RJ", "7D 7C"
    assert starts_again(trick(*hands, jokers=True, two_of_spades_restart="always"), "2S")
    safe = "2S 9D", "4D", "5D", "7D"
    state = trick(*safe, two_of_spades_restart="off")
    assert not starts_again(state, "2S")
    assert texts(state.play("2S")) == ["pass"]


def test_w_17_alone_or_in_a_pair_only() -> None:
    always = "always"
    for play in ("2S 2H 2D", "2S 2H 2D AD AC", "AD 2S 3D 4D 5D", "AD AC 2D 2S", "2D 2C 2H 2S", "2D 2C 2H 2S 3D"):
        state = trick(f"{play} 9D", "6D", "6C", "6H", two_of_spades_restart=always)
        assert not starts_again(state, play)
    for play in ("2S", "2S 2D", "2S 2C", "2H 2S"):
        assert starts_again(trick(f"{play} 9D", "6D", "6C", "6H", two_of_spades_restart=always), play)
    for play in ("2H", "2H 2D"):
        assert not starts_again(trick(f"{play} 9D", "6D", "6C", "6H", two_of_spades_restart=always), play)


def test_w_17_in_answer_to_another_play() -> None:
    state = say(trick("4D 4C 9D", "2S 2D 9C", "6D 6C", "7D 7C"), "4D")
    assert starts_again(state, "2S")
    state = say(trick("4D 4C 9D", "2S 2D 9C", "6D 6C", "7D 7C"), "4D 4C")
    assert starts_again(state, "2S 2D")


def test_w_17_the_play_that_empties_the_hand() -> None:
    state = say(trick("2S", "5D", "6D 6C", "7D 7C"), "2S")
    assert (state.finished, state.table, state.to_act, state.leader) == ((0,), None, 1, 1)
    assert types(state) == ["play", "out", "trick"]
    state = say(trick("2S", "", "6D 6C", "7D 7C"), "2S")
    assert state.to_act == 2
    beatable = say(trick("2S", "5D", "6D 6C", "BJ 7C", jokers=True), "2S")
    assert (beatable.table is not None, beatable.to_act) == (True, 1)
    last = say(trick("2S", "", "", "7D 7C"), "2S")
    assert last.phase == "over"


def test_w_17_the_leader_may_play_on_and_on() -> None:
    state = say(trick("2S 9D 9C TD", "5D 5C", "6D 6C", "7D 7C"), "2S")
    assert set(texts(state)) == {"9D", "9C", "TD", "9D 9C"}
    refused(state, "pass", "W.16")


# W.20


def between(seed: int = 2, **options: bool | int | str) -> Session:
    """A session whose second hand has just been dealt."""
    return play_hands(dasan.session(dasan.rules("winner", **options), seed=seed), 1, random.Random(seed)).next_hand()


def roles(state: State) -> tuple[int, int]:
    assert state.exchange is not None
    return state.exchange.winner, state.exchange.loser


def test_w_20_not_in_the_first_hand() -> None:
    state = dasan.session(RULES, seed=2).state
    assert (state.phase, state.exchange) == ("play", None)
    refused(state, "give 3D", "W.20")
    refused(state, "offer 3D 4D", "W.20")
    refused(state, "take 3D", "W.20")


def test_w_20_the_loser_gives_the_highest_card() -> None:
    for seed in range(6):
        session = between(seed)
        state = session.state
        winner, loser = roles(state)
        before = session.past[0].result
        assert before is not None
        assert (winner, loser) == (before.finish_order[0], before.finish_order[-1])
        assert (state.phase, state.to_act, state.dealer) == ("exchange", loser, loser)
        highest = state.hands[loser][-1]
        assert texts(state) == [f"give {highest}"]
        refused(state, f"give {state.hands[loser][0]}", "W.20", IllegalPlay, f"your highest card, {highest}")
        refused(state, f"give {state.hands[winner][0]}", "G.05", IllegalPlay, "do not hold")
        for wrong in ("pass", "bid 1", str(highest)):
            refused(state, wrong, {"bid 1": "G.01"}.get(wrong, "W.16"))
        refused(state, f"offer {state.hands[loser][0]} {state.hands[loser][1]}", "W.20", IllegalPlay, "time to give")
        refused(state, f"take {highest}", "W.20")
        after = say(state, f"give {highest}")
        assert highest in after.hands[winner]
        assert highest not in after.hands[loser]
        assert (after.to_act, after.hand_sizes) == (winner, (13 + (winner == 0) - (loser == 0), *after.hand_sizes[1:]))


def test_w_20_the_winner_offers_two_cards_but_not_the_one_received() -> None:
    state = between().state
    winner, loser = roles(state)
    given = state.hands[loser][-1]
    state = say(state, f"give {given}")
    own = [c for c in state.hands[winner] if c is not given]
    assert len(own) == 13
    assert len(state.legal_moves()) == 13 * 12 // 2
    for move in state.legal_moves():
        assert given not in move.cards
        assert set(move.cards) <= set(own)
    refused(state, f"offer {given} {own[0]}", "W.20", IllegalPlay, "other than")
    refused(state, f"offer {own[0]} {own[0]}", "G.05", Malformed)
    refused(state, f"offer {own[0]}", "G.01", Malformed)
    refused(state, f"offer {own[0]} {own[1]} {own[2]}", "G.01", Malformed)
    refused(state, f"give {own[0]}", "W.20", IllegalPlay, "time to offer")
    after = say(state, f"offer {own[5]} {own[2]}")
    assert (after.to_act, after.phase) == (loser, "exchange")
    assert after.hands == state.hands, "offered cards stay in the hand until one is taken"


def test_w_20_the_loser_takes_one() -> None:
    state = between().state
    winner, loser = roles(state)
    given = state.hands[loser][-1]
    state = say(state, f"give {given}")
    first, second = state.hands[winner][0], state.hands[winner][1]
    state = say(state, f"offer {second} {first}")
    assert texts(state) == [f"take {first}", f"take {second}"]
    other = state.hands[winner][4]
    refused(state, f"take {other}", "W.20", IllegalPlay, f"{first} or {second}")
    refused(state, f"offer {first} {second}", "W.20", IllegalPlay, "time to take")
    for taken, left in ((first, second), (second, first)):
        after = say(state, f"take {taken}")
        assert taken in after.hands[loser]
        assert left in after.hands[winner]
        assert (after.phase, after.hand_sizes) == ("play", (13, 13, 13, 13))
        assert sorted(map(str, (c for h in after.hands for c in h))) == sorted(map(str, RULES.pack))
        assert after.to_act == winner, "W.21"
    refused(say(state, f"take {first}"), f"take {second}", "W.20")


def test_w_20_who_sees_what() -> None:
    state = between().state
    winner, loser = roles(state)
    given = state.hands[loser][-1]
    state = say(state, f"give {given}")
    hidden, taken = state.hands[winner][0], state.hands[winner][1]
    offered = say(state, f"offer {hidden} {taken}")
    for after in (offered, say(offered, f"take {taken}")):
        for seat in (0, 1, 2, 3, None):
            view = after.view(seat)
            (give,) = [e for e in view.events if e.type is EventType.GIVE]
            (offer,) = [e for e in view.events if e.type is EventType.OFFER]
            assert give.cards == (given,), "shown to all"
            sees = seat in (winner, loser)
            assert offer.to_json()["cards"] == ([str(hidden), str(taken)] if sees else ["?", "?"])
            if after is offered:
                assert view.offered == ((hidden, taken) if sees else None)
            else:
                assert view.offered is None
                (take,) = [e for e in view.events if e.type is EventType.TAKE]
                assert take.cards == (taken,), "shown to all"
            if not sees:
                assert str(hidden) not in str(view.to_json()["events"])
                assert hidden not in view.hand


def test_w_20_two_packs_the_same_card_twice() -> None:
    """A Winner who held the card already may offer that one; two identical cards may be offered."""
    rules = dasan.rules("winner", decks=2)
    same = twice = False
    for seed in range(120):
        session = play_hands(dasan.session(rules, seed=seed), 1, random.Random(seed)).next_hand()
        state = session.state
        winner, loser = roles(state)
        given = state.hands[loser][-1]
        had = state.hands[winner].count(given)
        state = say(state, f"give {given}")
        other = next(c for c in state.hands[winner] if c is not given)
        if had:
            same = True
            after = say(state, f"offer {given} {other}")
            assert after.exchange is not None
            taken = say(after, f"take {given}")
            assert taken.hands[winner].count(given) == 1
            assert taken.hands[loser].count(given) == state.hands[loser].count(given) + 1
        else:
            refused(state, f"offer {given} {other}", "W.20")
        pairs = [c for c in state.hands[winner] if state.hands[winner].count(c) == 2 and c is not given]
        if pairs:
            twice = True
            after = say(state, f"offer {pairs[0]} {pairs[0]}")
            assert texts(after) == [f"take {pairs[0]}"]
            assert say(after, f"take {pairs[0]}").hands[winner].count(pairs[0]) == 1
        if same and twice:
            return
    raise AssertionError((same, twice))


def test_w_20_jokers_are_the_highest() -> None:
    for seed in range(60):
        state = between(seed, jokers=True).state
        loser = roles(state)[1]
        jokers = [c for c in state.hands[loser] if c.is_joker]
        if jokers:
            assert texts(state) == [f"give {jokers[-1]}"]
            assert str(jokers[-1]) == "RJ" or len(jokers) == 1
            return
    raise AssertionError("no Loser held a joker")


def test_w_20_shorthand() -> None:
    state = between().state
    highest = state.hands[roles(state)[1]][-1]
    state = say(state, f"give {highest}")
    hand = state.hands[roles(state)[0]]
    rank = next(c.rank for c in hand if sum(d.rank == c.rank for d in hand) > 1)
    other = next(c for c in hand if c.rank != rank and c is not highest)
    refused(state, f"offer {rank} {other}", "W.03", Ambiguous, f"which {rank}")


@pytest.mark.parametrize("players", [3, 5, 8])
def test_w_20_between_first_and_last_whoever_they_are(players: int) -> None:
    session = play_hands(dasan.session(dasan.rules("winner", players=players), seed=4), 3, random.Random(4))
    for before, after in zip(session.past, [*session.past[1:], session.state], strict=True):
        assert before.result is not None
        moves = [e for e in after.events if e.type.value in ("give", "offer", "take")]
        assert [e.type.value for e in moves] == ["give", "offer", "take"]
        winner, loser = before.result.finish_order[0], before.result.finish_order[-1]
        assert [e.seat for e in moves] == [loser, winner, loser]
        assert moves[2].cards[0] in moves[1].cards
