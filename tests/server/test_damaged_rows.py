"""Damaged or hostile rows: one must not stop what the server does with the others, and nothing of it stays for ever."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import sqlalchemy as sa

from dasan.errors import BadRecord
from dasan.server.api.hands import summaries
from dasan.server.protocol.commands import NextCommand
from dasan.server.protocol.groups import GroupRules
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.backups import dump
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.hand import finished
from dasan.server.store.log import Cause, Write, WrittenEntry
from dasan.server.store.notifications import USUAL, Subscription, put_out
from dasan.server.store.ratings import differences
from dasan.server.store.retention import Keep, prune
from dasan.server.store.schema import (
    duplicates,
    events,
    group_keys,
    group_members,
    group_tables,
    groups,
    hand_seats,
    hands,
)
from dasan.server.store.schema import tables as rows
from dasan.server.store.table_rows import insert_room
from dasan.server.tables import due_tables
from dasan.server.tables.decisions import by_itself, decide
from dasan.server.tables.directory import Tables
from dasan.server.tables.room import Entry, fold
from dasan.server.times import DAY

from .conftest import Opened, new_database
from .harness import RATED, fast
from .rooms import everybody, move, moved, open_table, room_of
from .test_event_store import EVENT

pytestmark = pytest.mark.full

Json: TypeAlias = Any

TEXTS = ("", "{", '{"type":"chat"', "[" * 100_000, "7" * 5000, "{}}", '{"chairs":[', "\udcff{}")
"""Texts that are no JSON, or no UTF-8. Only SQLite stores them in a column for JSON."""
VALUES: tuple[Json, ...] = (
    *(None, True, 7, -1, 10**30, 1e300, "", "rubbish", "a\u0000b", [], [[]], {}, {"a": {}}, [None] * 3, ["x", "y", "z"]),
    *([[1, 2, 3]], {"chairs": None}, {"chairs": [7]}, {"chairs": [["human", 7, []]] * 3}, {"seq": 10**9}, {"seq": -1}),
    {"type": "chat"},
)
"""JSON of the wrong kind."""
COLUMNS: tuple[sa.Column[Any], ...] = (
    *(rows.c[name] for name in ("rules", "settings", "opened", "summary", "checkpoint")),
    *(hands.c[name] for name in ("result", "opening", "record")),
    *(duplicates.c[name] for name in ("rules", "settings")),
    *(groups.c[name] for name in ("options", "chairs", "settings")),
    events.c.line,
)
"""Columns with JSON."""
SECRET = "a player who goes"
PEOPLE = ("p0", SECRET, "p2")


async def furnish(store: Store) -> None:
    """``bad`` and ``good``: rated tables in the middle of a second hand, of two groups; and two events."""
    for name in PEOPLE:
        await store.people.register(name, f"Name {name[0]}{name[1]}", "hash", 1)
    for name in ("bad", "good"):
        rules = GroupRules(preset="big-three", options={}, seats=["me", "open", "open"], settings=TableSettings())
        made = await store.groups.create("p0", f"Club {name}", rules, 1)
        await store.database.write(partial(_rename, made=made, name=name))
        await play(store, name)
        await store.duplicates.create(replace(EVENT, id=name))
    browser = Subscription("browser", "https://push.example/1", "k", "a", "agent", 1)
    await store.people.sign_in("session", "p0", "", 1)
    await store.notifications.subscribe("p0", "session", browser)
    await store.notifications.wish("p0", USUAL)


def _rename(connection: sa.Connection, made: str, name: str) -> None:
    """Give a new group the id ``name``."""
    row = connection.execute(sa.select(groups).where(groups.c.id == made)).mappings().one()
    connection.execute(sa.insert(groups), {**row, "id": name, "link": f"link {name}"})
    for table in (group_keys, group_members):
        connection.execute(sa.update(table).where(table.c.group_id == made).values(group_id=name))
    connection.execute(sa.delete(groups).where(groups.c.id == made))


async def play(store: Store, name: str) -> None:
    """A hand and the beginning of another, with chat of each player before and after the second deal."""
    settings = {**RATED, "visibility": "lobby", "spectators": True}
    room = room_of("big-three", ["p0", "p1", "p2"], seed=name.encode().ljust(128), **settings)
    chairs = tuple(replace(chair, player=player) for chair, player in zip(room.chairs, PEOPLE, strict=True))
    room = replace(room, head=replace(room.head, id=name), chairs=chairs)
    row = {"table_id": name, "group_id": name, "at": 1}
    await store.database.write(lambda c: (insert_room(c, room), c.execute(sa.insert(group_tables), row)))
    fence = await store.leases.claim(name, "me", 1)
    rng = random.Random(name)

    async def add(entry: Entry, player: str | None = None) -> None:
        nonlocal room
        at = room.at + 1000
        after = fold(room, entry, at)
        over = finished(after) if after.over and not room.over else None
        cause = None if player is None else Cause(player, str(room.seq), "digest")
        written = (WrittenEntry(room.seq, at, entry, cause),)
        assert fence is not None
        await store.log.append(Write(after, fence, written, dealt=entry["type"] == "deal", finished=over))
        room = after

    async def go_on() -> None:
        while (entry := by_itself(room, room.at, everybody(room))) is not None:
            await add(entry)

    while True:
        await go_on()
        for seat, player in enumerate(PEOPLE):
            await add({"type": "chat", "seat": seat, "name": room.chairs[seat].name, "text": f"{player} says"}, player)
        while not room.over and (room.number == 1 or len(room.moves) < 4):
            assert room.state is not None
            assert room.to_act is not None
            player = PEOPLE[room.to_act]
            await add(decide(room, player, move(room, str(rng.choice(room.state.legal_moves())))), player)
        if room.number == 2:
            break
        for player in PEOPLE:
            await add(decide(room, player, NextCommand(type="next", id="n")), player)
    await store.leases.release(name, "me", fence or 0)


async def change(store: Store, *statements: sa.Update | sa.Insert) -> None:
    """Carry out these statements."""

    def do(connection: sa.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    await store.database.write(do)


def damage(connection: sa.Connection, column: sa.Column[Any], text: str, seq: int = 0) -> None:
    """Write this text into a column of a damaged row."""
    table = column.table
    key = {"hands": "table_id", "events": "table_id"}.get(table.name, "id")
    where = f"{key} = 'bad'" + (f" AND seq = {seq}" if table is events.c.seq.table else "")
    if connection.dialect.name == "sqlite":
        value = sa.bindparam("value", text.encode("utf-8", "surrogateescape"), sa.LargeBinary)
        cast = "CAST(:value AS TEXT)"
    else:
        value, cast = (
            sa.bindparam("value", text),
            "CAST(:value AS JSON)" if isinstance(column.type, sa.JSON) else ":value",
        )
    statement = sa.text(f"UPDATE {table.name} SET {column.name} = {cast} WHERE {where}")
    assert connection.execute(statement.bindparams(value)).rowcount >= 1


async def live_on(store: Store, folder: Path) -> None:
    """All that a server and its host do with the rows of others must work beside a damaged one."""
    at = 90 * DAY
    lobby = await store.listings.lobby(100_000)
    assert "good" in [table.id for table in lobby.live]
    assert "good" in [table.id for table in await store.listings.mine("p0")]
    assert (await store.overviews.tables(None, 9)).total == 2
    assert len(await store.groups.of_player("p0")) == 2
    assert [table.id for table in (await store.groups.load("good", "p0")).tables] == ["good"]
    new = room_of("big-three", ["p0", "open", "open"])
    await store.groups.open_table("good", "p0", replace(new, head=replace(new.head, id="new")), 2)
    assert "good" in [event.id for event in await store.duplicates.listed(0, 1)]
    assert set(await store.duplicates.closing(at)) == {"bad", "good"}
    mine, _ = await store.hands.of_player("p0", None)
    assert len(mine) == 2
    assert [one.number for one in summaries([hand for hand in mine if hand.table == "good"], "p0")] == [1]
    assert len(summaries(mine, "p0")) >= 1
    await store.database.read(differences)
    await store.moderation.people(["nobody", *PEOPLE])
    for name in ("bad", "good"):
        await store.database.write(partial(put_out, wanted=["p0"], kind="turn", subject=name, now=1))
    await store.notifications.take(2)
    await change(store, sa.update(rows).where(rows.c.id == "bad").values(deadline=None))
    async with Tables(store, fast(folder, idle_seconds=0)) as here:
        for table_id in ("bad", "good"):
            try:
                await here.look(table_id)
                await here.detail(table_id, "p0")
                await here.detail(table_id, "p2")
            except Refused:
                assert table_id == "bad"
        await here._due.look_over()
    await change(store, sa.update(rows).values(lease_until=0))
    await store.people.export(SECRET)
    await prune(store.database, store.people, Keep(1, 1, 1, 1), at, dry=True)
    await store.people.delete(SECRET, at)
    backup = folder / "backup.gz"
    await store.database.read(lambda c: dump(c, backup))
    assert SECRET not in gzip.decompress(backup.read_bytes()).decode()
    await prune(store.database, store.people, Keep(1, 1, 1, 1), at)
    left = {row["id"] for row in (await store.overviews.tables(None, 9)).rows}
    for table_id in left:
        assert (await store.log.load(table_id)).room.in_binding_hand, "its hand can be finished"
    assert "good" in left


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file of a store as `furnish` makes it."""
    folder = tmp_path_factory.mktemp("furnished")

    async def make() -> None:
        store = await Store.open(folder)
        await furnish(store)
        await store.close()

    asyncio.run(make())
    return folder / DATABASE_FILE


