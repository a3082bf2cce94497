"""How golden games are played: sessions from seeds, every move chosen by a rule that any version can repeat."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import dasan
from dasan.play.events import EventType

KEPT = (
    *(
        "seat",
        "players",
        "phase",
        "to_act",
        "hand",
        "hand_sizes",
        "dealer",
        "opener",
        "leader",
        "bidder",
        "bid",
        "called",
    ),
    *(
        "partner",
        "table",
        "table_seat",
        "passed",
        "finished",
        "offered",
        "events",
        "legal_moves",
        "played",
        "hands",
        "kitty",
    ),
    *("result", "doublings", "bidder_plays"),
)
MOVE = ("move", "type", "cards", "bid", "kind")
"""The pinned keys of a view and of its moves: keys that a later version adds change no digest."""


def choice(seed: int, hand: int, ply: int, count: int) -> int:
    """The move: a hash of the position, modulo the number of moves; passes are rarer than plays."""
    text = f"{seed}/{hand}/{ply}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") % count


def played(rules: dasan.Rules, seed: int, hands: int = 2) -> tuple[dasan.Session, list[dict[str, Any]]]:
    """A session of `hands` hands, and the views of seat 0 and of a spectator in the middle and at the end of each."""
    session = dasan.session(rules, seed=seed)
    shown: list[dict[str, Any]] = []
    for hand in range(1, hands + 1):
        ply = 0
        while session.state.to_act is not None:
            moves = session.state.legal_moves()
            session = session.play(moves[choice(seed, hand, ply, len(moves))])
            ply += 1
            if ply == 12:
                shown += [session.state.view(seat).to_json() for seat in (0, 1, None)]
        shown += [session.state.view(seat).to_json() for seat in (0, None)]
        if hand < hands:
            session = session.next_hand()
    return session, shown


def body(rules: dasan.Rules, seed: int) -> str:
    """All events of two hands, without the header and names: every option must change them."""
    session, shown = played(rules, seed, 2)
    lines = session.record().splitlines()[1:]
    views = [{key: view[key] for key in KEPT if key in view} for view in shown]
    for view in views:
        view["legal_moves"] = [{key: move[key] for key in MOVE if key in move} for move in view["legal_moves"]]
    return "\n".join([*lines, *(json.dumps(v, sort_keys=True) for v in views), str(session.balances)])


def annotated(rules: dasan.Rules, seed: int) -> str:
    """A session of two hands as climb/1, with a note in words after every line."""
    session, _ = played(rules, seed)
    out: list[str] = []
    for line in session.record().splitlines():
        out.append(line)
        text = words(json.loads(line))
        if text:
            seq = json.loads(line).get("seq")
            note = {"type": "note", "text": text} if seq is None else {"type": "note", "seq": seq, "text": text}
            out.append(json.dumps(note, ensure_ascii=False))
    return "\n".join(out) + "\n"


def words(line: dict[str, Any]) -> str:
    """One line of a record in words."""
    seat, cards = line.get("seat"), " ".join(line.get("cards", ()))
    match line.get("type"):
        case EventType.DRAW:
            return f"seat {seat} draws the {cards} for the deal"
        case EventType.DEALER:
            return f"seat {seat} deals the first hand"
        case "deal":
            cut = f"; seat {line['cutter']} cuts {line['cut']} cards" if "cut" in line else ""
            return f"hand {line['number']}, dealt by seat {line['dealer']}{cut}"
        case EventType.OPEN:
            return f"seat {seat} opens{', holding the ' + cards if cards else ', as the last hand ended'}"
        case EventType.BID:
            return f"seat {seat} bids {line['bid']}"
        case EventType.PASS:
            return f"seat {seat} passes"
        case EventType.KITTY:
            return f"seat {seat} takes the kitty: {cards}"
        case EventType.CALL:
            return f"seat {seat} calls the {cards}: whoever holds it is the partner"
        case EventType.PLAY:
            return f"seat {seat} plays {cards}"
        case EventType.LAST_CARD:
            return f"seat {seat} declares the last card"
        case EventType.PARTNER:
            return f"seat {seat} is the partner: the {cards} shows it"
        case EventType.TRICK:
            return f"the trick is over; seat {seat} leads"
        case EventType.OUT:
            return f"seat {seat} is out"
        case EventType.GIVE | EventType.OFFER | EventType.TAKE:
            return f"seat {seat} {line['type']}s {cards}"
        case "result":
            return f"payments {line['payments']}; seat {line['next_dealer']} deals next"
        case _:
            return ""
