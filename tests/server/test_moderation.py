"""Moderation: the queue of reports, mutes, bans of players and networks, blocked words, the audit log."""

from __future__ import annotations

import ipaddress
import json
import random
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from tests.cli.running import output, refusal

from dasan.server.app import create_app
from dasan.server.connections import websocket
from dasan.server.operations import chores
from dasan.server.people.restrictions import Restrictions, network_named
from dasan.server.protocol.moderation import AddWords, Ban, BanNetwork, Dismiss, Mute, RemoveWords
from dasan.server.refusals import Refused
from dasan.server.store import Store, moderation
from dasan.server.store.moderation import HOST
from dasan.server.store.processes import Notice, Processes
from dasan.server.store.retention import Keep, prune
from dasan.server.store.schema import reports
from dasan.server.times import now

from .conftest import Opened
from .harness import ANN, SECONDS, Json, Player, Serve, Served, closed_with, fast, from_outside, ok
from .two_processes import TwoProcesses

pytestmark = pytest.mark.full
ROW = {"table_id": "t", "by": "other", "text": "x", "reason": "", "at": 1}
"""What all reports in a test share."""
WEEK = 7 * 24 * 60 * 60 * 1000


def appointed(server: Served) -> Player:
    player = server.player()
    ok(player.http.post("/api/account", json={**ANN, "name": "Mona"}))
    one = ok(player.http.get("/api/me"))["id"]
    from_outside(server, lambda store: store.moderation.appoint(one, 1))
    return player


def acted(by: Player, /, **action: Any) -> Json:
    page: Json = ok(by.http.post("/api/moderation", json={"action": action}))
    return page


def code(by: Player, /, **action: Any) -> int:
    return by.http.post("/api/moderation", json={"action": action}).status_code


class Talk:
    """Two people at a table, one of whom says something that the other reports."""

    def __init__(self, server: Served) -> None:
        self.rude, self.other = server.player(), server.player()
        self.table = self.rude.open_table("big-two", ["open", "random", "random"], name="Rude", public=True)
        ok(self.other.http.post("/api/me"))
        ok(self.other.http.post(f"/api/tables/{self.table}/commands", json={"type": "sit", "id": "sit", "name": "Bo"}))
        self.id = ok(self.rude.http.get("/api/me"))["id"]
        self._n = 0

    def say(self, text: str, player: Player | None = None) -> httpx.Response:
        self._n += 1
        body = {"type": "chat", "id": f"c{self._n}", "text": text}
        return (player or self.rude).http.post(f"/api/tables/{self.table}/commands", json=body)

    def report(self) -> None:
        message = ok(self.say("you are bad"))["seq"]
        body = {"type": "report", "id": f"r{self._n}", "message": message, "reason": "rude"}
        ok(self.other.http.post("/api/me"))
        ok(self.other.http.post(f"/api/tables/{self.table}/commands", json=body))


def test_a_report_is_answered_with_a_mute(serve: Serve) -> None:
    with serve(chat_rate=100.0, chat_burst=100) as server:
        mo, talk = appointed(server), Talk(server)
        talk.report()
        talk.report()
        page = ok(mo.http.get("/api/moderation"))
        assert (page["waiting"], [one["others"] for one in page["reports"]]) == (2, [1, 1])
        report = page["reports"][0]
        assert (report["text"], report["reason"], report["against"]["id"]) == ("you are bad", "rude", talk.id)
        page = acted(mo, type="mute", player=talk.id, hours=2, report=report["id"])
        assert (page["waiting"], page["players"][0]["id"]) == (1, talk.id)
        assert talk.say("again").status_code == 403
        reaction = {"type": "react", "id": "x", "reaction": "wow"}
        assert talk.rude.http.post(f"/api/tables/{talk.table}/commands", json=reaction).status_code == 403
        assert talk.say("hello", talk.other).status_code == 200
        page = acted(mo, type="dismiss", report=page["reports"][0]["id"])
        assert page["waiting"] == 0
        assert code(mo, type="dismiss", report=report["id"]) == 404, "it is answered"
        page = acted(mo, type="unmute", player=talk.id)
        assert page["players"] == []
        assert talk.say("sorry").status_code == 200
        actions = [(one["by"], one["action"], one["subject"]) for one in page["audit"]]
        assert actions[:3] == [("Mona", "unmute", talk.id), ("Mona", "dismiss", talk.id), ("Mona", "mute", talk.id)]
        detail = page["audit"][2]["detail"]
        assert (detail["hours"], detail["table"], detail["message"] > 0) == (2, talk.table, True)


