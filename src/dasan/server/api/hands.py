"""Records of sessions, and the permanent pages of finished hands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress

from fastapi import Request
from starlette.responses import Response, StreamingResponse

import dasan
from dasan.play.scoring import doublings
from dasan.reasons import reason
from dasan.server.api.dependencies import Player, Small, StoreHere, TablesHere
from dasan.server.api.strict import router as strict_router
from dasan.server.compact import compact
from dasan.server.connections.rate_limits import limit
from dasan.server.protocol.hand import Result
from dasan.server.protocol.rest import HandInfo, HandSeat, HandSummary, HandTurn
from dasan.server.refusals import Damaged, Refused
from dasan.server.store import Store
from dasan.server.store.damage import intact, undamaged
from dasan.server.store.hand import FinishedHand, copy_for
from dasan.server.study.hand_picture import picture
from dasan.server.tables.facts import facts, title_of
from dasan.server.tables.room import Room
from dasan.server.times import moment

router = strict_router("/api")


class JsonLines(StreamingResponse):
    """JSON objects, one per line."""

    media_type = "application/x-ndjson"


class Picture(Response):
    """An SVG picture."""

    media_type = "image/svg+xml"


AT_ONCE = 16
"""The number of hands that one query reads."""


@router.get("/tables/{table_id}/record", response_class=JsonLines)
async def record(table_id: str, request: Request, tables: TablesHere, store: StoreHere, player: Player) -> JsonLines:
    """The session so far as climb/1, limited to what this player may know."""
    limit(request, "records", player)
    room = await tables.room_for(table_id, player)
    if room.state is None:
        raise Refused("illegal", reason("undealt"))
    return JsonLines(_session(store, room, player))


@router.get("/tables/{table_id}/hands")
async def hands(
    table_id: str, tables: TablesHere, store: StoreHere, player: Player, after: Small = 0
) -> list[HandSummary]:
    """The table's finished hands, fifty at a time."""
    room = await tables.room_for(table_id, player)
    hands = await store.hands.of_table(table_id, after, 50)
    return summaries([hand for hand in hands if hand.number <= _finished(room)], None)


@router.get("/hands/{hand_id}")
async def hand(hand_id: str, store: StoreHere, player: Player) -> HandInfo:
    """A finished hand's page, for everybody who has its link."""
    finished = await store.hands.load(hand_id, player)
    you = finished.seat_of(player)
    event = None if you is None else await store.duplicates.of_table(finished.table)
    return await asyncio.to_thread(_info, finished, you, event)


def _info(hand: FinishedHand, you: int | None, event: str | None) -> HandInfo:
    """A hand's page for the player in the seat ``you``. event: the event of the hand's table."""
    with intact("hand", hand.id):
        header = json.loads(hand.record.partition("\n")[0])
        rules = dasan.rules(hand.preset, **header["rules"]["options"])
        programs = {seat for seat, one in enumerate(header.get("seats", ())) if one["kind"] == "program"}
        seats = [
            HandSeat(
                seat=p.seat,
                name=p.name,
                kind="bot" if p.bot is not None else "program" if p.seat in programs else "human",
                bot=p.bot,
                player=None,
            )
            for p in hand.players
        ]
        return HandInfo(
            id=hand.id,
            table=hand.table if you is not None else None,
            event=event,
            number=hand.number,
            preset=hand.preset,
            title=title_of(hand.preset),
            options=rules.options,
            facts=facts(rules),
            finished=moment(hand.finished),
            seats=seats,
            result=Result.model_validate(hand.result),
            doublings=doubling_plays(rules, hand.record),
            you=you,
            shown=hand.shown,
        )


def doubling_plays(rules: dasan.Rules, record: str) -> list[int]:
    """The sequence numbers of the plays in a hand's record (bombs, the rocket) that doubled the payment (H.15)."""
    out: list[int] = []
    bombs = 0
    for line in map(json.loads, record.splitlines()) if rules.doubles else ():
        if line.get("type") == "play" and rules.combination(" ".join(line["cards"])).power > 0:
            bombs += 1
            if doublings(rules, bombs, spring=False) > len(out):
                out.append(line["seq"])
    return out


