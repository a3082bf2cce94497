"""The room is a value: every command either makes the next one or changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import dasan
from dasan.reasons import reason
from dasan.server.new_ids import stranger
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
from dasan.server.protocol.table import EventPlace
from dasan.server.refusals import Refused
from dasan.server.tables import showing
from dasan.server.tables.checkpoints import checkpoint, restore
from dasan.server.tables.decisions import bot_move, by_itself, decide, entries, substitute
from dasan.server.tables.room import STALLED, Room, fold

from .harness import RATED, Json
from .rooms import done, everybody, move, plays, room_of, settle


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


def test_a_table_ends_once_all_its_people_have_left() -> None:
    room = settle(room_of("big-three", ["p0", "p1", "greedy"]), 1000)
    room = done(room, "p0", OfferCommand(type="offer", id="o", offer="end"))
    one = done(room, "p0", LEAVE)
    assert (one.status, one.chairs[0].plays) == ("playing", "greedy")
    assert done(one, "p1", LEAVE).status == "ended"
    deleted = replace(room, chairs=(replace(room.chairs[0], player=stranger()), *room.chairs[1:]))
    assert done(deleted, "p1", LEAVE).status == "ended", "who is deleted cannot come back"


@pytest.mark.parametrize("event", [None, EventPlace(id="e", deal=0, deals=1)], ids=["rated", "event"])
def test_a_binding_hand_that_all_people_have_left_is_played_to_its_end(event: EventPlace | None) -> None:
    room = room_of("big-three", ["p0", "greedy", "greedy"], **({} if event else RATED))
    room = settle(replace(room, head=replace(room.head, event=event)), 1000)
    room = done(room, "p0", LEAVE)
    while room.bot_to_act is not None:
        assert room.due == room.at + STALLED, "also if nobody looks"
        assert (room.status, room.state is not None) == ("playing", True)
        assert room.state is not None
        room = settle(fold(room, bot_move(room, room.bot_to_act[0], str(room.state.legal_moves()[0])), room.at), room.at)
    assert (room.over, room.status, len(room.results)) == (True, "ended", 1)


def test_no_strong_bot_plays_for_a_person_at_a_rated_table() -> None:
    for settings, bot in ((RATED, "greedy"), ({"speed": RATED["speed"]}, "strong")):
        room = settle(room_of("big-three", ["p0", "p1", "strong"], **settings, substitute="strong"), 1000)
        left = done(room, "p0", LEAVE)
        assert [chair.plays for chair in left.chairs] == [bot, None, "strong"]


def test_no_hand_is_dealt_to_bots_alone() -> None:
    """Somebody who has asked for the next hand may leave before it is dealt."""
    room = plays("big-two", 1)[0][-1]
    for player in ("p0", "p1", "p2"):
        room = done(room, player, NextCommand(type="next", id="n"))
    for player in ("p0", "p1", "p2", "p3"):
        room = done(room, player, LEAVE)
    assert (room.number, room.status) == (1, "ended")


def test_no_hand_is_dealt_for_people_who_have_left_and_one_who_is_out_of_time() -> None:
    """It would be rated for all three."""
    room = settle(room_of("big-three", ["p0", "p1", "p2"], **RATED), 1000)
    room = fold(room, substitute(room, 1, "time"), room.at)
    while room.to_act is not None:
        text = str(room.state.legal_moves()[0]) if room.state is not None else ""
        seat = room.to_act
        room = fold(room, bot_move(room, seat, text) if seat == 1 else decide(room, f"p{seat}", move(room)), room.at)
    room = done(room, "p0", NextCommand(type="next", id="n"))
    for player in ("p0", "p2"):
        room = done(room, player, LEAVE)
    assert (room.number, room.status) == (1, "playing")
    for entry in entries(room, "p1", NextCommand(type="next", id="n")):
        room = fold(room, entry, room.at)
    assert settle(room, room.at).number == 2


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
    assert moved.deadline == 1000 + 5000 + 2400 + 60_000, "nor does the next player pay for it"


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
    room = settle(room_of("big-three", ["p0", "greedy", "greedy"]), 1000)
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


def test_a_rated_hand_is_played_to_its_end() -> None:
    room = settle(room_of("big-three", ["p0", "p1", "greedy"], **RATED), 1000)
    seat = room.to_act
    assert seat is not None
    room = fold(
        room, decide(room, f"p{seat}", move(room)) if seat < 2 else bot_move(room, 2, str(move(room).move)), 1000
    )
    undo, end = (OfferCommand(type="offer", id="o", offer=offer) for offer in ("undo", "end"))
    with pytest.raises(Refused, match="at a rated table"):
        decide(room, "p0", TakeBackCommand(type="take-back", id="t"))
    with pytest.raises(Refused, match="at a rated table"):
        decide(room, "p0", undo)
    with pytest.raises(Refused, match="a bot plays on for you"):
        decide(room, "p0", end)
    untimed = settle(room_of("big-three", ["p0", "p1", "p2"], rated=True), 1000)  # no new table is
    assert showing.table_info(untimed, 0)["casual"] == "unrated"
    assert decide(untimed, "p0", end)["offer"] == "end"
    over = plays("big-three", 1, **RATED)[0][-1]
    assert decide(over, "p0", end)["offer"] == "end"


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


@pytest.mark.parametrize("begun", [False, True])
def test_a_host_who_leaves_is_followed_by_somebody_who_may_talk(begun: bool) -> None:
    room = room_of("big-two", ["p0", "p1", "p2", "p3" if begun else "open"])
    room = done(room, "p0", SilenceCommand(type="silence", id="a", seat=1, silent=True))
    assert (room.status == "playing") is begun
    leave = LeaveCommand(type="leave", id="b")
    entry = decide(room, "p0", leave)
    assert fold(room, entry, 2000).host == "p2"
    del entry["host"]
    assert fold(room, entry, 2000).host == "p1", "as logs of earlier versions were read"
    for player in ("p3", "p2") if begun else ("p2",):
        room = done(room, player, leave)
    assert done(room, "p0", leave).host == "p1", "nobody else is there"


LEAVE, RETURN = LeaveCommand(type="leave", id="l"), ReturnCommand(type="return", id="r")


def timed_room(**speed: Any) -> tuple[Room, int, str]:
    """A table with a clock, the seat to act and its player; the turn begins at the room's time."""
    room = settle(room_of("big-two", ["p0", "p1", "p2", "p3"], speed=speed), 1000)
    assert room.to_act is not None
    return replace(room, at=room.clock.since), room.to_act, f"p{room.to_act}"


