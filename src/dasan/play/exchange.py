"""Winner's exchange between hands (W.20): the loser gives the highest card and takes one of two back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from dasan.cards import Card, Hand, missing, without
from dasan.errors import IllegalPlay
from dasan.play.events import EventType
from dasan.play.fields import AnyState, StateFields
from dasan.play.moves import Move, MoveType
from dasan.play.phases import Exchange, Phase
from dasan.play.tricks import with_leader
from dasan.reasons import Sentence, reason


def begun(state: AnyState, seats: Sequence[int]) -> AnyState:
    """The first state of an exchange. seats: as in `Deal.exchange`."""
    winner, loser, *inner = seats
    exchange = Exchange(winner, loser, inner=(inner[0], inner[1]) if inner else None)
    return state.then(phase=Phase.EXCHANGE, to_act=loser, exchange=exchange)


def _pending(state: StateFields) -> tuple[Exchange, MoveType]:
    """The current exchange, and the type of the next move."""
    clause = state.rules.cite["exchange"]
    deal = state.exchange
    if deal is None or state.phase is not Phase.EXCHANGE:
        raise IllegalPlay(reason("exchange.closed"), clause=clause)
    if deal.given is None or deal.inner is not None:
        return deal, MoveType.GIVE
    return deal, MoveType.TAKE if deal.offered else MoveType.OFFER


def _highest(state: StateFields, seat: int) -> tuple[Card, ...]:
    """The highest card of a hand; where suits do not count, any of the highest rank."""
    value = state.rules.order.value
    top = max(value[c] for c in state.hands[seat])
    return tuple(dict.fromkeys(c for c in state.hands[seat] if value[c] == top))


def _offerable(state: StateFields, deal: Exchange) -> tuple[Card, ...]:
    received = (deal.given,) if deal.given is not None else ()
    return tuple(without(state.hands[deal.winner], received))


def _gifts(state: StateFields, deal: Exchange) -> tuple[tuple[Card, ...], ...]:
    """The cards that the seat to act may give: its highest, or any in return (H.40)."""
    giver, _, number = deal.gift(deal.gifts)
    value = state.rules.order.value
    gifts = dict.fromkeys(combinations(state.hands[giver], number))
    if deal.gifts > 1:
        return tuple(gifts)
    highest = sorted((value[c] for c in state.hands[giver]), reverse=True)[:number]
    return tuple(gift for gift in gifts if sorted((value[c] for c in gift), reverse=True) == highest)


def _give(state: AnyState, move: Move, deal: Exchange) -> AnyState:
    """The state after a gift in the exchange in two pairs (H.40)."""
    giver, receiver, number = deal.gift(deal.gifts)
    state.check_cards(move.cards)
    cards = tuple(state.rules.order.hand(move.cards))
    if cards not in _gifts(state, deal):
        raise IllegalPlay(_wrong_gift(state, giver, number, len(cards)), clause=state.rules.cite["exchange"])
    hands = list(state.hands)
    hands[giver] = state.hand_less(giver, cards)
    hands[receiver] = state.rules.order.hand((*hands[receiver], *cards))
    after = state.then((giver, EventType.GIVE, cards), hands=tuple(hands))
    if deal.gifts == 3:
        return with_leader(after.then(phase=Phase.PLAY, exchange=replace(deal, gifts=4)))
    following = replace(deal, gifts=deal.gifts + 1)
    return after.then(exchange=following, to_act=following.gift(following.gifts)[0])


def _wrong_gift(state: StateFields, giver: int, number: int, given: int) -> Sentence:
    if given != number:
        return _wrong_number(number)
    if number > 1:
        return reason("exchange.highest", n=number)
    return reason("exchange.give", cards=_highest(state, giver)[0])


def _wrong_number(number: int) -> Sentence:
    return reason("exchange.number.one" if number == 1 else "exchange.number", n=number)


def legal_exchanges(state: StateFields) -> tuple[Move, ...]:
    deal, wanted = _pending(state)
    if deal.inner is not None:
        return tuple(Move(MoveType.GIVE, gift) for gift in _gifts(state, deal))
    match wanted:
        case MoveType.GIVE:
            return tuple(Move(wanted, (c,)) for c in _highest(state, deal.loser))
        case MoveType.OFFER:
            pairs = dict.fromkeys(combinations(_offerable(state, deal), 2))
            return tuple(Move(wanted, pair) for pair in pairs)
        case _:
            return tuple(Move(wanted, (c,)) for c in dict.fromkeys(deal.offered))


def exchange(state: AnyState, move: Move) -> AnyState:
    """The state after `give`, `offer` or `take`."""
    deal, wanted = _pending(state)
    clause = state.rules.cite["exchange"]
    if move.type is not wanted:
        raise IllegalPlay(reason("exchange.now", wanted=wanted, move=move.type), clause=clause)
    if deal.inner is not None:
        return _give(state, move, deal)
    if len(move.cards) != 1 and wanted is not MoveType.OFFER:
        raise IllegalPlay(_wrong_number(1), clause=clause)
    seat = deal.winner if wanted is MoveType.OFFER else deal.loser
    if wanted is MoveType.TAKE:
        state.rules.check_in_pack(move.cards)
    else:
        state.check_cards(move.cards)
    if wanted is MoveType.GIVE:
        if move.cards[0] not in _highest(state, seat):
            highest = _highest(state, seat)[0]
            raise IllegalPlay(reason("exchange.give", cards=highest), clause=clause)
        return state.then(
            (seat, EventType.GIVE, move.cards),
            hands=_moved(state, move.cards[0], seat, deal.winner),
            exchange=replace(deal, given=move.cards[0]),
            to_act=deal.winner,
        )
    if wanted is MoveType.OFFER:
        if len(move.cards) != 2 or missing(move.cards, _offerable(state, deal)):
            raise IllegalPlay(reason("exchange.offer", cards=deal.given), clause=clause)
        offered = tuple(state.rules.order.hand(move.cards))
        return state.then((seat, EventType.OFFER, offered), exchange=replace(deal, offered=offered), to_act=deal.loser)
    (taken,) = move.cards
    if taken not in deal.offered:
        raise IllegalPlay(reason("exchange.take", cards=deal.offered[0], other=deal.offered[1]), clause=clause)
    after = state.then(
        (seat, EventType.TAKE, (taken,)),
        hands=_moved(state, taken, deal.winner, seat),
        phase=Phase.PLAY,
    )
    return with_leader(after)


def _moved(state: StateFields, c: Card, giver: int, taker: int) -> tuple[Hand, ...]:
    hands = list(state.hands)
    hands[giver] = state.hand_less(giver, (c,))
    hands[taker] = state.rules.order.hand((*hands[taker], c))
    return tuple(hands)
