"""What players add to the shuffle: whose it is, who may add it, and what becomes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dasan
from dasan.server.protocol.commands import ContributeCommand, LeaveCommand, SilenceCommand, SitCommand
from dasan.server.refusals import Refused
from dasan.server.tables.chairs import Chair
from dasan.server.tables.decisions import deal, decide
from dasan.server.tables.room import Entry, fold

from .rooms import done, room_of, settle


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
