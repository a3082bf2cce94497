"""G.02 at the edge of the server: no byte sent to a seat names a card that the seat may not see. The cards that a seat
may see are computed here from the log, without `view.py`.
"""

from __future__ import annotations

import io
import json
import logging
import os
import random
import re
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

import dasan
from dasan import bots
from dasan.play.dealing import Deal
from dasan.server.api.hands import _session
from dasan.server.operations import logs
from dasan.server.store.hand import finished
from dasan.server.store.hands import insert_hand
from dasan.server.store.table_rows import opened as opened_room
from dasan.server.tables.room import Room, fold

from .conftest import Opened
from .harness import Json, Player, Serve, Served, Socket
from .rooms import plays

CARD = re.compile(r"(?<![\w-])(?:(?:10|[2-9TJQKA])[DCHS]|BJ|RJ)(?![\w-])")
"""A card as a word. A random id, as `RJ-R_t9678QI`, is one word and no card."""
NOT_CARDS = frozenset({"id", "commitment", "next_commitment", "digest", "title", "name", "engine", "opening_card"})

THE_CLIENTS = frozenset({"websockets", "httpx", "httpcore"})

NAMED = ("3D", "4H", "2S", "5C 5H", "call 8C", "give 2H")

EACH = 5
"""Hands of a session where there are many."""

TABLES = [
    *((name, {}) for name in dasan.PRESETS),
    ("big-three", {"show_hands_after": False}),
    ("big-three-4p", {"show_hands_after": False, "show_played": False}),
    ("big-two", {"show_hands_after": False}),
    ("winner", {"players": 5, "decks": 2, "jokers": True, "show_hands_after": False}),
]


@dataclass
class Sent:
    """One message to a viewer."""

    viewer: int | None
    seq: int
    data: object


def cards_in(data: object) -> Iterator[str]:
    """Every card named anywhere in it."""
    match data:
        case str():
            yield from CARD.findall(data)
        case dict():
            for key, value in data.items():
                if key not in NOT_CARDS:
                    yield from cards_in(value)
        case list():
            for value in data:
                yield from cards_in(value)


def hand_may_show(state: dasan.State, viewer: int | None) -> set[str]:
    """The cards of one hand that a viewer may know."""
    if state.phase == "over" and state.rules.show_hands_after:
        return {str(card) for card in state.rules.pack}
    known = set() if viewer is None else {str(card) for card in state.begun.hands[viewer]}
    for event in state.events:
        match event.type:
            case "kitty":
                seen = event.seat == viewer or state.rules.reveal_kitty
            case "offer":
                assert isinstance(state.begun, Deal)
                seen = viewer is not None and viewer in (state.begun.exchange or ())
            case _:
                seen = True
        if seen:
            known |= {str(card) for card in event.cards}
    if state.phase == "call" and viewer == state.to_act:
        # The cards that may be called are all that the caller does not hold (B4.03), wherever they are.
        known |= {rank + suit for rank in "456789T" for suit in "DCHS"}
    return known


@dataclass
class Truth:
    """The complete state of a table after some entries: its room, and the hands dealt so far."""

    room: Room
    hands: list[dasan.State]


def truths(server: Served, table_id: str) -> list[Truth]:
    """The table after every entry of its log, from a connection of our own."""
    connection = sqlite3.connect(server.settings.data_dir / "dasan.sqlite3")
    connection.row_factory = sqlite3.Row
    row = connection.execute("SELECT * FROM tables WHERE id = ?", [table_id]).fetchone()
    lines = connection.execute("SELECT line, at FROM events WHERE table_id = ? ORDER BY seq", [table_id]).fetchall()
    connection.close()
    as_opened = {name: json.loads(row[name]) for name in ("rules", "settings", "opened")}
    room = opened_room(SimpleNamespace(**{**dict(row), **as_opened, "checkpoint": None}))
    out = [Truth(room, [])]
    hands: list[dasan.State] = []
    for line in lines:
        room = fold(room, json.loads(line["line"]), line["at"])
        if room.state is not None:
            hands = [*hands[: room.number - 1], room.state]
        out.append(Truth(room, hands))
    return out


