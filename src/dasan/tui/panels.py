"""Widgets of the other players' seats and the middle of the table."""

from __future__ import annotations

from rich.align import Align
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from dasan.play.events import Event, EventType
from dasan.play.phases import Phase
from dasan.play.view import View
from dasan.ruleset.policies import Ending
from dasan.text.words import Words, bidder_word, kind_words, signed, signs
from dasan.tui.fan import Fan

_ACTIONS = (EventType.BID, EventType.PASS, EventType.PLAY, EventType.CALL)


def last_actions(view: View) -> dict[int, Event]:
    """Each seat's last event in this auction or trick."""
    events: dict[int, Event] = {}
    for event in view.events:
        if event.type in (EventType.TRICK, EventType.KITTY):
            events.clear()
        elif event.type in _ACTIONS:
            events[event.seat] = event
    return events


def roles(view: View, seat: int) -> list[str]:
    """A seat's roles in this hand, as far as the viewer knows."""
    roles = []
    if view.dealer == seat:
        roles.append("deals")
    if view.bidder == seat and view.phase is not Phase.AUCTION:
        roles.append(f"{bidder_word(view.rules)} for {view.bid}")
    if view.partner == seat:
        roles.append("partner")
    if seat in view.finished and view.rules.ending is Ending.LAST_IN:
        roles.append(f"no. {view.finished.index(seat) + 1}")
    return roles


def action_text(event: Event | None) -> Text:
    if event is None:
        return Text()
    match event.type:
        case EventType.BID:
            return Text(f"bids {event.bid}", "bold #ffe08a")
        case EventType.PASS:
            return Text("passes", "italic #9db8a9")
        case EventType.CALL:
            return Text(f"calls {signs(event.cards)}", "bold #ffe08a")
        case _:
            return Text(signs(event.cards), "bold white")


class Seat(Static):
    """Another player: name, cards left, role, and last action."""

    def __init__(self, seat: int) -> None:
        super().__init__(classes="seat")
        self.seat = seat

    def show(self, view: View, words: Words, balance: int) -> None:
        self.border_title = words.names[self.seat]
        self.border_subtitle = _balance(words, balance) if words.rules.pays else ""
        self.set_class(view.to_act == self.seat, "acting")
        left = view.hand_sizes[self.seat]
        count = Text.assemble((f"{left}", "bold white"), (" card" if left == 1 else " cards", "#9db8a9"))
        if left == 1:
            count.stylize("bold #ff8a70")
        content = Text("\n").join(
            [
                Text.assemble(count, ("  " + "▐" * left if view.rules.players < 6 else "", "#5d8fb8")),
                Text(" · ".join(roles(view, self.seat)), "#e0b34c"),
                action_text(last_actions(view).get(self.seat)),
            ]
        )
        self.update(content)


class Middle(Vertical):
    """The play on the table and its player; after the hand, the payments."""

    def compose(self) -> ComposeResult:
        yield Static(id="caption")
        yield Fan(id="trick")
        yield Static(id="settlement")

    def show(self, view: View, words: Words, balances: tuple[int, ...]) -> None:
        self.query_one("#settlement", Static).update(
            _settlement(view, words, balances) if view.result is not None else ""
        )
        self.set_class(view.result is not None, "over")
        on_table = view.table if view.result is None else None
        self.query_one("#trick", Fan).show(() if on_table is None else on_table.cards)
        self.query_one("#caption", Static).update(caption(view, words))


def caption(view: View, words: Words) -> Text:
    """The line over the middle: what is on the table, or how the hand has ended."""
    if view.result is not None:
        return Text("\n".join([words.result(view.result)[0], *words.foul(view.result)]), "bold #ffe08a")
    if view.table is not None and view.table_seat is not None:
        who = words.name(view.table_seat)
        return Text.assemble((who[0].upper() + who[1:], "bold white"), (f" · {kind_words(view.table.kind)}", "#9db8a9"))
    match view.phase:
        case Phase.AUCTION if view.bid is not None and view.bidder is not None:
            return Text(f"The auction: {words.does(view.bidder, 'hold', f'it at {view.bid}')}", "bold white")
        case Phase.AUCTION:
            return Text("The auction: no bid yet", "bold white")
        case Phase.CALL if view.bidder is not None:
            return Text(words.does(view.bidder, "call", "a card: its holder becomes the partner"), "bold white")
        case Phase.EXCHANGE if view.offered is not None:
            return Text(f"On offer: {signs(view.offered)}", "bold white")
        case Phase.EXCHANGE if view.rules.double_exchange:
            return Text("The exchange: the last two give their highest cards, and get as many back", "bold white")
        case Phase.EXCHANGE:
            return Text("The tribute: the loser gives a card, and takes one", "bold white")
        case _ if view.leader is not None:
            return Text(words.does(view.leader, "lead"), "bold white")
        case _:
            return Text()


def _settlement(view: View, words: Words, balances: tuple[int, ...]) -> Align:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="#9db8a9")
    table.add_column("")
    if words.rules.pays:
        table.add_column("this hand", justify="right")
        table.add_column("counters" if words.rules.stake_chips else "balance", justify="right")
    if view.hands is not None:
        table.add_column("cards left", overflow="fold")
    result = view.result
    if result is None:
        return Align.center(table)
    for seat in dict.fromkeys((*result.finish_order, *range(view.rules.players))):
        row = [Text(words.name(seat), "bold #ffe08a" if seat in result.winners else "white")]
        if words.rules.pays:
            paid = result.payments[seat]
            row.append(Text(signed(paid), "#8fd18f" if paid > 0 else "#ff8a70" if paid < 0 else "white"))
            row.append(Text(_balance(words, balances[seat])))
        if view.hands is not None:
            row.append(Text(signs(view.hands[seat]) or "out", "white" if view.hands[seat] else "#9db8a9"))
        table.add_row(*row)
    return Align.center(table)


def _balance(words: Words, balance: int) -> str:
    return str(balance) if words.rules.stake_chips else signed(balance)
