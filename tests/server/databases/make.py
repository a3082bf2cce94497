"""Write a database of this version's schema for the tests of later ones: ``python -m tests.server.databases.make FOLDER``.

Five games, three of them in their second hand, with chat, an account, a guest, and a table that waits. Run it on the
last commit before a migration; `test_older_databases` then opens the files.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

from dasan.server.protocol.commands import ChatCommand, MoveCommand, NextCommand, SitCommand
from dasan.server.settings import Settings
from dasan.server.store import Store
from dasan.server.store.database import DATABASE_FILE
from dasan.server.store.migrating import newest
from dasan.server.tables.directory import Tables

GAMES = {"big-three": 2, "big-three-4p": 1, "big-two": 2, "winner": 2, "winner-bomb": 1}
"""The number of the hand in which each game stops."""
ANN, BO = "player-1", "player-2"


def shown(room: Any) -> dict[str, Any]:
    """What `test_older_databases` compares of a table."""
    return {
        "id": room.head.id,
        "preset": room.head.rules.name,
        "number": room.number,
        "balances": list(room.balances),
        "phase": None if room.state is None else room.state.phase.value,
        "events": 0 if room.state is None else len(room.state.events),
        "seq": room.seq,
        "status": room.status,
        "chat": len(room.chat),
    }


async def play(tables: Tables, table_id: str, hands: int) -> None:
    """Play until a few moves of the last hand are made."""
    ids = (f"make-{n}" for n in count())
    moves = 0
    while True:
        room = await tables.look(table_id)
        assert room.state is not None
        if room.over:
            for player in (ANN, BO):
                if (await tables.look(table_id)).over:
                    await tables.command(table_id, player, NextCommand(type="next", id=next(ids)))
            await tables.command(table_id, BO, ChatCommand(type="chat", id=next(ids), text="again"))
            moves = 0
            continue
        seat = room.to_act
        if seat is not None and room.chairs[seat].player is not None:
            player = room.chairs[seat].player or BO
            move = str(room.state.legal_moves()[-1])
            await tables.command(table_id, player, MoveCommand(type="move", id=next(ids), move=move))
            moves += 1
            if room.number == hands and moves > 2:
                return
        await asyncio.sleep(0.02)


async def make(folder: Path) -> None:
    """Write NNNN.sql.gz and NNNN.json."""
    with tempfile.TemporaryDirectory() as data:
        store = await Store.open(Path(data))
        settings = Settings(data_dir=Path(data), bot_delay=0, warm=0)
        table_ids = []
        async with Tables(store, settings) as tables:
            await store.people.register(ANN, "Ann-Zo\u00eb", "$argon2id$x", 1)
            await store.people.rename(BO, "Bo", 1)
            await store.people.sign_in("a" * 64, ANN, "Browser", 1)
            for preset, hands in GAMES.items():
                bots = ["random"] * (3 if preset != "big-three" else 2)
                table_id, _ = await tables.create(ANN, preset, {}, ["me", "open", *bots[1:]])
                await tables.command(table_id, BO, SitCommand(type="sit", id="sit", name="Bo"))
                await tables.command(table_id, ANN, ChatCommand(type="chat", id="hello", text="hello"))
                await play(tables, table_id, hands)
                table_ids.append(table_id)
            waiting, _ = await tables.create(ANN, "big-two", {}, ["me", "open", "open", "open"])
            table_ids.append(waiting)
        rooms = [shown((await store.log.load(table_id)).room) for table_id in table_ids]
        await store.close()
        with sqlite3.connect(Path(data) / DATABASE_FILE) as connection:
            dump = "\n".join(connection.iterdump()) + "\n"
        (folder / f"{newest()}.sql.gz").write_bytes(gzip.compress(dump.encode(), mtime=0))
        (folder / f"{newest()}.json").write_text(json.dumps(rooms, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(make(Path(sys.argv[1])))
