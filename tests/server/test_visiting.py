"""`dasan join`: a program takes a seat at a real server's table and plays a hand."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from dasan.cli.visiting import Refusal, Visit, address

from .harness import Serve

BOT = Path(__file__).parents[2] / "examples" / "bots" / "first.py"


def test_addresses() -> None:
    assert address("http://localhost:8000/t/abc") == ("http://localhost:8000", "abc")
    assert address("https://x.example/api/tables/abc/") == ("https://x.example", "abc")
    for wrong in ("localhost:8000/t/abc", "ftp://x/t/abc", "http://x/", "http:///t/abc", "file:///t/abc"):
        with pytest.raises(Refusal, match="link of a table"):
            address(wrong)
    with pytest.raises(Refusal, match="does not answer"):
        Visit("http://127.0.0.1:9/t/abc", [sys.executable, str(BOT)], name=None, seat=None, seconds=5)


def test_a_program_plays_at_a_table(serve: Serve) -> None:
    with serve() as server:
        host = server.player()
        table = host.open_table("big-three", seats=["me", "open", "greedy"])
        url = f"{server.address}/t/{table}"
        with pytest.raises(Refusal, match="the server refuses"):
            Visit(f"{server.address}/t/nothing", [sys.executable, str(BOT)], name=None, seat=None, seconds=30)
        visit = Visit(url, [sys.executable, str(BOT)], name="Guest", seat=None, seconds=30)
        assert visit.seat == 1
        said: list[str] = []
        thread = threading.Thread(target=visit.play, args=(1, said.append))
        with host.sit(table) as socket:
            thread.start()
            socket.send(type="ready", id="r", ready=True)
            while (socket.table.get("view") or {"phase": ""})["phase"] != "over":
                view = socket.table.get("view")
                if view is not None and view["to_act"] == 0:
                    number = f"m{len(view['events'])}"
                    socket.send(type="move", id=number, move=view["legal_moves"][0]["move"])
                    socket.answer(number)
                else:
                    socket.receive()
            payments = socket.view["result"]["payments"]
        thread.join(60)
        assert visit.hands == 1
        assert visit.faults == {}
        assert said == [f"hand 1: {payments[1]:+d}"]
