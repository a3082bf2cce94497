"""A finished hand as a value: its seats, outcome, and climb/1 record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import dasan
from dasan.envs.payoff import payoffs
from dasan.records.lines import record_lines
from dasan.server.new_ids import is_stranger
from dasan.server.protocol.rest import HandRole
from dasan.server.store.damage import intact
from dasan.server.tables.chairs import called
from dasan.server.tables.room import Room


@dataclass(frozen=True)
class Player:
    """A seat of a finished hand: its player, role, and outcome.

    player: an id, None for bots and deleted players. bot: the bot in the seat at the deal, if the hand is not a person's.
    whole: False if that bot was replaced during the hand. assisted: whether a bot moved for the player, which is known
    when the hand ends, and is not stored with it.
    """

    seat: int
    name: str
    player: str | None
    bot: str | None
    role: HandRole
    payment: int
    won: bool
    whole: bool = True
    assisted: bool = False


@dataclass(frozen=True)
class FinishedHand:
    """A finished hand. record: climb/1 with all cards. shown: whether everybody may read it. opening: the draws before it.

    bid: the winning bid, if any. turn: the event and the seat of the decisive move, if known.
    scores: each seat's score in a duplicate event; None for other hands, and for hands read from the database.
    """

    id: str
    table: str
    number: int
    preset: str
    finished: int
    shown: bool
    rated: bool
    result: Mapping[str, Any]
    opening: list[Any]
    record: str = field(repr=False)
    players: tuple[Player, ...] = ()
    bid: int | None = None
    turn: tuple[int, int] | None = None
    scores: tuple[float, ...] | None = None

    def state(self) -> dasan.State:
        """The hand at its end, from its record. ``Damaged``: the record is damaged, or of another hand."""
        with intact("hand", self.id):
            state = dasan.replay(self.record)
            if not isinstance(state, dasan.State) or state.result is None:
                raise dasan.BadRecord("the record is not of a finished hand")
            return state

    def seat_of(self, player: str | None) -> int | None:
        """The player's seat in this hand; None if they had none."""
        return next((p.seat for p in self.players if player is not None and p.player == player), None)


def player_of(row: Any) -> Player:
    """The player in a row of ``hand_seats``."""
    return Player(row.seat, row.name, row.player, row.bot, row.role, row.payment, row.won, row.whole)


def order_of(result: object, seats: Iterable[int]) -> Sequence[int] | None:
    """The seats in the order of finishing, if the hand was played to the last place; None if not, or if the row is damaged.

    seats: those of the hand's rows.
    """
    order = result.get("finish_order") if isinstance(result, dict) else None
    whole = isinstance(order, list | tuple) and sorted(order, key=str) == sorted(seats, key=str)
    return order if whole else None


def finished(room: Room) -> FinishedHand:
    """The hand that has just ended in ``room``.

    It is a person's if they played in their seat when it was dealt, whoever played after that, or, if it is not rated, if
    they took their seat back before its end. Otherwise it is the bot's.
    """
    state = room.state
    assert state is not None
    assert state.result is not None
    head, result = room.head, state.result
    players = []
    for seat, chair in enumerate(room.chairs):
        role: HandRole = "player"
        if state.bidder is not None:
            role = "bidder" if seat == state.bidder else "partner" if seat == state.partner else "defender"
        won = seat in result.winners
        bot = None if chair.plays is None else room.dealt_to(seat)
        whole = bot is None or bot == chair.plays
        # As in the hands that a player had finished before the deletion.
        player = None if bot is not None or is_stranger(chair.player) else chair.player
        name = chair.name if bot is None or chair.bot is not None else called(bot)
        players.append(Player(seat, name, player, bot, role, result.payments[seat], won, whole, seat in room.assisted))
    return FinishedHand(
        id=head.page(room.number),
        table=head.id,
        number=room.number,
        preset=head.rules.name,
        finished=room.at,
        shown=head.rules.show_hands_after,
        rated=head.settings.counts and not room.taken_back,
        result=result.to_json(),
        opening=[event.to_json() for event in room.opening],
        record=state.record(),
        players=tuple(players),
        bid=state.bid,
        scores=None if head.event is None else tuple(payoffs(state)),
    )


def copy_for(hand: FinishedHand, viewer: int | None) -> Iterator[str]:
    """The lines of the hand's record that the seat ``viewer`` may read; all lines if the rules show hands after the
    end. ``Damaged``: as `FinishedHand.state`.
    """
    state = hand.state()
    yield from record_lines(hand.record if hand.shown else state.record(view=viewer))
