"""Groups: create one, join by link, play and talk in it, and run it as its host."""

from __future__ import annotations

from typing import Literal

from fastapi import Request

from dasan.server.api.dependencies import CommandsHere, LiveHere, Player, StoreHere, TablesHere
from dasan.server.api.people import account_of, limited_account
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import limit
from dasan.server.people.chosen_names import allowed_name
from dasan.server.protocol.groups import (
    CreateGroup,
    Group,
    GroupDoor,
    GroupGone,
    GroupJoined,
    GroupList,
    GroupPerson,
    GroupRules,
    GroupStandings,
    ReportLine,
    SayInGroup,
)
from dasan.server.protocol.rest import TableCreated
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.tables.decisions import clean_line
from dasan.server.tables.directory import FREE, ME, check_seats
from dasan.server.tables.shared_rules import chosen_rules
from dasan.server.times import now

router = strict_router("/api")

FIRST = GroupRules(preset="big-three", options={}, seats=[ME, FREE, FREE], settings=TableSettings())
"""The rules of a new group."""
SHOWN = 12
"""The number of latest evenings shown individually."""


@router.get("/groups")
async def groups(store: StoreHere, live: LiveHere, player: Player) -> GroupList:
    """The player's groups."""
    person = await store.people.account(player)
    if person is None:
        return GroupList(account=False, groups=[])
    live.touch(person.id)
    return GroupList(
        account=True,
        groups=await store.groups.of_player(person.id),
    )


@router.post("/groups", status_code=201)
async def create(wanted: CreateGroup, request: Request, store: StoreHere, player: Player) -> Group:
    """Create a group, with the player as its host."""
    person = await limited_account(request, store, player, "tables")
    name = await _name(store, person.id, wanted.name)
    return await store.groups.load(await store.groups.create(person.id, name, FIRST, now()), person.id)


@router.get("/groups/{group_id}")
async def group(group_id: str, store: StoreHere, live: LiveHere, player: Player) -> Group:
    """A group as one of its members sees it."""
    person = await account_of(store, player)
    live.touch(person.id)
    return await store.groups.load(group_id, person.id)


@router.get("/groups/{group_id}/standings")
async def standings(group_id: str, request: Request, store: StoreHere, player: Player) -> GroupStandings:
    """The members' standings over the evenings."""
    person = await limited_account(request, store, player, "pages")
    evenings, rows = await store.groups.standings(group_id, person.id)
    first = max(0, len(evenings) - SHOWN)
    shown = [row.model_copy(update={"by_evening": row.by_evening[first:]}) for row in rows]
    return GroupStandings(evenings=evenings[first:], rows=shown)


@router.post("/groups/{group_id}/tables", status_code=201)
async def open_table(
    group_id: str, request: Request, store: StoreHere, tables: TablesHere, player: Player
) -> TableCreated:
    """Open a table by the group's rules, sit down, and invite the other members."""
    person = await limited_account(request, store, player, "tables")
    rules = await store.groups.rules_of(group_id, person.id)
    table_id, seat = await tables.create(
        person.id, rules.preset, rules.options, rules.seats, settings=rules.settings, group=group_id
    )
    return TableCreated(id=table_id, seat=seat)


@router.post("/groups/{group_id}/rename")
async def rename(group_id: str, wanted: CreateGroup, request: Request, store: StoreHere, player: Player) -> Group:
    """Rename the group (the host only)."""
    person = await limited_account(request, store, player)
    await store.groups.rename(group_id, person.id, await _name(store, person.id, wanted.name))
    return await store.groups.load(group_id, person.id)


@router.post("/groups/{group_id}/rules")
async def play_by(group_id: str, wanted: GroupRules, request: Request, store: StoreHere, player: Player) -> Group:
    """Save the rules of the group's tables (the host only)."""
    person = await limited_account(request, store, player)
    rules = await chosen_rules(wanted.preset, wanted.options)
    check_seats(wanted.seats, rules.players, wanted.settings)
    if ME not in wanted.seats:
        raise Refused("malformed", "whoever opens a group's table sits at it: one of the seats must be me")
    await store.groups.play_by(group_id, person.id, wanted)
    return await store.groups.load(group_id, person.id)


@router.post("/groups/{group_id}/members/{change}")
async def change_member(
    group_id: str,
    change: Literal["remove", "host"],
    wanted: GroupPerson,
    request: Request,
    store: StoreHere,
    player: Player,
) -> Group:
    """Remove a member, or hand the group over to one (the host only)."""
    person = await limited_account(request, store, player)
    work = store.groups.remove if change == "remove" else store.groups.hand_over
    await work(group_id, person.id, wanted.name)
    return await store.groups.load(group_id, person.id)


@router.post("/groups/{group_id}/link")
async def new_link(group_id: str, request: Request, store: StoreHere, player: Player) -> Group:
    """Replace the link to join (the host only); the old one stops working."""
    person = await limited_account(request, store, player)
    await store.groups.new_link(group_id, person.id)
    return await store.groups.load(group_id, person.id)


@router.post("/groups/{group_id}/leave")
async def leave(group_id: str, request: Request, store: StoreHere, player: Player) -> GroupGone:
    """Leave the group; the host must hand it over first."""
    person = await limited_account(request, store, player)
    await store.groups.leave(group_id, person.id)
    return GroupGone(id=group_id)


@router.post("/groups/{group_id}/delete")
async def delete(group_id: str, request: Request, store: StoreHere, player: Player) -> GroupGone:
    """Delete the group (the host only). The hands stay."""
    person = await limited_account(request, store, player)
    await store.groups.delete(group_id, person.id)
    return GroupGone(id=group_id)


@router.post("/groups/{group_id}/chat")
async def say(
    group_id: str, wanted: SayInGroup, request: Request, store: StoreHere, commands: CommandsHere, player: Player
) -> Group:
    """Say something in the group's chat."""
    person = await limited_account(request, store, player, "commands")
    await commands.talk(person.id, wanted.text)
    await store.groups.say(group_id, person.id, clean_line(wanted.text), now())
    return await store.groups.load(group_id, person.id)


@router.post("/groups/{group_id}/report")
async def report(
    group_id: str, wanted: ReportLine, request: Request, store: StoreHere, commands: CommandsHere, player: Player
) -> Group:
    """Report a line of the chat."""
    person = await limited_account(request, store, player, "commands")
    commands.may_talk(person.id)
    await store.groups.report(group_id, person.id, wanted.line, wanted.reason, now())
    return await store.groups.load(group_id, person.id)


@router.get("/join/{link}")
async def door(link: str, request: Request, store: StoreHere, player: Player) -> GroupDoor:
    """The group to which a link leads."""
    limit(request, "pages", player)
    group, joined = await store.groups.behind(link, player)
    return GroupDoor(name=group.name, host=group.host, members=group.members, joined=group.id if joined else None)


@router.post("/join/{link}")
async def join(link: str, request: Request, store: StoreHere, player: Player) -> GroupJoined:
    """Join the group to which a link leads."""
    person = await limited_account(request, store, player)
    return GroupJoined(id=await store.groups.join(link, person.id, now()))


async def _name(store: Store, player: str, name: str) -> str:
    """The displayed form of a group's name. ``Refused``: it is not allowed, or the player is muted."""
    cleaned = allowed_name(store.people, name)
    await store.moderation.check_said(player, cleaned, now())
    return cleaned
