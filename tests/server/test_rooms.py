"""The room is a value: every command either makes the next one or changes nothing."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

import dasan
from dasan.server.compact import compact
from dasan.server.protocol.commands import (
    AnswerCommand,
    ChatCommand,
    ContributeCommand,
    LeaveCommand,
    LockCommand,
    MoveCommand,
    NextCommand,
    OfferCommand,
    ReadyCommand,
    RematchCommand,
    RemoveCommand,
    ReturnCommand,
    RoomCommand,
    SeatBotCommand,
    SilenceCommand,
    SitCommand,
    StartCommand,
    TakeBackCommand,
)
from dasan.server.protocol.messages import ServerMessage
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Refused
from dasan.server.tables import showing
from dasan.server.tables.chairs import ALIKE, NAMES, OPEN, Chair, Head, bot_chairs, called
from dasan.server.tables.checkpoints import checkpoint, restore
from dasan.server.tables.decisions import bot_move, by_itself, deal, decide, substitute
from dasan.server.tables.room import Entry, Room, fold
from dasan.server.tables.showing import Mark

from .harness import Json

ROOT = Path(__file__).parents[2]
MESSAGES: TypeAdapter[object] = TypeAdapter(ServerMessage)
TABLE_PARTS: tuple[str, ...] = ("seq", "session", "table", "clocks")
NOBODY: Json = {"presence": [], "watching": 0}


def room_of(preset: str | dasan.Rules, seated: list[str], *, seed: bytes = bytes(range(128)), **settings: Any) -> Room:
    """A room: ``p0``, ``p1`` … are people, ``open`` is an open seat, and every other word is the name of a bot."""
    rules = dasan.rules(preset) if isinstance(preset, str) else preset
    bots = bot_chairs([None if word == "open" or word.startswith("p") else word for word in seated], "table")
    chairs = tuple(
        bot or (OPEN if word == "open" else Chair("human", word.upper(), player=word))
        for bot, word in zip(bots, seated, strict=True)
    )
    head = Head("table", rules, TableSettings.model_validate(settings), seed)
    return Room.create(head, chairs, "p0", at=1000)


def test_bots_have_names_of_their_own() -> None:
    """Each bot at a table has a different name, even if all are of one grade. Every language has all names, and the
    page has all the faces that the server names.
    """
    for table in "a", "fixed", "c7":
        bots = [f"level-{grade}" for grade in (5, 5, 5, 5, 6, 2, 4, 8)]
        names = [chair.name for chair in bot_chairs(bots, table) if chair]
        assert len(set(names)) == 8
        faces = {*(ALIKE[bot] for bot in bots), *(NAMES.index(name) for name in names if name in NAMES)}
        assert len(faces) == 8
    for path in sorted((ROOT / "web" / "src" / "i18n").glob("*.json")):
        words = json.loads(path.read_text(encoding="utf-8"))
        names_in_words = [words[f"bot.name.{i}"] for i in range(len(NAMES))] + [words[f"bot.{bot}"] for bot in ALIKE]
        assert len(set(names_in_words)) == len(names_in_words)
        assert path.stem != "en" or names_in_words == [*NAMES, *(called(bot) for bot in ALIKE)]
    drawn = re.findall(r"'(level-\d)': (\d+)", (ROOT / "web" / "src" / "i18n" / "bots.ts").read_text(encoding="utf-8"))
    assert {bot: int(face) for bot, face in drawn} == ALIKE


def everybody(room: Room) -> frozenset[int]:
    return frozenset(room.humans)


def settle(room: Room, at: int, log: list[tuple[Entry, int]] | None = None) -> Room:
    """The room after every entry that needs no command."""
    while (entry := by_itself(room, at, everybody(room))) is not None:
        room = fold(room, entry, at)
        if log is not None:
            log.append((entry, at))
    return room


def done(room: Room, player: str, command: RoomCommand, at: int = 0) -> Room:
    return settle(fold(room, decide(room, player, command), at or room.at), at or room.at)


def move(room: Room, text: str = "") -> MoveCommand:
    assert room.state is not None
    return MoveCommand(type="move", id="m", move=text or str(room.state.legal_moves()[0]))


def plays(preset: str | dasan.Rules, hands: int, **settings: Any) -> tuple[list[Room], list[tuple[Entry, int]]]:
    """Every room of a random session of people, with its log."""
    rules = dasan.rules(preset) if isinstance(preset, str) else preset
    room = room_of(rules, [f"p{seat}" for seat in range(rules.players)], **settings)
    log: list[tuple[Entry, int]] = []
    rng, rooms, at = random.Random(rules.name), [room], 1000

    def add(entry: Entry) -> None:
        nonlocal room
        log.append((entry, at))
        room = fold(room, entry, at)
        rooms.append(room)

    while room.number < hands or not room.over:
        at += rng.randrange(3000)
        here = everybody(room)
        if (entry := by_itself(room, at, here)) is not None:
            add(entry)
        elif room.over:
            missing = min(set(room.humans) - room.votes)
            add(decide(room, f"p{missing}", NextCommand(type="next", id="n")))
        elif room.seq % 7 == 0 and 1 not in room.contributions:
            add(decide(room, "p1", ContributeCommand(type="contribute", id="c", text="七 7")))
        elif room.seq % 11 == 0:
            add(decide(room, "p0", ChatCommand(type="chat", id="h", text="hello 大三")))
        else:
            assert room.state is not None
            assert room.to_act is not None
            text = str(rng.choice(room.state.legal_moves()))
            if room.chairs[room.to_act].plays is not None:
                add(bot_move(room, room.to_act, text))
            else:
                add(decide(room, f"p{room.to_act}", MoveCommand(type="move", id="m", move=text), lag=5))
    return rooms, log


@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_the_log_makes_every_room_again(preset: str) -> None:
    """State = fold(log), from the beginning and from the checkpoint of the hand, and both continue alike."""
    rooms, log = plays(preset, 2, speed={"kind": "clock", "seconds": 900, "increment": 5})
    again, since = rooms[0], rooms[0]
    for (entry, at), room in zip(log, rooms[1:], strict=True):
        again, since = fold(again, entry, at), fold(since, entry, at)
        assert again == room
        assert since == room
        if entry["type"] == "deal":
            since = restore(room.head, checkpoint(room))
            assert since == room
    last = rooms[-1]
    assert last.state is not None
    assert again.state is not None
    assert again.state.record() == last.state.record()
    assert sum(last.balances) == last.head.rules.stake_chips * last.head.rules.players
    assert [result.payments for result in last.results][-1] == list(last.state.result.payments)  # type: ignore[union-attr]


@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_what_is_sent_folds_into_the_snapshot_and_fits_the_schema(preset: str) -> None:
    rooms, log = plays(preset, 1, speed={"kind": "move", "seconds": 30})
    for viewer in (None, 0):
        seen: Json = showing.snapshot(rooms[0], viewer, 0, NOBODY)
        marks = [Mark.of(rooms[0])]
        for (before, room), (entry, _) in zip(pairwise(rooms), log, strict=True):
            message = showing.changed(room, before, entry["type"], viewer, 0, lambda: NOBODY)
            MESSAGES.validate_json(compact(message))
            seen = told(seen, message)
            whole = showing.snapshot(room, viewer, 0, NOBODY)
            assert {**seen, "chat": []} == {**whole, "chat": []}
            marks.append(Mark.of(room))
        for mark, room in list(zip(marks, rooms, strict=True))[::5]:
            late = showing.snapshot(room, viewer, 0, NOBODY)
            target = rooms[min(len(rooms) - 1, rooms.index(room) + 3)]
            for message in showing.missed(target, mark, viewer, 0, NOBODY):
                MESSAGES.validate_json(compact(message))
                late = told(late, message)
            whole = showing.snapshot(target, viewer, 0, NOBODY)
            assert late["seq"] == target.seq
            assert {key: late[key] for key in ("table", "session", "view")} == {
                key: whole[key] for key in ("table", "session", "view")
            }


def told(seen: Json, message: Json) -> Json:
    """A client's state after one more message."""
    match message["type"]:
        case "snapshot":
            return message
        case "update":
            events = seen["view"]["events"] + message["events"]
            parts = {key: message[key] for key in TABLE_PARTS if key in message}
            return {**seen, **parts, "view": {**message["view"], "events": events}}
        case "table":
            return seen | {key: message[key] for key in TABLE_PARTS}
        case "chat":
            return {**seen, "seq": message["seq"]}
        case _:
            return seen


