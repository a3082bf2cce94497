"""G.02 at the rim: nothing that ever left the server for a seat names a card that seat may not see.

What a seat may see is worked out here from the whole truth, the log's, with nothing of `view.py`.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import dasan
from dasan import bots
from dasan.play.dealing import Deal
from dasan.server.rooms import Head, Room

from .harness import Json, Player, Served

CARD = re.compile(r"(?<![A-Za-z0-9])(?:(?:10|[2-9TJQKA])[DCHS]|BJ|RJ)(?![A-Za-z0-9])")
NOT_CARDS = frozenset({"id", "commitment", "next_commitment", "digest", "title", "name", "engine"})

THE_CLIENTS = frozenset({"websockets", "httpx", "httpcore"})

NAMED = ("3D", "4H", "2S", "5C 5H", "call 8C", "give 2H")

TABLES: list[tuple[str, Json]] = [
    *((name, {}) for name in dasan.PRESETS),
    ("big-three", {"show_hands_after": False}),
    ("big-three-4p", {"show_hands_after": False, "show_played": False}),
    ("big-two", {"show_hands_after": False}),
    ("winner", {"players": 5, "decks": 2, "jokers": True, "show_hands_after": False}),
]


@dataclass
class Sent:
    """One thing a viewer got."""

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


def may_show(room: Room, viewer: int | None) -> set[str]:
    """The cards that a message about the hand at the table may name."""
    drawn = {str(card) for event in room.session.opening for card in event.cards}
    return hand_may_show(room.session.state, viewer) | (drawn if room.session.number == 1 else set())


def partner_may_show(state: dasan.State, viewer: int | None) -> bool:
    shown = any(event.type == "partner" for event in state.events)
    return shown or state.phase == "over" or (viewer is not None and viewer == state.partner)


def check(room: Room, sent: Sent) -> None:
    leaked = set(cards_in(sent.data)) - may_show(room, sent.viewer)
    assert not leaked, f"seat {sent.viewer} was told of {leaked} in {json.dumps(sent.data)}"
    if isinstance(sent.data, dict) and sent.data.get("view", {}).get("partner") is not None:
        assert partner_may_show(room.session.state, sent.viewer)


def records(player: Player, table_id: str, viewer: int | None, seq: int) -> tuple[int | None, int, list[Json]]:
    text = player.http.get(f"/api/tables/{table_id}/record").text
    return viewer, seq, [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(("preset", "options"), TABLES)
def test_nobody_is_told_of_a_card_they_may_not_see(server: Served, preset: str, options: Json) -> None:
    player, guest = server.player(), server.player()
    rules = dasan.rules(preset, **options)
    table_id = player.open_table(preset, ["random"] * (rules.players - 1), options=options, public=True)
    sent: list[Sent] = []
    refused: list[Sent] = []
    copies: list[tuple[int | None, int, list[Json]]] = []
    rng = random.Random(preset)
    with player.sit(table_id) as mine, guest.sit(table_id) as theirs:
        for number in (1, 2):
            while mine.my_turn():
                if rng.random() < 0.2:
                    seq = mine.table["seq"]
                    copies.append(records(player, table_id, 0, seq))
                    copies.append(records(guest, table_id, None, seq))
                    sent.append(Sent(0, seq, player.http.get(f"/api/tables/{table_id}").json()))
                    sent.append(Sent(None, seq, guest.http.get(f"/api/tables/{table_id}").json()))
                command_id = f"m{mine.table['seq']}"
                mine.send(type="move", id=command_id, move=rng.choice(mine.view["legal_moves"])["move"])
                assert mine.answer(command_id)["type"] == "ack"
                # Refusals must not tell either; most of these moves are not allowed.
                mine.send(type="move", id=f"wrong-{command_id}", move=rng.choice(NAMED))
                answer = mine.answer(f"wrong-{command_id}")
                refused.append(Sent(0, mine.table["seq"], answer))
            copies.append(records(player, table_id, 0, mine.table["seq"]))
            copies.append(records(guest, table_id, None, mine.table["seq"]))
            if number == 1:
                mine.send(type="next", id="next")
                mine.until(lambda m: m["type"] == "snapshot")
        theirs.until(lambda m: m.get("seq") == mine.table["seq"])
        for viewer, socket in ((0, mine), (None, theirs)):
            sent += [Sent(viewer, m["seq"], m) for m in socket.messages if m["type"] in ("snapshot", "update")]

    lines, whole = log_of(server, table_id)
    rooms: dict[int, Room] = {}
    for item in sent:
        if item.seq not in rooms:
            rooms[item.seq] = Room.restore(whole, lines[: item.seq], {})
        check(rooms[item.seq], item)
    for viewer, seq, copy in copies:
        check_record(Room.restore(whole, lines[:seq], {}), viewer, copy)
    named = set(cards_in(list(NAMED)))
    for item in refused:
        room = Room.restore(whole, lines[: item.seq], {})
        assert set(cards_in(item.data)) <= may_show(room, 0) | named, item


def log_of(server: Served, table_id: str) -> tuple[tuple[str, ...], Head]:
    """The whole log, from a connection of our own."""
    connection = sqlite3.connect(server.settings.data_dir / "dasan.sqlite3")
    lines = connection.execute("SELECT line FROM events WHERE table_id = ? ORDER BY seq", [table_id]).fetchall()
    (seed,) = connection.execute("SELECT seed FROM tables WHERE id = ?", [table_id]).fetchone()
    connection.close()
    return tuple(line for (line,) in lines), Head(table_id, (), public=True, seed=seed)


def check_record(room: Room, viewer: int | None, copy: list[Json]) -> None:
    """A redacted record, hand by hand: cards, and secrets only of hands that are over and shown."""
    states = [*room.session.past, room.session.state]
    known = {str(card) for event in room.session.opening for card in event.cards}
    at = -1
    for line in copy:
        if line.get("type") == "deal":
            at += 1
            known = hand_may_show(states[at], viewer)
        if line.get("type") == "reveal":
            assert states[at].phase == "over"
            assert states[at].rules.show_hands_after
            continue
        leaked = set(cards_in(line)) - known
        assert not leaked, f"the record of seat {viewer} tells of {leaked}: {line}"
    assert at == len(states) - 1


def test_the_log_of_the_process_names_no_cards(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    """Not even when a bot fails with cards in its words."""

    class Loud:
        name = version = "loud"

        def choose(self, view: dasan.View) -> dasan.Move:
            raise RuntimeError(f"what shall I do with {view.hand}?")

    bots.BOTS["loud"] = lambda seed: Loud()
    try:
        player = server.player()
        table_id = player.open_table("big-three", ["loud", "loud"])
        with caplog.at_level("DEBUG"), player.sit(table_id) as socket:
            while socket.my_turn():
                socket.send(type="move", id=f"m{socket.table['seq']}", move=socket.view["legal_moves"][0]["move"])
                socket.receive()
    finally:
        del bots.BOTS["loud"]
    ours = "\n".join(r.getMessage() for r in caplog.records if r.name.partition(".")[0] not in THE_CLIENTS)
    assert "made no legal move" in ours
    assert not CARD.findall(ours)
