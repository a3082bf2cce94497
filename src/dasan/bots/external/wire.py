"""The bot protocol, `dasan-bot/1`: JSON objects, one a line, between a host and a program that plays.

The host writes to the program's standard input, and the program answers on its standard output.
When it fails, the host shows the end of its standard error.
`docs/reference/bot-protocol.md` describes every message.
"""

from __future__ import annotations

import json
from typing import Any

from dasan.play.view import View
from dasan.version import __version__

PROTOCOL = "dasan-bot/1"
MAX_LINE = 1 << 16
"""The longest line that a program may write, in bytes."""
MAX_NAME = 64
MAX_QUOTE = 80
"""The most bytes of a program's line, or characters of a list of moves, that a fault's message quotes."""

Message = dict[str, Any]


class Fault(Exception):
    """A failure of a program, or of a bot in a contest. kind: "crash" (it exited, or raised an error), "garbage" (not a message
    of the protocol), "illegal" (not a legal move), "stall" (no answer in time), "exit" (a bot raised SystemExit), or in
    `conformance` "different" (another move for the same hand).
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def written(message: Message) -> bytes:
    """Write a message as a line."""
    return (json.dumps(message, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def read(line: bytes) -> Message:
    """Read the message in a line. `Fault`: the line is not a message."""
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise Fault("garbage", f"a line is not JSON: {quoted(line)}") from error
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise Fault("garbage", f"a line is not an object with a type: {quoted(line)}")
    return message


def quoted(line: bytes) -> str:
    """The beginning of a program's line, escaped because a terminal may show it."""
    end = "" if len(line.rstrip()) <= MAX_QUOTE else " …"
    return f"{line[:MAX_QUOTE].decode(errors='replace').rstrip()!r}{end}"


def _listed(moves: list[str]) -> str:
    """The first of the moves, in at most `MAX_QUOTE` characters; of one that is longer, its beginning."""
    listed = ", ".join(moves)
    if len(listed) <= MAX_QUOTE:
        return listed
    whole, comma, _ = listed[:MAX_QUOTE].rpartition(", ")
    return f"{whole}, …" if comma else f"{listed[:MAX_QUOTE]} …"


def _shown(answer: Message) -> str:
    try:
        return quoted(json.dumps(answer).encode())
    except RecursionError:
        return "deeply nested JSON"


def hello() -> Message:
    """The first message, from the host."""
    return {"type": "hello", "protocol": PROTOCOL, "engine": __version__}


def named(answer: Message) -> tuple[str, str]:
    """The name and version in a program's hello. `Fault`: the answer is not a hello."""
    if answer.get("type") != "hello" or answer.get("protocol") != PROTOCOL:
        raise Fault("garbage", f"the first answer must be a hello for {PROTOCOL}, not {_shown(answer)}")
    name, version = answer.get("name"), answer.get("version")
    for text in (name, version):
        if not isinstance(text, str) or not 0 < len(text) <= MAX_NAME or not text.isprintable():
            raise Fault(
                "garbage", f"hello needs a name and a version, each a text of 1 to {MAX_NAME} printable characters"
            )
    return str(name), str(version)


def hand(view: View) -> Message:
    """The message that begins a hand: the seat, the rules, and the seat's cards."""
    rules = view.rules
    described: Message = {"name": rules.name, "options": rules.options, "value": rules.to_json()}
    cards = [] if view.seat is None else view.begun.hands[view.seat]
    pair = getattr(view.begun, "exchange", None)
    dealt = [str(c) for c in cards if c is not None]
    return hand_of(view.seat or 0, rules.players, described, view.dealer, dealt, None if pair is None else list(pair))


def hand_of(
    seat: int, players: int, rules: Message, dealer: int, cards: list[str], exchange: list[int] | None
) -> Message:
    """As `hand`, from its parts. exchange: as in `Deal.exchange` (W.20, H.40)."""
    return {
        "type": "hand",
        "seat": seat,
        "players": players,
        "rules": rules,
        "dealer": dealer,
        "cards": cards,
        "exchange": exchange,
    }


def events(happened: list[Message]) -> Message:
    """The message with new events, as in climb/1, hidden cards as "?"."""
    return {"type": "events", "events": happened}


def choose(number: int, seconds: float, seen: Message) -> Message:
    """The message that asks the seat to act. seen: the seat's view, with its legal moves."""
    return {"type": "choose", "id": number, "seconds": seconds, "view": without_events(seen)}


def over(result: Message | None) -> Message:
    """The message that ends a hand."""
    return {"type": "over", "result": result}


def quit() -> Message:
    """The message that ends the program."""
    return {"type": "quit"}


def without_events(seen: Message) -> Message:
    """A view as JSON without its events, which earlier messages contained."""
    return {name: value for name, value in seen.items() if name != "events"}


def move(answer: Message, number: int, seen: Message) -> str:
    """The text of the move in a program's answer. `Fault`: it is not a legal move."""
    if answer.get("type") != "move" or answer.get("id") != number or isinstance(answer.get("id"), bool):
        raise Fault("garbage", f"the answer to choose {number} must be a move with this id, not {_shown(answer)}")
    text = answer.get("move")
    if not isinstance(text, str):
        raise Fault("garbage", f"a move is text: {_shown(answer)}")
    legal = [legal["move"] for legal in seen["legal_moves"]]
    if text not in legal:
        raise Fault("illegal", f"{text[:MAX_QUOTE]!r} is not one of the legal moves: {_listed(legal)}")
    return text
