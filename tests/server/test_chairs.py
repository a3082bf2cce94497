"""Who sits on a chair, and under which name."""

from __future__ import annotations

import json
import re
from pathlib import Path

from dasan.server.protocol.commands import SitCommand
from dasan.server.tables.chairs import ALIKE, NAMES, OPEN, Chair, bot_chairs, called
from dasan.server.tables.decisions import decide
from dasan.server.tables.room import fold

from .rooms import done, room_of

ROOT = Path(__file__).parents[2]


def test_bots_have_names_of_their_own() -> None:
    """Each bot at a table has a different name, even if all are of one grade. Every language has all names, and the
    page has all the faces that the server names.
    """
    for table in "a", "fixed", "c7":
        bots = [f"level-{grade}" for grade in (5, 5, 5, 5, 6, 2, 4, 8)]
        names = [chair.name for chair in bot_chairs(bots, table) if chair]
        assert len(set(names)) == 8
        faces = {*(ALIKE[bot] for bot in bots), *(NAMES.index(name) for name in names if name in NAMES)}
        assert len(faces) == 8
    for path in sorted((ROOT / "web" / "src" / "i18n").glob("*.json")):
        words = json.loads(path.read_text(encoding="utf-8"))
        names_in_words = [words[f"bot.name.{i}"] for i in range(len(NAMES))] + [words[f"bot.{bot}"] for bot in ALIKE]
        assert len(set(names_in_words)) == len(names_in_words)
        assert path.stem != "en" or names_in_words == [*NAMES, *(called(bot) for bot in ALIKE)]
    drawn = re.findall(r"'(level-\d)': (\d+)", (ROOT / "web" / "src" / "i18n" / "bots.ts").read_text(encoding="utf-8"))
    assert {bot: int(face) for bot, face in drawn} == ALIKE


def test_a_guest_without_a_name_gets_one_that_looks_like_nobody_elses() -> None:
    room = room_of("big-two", ["p0", "open", "open", "open"])
    for player, name in (("p1", "GUEST 3"), ("p2", None)):
        room = done(room, player, SitCommand(type="sit", id="s", name=name))
    assert [chair.name for chair in room.chairs] == ["P0", "GUEST 3", "Guest 1", ""]


def test_a_program_that_changes_seats_stays_one() -> None:
    room = room_of("big-three", ["p0", "open", "open"])
    for wanted in (
        SitCommand(type="sit", id="a", seat=1, name="Deep", program=True),
        SitCommand(type="sit", id="b", seat=2),
    ):
        room = fold(room, decide(room, "deep", wanted), 1001)
    assert [chair.shown for chair in room.chairs] == ["human", "open", "program"]
    assert [Chair.from_json(chair.to_json()) for chair in room.chairs] == list(room.chairs)
    older = {name: value for name, value in OPEN.to_json().items() if name != "program"}
    assert Chair.from_json(older) == OPEN
