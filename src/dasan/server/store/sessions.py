"""End a player's sessions, those of accounts and of guests' cookies, and everything that lets another browser in."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import sha256

import sqlalchemy as sa

from dasan.reasons import reason
from dasan.server.refusals import Refused
from dasan.server.store.known import hold
from dasan.server.store.processes import leave_notice
from dasan.server.store.schema import challenges, ended_sessions, links, players, push_subscriptions, sign_ins


def end_sessions(connection: sa.Connection, player: str, now: int, session: str | None = None) -> None:
    """End one session of the player (None: all), and its personal links, passkey challenges and push subscriptions.

    session: its name from `Identities.session`. All code that ends a session calls this, so that nothing made in a
    session outlives it. A notice makes every process drop its cached data of the player.
    """
    account = locked_account(connection, player)
    mine = sign_ins.c.player == player
    connection.execute(sa.delete(sign_ins).where(mine if session is None else sa.and_(mine, sign_ins.c.id == session)))
    subscribed = push_subscriptions.c.player == player
    if session is not None:
        subscribed = sa.and_(subscribed, push_subscriptions.c.session == session)
    connection.execute(sa.delete(push_subscriptions).where(subscribed))
    connection.execute(sa.delete(links).where(links.c.player == player))
    connection.execute(sa.delete(challenges).where(challenges.c.player == player))
    ended = session or everywhere(player)
    known = connection.scalar(sa.select(ended_sessions.c.id).where(ended_sessions.c.id == ended)) is not None
    # Deleting the row ends an account's session; guests' sessions have no row.
    if not known and (session is None or account is None):
        connection.execute(sa.insert(ended_sessions), {"id": ended, "at": now})
    leave_notice(connection, "recheck", player, now)


def begin_again(connection: sa.Connection, player: str) -> None:
    """Make a guest's cookies valid again after a ban is lifted."""
    connection.execute(sa.delete(ended_sessions).where(ended_sessions.c.id == everywhere(player)))


def has_ended(connection: sa.Connection, player: str, session: str | None) -> bool:
    """Whether a guest's session has ended, alone or with all of the player's."""
    names = [everywhere(player), *([] if session is None else [session])]
    return connection.scalar(sa.select(ended_sessions.c.id).where(ended_sessions.c.id.in_(names)).limit(1)) is not None


def signed_in(player: str, session: str | None) -> sa.ColumnElement[bool]:
    """The row of this session of an account."""
    return sa.and_(sign_ins.c.id == session, sign_ins.c.player == player)


def locked_account(connection: sa.Connection, player: str) -> str | None:
    """The folded name of the player's account, None if there is none. Until the transaction ends, no other one changes the
    account, begins a session of it or ends one.
    """
    query = sa.select(players.c.account).where(players.c.id == player)
    return connection.scalar(query.with_for_update(key_share=True))


def check_going_on(connection: sa.Connection, player: str, session: str | None) -> None:
    """``Refused``: this session of the player has ended since the request began; else what the transaction stores would outlive
    it. session: as for `end_sessions`; None: a guest's, of an earlier version. A guest without a name has no row to lock: in
    PostgreSQL an end at the same moment may be missed.
    """
    if locked_account(connection, player) is None:
        over = has_ended(connection, player, session)
    else:
        over = connection.scalar(sa.select(sign_ins.c.id).where(signed_in(player, session))) is None
    if over:
        raise Refused("forbidden", reason("account.unknown"))


def deleted(connection: sa.Connection, wanted: Collection[str]) -> frozenset[str]:
    """Those of the players who are deleted. Others with a name cannot be deleted until the transaction ends, see `hold`.

    Guests without a name have no row, like deleted players, whose sessions have ended as well.
    """
    known = hold(connection, wanted)
    return frozenset(player for player in wanted if player not in known and has_ended(connection, player, None))


def check_not_deleted(connection: sa.Connection, player: str) -> None:
    """``Refused``: the player is deleted, perhaps since the request began. Otherwise as `deleted`."""
    if deleted(connection, [player]):
        raise Refused("forbidden", reason("account.unknown"))


def everywhere(player: str) -> str:
    """The entry among ended sessions that means all sessions of a guest: a hash, from which the id cannot be read."""
    return sha256(f"player {player}".encode()).hexdigest()
