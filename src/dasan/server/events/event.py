"""A duplicate event as a value: its deals, people's seats, and its time window.

Every table of an event is an ordinary table that plays one hand, opened with its deal's seed. So its tables show and
its records contain the deal's commitment.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import dasan
from dasan.play import fairness
from dasan.play.new_hand import hand_secret
from dasan.server.protocol.events import EventStatus
from dasan.server.protocol.table import TableSettings

MOST_DEALS = 64


@dataclass(frozen=True)
class DuplicateEvent:
    """A duplicate event.

    title: empty for the deal of the day. day: its date, None for other events. seed: the source of all its deals.
    people: the number of people at a table; `bot` plays in the other seats. fill: seconds after which bots take the
    seats of missing people; None: never. host: the player who opened it. listed: whether it is shown to everybody;
    otherwise its link is the invitation. starts, ends: milliseconds since 1970. revealed: when the deals were revealed,
    None before. bots_played: whether the bots in the standings have played it.
    """

    id: str
    rules: dasan.Rules = field(repr=False)
    seed: bytes = field(repr=False)
    deals: int
    people: int
    bot: str
    starts: int
    ends: int
    settings: TableSettings
    title: str = ""
    day: str | None = None
    fill: int | None = None
    host: str | None = field(default=None, repr=False)
    listed: bool = False
    revealed: int | None = None
    bots_played: bool = False

    def status(self, now: int) -> EventStatus:
        """The event's status at the time ``now``."""
        if self.revealed is not None:
            return "over"
        return "before" if now < self.starts else "open" if now < self.ends else "closing"

    def deal_seed(self, deal: int) -> bytes:
        """The seed of the tables that play deal ``deal``, from 0. One deal's secret reveals nothing about another
        deal.
        """
        return fairness.local_seed(self.seed, "event deal", deal)

    def secret(self, deal: int) -> bytes:
        """The secret behind the shuffle of a deal."""
        return hand_secret(self.deal_seed(deal), 1)

    @property
    def commitments(self) -> tuple[str, ...]:
        """The commitment to each deal's secret."""
        return tuple(fairness.commitment(self.secret(deal)) for deal in range(self.deals))

    def seats(self, deal: int) -> tuple[int, ...]:
        """The people's seats in a deal, the same at every table. They rotate from deal to deal."""
        players = self.rules.players
        first = fairness.Stream(fairness.local_seed(self.seed, "event seats", 0)).below(players)
        return tuple((first + deal + i) % players for i in range(self.people))
