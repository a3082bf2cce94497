"""Tables in every phase, as the server sends them: fixed deals, fixed faces, and deterministic moves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from playwright.sync_api import Page, WebSocketRoute

import dasan
from dasan.server.compact import compact
from dasan.server.protocol.commands import AnswerCommand, ChatCommand, MoveCommand, NextCommand, OfferCommand
from dasan.server.protocol.messages import Candidate, Hint, Reason
from dasan.server.protocol.table import TableSettings
from dasan.server.tables import showing
from dasan.server.tables.chairs import OPEN, Chair, Head, bot_chairs
from dasan.server.tables.decisions import bot_move, by_itself, decide, substitute
from dasan.server.tables.room import Entry, Room, fold

SEED = bytes(range(128))
BOTS = ["level-4", "level-6", "level-2", "level-3", "level-5", "level-7", "level-1"]
HERE = {"presence": [{"seat": 0, "here": True, "since": None, "takeover_at": None}], "watching": 2}
MOST = 2000
MOVES = ("bid", "pass", "play")

STATES = {
    "auction": "[data-do=bid]",
    "call": "button[data-call]",
    "give": "[data-do=play]",
    "offer": "[data-do=play]",
    "take": "button.take",
    "exchanged": ".exchange .done",
    "play": "[data-do=pass]",
    "partner": ".tag.partner",
    "settlement": "[role=dialog]",
    "places": "[role=dialog]",
    "spectator": ".watching",
    "chat": "button[data-at]",
    "waiting": ".room footer",
    "link": ".room form",
    "offered": ".notice",
    "ended": "[role=dialog]",
}
"""What each state shows."""


def show(page: Page, name: str) -> None:
    """Answer the page's socket with a state, and open its table."""
    send_once(page, snapshot(name))
    page.goto("/t/fixed")
    page.locator(STATES.get(name, ".me, .watching")).first.wait_for()


def advised(page: Page, name: str) -> None:
    """Open a table in this state with a bot's advice, whose reasons are long."""
    view = json.loads(snapshot(name))["view"]
    reasons = [
        Reason(id="leaves-ally", text="", values={"seat": 1, "cards": 12}),
        Reason(id="expected-open", text="", values={"value": "-1.25"}),
    ]
    best = Candidate(move=view["legal_moves"][-1], value=None, reasons=reasons)
    hint = Hint(type="hint", id="h", seq=MOST, bot="level-4", unit="payment", candidates=[best])
    send_once(page, snapshot(name), hint.model_dump_json())
    page.goto("/t/fixed")
    page.locator(".advice").wait_for()


def send_once(page: Page, *messages: str) -> None:
    """Make the socket of any table send these messages at once, and nothing else."""

    def answer(socket: WebSocketRoute) -> None:
        for message in messages:
            socket.send(message)

    page.route_web_socket(re.compile("/ws/tables/"), answer)


SCENE_BY_SCENE = """
  const later = window.setTimeout;
  window.setTimeout = (then, ms, ...more) =>
    [2000, 900, 700, 1200].includes(ms) ? void (window.nextScene = then) : later(then, ms, ...more);
"""
"""The scenes before the first deal advance when ``nextScene()`` is called, not by themselves."""


def draw(page: Page) -> None:
    """Open a table that has just been dealt, for somebody who likes motion."""
    page.add_init_script(SCENE_BY_SCENE)
    send_once(page, snapshot("dealt"))
    page.goto("/t/fixed")
    page.locator("[data-do=skip]").wait_for()


@lru_cache
def finished() -> dasan.State:
    """A whole hand of Big Three with a fixed deal."""
    state = _until(_new("big-three", "Ada"), _at_end, first=True).state
    assert state is not None
    return state


@lru_cache
def snapshot(name: str) -> str:
    """The first message of a table in this state."""
    room, viewer = _MADE[name]()
    return compact(showing.snapshot(room, viewer, room.at, HERE))


@lru_cache
def played_on(name: str, moves: int) -> list[str]:
    """The first message of a table in this state, and those of this many following moves."""
    room, viewer = _MADE[name]()
    messages = [snapshot(name)]
    for _ in range(moves):
        assert room.state is not None
        assert room.to_act is not None
        text = _chosen(room.state, eager=True)
        if room.chairs[room.to_act].plays is None:
            entry = decide(room, f"p{room.to_act}", MoveCommand(type="move", id="m", move=text))
        else:
            entry = bot_move(room, room.to_act, text)
        before, room = room, fold(room, entry, room.at)
        messages.append(compact(showing.changed(room, before, "move", viewer, room.at, lambda: HERE)))
    return messages


def all_played(name: str) -> str:
    """The first message of a table in this state, with a play as long as the last one instead of every pass after it."""
    message = json.loads(snapshot(name))
    events = message["view"]["events"]
    lead = max(at for at, event in enumerate(events) if event["type"] == "play")
    for event in events[lead + 1 :]:
        event.update(type="play", cards=events[lead]["cards"])
    return json.dumps(message)


