"""Prompts for the person at the terminal, and expansion of their answers."""

from __future__ import annotations

from dasan.play.events import EventType
from dasan.play.moves import MoveType
from dasan.play.phases import Phase
from dasan.play.view import View
from dasan.text.words import Words, kind_words, listed

_PREFIXED = {MoveType.CALL, MoveType.GIVE, MoveType.OFFER, MoveType.TAKE}


def question(view: View, words: Words) -> str:
    """The prompt for the move of the seat to act.

    >>> import dasan
    >>> state = dasan.deal(dasan.rules("big-three"), seed=7)
    >>> question(state.view(state.to_act), Words(state.rules, ("You", "Bot 1", "Bot 2"), state.to_act))
    'Your bid: bid 1, bid 2 or bid 3?'
    """
    moves = view.legal_moves()
    match view.phase:
        case Phase.AUCTION:
            return f"Your bid: {listed([str(move) for move in moves], 'or')}?"
        case Phase.CALL:
            ranks = list(dict.fromkeys(move.cards[0].rank.replace("T", "10") for move in moves))
            return f"Call a card that you do not hold, of rank {ranks[0]} to {ranks[-1]}."
        case Phase.EXCHANGE if moves:
            match moves[0].type:
                case MoveType.GIVE:
                    return _gift(view, words)
                case MoveType.OFFER:
                    return "Offer two cards, of which the loser takes one."
                case _:
                    return f"Take one: {listed([words.cards(m.cards) for m in moves], 'or')}?"
        case Phase.PLAY if view.table is not None and view.table_seat is not None:
            kind = "" if len(view.table.cards) == 1 else f" ({kind_words(view.table.kind)})"
            beat = f"{words.names[view.table_seat]}'s {words.cards(view.table.cards)}{kind}"
            may_play = any(move.type is MoveType.PLAY for move in moves)
            may_pass = view.guarding is None and any(move.type is MoveType.PASS for move in moves)
            if not may_play:
                return f"You cannot beat {beat}: pass."
            return f"Beat {beat}{' or pass' if may_pass else ''}.{_duty(view, words)}"
        case Phase.PLAY if view.must_include is not None:
            return f"You lead: play any combination that contains the {words.cards([view.must_include])}."
        case Phase.PLAY:
            return f"You lead: play any combination.{_duty(view, words)}"
        case _:
            return ""


def _duty(view: View, words: Words) -> str:
    """What a guard has to know (D2.16)."""
    if view.guarding is None:
        return ""
    duty = "any single must be your highest" if view.table is None else "play your highest"
    return f" {words.names[view.guarding]} has one card left: {duty}."


def _gift(view: View, words: Words) -> str:
    """The prompt for a gift in the exchange: the highest cards first, and any cards in return (H.40)."""
    gifts = [move.cards for move in view.legal_moves()]
    several = len(gifts[0]) > 1
    if sum(event.type is EventType.GIVE for event in view.events) > 1:
        return f"Give any {'two cards' if several else 'card'} in return."
    highest = "two highest cards" if several else "highest card"
    return f"Give your {highest}: {listed([words.cards(cards) for cards in gifts], 'or')}."


def spell_out(view: View, text: str) -> str:
    """Expand an abbreviated answer: `p` passes, `2` bids in the auction, `8C` calls.

    >>> import dasan
    >>> state = dasan.deal(dasan.rules("big-three"), seed=7)
    >>> spell_out(state.view(state.to_act), "2"), spell_out(state.view(state.to_act), "P")
    ('bid 2', 'pass')
    """
    text = " ".join(text.split())
    if text.lower() == "p":
        return "pass"
    moves = view.legal_moves()
    first = text.partition(" ")[0].lower()
    if view.phase is Phase.AUCTION and text.isascii() and text.isdigit():
        return f"bid {text}"
    if moves and moves[0].type in _PREFIXED and first not in set(MoveType):
        return f"{moves[0].type} {text}"
    return text