@pytest.mark.parametrize(
    "speed", [{"kind": "move", "seconds": 60}, {"kind": "clock", "seconds": 60, "increment": 3}], ids=["move", "clock"]
)
def test_nobody_gets_time_by_leaving_and_coming_back(speed: Json) -> None:
    room, seat, player = timed_room(**speed)
    begun, deadline = room.at, room.deadline
    assert deadline == begun + 60_000
    room = done(room, player, LEAVE, begun + 40_000)
    assert room.deadline is None
    room = done(room, player, RETURN, begun + 50_000)
    for again in range(2):  # else a bot that is always kept from its move would cost no time
        room = done(done(room, player, LEAVE, begun + 51_000 + again), player, RETURN, begun + 52_000 + again)
    assert room.deadline == deadline
    assert room.clock.remaining(room.head.settings.speed, range(4), seat, begun + 55_000)[seat] == 5000
    room = settle(room, deadline)
    assert room.chairs[seat].substitute == ("greedy", "time")
    late = done(room, player, RETURN, begun + 61_000)
    assert late.chairs[seat].substitute == ("greedy", "time"), "the bot makes this move"
    bots = fold(late, bot_move(late, seat, str(late.state.legal_moves()[0])), begun + 62_000)  # type: ignore[union-attr]
    back = done(bots, player, RETURN, begun + 63_000)
    assert back.chairs[seat].substitute is None
    left = [10_000 if other == seat else 60_000 for other in range(4)]
    assert back.clock.left == (tuple(left) if speed["kind"] == "clock" else ())
    short = tuple(time // 10 if time == 10_000 else time for time in back.clock.left)
    late = replace(back, clock=replace(back.clock, left=short))
    assert done(done(late, player, LEAVE), player, RETURN).clock == late.clock, "nor in the turns of others"


def test_a_clock_counts_what_a_player_had_used_before_a_bot_moved() -> None:
    room, seat, player = timed_room(kind="clock", seconds=60, increment=3)
    begun = room.at
    room = done(room, player, LEAVE, begun + 40_000)
    assert room.state is not None
    room = fold(room, bot_move(room, seat, str(room.state.legal_moves()[0])), begun + 45_000)
    assert room.clock.left[seat] == 20_000
    room = done(room, player, RETURN, begun + 46_000)
    assert (room.clock.left[seat], room.clock.since) == (20_000, begun + 45_000)


def test_only_an_undo_forgets_what_was_used_of_a_turn() -> None:
    room, seat, player = timed_room(kind="move", seconds=60)
    begun, other = room.at, f"p{(seat + 1) % 4}"
    room = done(room, player, LEAVE, begun + 40_000)
    room = fold(room, substitute(room, seat, "left", "random"), begun + 45_000)
    room = done(done(room, other, LEAVE, begun + 46_000), other, RETURN, begun + 47_000)
    assert done(room, player, RETURN, begun + 50_000).deadline == begun + 60_000
    again = fold(room, {"type": "undo", "moves": 0, "taken_back": False}, begun + 50_000)
    assert done(again, player, RETURN, begun + 50_000).deadline == begun + 110_000


def test_leaving_while_the_deal_is_shown_takes_no_time() -> None:
    room, _, player = timed_room(kind="move", seconds=60)
    begun = room.at
    room = done(replace(room, at=begun - 4000), player, LEAVE, begun - 4000)
    assert done(room, player, RETURN, begun - 3000).deadline == begun + 60_000


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


SIT, OFFER_END = SitCommand(type="sit", id="s", seat=0), OfferCommand(type="offer", id="o", offer="end")
REMATCH, SEAT_BOT = RematchCommand(type="rematch", id="r"), SeatBotCommand(type="seat-bot", id="b", seat=1, bot="greedy")
ACCEPT = AnswerCommand(type="answer", id="a", accept=True)


@pytest.mark.parametrize(
    ("status", "player", "command", "sentence"),
    [
        ("waiting", "p0", OFFER_END, "undealt"),
        ("waiting", "p0", REMATCH, "rematch.early"),
        ("waiting", "p1", SIT, "taken"),
        ("waiting", "p0", SEAT_BOT, "somebody"),
        ("waiting", "p0", RemoveCommand(type="remove", id="r", seat=0), "nobody"),
        ("waiting", "p0", RemoveCommand(type="remove", id="r", seat=2), "nobody"),
        ("waiting", "p0", SilenceCommand(type="silence", id="s", seat=2, silent=True), "nobody.chat"),
        ("playing", "p0", REMATCH, "rematch.early"),
        ("playing", "p0", SIT, "seated"),
        ("playing", "p9", SIT, "dealt"),
        ("playing", "p0", SEAT_BOT, "dealt"),
        ("playing", "p0", StartCommand(type="start", id="s"), "dealt"),
        ("playing", "p0", ReadyCommand(type="ready", id="r", ready=True), "dealt"),
        ("playing", "p0", ACCEPT, "offer.none"),
        ("playing", "p0", OfferCommand(type="offer", id="o", offer="undo"), "undo.none"),
        ("offered", "p0", ACCEPT, "offer.accepted"),
        ("left", "p0", LEAVE, "left"),
        ("ended", "p0", LEAVE, "left"),
        ("ended", "p0", OFFER_END, "ended"),
        ("ended", "p0", NextCommand(type="next", id="n"), "ended"),
        ("ended", "p0", MoveCommand(type="move", id="m", move="pass"), "ended"),
        ("ended", "p0", ContributeCommand(type="contribute", id="c", text="x"), "ended"),
        ("again", "p0", REMATCH, "rematch.open"),
    ],
)
def test_commands_that_come_too_early_or_too_late(status: str, player: str, command: RoomCommand, sentence: str) -> None:
    room = room_of("big-three", ["p0", "p1", "open"])
    if status != "waiting":
        room = done(room, "p2", SitCommand(type="sit", id="s"))
    if status == "left":
        room = done(room, "p0", LEAVE)
    if status in ("offered", "ended", "again"):
        room = done(room, "p0", OFFER_END)
    if status in ("ended", "again"):
        room = done(done(room, "p1", ACCEPT), "p2", ACCEPT)
    if status == "again":
        for voter in ("p0", "p1", "p2"):
            room = done(room, voter, REMATCH)
    with pytest.raises(Refused) as refused:
        decide(room, player, command)
    assert refused.value.message == reason(sentence)


def test_the_host_names_seats_that_there_are() -> None:
    room = room_of("big-three", ["p0", "p1", "open"])
    for command in (
        SEAT_BOT,
        RemoveCommand(type="remove", id="r", seat=0),
        SilenceCommand(type="silence", id="s", seat=0, silent=True),
    ):
        with pytest.raises(Refused, match="a seat is 0 to 2"):
            decide(room, "p0", command.model_copy(update={"seat": 3}))


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
