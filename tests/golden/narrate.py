"""One annotated playthrough of every preset: written once, replayed by every later version."""

from __future__ import annotations

import json
import random

from tests.playing import Options

import dasan
from dasan import Move, Rules, Session, State
from dasan.play.dealing import Deal
from dasan.play.events import Event, EventType
from dasan.ruleset.policies import BidScoring, CardScoring, FixedScoring

PLAYTHROUGHS: dict[str, tuple[Options, int, int]] = {
    "big-three": ({}, 12, 2),
    "big-three-denexa": ({}, 5, 1),
    "big-three-fr": ({}, 8, 1),
    "big-three-4p": ({}, 3, 1),
    "big-two": ({}, 1, 2),
    "winner": ({"jokers": True, "scoring": "cards"}, 3, 2),
    "winner-bomb": ({"players": 3}, 2, 2),
    "big-two-hong-kong": ({}, 1, 1),
    "big-two-taiwan": ({}, 1, 1),
    "big-two-philippines": ({}, 1, 1),
    "big-two-indonesia": ({}, 1, 1),
    "zheng-shangyou": ({}, 1, 1),
    "wa-keng": ({}, 1, 1),
    "wa-keng-4": ({}, 1, 1),
    "dou-dizhu": ({}, 2, 3),
}
"""Options, seed and number of hands of each preset's playthrough."""

_NUMBERS = {"T": "10"}


def sensible(state: State, rng: random.Random) -> Move:
    """Leads many low cards, beats with the lowest play, keeps unbeatable plays for later; bids by its high cards."""
    legal = state.legal_moves()
    plays = [m for m in legal if m.combination is not None]
    if not plays:
        bids = [m for m in legal if m.bid is not None]
        if bids:
            strength = sum("A23".find(c.rank) + 1 for c in state.hands[state.to_act or 0]) // 6
            wanted = [m for m in bids if (m.bid or 0) <= strength]
            return wanted[-1] if wanted else legal[-1]
        return legal[0] if legal[0].type != "call" else rng.choice(legal)
    if state.table is None:
        return max(plays, key=lambda m: (-_power(m), len(m.cards), -_strength(m)))
    cheap = min(plays, key=lambda m: (_power(m), _strength(m)))
    dear = _power(cheap) > state.table.power or cheap.cards[-1].rank == state.rules.ranks[-1]
    hold = dear and min(n for s, n in enumerate(state.hand_sizes) if s != state.to_act and n) > 5
    return legal[-1] if hold and legal[-1].type == "pass" else cheap


def _power(move: Move) -> int:
    return move.combination.power if move.combination else 0


def _strength(move: Move) -> int:
    return move.combination.strength if move.combination else 0


def play(preset: str) -> Session:
    """The session of a preset's playthrough."""
    options, seed, hands = PLAYTHROUGHS[preset]
    rng = random.Random(seed)
    session = dasan.session(dasan.rules(preset, **options), seed=seed)
    for n in range(hands):
        session = session.next_hand() if n else session
        while session.state.phase != "over":
            session = session.play(sensible(session.state, rng))
    return session


def annotated(session: Session) -> str:
    """The record, each line followed by what happened, in words."""
    notes = _notes(session)
    out: list[str] = []
    for row in session.record().splitlines():
        line = json.loads(row)
        out.append(row)
        key = line.get("type", "header") if "seq" not in line else line["seq"]
        if key == "result":
            key = f"result {sum('result' in r for r in out if r.startswith('{' + chr(34) + 'type'))}"
        for text in notes.get(key, ()):
            note = {"type": "note", "seq": key, "text": text} if isinstance(key, int) else {"type": "note", "text": text}
            out.append(json.dumps(note, ensure_ascii=False, separators=(",", ":")))
    return "\n".join(out) + "\n"


def _notes(session: Session) -> dict[int | str, list[str]]:
    rules = session.rules
    notes: dict[int | str, list[str]] = {
        "header": [f"{dasan.PRESETS[rules.name].title}. Seats are numbered in order of play, from 0."]
    }
    for event in session.opening:
        notes[event.seq] = [_opening(rules, event)]
    for n, state in enumerate((*session.past, session.state), 1):
        assert isinstance(state.begun, Deal)
        notes[state.first_seq - 1] = [_dealt(state, state.begun, n)]
        before = _Table(rules)
        for event in state.events:
            notes[event.seq] = [before.tell(event)]
        notes[f"result {n}"] = [_settled(state)]
    return notes


