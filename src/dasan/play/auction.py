"""The auction of Big Three, the kitty, and the call of a partner's card."""

from __future__ import annotations

from dasan.cards import Card
from dasan.errors import IllegalPlay
from dasan.play.events import EventType
from dasan.play.fields import AnyState, StateFields
from dasan.play.moves import PASS, Move, MoveType
from dasan.play.phases import Phase
from dasan.reasons import reason
from dasan.ruleset.policies import Auction, Opener
from dasan.ruleset.rules import Rules


def opener(rules: Rules, hands: tuple[tuple[Card, ...], ...]) -> tuple[int, Card]:
    """The opener of the auction and the card: the lowest card of the suit that is in a hand (B3.07)."""
    suit = _auction(rules).suit
    place = rules.order.place
    lowest = min((c for hand in hands for c in hand if c.suit == suit), key=place.__getitem__)
    return next(s for s, hand in enumerate(hands) if lowest in hand), lowest


def opened(state: AnyState, drawn: int | None) -> AnyState:
    """The first state of the auction. drawn: the opener, if one is drawn (DD.02); None: the dealer opens."""
    shown: tuple[Card, ...] = ()
    if _auction(state.rules).opener is Opener.RANDOM:
        seat = state.dealer if drawn is None else drawn
    else:
        seat, lowest = opener(state.rules, state.hands)
        shown = (lowest,)
    return state.then((seat, EventType.OPEN, shown), phase=Phase.AUCTION, to_act=seat, opener=seat)


def legal_bids(state: StateFields) -> tuple[Move, ...]:
    """The legal bids from low to high, then the pass if it is legal (B3.08, B3.09, H.01, H.02)."""
    top = _auction(state.rules).top
    bids = [Move(MoveType.BID, bid=n) for n in range((state.bid or 0) + 1, top + 1)]
    return tuple(m for m in (*bids, PASS) if objection(state, m) is None)


def objection(state: StateFields, move: Move) -> IllegalPlay | None:
    """Why `move` may not be made now, or None."""
    policy = _auction(state.rules)
    cite = state.rules.cite
    seat = state.mover
    if move.bid != policy.top and policy.dig([c.rank for c in state.hands[seat]]) is not None:
        return IllegalPlay(reason("dig", n=policy.top), clause=cite["dig"])
    if move.type is MoveType.PASS:
        if state.bid is None and seat == state.opener and not policy.opener_may_pass:
            return IllegalPlay(reason("opener"), clause=cite["opener"])
        return None
    if move.bid is None or not 1 <= move.bid <= policy.top:
        return IllegalPlay(reason("bids", n=policy.top), clause=cite.get("bids", cite["opener"]))
    if state.bid is not None and move.bid <= state.bid:
        return IllegalPlay(reason("bid", n=move.bid, m=state.bid), clause=cite["bid"])
    return None


def bid(state: AnyState, move: Move) -> AnyState:
    """The state after a bid or a pass in the auction."""
    if state.phase is not Phase.AUCTION:
        raise IllegalPlay(reason("auction.closed"), clause=state.rules.cite["auction"])
    refused = objection(state, move)
    if refused is not None:
        raise refused
    policy = _auction(state.rules)
    seat = state.mover
    if move.type is MoveType.BID:
        passed = state.passed if policy.passing_is_final else ()
        after = state.then((seat, EventType.BID, ()), bid=move.bid, bidder=seat, passed=passed)
    else:
        after = state.then((seat, EventType.PASS, ()), passed=(*state.passed, seat))
    return _next(after, seat)


def _next(state: AnyState, seat: int) -> AnyState:
    """Close the auction if it is over (B3.10, B4.02, H.02, H.11, H.12, H.43), else ask the next player."""
    policy = _auction(state.rules)
    if state.bid == policy.top or (state.bidder is not None and _all_have_spoken(state, seat)):
        return close(state)
    if len(state.passed) == state.rules.players and state.opener is not None:
        return _void(state) if policy.all_pass_is_void else close(state.then(bid=1, bidder=state.opener))
    return state.then(to_act=state.seat_after(seat, out_of=state.passed))


def _all_have_spoken(state: StateFields, seat: int) -> bool:
    """Whether nobody else may bid after `seat`, once there is a bid."""
    policy = _auction(state.rules)
    if policy.one_round:
        return (seat + 1) % state.rules.players == state.opener
    actions = [e.type for e in state.events if e.type in (EventType.BID, EventType.PASS)]
    if policy.passes_to_end and actions[-policy.passes_to_end :] == [EventType.PASS] * policy.passes_to_end:
        return EventType.BID in actions[: -policy.passes_to_end]
    return all(s in state.passed or s == state.bidder for s in range(state.rules.players))


def _void(state: AnyState) -> AnyState:
    """Nobody has bid: the hand is over without a winner, and pays nothing (H.12, DD.02)."""
    return state.then(phase=Phase.OVER, to_act=None, payments=(0,) * state.rules.players)


def close(state: AnyState) -> AnyState:
    """The highest bidder takes the kitty (B3.11), or calls a card (B4.03)."""
    if state.bidder is None:
        raise IllegalPlay(reason("no-bid"), clause=state.rules.cite["auction"])
    bidder = state.bidder
    if state.rules.call is not None:
        return state.then(phase=Phase.CALL, to_act=bidder, passed=())
    hand = state.rules.order.hand((*state.hands[bidder], *state.kitty))
    return state.then(
        (bidder, EventType.KITTY, state.kitty),
        hands=state.with_hand(bidder, hand),
        kitty=(),
        phase=Phase.PLAY,
        passed=(),
        to_act=_leader(state),
        leader=_leader(state),
    )


def _leader(state: StateFields) -> int | None:
    """The opener leads the first trick (B3.12, B4.05), or the bidder (H.13, DD.03)."""
    return state.bidder if _auction(state.rules).bidder_leads else state.opener


def legal_calls(state: StateFields) -> tuple[Move, ...]:
    """Every card that the bidder may call, low to high (B4.03)."""
    ranks = state.rules.call.ranks if state.rules.call is not None else ""
    cards = [c for c in state.rules.order.hand(state.rules.pack) if c.rank in ranks]
    held = state.hands[state.mover]
    return tuple(Move(MoveType.CALL, (c,)) for c in cards if c not in held)


def call(state: AnyState, move: Move) -> AnyState:
    """The bidder calls a card; its holder is the partner, and need not reveal it (B4.03, B4.04)."""
    clause = state.rules.cite["call"]
    if state.phase is not Phase.CALL or state.rules.call is None:
        raise IllegalPlay(reason("call.closed"), clause=clause)
    ranks = state.rules.call.ranks
    (called,) = move.cards
    if called.rank not in ranks:
        raise IllegalPlay(reason("call.rank", low=ranks[0], cards=called), clause=clause)
    if called in state.hands[state.mover]:
        raise IllegalPlay(reason("own", cards=called), clause=clause)
    partner = next(s for s, hand in enumerate(state.hands) if called in hand)
    return state.then(
        (state.mover, EventType.CALL, (called,)),
        called=called,
        partner=partner,
        phase=Phase.PLAY,
        to_act=_leader(state),
        leader=_leader(state),
    )


def _auction(rules: Rules) -> Auction:
    if rules.auction is None:
        raise IllegalPlay(reason("auction.closed"))
    return rules.auction
