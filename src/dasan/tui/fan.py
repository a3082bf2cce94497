"""Rows of face-up cards: the player's hand, and the cards on the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from dasan.cards import Card
from dasan.text.words import rank_sign, suit_sign

CARD_WIDTH = 5
STEPS = (6, 5, 4, 3)
"""Possible distances in columns between the left edges of neighbouring cards; the widest that fits is used. At 3, rank
and suit are still visible."""

_FACE = 3
_PAPER, _CHOSEN, _DULL = "#f6f3ea", "#ffe08a", "#a3ada6"
_EDGE = "#8b8f88"
_RED, _BLACK = "#c1272d", "#20242a"
_MARK = Style(color="#ffe08a", bold=True)
_RANK_KEYS = {"0": "T", "t": "T", "j": "J", "q": "Q", "k": "K", "a": "A", **{d: d for d in "23456789"}}

Cell = tuple[str, Style]


class Fan(Widget):
    """A fan of cards, wrapped to the width.

    If `choosing`, cards are raised with the arrow keys and the space bar, with the mouse, or (if `by_rank`) by typing
    their rank; the fan posts `Changed` when the selection changes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", show=False),
        Binding("right", "step(1)", show=False),
        Binding("home", "step(-1000)", show=False),
        Binding("end", "step(1000)", show=False),
        Binding("space,up,down", "raise_card", show=False),
        Binding("escape", "lower_all", show=False),
    ]
    DEFAULT_CSS = "Fan { width: 1fr; height: auto; }"

    cards: reactive[tuple[Card, ...]] = reactive((), layout=True)
    chosen: reactive[frozenset[int]] = reactive(frozenset())
    cursor: reactive[int] = reactive(0)
    dull: reactive[frozenset[int]] = reactive(frozenset())

    class Changed(Message):
        """The selection of raised cards changed."""

    def __init__(self, *, choosing: bool = False, id: str | None = None) -> None:
        super().__init__(id=id)
        self.choosing = choosing
        self.by_rank = choosing
        self.can_focus = choosing

    @property
    def chosen_cards(self) -> tuple[Card, ...]:
        return tuple(self.cards[i] for i in sorted(self.chosen))

    def show(self, cards: Sequence[Card], usable: Iterable[Card] | None = None) -> None:
        """Lay out `cards`, dimming those whose rank is not in `usable`. Raised cards that stay remain raised."""
        before = list(self.chosen_cards)
        chosen = set()
        for i, c in enumerate(cards):
            if c in before:
                before.remove(c)
                chosen.add(i)
        ranks = None if usable is None else {c.rank for c in usable}
        self.cards = tuple(cards)
        self.cursor = max(0, min(self.cursor, len(cards) - 1))
        self.dull = frozenset(i for i, c in enumerate(cards) if ranks is not None and c.rank not in ranks)
        self._choose(frozenset(chosen))

    def choose(self, cards: Iterable[Card]) -> None:
        """Raise exactly these cards."""
        wanted = list(cards)
        chosen = set()
        for i, c in enumerate(self.cards):
            if c in wanted:
                wanted.remove(c)
                chosen.add(i)
        self._choose(frozenset(chosen))

    def action_step(self, by: int) -> None:
        self.cursor = max(0, min(self.cursor + by, len(self.cards) - 1))

    def action_raise_card(self) -> None:
        if self.cards:
            self._choose(self.chosen ^ {self.cursor})

    def action_lower_all(self) -> None:
        self._choose(frozenset())

    def on_key(self, event: events.Key) -> None:
        rank = _RANK_KEYS.get(event.character or "")
        if self.by_rank and rank is not None and self._toggle_rank(rank):
            event.stop()
            event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        at = self._card_at(event.x, event.y) if self.choosing else None
        if at is not None:
            self.cursor = at
            self._choose(self.chosen ^ {at})

    def _toggle_rank(self, rank: str) -> bool:
        """Raise one more card of `rank`, or lower all of them; False if there is none."""
        same = [i for i, c in enumerate(self.cards) if c.rank == rank]
        lying = [i for i in same if i not in self.chosen]
        if not same:
            return False
        self.cursor = lying[0] if lying else same[0]
        self._choose(self.chosen | {lying[0]} if lying else self.chosen - set(same))
        return True

    def _choose(self, chosen: frozenset[int]) -> None:
        if chosen != self.chosen:
            self.chosen = chosen
            self.post_message(self.Changed())

    # Layout.

    @property
    def _row_height(self) -> int:
        return _FACE + 2 if self.choosing else _FACE

    def _rows(self, width: int) -> tuple[int, int]:
        """(cards per row, columns per card)."""
        n = len(self.cards)
        for step in STEPS:
            if n and (n - 1) * step + CARD_WIDTH <= width:
                return n, step
        fit = max(1, (width - CARD_WIDTH) // STEPS[-1] + 1)
        rows = -(-n // fit) or 1
        return -(-n // rows) or 1, STEPS[-1]

    def _left(self, row: int, width: int) -> int:
        """The column at which a centred row begins."""
        each, step = self._rows(width)
        n = min(each, len(self.cards) - row * each)
        return max(0, (width - (n - 1) * step - CARD_WIDTH) // 2)

    def _card_at(self, x: int, y: int) -> int | None:
        width = self.size.width
        each, step = self._rows(width)
        row = y // self._row_height
        n = min(each, len(self.cards) - row * each)
        if n <= 0:
            return None
        place = min((x - self._left(row, width)) // step, n - 1)
        if place < 0 or x - self._left(row, width) - place * step >= CARD_WIDTH:
            return None
        return row * each + place

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        each, _ = self._rows(width)
        return max(1, -(-len(self.cards) // each)) * self._row_height

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        each, step = self._rows(width)
        row, line = divmod(y, self._row_height)
        base = self.rich_style
        cells: list[Cell] = [(" ", base)] * width
        left = self._left(row, width)
        for place, i in enumerate(range(row * each, min((row + 1) * each, len(self.cards)))):
            x = left + place * step
            raised = self.choosing and i in self.chosen
            top = 0 if raised or not self.choosing else 1
            if top <= line < top + _FACE:
                cells[x : x + CARD_WIDTH] = self._face(i, line - top)
            elif self.choosing and line == self._row_height - 1 and i == self.cursor and self.has_focus:
                cells[x + 1] = ("▲", base + _MARK)
        return Strip(_joined(cells[:width]), width)

    def _face(self, i: int, line: int) -> list[Cell]:
        c = self.cards[i]
        paper = _CHOSEN if i in self.chosen else _DULL if i in self.dull else _PAPER
        ink = _RED if c.suit in "DH" or str(c) == "RJ" else _BLACK
        text = (rank_sign(c), suit_sign(c), "")[line]
        style = Style(color=ink, bgcolor=paper, bold=True)
        return [("▏", Style(color=_EDGE, bgcolor=paper)), *((t, style) for t in f"{text:<{CARD_WIDTH - 1}}")]


def _joined(cells: Sequence[Cell]) -> list[Segment]:
    """Merge neighbouring cells of equal style into segments."""
    segments: list[Segment] = []
    for text, style in cells:
        if segments and segments[-1].style == style:
            segments[-1] = Segment(segments[-1].text + text, style)
        else:
            segments.append(Segment(text, style))
    return segments