def may_show(truth: Truth, viewer: int | None) -> set[str]:
    """The cards that a message about the hand at the table may name."""
    if not truth.hands:
        return set()
    drawn = {str(card) for event in truth.room.opening for card in event.cards}
    return hand_may_show(truth.hands[-1], viewer) | (drawn if truth.room.number == 1 else set())


def partner_may_show(state: dasan.State, viewer: int | None) -> bool:
    shown = any(event.type == "partner" for event in state.events)
    return shown or state.phase == "over" or (viewer is not None and viewer == state.partner)


def check(truth: Truth, sent: Sent) -> None:
    leaked = set(cards_in(sent.data)) - may_show(truth, sent.viewer)
    assert not leaked, f"seat {sent.viewer} was told of {leaked} in {json.dumps(sent.data)}"
    view = sent.data.get("view") if isinstance(sent.data, dict) else None
    if view is not None and view.get("partner") is not None:
        assert partner_may_show(truth.hands[-1], sent.viewer)


def record_of(player: Player, table_id: str) -> list[Json]:
    text = player.http.get(f"/api/tables/{table_id}/record").text
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.sampled(1, 3)
@pytest.mark.parametrize(("preset", "options"), TABLES)
def test_nobody_is_told_of_a_card_they_may_not_see(server: Served, preset: str, options: Json) -> None:
    """Two people, bots and a spectator: every byte each of them got is compared with the log."""
    watch_a_session(server, preset, options, 2, random.Random(preset))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("preset", list(dasan.PRESETS))
def test_nobody_is_told_in_hundreds_of_hands(server: Served, preset: str) -> None:
    """The same with other options each time, as far as the game allows them together. HANDS: the number of hands."""
    rng, hands = random.Random(f"many {preset}"), int(os.environ.get("HANDS", "200"))
    for number in range(0, hands, EACH):
        options = some_options(preset, rng) if number else {}
        watch_a_session(server, preset, options, EACH, rng)


def some_options(preset: str, rng: random.Random) -> Json:
    """A few options of the preset that go together."""
    choosable = [option for option in dasan.PRESETS[preset].options if option.choices is not None]
    while True:
        chosen = rng.sample(choosable, min(len(choosable), rng.randrange(4)))
        options = {option.name: rng.choice(option.choices or ()) for option in chosen}
        with suppress(ValueError):
            dasan.rules(preset, **options)
            return options