def test_a_report_is_against_the_author_whoever_sits_there_now(serve: Serve) -> None:
    with serve(chat_rate=100.0, chat_burst=100) as server:
        mo, host, author, third = appointed(server), server.player(), server.player(), server.player()
        table = host.open_table("big-two", ["open"] * 3, name="Rita")

        def send(player: Player, **command: Any) -> Json:
            answer: Json = ok(player.http.post(f"/api/tables/{table}/commands", json=command))
            return answer

        for player in (author, third):
            ok(player.http.post("/api/me"))
        send(author, type="sit", id="sit", name="Author")
        message = send(author, type="chat", id="chat", text="an insult")["seq"]
        send(author, type="leave", id="leave")
        send(third, type="sit", id="sit", name="Third")
        send(host, type="report", id="report", message=message, reason="rude")
        (report,) = ok(mo.http.get("/api/moderation"))["reports"]
        assert report["against"]["id"] == ok(author.http.get("/api/me"))["id"]


async def test_the_page_knows_those_it_is_about_however_many_are_restricted(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moderation, "MOST_SHOWN", 3)
    store = await opened()
    for at, one in enumerate(("old", "older", "a", "b", "c", "d")):
        await store.people.rename(one, one.title(), at)
    for at, one in enumerate(("a", "d", "b", "c")):
        await store.moderation.carry_out(Ban(type="ban", player=one), HOST, 10 + at)
    await store.moderation.carry_out(Mute(type="mute", player="old", hours=1), HOST, 20)
    assert await store.moderation.restricted(21) == (["old", "c", "b"], 5)
    assert await store.moderation.restricted(20 + WEEK) == (["c", "b", "d"], 4)
    people = await store.moderation.people(["older", "old", "a"])
    assert {one: row["name"] for one, row in people.items()} == {"a": "A", "old": "Old", "older": "Older"}
    await store.close()


async def test_a_report_is_answered_for_whom_it_is_against(opened: Opened) -> None:
    store = await opened()
    for name in ("mona", "nina", "rude", "other"):
        await store.people.register(name, name, "x", 0)
    for name in ("mona", "nina"):
        await store.moderation.appoint(name, 0)

    def write(connection: sa.Connection) -> None:
        for seq, against in enumerate(("mona", "nina", "rude"), 1):
            connection.execute(sa.insert(reports), {**ROW, "id": seq, "seq": seq, "against": against})

    await store.database.write(write)
    for report in (1, 2):
        with pytest.raises(Refused, match="host can act against"):
            await store.moderation.carry_out(Dismiss(type="dismiss", report=report), "mona", 2)
    with pytest.raises(Refused, match="no such report"):
        await store.moderation.carry_out(Ban(type="ban", player="other", report=3), "mona", 2)
    assert (await store.moderation.restricted(2))[1] == 0
    await store.moderation.carry_out(Dismiss(type="dismiss", report=1), HOST, 2)
    await store.moderation.carry_out(Ban(type="ban", player="rude", report=3), "mona", 2)
    assert [report["against"] for report in (await store.moderation.queue())[0]] == ["nina"]
    await store.close()