def test_a_table_fills_and_starts() -> None:
    room = room_of("big-three", ["p0", "open", "greedy"])
    assert by_itself(room, 0, everybody(room)) is None
    room = done(room, "p1", SitCommand(type="sit", id="s", name=" Bo  b "))
    assert (room.status, room.number) == ("playing", 1)
    assert room.chairs[1].name == "Bo b"
    with pytest.raises(Refused):
        decide(room, "p2", SitCommand(type="sit", id="s"))


def test_the_host_arranges_the_table() -> None:
    room = room_of("big-two", ["p0", "open", "open", "open"], start="ready")
    room = done(room, "p1", SitCommand(type="sit", id="s", seat=3))
    room = done(room, "p1", SitCommand(type="sit", id="s", seat=2))
    assert [chair.kind for chair in room.chairs] == ["human", "open", "human", "open"]
    for command in (
        LockCommand(type="lock", id="l", locked=True),
        SeatBotCommand(type="seat-bot", id="b", seat=1, bot="greedy"),
        RemoveCommand(type="remove", id="r", seat=0),
        StartCommand(type="start", id="s"),
        SilenceCommand(type="silence", id="s", seat=0, silent=True),
    ):
        with pytest.raises(Refused, match="only the host"):
            decide(room, "p1", command)
    room = done(room, "p0", LockCommand(type="lock", id="l", locked=True))
    with pytest.raises(Refused, match="locked"):
        decide(room, "p2", SitCommand(type="sit", id="s"))
    room = done(room, "p0", SeatBotCommand(type="seat-bot", id="b", seat=1, bot="greedy"))
    room = done(room, "p0", SeatBotCommand(type="seat-bot", id="b", seat=3, bot="greedy"))
    assert [chair.name for chair in room.chairs] == ["P0", "Uncle Bo", "Guest 4", "Old Wang"]
    room = done(room, "p0", SeatBotCommand(type="seat-bot", id="b", seat=3, bot=None))
    room = done(room, "p0", ReadyCommand(type="ready", id="r", ready=True))
    with pytest.raises(Refused, match="not ready"):
        decide(room, "p0", StartCommand(type="start", id="s"))
    room = done(room, "p1", ReadyCommand(type="ready", id="r", ready=True))
    assert room.status == "waiting"
    room = done(room, "p0", StartCommand(type="start", id="s"))
    assert (room.status, room.chairs[3].bot) == ("playing", "greedy")
    for late in (RemoveCommand(type="remove", id="r", seat=2), LockCommand(type="lock", id="l", locked=False)):
        with pytest.raises(Refused, match="already been dealt"):
            decide(room, "p0", late)


