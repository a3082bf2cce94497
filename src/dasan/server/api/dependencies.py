"""Parameters that endpoints share: the player behind a request, its address, and the parts of the server."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import Field

from dasan.server.connections.networks import address_of, networks
from dasan.server.connections.websocket import Live
from dasan.server.events.running import Events
from dasan.server.notifications.sending import Sending
from dasan.server.operations.checks import Checks
from dasan.server.people.identity import Identities
from dasan.server.store import Store
from dasan.server.tables.commands import Commands
from dasan.server.tables.directory import Tables

# Coroutines, because FastAPI runs plain functions in threads, which costs more than the rest of a request.


def _part(name: str) -> Any:
    """A dependency that returns an attribute of the application's state."""

    async def part(request: Request) -> Any:
        return getattr(request.app.state, name)

    return Depends(part)


async def _player(request: Request) -> str | None:
    identities: Identities = request.app.state.identities
    player = await identities.player(request)
    if player is not None:
        request.app.state.sightings.add(player, address_of(request))
    return player


def network_of(request: Request) -> str:
    """The widest network of the client's address. Its requests run one after another, since one customer may own all of
    it.
    """
    return networks(address_of(request))[-1][0]


TablesHere = Annotated[Tables, _part("tables")]
StoreHere = Annotated[Store, _part("store")]
CommandsHere = Annotated[Commands, _part("commands")]
IdentitiesHere = Annotated[Identities, _part("identities")]
LiveHere = Annotated[Live, _part("live")]
ChecksHere = Annotated[Checks, _part("checks")]
EventsHere = Annotated[Events, _part("events")]
SendingHere = Annotated[Sending, _part("sending")]
Player = Annotated[str | None, Depends(_player)]
Place = Annotated[str, Field(pattern=r"^[0-9]{1,15}(\.[A-Za-z0-9_-]{1,32})?$")]
"""A cursor in a list ordered by time: milliseconds since 1970, and the entry's id."""
Small = Annotated[int, Field(ge=0, lt=1 << 31)]
"""An integer that fits every column of every database."""
