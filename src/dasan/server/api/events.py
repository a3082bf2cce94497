"""Duplicate events: list them, open one, play the next deal, read the standings."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from fastapi import Request, Response

from dasan.envs.payoff import bounds
from dasan.play import fairness
from dasan.reasons import reason
from dasan.server.api.dependencies import EventsHere, IdentitiesHere, Player, Small, StoreHere
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import limit
from dasan.server.events.event import DuplicateEvent
from dasan.server.events.running import Standings
from dasan.server.events.scoring import EntrantStanding, Play, others
from dasan.server.new_ids import new_id
from dasan.server.people.chosen_names import chosen_name
from dasan.server.people.identity import new_player
from dasan.server.people.names import one_line
from dasan.server.people.reserved_names import GUEST
from dasan.server.protocol.events import (
    CreateEvent,
    DealPar,
    EventCancelled,
    EventCreated,
    EventDetail,
    EventPlayed,
    EventStanding,
    EventStandings,
    EventSummary,
    EventToday,
    MyDeal,
    PlayEvent,
)
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Damaged, Refused
from dasan.server.store import Store
from dasan.server.store.damage import intact
from dasan.server.store.duplicates import Mine
from dasan.server.store.ratings import BOT
from dasan.server.tables.directory import check_bot
from dasan.server.tables.facts import title_of
from dasan.server.tables.shared_rules import chosen_rules
from dasan.server.times import DAY, now

router = strict_router("/api/events")

SHOWN = 50
"""The most rows of standings in an answer."""
MOST_DAYS = 31
SHOWN_AFTER = 2 * DAY
"""Milliseconds after its end for which a listed event is still shown."""


@router.get("")
async def events(request: Request, store: StoreHere, player: Player) -> list[EventSummary]:
    """The player's own events, then those open to everybody; the ones that have ended follow, in the same order."""
    limit(request, "pages")
    mine = () if player is None else await store.duplicates.of_player(player)
    moment = now()
    shown = await store.duplicates.listed(moment - SHOWN_AFTER, moment)
    listed = {event.id: event for event in (*mine, *shown)}
    summaries = []
    for event in listed.values():
        with suppress(Damaged):
            summaries.append(await _summary(store, event, player))
    return sorted(summaries, key=lambda one: one.status in ("closing", "over"))


@router.get("/today")
async def today(store: StoreHere, events: EventsHere, player: Player) -> EventToday:
    """The deal of the day."""
    daily = await events.today()
    if daily is None:
        return EventToday(event=None, next=None)
    return EventToday(event=await _summary(store, daily[0], player), next=daily[1].id)


@router.post("", status_code=201)
async def create(
    wanted: CreateEvent, request: Request, response: Response, store: StoreHere, ids: IdentitiesHere, player: Player
) -> EventCreated:
    """Open an event."""
    limit(request, "tables", player)
    rules = await chosen_rules(wanted.preset, wanted.options)
    check_bot(wanted.bot)
    moment = now()
    starts = moment if wanted.starts is None else max(moment, wanted.starts)
    if max(starts - moment, wanted.lasts) > MOST_DAYS * DAY:
        raise Refused("malformed", reason("event.window", n=MOST_DAYS))
    if wanted.people > rules.players:
        raise Refused("malformed", f"this game has {rules.players} seats, not {wanted.people}")
    host, title = player or new_player(), clean_title(wanted.title)
    await store.moderation.check_said(host, title, moment)
    event = DuplicateEvent(
        id=new_id(),
        rules=rules,
        seed=fairness.new_secret(),
        deals=wanted.deals,
        people=wanted.people,
        bot=wanted.bot,
        starts=starts,
        ends=starts + wanted.lasts,
        settings=TableSettings(speed=wanted.speed, chat=False, spectators=False),
        title=title,
        fill=wanted.fill,
        host=host,
        listed=wanted.listed,
    )
    await store.duplicates.create(event)
    await ids.remember(request, response, host)
    return EventCreated(id=event.id)


@router.post("/{event_id}/cancel")
async def cancel(event_id: str, request: Request, store: StoreHere, player: Player) -> EventCancelled:
    """Cancel an event that has not begun (the host only)."""
    limit(request, "joins", player)
    await store.duplicates.cancel(event_id, player or "", now())
    return EventCancelled(id=event_id)


@router.get("/{event_id}")
async def event(event_id: str, store: StoreHere, events: EventsHere, player: Player) -> EventDetail:
    """An event and the player's own deals."""
    event = await store.duplicates.load(event_id)
    mine = () if player is None else await store.duplicates.mine(event_id, player)
    table = await events.table(event)
    return EventDetail(
        event=await _summary(store, event, player, sum(one.finished is not None for one in mine)),
        deals=[_mine(one, player or "", table) for one in mine if one.begun],
        waiting=any(one.waits(now()) for one in mine),
        commitments=list(event.commitments),
        secrets=None if event.revealed is None else [event.secret(deal).hex() for deal in range(event.deals)],
    )


