"""`dasan mcp`: the protocol's own client finds a table, joins it, reads and plays a hand."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

import dasan
from dasan.remote import site
from dasan.remote.agent import AgentSeat
from dasan.remote.site import Refusal, Site
from dasan.ruleset.clauses import LANGUAGES
from dasan.text.description import messages

from .harness import SECONDS, Serve, fast, served

pytestmark = pytest.mark.full

mcp = pytest.importorskip("mcp", reason="agents need their extra: pip install 'dasan[mcp]'")

TURN = re.compile(r"^1\. (.*)$", re.MULTILINE)


def text_of(result: Any) -> str:
    return "\n".join(part.text for part in result.content)


async def hand(client: Any, link: str) -> list[str]:
    """Every description that an agent reads while it plays a hand by the first legal move."""
    assert {tool.name for tool in (await client.list_tools()).tools} == {
        "list_tables",
        "join_table",
        "read_view",
        "play",
        "next_hand",
        "rule",
        "rules",
    }
    early = await client.call_tool("read_view", {})
    assert early.is_error
    assert "join a table first" in text_of(early)
    assert link in text_of(await client.call_tool("list_tables", {}))
    assert "You have seat 1" in text_of(await client.call_tool("join_table", {"link": link}))
    read: list[str] = []
    while "The hand is over" not in (text := text_of(await client.call_tool("read_view", {"wait_seconds": 60}))):
        read.append(text)
        if not TURN.search(text):
            continue
        if len(read) == 1:
            refused = await client.call_tool("play", {"move": "4H 5H"})
            assert refused.is_error
            assert re.search(r"clause [A-Z0-9]+\.\d\d", text_of(refused))
            for move, said in (("9999", "numbered from 1"), ("", "name a move"), ("\0", "cannot read that message")):
                wrong = await client.call_tool("play", {"move": move})
                assert wrong.is_error
                assert said in text_of(wrong)
        # Models write a number as text or as a number.
        assert "Played" in text_of(await client.call_tool("play", {"move": ("1", 1)[len(read) % 2]}))
    return [*read, text]


def test_an_agent_plays_a_hand(serve: Serve) -> None:
    """In this process; then the clauses; and the agent never reads a card that it may not see."""
    from dasan.remote.mcp_server import make_server

    with serve() as server:
        host = server.player()
        table = host.open_table(
            "big-two",
            seats=["me", "open", "greedy", "greedy"],
            settings={"visibility": "lobby"},
            options={"show_hands_after": False},
        )

        async def play() -> list[str]:
            async with mcp.Client(make_server(server.address, "Agent")) as client:
                rule = text_of(await client.call_tool("rule", {"clause": " d2.05", "language": "fr"}))
                assert rule.startswith("D2.05 ")
                assert (await client.call_tool("rule", {"clause": "X.99"})).is_error
                assert "D2.01" in text_of(await client.call_tool("rules", {"game": "big-two"}))
                return await hand(client, f"{server.address}/t/{table}")

        with host.sit(table) as socket:
            dealt: list[str] = []

            def follow() -> None:
                socket.until_seen(lambda seen: seen["view"] is not None)
                dealt.extend(socket.view["hand"])
                for number in range(1_000):
                    if not socket.my_turn():
                        return
                    socket.send(type="move", id=f"move{number}", move=socket.view["legal_moves"][0]["move"])
                    socket.answer(f"move{number}")

            async def both() -> list[str]:
                return (await asyncio.gather(play(), asyncio.to_thread(follow)))[0]

            read = asyncio.run(both())
    _, _, after = read[0].partition("The cards are being played.")
    assert "Your hand: " in after
    assert [card for card in dealt if card in after.partition("Cards left")[2]] == []
    assert "The hand is over." in read[-1]


class Line:
    """A table's socket; its messages are those that a test puts into the queue."""

    close_code = None

    def __init__(self) -> None:
        self.messages: Queue[dict[str, Any] | None] = Queue()

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def close(self) -> None:
        self.messages.put(None)

    def __iter__(self) -> Iterator[str]:
        while (message := self.messages.get()) is not None:
            yield json.dumps(message)


