"""Compare the answers that people got with the database."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from typing import Any

import sqlalchemy as sa

from dasan.records.verify import verify

from .people import Json, Notebook

EXAMPLES = 5


@dataclass
class Audit:
    """The findings; everything but the totals must be 0.

    lost: acknowledged commands that are not in the log at the place that was acknowledged. doubled: entries of people
    that no command of theirs explains, or that appear a second time. done_though_refused: in the log, although the
    command was refused. misplaced: acknowledged in one order, written in another. holes: gaps in a log, or places
    beyond its end. shown_otherwise: moves that a socket showed and that the log does not have at that place. unproved:
    records that do not verify. unfinished: tables whose last hand is not over.
    """

    tables: int = 0
    entries: int = 0
    hands: int = 0
    moves_acknowledged: int = 0
    acknowledged: int = 0
    refused: int = 0
    lost: int = 0
    doubled: int = 0
    done_though_refused: int = 0
    misplaced: int = 0
    holes: int = 0
    shown_otherwise: int = 0
    unproved: int = 0
    unfinished: int = 0
    examples: list[str] = field(default_factory=list)

    FAULTS = (
        "lost",
        "doubled",
        "done_though_refused",
        "misplaced",
        "holes",
        "shown_otherwise",
        "unproved",
        "unfinished",
    )

    @property
    def passed(self) -> bool:
        return not any(getattr(self, name) for name in self.FAULTS)

    def found(self, what: str, example: str) -> None:
        setattr(self, what, getattr(self, what) + 1)
        if sum(one.startswith(what) for one in self.examples) < EXAMPLES:
            self.examples.append(f"{what}: {example}")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def audit(connection: sa.Connection, notes: Notebook, tables: list[str]) -> Audit:
    """Compare with everything that the store has about these tables."""
    out = Audit(tables=len(tables))
    for table in tables:
        _log(connection, notes, table, out)
        hands = connection.execute(
            sa.text("SELECT record FROM hands WHERE table_id = :table ORDER BY number"), {"table": table}
        ).all()
        for number, hand in enumerate(hands, 1):
            out.hands += 1
            try:
                unproved: tuple[str, ...] | list[str] = verify(hand.record).unproved
            except Exception as error:
                unproved = [repr(error)]
            if unproved:
                out.found("unproved", f"table {table}, hand {number}: {unproved}")
        row = connection.execute(sa.text("SELECT seq, summary FROM tables WHERE id = :id"), {"id": table}).one()
        summary = json.loads(row.summary) if isinstance(row.summary, str) else row.summary
        if summary["phase"] != "over" or summary["number"] != len(hands):
            out.found("unfinished", f"table {table} at {row.seq}: {summary['phase']}, {len(hands)} hands")
    out.acknowledged = len(notes.acknowledged)
    out.moves_acknowledged = sum(notes.sent[key].command["type"] == "move" for key in notes.acknowledged)
    out.refused = len(notes.refused)
    return out


def _log(connection: sa.Connection, notes: Notebook, table: str, out: Audit) -> None:
    query = sa.text("SELECT seq, line, player, client_id FROM events WHERE table_id = :table ORDER BY seq")
    rows = connection.execute(query, {"table": table}).all()
    length = connection.scalar(sa.text("SELECT seq FROM tables WHERE id = :table"), {"table": table})
    out.entries += len(rows)
    if [row.seq for row in rows] != list(range(length or 0)):
        out.found("holes", f"table {table} has {len(rows)} entries and says {length}")
    entries: dict[int, Json] = {row.seq: json.loads(row.line) for row in rows}
    places: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for row in rows:
        entry = entries[row.seq]
        by_a_person = entry["type"] in ("chat", "vote") or (entry["type"] == "move" and "bot" not in entry)
        if row.client_id is None:
            if by_a_person:
                out.found("doubled", f"table {table}, {row.seq}: {entry['type']} without a command")
            continue
        key = (table, row.player, row.client_id)
        places[key].append(row.seq)
        if key not in notes.sent and not row.client_id.startswith("rest-"):
            out.found("doubled", f"table {table}, {row.seq}: {row.client_id} was never sent")
        elif key in notes.sent and not _says(entry, notes.sent[key].command, notes.sent[key].seat):
            out.found("lost", f"table {table}, {row.seq}: {notes.sent[key].command} became {entry}")
    for key, entries_at in places.items():
        if len(entries_at) > 1:
            out.found("doubled", f"table {table}: {key[2]} at {entries_at}")
        if key in notes.refused:
            out.found("done_though_refused", f"table {table}: {notes.sent[key].command}, {notes.refused[key]}")
    mine = {key: seq for key, seq in notes.acknowledged.items() if key[0] == table}
    for key, seq in mine.items():
        if seq - 1 not in places.get(key, ()):
            out.found("lost", f"table {table}: {notes.sent[key].command} at {seq}, found at {places.get(key)}")
    for player in {key[1] for key in mine}:
        order = [seq for key, seq in mine.items() if key[1] == player]
        if order != sorted(order):
            out.found("misplaced", f"table {table}, player {player[:6]}")
    for place, (seat, event) in notes.seen.get(table, {}).items():
        entry = entries.get(place, {})
        if entry.get("type") != "move" or entry["seat"] != seat or _kind(entry["move"]) != event:
            out.found("shown_otherwise", f"table {table}, {place}: {seat} {event}, written {entry}")


def _says(entry: Json, command: Json, seat: int) -> bool:
    """Whether an entry matches its command."""
    match command["type"]:
        case "move":
            return bool(entry["type"] == "move" and entry["seat"] == seat and entry["move"] == command["move"])
        case "chat":
            return entry["type"] == "chat" and bool(entry["text"] == command["text"])
        case "next":
            return entry["type"] == "vote" and bool(entry["seat"] == seat)
        case kind:
            return bool(entry["type"] == kind)


def _kind(move: str) -> str:
    """The event that a move's text becomes."""
    word = move.partition(" ")[0]
    return word if word in ("bid", "pass", "call", "give", "offer", "take") else "play"
