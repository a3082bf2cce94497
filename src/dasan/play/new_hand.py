"""The beginning of a dealt hand: its secret and its first state."""

from __future__ import annotations

from dataclasses import replace

from dasan.arguments import instance
from dasan.arguments import seat as seat_of
from dasan.play import auction, exchange, fairness
from dasan.play.dealing import Deal, deal_hand
from dasan.play.origin import Origin, current_origin
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.play.tricks import with_leader
from dasan.ruleset.rules import Rules


def deal(rules: Rules, *, seed: int | bytes = 0, dealer: int = 0) -> State:
    """Shuffle and deal one hand. seed: an integer or bytes; equal seeds deal equal cards. dealer: a seat.

    TypeError: `rules`, `seed` or `dealer` has another type. ValueError: there is no such seat.

    >>> import dasan
    >>> dasan.deal(dasan.rules("big-three"), seed=7).hand_sizes
    (16, 16, 16)
    """
    instance(rules, Rules, "deal takes rules, such as dasan.rules('big-three')")
    dealer = seat_of(dealer, rules.players, "dealer")
    secret = hand_secret(seed, 1)
    shuffled = fairness.deal_seed(secret, (), rules.digest, 1)
    dealt = deal_hand(rules, shuffled, number=1, dealer=dealer, commitment=fairness.commitment(secret))
    return begin(rules, dealt, origin=replace(current_origin(), secret=secret))


def hand_secret(seed: int | bytes, number: int) -> bytes:
    """The secret of hand `number`, derived from the seed of the game."""
    return fairness.local_seed(seed, "secret", number)


def begin(rules: Rules, dealt: Deal, *, first_seq: int = 1, origin: Origin | None = None) -> State:
    """The first state of a dealt hand: the auction, the exchange, or the first lead."""
    hands = tuple(rules.order.hand(c for c in hand if c is not None) for hand in dealt.hands)
    state = State(
        origin=origin or current_origin(),
        rules=rules,
        begun=dealt,
        hands=hands,
        kitty=tuple(c for c in dealt.kitty if c is not None),
        dealer=dealt.dealer,
        phase=Phase.PLAY,
        to_act=None,
        first_seq=first_seq,
    )
    if rules.auction is not None:
        return auction.opened(state, dealt.opener)
    if dealt.exchange is not None:
        return exchange.begun(state, dealt.exchange)
    return with_leader(state)
