"""Delete a player: hands and logs stay, because others played them too, but the name and the id are removed.

A table's log still folds to the same room, with a stranger in the player's chair. The table's owner sees that the fence
has grown, and reads the table again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import sqlalchemy as sa

from dasan.server.compact import compact
from dasan.server.new_ids import stranger
from dasan.server.people.reserved_names import FORMER
from dasan.server.store.damage import json_value
from dasan.server.store.friends import forget_friends
from dasan.server.store.group_people import forget_groups
from dasan.server.store.notifications import forget_notifications
from dasan.server.store.processes import leave_notice
from dasan.server.store.schema import (
    addresses,
    audit,
    bid_answers,
    decisions,
    duplicate_entries,
    duplicate_plays,
    duplicates,
    events,
    forgotten,
    hand_seats,
    name_keys,
    passkeys,
    players,
    rating_points,
    ratings,
    reports,
    review_notes,
    seats,
    seekers,
    shared_reviews,
    tables,
)
from dasan.server.store.sessions import end_sessions

NOTHING = "…"
"""The text that replaces deleted chat."""
DAMAGED = compact({"type": "damaged"})
"""The entry that replaces one that cannot be read, and may name a deleted player."""
NAMING = ("sit", "stand", "bots", "chat")
"""The types of entries that name players."""


def tables_of(connection: sa.Connection, player: str) -> list[str]:
    """The ids of the tables where the player sits, to which they have ever sent a command, or whose first room names them."""
    sitting = sa.select(seats.c.table_id).where(seats.c.player == player)
    sent = sa.select(events.c.table_id).where(events.c.player == player)
    named = sa.select(forgotten.c.table_id).where(forgotten.c.player == player)
    return list(connection.scalars(sitting.union(sent, named)))


def forget_at(connection: sa.Connection, table_id: str, player: str, other: str, now: int) -> None:
    """Replace ``player`` by ``other`` in one table and its log. What is damaged there, so that nobody knows whom it names, is
    deleted: such a table or log cannot be read anyway.
    """
    # A write to the log locks this row first: it ends before the entries are read, or has an outdated fence.
    row = connection.execute(sa.select(tables).where(tables.c.id == table_id).with_for_update()).one_or_none()
    if row is None:
        return
    chat_lines = _forget_entries(connection, row, player, other)
    mine = list(
        connection.scalars(sa.select(seats.c.seat).where(seats.c.table_id == table_id, seats.c.player == player))
    )
    checkpoint = _unless_damaged(lambda: _checkpoint(row.checkpoint, player, other, chat_lines))
    connection.execute(
        sa.update(tables)
        .where(tables.c.id == table_id)
        .values(
            opened=_unless_damaged(lambda: _replaced(row.opened, player, other)),
            summary=_unless_damaged(lambda: _summary(row.summary, mine)),
            checkpoint=checkpoint if checkpoint is not None else sa.null(),
            fence=tables.c.fence + 1,
        )
    )
    connection.execute(sa.delete(seats).where(seats.c.table_id == table_id, seats.c.player == player))
    mine_sent = sa.and_(events.c.table_id == table_id, events.c.player == player)
    # A digest tells whoever guesses a name or a message that the guess is right.
    connection.execute(sa.update(events).where(mine_sent).values(player=other, client_id=None, digest=None))
    leave_notice(connection, "reopen", table_id, now)


def _unless_damaged(change: Callable[[], Any]) -> Any:
    """The result of a change of stored JSON; None if the JSON is damaged."""
    try:
        return change()
    except Exception:  # damaged JSON may lack anything
        return None


def _summary(summary: dict[str, Any], mine: Collection[int]) -> dict[str, Any]:
    """A table's summary with another name in the seats ``mine``."""
    chairs = [
        [kind, FORMER, bot] if seat in mine else [kind, name, bot]
        for seat, (kind, name, bot) in enumerate(summary["chairs"])
    ]
    return {**summary, "chairs": chairs}


def _checkpoint(checkpoint: dict[str, Any], player: str, other: str, chat_lines: Collection[int]) -> dict[str, Any]:
    """A table's checkpoint without the player and the text of their chat, which has the numbers ``chat_lines``."""
    after = _replaced(checkpoint, player, other)
    return {**after, "chat": [_unsaid(line) if line["seq"] in chat_lines else line for line in after["chat"]]}


