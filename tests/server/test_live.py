"""Tables through a real socket: whole hands, two tabs, strangers, repeated commands, errors."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

import dasan
from dasan.records.verify import verify

from .harness import Json, Serve, Served, play_hand

GAMES = [
    *((name, {}) for name in dasan.PRESETS),
    ("winner", {"players": 8, "decks": 2, "jokers": True}),
    ("winner", {"players": 3, "jokers": True, "scoring": "cards"}),
    ("big-two", {"triples": True, "pass_is_final": True, "guard": "enforced", "later_lead": "winner"}),
    ("big-three", {"show_hands_after": False, "reveal_kitty": True, "show_played": True}),
]


@pytest.mark.sampled(2, 4)
@pytest.mark.parametrize(("preset", "options"), GAMES)
def test_two_hands_of_every_game(server: Served, preset: str, options: Json) -> None:
    player = server.player()
    rules = dasan.rules(preset, **options)
    table_id = player.open_table(preset, ["random"] * (rules.players - 1), options=options)
    rng = random.Random(preset)
    with player.sit(table_id) as socket:
        assert socket.table["table"]["options"] == rules.options
        for number in (1, 2):
            assert socket.table["session"]["number"] == number
            play_hand(socket, rng)
            result = socket.view["result"]
            assert sum(result["payments"]) == 0
            assert socket.table["session"]["results"][-1]["payments"] == result["payments"]
            fresh = player.http.get(f"/api/tables/{table_id}").json()
            assert fresh == socket.table, "the fold of updates is not the snapshot"
            if number < 2:
                socket.send(type="next", id=f"next-{number}")
                assert socket.until(lambda m: m["type"] == "snapshot")["session"]["opening"][-1]["type"] == "deal"
    record = player.http.get(f"/api/tables/{table_id}/record").text
    if rules.show_hands_after:
        assert len(record.splitlines()) > 3


@pytest.mark.full
def test_a_public_record_of_finished_hands_verifies(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-two", ["random"] * 3)
    with player.sit(table_id) as socket:
        play_hand(socket, random.Random(1))
        promised = socket.table["session"]["next_commitment"]
        socket.send(type="contribute", id="mine", text="my own words 大三")
        assert socket.answer("mine")["type"] == "ack"
        socket.send(type="next", id="n")
        deal = socket.until(lambda m: m["type"] == "snapshot")["session"]["opening"][-1]
        assert deal["commitment"] == promised
        assert deal["contributions"] == ["my own words 大三"]
        play_hand(socket, random.Random(2))
    text = player.http.get(f"/api/tables/{table_id}/record").text
    assert "view" not in text.splitlines()[0], "nothing is hidden in it"
    verified = verify(text)
    assert not verified.unproved
    assert isinstance(verified.game, dasan.Session)
    assert verified.game.number == 2


@pytest.mark.full
def test_both_tabs_of_a_player_are_told(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-three", ["random", "random"])
    with player.sit(table_id) as one, player.sit(table_id) as two:
        assert one.my_turn()
        one.send(type="move", id="a", move=one.view["legal_moves"][0]["move"])
        assert one.answer("a")["type"] == "ack"
        one.my_turn()
        if two.table["seq"] < one.table["seq"]:
            two.until(lambda m: m.get("seq") == one.table["seq"])
        assert two.table == one.table


def test_a_stranger_sees_nothing_and_moves_nothing(server: Served) -> None:
    owner, stranger, nobody = server.player(), server.player(), server.player()
    table_id = owner.open_table("big-three", ["random", "random"])
    stranger.open_table("big-two", ["random"] * 3)
    for other in (stranger, nobody):
        for path in ("", "/record"):
            answer = other.http.get(f"/api/tables/{table_id}{path}")
            assert answer.status_code == 403
            assert answer.json()["code"] == "forbidden"
        with other.connect(table_id) as socket:
            assert socket.receive()["code"] == "forbidden"
            with pytest.raises(ConnectionClosed) as closed:
                socket.receive()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4403
        with other.connect(table_id) as socket, suppress(ConnectionClosed):
            socket.send(type="move", id="x", move="bid 3")
            while True:
                assert socket.receive()["code"] == "forbidden"
    assert table_id not in {t["id"] for t in stranger.http.get("/api/tables").json()}
    assert nobody.http.get("/api/tables").json() == []


def test_a_forged_cookie_is_nobody(server: Served) -> None:
    owner, thief = server.player(), server.player()
    table_id = owner.open_table("big-three", ["random", "random"])
    (cookie,) = owner.http.cookies.jar
    assert cookie.value is not None
    signed, signature = cookie.value.rsplit(".", 1)  # not its last character, whose last bits are unused
    thief.http.cookies.set(cookie.name, f"{signed}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}")
    assert thief.http.get(f"/api/tables/{table_id}").status_code == 403
    assert cookie.has_nonstandard_attr("HttpOnly")
    assert cookie.get_nonstandard_attr("SameSite") == "lax"


@pytest.mark.full
def test_spectators_of_a_public_table_watch_without_hands(server: Served) -> None:
    owner, guest = server.player(), server.player()
    table_id = owner.open_table("winner", ["random"] * 3, public=True)
    with guest.sit(table_id) as socket:
        assert socket.table["table"]["you"] is None
        assert socket.view["hand"] == []
        assert socket.view["legal_moves"] == []
        socket.send(type="move", id="x", move="3D")
        assert socket.answer("x")["code"] == "forbidden"
        with owner.sit(table_id) as mine:
            play_hand(mine, random.Random(3))
            socket.until(lambda m: m["type"] in ("update", "snapshot") and m["seq"] >= mine.table["seq"])
        socket.until(lambda m: m["type"] == "presence" and not m["presence"][0]["here"])
        assert socket.table == guest.http.get(f"/api/tables/{table_id}").json()


@pytest.mark.full
def test_a_repeated_command_is_done_once(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-three", ["random", "random"])
    with player.sit(table_id) as socket:
        assert socket.my_turn()
        move = socket.view["legal_moves"][0]["move"]
        for _ in range(3):
            socket.send(type="move", id="same", move=move)
        first, *others = [socket.answer("same") for _ in range(3)]
        assert first["type"] == "ack"
        assert others == [first, first]
        socket.send(type="move", id="same", move="something else")
        answer = socket.answer("same")
        assert (answer["type"], answer["code"]) == ("error", "malformed")
    with player.sit(table_id) as again:
        again.send(type="move", id="same", move=move)
        assert again.answer("same") == first


def test_refusals_say_which_clause(serve: Serve) -> None:
    with serve(bot_delay=60) as server:
        player = server.player()
        table_id = player.open_table("big-three", ["random", "random"])
        with player.sit(table_id) as socket:
            socket.send(type="next", id="early")
            assert socket.answer("early")["code"] == "illegal"
            for content in ({"move": ""}, {"move": 1}, {"move": "x" * 513}, {"moves": "pass"}, {}):
                socket.send(type="move", id="wrong", **content)
                assert socket.answer("wrong")["code"] == "malformed"
            if socket.view["to_act"] == 0:
                socket.send(type="move", id="high", move="bid 9")
                refusal = socket.answer("high")
                assert refusal["code"] in ("malformed", "illegal")
                socket.send(type="move", id="none", move="pass")
                refusal = socket.answer("none")
                assert (refusal["code"], refusal["clause"]) == ("illegal", "B3.08")
            else:
                socket.send(type="move", id="turn", move="bid 1")
                refusal = socket.answer("turn")
                assert (refusal["code"], refusal["message"]) == ("illegal", "it is not your turn")
            socket.send(type="ping")
            assert socket.until(lambda m: m["type"] == "pong")


@pytest.mark.full
def test_there_is_no_such_table(server: Served) -> None:
    player = server.player()
    assert player.http.get("/api/tables/nothing").status_code == 404
    with player.connect("nothing") as socket:
        assert socket.receive()["code"] == "not-found"


@pytest.mark.full
def test_tables_are_refused_with_a_reason(server: Served) -> None:
    http = server.player().http
    for body, words in (
        ({"preset": "poker"}, "poker"),
        ({"preset": "big-two", "options": {"decks": 2}}, "decks"),
        ({"preset": "big-two", "seats": ["me", "random"]}, "4 seats"),
        ({"preset": "big-two", "seats": ["me", "random", "random", "cheat"]}, "cheat"),
        ({"preset": "big-two", "seats": ["me", "me", "open", "open"]}, "one seat"),
        ({"preset": "big-two", "seats": ["random"] * 4}, "person"),
        ({"preset": "big-two", "name": "\u202e"}, "name"),
        ({"preset": "big-two", "settings": {"speed": {"kind": "move", "seconds": 1}}}, "seconds"),
        ({"preset": "big-two", "surprise": 1}, "surprise"),
    ):
        answer = http.post("/api/tables", json=body)
        assert answer.status_code == 400
        assert answer.json()["code"] == "malformed"
        assert words in answer.json()["message"]


@pytest.mark.full
def test_tables_in_the_list_tell_where_they_stand(server: Served) -> None:
    player = server.player()
    first = player.open_table("big-three", ["random", "random"])
    second = player.open_table("big-two", ["random"] * 3)
    with player.sit(first) as socket:
        play_hand(socket, random.Random(5))
        balances = socket.table["session"]["balances"]
    mine = {table["id"]: table for table in player.http.get("/api/tables").json()}
    assert list(mine) == [first, second], "the one played last comes first"
    assert mine[first]["phase"] == "over"
    assert mine[first]["balances"] == balances


@pytest.mark.full
def test_the_bots_finish_a_hand_that_has_lost_its_player(server: Served) -> None:
    """Winner continues until one player holds cards (W.18), whether or not the human is still in the hand or connected."""
    player = server.player()
    for attempt in range(20):
        table_id = player.open_table("winner", ["random"] * 3)
        with player.sit(table_id) as socket:
            while socket.my_turn():
                # The longest plays empty the hand soonest.
                best = max(socket.view["legal_moves"], key=lambda m: len(m.get("cards", [])))
                socket.send(type="move", id=f"{attempt}-{socket.table['seq']}", move=best["move"])
                socket.receive()
            if socket.view["finished"][0] == 0:
                assert len(socket.view["finished"]) >= 3
                return
    pytest.fail("never out first in twenty hands")


@pytest.mark.full
def test_rest_describes_the_games(server: Served) -> None:
    http = server.player().http
    presets = {preset["name"]: preset for preset in http.get("/api/presets").json()}
    assert list(presets) == list(dasan.PRESETS)
    players = next(option for option in presets["winner"]["options"] if option["name"] == "players")
    assert (players["minimum"], players["maximum"]) == (3, 8) or players["choices"] == [3, 4, 5, 6, 7, 8]
    pays = next(option for option in presets["big-two-hong-kong"]["options"] if option["name"] == "guard_pays")
    assert pays["needs"] == [{"values": [True], "other": "guard", "among": ["foul"], "otherwise": False}]
    assert http.get("/api/health").json()["version"] == dasan.__version__
    answer = http.get("/api/rules/big-two", params={"triples": "true", "guard": "off"}).json()
    rules = dasan.rules("big-two", triples=True, guard="off")
    assert answer["options"] == rules.options
    assert [clause["id"] for clause in answer["clauses"]] == list(rules.clauses)
    assert all(clause["text"] for clause in answer["clauses"])
    assert http.get("/api/rules/poker").status_code == 404
    assert http.get("/api/rules/big-two", params={"guard": "maybe"}).status_code == 400
    assert http.get("/api/rules/winner", params={"players": "5"}).json()["options"]["players"] == 5


@pytest.mark.full
def test_delays_are_measured_where_players_have_clocks_for_the_hand(server: Served) -> None:
    player = server.player()
    speeds = {"kind": "clock", "seconds": 600, "increment": 5}, {"kind": "move", "seconds": 600}
    by_clock, by_move = (player.open_table("big-three", ["random"] * 2, settings={"speed": speed}) for speed in speeds)
    with player.sit(by_move) as there, player.sit(by_clock) as socket:
        probe = socket.until(lambda message: message["type"] == "probe")
        socket.send(type="probe", n=probe["n"])
        socket.receive_all()
        there.receive_all()
        assert not any(message["type"] == "probe" for message in there.messages)
