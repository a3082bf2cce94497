"""Programs of the tests: one that does what a test says, one that notes what it is told; and waiting for what they do."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import dasan
from dasan.cli.bot_test import GAMES as PLAYED

GAMES = [dasan.rules(name) for name in PLAYED]

SKELETON = """
import json, os, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": "dasan-bot/1", "name": "bad", "version": "1"}), flush=True)
    elif message["type"] == "choose":
        %s
"""


def program(tmp_path: Path, act: str) -> str:
    path = tmp_path / "bot.py"
    path.write_text(SKELETON % act, encoding="utf-8")
    return f"'{sys.executable}' '{path}'"


SPY = """
import json, os, sys
log = open(os.path.join(%r, str(os.getpid())), "a")
for line in sys.stdin:
    message = json.loads(line)
    print(message["type"], *[event["seq"] for event in message.get("events", [])], file=log, flush=True)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": "dasan-bot/1", "name": "spy", "version": "1"}), flush=True)
    elif message["type"] == "choose":
        print(json.dumps({"type": "move", "id": message["id"], "move": message["view"]["legal_moves"][0]["move"]}), flush=True)
    elif message["type"] == "quit":
        %s
"""


def spy(tmp_path: Path, at_quit: str = "break") -> tuple[str, Path]:
    """A program that plays the first legal move, and the folder with the messages to each of its processes."""
    path, logs = tmp_path / "spy.py", tmp_path / "messages"
    logs.mkdir()
    path.write_text(SPY % (str(logs), at_quit), encoding="utf-8")
    return f"'{sys.executable}' '{path}'", logs


def hands_in(log: Path) -> int:
    """The number of hands in a log, in each of which every event is sent once, and then the end."""
    first, *messages, last = log.read_text(encoding="utf-8").splitlines()
    assert (first, last) == ("hello", "quit")
    kinds = [message.split()[0] for message in messages]
    marks = [kind for kind in kinds if kind in ("hand", "over")]
    assert marks == ["hand", "over"] * kinds.count("over")
    starts = [at for at, kind in enumerate(kinds) if kind == "hand"]
    for start, end in zip(starts, [*starts, len(messages)][1:], strict=True):
        told = [int(seq) for message in messages[start:end] if message[:6] == "events" for seq in message.split()[1:]]
        assert told == [*range(1, len(told) + 1)]
    return len(starts)


def within(seconds: float, true: Callable[[], bool]) -> bool:
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.05)
    return true()