def test_a_removed_player_is_gone_and_a_leaving_host_is_followed() -> None:
    room = room_of("big-three", ["p0", "open", "open"])
    room = done(room, "p1", SitCommand(type="sit", id="s"))
    removed = done(room, "p0", RemoveCommand(type="remove", id="r", seat=1))
    assert removed.seat_of("p1") is None
    left = done(room, "p0", LeaveCommand(type="leave", id="l"))
    assert (left.seat_of("p0"), left.host) == (None, "p1")


def test_leaving_in_the_middle_and_coming_back() -> None:
    room = settle(room_of("big-three", ["p0", "p1", "p2"]), 1000)
    room = done(room, "p1", LeaveCommand(type="leave", id="l"))
    assert room.chairs[1].plays == "greedy"
    with pytest.raises(Refused, match="take it back"):
        decide(room, "p1", move(room))
    room = done(room, "p1", ReturnCommand(type="return", id="r"))
    assert room.chairs[1].plays is None
    with pytest.raises(Refused):
        decide(room, "p1", ReturnCommand(type="return", id="r"))


def test_the_next_hand_waits_for_all_who_are_here() -> None:
    rooms, _ = plays("big-two", 1, next_seconds=30)
    room = rooms[-1]
    room = fold(room, decide(room, "p0", NextCommand(type="next", id="n")), room.at)
    assert by_itself(room, room.at, frozenset({0, 1})) is None
    assert by_itself(room, room.at, frozenset({0})) is not None
    assert room.next_at == room.at + 30_000
    assert by_itself(room, room.at + 30_000, frozenset({1})) is not None
    assert by_itself(room, room.at + 30_000, frozenset()) is None


