"""A finished hand as an SVG picture to share: the hands, the cards on the table, and the winners. No scripts, no fonts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from dasan.cards import Card
from dasan.play.events import MOVES, EventType
from dasan.play.state import State
from dasan.records.retrace import positions
from dasan.ruleset.policies import Leftover
from dasan.server.store.hand import FinishedHand
from dasan.server.tables.facts import title_of

WIDTH = 1000
CARD, TALL, STEP = 50, 68, 34
"""A card's width and height, and the distance to the next one, in pixels."""
ROW, TOP, NAMES = 92, 84, 190
"""Height of a seat's row and of the title; width of the names."""
SUITS = {"S": ("♠", "#14161d"), "H": ("♥", "#cb2923"), "C": ("♣", "#0d5b30"), "D": ("♦", "#2a62cf")}
JOKERS = {"BJ": "#14161d", "RJ": "#cb2923"}
FONT = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', sans-serif"


def picture(hand: FinishedHand, state: State, seq: int | None) -> str:
    """The hand as dealt, or after the move with event ``seq``, as SVG. state: the whole hand.

    Use it only for hands that everybody may see.
    """
    now, played = _at(state, seq)
    whole = now is None
    shown = state if now is None else now
    hands = _dealt(state) if now is None else now.hands
    rows = len(hands)
    height = TOP + rows * ROW + 96
    paid = state.result.payments if state.result is not None else ()
    winners = state.result.winners if state.result is not None else ()
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="{FONT}">',
        f'<rect width="{WIDTH}" height="{height}" rx="18" fill="#245546"/>',
        _text(28, 52, title_of(hand.preset), 30, weight=700, word="title"),
    ]
    for seat, cards in enumerate(hands):
        y = TOP + seat * ROW
        if seat == shown.to_act and not whole:
            parts.append(f'<rect x="12" y="{y - 6}" width="{WIDTH - 24}" height="{ROW - 8}" rx="12" fill="#1a3f34"/>')
        parts.append(_text(28, y + 30, hand.players[seat].name, 22, weight=600, most=NAMES - 20, word=str(seat)))
        bid = [f"★ {shown.bid}"] if seat == shown.bidder else []
        if whole and (any(paid) or seat in winners):
            bid.append(f"{paid[seat]:+d}" if any(paid) else "✓")
        parts.append(_text(28, y + 58, "  ".join(bid), 20, colour="#f0c25c"))
        parts += _cards(NAMES + 20, y, cards, WIDTH - NAMES - 60)
    y = TOP + rows * ROW + 8
    if played is not None:
        seat, lying = played
        parts.append(_text(28, y + 42, f"→ {hand.players[seat].name}", 20, most=NAMES - 20, word=str(seat)))
        parts += _cards(NAMES + 20, y, lying, WIDTH - NAMES - 60)
    elif whole and state.begun.kitty and state.rules.leftover is not Leftover.NOBODY:
        parts.append(_text(28, y + 42, "+", 26))
        parts += _cards(NAMES + 20, y, [c for c in state.begun.kitty if c is not None], WIDTH - NAMES - 60)
    return "".join([*parts, "</svg>"])


def _dealt(state: State) -> Sequence[Sequence[Card]]:
    return [[c for c in hand if c is not None] for hand in state.begun.hands]


def _at(state: State, seq: int | None) -> tuple[State | None, tuple[int, tuple[Card, ...]] | None]:
    """(state after the move with event ``seq``, play on the table then); (None, None) for the deal.

    After the pass that ends a trick its last play is still on the table.
    """
    if seq is None:
        return None, None
    moves = [event for event in state.events if event.type in MOVES]
    lying: tuple[int, tuple[Card, ...]] | None = None
    for event, after in zip(moves, list(positions(state))[1:], strict=True):
        if event.type is EventType.PLAY:
            lying = event.seat, tuple(c for c in event.cards if c is not None)
        if event.seq == seq:
            return after, lying
    return None, None


def _cards(x: int, y: int, cards: Sequence[Card], room: int) -> Iterator[str]:
    step = min(STEP, (room - CARD) / max(1, len(cards) - 1))
    for i, card in enumerate(cards):
        name = str(card)
        rank, colour = name, JOKERS.get(name, "#14161d")
        suit = "★"
        if name not in JOKERS:
            suit, colour = SUITS[name[1]]
            rank = "10" if name[0] == "T" else name[0]
        at = x + i * step
        yield (
            f'<g transform="translate({at:.1f} {y})"><rect width="{CARD}" height="{TALL}" rx="6" fill="#fffdf8" '
            f'stroke="#cfc6b4"/><g fill="{colour}" text-anchor="middle">'
            f'<text x="15" y="25" font-size="{17 if len(rank) > 1 else 21}" font-weight="700">{rank[:2]}</text>'
            f'<text x="15" y="48" font-size="21">{suit}</text></g></g>'
        )


def _text(
    x: int, y: int, text: str, size: int, *, weight: int = 400, colour: str = "#fbf8ee", most: int = 0, word: str = ""
) -> str:
    """word: "title", or the seat whose name this is, so that the page can put it in the reader's language."""
    marked = f' data-word="{word}"' if word else ""
    squeeze = f' textLength="{most}" lengthAdjust="spacingAndGlyphs"' if most and len(text) * size * 0.55 > most else ""
    letters = f'font-size="{size}" font-weight="{weight}" fill="{colour}"'
    return f'<text x="{x}" y="{y}" {letters}{marked}{squeeze}>{escape(text)}</text>'
