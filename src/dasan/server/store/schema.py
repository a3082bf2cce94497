"""The database's tables. Times are milliseconds since 1970; the code that writes a JSON column defines its contents.

``sqlite_autoincrement``: the number of a deleted row is never given to another, as in PostgreSQL.
"""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

tables = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("preset", sa.String(64), nullable=False),
    sa.Column("rules", sa.JSON, nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("opened", sa.JSON, nullable=False),
    sa.Column("seed", sa.LargeBinary, nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Column("touched", sa.BigInteger, nullable=False, index=True),
    sa.Column("status", sa.String(8), nullable=False),
    sa.Column("listed", sa.Boolean, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("summary", sa.JSON, nullable=False),
    sa.Column("deadline", sa.BigInteger, index=True),  # `Room.due`
    sa.Column("checkpoint", sa.JSON),
    sa.Column("owner", sa.String(64)),
    sa.Column("fence", sa.Integer, nullable=False),
    sa.Column("lease_until", sa.BigInteger, nullable=False),
    sa.Index("ix_tables_lobby", "listed", "status", "created"),
)
seats = sa.Table(
    "seats",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("player", sa.String(64), nullable=False, index=True),
)
events = sa.Table(
    "events",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("line", sa.Text, nullable=False),
    sa.Column("player", sa.String(64)),
    sa.Column("client_id", sa.String(64)),
    sa.Column("digest", sa.String(32)),
    sa.UniqueConstraint("table_id", "player", "client_id", name="uq_events_command"),
)
hands = sa.Table(
    "hands",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("table_id", sa.String(32), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("preset", sa.String(64), nullable=False),
    sa.Column("finished", sa.BigInteger, nullable=False),
    sa.Column("shown", sa.Boolean, nullable=False),
    sa.Column("rated", sa.Boolean, nullable=False),
    sa.Column("result", sa.JSON, nullable=False),
    sa.Column("opening", sa.JSON, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.UniqueConstraint("table_id", "number", name="uq_hands_number"),
)
hand_seats = sa.Table(
    "hand_seats",
    metadata,
    sa.Column("hand_id", sa.ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("player", sa.String(64)),
    sa.Column("bot", sa.String(64)),
    sa.Column("role", sa.String(8), nullable=False),
    sa.Column("payment", sa.Integer, nullable=False),
    sa.Column("won", sa.Boolean, nullable=False),
    sa.Column("finished", sa.BigInteger, nullable=False),
    sa.Column("preset", sa.String(64), nullable=False, server_default=""),
    sa.Column("bid", sa.Integer),
    sa.Column("turn_seq", sa.Integer),
    sa.Column("turn_seat", sa.Integer),
    sa.Column("whole", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Index("ix_hand_seats_player", "player", "finished"),
)
"""finished, preset, bid, turn_seq and turn_seat are those of the hand, so that a player's hands are found in this table
alone. bid: the winning bid. turn_seq, turn_seat: the event and the seat of the decisive move, if known. whole: whether
the seat's bot played from the deal to the end.
"""
reports = sa.Table(
    "reports",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("table_id", sa.String(32), nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("by", sa.String(64), nullable=False),
    sa.Column("against", sa.String(64), index=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.UniqueConstraint("table_id", "seq", "by", name="uq_reports_once"),
    sqlite_autoincrement=True,
)
promises = sa.Table(
    "promises",
    metadata,
    sa.Column("ticket", sa.String(64), primary_key=True),
    sa.Column("seed", sa.LargeBinary, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False, index=True),
)
players = sa.Table(
    "players",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Column("account", sa.String(64), unique=True),
    sa.Column("password", sa.String(256)),
    sa.Column("banned", sa.Boolean, nullable=False),
    sa.Column("moderator", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("muted_until", sa.BigInteger),
)
network_bans = sa.Table(
    "network_bans",
    metadata,
    sa.Column("network", sa.String(64), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("until", sa.BigInteger, nullable=False),
)
refused_words = sa.Table(
    "refused_words",
    metadata,
    sa.Column("language", sa.String(16), primary_key=True),
    sa.Column("word", sa.String(64), primary_key=True),
)
audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("by", sa.String(64), nullable=False),
    sa.Column("action", sa.String(16), nullable=False),
    sa.Column("subject", sa.String(80), nullable=False, index=True),
    sa.Column("detail", sa.JSON, nullable=False),
    sqlite_autoincrement=True,
)
addresses = sa.Table(
    "addresses",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("network", sa.String(64), primary_key=True, index=True),
    sa.Column("seen", sa.BigInteger, nullable=False, index=True),
)
name_keys = sa.Table(
    "name_keys",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("player", sa.String(64), primary_key=True, index=True),
)
sign_ins = sa.Table(
    "sign_ins",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("player", sa.ForeignKey("players.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Column("seen", sa.BigInteger, nullable=False),
    sa.Column("agent", sa.String(200), nullable=False),
)
links = sa.Table(
    "links",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("player", sa.String(64), nullable=False),
    sa.Column("until", sa.BigInteger, nullable=False, index=True),
)
ended_sessions = sa.Table(
    "ended_sessions",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
)
departures = sa.Table(
    "departures",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("stranger", sa.String(64), nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
)
"""Deletions of players that are under way, or that a crash has interrupted. stranger: the id that stands in for the player's. at:
when the deletion began.
"""
ratings = sa.Table(
    "ratings",
    metadata,
    sa.Column("player", sa.String(80), primary_key=True),
    sa.Column("preset", sa.String(64), primary_key=True),
    sa.Column("players", sa.Integer, primary_key=True),
    sa.Column("mu", sa.Float, nullable=False),
    sa.Column("sigma", sa.Float, nullable=False),
    sa.Column("hands", sa.Integer, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Index("ix_ratings_board", "preset", "players", "mu"),
)
rating_points = sa.Table(
    "rating_points",
    metadata,
    sa.Column("hand_id", sa.String(32), primary_key=True),
    sa.Column("player", sa.String(80), primary_key=True),
    sa.Column("preset", sa.String(64), nullable=False),
    sa.Column("players", sa.Integer, nullable=False),
    sa.Column("rating", sa.Integer, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Index("ix_rating_points_player", "player", "at"),
)
processes = sa.Table(
    "processes",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("version", sa.String(32), nullable=False),
    sa.Column("started", sa.BigInteger, nullable=False),
    sa.Column("seen", sa.BigInteger, nullable=False),
)
notices = sa.Table(
    "notices",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("at", sa.BigInteger, nullable=False, index=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("subject", sa.String(64), nullable=False),
    sqlite_autoincrement=True,
)
passkeys = sa.Table(
    "passkeys",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("credential", sa.LargeBinary, nullable=False),
    sa.Column("key", sa.LargeBinary, nullable=False),
    sa.Column("uses", sa.BigInteger, nullable=False),
    sa.Column("player", sa.ForeignKey("players.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Column("used", sa.BigInteger, nullable=False),
)
challenges = sa.Table(
    "challenges",
    metadata,
    sa.Column("ticket", sa.String(64), primary_key=True),
    sa.Column("challenge", sa.LargeBinary, nullable=False),
    sa.Column("purpose", sa.String(8), nullable=False),
    sa.Column("player", sa.String(64)),
    sa.Column("account", sa.String(64)),
    sa.Column("until", sa.BigInteger, nullable=False, index=True),
)
forgotten = sa.Table(
    "forgotten",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("player", sa.String(64), primary_key=True),
)
seekers = sa.Table(
    "seekers",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("preset", sa.String(64), nullable=False),
    sa.Column("speed", sa.String(8), nullable=False),
    sa.Column("bots", sa.Boolean, nullable=False),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("rating", sa.Integer, nullable=False),
    sa.Column("since", sa.BigInteger, nullable=False),
    sa.Column("seen", sa.BigInteger, nullable=False, index=True),
    sa.Column("table_id", sa.String(32)),
)
reviews = sa.Table(
    "reviews",
    metadata,
    sa.Column("hand_id", sa.ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("kind", sa.String(8), primary_key=True),
    sa.Column("version", sa.String(32), nullable=False),
    sa.Column("lines", sa.Text, nullable=False),
)
decisions = sa.Table(
    "decisions",
    metadata,
    sa.Column("hand_id", sa.ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("player", sa.String(64), nullable=False, index=True),
    sa.Column("preset", sa.String(64), nullable=False),
    sa.Column("habit", sa.String(16), nullable=False),
    sa.Column("unit", sa.String(8), nullable=False),
    sa.Column("cost", sa.Float, nullable=False),
    sa.Column("mistake", sa.Boolean, nullable=False),
)
OPEN_BID = sa.text("bid IS NULL")
bid_answers = sa.Table(
    "bid_answers",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("player", sa.String(64), nullable=False),
    sa.Column("preset", sa.String(64), nullable=False),
    sa.Column("seed", sa.LargeBinary, nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("bid", sa.String(8)),
    sa.Column("best", sa.String(8)),
    sa.Column("habit", sa.String(16)),
    sa.Column("cost", sa.Float),
    sa.Column("mistake", sa.Boolean),
    sa.Index("ix_bid_answers_player", "player", "preset", "at"),
    sa.Index("ux_bid_answers_open", "player", "preset", unique=True, sqlite_where=OPEN_BID, postgresql_where=OPEN_BID),
)
"""Hands of the bidding trainer; a player has one open hand in each game. bid and later columns: null until the hand is
answered; habit: empty for the best bid.
"""
review_notes = sa.Table(
    "review_notes",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("hand_id", sa.ForeignKey("hands.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
)
shared_reviews = sa.Table(
    "shared_reviews",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("hand_id", sa.ForeignKey("hands.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("leader", sa.String(64), nullable=False, index=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("place", sa.JSON, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("touched", sa.BigInteger, nullable=False, index=True),
)
duplicates = sa.Table(
    "duplicates",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("title", sa.String(64), nullable=False),
    sa.Column("day", sa.String(10), unique=True),
    sa.Column("preset", sa.String(64), nullable=False),
    sa.Column("rules", sa.JSON, nullable=False),
    sa.Column("seed", sa.LargeBinary, nullable=False),
    sa.Column("deals", sa.Integer, nullable=False),
    sa.Column("people", sa.Integer, nullable=False),
    sa.Column("bot", sa.String(64), nullable=False),
    sa.Column("fill", sa.Integer),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("host", sa.String(64)),
    sa.Column("listed", sa.Boolean, nullable=False),
    sa.Column("starts", sa.BigInteger, nullable=False),
    sa.Column("ends", sa.BigInteger, nullable=False),
    sa.Column("revealed", sa.BigInteger, index=True),
    sa.Column("bots_played", sa.Boolean, nullable=False),
    sa.Index("ix_duplicates_listed", "listed", "ends"),
)
duplicate_entries = sa.Table(
    "duplicate_entries",
    metadata,
    sa.Column("event_id", sa.ForeignKey("duplicates.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("player", sa.String(80), primary_key=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("entered", sa.BigInteger, nullable=False),
    sa.Index("ix_duplicate_entries_player", "player", "entered"),
)
duplicate_plays = sa.Table(
    "duplicate_plays",
    metadata,
    sa.Column("event_id", sa.ForeignKey("duplicates.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("player", sa.String(80), primary_key=True),
    sa.Column("deal", sa.Integer, primary_key=True),
    sa.Column("since", sa.BigInteger, nullable=False),
    sa.Column("seen", sa.BigInteger, nullable=False),
    sa.Column("table_id", sa.String(32), index=True),
    sa.Column("seat", sa.Integer),
    sa.Column("finished", sa.BigInteger),
    sa.Column("score", sa.Float),
    sa.Column("assisted", sa.Boolean, nullable=False),
    sa.Column("hand_id", sa.String(32)),
    sa.Index("ix_duplicate_plays_deal", "event_id", "deal"),
)
duplicate_pars = sa.Table(
    "duplicate_pars",
    metadata,
    sa.Column("event_id", sa.ForeignKey("duplicates.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("deal", sa.Integer, primary_key=True),
    sa.Column("contract", sa.String(16), primary_key=True),
    sa.Column("payments", sa.JSON, nullable=False),
)
"""The payments of best play by seat, for each contract that a deal was played at; null if they are not proved."""
follows = sa.Table(
    "follows",
    metadata,
    sa.Column("follower", sa.String(64), primary_key=True),
    sa.Column("followed", sa.String(64), primary_key=True, index=True),
    sa.Column("since", sa.BigInteger, nullable=False),
    sa.Column("seen", sa.BigInteger, nullable=False),
)
"""seen: when the follower was last online, which the followed player may know."""
blocks = sa.Table(
    "blocks",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("blocked", sa.String(64), primary_key=True, index=True),
    sa.Column("since", sa.BigInteger, nullable=False),
)
invitations = sa.Table(
    "invitations",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("player", sa.String(64), primary_key=True, index=True),
    sa.Column("host", sa.String(64), nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
)
notification_settings = sa.Table(
    "notification_settings",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("language", sa.String(8), nullable=False),
    sa.Column("zone", sa.String(64), nullable=False),
    sa.Column("turn", sa.Boolean, nullable=False),
    sa.Column("invitation", sa.Boolean, nullable=False),
    sa.Column("event", sa.Boolean, nullable=False),
    sa.Column("quiet_from", sa.Integer),
    sa.Column("quiet_until", sa.Integer),
    sa.Column("address", sa.String(254), index=True),
    sa.Column("token", sa.String(64), unique=True),
    sa.Column("asked", sa.BigInteger, nullable=False),
    sa.Column("confirmed", sa.Boolean, nullable=False),
)
"""quiet_from, quiet_until: minutes of the day in ``zone``. token: in every letter to ``address``, and nowhere else. asked: when
the address was given.
"""
push_subscriptions = sa.Table(
    "push_subscriptions",
    metadata,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("player", sa.String(64), nullable=False, index=True),
    sa.Column("session", sa.String(64), nullable=False),
    sa.Column("endpoint", sa.Text, nullable=False),
    sa.Column("p256dh", sa.String(128), nullable=False),
    sa.Column("auth", sa.String(64), nullable=False),
    sa.Column("agent", sa.String(200), nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False),
)
outbox = sa.Table(
    "outbox",
    metadata,
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("subject", sa.String(32), primary_key=True),
    sa.Column("target", sa.String(64), primary_key=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("due", sa.BigInteger, nullable=False, index=True),
    sa.Column("tries", sa.Integer, nullable=False),
)
"""Notifications that wait to be sent. subject: the id of a table or an event. target: the id of a subscription, or ``mail``."""
event_reminders = sa.Table(
    "event_reminders",
    metadata,
    sa.Column("event_id", sa.ForeignKey("duplicates.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("player", sa.String(64), primary_key=True, index=True),
)
"""Reminders of events: players to notify when an event begins."""
groups = sa.Table(
    "groups",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("name", sa.String(64), nullable=False),
    sa.Column("host", sa.String(64), nullable=False, index=True),
    sa.Column("link", sa.String(32), nullable=False, unique=True),
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Column("preset", sa.String(64), nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("chairs", sa.JSON, nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
)
"""link: the secret in the address of the page to join. preset and later columns: the rules of the group's tables."""
group_keys = sa.Table(
    "group_keys",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("group_id", sa.ForeignKey("groups.id", ondelete="CASCADE"), nullable=False, index=True),
)
"""The comparison keys of group names."""
group_members = sa.Table(
    "group_members",
    metadata,
    sa.Column("group_id", sa.ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("player", sa.String(64), primary_key=True, index=True),
    sa.Column("since", sa.BigInteger, nullable=False),
)
group_tables = sa.Table(
    "group_tables",
    metadata,
    sa.Column("table_id", sa.String(32), primary_key=True),
    sa.Column("group_id", sa.ForeignKey("groups.id", ondelete="CASCADE"), nullable=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Index("ix_group_tables_group_id", "group_id", "at"),
)
"""Tables whose hands count for a group; a table may be deleted before its hands."""
group_lines = sa.Table(
    "group_lines",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("group_id", sa.ForeignKey("groups.id", ondelete="CASCADE"), nullable=False),
    sa.Column("player", sa.String(64), nullable=False, index=True),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Index("ix_group_lines_group_id", "group_id", "id"),
    sqlite_autoincrement=True,
)