@router.get("/hands/{hand_id}/record", response_class=JsonLines)
async def hand_record(hand_id: str, request: Request, store: StoreHere, player: Player) -> JsonLines:
    """A finished hand as climb/1; complete if its rules show hands after the end."""
    limit(request, "records", player)
    finished = await store.hands.load(hand_id, player)
    text = await asyncio.to_thread(lambda: "".join(copy_for(finished, finished.seat_of(player))))
    return JsonLines(iter([text]))


@router.get("/hands/{hand_id}/picture", response_class=Picture)
async def hand_picture(
    hand_id: str, request: Request, store: StoreHere, player: Player, seq: Small | None = None
) -> Picture:
    """A finished hand as SVG: as dealt, or after the move with event ``seq``."""
    limit(request, "records", player)
    finished = await store.hands.load(hand_id, player)
    if not finished.shown:
        raise Refused("forbidden", reason("hands.hidden"))

    return Picture(await asyncio.to_thread(lambda: picture(finished, finished.state(), seq)))


def _finished(room: Room) -> int:
    """The number of finished hands in ``room``; spectators may see an earlier room than players."""
    return room.number if room.over else room.number - 1


async def _session(store: Store, room: Room, player: str | None) -> AsyncIterator[str]:
    """The lines of the session's record: its header and draws, the hands that are over, and the current one."""
    state = room.state
    assert state is not None
    shown = room.head.rules.show_hands_after
    past = _finished(room)
    whole = shown and (room.over or room.status == "ended")
    current = state.record() if whole else state.record(view=room.sees_as(room.seat_of(player)))
    header, _, rest = current.partition("\n")
    yield _lines([{**json.loads(header), "contents": "session"}])
    number = 0
    while number < past:
        batch = await store.hands.of_table(room.head.id, number, AT_ONCE)
        if not batch:
            break
        for one in batch:
            if one.number <= past:
                yield await asyncio.to_thread(_hand_lines, one, one.seat_of(player))
        number = batch[-1].number
    if not room.over:
        if room.number == 1:
            yield _lines(event.to_json() for event in room.opening)
        yield rest


def _hand_lines(hand: FinishedHand, viewer: int | None) -> str:
    """The lines of a hand in its session's record, empty if its row is damaged: an error would cut off the other hands."""
    with suppress(Damaged), intact("hand", hand.id):
        opening = _lines(hand.opening) if hand.number == 1 else ""
        # A record that everybody may read is sent as stored.
        text = hand.record if hand.shown else "".join(copy_for(hand, viewer))
        return opening + text.partition("\n")[2]
    return ""


def _lines(entries: Iterable[object]) -> str:
    return "".join(compact(entry) + "\n" for entry in entries)


def summaries(hands: Iterable[FinishedHand], player: str | None) -> list[HandSummary]:
    """Hands as a list of this player's. One whose row is damaged is left out and logged."""
    return undamaged("hand", hands, lambda hand: summary_of(hand, player))


def summary_of(hand: FinishedHand, player: str | None) -> HandSummary:
    """A hand as an entry in the list of this player's hands."""
    seat = hand.seat_of(player)
    return HandSummary(
        id=hand.id,
        number=hand.number,
        preset=hand.preset,
        title=title_of(hand.preset),
        finished=moment(hand.finished),
        names=[p.name for p in hand.players],
        seat=seat,
        payments=list(hand.result["payments"]),
        winners=list(hand.result["winners"]),
        finish_order=list(hand.result.get("finish_order", ())),
        rated=hand.rated,
        bots=[p.bot for p in hand.players],
        role=None if seat is None else hand.players[seat].role,
        bid=hand.bid,
        turn=None if hand.turn is None else HandTurn(seq=hand.turn[0], seat=hand.turn[1]),
    )
