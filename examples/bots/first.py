"""A bot for the bot protocol, without any library: it gets rid of as many cards as it can.

dasan bot-test "python examples/bots/first.py"
"""

import json
import sys
from typing import Any


def choose(view: dict[str, Any]) -> str:
    """The legal move that plays most cards, of those the lowest; a bid of 1, or a pass."""
    moves = view["legal_moves"]
    plays = [move for move in moves if move["type"] == "play"]
    best = max(plays, key=lambda move: len(move["cards"])) if plays else moves[0]
    return str(best["move"])


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        answer = None
        if message["type"] == "hello":
            answer = {"type": "hello", "protocol": "dasan-bot/1", "name": "first-py", "version": "1"}
        elif message["type"] == "choose":
            answer = {"type": "move", "id": message["id"], "move": choose(message["view"])}
        elif message["type"] == "quit":
            break
        if answer is not None:
            print(json.dumps(answer), flush=True)


main()
