"""Ambiguous input is refused: repeated keys, repeated parameters, lone surrogates, NaN."""

from __future__ import annotations

import pytest
from fastapi.routing import APIRoute

from dasan.server import api
from dasan.server.api import health
from dasan.server.api.strict import StrictRoute

from .harness import Served

pytestmark = pytest.mark.full

JSON = {"content-type": "application/json"}
SEATS = '"seats": ["me", "greedy", "greedy", "greedy"]'


def test_every_route_of_the_interface_reads_strict_json() -> None:
    routes = [route for router in api.ROUTERS if router is not health.router for route in router.routes]
    loose = [route.path for route in routes if isinstance(route, APIRoute) and not isinstance(route, StrictRoute)]
    assert loose == []


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ('{"preset": "big-two", "options": {"triples": true, "triples": false}, %s}', "says 'triples' twice"),
        ('{"preset": "big-three", "preset": "big-two", %s}', "says 'preset' twice"),
        ('{"preset": "big-two", "name": "\\ud800", %s}', "UTF-8 cannot write"),
        ('{"preset": "big-two", "options": {"fours": NaN}, %s}', "is not JSON"),
        ('{"preset": "big-two", %s', "is not JSON"),
    ],
)
def test_a_body_that_readers_would_read_differently_is_refused(server: Served, body: str, sentence: str) -> None:
    answer = server.player().http.post("/api/tables", content=body.replace("%s", SEATS), headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
    assert sentence in answer.json()["message"]


@pytest.mark.parametrize("path", ["/api/rules/big-two?triples=on&triples=off", "/api/puzzles?grade=1&grade=2"])
def test_a_parameter_is_given_once(server: Served, path: str) -> None:
    answer = server.player().http.get(path)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
    assert server.player().http.get(path.partition("&")[0]).status_code == 200
    assert server.player().http.get("/?a=1&a=2").status_code == 200  # the page's own address, which contains no option


def test_a_message_with_a_key_twice_is_refused(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-two")
    with player.sit(table_id) as socket:
        socket.raw.send('{"type":"chat","id":"a","text":"one","text":"two"}')
        assert socket.until(lambda message: message["type"] == "error")["code"] == "malformed"
        socket.send(type="chat", id="b", text="three")
        assert socket.answer("b")["type"] == "ack"
        assert [line["text"] for m in socket.messages if m["type"] == "chat" for line in m["lines"]] == ["three"]


def test_a_switch_takes_the_words_that_its_refusal_names(server: Served) -> None:
    player = server.player()
    for word, value in (("on", True), ("off", False), (True, True)):
        table_id = player.open_table("big-two", options={"triples": word})
        assert player.http.get(f"/api/tables/{table_id}").json()["table"]["options"]["triples"] is value
    answer = player.http.post("/api/tables", json={"preset": "big-two", "options": {"triples": "maybe"}})
    assert (answer.status_code, "one of off, on, not 'maybe'" in answer.json()["message"]) == (400, True)
