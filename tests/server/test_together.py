"""Reviews watched together: the leader's place reaches all followers, in every process, and nobody else leads."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

import dasan.server.study.together as together
from dasan.server.connections.send_queues import Connection
from dasan.server.protocol.moderation import BanNetwork
from dasan.server.protocol.study import PlaceShown
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.hand import FinishedHand
from dasan.server.store.hand import Player as Seated
from dasan.server.store.hands import insert_hand
from dasan.server.store.moderation import HOST
from dasan.server.store.reviews import Shared
from dasan.server.study.together import Together
from dasan.server.times import now

from .harness import SECONDS, Json, Player, Serve, Served, Socket, ban, closed_with, from_outside, my_id
from .local_bus import LocalBus

pytestmark = pytest.mark.full


def place(seq: int | None, **more: object) -> Json:
    return {"type": "place", "seq": seq, **more}


HAND = FinishedHand(
    "h", "t", 1, "big-two", 0, True, False, {}, [], "", (Seated(0, "", None, "random", "player", 0, False),)
)


async def keep_hand(store: Store) -> None:
    await store.database.write(lambda connection: insert_hand(connection, HAND))


def shared_review(server: Served, player: Player) -> str:
    """Lead a review of a hand: its id."""
    from_outside(server, keep_hand)
    answer = player.http.post("/api/hands/h/together", json=place(None))
    assert answer.status_code == 201, answer.text
    shared_id: str = answer.json()["id"]
    return shared_id


@contextmanager
def following(player: Player, shared_id: str) -> Iterator[Socket]:
    with player.connect(shared_id, what="reviews") as socket:
        yield socket


def test_a_review_has_a_limited_number_of_followers(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "MOST_FOLLOWERS", 1)
    ann, bo = server.player(), server.player()
    shared_id = shared_review(server, ann)
    with following(ann, shared_id) as leader:
        assert leader.receive()["lead"]
        with following(bo, shared_id) as follower:
            assert follower.receive()["code"] == "unavailable"


def test_followers_see_where_the_leader_is_and_do_not_lead(server: Served) -> None:
    ann, bo = server.player(), server.player()
    shared_id = shared_review(server, ann)
    with following(ann, shared_id) as leader, following(bo, shared_id) as follower:
        first = follower.receive()
        assert (first["seq"], first["lead"], first["revision"]) == (None, False, 0)
        assert leader.receive()["lead"]
        leader.send(**place(7, shown=True))
        answer = follower.receive()
        assert (answer["seq"], answer["shown"], answer["revision"]) == (7, True, 1)
        follower.send(**place(9))
        assert follower.receive()["code"] == "forbidden"
        follower.send(type="place", seq="nine")
        assert follower.receive()["code"] == "malformed"
        with following(server.player(), shared_id) as late:
            assert late.receive()["seq"] == 7
    with following(bo, "nothing") as nobody:
        assert nobody.receive()["code"] == "not-found"
        assert closed_with(nobody) == 4404


def test_a_leader_who_is_signed_out_or_banned_leads_no_more(server: Served) -> None:
    ann, bo = server.player(), server.player()
    shared_id = shared_review(server, ann)
    one = my_id(ann)
    with following(ann, shared_id) as leader, following(bo, shared_id) as follower:
        leader.receive()
        from_outside(server, lambda store: ban(store, one))
        begun = time.monotonic()
        assert closed_with(leader) == 4403
        assert time.monotonic() - begun < SECONDS / 2
        with following(ann, shared_id) as again:
            assert closed_with(again) == 4403
        assert follower.receive()["seq"] is None


def test_a_banned_network_leads_and_follows_no_more(server: Served) -> None:
    ann = server.player()
    shared_id = shared_review(server, ann)
    ours = BanNetwork(type="ban-network", network="127.0.0.0/8", days=1)
    with following(ann, shared_id) as leader:
        leader.receive()
        from_outside(server, lambda store: store.moderation.carry_out(ours, HOST, now()))
        assert closed_with(leader) == 4403


def test_a_socket_that_floods_is_closed(serve: Serve) -> None:
    with serve(message_rate=1.0, message_burst=100) as server:
        shared_id = shared_review(server, server.player())
        with following(server.player(), shared_id) as socket:
            with suppress(ConnectionClosed):
                for _ in range(300):
                    socket.send(type="place")
            assert closed_with(socket) == 1008


def test_a_place_with_too_much_text_is_refused(server: Served) -> None:
    """One of 32,000 characters filled the queues of all followers."""
    ann = server.player()
    shared_id = shared_review(server, ann)
    answer = ann.http.post("/api/hands/h/together", json=place(3, moves=["x" * 500] * 64))
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
    with following(ann, shared_id) as leader:
        leader.receive()
        leader.send(**place(3, moves=["x" * 500] * 64))
        assert leader.receive()["code"] == "malformed"
        leader.send(**place(3, moves=["3D 3C"] * 64))
        assert leader.receive()["moves"] == ["3D 3C"] * 64


async def test_followers_share_one_text(tmp_path: Path) -> None:
    store = await Store.open(tmp_path)
    await keep_hand(store)
    await store.reviews.share(Shared("s", "h", "ann", "Ann", {"seq": None, "moves": [], "shown": False}, 0), 0)
    reviews = Together(store, None)
    followers = [Connection(8, f"p{n}") for n in range(3)]
    for follower in followers:
        await reviews.join("s", follower)
        await follower.next()
    await reviews.lead("s", "ann", PlaceShown(type="place", seq=3))
    first, *others = [await follower.next() for follower in followers]
    assert all(other is first for other in others)
    await store.close()


class Deaf(LocalBus):
    """A bus that receives nothing from others."""

    async def subscribe(self, subject: str, listener: object) -> Callable[[], Awaitable[None]]:
        return await super().subscribe("nothing", lambda _: None)


@pytest.mark.parametrize("bus", [LocalBus, Deaf])
async def test_a_leader_in_another_process_is_followed(
    bus: type[LocalBus], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once if the bus delivers, and through the store if it does not."""
    monkeypatch.setattr(together, "LOOK_AGAIN", 600 if bus is LocalBus else 0.1)
    store = await Store.open(tmp_path)
    await keep_hand(store)
    await store.reviews.share(Shared("s", "h", "ann", "Ann", {"seq": None, "moves": [], "shown": False}, 0), 0)
    first = LocalBus()
    here, there = Together(store, first), Together(store, bus(first))
    running = [asyncio.create_task(one.run()) for one in (here, there)]
    await asyncio.sleep(0)
    followers = [Connection(8, f"p{n}") for n in range(3)]
    await asyncio.gather(*(there.join("s", follower) for follower in followers))
    there.leave("s", followers.pop())
    for seq in (3, 4):
        await here.lead("s", "ann", PlaceShown(type="place", seq=seq))
        for follower in followers:
            async with asyncio.timeout(SECONDS):
                while json.loads(str(await follower.next()))["seq"] != seq:
                    pass
    with pytest.raises(Refused, match="only the leader"):
        await here.lead("s", "bo", PlaceShown(type="place", seq=5))
    await store.people.delete("ann", 0)
    for follower in followers:
        if bus is LocalBus:
            first._listeners[together.SUBJECT][-1][1](b"s")
        async with asyncio.timeout(SECONDS):
            assert await follower.next() == 4404
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await store.close()
