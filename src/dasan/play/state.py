"""The state of one hand: a frozen value. `play` returns the next one or raises; nothing is changed in place.

Its fields stand in `fields`, what happens in each phase in `auction`, `exchange` and `tricks`, and what a hand is worth in
`scoring`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dasan.errors import IllegalPlay
from dasan.play import auction, scoring, tricks
from dasan.play import exchange as exchanging
from dasan.play.fields import StateFields
from dasan.play.moves import Move, MoveType
from dasan.play.parts import Phase, Result
from dasan.play.shorthand import understand
from dasan.play.view import View, look
from dasan.records.write import ALL, write_state
from dasan.sentences import said


@dataclass(frozen=True)
class State(StateFields):
    """One hand at one moment: its fields, as `StateFields` names them, and what can be asked of it."""

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

        Plays are *canonical*: of plays that differ only in suits which cannot make a difference, one is listed, with
        the lowest suits. In Big Three no suit makes one, but for the called card (B4.07); in Big Two every suit does, so
        all sets are listed; in Winner one play stands for all with the same kind, ranks and deciding suit, and the
        suits of the other cards are the lowest that do not change the kind. `play` accepts any legal set of cards.
        """
        return self._legal

    def play(self, move: Move | str) -> State:
        """The state after `move` by the seat to act.

        Raises `Malformed` for text that is no move, `Ambiguous` for shorthand that leaves a choice that matters, and
        `IllegalPlay` with the clause for a move that is not allowed now; this state stays as it is (G.01).
        """
        if self.phase is Phase.OVER:
            raise IllegalPlay(said("over"), clause=self.rules.cite["end"])
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
        """What `seat` may know, or a spectator (None): see `dasan.play.view` (G.02, G.06)."""
        return look(self, seat, self.legal_moves)

    def record(self, view: int | str | None = ALL) -> str:
        """The hand so far as climb/1 text: the whole truth, or with `view` only what that seat may know."""
        return write_state(self, view)


__all__ = ["Phase", "State"]
