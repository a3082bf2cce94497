"""Notifications of a running server: Web Push, e-mails, slow receivers, and a kill."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from dasan.server.notifications import push, sending
from dasan.server.notifications.words import LANGUAGES, TEXTS, written
from dasan.server.people.reserved_names import FORMERS, GUESTS
from dasan.server.store import notifications
from dasan.server.store.database import DATABASE_FILE
from dasan.server.times import HOUR

from .harness import SECONDS, Player, Serve, Served, account, ok, refusal, towards
from .own_process import process
from .receivers import decoded, link_in, mail_by, post_office, push_service, text_of

CATALOGUES = Path(__file__).parents[2] / "web" / "src" / "i18n"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "LOOK_EVERY", 0.02)
    monkeypatch.setattr(notifications, "MAIL_WAITS", 0)


def become_friends(one: Player, other: Player) -> None:
    names = [ok(player.http.get("/api/me"))["account"] for player in (one, other)]
    towards(one, "follow", names[1])
    towards(other, "follow", names[0])


def slow_table(host: Player, guest: Player) -> str:
    """A correspondence game of two people and bots."""
    settings = {"speed": {"kind": "correspondence", "days": 2}, "spectators": False}
    table = host.open_table("big-two", seats=["me", "open", "random", "random"], settings=settings)
    ok(guest.http.post(f"/api/tables/{table}/join", json={}))
    return table


def moved(server: Served, table: str, players: list[Player]) -> Player:
    """Make the first legal move of the player to act; wait until it is another one's turn; return that player."""
    end = time.monotonic() + SECONDS

    def mover() -> Player | None:
        for player in players:
            view = ok(player.http.get(f"/api/tables/{table}"))["view"]
            if view is not None and view["to_act"] == view["seat"]:
                return player
        return None

    while (before := mover()) is None:
        assert time.monotonic() < end
        time.sleep(0.02)
    view = ok(before.http.get(f"/api/tables/{table}"))["view"]
    command = {"type": "move", "id": "first", "move": view["legal_moves"][0]["move"]}
    ok(before.http.post(f"/api/tables/{table}/commands", json=command))
    while (after := mover()) in (None, before):
        assert time.monotonic() < end
        time.sleep(0.02)
    assert after is not None
    return after


@pytest.mark.full
def test_a_turn_and_an_invitation_reach_the_browser_encrypted(serve: Serve) -> None:
    with push_service() as service, serve(push_private=1) as server:
        ada, bo = account(server, "Ada"), account(server, "Bob")
        become_friends(ada, bo)
        browsers = {name: service.browser(name) for name in ("Ada", "Bob")}
        for player, name in ((ada, "Ada"), (bo, "Bob")):
            chosen = ok(player.http.post("/api/notifications/browsers", json=browsers[name].subscription()))
            assert len(chosen["browsers"]) == 1
        wishes = {**chosen["wishes"], "language": "fr"}
        key = ok(bo.http.post("/api/notifications", json=wishes))["key"]

        table = ada.open_table("big-two", seats=["me", "open", "open", "open"])
        ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Bob"}))
        ((path, headers, body),) = service.wait(1)
        assert path == "/push/Bob"
        message = browsers["Bob"].read(body)
        assert message == {
            "title": "Invitation à une table",
            "body": "Ada vous invite à une table.",
            "tag": f"invitation {table}",
            "path": f"/t/{table}",
            "language": "fr",
        }
        assert (headers["content-encoding"], headers["ttl"]) == ("aes128gcm", "86400")
        kind, _, rest = headers["authorization"].partition(" ")
        signed = dict(part.strip().split("=", 1) for part in rest.split(","))
        assert (kind, signed["k"]) == ("vapid", key)
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(key))
        claims = jwt.decode(signed["t"], point, algorithms=["ES256"], audience="http://127.0.0.1")
        assert claims["sub"] == "mailto:postmaster@localhost"
        assert claims["exp"] < time.time() + 86_401
        ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Bob"}))

        slow = slow_table(ada, bo)
        waits = moved(server, slow, [ada, bo])
        name = "Ada" if waits is ada else "Bob"
        end = time.monotonic() + SECONDS

        def told() -> list[dict[str, Any]]:
            """The messages about this table to the player to act."""
            read = (browsers[name].read(body) for path, _, body in service.posted if path == f"/push/{name}")
            return [message for message in read if message["tag"] == f"turn {slow}"]

        while not told():
            assert time.monotonic() < end
            time.sleep(0.02)
        (message,) = told()
        assert message["path"] == f"/t/{slow}"
        said = {"Ada": "It is your turn at the table with Bob.", "Bob": "C’est votre tour à la table avec Ada."}
        assert message["body"] == said[name], "bots, whom the page calls by other names, are not named"
        view = ok(waits.http.get(f"/api/tables/{slow}"))["view"]
        cards = {move["move"] for move in view["legal_moves"]} - {"pass"}
        assert not any(card in json.dumps(message) for move in cards for card in move.split()), "no card is told"