def _new(preset: str, *people: str, **options: int) -> Room:
    rules = dasan.rules(preset, **options)
    seated: list[str | None] = [*[None] * len(people), *BOTS[: rules.players - len(people)]]
    bots = bot_chairs(seated, "fixed")
    chairs = [bot or Chair("human", people[seat], player=f"p{seat}") for seat, bot in enumerate(bots)]
    settings = TableSettings.model_validate({"spectators": True})
    return Room.create(Head("fixed", rules, settings, SEED), tuple(chairs), "p0", at=1000)


def _until(room: Room, wanted: Callable[[dasan.State], bool], *, first: bool) -> Room:
    """Play until the state is reached. first: seat 0 bids, plays its lowest and goes out; else it passes."""
    for _ in range(MOST):
        entry = by_itself(room, room.at, frozenset(room.humans))
        if entry is None and room.over:
            if room.state is not None and wanted(room.state):
                return room
            missing = min(set(room.humans) - room.votes)
            entry = decide(room, f"p{missing}", NextCommand(type="next", id="n"))
        if entry is None:
            assert room.state is not None
            seat = room.to_act
            assert seat is not None
            if wanted(room.state):
                return room
            text = _chosen(room.state, eager=(seat == 0) == first)
            if room.chairs[seat].plays is None:
                entry = decide(room, f"p{seat}", MoveCommand(type="move", id="m", move=text))
            else:
                entry = bot_move(room, seat, text)
        room = fold(room, entry, room.at)
    raise AssertionError("that never came")


def _chosen(state: dasan.State, *, eager: bool) -> str:
    legal = [str(move) for move in state.legal_moves()]
    passing = "pass" in legal
    if passing and not eager:
        return "pass"
    if legal[0].startswith("bid"):
        return legal[0] if not eager else [text for text in legal if text != "pass"][-1]
    return next(text for text in legal if text != "pass" or len(legal) == 1)


def _at(phase: str) -> Callable[[dasan.State], bool]:
    return lambda state: state.phase.value == phase and state.to_act == 0


def _at_play(state: dasan.State) -> bool:
    return state.phase.value == "play"


def _following(state: dasan.State) -> bool:
    return _at("play")(state) and state.table is not None and len(state.legal_moves()) > 1


def _answered(state: dasan.State) -> bool:
    return _following(state) and any(event.seat == 1 and event.type in MOVES for event in state.events)


def _at_end(state: dasan.State) -> bool:
    return state.phase.value == "over"


def _exchange(kind: str, *, first: bool) -> Room:
    def wanted(state: dasan.State) -> bool:
        return _at("exchange")(state) and str(state.legal_moves()[0]).startswith(kind)

    return _until(_new("winner", "Ada"), wanted, first=first)


def _outbid(*, mine: bool) -> Room:
    """Ada has bid one and Blaise two: it is her turn again, or still Lan's."""
    room = _until(_new("big-three", "Ada", "Blaise"), _at("auction"), first=False)
    for text in ("bid 1", "bid 2", "pass")[: 3 if mine else 2]:
        assert room.to_act is not None
        entry: Entry = {"type": "move", "seat": room.to_act, "move": text}
        room = fold(room, entry, room.at)
    return room


def _partner() -> Room:
    def wanted(state: dasan.State) -> bool:
        return state.phase.value == "play" and state.partner_shown and state.to_act == 0

    return _until(_new("big-three-4p", "Ada"), wanted, first=False)


def _crowd() -> Room:
    """Six players, four of whom have played five cards each."""
    room = _until(_new("winner", "Ada", players=6, decks=2), _at_play, first=False)
    plays = 0
    while plays < 4 or room.to_act != 0:
        assert room.state is not None
        seat = room.to_act
        assert seat is not None
        legal = [str(move) for move in room.state.legal_moves()]
        five = [text for text in legal if seat and len(text.split()) == 5]
        text = (five or [text for text in legal if text == "pass"] or legal)[0]
        plays = plays + 1 if five else plays if text == "pass" else 0
        if seat:
            room = fold(room, bot_move(room, seat, text), room.at)
        else:
            room = fold(room, decide(room, "p0", MoveCommand(type="move", id="m", move=text)), room.at)
    return room


def _long(players: int) -> Room:
    """Another player has led at least six cards, and everybody up to Ada has passed."""

    def leads(state: dasan.State) -> bool:
        free = state.phase.value == "play" and state.table is None and state.to_act in (1, 2)
        return free and len(_longest(state).split()) >= 6

    room = _until(_new("winner", "Ada", players=players, decks=2), leads, first=False)
    while (seat := room.to_act) != 0:
        assert room.state is not None
        assert seat is not None
        room = fold(room, bot_move(room, seat, _longest(room.state) if room.state.table is None else "pass"), room.at)
    return room


def _beaten() -> Room:
    """The next player has beaten the dealer's lead."""
    room = _until(_new("winner", "Ada", players=3), lambda state: _at("play")(state) and state.table is None, first=True)
    for _ in range(2):
        assert room.state is not None
        seat = room.to_act
        assert seat is not None
        text = _chosen(room.state, eager=True)
        entry = bot_move(room, seat, text) if seat else decide(room, "p0", MoveCommand(type="move", id="m", move=text))
        room = fold(room, entry, room.at)
    return room