@router.get("/{event_id}/deals/{deal}/par")
async def par(
    event_id: str, deal: Small, request: Request, store: StoreHere, events: EventsHere, player: Player
) -> DealPar:
    """What best play would have won in a deal that the player has finished."""
    mine = () if player is None else await store.duplicates.mine(event_id, player)
    one = next((play for play in mine if play.deal == deal and play.hand is not None), None)
    if one is None or one.hand is None:
        raise Refused("forbidden", reason("event.sealed"))
    event = await store.duplicates.load(event_id)
    hand = await store.hands.load(one.hand, player)
    if not hand.shown or one.seat is None:
        return DealPar(par=None)
    payments = await events.par(event, deal, hand, lambda: limit(request, "turning", player))
    with intact("event", event_id):
        return DealPar(par=None if payments is None else payments[one.seat])


@router.get("/{event_id}/standings")
async def standings(event_id: str, store: StoreHere, events: EventsHere, player: Player) -> EventStandings:
    """The current standings of an event."""
    event = await store.duplicates.load(event_id)
    table = await events.table(event)
    place = table.place.get(player or "")
    wanted = [*table.order[:SHOWN], *([] if place is None else [table.order[place]])]
    names = await store.duplicates.names(event_id, [one.player for one in wanted])
    limits = bounds(event.rules)
    rows = await asyncio.to_thread(lambda: [_standing(one, names, limits, player) for one in wanted])
    mine = None if place is None else rows.pop()
    return EventStandings(rows=rows, mine=mine, total=len(table.order))


@router.post("/{event_id}/play")
async def play(
    event_id: str,
    wanted: PlayEvent,
    request: Request,
    response: Response,
    store: StoreHere,
    events: EventsHere,
    ids: IdentitiesHere,
    player: Player,
) -> EventPlayed:
    """Play the next deal, or continue the current one. While there is no table, repeat the request every other
    second.
    """
    limit(request, "quick", player)
    event = await store.duplicates.load(event_id)
    entrant = player or new_player()
    name, _ = await chosen_name(store.people, entrant, wanted.name, GUEST)
    played = await events.seat(event, entrant, name)
    await ids.remember(request, response, entrant)
    return played


def clean_title(title: str) -> str:
    """A title as one line of visible characters. ``Refused``: nothing is left of it."""
    text = one_line(title)
    if not text:
        raise Refused("malformed", "an event has a title")
    return text


async def _summary(store: Store, event: DuplicateEvent, player: str | None, played: int | None = None) -> EventSummary:
    if played is None:
        mine = () if player is None else await store.duplicates.mine(event.id, player)
        played = sum(one.finished is not None for one in mine)
    entries = await store.duplicates.entered(event.id)
    with intact("event", event.id):
        return EventSummary(
            id=event.id,
            title=event.title,
            day=event.day,
            preset=event.rules.name,
            preset_title=title_of(event.rules.name),
            options=event.rules.options,
            players=event.rules.players,
            deals=event.deals,
            people=event.people,
            bot=event.bot,
            fill=event.fill,
            listed=event.listed,
            starts=event.starts,
            ends=event.ends,
            status=event.status(now()),
            entries=entries,
            played=played,
            hosting=player is not None and event.host == player,
        )


def _mine(one: Mine, player: str, table: Standings) -> MyDeal:
    field = None
    if one.score is not None and one.seat is not None:
        counted = (player, one.deal) in table.counted
        field = others(Play(player, one.deal, one.seat, one.score), table.field, counted)
    return MyDeal(
        deal=one.deal,
        seat=one.seat,
        table=one.table,
        score=one.score,
        field=None if field is None else round(field, 2),
        assisted=one.assisted,
        hand=one.hand,
    )


def _standing(
    one: EntrantStanding, names: dict[str, str], limits: tuple[float, float], player: str | None
) -> EventStanding:
    estimate = one.estimate(limits)
    return EventStanding(
        rank=one.rank,
        name=names.get(one.player, ""),
        bot=one.player.removeprefix(BOT) if one.player.startswith(BOT) else None,
        deals=one.deals,
        points=round(one.total, 2) + 0.0,
        mean=None if estimate is None else estimate.mean,
        low=None if estimate is None else estimate.low,
        high=None if estimate is None else estimate.high,
        assisted=one.assisted,
        you=one.player == player,
    )
