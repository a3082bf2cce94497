"""The bidding trainer: hands to bid on, verdicts, and the history of a player's bids."""

from __future__ import annotations

import asyncio

from fastapi import Request

import dasan
from dasan.games import PRESETS
from dasan.reasons import reason
from dasan.server.api.dependencies import Player, StoreHere, TablesHere
from dasan.server.api.people import known
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import limit
from dasan.server.protocol.bidding import Bid, BidAnswer, BiddingHand, BidHistory, BidVerdict
from dasan.server.refusals import Refused
from dasan.server.tables.facts import facts, title_of
from dasan.server.times import now

router = strict_router("/api/bidding")

SOLVING = 3.0
"""Seconds for solving a deal with all hands open."""
EACH = 10
"""The number of bids averaged into one point of the history."""
LATEST = 20


@router.post("/{preset}")
async def hand(preset: str, request: Request, tables: TablesHere, store: StoreHere, player: Player) -> BiddingHand:
    """A hand to bid on: the same until it is answered."""
    limit(request, "study", player)
    rules = await _rules(preset)
    me = known(player)
    hand_id, seed = await store.bids.hand(me, preset, now())
    view = await tables.study.ask("solver", "bidding_hand", preset, seed)
    return BiddingHand(id=hand_id, preset=preset, title=title_of(preset), facts=facts(rules), view=view)


@router.post("/{preset}/hands/{hand_id}")
async def answer(
    preset: str, hand_id: str, wanted: Bid, request: Request, tables: TablesHere, store: StoreHere, player: Player
) -> BidVerdict:
    """The value of a bid. The first answer to a hand counts in the history."""
    limit(request, "study", player)
    await _rules(preset)
    me = known(player)
    seed = await store.bids.seed(me, preset, hand_id)
    judged = await tables.study.ask(
        "solver", "bid_verdict", preset, seed, wanted.bid, SOLVING, tables.settings.search_memory_mb
    )
    await store.bids.answer(me, preset, hand_id, judged["known"], now())
    return BidVerdict.model_validate(judged)


@router.get("/{preset}")
async def history(preset: str, request: Request, store: StoreHere, player: Player) -> BidHistory:
    """The player's bids in one game, compared with the best."""
    limit(request, "pages")
    await _rules(preset)
    answers = [] if player is None else await store.bids.answers(player, preset)
    means = [_mean(answers[first : first + EACH]) for first in range(0, len(answers), EACH)]
    return BidHistory(
        unit="payment",
        bids=len(answers),
        best=sum(not one.habit for one in answers),
        low=sum(one.mistake and one.habit == "bid-low" for one in answers),
        high=sum(one.mistake and one.habit == "bid-high" for one in answers),
        cost=_mean(answers),
        means=means,
        latest=[one.model_copy(update={"cost": round(one.cost, 3)}) for one in reversed(answers[-LATEST:])],
    )


def _mean(answers: list[BidAnswer]) -> float:
    return round(sum(one.cost for one in answers) / len(answers), 3) if answers else 0.0


async def _rules(preset: str) -> dasan.Rules:
    """The rules of a game with an auction. ``Refused``: there is no such game."""
    rules = await asyncio.to_thread(dasan.rules, preset) if preset in PRESETS else None
    if rules is None or rules.auction is None:
        raise Refused("not-found", reason("no-game", name=preset[:40]))
    return rules
