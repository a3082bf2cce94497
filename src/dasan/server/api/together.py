"""Notes and shared reviews: a link to follow, and the socket that sends the leader's position to followers."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

from fastapi import Request, Response, WebSocket
from starlette.websockets import WebSocketDisconnect

from dasan.reasons import reason
from dasan.records.lines import record_lines
from dasan.server.api.dependencies import IdentitiesHere, Player, Small, StoreHere, limit
from dasan.server.api.strict import router as strict_router
from dasan.server.api.study import open_hand
from dasan.server.connections.rate_limits import Bucket
from dasan.server.connections.send_queues import Connection
from dasan.server.connections.websocket import PATIENCE, POLICY_VIOLATION, PROBE_EVERY, SIGNED_OUT, Live, admit, send_all
from dasan.server.new_ids import new_id
from dasan.server.operations.reporting import now
from dasan.server.people.identity import Identities, new_player
from dasan.server.protocol.messages import error_message
from dasan.server.protocol.study import PlaceShown, ReviewNote, ReviewNotes, SharedReview
from dasan.server.refusals import STATUS, Refused
from dasan.server.settings import Settings
from dasan.server.store.reviews import Shared
from dasan.server.study.together import Together
from dasan.strict_json import parse

router = strict_router()


@router.get("/api/hands/{hand_id}/notes")
async def notes(hand_id: str, store: StoreHere, player: Player, after: Small = 0) -> ReviewNotes:
    """A page of the player's own notes on a finished hand, beginning after the move ``after``."""
    page, following = ([], None) if player is None else await store.reviews.notes(player, hand_id, after or -1)
    return ReviewNotes.model_validate({"notes": page, "next": following})


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
    """Store a private note at a move of the hand. The answer is that note."""
    limit(request, "records", player)
    hand = await store.hands.load(hand_id, player)
    if wanted.text and wanted.seq not in {line.get("seq") for line in map(json.loads, record_lines(hand.record))}:
        raise Refused("malformed", reason("notes.place"))
    owner = player or new_player()
    if wanted.text.strip() and await store.moderation.muted(owner, now()):
        raise Refused("forbidden", reason("muted"))
    await store.reviews.note(owner, hand_id, wanted.seq, wanted.text.strip())
    await ids.remember(request, response, owner)
    text = wanted.text.strip()
    return ReviewNotes(notes=[ReviewNote(seq=wanted.seq, text=text)] if text else [], next=None)


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
    """Begin a shared review, which others follow by its link."""
    limit(request, "joins", player)
    hand = await open_hand(store, hand_id, player)
    leader = player or new_player()
    place = {"seq": wanted.seq, "moves": wanted.moves, "shown": wanted.shown}
    name = await ids.name(leader) or "Guest"
    shared = Shared(new_id(), hand.id, leader, name, place, 0)
    await store.reviews.share(shared, now())
    await ids.remember(request, response, leader)
    return SharedReview(id=shared.id, path=f"/h/{hand.id}?with={shared.id}")


@router.websocket("/ws/reviews/{shared_id}")
async def follow(websocket: WebSocket, shared_id: str) -> None:
    """The socket of a shared review: the leader sends positions, and followers receive them."""
    await admit(websocket, lambda player: _Follower(websocket, shared_id, player).serve(), "socket of a shared review")


class _Follower:
    """One socket and its tasks: one writes queued messages, one checks the player's sign-in, and one reads."""

    def __init__(self, websocket: WebSocket, shared_id: str, player: str | None) -> None:
        state = websocket.app.state
        self._websocket = websocket
        self._shared_id = shared_id
        self._together: Together = state.together
        self._identities: Identities = state.identities
        self._live: Live = state.live
        self._settings: Settings = state.settings
        self._connection = Connection(self._settings.send_queue, player)
        self._again = asyncio.Event()

    def recheck(self) -> None:
        """Check at once whether the socket's player is still signed in."""
        self._again.set()

    async def serve(self) -> None:
        await self._websocket.accept()
        connection = self._connection
        with self._live.joined(connection.player, self):
            try:
                await self._together.join(self._shared_id, connection)
            except Refused as refused:
                connection.offer(_error(refused))
                connection.close(4000 + STATUS[refused.code])
            try:
                async with asyncio.TaskGroup() as group:
                    tasks = [group.create_task(self._read()), group.create_task(self._watch())]
                    await send_all(self._websocket, connection, self._settings.send_seconds)
                    for task in tasks:
                        task.cancel()
            except* WebSocketDisconnect:
                pass
            finally:
                self._together.leave(self._shared_id, connection)

    async def _watch(self) -> None:
        while not await self._identities.left(self._websocket, self._connection.player):
            with suppress(TimeoutError):
                async with asyncio.timeout(PROBE_EVERY):
                    await self._again.wait()
            self._again.clear()
        self._connection.close(SIGNED_OUT)

    async def _read(self) -> None:
        bucket = Bucket(self._settings.message_rate, self._settings.message_burst)
        over = 0
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                raise WebSocketDisconnect(message.get("code", 1000))
            if not bucket.take():
                over += 1
                if over > PATIENCE:
                    self._connection.close(POLICY_VIOLATION)
                    return
                self._connection.offer(_error(Refused("too-fast", reason("messages"))))
                continue
            over = 0
            try:
                place = PlaceShown.model_validate(parse(message.get("text") or ""))
                await self._together.lead(self._shared_id, self._connection.player, place)
            except ValueError:
                self._connection.offer(_error(Refused("malformed", "that is no place in a review")))
            except Refused as refused:
                self._connection.offer(_error(refused))


def _error(refused: Refused) -> str:
    return error_message(refused.code, refused.message).wire()
