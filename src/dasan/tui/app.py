"""The full-screen table, with Textual."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Footer, Input, RichLog, Static

from dasan.cards import format_cards
from dasan.errors import DasanError
from dasan.games import PRESETS
from dasan.play.moves import PASS, Move, MoveType
from dasan.play.phases import Phase
from dasan.ruleset.policies import Direction
from dasan.text.words import Words, kind_words, signed, signs
from dasan.tui.asking import question, spell_out
from dasan.tui.fan import Fan
from dasan.tui.game import ME, TableGame
from dasan.tui.panels import Middle, Seat, roles
from dasan.tui.screens import HELP, CallScreen, PageScreen, rule_book


class Action(Button):
    """A button for a move or action. does: a move as text, or the name of an action of the app."""

    def __init__(self, label: str, does: str, *, primary: bool = False) -> None:
        super().__init__(label, variant="primary" if primary else "default", compact=True)
        self.does = does


class TableApp(App[None]):
    """One game at one table. pace: seconds before a bot's move is shown."""

    TITLE = "dasan"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS: list[tuple[int, str]] | None = [(0, "-narrow"), (104, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "play", "Play"),
        Binding("p", "pass", "Pass"),
        Binding("s", "suggest(1)", "Suggest"),
        Binding("S", "suggest(-1)", show=False),
        Binding("h", "hint", "Hint"),
        Binding("slash", "type", "Type"),
        Binding("n", "next", "Next hand", show=False),
        Binding("escape", "to_cards", show=False),
        Binding("l", "log", "Log"),
        Binding("r", "rules", "Rules"),
        Binding("question_mark", "help", "Help"),
        Binding("ctrl+q", "quit", "Quit"),
        *(Binding(str(n), f"bid({n})", show=False) for n in (1, 2, 3, 4)),
    ]

    def __init__(self, game: TableGame, *, pace: float = 0.7) -> None:
        super().__init__()
        self.game = game
        self.words = Words(game.rules, game.names, ME, signs)
        self._pace = pace
        self._suggested = -1
        self._shown_actions: list[tuple[str, str, bool]] = []
        self._calling = False

    def compose(self) -> ComposeResult:
        others = range(1, self.game.rules.players)
        to_the_right = self.game.rules.direction is Direction.COUNTERCLOCKWISE
        yield Static(id="heading")
        with Horizontal(id="room"):
            with Vertical(id="table"):
                with Horizontal(id="seats", classes="many" if len(others) > 4 else ""):
                    for seat in reversed(others) if to_the_right else others:
                        yield Seat(seat)
                yield Middle(id="middle")
                yield Static(id="me")
                yield Fan(choosing=True, id="hand")
                yield Static(id="asked")
                yield Horizontal(id="actions")
                yield Input(placeholder="a move: 4H 4S, 5 5 5, pass, bid 2 … (Esc goes back)", id="typed")
            yield RichLog(id="log", wrap=True, min_width=20, auto_scroll=True)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#log", RichLog).can_focus = False
        self.hand.focus()
        self.show()

    @property
    def hand(self) -> Fan:
        return self.screen_stack[0].query_one("#hand", Fan)

    # Showing.

    def show(self) -> None:
        """Refresh the screen, then prompt the person or let a bot move."""
        game, view, words = self.game, self.game.view, self.words
        base = self.screen_stack[0]
        log = base.query_one("#log", RichLog)
        for sentence in game.news(words):
            log.write(sentence)
        turn = "↺" if game.rules.direction is Direction.COUNTERCLOCKWISE else "↻"
        title = PRESETS[game.rules.name].title
        base.query_one("#heading", Static).update(f"[b]{title}[/b]  [dim]hand {game.session.number} · {turn}[/dim]")
        for seat in base.query(Seat):
            seat.show(view, words, game.session.balances[seat.seat])
        base.query_one(Middle).show(view, words, game.session.balances)
        balance = game.session.balances[ME]
        parts = [str(balance) if game.rules.stake_chips else signed(balance)] if words.rules.pays else []
        self._suggested = -1
        me = base.query_one("#me", Static)
        cards = "1 card" if len(view.hand) == 1 else f"{len(view.hand)} cards"
        me.update(" · ".join(["[b]You[/b]", cards, *parts, *roles(view, ME)]))
        me.set_class(game.my_turn, "acting")
        usable = [c for move in view.legal_moves() if move.type is MoveType.PLAY for c in move.cards]
        bound = game.my_turn and view.phase is Phase.PLAY
        self.hand.by_rank = view.phase is not Phase.AUCTION
        self.hand.show(view.hand, usable if bound else None)
        self._show_asked()
        self._offer_call()
        if not game.over and not game.my_turn:
            self._let_bots_move()

    @work(exclusive=True, group="bots")
    async def _let_bots_move(self) -> None:
        await asyncio.sleep(self._pace)
        move = await asyncio.to_thread(self.game.bot_move)
        self.game.play_bot(move)
        self.show()

    def _show_asked(self) -> None:
        """Show the prompt, the combination of the raised cards, or the reason why they cannot be played; and the
        buttons.
        """
        game, view = self.game, self.game.view
        move = self._chosen_move()
        why = game.objection(move) if move is not None else None
        if game.over:
            self._tell("Enter deals the next hand.")
        elif not game.my_turn:
            self._tell("")
        elif why is not None:
            self._tell(str(why), refused=True)
        else:
            self._tell(question(view, self.words))
        self._show_actions(ready=move is not None and why is None)

    def _tell(self, sentence: str, *, refused: bool = False) -> None:
        """Show a sentence in the line between the cards and the buttons."""
        asked = self.screen_stack[0].query_one("#asked", Static)
        asked.set_class(refused, "refused")
        asked.update(Text(sentence))

    def _show_actions(self, *, ready: bool) -> None:
        wanted = self._actions(ready)
        if wanted == self._shown_actions:
            return
        self._shown_actions = wanted
        bar = self.screen_stack[0].query_one("#actions", Horizontal)
        bar.remove_children()
        bar.mount_all([Action(label, does, primary=primary) for label, does, primary in wanted])

    def _actions(self, ready: bool) -> list[tuple[str, str, bool]]:
        """(label, move or action, whether it is the main button)."""
        game, view = self.game, self.game.view
        if game.over:
            return [("Next hand", "next", True), ("Leave", "quit", False)]
        if not game.my_turn:
            return []
        moves = view.legal_moves()
        match view.phase:
            case Phase.PLAY:
                plays = any(move.type is MoveType.PLAY for move in moves)
                actions = [(self._play_label(), "play", ready)] if plays else []
                actions += [("Pass", "pass", not plays)] if PASS in moves else []
                return [*actions, ("Hint", "hint", False)]
            case Phase.CALL:
                return [("Call a card …", "call", True), ("Hint", "hint", False)]
            case Phase.EXCHANGE if moves[0].type is MoveType.OFFER:
                return [("Offer the two", "play", ready), ("Hint", "hint", False)]
            case _:
                return [(self._move_label(move), str(move), True) for move in moves] + [("Hint", "hint", False)]

    def _play_label(self) -> str:
        try:
            kind = kind_words(self.game.rules.combination(self.hand.chosen_cards).kind)
        except DasanError:
            return "Play"
        return f"Play {kind}"

    def _move_label(self, move: Move) -> str:
        word = move.type.value.capitalize()
        return f"{word} {move.bid}" if move.bid is not None else f"{word} {signs(move.cards)}".rstrip()

    def _chosen_move(self) -> str | None:
        """The raised cards as the text of a move; None if none are raised."""
        if not self.hand.chosen or not self.game.my_turn:
            return None
        return spell_out(self.game.view, format_cards(self.hand.chosen_cards))

    def _offer_call(self) -> None:
        if self.game.my_turn and self.game.view.phase is Phase.CALL and not self._calling:
            self.action_call()

    # Doing.

    def do(self, move: Move | str) -> None:
        """Make the person's move; if the engine refuses it, its message replaces the prompt."""
        try:
            self.game.play(move)
        except DasanError as error:
            self._tell(str(error), refused=True)
            self.bell()
            return
        self.hand.action_lower_all()
        self.show()

    @on(Fan.Changed)
    def _selection_changed(self) -> None:
        self._show_asked()

    @on(Button.Pressed)
    async def _pressed(self, event: Button.Pressed) -> None:
        if not isinstance(event.button, Action):
            return
        self.hand.focus()
        if event.button.does in ("play", "pass", "hint", "next", "call", "quit"):
            await self.run_action(event.button.does)
        else:
            self.do(event.button.does)

    @on(Input.Submitted, "#typed")
    def _typed(self, event: Input.Submitted) -> None:
        text = event.value
        event.input.value = ""
        self.action_to_cards()
        if text.strip():
            self.do(spell_out(self.game.view, text))

    def action_play(self) -> None:
        if self.game.over:
            self.action_next()
        elif (move := self._chosen_move()) is not None:
            self.do(move)
        elif self.game.my_turn and self.game.view.phase is Phase.CALL:
            self.action_call()

    def action_pass(self) -> None:
        if self.game.my_turn:
            self.do(PASS)

    def action_bid(self, bid: int) -> None:
        if self.game.my_turn and self.game.view.phase is Phase.AUCTION:
            self.do(f"bid {bid}")

    def action_suggest(self, by: int) -> None:
        """Raise the cards of the next legal play."""
        plays = [move for move in self.game.view.legal_moves() if move.cards and move.type is not MoveType.CALL]
        if plays:
            self._suggested = (self._suggested + by) % len(plays) if self._suggested >= 0 or by > 0 else len(plays) - 1
            self.hand.choose(plays[self._suggested].cards)

    def action_hint(self) -> None:
        if not self.game.my_turn:
            return
        move = self.game.hint()
        on_hand = move.cards if move.type is not MoveType.CALL else ()
        self.hand.choose(on_hand)
        if not on_hand:
            self._tell(f"A bot would say: {self._move_label(move).lower()}")

    def action_next(self) -> None:
        if self.game.over:
            self.game.next_hand()
            self.hand.action_lower_all()
            self.show()

    @work
    async def action_call(self) -> None:
        if self._calling or not self.game.my_turn or self.game.view.phase is not Phase.CALL:
            return
        self._calling = True
        move = await self.push_screen_wait(CallScreen(self.game.rules, self.game.view.legal_moves()))
        self._calling = False
        if move is not None:
            self.do(move)

    def action_type(self) -> None:
        typed = self.query_one("#typed", Input)
        typed.add_class("open")
        typed.focus()

    def action_to_cards(self) -> None:
        """Move the focus from the input field to the cards."""
        self.query_one("#typed", Input).remove_class("open")
        self.hand.focus()

    def action_log(self) -> None:
        self.screen_stack[0].toggle_class("log-shown" if self.size.width < 104 else "log-hidden")

    def action_rules(self) -> None:
        self.push_screen(PageScreen(rule_book(self.game.rules)))

    def action_help(self) -> None:
        self.push_screen(PageScreen(HELP))