def test_all_that_others_read_is_checked_like_chat(serve: Serve) -> None:
    with serve(chat_rate=100.0, chat_burst=100) as server:
        mo, talk = appointed(server), Talk(server)
        table = f"/api/tables/{talk.table}/commands"

        def codes(text: str) -> list[int]:
            opened = {"preset": "big-two", "seats": ["me", "open", "random", "random"], "contribution": text}
            event = {"title": text, "preset": "big-two"}
            given = {"type": "contribute", "id": text.replace(" ", "-"), "text": text}
            wanted = {table: given, "/api/tables": opened, "/api/events": event}
            return [talk.rude.http.post(path, json=body).status_code for path, body in wanted.items()]

        acted(mo, type="add-words", language="en", words=["darn"])
        assert codes("darn it") == [403, 403, 403]
        acted(mo, type="mute", player=talk.id, hours=1)
        assert codes("tea") == [403, 403, 403]
        acted(mo, type="unmute", player=talk.id)
        assert codes("tea") == [200, 201, 201]


async def test_a_mute_ends(opened: Opened) -> None:
    store = await opened()
    await store.people.rename("p", "Ann", 0)
    await store.moderation.carry_out(Mute(type="mute", player="p", hours=1), HOST, 0)
    hour = 60 * 60 * 1000
    assert [await store.moderation.muted("p", at) for at in (0, hour - 1, hour)] == [True, True, False]
    await store.close()


async def test_appointments_are_in_the_audit_log(opened: Opened) -> None:
    store = await opened()
    await store.people.register("mo", "Mona", "hash", 1)
    for at, moderator in enumerate((True, False), 2):
        await store.moderation.appoint("mo", at, moderator=moderator)
    assert [row["action"] for row in await store.moderation.audit()] == ["depose", "appoint"]
    await store.close()


def test_only_moderators_moderate(server: Served) -> None:
    ann, talk = server.player(), Talk(server)
    ok(ann.http.post("/api/account", json=ANN))
    for player in (server.player(), ann):
        assert player.http.get("/api/moderation").status_code == 403
        assert code(player, type="ban", player=talk.id) == 403
    mo = appointed(server)
    assert ok(mo.http.get("/api/me"))["moderator"] is True
    assert ok(ann.http.get("/api/me")).get("moderator") is False
    assert code(mo, type="ban", player="Mona") == 403, "not even oneself"
    assert code(mo, type="ban", player="no such player") == 404
    from_outside(server, lambda store: store.moderation.appoint(ok(mo.http.get("/api/me"))["id"], 2, moderator=False))
    assert code(mo, type="unmute", player=talk.id) == 403


def test_a_ban_by_a_moderator_takes_effect_at_once(server: Served) -> None:
    mo, ann = appointed(server), server.player()
    ok(ann.http.post("/api/account", json=ANN))
    table = ann.open_table("big-two", ["random"] * 3)
    with ann.sit(table) as socket:
        page = acted(mo, type="ban", player=ANN["name"].upper())
        assert [(one["name"], one["banned"]) for one in page["players"]] == [(ANN["name"], True)]
        assert ann.http.get("/api/me").status_code == 403
        assert closed_with(socket) == 4403
    assert server.player().http.post("/api/sign-in", json=ANN).status_code == 403
    assert acted(mo, type="unban", player=ANN["name"])["players"] == []
    ok(server.player().http.post("/api/sign-in", json=ANN))


def test_a_network_is_kept_out_and_its_sockets_close(serve: Serve) -> None:
    with serve(trusted_proxies=("127.0.0.0/8",)) as server:
        mo, talk = appointed(server), Talk(server)
        there = {"x-forwarded-for": "198.51.100.7"}

        def codes() -> list[int]:
            statuses = [
                talk.rude.http.get("/api/lobby", headers={"x-forwarded-for": f"198.51.{third}.9"}).status_code
                for third in (100, 101)
            ]
            with httpx.Client(base_url=server.address, timeout=SECONDS, verify=False) as anybody:
                statuses += [anybody.get(path, headers=there).status_code for path in ("/health", "/api/lobby")]
            return statuses

        assert codes() == [200, 200, 200, 200]
        page = acted(mo, type="ban-network", network="198.51.100.9/24", days=7)
        assert [one["network"] for one in page["networks"]] == ["198.51.100.0/24"]
        assert codes() == [403, 200, 200, 403], "the supervisor's question is answered"
        assert code(mo, type="ban-network", network="0.0.0.0/1", days=7) == 400
        assert code(mo, type="ban-network", network="nowhere", days=7) == 400
        assert code(mo, type="ban-network", network="127.0.0.0/8", days=7) == 409, "their own"
        acted(mo, type="unban-network", network="198.51.100.0/24")
        assert codes() == [200, 200, 200, 200]
        assert code(mo, type="unban-network", network="198.51.100.0/24") == 404


