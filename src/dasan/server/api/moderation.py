"""The moderators' page: the queue of reports, and moderators' actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Request

from dasan.reasons import reason
from dasan.server.api.dependencies import IdentitiesHere, LiveHere, Player, StoreHere
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.networks import address_of
from dasan.server.connections.rate_limits import limit
from dasan.server.protocol.moderation import (
    Audited,
    Ban,
    BanNetwork,
    Moderate,
    Moderated,
    ModerationPage,
    NetworkBan,
    PlayerNamed,
    ReportListed,
    Unban,
    WordList,
)
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.times import moment, now

router = strict_router("/api/moderation")


@router.get("")
async def page(request: Request, store: StoreHere, player: Player) -> ModerationPage:
    """The moderators' page. Refused to others."""
    limit(request, "pages", player)
    await moderator(store, player)
    return await _shown(store)


@router.post("")
async def moderate(
    wanted: Moderate, request: Request, store: StoreHere, ids: IdentitiesHere, live: LiveHere, player: Player
) -> ModerationPage:
    """Carry out a moderator's action, and write it to the audit log."""
    limit(request, "commands", player)
    one = await moderator(store, player)
    subject = await store.moderation.carry_out(wanted.action, one, now(), address_of(request))
    if isinstance(wanted.action, Ban | Unban):
        ids.forget()
        live.recheck(subject)
    elif isinstance(wanted.action, BanNetwork):
        live.recheck_all()
    return await _shown(store)


async def moderator(store: Store, player: str | None) -> str:
    """The moderator's id. ``Refused``: the player is not a moderator."""
    person = None if player is None else await store.people.find(player)
    if person is None or not person.moderator:
        raise Refused("forbidden", reason("moderator"))
    return person.id


async def _shown(store: Store) -> ModerationPage:
    time = now()
    queue, waiting = await store.moderation.queue()
    named = {row["by"] for row in queue} | {row["against"] for row in queue} - {None}
    restricted, number = await store.moderation.restricted(time)
    people = await store.moderation.people({*named, *restricted})

    def person(one: str) -> Moderated:
        return _moderated(people[one], time)

    reports = [
        ReportListed(
            id=row["id"],
            at=moment(row["at"]),
            table=row["table_id"],
            text=row["text"],
            reason=row["reason"],
            by=PlayerNamed(**_named(people[row["by"]])),
            against=None if row["against"] is None else person(row["against"]),
            others=row["others"],
        )
        for row in queue
    ]
    return ModerationPage(
        reports=reports,
        waiting=waiting,
        players=[person(one) for one in restricted],
        restricted=number,
        networks=[
            NetworkBan(network=name, until=moment(until)) for name, until in await store.moderation.networks(time)
        ],
        words=[WordList(language=name, words=words) for name, words in (await store.moderation.words()).items()],
        audit=[Audited(**{**row, "at": moment(row["at"])}) for row in await store.moderation.audit()],
    )


def _moderated(row: Mapping[str, Any], time: int) -> Moderated:
    until = row["muted_until"]
    return Moderated(
        **_named(row),
        banned=row["banned"],
        muted_until=None if until is None or until <= time else moment(until),
        networks=row["networks"],
    )


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": row["id"], "name": row["name"], "account": row["account"] is not None}