def watch_a_session(server: Served, preset: str, options: Json, hands: int, rng: random.Random) -> None:
    """Play this many hands of random moves, then compare."""
    people = [server.player(), server.player()]
    guest = server.player()
    players = dasan.rules(preset, **options).players
    seats = ["me", "open", *["random"] * (players - 2)]
    table_id = people[0].open_table(preset, options=options, seats=seats, public=True)
    sent: list[Sent] = []
    refused: list[Sent] = []
    copies: list[tuple[int | None, int, list[Json]]] = []
    with people[0].sit(table_id) as first, guest.sit(table_id) as theirs:
        people[1].http.post(f"/api/tables/{table_id}/join", json={"name": "second"})
        with people[1].sit(table_id) as second:
            mine = [first, second]
            for number in range(1, hands + 1):
                while (seat := whose_turn(mine, number)) is not None:
                    socket = mine[seat]
                    theirs.receive_all()  # a spectator who does not read is dropped
                    if rng.random() < 0.15:
                        seq = socket.table["seq"]
                        watcher: tuple[int | None, Player] = rng.choice([(0, people[0]), (1, people[1]), (None, guest)])
                        copies.append((watcher[0], seq, record_of(watcher[1], table_id)))
                        answer = watcher[1].http.get(f"/api/tables/{table_id}").json()
                        sent.append(Sent(watcher[0], answer["seq"], answer))
                    command_id = f"m{number}-{socket.table['seq']}"
                    socket.send(type="move", id=command_id, move=rng.choice(socket.view["legal_moves"])["move"])
                    assert socket.answer(command_id)["type"] == "ack"
                    # Refusals must not leak either; most of these moves are illegal. One may name a play that a bot
                    # has made since the acknowledgement: the socket gets that play before the refusal.
                    socket.send(type="move", id=f"wrong-{command_id}", move=rng.choice(NAMED))
                    refusal = socket.answer(f"wrong-{command_id}")
                    refused.append(Sent(seat, socket.table["seq"], refusal))
                for viewer, player in ((0, people[0]), (1, people[1]), (None, guest)):
                    copies.append((viewer, first.table["seq"], record_of(player, table_id)))
                for socket in mine if number < hands else ():
                    socket.send(type="next", id=f"next-{number}")
            last = first.table["seq"]
            theirs.until(lambda m: m.get("seq") == last)
            for viewer, socket in ((0, first), (1, second), (None, theirs)):
                sent += [Sent(viewer, m["seq"], m) for m in socket.messages if "seq" in m and m["type"] != "ack"]
    truth = truths(server, table_id)
    for item in sent:
        check(truth[item.seq], item)
    for viewer, seq, copy in copies:
        check_record(truth[seq], viewer, copy)
    named = set(cards_in(list(NAMED)))
    for item in refused:
        assert set(cards_in(item.data)) <= may_show(truth[item.seq], item.viewer) | named, item


def whose_turn(sockets: list[Socket], number: int) -> int | None:
    """The seat of the socket that is to move in hand ``number``; None when it is over."""
    while True:
        for seat, socket in enumerate(sockets):
            view = socket.table["view"]
            if view is None or socket.table["session"]["number"] < number:
                socket.receive()
                break
            if view["to_act"] == seat:
                return seat
        else:
            states = [socket.table for socket in sockets]
            if all(t["view"] and t["session"]["number"] == number and t["view"]["phase"] == "over" for t in states):
                return None
            behind = min(sockets, key=lambda socket: int(socket.table["seq"]))
            behind.receive()


def check_record(truth: Truth, viewer: int | None, copy: list[Json]) -> None:
    """A redacted record, hand by hand: cards, and secrets only of hands that are over and shown."""
    drawn = [line for line in copy if line.get("type") == "draw"]
    known = {card for line in drawn for card in line["cards"]}
    at = -1
    for line in copy:
        if line.get("type") == "deal":
            at += 1
            known = hand_may_show(truth.hands[at], viewer)
        if line.get("type") == "reveal":
            assert truth.hands[at].phase == "over"
            assert truth.hands[at].rules.show_hands_after
            continue
        leaked = set(cards_in(line)) - known
        assert not leaked, f"the record of seat {viewer} tells of {leaked}: {line}"
    assert at == len(truth.hands) - 1


GETS = (
    "/",
    "/t/{table}",
    "/lobby",
    "/health",
    "/ready",
    "/api/lobby",
    "/api/tables",
    "/api/tables/nothing",
    "/api/tables/{table}/hands",
    "/api/tables/{table}/nothing",
    "/api/hands/{table}",
    "/api/hands/{table}/record",
    "/api/me",
    "/api/me/history",
    "/api/me/profile",
    "/api/account/export",
    "/api/rules/{preset}?{table}=1",
)
HOW_TO_WRITE = "like 4H, TS or RJ"
"""The refusal of a text that is not a card, whatever is dealt."""
POSTS: tuple[tuple[str, Json], ...] = (
    ("/api/tables/{table}/commands", {"type": "move", "id": "a", "move": "no move"}),
    ("/api/tables/{table}/commands", {"type": "move", "id": "b", "move": "pass pass"}),
    ("/api/tables/{table}/commands", {"type": "undo", "id": "c"}),
    ("/api/tables/{table}/commands", {"type": "move", "id": 7}),
    ("/api/tables/{table}/join", {"name": "x", "seat": 0}),
    ("/api/tables/{table}/join", {"name": "x", "seat": 99}),
    ("/api/hands/{table}/solve", {"seq": 1, "moves": []}),
    ("/api/hands/{table}/together", {"type": "place", "seq": 1}),
)


