"""The state of one hand: a frozen value. `play` returns the next one or raises; nothing changes in place.

Its fields are declared in `fields`; `auction`, `exchange` and `tricks` are the phases, and `scoring` computes the payments.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dasan.cards import format_cards
from dasan.errors import IllegalPlay
from dasan.play import auction, scoring, tricks
from dasan.play import exchange as exchanging
from dasan.play.fields import StateFields
from dasan.play.moves import Move, MoveType
from dasan.play.phases import Phase
from dasan.play.result import Result
from dasan.play.shorthand import understand
from dasan.play.view import View, look
from dasan.reasons import reason
from dasan.records.write import ALL, write_state


@dataclass(frozen=True)
class State(StateFields):
    """One hand at one moment: the fields of `StateFields`, and methods for rules, views and records."""

    def __repr__(self) -> str:
        whose = "" if self.to_act is None else f", seat {self.to_act} to act"
        return f"<State {self.rules.name}, {self.phase.value}{whose}>"

    def __str__(self) -> str:
        """All hands and the kitty, the highest bid, the called card, the play to beat, the seat to act and the payments."""
        bid = "" if self.bid is None else f", bid {self.bid}"
        called = "" if self.called is None else f", called {self.called}"
        lines = [f"{self.rules.name}, {self.phase.value}{bid}{called}"]
        for seat, hand in enumerate(self.hands):
            marks = " bidder" * (seat == self.bidder) + " to act" * (seat == self.to_act)
            lines.append(f"  seat {seat}{marks}: {hand}")
        if self.kitty:
            lines.append(f"  kitty: {format_cards(self.kitty)}")
        if self.table is not None:
            lines.append(f"  table: {self.table} ({self.table.kind}, seat {self.table_seat})")
        if self.result is not None:
            lines.append(f"  payments: {' '.join(f'{n:+d}' for n in self.result.payments)}")
        return "\n".join(lines)

    @cached_property
    def result(self) -> Result | None:
        """None until the hand is over."""
        return scoring.result(self) if self.phase is Phase.OVER else None

    @cached_property
    def _legal(self) -> tuple[Move, ...]:
        match self.phase:
            case Phase.AUCTION:
                return auction.legal_bids(self)
            case Phase.CALL:
                return auction.legal_calls(self)
            case Phase.EXCHANGE:
                return exchanging.legal_exchanges(self)
            case Phase.PLAY:
                return tricks.legal_plays(self)
            case Phase.OVER:
                return ()

    def legal_moves(self) -> tuple[Move, ...]:
        """Every move of the seat to act, in a fixed order; empty when the hand is over.

        Plays are *canonical*: among plays that differ only in suits that cannot make a difference, only the one with
        the lowest suits is listed. In Big Three no suit makes a difference, except that of the called card (B4.07);
        in Big Two every suit does, so all sets are listed; in Winner one play stands for all with the same kind,
        ranks and deciding suit, and the suits of the other cards are the lowest that do not change the kind. `play`
        accepts any legal set of cards.
        """
        return self._legal

    def play(self, move: Move | str) -> State:
        """The state after `move` by the seat to act.

        `Malformed`: the text is not a move. `Ambiguous`: the shorthand leaves a choice that matters. `IllegalPlay`, with the
        clause: the move is not allowed now. This state never changes (G.01).
        """
        if self.phase is Phase.OVER:
            raise IllegalPlay(reason("over"), clause=self.rules.cite["end"])
        meant = understand(self, move, self.legal_moves)
        match meant.type:
            case MoveType.BID:
                return auction.bid(self, meant)
            case MoveType.CALL:
                return auction.call(self, meant)
            case MoveType.GIVE | MoveType.OFFER | MoveType.TAKE:
                return exchanging.exchange(self, meant)
            case MoveType.PASS if self.phase is Phase.AUCTION:
                return auction.bid(self, meant)
            case MoveType.PASS:
                return tricks.pass_(self)
            case MoveType.PLAY:
                return tricks.play(self, meant)

    def view(self, seat: int | None) -> View:
        """What `seat`, or a spectator (None), may know (G.02, G.06). ValueError: there is no such seat."""
        return look(self, seat, self.legal_moves)

    def record(self, view: int | str | None = ALL) -> str:
        """The hand so far as climb/1 text. view: "all" for the whole hand, or the seat (None: a spectator) whose redacted copy it
        is. ValueError: there is no such view.
        """
        return write_state(self, view)