def test_time_runs_out_and_a_bot_plays_on() -> None:
    room = settle(room_of("big-three", ["p0", "p1", "p2"], speed={"kind": "move", "seconds": 10}), 1000)
    assert room.deadline == 1000 + 5000 + 10_000
    late = by_itself(room, room.deadline, everybody(room))
    assert late is not None
    assert (late["type"], late["seat"], late["reason"]) == ("substitute", room.to_act, "time")
    after = fold(room, late, room.deadline)
    assert after.bot_to_act is not None
    assert after.deadline is None


def test_an_increment_is_added_and_lag_forgiven() -> None:
    pace = {"kind": "clock", "seconds": 60, "increment": 3}
    room = settle(room_of("big-three", ["p0", "p1", "p2"], speed=pace), 1000)
    seat = room.to_act
    assert seat is not None
    moved = fold(room, decide(room, f"p{seat}", move(room), lag=400), 1000 + 5000 + 2400)
    assert moved.clock.left[seat] == 60_000 - 2000 + 3000


def test_offers_are_carried_out_when_all_accept() -> None:
    room = settle(room_of("big-three", ["p0", "p1", "p2"]), 1000)
    first = room.to_act
    assert first is not None
    room = done(room, f"p{first}", move(room))
    moved = done(room, f"p{room.to_act}", move(room))
    offered = done(moved, f"p{first}", OfferCommand(type="offer", id="o", offer="undo"))
    with pytest.raises(Refused, match="another offer"):
        decide(offered, "p0", OfferCommand(type="offer", id="o", offer="end"))
    declined = done(offered, f"p{(first + 1) % 3}", AnswerCommand(type="answer", id="a", accept=False))
    assert declined.offer is None
    accepted = done(offered, f"p{(first + 1) % 3}", AnswerCommand(type="answer", id="a", accept=True))
    assert len(accepted.moves) == 2
    accepted = done(accepted, f"p{(first + 2) % 3}", AnswerCommand(type="answer", id="a", accept=True))
    assert (len(accepted.moves), accepted.to_act, accepted.offer) == (0, first, None)
    ended = done(room, "p0", OfferCommand(type="offer", id="o", offer="end"))
    for player in ("p1", "p2"):
        ended = done(ended, player, AnswerCommand(type="answer", id="a", accept=True))
    assert ended.status == "ended"
    with pytest.raises(Refused, match="ended"):
        decide(ended, f"p{first}", move(room))
    for player in ("p0", "p1", "p2"):
        ended = fold(ended, decide(ended, player, RematchCommand(type="rematch", id="r")), ended.at)
    entry = by_itself(ended, ended.at, everybody(ended))
    assert entry == {"type": "rematch", "table": ended.head.rematch, "seats": [0, 1, 2]}
    entry = by_itself(ended, ended.at, frozenset({0, 2}), gone=frozenset({1}))
    assert entry == {"type": "rematch", "table": ended.head.rematch, "seats": [0, 2]}
    assert by_itself(ended, ended.at, frozenset(), gone=everybody(ended)) is None


def test_moves_are_taken_back_against_bots_alone() -> None:
    room = settle(room_of("big-three", ["p0", "greedy", "greedy"], rated=True), 1000)
    while room.to_act != 0:
        assert room.to_act is not None
        room = fold(room, bot_move(room, room.to_act, str(move(room).move)), room.at)
    before = room
    room = fold(room, decide(room, "p0", move(room)), room.at)
    while room.to_act != 0:
        assert room.to_act is not None
        room = fold(room, bot_move(room, room.to_act, str(move(room).move)), room.at)
    back = done(room, "p0", TakeBackCommand(type="take-back", id="t"))
    assert back.state == before.state
    assert back.taken_back
    assert showing.table_info(back, 0)["casual"] == "taken-back"
    people = settle(room_of("big-three", ["p0", "p1", "greedy"]), 1000)
    with pytest.raises(Refused, match="offer to undo"):
        decide(people, "p0", TakeBackCommand(type="take-back", id="t"))