@pytest.mark.full
@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_pages_figures_logs_and_errors_name_no_cards(serve: Serve, preset: str, tmp_path: Path) -> None:
    """Every byte of them during a hand, for a player and for a stranger."""
    token, rng, written = "a token of the host's", random.Random(preset), io.StringIO()
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "index.html").write_text("<!doctype html><title>a page</title>")
    got: list[tuple[int | None, int, str, str]] = []
    handler = logs.configure("json", "debug", written)
    try:
        with serve(static_dir=tmp_path / "page", metrics_token=token, log_requests=1, log_level="debug") as server:
            player, stranger = server.player(), server.player()
            players = dasan.rules(preset).players
            table_id = player.open_table(preset, ["random"] * (players - 1), public=True)
            names = {"table": table_id, "preset": preset}
            with player.sit(table_id) as socket:
                for turn in range(10):
                    if not socket.my_turn():
                        break
                    seq = socket.table["seq"]
                    for viewer, who in ((0, player), (None, stranger)) if turn in (0, 4, 9) else ():
                        answers = [who.http.get(path.format(**names)) for path in GETS]
                        answers += [who.http.post(path.format(**names), json=body) for path, body in POSTS]
                        answers.append(who.http.get("/metrics", headers={"authorization": f"Bearer {token}"}))
                        # A refusal names only the cards of the refused move.
                        got += [(viewer, seq, str(answer.url), answer.text) for answer in answers]
                    move = rng.choice(socket.view["legal_moves"])["move"]
                    socket.send(type="move", id=f"m{seq}", move=move)
                    assert socket.answer(f"m{seq}")["type"] == "ack"
            truth = truths(server, table_id)
    finally:
        logging.getLogger().removeHandler(handler)
    assert len(got) > 2 * len(GETS)
    for viewer, seq, url, text in got:
        leaked = set(CARD.findall(text.replace(HOW_TO_WRITE, ""))) - may_show(truth[seq], viewer)
        assert not leaked, f"{url} told {viewer} of {leaked}: {text}"
    assert '"route": "/api/tables/{table_id}/commands"' in written.getvalue()
    assert not CARD.findall(written.getvalue())


@pytest.mark.full
def test_the_log_of_the_process_names_no_cards(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    """Not even when a bot fails with cards in its message."""

    class Loud:
        name = version = "loud"

        def choose(self, view: dasan.View) -> dasan.Move:
            raise RuntimeError(f"what shall I do with {view.hand}?")

    bots.register("loud", lambda seed: Loud())
    try:
        player = server.player()
        table_id = player.open_table("big-three", ["loud", "loud"])
        with caplog.at_level("DEBUG"), player.sit(table_id) as socket:
            while socket.my_turn():
                socket.send(type="move", id=f"m{socket.table['seq']}", move=socket.view["legal_moves"][0]["move"])
                socket.receive()
    finally:
        bots.BOTS.remove("loud")
    ours = "\n".join(r.getMessage() for r in caplog.records if r.name.partition(".")[0] not in THE_CLIENTS)
    assert "bot loud failed" in ours
    assert not CARD.findall(ours)


async def test_a_late_spectators_record_has_no_later_hand_although_older_ones_are_deleted(opened: Opened) -> None:
    store = await opened()
    rooms, _ = plays("big-two", 3)
    late = [room for room in rooms if room.number == 2 and not room.over][-1]
    for number in (2, 3):
        over = next(room for room in rooms if room.number == number and room.over)
        await store.database.write(partial(insert_hand, hand=finished(over)))
    text = "".join([lines async for lines in _session(store, late, None)])
    assert text.count('"type":"deal"') == 1
    assert '"type":"reveal"' not in text
    await store.close()