def _opening(rules: Rules, event: Event) -> str:
    if event.type is EventType.DEALER:
        return f"Seat {event.seat} deals the first hand."
    return f"Seat {event.seat} draws {_cards(event)} for the deal."


def _dealt(state: State, begun: Deal, n: int) -> str:
    cut = f" after seat {begun.cutter} has cut {begun.cut} cards off the top" if begun.cutter is not None else ""
    kitty = f"; {len(begun.kitty)} are left for the kitty" if begun.kitty else ""
    held = sorted({len(h) for h in begun.hands}, reverse=True)
    return f"Hand {n}: seat {begun.dealer} deals{cut}, {' or '.join(map(str, held))} cards to everybody{kitty}."


def _cards(event: Event) -> str:
    return "-".join(_NUMBERS.get(c.rank, c.rank) + _symbol(c.suit) for c in event.cards if c is not None)


def _symbol(suit: str) -> str:
    return {"D": "♦", "C": "♣", "H": "♥", "S": "♠"}.get(suit, " joker")


class _Table:
    """The cards on the table as the events of a hand are narrated."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._last: dasan.Combination | None = None
        self._bid = 0

    def tell(self, event: Event) -> str:
        who, cards = f"Seat {event.seat}", _cards(event)
        match event.type:
            case EventType.OPEN if self._rules.auction is not None and not event.cards:
                return f"{who} is drawn to open the auction (DD.02)."
            case EventType.OPEN if self._rules.auction is not None:
                return f"{who} holds {cards} and opens the auction (B3.07)."
            case EventType.OPEN:
                return f"{who} holds {cards} and leads." if cards else f"{who} leads this hand."
            case EventType.BID:
                more = f"more than {self._bid}" if self._bid else "the first bid"
                self._bid = event.bid or 0
                return f"{who} bids {event.bid}, {more}."
            case EventType.KITTY:
                return f"{who} is the bidder at {self._bid} and takes the kitty, {cards} (B3.11)."
            case EventType.CALL:
                return f"{who} is the bidder at {self._bid} and calls {cards}: its holder is the partner (B4.03)."
            case EventType.PASS:
                return f"{who} passes{'' if self._last is None else f'; the {self._last.kind} stays on the table'}."
            case EventType.PLAY:
                return self._played(who, event)
            case EventType.TRICK:
                self._last = None
                return f"The trick is over; {who.lower()} leads."
            case EventType.LAST_CARD:
                return f"{who} has one card left: LAST CARD (D2.15)."
            case EventType.PARTNER:
                return f"With {cards} {who.lower()} is shown to be the partner (B4.04)."
            case EventType.OUT:
                return f"{who} has no cards left."
            case EventType.GIVE:
                return f"{who}, last time's Loser, gives the highest card, {cards}, to the Winner (W.20)."
            case EventType.OFFER:
                return f"{who} offers {cards}; only the Loser sees both (W.20)."
            case EventType.TAKE:
                return f"{who} takes {cards}, which all may see (W.20)."
            case _:
                raise ValueError(event.type)

    def _played(self, who: str, event: Event) -> str:
        made = self._rules.combination([c for c in event.cards if c is not None])
        over, self._last = self._last, made
        if over is None:
            return f"{who} leads a {made.kind}, {_cards(event)}."
        if over.kind == made.kind:
            return f"{who} beats it with a higher {made.kind}, {_cards(event)}."
        return f"{who} beats the {over.kind} with a {made.kind}, {_cards(event)}, whatever the ranks."


def _settled(state: State) -> str:
    result = state.result
    assert result is not None
    paid = ", ".join(f"seat {s} {p:+d}" for s, p in enumerate(result.payments))
    foul = f" Seat {result.foul} did not guard the last card: a foul (D2.17)." if result.foul is not None else ""
    match state.rules.scoring:
        case BidScoring() if not result.winners:
            why = "nobody has bid, and it is void (H.12)"
        case BidScoring() if state.bombs:
            why = (
                f"seat {result.finish_order[0]} is out first, the bid was {state.bid}, the bidder seat {state.bidder}, and the "
                f"bombs {state.bombs}"
            )
        case BidScoring():
            why = (
                f"seat {result.finish_order[0]} is out first, the bid was {state.bid} and the bidder seat {state.bidder}"
            )
        case FixedScoring():
            why = f"seat {result.winners[0]} wins"
        case CardScoring():
            why = f"seat {result.winners[0]} wins, the others pay for the cards they held then"
    return f"The hand is over: {why}. {paid}.{foul} Seat {result.next_dealer} deals next."