def test_chat_is_cleaned_filtered_and_taken_away() -> None:
    room = room_of("big-three", ["p0", "open", "open"], words=["Spam"])
    room = done(room, "p1", SitCommand(type="sit", id="s"))
    room = done(room, "p1", ChatCommand(type="chat", id="c", text=" hi\x07\u202e there\n"))
    assert room.chat[-1].text == "hi there"
    with pytest.raises(ValueError, match="no NUL"):
        ChatCommand(type="chat", id="c", text="hi\x00")
    with pytest.raises(Refused, match="word"):
        decide(room, "p1", ChatCommand(type="chat", id="c", text="buy my sPaM"))
    room = done(room, "p0", SilenceCommand(type="silence", id="s", seat=1, silent=True))
    with pytest.raises(Refused, match="has muted you"):
        decide(room, "p1", ChatCommand(type="chat", id="c", text="hello"))
    quiet = room_of("big-three", ["p0", "open", "open"], chat=False)
    with pytest.raises(Refused, match="no chat"):
        decide(quiet, "p0", ChatCommand(type="chat", id="c", text="hello"))


def test_a_silent_player_stays_silent_in_another_seat_and_after_coming_back() -> None:
    room = room_of("big-three", ["p0", "p1", "open"], start="ready")
    room = done(room, "p0", SilenceCommand(type="silence", id="a", seat=1, silent=True))
    sit, leave = SitCommand(type="sit", id="b", seat=2), LeaveCommand(type="leave", id="c")
    for command in (SitCommand(type="sit", id="d", seat=1), sit, leave, sit):
        room = done(room, "p1", command)
    assert [chair.silent for chair in room.chairs] == [False, False, True]
    room = done(room, "p2", SitCommand(type="sit", id="e", seat=1))
    assert not room.chairs[1].silent, "only the player is silent, not the seat"
    room = done(room, "p0", SilenceCommand(type="silence", id="f", seat=2, silent=False))
    for command in (leave, sit):
        room = done(room, "p1", command)
    assert not room.chairs[2].silent
    room = done(room, "p0", SilenceCommand(type="silence", id="g", seat=1, silent=True))
    room = done(room, "p0", RemoveCommand(type="remove", id="h", seat=1))
    room = done(room, "p2", SitCommand(type="sit", id="i", seat=1))
    assert room.chairs[1].silent


def test_a_refused_command_leaves_no_trace() -> None:
    room = settle(room_of("big-three", ["p0", "p1", "p2"]), 1000)
    seat = room.to_act
    assert seat is not None
    other = f"p{(seat + 1) % 3}"
    for command in (move(room, "bid 1"), NextCommand(type="next", id="x")):
        with pytest.raises((dasan.IllegalPlay, Refused)):
            fold(room, decide(room, other, command), room.at)
    for text in ("bid", "bid 99", "5 5 5", "\x07", "🂡", "call 8C", "give 2S", "pass pass", "4H" * 200):
        with pytest.raises(dasan.DasanError):
            fold(room, decide(room, f"p{seat}", move(room, text)), room.at)
    with pytest.raises(Refused, match="only watch"):
        decide(room, "stranger", move(room))


def test_a_contribution_is_made_once_and_bounded() -> None:
    room = settle(room_of("big-three", ["p0", "p1", "p2"]), 1000)
    room = done(room, "p0", ContributeCommand(type="contribute", id="a", text="x"))
    with pytest.raises(Refused):
        decide(room, "p0", ContributeCommand(type="contribute", id="b", text="y"))
    for text in ("🂡" * 128, "\ud800"):
        with pytest.raises(dasan.Malformed):
            decide(room, "p1", ContributeCommand.model_construct(type="contribute", id="c", text=text))


def test_the_hosts_silence_and_words_apply_to_contributions() -> None:
    """Everybody at the table reads them."""
    room = room_of("big-three", ["p0", "p1", "open"], start="ready", words=["Spam"])
    with pytest.raises(Refused, match="word"):
        decide(room, "p1", ContributeCommand(type="contribute", id="a", text="buy my sPaM"))
    room = done(room, "p0", SilenceCommand(type="silence", id="s", seat=1, silent=True))
    with pytest.raises(Refused, match="has muted you"):
        decide(room, "p1", ContributeCommand(type="contribute", id="b", text="hello"))