def _longest(state: dasan.State) -> str:
    return max((str(move) for move in state.legal_moves()), key=len)


def _bombed() -> Room:
    """Whether the next move of `_chosen` is a bomb."""

    def wanted(state: dasan.State) -> bool:
        return state.phase.value == "play" and state.table is not None and power(state) > 0

    def power(state: dasan.State) -> int:
        text = _chosen(state, eager=True)
        move = next(move for move in state.legal_moves() if str(move) == text)
        return 0 if move.combination is None else move.combination.power

    return _until(_new("dou-dizhu", "Ada"), wanted, first=False)


def _talk() -> Room:
    room = _until(_new("big-three", "Ada", "Blaise"), _at("play"), first=True)
    for who, text in (("p1", "good luck"), ("p0", "and to you"), ("p1", "祝你好运")):
        room = fold(room, decide(room, who, ChatCommand(type="chat", id="c", text=text)), room.at)
    return room


def _waiting() -> Room:
    chairs = (Chair("human", "Ada", player="p0"), bot_chairs([BOTS[0]], "fixed")[0] or OPEN, OPEN, OPEN)
    settings = TableSettings.model_validate({"spectators": True})
    return Room.create(Head("fixed", dasan.rules("winner"), settings, SEED), chairs, "p0", at=1000)


def _offered(offer: Literal["undo", "end"]) -> Room:
    """Blaise makes an offer to Ada, during the play or after it."""
    room = _until(_new("big-three", "Ada", "Blaise"), _at_end if offer == "end" else _answered, first=True)
    return fold(room, decide(room, "p1", OfferCommand(type="offer", id="o", offer=offer)), room.at)


def _dealt() -> Room:
    return _until(_new("big-three", "Ada"), lambda state: True, first=False)


def _last() -> Room:
    """Ada leads her last card."""

    def wanted(state: dasan.State) -> bool:
        return _at("play")(state) and state.table is None and len(state.hands[0]) == 1

    return _until(_new("winner", "Ada"), wanted, first=True)


def _failed() -> Room:
    """Other bots play for three that failed."""
    room = _until(_new("winner", "Ada"), _following, first=False)
    for seat in 1, 2, 3:
        room = fold(room, substitute(room, seat, "failed"), room.at)
    return room


def _replaced() -> Room:
    """Bots play for both people: Ada ran out of time, Blaise is away."""
    room = _until(_new("big-three", "Ada", "Blaise"), _answered, first=True)
    for seat, reason in ((0, "time"), (1, "absent")):
        room = fold(room, substitute(room, seat, reason), room.at)
    return room


def _ended() -> Room:
    room = _offered("end")
    room = fold(room, decide(room, "p0", AnswerCommand(type="answer", id="a", accept=True)), room.at)
    while (entry := by_itself(room, room.at, frozenset(room.humans))) is not None:
        room = fold(room, entry, room.at)
    return room


_MADE: dict[str, Callable[[], tuple[Room, int | None]]] = {
    "auction": lambda: (_until(_new("big-three", "Ada"), _at("auction"), first=False), 0),
    "outbid": lambda: (_outbid(mine=False), 0),
    "again": lambda: (_outbid(mine=True), 0),
    "call": lambda: (_until(_new("big-three-4p", "Ada"), _at("call"), first=True), 0),
    "give": lambda: (_exchange("", first=False), 0),
    "offer": lambda: (_exchange("offer", first=True), 0),
    "take": lambda: (_exchange("take", first=False), 0),
    "exchanged": lambda: (_exchange("take", first=False), None),
    "play": lambda: (_until(_new("big-two", "Ada"), _following, first=False), 0),
    "partner": lambda: (_partner(), 0),
    "settlement": lambda: (_until(_new("big-three", "Ada"), _at_end, first=True), 0),
    "places": lambda: (_until(_new("winner", "Ada"), _at_end, first=True), 0),
    "spectator": lambda: (_until(_new("winner", "Ada"), _at("play"), first=True), None),
    "crowd": lambda: (_crowd(), 0),
    "long-4": lambda: (_long(4), 0),
    "long-5": lambda: (_long(5), 0),
    "long-6": lambda: (_long(6), 0),
    "long-7": lambda: (_long(7), 0),
    "long-8": lambda: (_long(8), 0),
    "watched": lambda: (_beaten(), None),
    "bomb": lambda: (_bombed(), 0),
    "chat": lambda: (_talk(), 0),
    "waiting": lambda: (_waiting(), 0),
    "link": lambda: (_waiting(), None),
    "offered": lambda: (_offered("undo"), 0),
    "ended": lambda: (_ended(), 0),
    "dealt": lambda: (_dealt(), 0),
    "last": lambda: (_last(), 0),
    "failed": lambda: (_failed(), 0),
    "replaced": lambda: (_replaced(), 0),
}