@pytest.mark.full
def test_a_browser_that_has_gone_or_signs_out_is_told_no_more(serve: Serve) -> None:
    with push_service() as service, serve(push_private=1) as server:
        ada, bo = account(server, "Ada"), account(server, "Bob")
        become_friends(ada, bo)
        ok(bo.http.post("/api/notifications/browsers", json=service.browser().subscription()))
        service.statuses = [410]
        tables = [ada.open_table("big-two", seats=["me", "open", "open", "open"]) for _ in range(2)]
        ok(ada.http.post(f"/api/tables/{tables[0]}/invite", json={"name": "Bob"}))
        service.wait(1)
        end = time.monotonic() + SECONDS
        while ok(bo.http.get("/api/notifications"))["browsers"]:
            assert time.monotonic() < end
            time.sleep(0.02)
        ok(bo.http.post("/api/notifications/browsers", json=service.browser("two").subscription()))
        ok(bo.http.post("/api/sign-out?everywhere=true", json={}))
        ok(bo.http.post("/api/sign-in", json={"name": "Bob", "password": "correct horse"}))
        assert ok(bo.http.get("/api/notifications"))["browsers"] == []
        ok(ada.http.post(f"/api/tables/{tables[1]}/invite", json={"name": "Bob"}))
        time.sleep(0.2)
        assert len(service.posted) == 1


@pytest.mark.full
def test_letters_are_sent_after_confirmation_and_end_by_their_link(serve: Serve) -> None:
    with post_office() as office, serve(**mail_by(office), sign_in_burst=100) as server:
        ada, bo, anybody = account(server, "Ada"), account(server, "Bob"), server.player()
        become_friends(ada, bo)
        wishes = ok(bo.http.get("/api/notifications"))["wishes"]
        ok(bo.http.post("/api/notifications", json={**wishes, "language": "zh-Hans"}))
        wrong = bo.http.post("/api/notifications/address", json={"address": "bob@nowhere\nbcc: x@y.example"})
        assert refusal(wrong) == (400, "this is not an e-mail address")
        asked = ok(bo.http.post("/api/notifications/address", json={"address": "bob@mail.example"}))
        assert (asked["address"], asked["confirmed"]) == ("bob@mail.example", False)
        question = office.wait(1)
        assert (question["To"], question["Subject"]) == ("bob@mail.example", TEXTS["zh-Hans"]["confirm"])
        assert question["Content-Language"] == "zh-Hans"
        assert "Bob" in text_of(question)
        again = bo.http.post("/api/notifications/address", json={"address": "bob@mail.example"})
        assert refusal(again)[0] == 429
        tables = [ada.open_table("big-two", seats=["me", "open", "open", "open"]) for _ in range(3)]
        ok(ada.http.post(f"/api/tables/{tables[0]}/invite", json={"name": "Bob"}))
        token = link_in(question)
        assert refusal(anybody.http.post("/api/letters/wrong/confirm", json={}))[0] == 404
        assert ok(anybody.http.post(f"/api/letters/{token}/confirm", json={})) == {"letters": True}

        ok(ada.http.post(f"/api/tables/{tables[1]}/invite", json={"name": "Bob"}))
        letter = office.wait(2)
        assert "Ada邀请你上桌。" in text_of(letter)
        assert f"https://cards.example/t/{tables[1]}" in text_of(letter), "the one before was not confirmed"
        one_click = f"/api/letters/{token}/unsubscribe"
        assert letter["List-Unsubscribe"] == f"<https://cards.example{one_click}>"
        assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert letter["Auto-Submitted"] == "auto-generated"
        form = {"List-Unsubscribe": "One-Click"}
        assert ok(anybody.http.post(one_click, data=form)) == {"letters": False}
        assert refusal(anybody.http.post(one_click, data=form))[0] == 404
        ok(ada.http.post(f"/api/tables/{tables[2]}/invite", json={"name": "Bob"}))
        time.sleep(0.2)
        assert len(office.letters) == 2
        assert ok(bo.http.get("/api/notifications"))["address"] is None

        office.refused.add("ada@mail.example")
        ok(ada.http.post("/api/notifications/address", json={"address": "ada@mail.example"}))
        end = time.monotonic() + SECONDS
        while ok(ada.http.get("/api/notifications"))["address"] is not None:
            assert time.monotonic() < end, "an address that takes no letters is forgotten"
            time.sleep(0.02)


