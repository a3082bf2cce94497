"""Notes, and reviews watched together: a link to follow, and the socket that tells followers where the leader is."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from contextlib import suppress

from fastapi import APIRouter, Request, Response, WebSocket
from pydantic import ValidationError
from starlette.websockets import WebSocketDisconnect, WebSocketState

from dasan.sentences import said
from dasan.server.api.asked import IdentitiesHere, Player, StoreHere, limit
from dasan.server.api.study import open_hand
from dasan.server.hub import Connection
from dasan.server.identity import Identities, new_player
from dasan.server.limits import Bucket
from dasan.server.protocol import PlaceShown, ReviewNote, ReviewNotes, SharedReview, error_message
from dasan.server.refusals import STATUS, Refused
from dasan.server.reporting import now, report
from dasan.server.store.reviews import Shared
from dasan.server.together import Together

router = APIRouter()

POLICY_VIOLATION = 1008
PATIENCE = 100


@router.get("/api/hands/{hand_id}/notes")
async def notes(hand_id: str, store: StoreHere, player: Player) -> ReviewNotes:
    """One's own notes of a finished hand."""
    found = [] if player is None else await store.reviews.notes(player, hand_id)
    return ReviewNotes.model_validate({"notes": found})


@router.post("/api/hands/{hand_id}/notes")
async def note(
    hand_id: str,
    wanted: ReviewNote,
    request: Request,
    response: Response,
    store: StoreHere,
    ids: IdentitiesHere,
    player: Player,
) -> ReviewNotes:
    """Keep a note at a move, for oneself."""
    limit(request, "records", player)
    await store.hands.load(hand_id)
    owner = player or new_player()
    await store.reviews.note(owner, hand_id, wanted.seq, wanted.text.strip())
    await ids.remember(request, response, owner)
    return ReviewNotes.model_validate({"notes": await store.reviews.notes(owner, hand_id)})


@router.post("/api/hands/{hand_id}/together", status_code=201)
async def share(
    hand_id: str,
    wanted: PlaceShown,
    request: Request,
    response: Response,
    store: StoreHere,
    ids: IdentitiesHere,
    player: Player,
) -> SharedReview:
    """Lead a review that others watch by its link."""
    limit(request, "joins", player)
    hand = await open_hand(store, hand_id)
    leader = player or new_player()
    place = {"seq": wanted.seq, "moves": wanted.moves, "shown": wanted.shown}
    name = await ids.name(leader) or "Guest"
    shared = Shared(secrets.token_urlsafe(9), hand.id, leader, name, place, 0)
    await store.reviews.share(shared, now())
    await ids.remember(request, response, leader)
    return SharedReview(id=shared.id, path=f"/h/{hand.id}?with={shared.id}")


@router.websocket("/ws/reviews/{shared_id}")
async def follow(websocket: WebSocket, shared_id: str) -> None:
    """A review watched together, live: places come, and from the leader they are taken."""
    state = websocket.app.state
    address = websocket.client.host if websocket.client else ""
    sockets: Counter[str] = state.sockets
    if sockets[address] >= state.settings.sockets_each:
        await websocket.close(POLICY_VIOLATION)
        return
    sockets[address] += 1
    identities: Identities = state.identities
    together: Together = state.together
    try:
        player = await identities.player(websocket)
        await websocket.accept()
        await _serve(websocket, together, shared_id, Connection(state.settings.send_queue, player))
    except WebSocketDisconnect:
        pass
    except Exception as error:
        report("the socket of a shared review failed", error)
    finally:
        sockets[address] -= 1
        if not sockets[address]:
            del sockets[address]


async def _serve(websocket: WebSocket, together: Together, shared_id: str, connection: Connection) -> None:
    settings = websocket.app.state.settings
    try:
        await together.join(shared_id, connection)
    except Refused as refused:
        connection.offer(_error(refused))
        connection.close(4000 + STATUS[refused.code])
    try:
        async with asyncio.TaskGroup() as group:
            reader = group.create_task(_read(websocket, together, shared_id, connection))
            while True:
                item = await connection.next()
                async with asyncio.timeout(settings.send_seconds):
                    if isinstance(item, str):
                        await websocket.send_text(item)
                        continue
                    if websocket.application_state is WebSocketState.CONNECTED:
                        await websocket.close(item)
                reader.cancel()
                return
    except* (WebSocketDisconnect, TimeoutError):
        pass
    finally:
        with suppress(Refused):
            await together.leave(shared_id, connection)


async def _read(websocket: WebSocket, together: Together, shared_id: str, connection: Connection) -> None:
    settings = websocket.app.state.settings
    bucket = Bucket(settings.message_rate, settings.message_burst)
    over = 0
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        if not bucket.take():
            over += 1
            if over > PATIENCE:
                connection.close(POLICY_VIOLATION)
                return
            connection.offer(_error(Refused("too-fast", said("messages"))))
            continue
        try:
            place = PlaceShown.model_validate_json(message.get("text") or "")
            await together.lead(shared_id, connection.player, place)
        except ValidationError:
            connection.offer(_error(Refused("malformed", "that is no place in a review")))
        except Refused as refused:
            connection.offer(_error(refused))


def _error(refused: Refused) -> str:
    return error_message(refused.code, refused.message).wire()
