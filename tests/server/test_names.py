"""Names: all are readable, and none can be mistaken for somebody else's, a bot's or the host's."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from dasan.bots import BOTS
from dasan.server.people.names import clean_name, keys, numbered
from dasan.server.people.reserved_names import check_reserved, like_a_guests
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.people import Taken, names_apart
from dasan.server.store.schema import name_keys

from .conftest import Opened
from .harness import ANN, Serve, Served, ok

GOOD = (
    *(
        "Alice",
        "Zoë",
        "O'Neil",
        "Ian",
        "Nguyễn Văn",
        "АЛИСА",
        "Ωμέγα",
        "محمد",
        "हिन्दी",
        "สมชาย",
        "김철수",
        "ようこ ヨーコ",
    ),
    *(
        "大三 player",
        "Ann-大三",
        "Guest 2",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467 Ann",
        "\U0001f3f4\u200d\u2620\ufe0f",
    ),
    *("\u2764\ufe0f", "\U0001f44d\U0001f3fd", "42"),
    *("佐々木", "မြို့", "ශ්\u200dරී", "علی\u200cرضا", "مُحَمَّد", "1\ufe0f\u20e3 Ann", "Ольга K.", "Hạ", "राम"),
)
BAD = (
    *(
        "",
        " ",
        "\u3164",
        "\u2800",
        "a\ufe0f",
        "\u115f",
        "\uffa0",
        "a\u200db",
        "\u200d",
        "\u202eAnn",
        "Ann\u200b",
        "\ud800",
    ),
    *("a\u200cb", "a\u0301\u0300\u0302\u0303", "म\u200d", "\u200cا", "1\u20e3", "a\ufe0f\u20e3"),
    *("a" + 20 * "\u0301", "\u0301a", "a\u20dd", "...", "x" * 33, "\ufdd0", "\u034f", "\U000e0041"),
)
MIXED = ("\u0410lice", "Alic\u0435", "\u03a9mega", "\u0440\u0430ypal", "Ann\u05d0")


@pytest.mark.parametrize("name", GOOD)
def test_names_of_all_scripts_and_emoji_are_good(name: str) -> None:
    assert clean_name(name) == name
    check_reserved(name)


@pytest.mark.parametrize("name", BAD)
def test_names_that_nobody_can_read_are_refused(name: str) -> None:
    with pytest.raises(Refused, match="visible characters"):
        clean_name(name)


@pytest.mark.parametrize("name", MIXED)
def test_scripts_that_are_not_used_together_are_not_mixed(name: str) -> None:
    with pytest.raises(Refused, match="single script"):
        clean_name(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice", "\u0410\u04c0\u0456\u0441\u0435"),
        ("Alice", "AIice"),
        ("Alice", "ALICE"),
        ("Alice", "\uff21lice"),
        ("Alice", "A l i c e"),
        ("modern", "modem"),
        ("Zoe\u0301", "Zo\u00e9"),
        ("scope", "\u0455\u0441\u043e\u0440\u0435"),
        ("Alice", "ALlCE"),
        ("Alice", "AL1CE"),
        ("Hosta", "H0STA"),
        ("Mike", "\u041c\u0406\u041a\u0415"),
        ("Mike", "\U0001f13c\U0001f138\U0001f13a\U0001f134"),
        ("Mike", "\U0001f17c\U0001f178\U0001f17a\U0001f174"),
        ("Mike", "\U0001f1f2\U0001f1ee\U0001f1f0\U0001f1ea"),
        ("Mike", "Mike \U0001f1e9\U0001f1ea"),
        ("Ian", "lan"),
    ],
)
def test_names_that_look_alike_have_a_key_in_common(one: str, other: str) -> None:
    assert keys(one) & keys(other)


def test_names_that_differ_have_none() -> None:
    names = ["Alice", "Alicia", "Bob", "Rob", "Ann", "Anna", "大三", "大二", "김철수", "김영수", "Zoë", "Zora"]
    names += ["राम", "रमा", "Hà", "Hạ", "Ha", "Ali", "All", "Ian", "Lan", "佐々木", "佐木"]
    for at, one in enumerate(names):
        assert not any(keys(one) & keys(other) for other in names[at + 1 :]), one


@pytest.mark.parametrize(
    "name",
    [
        *("ADMlN", "Admln", "H0ST", "\u00c0dmin", "\U0001f130\U0001f133\U0001f13c\U0001f138\U0001f13d"),
        *("LlNG", "R00T", "\U0001f1ed\U0001f1f4\U0001f1f8\U0001f1f9"),
        *("admin", "Host", "\u210cost", "H\u043est", "Ling", "Little Wei", "管理员", "Former  player", *BOTS),
        *("You", "y0u", "Vous", "你"),
        *("Ancien joueur", "已注销的玩家", "已刪除的玩家", "站长", "站長", "伺服器"),
    ],
)
def test_names_of_bots_and_hosts_are_reserved(name: str) -> None:
    with pytest.raises(Refused, match=r"reserved|single script"):
        check_reserved(clean_name(name))


def test_a_program_may_have_the_name_of_a_bot_but_not_the_hosts() -> None:
    check_reserved("greedy", program=True)
    with pytest.raises(Refused, match="reserved"):
        check_reserved("admin", program=True)


def seats(server: Served, table_id: str) -> list[dict[str, object]]:
    data: list[dict[str, object]] = server.player().http.get(f"/api/tables/{table_id}").json()["table"]["seats"]
    return data


def test_a_guest_cannot_pass_for_an_account_anywhere(server: Served) -> None:
    owner, guest = server.player(), server.player()
    ok(owner.http.post("/api/account", json={**ANN, "name": "Alice"}))
    table_id = owner.open_table("big-two", seats=["me", "open", "open", "open"], public=True, name="Somebody else")
    (mine, *_) = seats(server, table_id)
    assert (mine["name"], mine["account"]) == ("Alice", True), "an account sits under its own name, and is marked"
    for name in ("Alice", "alice", "AIice", "\u0410\u04c0\u0456\u0441\u0435"):
        body = {"name": name}
        assert guest.http.post("/api/me/name", json=body).status_code == 409
        assert guest.http.post(f"/api/tables/{table_id}/join", json=body).status_code == 409
        assert guest.http.post("/api/tables", json={"preset": "big-two", **body}).status_code == 409
        assert guest.http.post("/api/quick", json={"preset": "big-three", **body}).status_code == 409
        if name.isascii():
            assert guest.http.post("/api/account", json={**ANN, **body}).status_code == 409
    ok(guest.http.post(f"/api/tables/{table_id}/join", json={"name": "Bo"}))
    with guest.sit(table_id) as socket:
        socket.send(type="sit", id="sit", seat=2, name="AIice")
        assert socket.answer("sit")["message"] == "that name is taken"
        assert [seat.get("account") for seat in socket.table["table"]["seats"]] == [True, None, None, None]


@pytest.mark.full
def test_a_guest_whose_name_an_account_has_by_now_plays_under_a_free_one(server: Served) -> None:
    guest, owner = server.player(), server.player()
    ok(guest.http.post("/api/me/name", json={"name": "Alice"}))
    ok(owner.http.post("/api/account", json={**ANN, "name": "Alice"}))
    for body in ({}, {"name": "Alice"}):
        table_id = guest.open_table("big-two", ["random"] * 3, public=True, **body)
        assert seats(server, table_id)[0]["name"] == "Alice 2"
        assert guest.http.post("/api/quick", json={"preset": "big-three", **body}).status_code == 200
    assert guest.http.post("/api/me/name", json={"name": "Alice"}).status_code == 409, "a name that is chosen now is not"


@pytest.mark.full
def test_a_name_is_free_again_when_its_account_is_deleted(server: Served) -> None:
    owner, guest = server.player(), server.player()
    ok(owner.http.post("/api/account", json={**ANN, "name": "Alice"}))
    ok(owner.http.post("/api/account/delete", json={"password": ANN["password"]}))
    assert ok(guest.http.post("/api/me/name", json={"name": "AIice"}))["name"] == "AIice"


@pytest.mark.full
async def test_look_alike_accounts_made_at_the_same_time_are_one(opened: object) -> None:
    """Two processes have both seen that the name is free."""
    stores: list[Store] = [await opened() for _ in range(2)]  # type: ignore[operator]
    for n in range(8):
        one, other = f"Ali{n}ce", f"AIi{n}ce"
        done = await asyncio.gather(
            stores[0].people.register(f"a{n}", one, "x", 0),
            stores[n % 2].people.register(f"b{n}", other, "x", 0),
            return_exceptions=True,
        )
        assert [type(result) for result in done if result is not None] == [Taken]
    for store in stores:
        await store.close()


async def test_a_player_has_one_account(opened: object) -> None:
    store: Store = await opened()  # type: ignore[operator]
    await store.people.register("p", "Alice", "x", 0)
    with pytest.raises(Taken):
        await store.people.register("p", "Bob", "y", 0)
    assert (await store.people.by_account("alice")) is not None
    await store.close()


def test_accounts_are_marked_at_quick_matches_too(serve: Serve) -> None:
    with serve(quick_bots_after=0) as server:
        owner, guest = server.player(), server.player()
        ok(owner.http.post("/api/account", json={**ANN, "name": "Alice"}))
        marks = []
        for player in (owner, guest):
            answer = ok(player.http.post("/api/quick", json={"preset": "big-three", "bots": True}))
            people = [seat for seat in seats(server, answer["table"]) if seat["kind"] == "human"]
            marks.append([seat.get("account", False) for seat in people])
        assert marks == [[True], [False]]


async def test_an_account_that_is_opened_during_a_request_for_another_name_keeps_its_name(opened: Opened) -> None:
    """A name that was free for a guest is not kept free for the account: two could be called alike."""
    store = await opened()
    await store.people.register("p", "Ann", "x", 0)
    with pytest.raises(Refused, match="name cannot be changed"):
        await store.people.rename("p", "Bob", 1)
    await store.close()


async def test_accounts_of_earlier_versions_get_their_keys(opened: object) -> None:
    store: Store = await opened()  # type: ignore[operator]
    await store.people.register("p", "Alice", "x", 0)
    await store.database.write(lambda connection: connection.execute(name_keys.delete()))
    assert await store.people.name_owner(keys("AIice")) is None
    assert (await store.people.index_names(), await store.people.index_names()) == (1, 0)
    assert await store.people.name_owner(keys("AIice")) == "p"
    await store.close()


async def test_people_at_a_table_are_told_apart(opened: Opened) -> None:
    store = await opened()
    await store.people.register("account", "Ann 2", "hash", 1)
    party = [
        ("a", "Ann"),
        ("b", "\u0410nn"),
        ("c", "Ann"),
        ("d", "Bo"),
        ("account", "Ann 2"),
        ("e", "Guest"),
        ("f", "Guest"),
    ]
    shown = await store.database.read(lambda connection: names_apart(connection, party, {"account"}))
    assert [shown[player] for player, _ in party] == ["Ann", "\u0410nn 3", "Ann 4", "Bo", "Ann 2", "Guest", "Guest 2"]
    await store.close()


def test_guests_of_one_name_sit_down_with_different_ones(server: Served) -> None:
    """Messages say whose they are by the name, and a player is muted by it."""
    first, second, third = (server.player() for _ in range(3))
    table = first.open_table("big-two", name="Ann", seats=["me", "open", "open", "open"])

    def names() -> list[str]:
        return [seat["name"] for seat in ok(first.http.get(f"/api/tables/{table}"))["table"]["seats"]]

    for player in (second, third):
        ok(player.http.post(f"/api/tables/{table}/join", json={"name": "Ann"}))
    assert names() == ["Ann", "Ann 2", "Ann 3", ""]
    ok(second.http.post(f"/api/tables/{table}/join", json={"name": "Ann", "seat": 3}))
    assert names() == ["Ann", "", "Ann 3", "Ann 2"]
    ok(second.http.post(f"/api/tables/{table}/commands", json={"type": "leave", "id": "leave"}))
    ok(third.http.post(f"/api/tables/{table}/join", json={"name": "Ann", "seat": 1}))
    assert names() == ["Ann", "Ann 3", "", ""], "nobody takes the name of another who was perhaps muted"


def test_guests_without_a_name_get_different_ones(server: Served) -> None:
    """Also beside one who keeps the number of another seat, and in a quick match."""
    people = [server.player() for _ in range(3)]
    table = people[0].open_table("big-two", seats=["me", "open", "open", "open"])
    for player, seat in ((people[1], 1), (people[1], 3), (people[2], 1)):
        ok(player.http.post(f"/api/tables/{table}/join", json={"seat": seat}))
    seats = ok(people[0].http.get(f"/api/tables/{table}"))["table"]["seats"]
    assert [seat["name"] for seat in seats] == ["Guest 1", "Guest 3", "", "Guest 2"]
    for person in people:
        match = ok(person.http.post("/api/quick", json={"preset": "big-three", "bots": False}))
    seats = ok(people[0].http.get(f"/api/tables/{match['table']}"))["table"]["seats"]
    assert {seat["name"] for seat in seats} == {"Guest", "Guest 2", "Guest 3"}


def test_no_account_has_the_name_of_guests_without_one(server: Served) -> None:
    for name in ("Guest", "GUEST", "guest2"):
        answer = server.player().http.post("/api/account", json={**ANN, "name": name})
        assert answer.json()["message"] == "that name is reserved", (name, answer.text)
    assert server.player().http.post("/api/account", json={**ANN, "name": "Guests"}).status_code == 201


def test_names_of_guests_are_known_in_every_language_of_the_page() -> None:
    """Alone and with every number that a seat or a further guest of the name gets."""
    for path in (Path(__file__).parents[2] / "web/src/i18n").glob("*.json"):
        guest = json.loads(path.read_text("utf-8"))["join.name.guest"]
        assert all(map(like_a_guests, (guest, f"{guest} 1", *numbered(guest)))), path.stem
    assert not any(map(like_a_guests, ("Guests", "Guest of honour", "Guest 10", "Ann 2")))