def test_a_contribution_goes_with_its_player() -> None:
    room = room_of("big-three", ["p0", "p1", "open"], start="ready")
    room = done(room, "p1", ContributeCommand(type="contribute", id="a", text="mine"))
    room = done(room, "p1", SitCommand(type="sit", id="b", seat=2))
    assert room.contributions == {2: "mine"}
    with pytest.raises(Refused):
        decide(room, "p1", ContributeCommand(type="contribute", id="c", text="another"))
    room = done(room, "p2", SitCommand(type="sit", id="d", seat=1))
    room = done(room, "p2", ContributeCommand(type="contribute", id="e", text="theirs"))
    room = done(room, "p1", SitCommand(type="sit", id="f", seat=2, name="Another name"))
    assert room.contributions == {1: "theirs", 2: "mine"}
    room = done(room, "p1", LeaveCommand(type="leave", id="g"))
    assert room.contributions == {1: "theirs"}


def test_a_log_keeps_a_deal_with_a_contribution_that_was_left_behind() -> None:
    """In logs of older versions, a player who changed seats left the contribution behind and could add one more."""
    room = room_of("big-three", ["p0", "p1", "open"], start="ready")
    changes: list[Entry] = [
        {"type": "contribute", "seat": 1, "text": "first"},
        {"type": "sit", "seat": 2, "player": "p1", "name": "P1"},
        {"type": "contribute", "seat": 2, "text": "second"},
        {"type": "sit", "seat": 1, "player": "p2", "name": "P2"},
    ]
    for entry in changes:
        room = fold(room, entry, 1000)
    dealing = deal(replace(room, contributions={1: "first", 2: "second"}))
    room = fold(room, dealing, 1000)
    assert room.state is not None
    assert room.state.begun.contributions == ("first", "second")  # type: ignore[union-attr]


def test_the_first_deal_follows_from_what_was_promised_and_added() -> None:
    room = room_of("winner", ["p0", "open", "open", "open"])
    promised = room.head.commitment(1)
    room = done(room, "p0", ContributeCommand(type="contribute", id="c", text="my own words"))
    alone = settle(
        fold(
            room,
            {
                "type": "bots",
                "chairs": {str(s): Chair("bot", "G", bot="greedy").to_json() for s in (1, 2, 3)},
                "start": False,
            },
            0,
        ),
        0,
    )
    assert alone.state is not None
    assert alone.state.begun.commitment == promised  # type: ignore[union-attr]
    assert alone.state.begun.contributions == ("my own words",)  # type: ignore[union-attr]


def test_another_seed_is_refused() -> None:
    rooms, log = plays("big-three", 1)
    forged = room_of("big-three", ["p0", "p1", "p2"], seed=bytes(128))
    (deal, at), *_ = log
    with pytest.raises(dasan.BadRecord):
        fold(forged, deal, at)
    assert rooms[-1].over


def test_rooms_do_not_show_their_secrets() -> None:
    """A room's printed form names no card, no seed and no player's id (G.02)."""
    room = settle(room_of("big-two", ["p-secret-id", "greedy", "greedy", "greedy"]), 1000)
    room = fold(room, substitute(room, 0, "left"), room.at)
    shown = repr(room)
    assert "Hand" not in shown
    assert "\\x01\\x02" not in shown
    assert "p-secret-id" not in shown


def test_a_program_that_changes_seats_stays_one() -> None:
    room = room_of("big-three", ["p0", "open", "open"])
    for wanted in (
        SitCommand(type="sit", id="a", seat=1, name="Deep", program=True),
        SitCommand(type="sit", id="b", seat=2),
    ):
        room = fold(room, decide(room, "deep", wanted), 1001)
    assert [chair.shown for chair in room.chairs] == ["human", "open", "program"]
    assert [Chair.from_json(chair.to_json()) for chair in room.chairs] == list(room.chairs)
    older = {name: value for name, value in OPEN.to_json().items() if name != "program"}
    assert Chair.from_json(older) == OPEN
