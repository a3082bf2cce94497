"""End a player's sessions: the browsers that are signed in or hold a guest's cookie, and all that lets another browser in."""

from __future__ import annotations

from hashlib import sha256

import sqlalchemy as sa

from dasan.server.store.processes import leave_notice
from dasan.server.store.schema import challenges, ended_sessions, links, players, push_subscriptions, sign_ins


def end_sessions(connection: sa.Connection, player: str, now: int, session: str | None = None) -> None:
    """End one session of the player (None: all), and the personal links, passkey challenges and push subscriptions of sessions.

    session: as `Identities.session` names it. Whatever ends a session calls this, so that nothing made in a session outlives
    it; a notice has every process forget what it knew of the player.
    """
    mine = sign_ins.c.player == player
    connection.execute(sa.delete(sign_ins).where(mine if session is None else sa.and_(mine, sign_ins.c.id == session)))
    told = push_subscriptions.c.player == player
    if session is not None:
        told = sa.and_(told, push_subscriptions.c.session == session)
    connection.execute(sa.delete(push_subscriptions).where(told))
    connection.execute(sa.delete(links).where(links.c.player == player))
    connection.execute(sa.delete(challenges).where(challenges.c.player == player))
    account = connection.scalar(sa.select(players.c.account).where(players.c.id == player))
    ended = session or everywhere(player)
    known = connection.scalar(sa.select(ended_sessions.c.id).where(ended_sessions.c.id == ended)) is not None
    # One sign-in of an account is over when its row is gone; sessions of guests have no row.
    if not known and (session is None or account is None):
        connection.execute(sa.insert(ended_sessions), {"id": ended, "at": now})
    leave_notice(connection, "recheck", player, now)


def begin_again(connection: sa.Connection, player: str) -> None:
    """Let a guest's cookies count again, when a ban is lifted."""
    connection.execute(sa.delete(ended_sessions).where(ended_sessions.c.id == everywhere(player)))


def has_ended(connection: sa.Connection, player: str, session: str | None) -> bool:
    """Whether a guest's session has been ended, by itself or with all of the player's."""
    names = [everywhere(player), *([] if session is None else [session])]
    return connection.scalar(sa.select(ended_sessions.c.id).where(ended_sessions.c.id.in_(names)).limit(1)) is not None


def everywhere(player: str) -> str:
    """The name, among ended sessions, of all sessions of a guest; no id can be read from it."""
    return sha256(f"player {player}".encode()).hexdigest()