def cases(column: sa.Column[Any]) -> list[str]:
    """Damaged contents of a column: texts that are no JSON, and other JSON than the server wrote."""
    rng = random.Random(str(column))
    return [*rng.sample(TEXTS, 2), *map(json.dumps, rng.sample(VALUES, 3))]


@pytest.mark.sampled(2, 7)
@pytest.mark.parametrize("column", COLUMNS, ids=str)
async def test_a_damaged_row_stops_nothing(
    column: sa.Column[Any], furnished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(due_tables, "BETWEEN", 0)
    for number, text in enumerate(cases(column)):
        folder = tmp_path / str(number)
        folder.mkdir()
        shutil.copy(furnished, folder)
        store = await Store.open(folder)
        await store.database.write(partial(damage, column=column, text=text, seq=number * 20))
        await live_on(store, folder)
        await store.close()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (rows.c.settings, {"rated": "rubbish", "speed": 7}),
        (rows.c.opened, {"host": "p0", "contributions": {"0": "a\u0000b"}}),
        (events.c.line, [[]]),
    ],
    ids=["no boolean", "a NUL", "no entry"],
)
async def test_a_damaged_row_stops_nothing_in_postgres(
    column: sa.Column[Any], value: Json, postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL stores only JSON, but reads no value of JSON that has a NUL, and no boolean in another text."""
    monkeypatch.setattr(due_tables, "BETWEEN", 0)
    store = await Store.open(tmp_path, await new_database(postgres_url))
    await furnish(store)
    await store.database.write(lambda c: damage(c, column, json.dumps(value), seq=2))
    await live_on(store, tmp_path)
    await store.close()


async def test_a_table_with_a_damaged_checkpoint_is_read_from_the_start_of_its_log(opened: Opened) -> None:
    store = await opened()
    room, fence = await open_table(store)
    await store.log.append(moved(room, fence, "a"))
    whole = (await store.log.load("table")).room
    stored: Json = await store.database.read(lambda c: c.scalar(sa.select(rows.c.checkpoint)))
    deal = stored["deal"]
    wrong: dict[str, tuple[Json, ...]] = {
        "seq": (room.seq - 1, room.seq + 1, True),
        "at": (None, "1", 1.0),
        "status": ("ended", None),
        "host": (7, []),
        "locked": (0, None),
        "balances": ([], ["0"] * 3, [0.5] * 3),
        "clock": ([[], None], [["1"] * 3, 1], [[1], 1]),
        "chairs": (stored["chairs"][1:],),
        "deal": (
            *({**deal, "deal": {**deal["deal"], **_swapped(deal["deal"], card)}} for card in ("4C", "KC")),
            json.loads(_two_hands(json.dumps(deal))),
        ),
    }
    damaged: list[Json] = [None, 7, [], {}, {"seq": -1}, {"seq": room.seq}, {"seq": 10**30}]
    damaged += [{**stored, name: value} for name, values in wrong.items() for value in values]
    for checkpoint in damaged:
        await change(store, sa.update(rows).values(checkpoint=checkpoint))
        assert (await store.log.load("table")).room == whole
        assert (await store.log.load("table", room.seq)).room.seq == room.seq
        assert (await store.log.as_it_was("table", room.at)).seq == room.seq
    await store.close()


def _swapped(deal: Json, card: str) -> Json:
    """The cards of a deal with one card of a hand, and one of the kitty, in each other's place."""
    (hand,) = (hand for hand in deal["hands"] if card in hand)
    other = deal["kitty"].split()[0]
    hands = [one.replace(card, other) if one == hand else one for one in deal["hands"]]
    return {"hands": hands, "kitty": deal["kitty"].replace(other, card)}


def _other_card(line: str) -> str:
    assert " 4C " in line
    return line.replace(" 4C ", " 6D ")


def _two_hands(line: str) -> str:
    """The second cards of two hands in each other's place: every hand is as large, and the pack complete."""
    entry = json.loads(line)
    hands = [hand.split() for hand in entry["deal"]["hands"]]
    hands[0][1], hands[1][1] = hands[1][1], hands[0][1]
    return _line({**entry, "deal": {**entry["deal"], "hands": [" ".join(hand) for hand in hands]}})


def _hand_and_kitty(line: str) -> str:
    entry = json.loads(line)
    return _line({**entry, "deal": {**entry["deal"], **_swapped(entry["deal"], "4C")}})


def _line(entry: Json) -> str:
    return json.dumps(entry, separators=(",", ":"))


@pytest.mark.parametrize("damaged", [_other_card, _two_hands, _hand_and_kitty])
async def test_nobody_plays_with_other_cards_than_were_dealt(opened: Opened, damaged: Callable[[str], str]) -> None:
    """A card of the log that the disk has changed, or two in each other's place: the deal does not follow from the seed."""
    store = await opened()
    await open_table(store)
    deal = sa.select(events.c.line).where(events.c.line.startswith('{"type":"deal"'))
    line = str(await store.database.read(lambda c: c.scalar(deal)))
    await change(store, sa.update(events).where(events.c.line == line).values(line=damaged(line)))
    assert (await store.log.load("table")).room.number == 1, "the checkpoint has the right cards"
    await change(store, sa.update(rows).values(checkpoint=sa.null()))
    with pytest.raises(BadRecord, match="do not follow"):
        await store.log.load("table")
    await store.close()


async def test_half_a_surrogate_pair_stops_nothing(opened: Opened, tmp_path: Path) -> None:
    """The rest of a damaged emoji: no answer and no backup could contain it."""
    store = await opened()
    await open_table(store, visibility="lobby")
    half = "\ud83d"
    chat = {"type": "chat", "seat": 0, "name": half, "text": "text"}
    line = json.dumps(chat, separators=(",", ":"))
    await change(
        store,
        sa.update(rows).values(summary={"chairs": [["human", half, None]] * 3}),
        sa.insert(events).values(table_id="table", seq=7, at=1, line=line),
    )
    await store.listings.lobby(1)
    await store.database.read(lambda c: dump(c, tmp_path / "backup"))
    await store.people.delete("p1", 1)
    await change(store, sa.update(events).where(events.c.seq == 7).values(line=line))
    await prune(store.database, store.people, Keep(chat=1), 9 * DAY)
    assert not [
        one for one in await store.database.read(lambda c: list(c.scalars(sa.select(events.c.line)))) if "ud83d" in one
    ]
    await store.close()


@pytest.mark.parametrize("more", [-1, 1])
async def test_a_log_of_another_length_than_its_row_says_is_damaged(opened: Opened, more: int) -> None:
    """No write could extend it, so the table would open and close for ever."""
    store = await opened()
    await open_table(store)
    await change(store, sa.update(rows).values(seq=rows.c.seq + more))
    with pytest.raises(BadRecord, match="not as long"):
        await store.log.load("table")
    await store.close()


async def test_old_chat_that_is_damaged_goes_too(opened: Opened) -> None:
    """Its text may be anywhere in it, and it must not be found again and again."""
    store = await opened()
    await open_table(store)
    lines = ('{"type":"chat","text":"said","seat":1}', '{"type":"chat"', '{"type":"chat","text":["said"]}')
    chat = [{"table_id": "table", "seq": 7 + i, "at": 1, "line": line} for i, line in enumerate(lines)]
    await change(store, sa.insert(events).values(chat))
    await change(store, sa.update(rows).values(checkpoint={"chat": "said"}))
    removed = await prune(store.database, store.people, Keep(chat=1), 9 * DAY)
    assert removed["chat"] == 3
    kept = await store.database.read(lambda c: list(c.scalars(sa.select(events.c.line).where(events.c.seq >= 7))))
    assert len(kept) == 3
    assert not any("said" in line for line in kept)
    assert await store.database.read(lambda c: c.scalar(sa.select(rows.c.checkpoint))) is None
    await store.close()


async def test_a_bid_that_no_column_holds_stops_nothing(furnished: Path, tmp_path: Path) -> None:
    """In a record of an earlier schema, whose bids are not yet with the seats."""
    shutil.copy(furnished, tmp_path)
    store = await Store.open(tmp_path)
    line = json.dumps({"type": "bid", "bid": 10**30})
    await change(store, sa.update(hands).values(record=line), sa.update(hand_seats).values(preset=""))
    await prune(store.database, store.people, Keep(), 9 * DAY)
    filled = await store.database.read(lambda c: set(c.execute(sa.select(hand_seats.c.preset, hand_seats.c.bid))))
    assert {tuple(one) for one in filled} == {("big-three", None)}
    await store.close()