@pytest.mark.full
def test_sockets_of_a_banned_network_close_at_once(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also that of a browser without a cookie."""
    monkeypatch.setattr(websocket, "PROBE_EVERY", 10 * SECONDS)
    monkeypatch.setattr(chores, "READ_EVERY", 0.05)
    action = BanNetwork(type="ban-network", network="127.0.0.0/8", days=1)
    with serve() as server:
        player, stranger = server.player(), server.player()
        table = player.open_table("big-two", ["random"] * 3, settings={"spectators": True})
        with player.sit(table) as seated, stranger.sit(table) as watching:
            from_outside(server, lambda store: store.moderation.carry_out(action, HOST, now()))
            assert [closed_with(socket) for socket in (seated, watching)] == [4403, 4403]


def test_sockets_of_others_are_left_alone(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    everybody: list[int] = []
    monkeypatch.setattr(websocket.Live, "recheck_all", lambda _: everybody.append(1))
    monkeypatch.setattr(chores, "READ_EVERY", 0.05)
    with serve() as server:
        mo, talk = appointed(server), Talk(server)
        for action in ({"type": "mute", "hours": 1}, {"type": "unmute"}, {"type": "ban"}, {"type": "unban"}):
            acted(mo, **action, player=talk.id)
        acted(mo, type="add-words", language="en", words=["darn"])
        acted(mo, type="ban-network", network="198.51.100.0/24", days=7)
        acted(mo, type="unban-network", network="198.51.100.0/24")
        time.sleep(0.2)
    # The task that reads notices may see the ban before the request does.
    assert 1 <= len(everybody) <= 2, "only the ban of a network may be about anybody"


def test_bans_are_found_among_a_thousand() -> None:
    source, restrictions = random.Random(1), Restrictions()

    def address(bits: int) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
        number = source.getrandbits(8) << (bits - 8) | source.getrandbits(bits - 16)
        return ipaddress.IPv4Address(number) if bits == 32 else ipaddress.IPv6Address(number)

    banned = {
        network_named(f"{address(bits)}/{source.randint(*widths)}"): source.randint(0, 9)
        for bits, widths in ((32, (8, 32)), (128, (16, 64)))
        for _ in range(500)
    }
    restrictions.set([(str(network), until) for network, until in banned.items()], [])
    statuses = []
    for one in [address(bits) for bits in (32, 128) for _ in range(200)]:
        statuses.append(any(until > 5 and one in network for network, until in banned.items()))
        assert restrictions.bans(str(one), 5) is statuses[-1]
    assert 20 < sum(statuses) < 350


def test_refused_words_by_language(serve: Serve) -> None:
    with serve(chat_rate=100.0, chat_burst=100) as server:
        mo, talk = appointed(server), Talk(server)
        acted(mo, type="add-words", language="en", words=["darn", "shut up"])
        page = acted(mo, type="add-words", language="zh", words=["笨蛋"])
        assert page["words"] == [
            {"language": "en", "words": ["darn", "shut up"]},
            {"language": "zh", "words": ["笨蛋"]},
        ]
        texts = ("Darn!", "d\u0430rn", "SHUT  UP", "你是笨 蛋", "darning socks", "shut the door up")
        assert [talk.say(text).status_code for text in texts] == [403, 403, 403, 403, 200, 200]
        assert talk.rude.http.post("/api/me/name", json={"name": "Darn"}).status_code == 409
        body = {**ANN, "name": "darn"}
        assert server.player().http.post("/api/account", json=body).status_code == 409
        acted(mo, type="remove-words", language="en")
        assert [talk.say(text).status_code for text in texts[:4]] == [200, 200, 200, 403]


@pytest.mark.parametrize(
    "hidden", ["\u034f", "\ufe0f", "\u180b", "\u115f", "\u3164", "\u2800", "\u00ad", "\U000e0100", "\u0332"]
)
def test_a_refused_word_is_found_whatever_is_hidden_in_it(hidden: str) -> None:
    restrictions = Restrictions()
    restrictions.set([], ["darn", "p\u00e9ch\u00e9", "\u7b28\u86cb", "\u304c\u304d"])
    for word in ("darn", "d\u0101rn", "peche", "\u7b28\u86cb", "\u304c\u304d"):
        assert restrictions.refuses(f"you {word[:2]}{hidden}{word[2:]}!"), ascii(word)
    assert not restrictions.refuses("dare \u304b\u304d you"), "a voiced kana is another letter"


async def test_the_audit_log_names_the_words(opened: Opened) -> None:
    store = await opened()

    async def change(action: AddWords | RemoveWords) -> Json:
        await store.moderation.carry_out(action, HOST, 1)
        detail: Json = (await store.moderation.audit(1))[0]["detail"]
        return detail

    assert await change(AddWords(type="add-words", language="en", words=(" darn ", "heck", " "))) == {
        "words": "darn, heck"
    }
    assert await change(RemoveWords(type="remove-words", language="en", words=(" ",))) == {"words": ""}
    assert await store.moderation.words() == {"en": ["darn", "heck"]}, "a blank word is no list"
    assert await change(RemoveWords(type="remove-words", language="en", words=("heck", "else"))) == {"words": "heck"}
    assert await change(RemoveWords(type="remove-words", language="en")) == {"words": "darn"}
    many = tuple(f"word {n}" for n in range(100))
    long = await change(AddWords(type="add-words", language="en", words=many))
    assert (long["words"], len(long["sha256"])) == (100, 64)
    await store.close()


def test_where_players_come_from_is_shown_and_forgotten(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chores, "BEAT_EVERY", 0.05)
    with serve() as server:
        mo, talk = appointed(server), Talk(server)
        talk.report()
        end = time.monotonic() + SECONDS
        while _networks(server, talk.id) != ["127.0.0.1/32"]:
            assert time.monotonic() < end
            time.sleep(0.05)
        (report,) = ok(mo.http.get("/api/moderation"))["reports"]
        assert report["against"]["networks"] == ["127.0.0.1/32"]
        assert "networks" not in report["by"], "a moderator need not know where the reporter is"
        exported = ok(talk.rude.http.get("/api/account/export"))
        assert [row["network"] for row in exported["addresses"]] == ["127.0.0.1/32"]
        month = 31 * 24 * 60 * 60 * 1000
        moment = exported["addresses"][0]["seen"]
        from_outside(server, lambda store: prune(store.database, store.people, Keep(), moment + month))
        assert _networks(server, talk.id) == []


def _networks(server: Served, player: str) -> list[str]:
    networks: list[list[str]] = []

    async def read(store: Any) -> None:
        networks.append((await store.moderation.people([player]))[player]["networks"])

    from_outside(server, read)
    return networks[0]


def test_a_host_moderates_by_commands(server: Served, tmp_path: Path) -> None:
    here = ("--data-dir", server.settings.data_dir)
    ann, guest = server.player(), server.player()
    ok(ann.http.post("/api/account", json=ANN))
    name = ANN["name"]
    assert output("admin", "moderator", name, *here) == f"{name} is a moderator\n"
    assert "no account" in refusal("admin", "moderator", ok(guest.http.post("/api/me"))["id"], *here)
    one = ok(ann.http.get("/api/me"))["id"]
    assert output("admin", "mute", name, "--hours", 3, *here) == f"{one} is muted for 3 hours\n"
    assert output("admin", "unmute", name, *here) == f"{one} is no longer muted\n"
    assert "is banned for 7 days" in output("admin", "ban-network", "203.0.113.7/24", *here)
    assert "203.0.113.0/24" in output("admin", "networks", *here)
    output("admin", "unban-network", "203.0.113.0/24", *here)
    talk = Talk(server)
    talk.report()
    shown = output("admin", "reports", *here)
    assert "by Bo (" in shown
    assert f"against Rude ({talk.id})" in shown
    file = tmp_path / "words.txt"
    file.write_bytes(b"caf\xe9\n")
    assert (
        refusal("admin", "words", "en", "--add", file, *here) == f"{file} is not a list of words: it is not UTF-8 text"
    )
    file.write_text("darn\n# a list\n\nshut up\n", encoding="utf-8-sig")
    assert output("admin", "words", "en", "--add", file, *here) == "en: darn, shut up\n2 words in 1 languages\n"
    assert json.loads(output("admin", "words", "--json", *here)) == {"words": {"en": ["darn", "shut up"]}}
    assert "0 words" in output("admin", "words", "en", "--remove", *here)
    assert "name the language" in refusal("admin", "words", "--remove", *here)
    actions = [line.split("  ")[2] for line in output("admin", "audit", *here).splitlines()]
    wanted = ["remove-words", "add-words", "unban-network", "ban-network", "unmute", "mute", "appoint"]
    assert actions == wanted
    assert len(output("admin", "audit", name, *here).splitlines()) == 3
    ok(ann.http.post("/api/account/delete", json={"password": ANN["password"]}))
    assert one not in output("admin", "audit", *here), "a deleted player is in no line"


@pytest.mark.parametrize(
    ("network", "address", "inside"),
    [
        ("2001:db8:1::/48", "2001:db8:1:7::9", True),
        ("2001:db8:1:7::9", "2001:db8:1:7:5::1", True),
        ("2001:db8:1::/48", "2001:db8:2::1", False),
        ("192.0.2.0/24", "::ffff:192.0.2.7", True),
        ("192.0.2.0/24", "2001:db8::1", False),
        ("192.0.2.0/24", "testclient", False),
    ],
)
def test_addresses_in_networks(network: str, address: str, inside: bool) -> None:
    restrictions = Restrictions()
    restrictions.set([(network, WEEK)], [])
    assert restrictions.bans(address, 0) is inside
    assert not restrictions.bans(address, WEEK)


@pytest.mark.parametrize("text", ["", "0.0.0.0/0", "10.0.0.0/7", "2000::/15", "192.0.2.0/33", "host"])
def test_networks_that_are_none_or_too_wide(text: str) -> None:
    with pytest.raises(Refused):
        network_named(text)


def test_a_word_that_postgresql_cannot_store_is_refused() -> None:
    with pytest.raises(ValueError, match="no NUL"):
        AddWords(type="add-words", language="en", words=("fine", "a\0b"))


async def test_a_ban_that_is_made_while_the_server_starts_counts(tmp_path: Path) -> None:
    """By another process, right before this one begins to read notices."""
    settings = fast(tmp_path)
    settings.data_dir.mkdir()
    app = create_app(settings)
    other = await Store.open(settings.data_dir)
    notices = Processes.notices

    async def late(self: Processes, moment: int) -> tuple[Notice, ...]:
        await other.moderation.carry_out(BanNetwork(type="ban-network", network="192.0.2.0/24", days=1), HOST, now())
        return await notices(self, moment)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Processes, "notices", late)
        async with app.router.lifespan_context(app):
            assert app.state.store.people.restrictions.bans("192.0.2.7", now())
    await other.close()


async def test_of_two_moderators_one_answers_a_report(two_processes: TwoProcesses) -> None:
    store = two_processes.store
    await store.people.register("rude", "rude", "x", 0)
    await store.database.write(lambda c: c.execute(sa.insert(reports), {**ROW, "id": 1, "seq": 1, "against": "rude"}))
    first, second = await two_processes.overtake(
        lambda store: store.moderation.carry_out(Mute(type="mute", player="rude", hours=1, report=1), HOST, 2),
        lambda store: store.moderation.carry_out(Ban(type="ban", player="rude", report=1), HOST, 2),
    )
    assert first == "rude"
    assert isinstance(second, Refused)
    assert "no such report" in str(second)
    assert [one["action"] for one in await store.moderation.audit()] == ["mute"]