def forget_everywhere(connection: sa.Connection, player: str, other: str, now: int) -> None:
    """Delete the player everywhere except at tables: sessions, ratings, reports, and the name and id in finished
    hands.

    In events ``other`` replaces the id, as at their tables, so that bots finish the player's hands there. In the audit log
    another id does, without the table of a reported message, so that nobody can look up what somebody played against whom
    moderators have acted.
    """
    # A transaction that stores data of the player locks this row until its end, so that the deletion finds the data.
    connection.execute(sa.select(players.c.id).where(players.c.id == player).with_for_update())
    end_sessions(connection, player, now)
    mine = (
        addresses,
        name_keys,
        ratings,
        rating_points,
        passkeys,
        review_notes,
        decisions,
        bid_answers,
        forgotten,
        seekers,
    )
    for table in mine:
        connection.execute(sa.delete(table).where(table.c.player == player))
    connection.execute(sa.delete(shared_reviews).where(shared_reviews.c.leader == player))
    connection.execute(sa.delete(reports).where(sa.or_(reports.c.by == player, reports.c.against == player)))
    forget_friends(connection, player)
    # Events before reminders, as `Duplicates.cancel` locks them.
    connection.execute(sa.update(duplicates).where(duplicates.c.host == player).values(host=None))
    forget_notifications(connection, player)
    forget_groups(connection, player)
    audited = stranger()
    for row in connection.execute(sa.select(audit.c.id, audit.c.detail).where(audit.c.subject == player)).all():
        known = row.detail if isinstance(row.detail, dict) else {}
        detail = {name: value for name, value in known.items() if name not in ("table", "message")}
        connection.execute(sa.update(audit).where(audit.c.id == row.id).values(detail=detail))
    for column in (audit.c.subject, audit.c.by):
        connection.execute(sa.update(audit).where(column == player).values({column.name: audited}))
    named = duplicate_entries.c.player == player
    connection.execute(sa.update(duplicate_entries).where(named).values(player=other, name=FORMER))
    attempts = duplicate_plays.c.player == player
    connection.execute(sa.delete(duplicate_plays).where(attempts, duplicate_plays.c.table_id.is_(None)))
    connection.execute(sa.update(duplicate_plays).where(attempts).values(player=other))
    played = hand_seats.c.player == player
    connection.execute(sa.update(hand_seats).where(played).values(player=None, name=FORMER))
    connection.execute(sa.delete(players).where(players.c.id == player))


def _forget_entries(connection: sa.Connection, row: Any, player: str, other: str) -> set[int]:
    """Rewrite the entries that name the player or come from them; return the sequence numbers of their chat."""
    named = sa.or_(*(events.c.line.startswith(f'{{"type":"{name}"', autoescape=True) for name in NAMING))
    wanted = sa.or_(named, events.c.player == player)
    query = sa.select(events.c.seq, events.c.line, events.c.player).where(events.c.table_id == row.id, wanted)
    sitting = _unless_damaged(lambda: {seat: one.get("player") for seat, one in enumerate(row.opened["chairs"])}) or {}
    chat_lines: set[int] = set()
    for seq, line, sender in connection.execute(query.order_by(events.c.seq)).all():
        try:
            entry: Any = json_value(line)
            match entry["type"]:
                case "sit":
                    sitting = {seat: one for seat, one in sitting.items() if one != entry["player"]}
                    sitting[entry["seat"]] = entry["player"]
                case "stand":
                    sitting.pop(entry["seat"], None)
                case "bots":
                    for seat in entry["chairs"]:
                        sitting.pop(int(seat), None)
                case "chat" if player in (sender, sitting.get(entry["seat"])):
                    chat_lines.add(seq + 1)
                    entry = _unsaid(entry)
            after = compact(_replaced(entry, player, other))
        except Exception:  # a damaged entry may lack anything
            after = DAMAGED
            if sender in (None, player):
                chat_lines.add(seq + 1)
        if after != line:
            place = sa.and_(events.c.table_id == row.id, events.c.seq == seq)
            connection.execute(sa.update(events).where(place).values(line=after))
    return chat_lines


def _unsaid(line: dict[str, Any]) -> dict[str, Any]:
    return {**line, "name": FORMER, "text": NOTHING}


def _replaced(data: Any, player: str, other: str) -> Any:
    """JSON data with ``other`` in place of the id ``player``, and ``FORMER`` in place of the name beside it. Contributions to a
    shuffle stay, whatever they say: the deal follows from them.
    """
    if isinstance(data, dict):
        after = {k: value if k == "contributions" else _replaced(value, player, other) for k, value in data.items()}
        if data.get("player") == player and "name" in data:
            after["name"] = FORMER
        return after
    if isinstance(data, list):
        return [_replaced(value, player, other) for value in data]
    return other if data == player else data