def test_a_number_means_a_move_of_the_list_that_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock has made the seat's move meanwhile, and it is the seat's turn again with other moves."""
    line = Line()
    monkeypatch.setattr(Site, "join", lambda *_: 2)
    monkeypatch.setattr(Site, "socket", lambda *_: line)
    agent = AgentSeat("http://localhost:8000/t/x", "Agent")
    table = {"preset": "big-two", "options": {}, "status": "playing"}

    def show(state: dasan.State) -> None:
        line.messages.put({"type": "snapshot", "table": table, "view": state.view(2).to_json()})

    first = dasan.start(dasan.rules("big-two"), ["4S", "5C", "6D 9D JC", "7H"], table="3C", table_seat=1, to_act=2)
    later = first.play("6D").play("pass").play("pass").play("pass")
    show(first)
    agent.wait(60)
    with pytest.raises(Refusal, match="read the view again"):
        agent.move_of("1")
    assert "1. play 6D" in agent.describe()
    assert (agent.move_of("2."), agent.move_of("pass")) == ("9D", "pass")
    show(later)
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        try:
            assert agent.move_of("1") == "6D"
        except Refusal as refusal:
            assert "read the view again" in str(refusal)
            break
    assert agent.move_of("9D") == "9D"
    assert "1. play 9D" in agent.describe()
    assert agent.move_of("1") == "9D"
    agent.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_waits_and_ends_in_the_language_of_the_view(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    line = Line()
    monkeypatch.setattr(Site, "join", lambda *_: 2)
    monkeypatch.setattr(Site, "socket", lambda *_: line)
    agent = AgentSeat("http://localhost:8000/t/x", "Agent")
    assert agent.describe(language) == messages(language)["waiting"].format(seat=2)
    table = {"preset": "big-two", "options": {}, "status": "ended"}
    view = dasan.deal(dasan.rules("big-two"), seed=1).view(2)
    line.messages.put({"type": "snapshot", "table": table, "view": view.to_json()})
    agent.wait(60)
    assert agent.describe(language) == f"{view.describe(language)}\n{messages(language)['ended']}"
    with pytest.raises(ValueError, match="not in 'de'"):
        agent.describe("de")
    agent.close()


def test_a_seat_that_was_closed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line()
    monkeypatch.setattr(Site, "join", lambda *_: 2)
    monkeypatch.setattr(Site, "socket", lambda *_: line)
    agent = AgentSeat("http://localhost:8000/t/x", "Agent")
    assert "has not been dealt" in agent.describe()
    agent.close()
    agent.wait(60)
    for ask in (agent.describe, agent.next_hand, lambda: agent.play("pass")):
        with pytest.raises(Refusal, match="this connection to the table was closed"):
            ask()
    agent.close()


def test_an_agent_plays_on_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move that the agent makes while the server is down is sent again, and carried out once."""
    monkeypatch.setattr(site, "FIRST_PAUSE", 0.05)
    with served(fast(tmp_path)) as server:
        table = server.player().open_table("big-two", seats=["open", "random", "random", "random"])
        agent = AgentSeat(f"{server.address}/t/{table}", "Agent")
        agent.wait(SECONDS)
        agent.describe()
        move = agent.move_of("1")
    agent.wait(0)
    with pytest.raises(Refusal, match=r"no connection to .* at the moment"):
        agent.describe()
    refusals: list[Refusal] = []

    def play() -> None:
        try:
            agent.play(move)
        except Refusal as refusal:
            refusals.append(refusal)

    thread = threading.Thread(target=play)
    thread.start()
    with served(fast(tmp_path)) as server:
        agent._site.server = server.address
        thread.join(SECONDS)
        assert not thread.is_alive()
        assert refusals == []
        agent.wait(SECONDS)
        assert "Your hand: " in agent.describe()
        agent.close()
        with pytest.raises(Refusal, match="was closed"):
            agent.describe()


def test_open_seats_are_counted_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    from dasan.remote.mcp_server import make_server

    tables = [{"id": str(n), "title": "Winner", "players": 4, "open": n} for n in (1, 3)]
    monkeypatch.setattr(Site, "get", lambda site, path: {"open": tables})

    async def ask() -> str:
        async with mcp.Client(make_server("http://localhost:1", "Agent")) as client:
            return text_of(await client.call_tool("list_tables", {}))

    assert [line.partition(": ")[2] for line in asyncio.run(ask()).splitlines()] == [
        "Winner, 4 players, 1 open seat",
        "Winner, 4 players, 3 open seats",
    ]


def test_over_standard_input_and_output(serve: Serve) -> None:
    with serve() as server:
        program = mcp.StdioServerParameters(
            command=sys.executable, args=["-m", "dasan", "mcp", "--server", server.address]
        )

        async def ask() -> str:
            async with mcp.Client(program) as client:
                return text_of(await client.call_tool("list_tables", {}))

        assert "No table has an open seat" in asyncio.run(ask())