@pytest.mark.full
def test_an_account_cannot_flood_an_address_with_questions(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "ASK_EVERY", 0)
    with post_office() as office, serve(**mail_by(office), letter_burst=3) as server:
        ada, bo = account(server, "Ada"), account(server, "Bob")

        def ask(player: Player, address: str) -> int:
            return player.http.post("/api/notifications/address", json={"address": address}).status_code

        assert [ask(ada, "victim@mail.example") for _ in range(4)] == [200, 200, 200, 429]
        assert ask(ada, "other@mail.example") == 429, "nor can it ask one address after another"
        assert ask(bo, "VICTIM@mail.example") == 429, "nor can another account go on"
        assert ask(bo, "bob@mail.example") == 200
        office.wait_for("bob@mail.example")
        assert len(office.letters) <= 4


@pytest.mark.full
def test_refused_questions_do_not_use_up_those_of_the_addresss_owner(serve: Serve) -> None:
    with post_office() as office, serve(**mail_by(office), letter_burst=4) as server:
        stranger, owner = account(server, "Ada"), account(server, "Bob")
        wanted = {"address": "bob@mail.example"}
        asked = [stranger.http.post("/api/notifications/address", json=wanted).status_code for _ in range(4)]
        assert asked == [200, 429, 429, 429], "an account asks once a minute"
        assert owner.http.post("/api/notifications/address", json=wanted).status_code == 200


