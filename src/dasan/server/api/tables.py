"""Tables: open one, join one, look at one."""

from __future__ import annotations

import secrets

from fastapi import Request, Response

from dasan.play import fairness
from dasan.play.new_hand import hand_secret
from dasan.reasons import reason
from dasan.server.api.dependencies import CommandsHere, IdentitiesHere, Player, StoreHere, TablesHere
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.networks import address_of
from dasan.server.connections.rate_limits import limit
from dasan.server.people.identity import new_player
from dasan.server.protocol.commands import AnyCommand, LeaveCommand, SitCommand
from dasan.server.protocol.messages import Hint
from dasan.server.protocol.rest import (
    CommandDone,
    CreateTable,
    Forgotten,
    Joined,
    JoinTable,
    Lobby,
    Promise,
    TableCreated,
    TableDetail,
    TableSummary,
)
from dasan.server.refusals import Refused
from dasan.server.times import now

router = strict_router("/api")


@router.post("/promises", status_code=201)
async def promise(request: Request, store: StoreHere) -> Promise:
    """Commit to the secret of a future table, before any player adds a string."""
    limit(request, "tables")
    ticket, seed = secrets.token_urlsafe(16), fairness.new_secret()
    await store.promises.promise(ticket, seed, now())
    return Promise(ticket=ticket, commitment=fairness.commitment(hand_secret(seed, 1)))


@router.post("/tables", status_code=201)
async def create_table(
    wanted: CreateTable, request: Request, response: Response, tables: TablesHere, ids: IdentitiesHere, player: Player
) -> TableCreated:
    """Open a table and sit down at it. A browser without a cookie gets one."""
    limit(request, "tables", player)
    owner = player or new_player()
    if wanted.contribution is not None:
        await tables.store.moderation.check_said(owner, wanted.contribution, now())
    seed = None
    if wanted.ticket is not None:
        seed = await tables.store.promises.redeem(wanted.ticket, now())
        if seed is None:
            raise Refused("not-found", reason("ticket"))
    table_id, seat = await tables.create(
        owner,
        wanted.preset,
        wanted.options,
        wanted.seats,
        name=wanted.name or await ids.name(owner),
        settings=wanted.settings,
        seed=seed,
        contribution=wanted.contribution,
    )
    await ids.remember(request, response, owner)
    return TableCreated(id=table_id, seat=seat)


@router.get("/tables")
async def my_tables(store: StoreHere, player: Player) -> list[TableSummary]:
    """The tables of this player: those that have not ended first, the most recently played first."""
    return [] if player is None else await store.listings.mine(player)


@router.get("/lobby")
async def lobby(store: StoreHere) -> Lobby:
    """Tables with an open seat, and tables open to spectators where somebody plays: with a move in the last hour, or a deadline
    to come.
    """
    return await store.listings.lobby(now())


@router.post("/tables/{table_id}/forget")
async def forget(table_id: str, request: Request, tables: TablesHere, player: Player) -> Forgotten:
    """Leave a table for good and remove it from this player's list. A bot plays on if other people are at the table, or to the
    end of a rated hand; a table that all people have left ends.
    """
    limit(request, "joins", player)
    room = await tables.look(table_id)
    seat = room.seat_of(player)
    if player is None or seat is None:
        raise Refused("forbidden", reason("no-seat"))
    if room.status == "waiting" or (room.status == "playing" and not room.chairs[seat].left):
        await tables.command(table_id, player, LeaveCommand(type="leave", id=_once()))
    await tables.store.listings.forget(table_id, player)
    return Forgotten(id=table_id)


@router.post("/tables/{table_id}/join")
async def join(
    table_id: str,
    wanted: JoinTable,
    request: Request,
    response: Response,
    tables: TablesHere,
    ids: IdentitiesHere,
    player: Player,
) -> Joined:
    """Take a seat by the table's link, without an account."""
    limit(request, "joins", player)
    owner = player or new_player()
    room = await tables.look(table_id)
    seat = room.seat_of(owner)
    if seat is None or wanted.seat not in (None, seat):
        sit = SitCommand(
            type="sit",
            id=_once(),
            seat=wanted.seat,
            name=wanted.name or await ids.name(owner),
            program=wanted.program,
        )
        await tables.command(table_id, owner, sit)
        seat = (await tables.look(table_id)).seat_of(owner)
        if seat is None:
            raise Refused("illegal", reason("taken"))
    await ids.remember(request, response, owner)
    return Joined(id=table_id, seat=seat)


@router.post("/tables/{table_id}/commands")
async def command(
    table_id: str, wanted: AnyCommand, request: Request, commands: CommandsHere, player: Player
) -> CommandDone | Hint:
    """Carry out a command as over the socket, for programs without one."""
    limit(request, "commands", player)
    done = await commands.carry_out(table_id, player, wanted, address_of(request))
    return done if isinstance(done, Hint) else CommandDone(id=wanted.id, seq=done)


@router.get("/tables/{table_id}", response_model=TableDetail, response_model_exclude_unset=True)
async def table(table_id: str, tables: TablesHere, player: Player) -> object:
    """A table as this player may see it."""
    return await tables.detail(table_id, player)


def _once() -> str:
    """A new id for a command without one."""
    return f"rest-{secrets.token_hex(8)}"
