"""Friends: follow and block players, invite friends to tables."""

from __future__ import annotations

from typing import Literal

from fastapi import Request

from dasan.reasons import reason
from dasan.server.api.dependencies import LiveHere, Player, StoreHere, TablesHere
from dasan.server.api.people import account_named, limited_account
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import limit
from dasan.server.protocol.friends import Friends, Invitation, Invite, Invited
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.people import Person
from dasan.server.times import now

router = strict_router("/api")


@router.get("/friends")
async def friends(store: StoreHere, live: LiveHere, player: Player) -> Friends:
    """The players whom the player follows, with who is online, and those whom the player has blocked."""
    person = await store.people.account(player)
    if person is None:
        return Friends(you=None, follows=[], followers=[], blocked=[])
    live.touch(person.id)
    return await store.friends.circle(person.id, now())


@router.post("/friends/{name}/{change}")
async def towards(
    name: str,
    change: Literal["follow", "unfollow", "block", "unblock"],
    request: Request,
    store: StoreHere,
    player: Player,
) -> Friends:
    """Follow, unfollow, block or unblock a player.

    They see that they are followed; if they follow back, both see when the other is online. After a block neither can
    follow, invite or be matched with the other.
    """
    me, other = await _pair(request, store, player, name)
    match change:
        case "follow":
            await store.friends.follow(me.id, other.id, now())
        case "unfollow":
            await store.friends.unfollow(me.id, other.id)
        case "block":
            await store.friends.block(me.id, other.id, now())
        case "unblock":
            await store.friends.unblock(me.id, other.id)
    return await store.friends.circle(me.id, now())


@router.get("/tables/{table_id}/invited")
async def invited(table_id: str, store: StoreHere, tables: TablesHere, player: Player) -> Invited:
    """The players invited to a table, for those who sit at it."""
    await _seated(tables, table_id, player)
    return Invited(names=await store.friends.invited(table_id, now()))


@router.post("/tables/{table_id}/invite")
async def invite(
    table_id: str, wanted: Invite, request: Request, store: StoreHere, tables: TablesHere, player: Player
) -> Invited:
    """Invite a friend to a table at which the player sits."""
    me, other = await _pair(request, store, player, wanted.name)
    await _seated(tables, table_id, me.id)
    await store.friends.invite(me.id, other.id, table_id, now())
    return Invited(names=await store.friends.invited(table_id, now()))


@router.get("/invitations")
async def invitations(store: StoreHere, live: LiveHere, player: Player) -> list[Invitation]:
    """The player's open invitations, newest first."""
    if player is None:
        return []
    live.touch(player)
    return await store.friends.invitations(player, now())


@router.post("/invitations/{table_id}/decline")
async def decline(table_id: str, request: Request, store: StoreHere, player: Player) -> list[Invitation]:
    """Decline an invitation. Players at the table see that the name is no longer on the list of invited players."""
    limit(request, "joins", player)
    if player is None:
        return []
    await store.friends.decline(player, table_id)
    return await store.friends.invitations(player, now())


async def _pair(request: Request, store: Store, player: str | None, name: str) -> tuple[Person, Person]:
    """The player and the account with this name. ``Refused``: one of them is not an account."""
    return await limited_account(request, store, player), await account_named(store, name)


async def _seated(tables: TablesHere, table_id: str, player: str | None) -> None:
    room = await tables.look(table_id)
    if room.seat_of(player) is None:
        raise Refused("forbidden", reason("no-seat"))
    if room.head.event is not None:
        raise Refused("illegal", reason("event.table"))