@pytest.mark.full
def test_slow_push_services_of_one_player_delay_nobody_else(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(push, "ANSWERS_IN", 10 * SECONDS)
    monkeypatch.setattr(push, "LASTS", 10 * SECONDS)
    with push_service() as service, serve(push_private=1) as server:
        ada, bo, cy = account(server, "Ada"), account(server, "Bob"), account(server, "Cyd")
        for one in (bo, cy):
            become_friends(ada, one)
        for n in range(2 * sending.EACH):
            ok(bo.http.post("/api/notifications/browsers", json=service.browser(f"slow-{n}").subscription()))
        ok(cy.http.post("/api/notifications/browsers", json=service.browser("Cyd").subscription()))
        table = ada.open_table("big-two", seats=["me", "open", "open", "open"])
        ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Bob"}))
        service.wait(sending.EACH)
        ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Cyd"}))
        *waiting, (path, _, _) = service.wait(sending.EACH + 1)
        assert path == "/push/Cyd"
        assert len(waiting) == sending.EACH
        service.answers.set()
        service.wait(2 * sending.EACH + 1)


@pytest.mark.full
def test_a_kill_while_sending_loses_nothing_and_repeats_nothing_forever(tmp_path: Path) -> None:
    with push_service() as service:
        service.slow = "/push/Bob"
        browser = service.browser("Bob")
        for tries in (1, 2, notifications.MOST_TRIES):
            with process(tmp_path, DASAN_PUSH_PRIVATE="1") as (server, child):
                if tries == 1:
                    people = [Player(server, httpx.Client(base_url=server.address, timeout=SECONDS)) for _ in range(2)]
                    for player, name in zip(people, ("Ada", "Bob"), strict=True):
                        credentials = {"name": name, "password": "correct horse"}
                        assert player.http.post("/api/account", json=credentials).status_code == 201
                    ada, bo = people
                    become_friends(ada, bo)
                    ok(bo.http.post("/api/notifications/browsers", json=browser.subscription()))
                    table = ada.open_table("big-two", seats=["me", "open", "open", "open"])
                    ok(ada.http.post(f"/api/tables/{table}/invite", json={"name": "Bob"}))
                    for player in people:
                        player.http.close()
                service.wait(min(tries, 3))
                child.send_signal(signal.SIGKILL)
                child.wait(SECONDS)
            with closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as connection, connection:
                ((taken, due),) = connection.execute("SELECT tries, due FROM outbox").fetchall()
                assert taken == tries
                assert due <= int(time.time() * 1000) + notifications.TAKEN_FOR, "it is sent again within a minute"
                if tries == 2:
                    connection.execute("UPDATE outbox SET tries = ?", [notifications.MOST_TRIES - 1])
                connection.execute("UPDATE outbox SET due = 0")
        assert len({browser.read(body)["tag"] for _, _, body in service.posted}) == 1, "the browser shows one"
        with process(tmp_path, DASAN_PUSH_PRIVATE="1"):
            end = time.monotonic() + SECONDS
            with closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as connection:
                while connection.execute("SELECT count(*) FROM outbox").fetchone() != (0,):
                    assert time.monotonic() < end, "it is given up"
                    time.sleep(0.05)
        assert len(service.posted) == 3


@pytest.mark.full
def test_an_event_that_begins_is_announced_once(serve: Serve) -> None:
    with push_service() as service, serve(push_private=1) as server:
        ada = account(server, "Ada")
        browser = service.browser()
        ok(ada.http.post("/api/notifications/browsers", json=browser.subscription()))
        event = ada.open_event(after=1500, title="Friday")
        guest = server.player().http.post(f"/api/events/{event}/reminder", json={"wanted": True})
        assert refusal(guest)[0] == 403
        assert ok(ada.http.post(f"/api/events/{event}/reminder", json={"wanted": True})) == {
            "wanted": True,
            "reaches": True,
        }
        assert ok(ada.http.get(f"/api/events/{event}/reminder")) == {"wanted": True, "reaches": True}
        ((_, _, body),) = service.wait(1)
        assert browser.read(body)["title"] == "Friday has begun"
        time.sleep(0.2)
        assert len(service.posted) == 1
        late = ada.http.post(f"/api/events/{event}/reminder", json={"wanted": True})
        assert refusal(late) == (409, "the event has already begun")


@pytest.mark.full
def test_a_reminder_tells_whether_it_would_reach_the_player(serve: Serve) -> None:
    with post_office() as office, push_service() as service, serve(**mail_by(office), push_private=1) as server:
        ada = account(server, "Ada")
        event = ada.open_event(after=HOUR)

        def reaches() -> bool:
            told = ok(ada.http.get(f"/api/events/{event}/reminder"))
            assert told == ok(ada.http.post(f"/api/events/{event}/reminder", json={"wanted": told["wanted"]}))
            return bool(told["reaches"])

        assert not reaches()
        ok(ada.http.post("/api/notifications/address", json={"address": "ada@mail.example"}))
        assert not reaches(), "the address is not confirmed"
        ok(ada.http.post(f"/api/letters/{link_in(office.wait(1))}/confirm", json={}))
        assert reaches()
        ok(ada.http.post("/api/notifications/address", json={"address": None}))
        assert not reaches()
        ok(ada.http.post("/api/notifications/browsers", json=service.browser().subscription()))
        assert reaches()
        wishes = ok(ada.http.get("/api/notifications"))["wishes"]
        ok(ada.http.post("/api/notifications", json={**wishes, "event": False}))
        assert not reaches()
        assert ok(server.player().http.get(f"/api/events/{event}/reminder")) == {"wanted": False, "reaches": False}


def test_the_deal_of_the_day_guests_and_deleted_players_are_called_as_on_the_page() -> None:
    assert set(GUESTS) == set(FORMERS) == set(LANGUAGES)
    for language in LANGUAGES:
        catalogue = json.loads((CATALOGUES / f"{language}.json").read_text(encoding="utf-8"))
        assert catalogue["join.name.guest"] == GUESTS[language]
        assert catalogue["seat.former"] == FORMERS[language]
        assert catalogue["duplicate.daily"] in written("event", language)[0]
    assert written("turn", "zh-Hans", ["Guest 2", "Guest of honour", "Special Guest"])[1].count("游客") == 1
    assert written("turn", "fr", ["Former player", "Former players"])[1].endswith("avec Ancien joueur, Former players.")


def test_every_language_has_every_text() -> None:
    assert tuple(TEXTS) == LANGUAGES
    for texts in TEXTS.values():
        assert set(texts) == set(TEXTS["en"])
        for key, text in texts.items():
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", TEXTS["en"][key])), key
