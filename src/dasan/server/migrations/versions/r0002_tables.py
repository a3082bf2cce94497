"""Tables for several people: logs of entries, hands, players, ratings.

In revision 0001 a table had one player, bots, and a session's record, one row a line. Its moves become entries of the new log,
from which the same room comes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do the migration."""
    before = _read()
    for name in ("commands", "events", "seats", "tables"):
        op.drop_table(name)
    _create()
    _write(before)


def _create() -> None:
    op.create_table(
        "hands",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("finished", sa.BigInteger(), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("result", sa.JSON(), nullable=False),
        sa.Column("opening", sa.JSON(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("table_id", "number", name="uq_hands_number"),
    )
    op.create_table(
        "links",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_links_until"), "links", ["until"], unique=False)
    op.create_table(
        "players",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.String(length=64), nullable=True),
        sa.Column("password", sa.String(length=256), nullable=True),
        sa.Column("banned", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account"),
    )
    op.create_table(
        "promises",
        sa.Column("ticket", sa.String(length=64), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("ticket"),
    )
    op.create_index(op.f("ix_promises_at"), "promises", ["at"], unique=False)
    op.create_table(
        "rating_points",
        sa.Column("hand_id", sa.String(length=32), nullable=False),
        sa.Column("player", sa.String(length=80), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hand_id", "player"),
    )
    op.create_index("ix_rating_points_player", "rating_points", ["player", "at"], unique=False)
    op.create_table(
        "ratings",
        sa.Column("player", sa.String(length=80), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("hands", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player", "preset", "players"),
    )
    op.create_table(
        "reports",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("by", sa.String(length=64), nullable=False),
        sa.Column("against", sa.String(length=64), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("table_id", "seq", "by", name="uq_reports_once"),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("preset", sa.String(length=64), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("opened", sa.JSON(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("touched", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=8), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=True),
        sa.Column("checkpoint", sa.JSON(), nullable=True),
        sa.Column("owner", sa.String(length=64), nullable=True),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_tables_deadline"), "tables", ["deadline"], unique=False)
    op.create_index("ix_tables_lobby", "tables", ["listed", "status", "created"], unique=False)
    op.create_index(op.f("ix_tables_touched"), "tables", ["touched"], unique=False)
    op.create_table(
        "events",
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=True),
        sa.Column("client_id", sa.String(length=64), nullable=True),
        sa.Column("digest", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "seq"),
        sa.UniqueConstraint("table_id", "player", "client_id", name="uq_events_command"),
    )
    op.create_table(
        "hand_seats",
        sa.Column("hand_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=True),
        sa.Column("bot", sa.String(length=64), nullable=True),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("payment", sa.Integer(), nullable=False),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.Column("finished", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["hand_id"], ["hands.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hand_id", "seat"),
    )
    op.create_index("ix_hand_seats_player", "hand_seats", ["player", "finished"], unique=False)
    op.create_table(
        "seats",
        sa.Column("table_id", sa.String(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("table_id", "seat"),
    )
    op.create_index(op.f("ix_seats_player"), "seats", ["player"], unique=False)
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["players.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_sign_ins_player"), "sign_ins", ["player"], unique=False)


MOVES = ("bid", "pass", "call", "play", "give", "offer", "take")


def _read() -> list[tuple[Any, list[Any], list[dict[str, Any]]]]:
    """Each table of revision 0001: its row, its seats, and the lines of its record."""
    connection = op.get_bind()
    old = sa.MetaData()
    old.reflect(connection, only=("tables", "seats", "events"))
    tables, seats, events = (old.tables[name] for name in ("tables", "seats", "events"))
    logs = []
    for row in connection.execute(sa.select(tables)).all():
        mine = connection.execute(sa.select(seats).where(seats.c.table_id == row.id).order_by(seats.c.seat)).all()
        lines = connection.scalars(sa.select(events.c.line).where(events.c.table_id == row.id).order_by(events.c.seq))
        logs.append((row, list(mine), [json.loads(line) for line in lines]))
    return logs


def _write(before: list[tuple[Any, list[Any], list[dict[str, Any]]]]) -> None:
    connection = op.get_bind()
    new = sa.MetaData()
    new.reflect(connection, only=("tables", "seats", "events"))
    tables, seats, events = (new.tables[name] for name in ("tables", "seats", "events"))
    for row, chairs, lines in before:
        moment = int(datetime.fromisoformat(row.created).timestamp() * 1000)
        entries = list(_entries(lines))
        summary, options = _plain(row.summary), _plain(row.options)
        people = [chair for chair in chairs if chair.player is not None]
        connection.execute(
            sa.insert(tables),
            {
                "id": row.id,
                "preset": row.preset,
                "rules": {"options": options, "digest": row.digest},
                "settings": {"spectators": bool(row.public)},
                "opened": {
                    "chairs": [
                        {
                            "kind": chair.kind,
                            "name": chair.name,
                            "player": chair.player,
                            "bot": chair.bot,
                            "ready": False,
                            "silent": False,
                            "substitute": None,
                        }
                        for chair in chairs
                    ],
                    "host": people[0].player if people else None,
                    "contributions": {},
                },
                "seed": row.seed,
                "created": moment,
                "touched": moment,
                # A record without a deal is that of a server which stopped meanwhile: the table waits for its first.
                "status": "playing" if any(entry["type"] == "deal" for entry in entries) else "waiting",
                "listed": False,
                "seq": len(entries),
                "summary": {
                    **summary,
                    "chairs": [[chair.kind, chair.name, chair.bot] for chair in chairs],
                    "locked": False,
                },
                "fence": 0,
                "lease_until": 0,
            },
        )
        written = [
            {"table_id": row.id, "seq": seq, "at": moment, "line": json.dumps(entry, separators=(",", ":"))}
            for seq, entry in enumerate(entries)
        ]
        if written:
            connection.execute(sa.insert(events), written)
        if people:
            rows = [{"table_id": row.id, "seat": chair.seat, "player": chair.player} for chair in people]
            connection.execute(sa.insert(seats), rows)


def _entries(lines: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The entries that lead to the same hand: deals, contributions and moves; all else follows from these."""
    header, *rest = lines or [{}]
    opening: list[dict[str, Any]] = []
    for line in rest:
        match line["type"]:
            case "draw" | "dealer":
                opening.append(line)
            case "deal":
                seats = header.get("seats", [])
                yield {"type": "deal", "engine": header["engine"], "seats": seats, "opening": opening, "deal": line}
                opening = []
            case "note" if line.get("note") == "contribution":
                yield {"type": "contribute", "seat": line["seat"], "text": line["text"]}
            case kind if kind in MOVES:
                cards = " ".join(line.get("cards", ()))
                text = f"bid {line['bid']}" if kind == "bid" else cards if kind == "play" else f"{kind} {cards}".strip()
                yield {"type": "move", "seat": line["seat"], "move": text}


def _plain(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def downgrade() -> None:
    """Undo the migration."""
    op.drop_table("sign_ins")
    op.drop_table("seats")
    op.drop_table("hand_seats")
    op.drop_table("events")
    op.drop_table("tables")
    op.drop_table("reports")
    op.drop_table("ratings")
    op.drop_table("rating_points")
    op.drop_table("promises")
    op.drop_table("players")
    op.drop_table("links")
    op.drop_table("hands")
