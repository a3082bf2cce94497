"""Notes and shared reviews: a link to follow, and the socket that sends the leader's position to followers."""

from __future__ import annotations

import json

from fastapi import Request, Response, WebSocket

from dasan.reasons import reason
from dasan.records.lines import record_lines
from dasan.server.api.dependencies import IdentitiesHere, Player, Small, StoreHere
from dasan.server.api.strict import router as strict_router
from dasan.server.api.study import shown_hand
from dasan.server.connections.rate_limits import limit
from dasan.server.connections.send_queues import Connection
from dasan.server.connections.websocket import SocketClient, admit
from dasan.server.new_ids import new_id
from dasan.server.people.identity import new_player
from dasan.server.people.reserved_names import GUEST
from dasan.server.protocol.study import PlaceShown, ReviewNote, ReviewNotes, SharedReview
from dasan.server.refusals import Refused
from dasan.server.store.damage import intact
from dasan.server.store.reviews import Shared
from dasan.server.study.together import Together
from dasan.server.times import now
from dasan.strict_json import parse

router = strict_router()


@router.get("/api/hands/{hand_id}/notes")
async def notes(hand_id: str, store: StoreHere, player: Player, after: Small = 0) -> ReviewNotes:
    """A page of the player's own notes on a finished hand, beginning after the move ``after``."""
    if player is None:
        return ReviewNotes(notes=[], next=None)
    return await store.reviews.notes(player, hand_id, after or -1)


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
    if wanted.text:
        with intact("hand", hand.id):
            moves = {line.get("seq") for line in map(json.loads, record_lines(hand.record))}
        if wanted.seq not in moves:
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
    hand = await shown_hand(store, hand_id, player)
    leader = player or new_player()
    place = {"seq": wanted.seq, "moves": wanted.moves, "shown": wanted.shown}
    name = await ids.name(leader) or GUEST
    shared = Shared(new_id(), hand.id, leader, name, place, 0)
    await store.reviews.share(shared, now())
    await ids.remember(request, response, leader)
    return SharedReview(id=shared.id, path=f"/h/{hand.id}?with={shared.id}")


@router.websocket("/ws/reviews/{shared_id}")
async def follow(websocket: WebSocket, shared_id: str) -> None:
    """The socket of a shared review: the leader sends positions, and followers receive them."""
    await admit(websocket, lambda player: _Follower(websocket, shared_id, player).serve(), "socket of a shared review")


class _Follower(SocketClient):
    """A socket of a shared review."""

    def __init__(self, websocket: WebSocket, shared_id: str, player: str | None) -> None:
        state = websocket.app.state
        super().__init__(websocket, Connection(state.settings.send_queue, player))
        self._shared_id = shared_id
        self._together: Together = state.together

    async def join(self) -> None:
        await self._together.join(self._shared_id, self._connection)

    async def leave(self) -> None:
        self._together.leave(self._shared_id, self._connection)

    def probe(self) -> None:
        """Nothing: a shared review has no clocks, so its delay does not matter."""

    async def handle(self, text: str | None) -> None:
        """Move the leader's place."""
        try:
            place = PlaceShown.model_validate(parse(text or ""))
            await self._together.lead(self._shared_id, self._connection.player, place)
        except ValueError:
            self.refuse(Refused("malformed", "that is not a place in a review"))
        except Refused as refused:
            self.refuse(refused)
