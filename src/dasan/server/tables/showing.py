"""Messages that show a room to a viewer. Cards come only from ``state.view``; everything else here is public.

Messages are plain JSON data instead of the protocol's models, because this runs for every viewer after every move. The
tests validate every message with the models.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import dasan
from dasan.play.dealing import Deal
from dasan.play.phases import Phase
from dasan.server.tables.chairs import Chair
from dasan.server.tables.facts import facts, title_of
from dasan.server.tables.room import Room

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Mark:
    """What a viewer has seen of a room, so that the next message needs no older room.

    seq: of the log. number: the current hand's. events: the number of its events.
    """

    seq: int
    number: int
    events: int

    @staticmethod
    def of(room: Room) -> Mark:
        return Mark(room.seq, room.number, 0 if room.state is None else len(room.state.events))


def detail(room: Room, viewer: int | None, now: int) -> Json:
    """The table and its hand as ``viewer`` (None: a spectator) may know them."""
    view = None if room.state is None else _view(room, viewer)
    return {
        "seq": room.seq,
        "table": table_info(room, viewer),
        "rules": facts(room.head.rules).model_dump(),
        "session": session_info(room, view),
        "view": None if view is None else view.to_json(),
        "clocks": clocks(room, now),
    }


def snapshot(room: Room, viewer: int | None, now: int, presence: Json) -> Json:
    """Everything that ``viewer`` may know. presence: the fields ``presence`` and ``watching``."""
    chat = [line.model_dump() for line in room.chat]
    return {"type": "snapshot", **detail(room, viewer, now), **presence, "chat": chat}


def changed(
    room: Room, before: Room, entry_type: str, viewer: int | None, now: int, presence: Callable[[], Json]
) -> Json:
    """The message to ``viewer``, who has seen ``before``, about one entry of the log."""
    if entry_type == "chat":
        return {"type": "chat", "seq": room.seq, "lines": [room.chat[-1].model_dump()]}
    if entry_type == "move":
        return _update(room, before, viewer, now, presence)
    if entry_type in ("deal", "undo"):
        return snapshot(room, viewer, now, presence())
    return table_changed(room, viewer, now)


def missed(room: Room, mark: Mark, viewer: int | None, now: int, presence: Json) -> list[Json]:
    """The messages for a viewer who returns after having seen ``mark``: the difference, or a snapshot."""
    state = room.state
    if mark.number != room.number or room.over:  # the end of a hand reveals cards, which changes old events
        return [snapshot(room, viewer, now, presence)]
    # The chat comes last, so that a client with its seq has everything.
    lines = [line.model_dump() for line in room.chat if line.seq > mark.seq]
    also = [{"type": "presence", **presence}, {"type": "chat", "seq": room.seq, "lines": lines}]
    if state is None:
        return [table_changed(room, viewer, now), *also]
    view = _view(room, viewer)
    data, events = _since(view, mark.events)
    update = {"type": "update", "seq": room.seq, "events": events, "view": data, "clocks": clocks(room, now)}
    update |= {"session": session_info(room, view), "table": table_info(room, viewer)}
    return [update, *also]


def table_changed(room: Room, viewer: int | None, now: int) -> Json:
    view = None if room.state is None else _view(room, viewer)
    return {
        "type": "table",
        "seq": room.seq,
        "table": table_info(room, viewer),
        "session": session_info(room, view),
        "clocks": clocks(room, now),
    }


def _update(room: Room, before: Room, viewer: int | None, now: int, presence: Callable[[], Json]) -> Json:
    """The new events of a move, or all events if the end of the hand has changed old ones."""
    assert room.state is not None
    assert before.state is not None
    view = _view(room, viewer)
    known = len(before.state.events)
    over = room.state.phase is Phase.OVER
    if over and view.events[:known] != _view(before, viewer).events:
        return snapshot(room, viewer, now, presence())
    data, events = _since(view, known)
    out = {"type": "update", "seq": room.seq, "events": events, "view": data, "clocks": clocks(room, now)}
    if over:
        out |= {"session": session_info(room, view), "table": table_info(room, viewer)}
    elif before.offer is not room.offer:
        out["table"] = table_info(room, viewer)
    return out


def _view(room: Room, viewer: int | None) -> dasan.View:
    """The hand as ``viewer`` may know it."""
    assert room.state is not None
    return room.state.view(room.sees_as(viewer))


def _since(view: dasan.View, known: int) -> tuple[Json, list[Json]]:
    """(the view without its events, the events after the first ``known``), without serializing old events again."""
    data = view.to_json(since=known)
    return data, data.pop("events")


def table_info(room: Room, viewer: int | None) -> Json:
    rules, offer = room.head.rules, room.offer
    casual = "taken-back" if room.taken_back else None if room.head.settings.counts else "unrated"
    return {
        "id": room.head.id,
        "preset": rules.name,
        "title": title_of(rules.name),
        "options": rules.options,
        "players": rules.players,
        "direction": rules.direction.value,
        "you": viewer,
        "status": room.status,
        "host": room.seat_of(room.host),
        "locked": room.locked,
        "settings": room.head.settings.model_dump(),
        "seats": [seat_info(seat, chair) for seat, chair in enumerate(room.chairs)],
        "offer": None if offer is None else offer.model_dump(),
        "voted": sorted(room.votes),
        "next_at": room.next_at,
        "casual": casual,
        "rematch": room.rematch,
        "event": None if room.head.event is None else room.head.event.model_dump(),
    }


def seat_info(seat: int, chair: Chair) -> Json:
    out: Json = {"seat": seat, "name": chair.name, "kind": chair.shown, "ready": chair.ready, "silent": chair.silent}
    if chair.bot is not None:
        out["bot"] = chair.bot
    if chair.account:
        out["account"] = True
    if chair.substitute is not None:
        out["substitute"] = {"bot": chair.substitute[0], "reason": chair.substitute[1]}
    return out


def session_info(room: Room, view: dasan.View | None) -> Json:
    done = room.number if room.over else max(0, room.number - 1)
    return {
        "number": room.number,
        "balances": list(room.balances),
        "results": [result.model_dump() for result in room.results],
        "first_result": done - len(room.results) + 1,
        "opening": [] if view is None else _opening(room, view),
        "next_commitment": room.head.commitment(room.number + 1),
        "contributions": [room.contributions.get(seat) for seat in range(room.head.rules.players)],
    }


def clocks(room: Room, now: int) -> Json | None:
    """The clocks at ``now``; None for untimed tables."""
    speed, seat = room.head.settings.speed, room.to_act
    if speed.kind == "untimed" or room.state is None:
        return None
    timed = seat if seat is not None and room.chairs[seat].plays is None else None
    left = room.clock.remaining(speed, range(room.head.rules.players), timed, now)
    return {"now": now, "left": left, "to_act": seat, "deadline": room.deadline}


def _opening(room: Room, view: dasan.View) -> list[Json]:
    """The draw for the deal in the first hand, then dealer, cut and deal, without hands."""
    begun = view.begun
    if room.number == 1:
        events: list[Json] = [event.to_json() for event in room.opening]
    else:
        events = [{"type": "dealer", "seat": begun.dealer}]
    if isinstance(begun, Deal):
        if begun.cut is not None and begun.cutter is not None:
            events.append({"type": "cut", "seat": begun.cutter, "value": begun.cut})
        dealt = {"type": "deal", "seat": begun.dealer, "commitment": begun.commitment}
        events.append({**dealt, "contributions": list(begun.contributions)})
    return events
