"""Screens over the table: the call of a card, the rule book, help."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Grid, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Markdown, Static

from dasan.cards import Card
from dasan.play.moves import Move
from dasan.ruleset import clauses
from dasan.ruleset.rules import Rules
from dasan.text.words import signs

HELP = """\
# Keys

| key | |
|---|---|
| ← → | move along your cards |
| space, ↑ ↓ | raise or lower the card; so does a click |
| 2 … 9, 0, J Q K A | raise one more card of that rank; 0 is a ten |
| S | raise the next play you could make |
| Esc | lower all cards |
| Enter | play the raised cards; deal the next hand |
| P | pass |
| 1 2 3 4 | bid, in the auction |
| H | hint: raise what a bot would play |
| / | type a move, such as `5 5 5` or `call 8C` |
| L | show or hide what happened so far |
| R | the rules |
| Ctrl+Q | leave the table |

No legal play contains the dimmed cards.
"""


class PageScreen(ModalScreen[None]):
    """A page of text; any of its keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,enter,question_mark,r,q", "dismiss", "Close")]

    def __init__(self, page: str) -> None:
        super().__init__()
        self._page = page

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="page"):
            yield Markdown(self._page)
            yield Static("Esc closes", classes="hint")


def rule_book(rules: Rules) -> str:
    """The clauses in force as one page."""
    return "# The rules\n\n" + "\n\n".join(f"**{c.id}** {c.text}" for c in clauses.in_force(rules))


class CallScreen(ModalScreen[Move | None]):
    """Asks which card to call: a button for every callable card, in a row for each suit."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "dismiss(None)", "Look at the table"),
        ("left", "go(-1, 0)", "Left"),
        ("right", "go(1, 0)", "Right"),
        ("up", "go(0, -1)", "Up"),
        ("down", "go(0, 1)", "Down"),
    ]

    def __init__(self, rules: Rules, moves: tuple[Move, ...]) -> None:
        super().__init__()
        self._moves = {move.cards[0]: move for move in moves}
        ranks = rules.call.ranks if rules.call is not None else ""
        place = rules.order.at
        self._rows = [[place[rules.ranks.index(rank), suit] for rank in ranks] for suit in range(len(rules.suits))]

    def compose(self) -> ComposeResult:
        with Grid(classes="call"):
            yield Static("Call a card: whoever holds it is your partner", classes="heading")
            for row in self._rows:
                for c in row:
                    yield _CardButton(c, disabled=c not in self._moves)

    def on_mount(self) -> None:
        grid = self.query_one(Grid)
        grid.styles.grid_size_columns = len(self._rows[0])

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if isinstance(event.button, _CardButton):
            self.dismiss(self._moves[event.button.card])

    def action_go(self, across: int, down: int) -> None:
        """Move the focus to the next callable card in this direction."""
        at = {c: (x, y) for y, row in enumerate(self._rows) for x, c in enumerate(row)}
        focused = self.focused
        x, y = at[focused.card] if isinstance(focused, _CardButton) else (-1, 0)
        buttons = {button.card: button for button in self.query(_CardButton)}
        for _ in range(max(len(self._rows), len(self._rows[0]))):
            x, y = x + across, y + down
            if not (0 <= y < len(self._rows) and 0 <= x < len(self._rows[0])):
                return
            if not buttons[self._rows[y][x]].disabled:
                buttons[self._rows[y][x]].focus()
                return


class _CardButton(Button):
    def __init__(self, c: Card, *, disabled: bool) -> None:
        super().__init__(signs([c]), disabled=disabled, compact=True, classes="red" if c.suit in "DH" else "black")
        self.card = c
