"""The schema can be split over several databases: no foreign key leads from one part of it to another."""

from __future__ import annotations

from dasan.server.store.schema import metadata

PARTS = {
    "tables": "tables seats events forgotten reports invitations",
    "hands": "hands hand_seats reviews decisions review_notes shared_reviews",
    "people": "players departures name_keys sign_ins links ended_sessions passkeys challenges ratings rating_points seekers"
    " addresses follows blocks bid_answers notification_settings push_subscriptions outbox"
    " groups group_keys group_members group_tables group_lines",
    "moderation": "network_bans refused_words audit",
    "processes": "processes notices promises",
    "events": "duplicates duplicate_entries duplicate_plays duplicate_pars event_reminders",
}
"""The parts of the schema that would each stay together; those of tables and hands would be split by the table's id."""


def test_every_table_belongs_to_one_part() -> None:
    listed = sorted(name for names in PARTS.values() for name in names.split())
    assert listed == sorted(metadata.tables)


def test_no_foreign_key_leads_to_another_part() -> None:
    part = {name: one for one, names in PARTS.items() for name in names.split()}
    leading = [(table.name, key.column.table.name) for table in metadata.tables.values() for key in table.foreign_keys]
    assert len(leading) > 8
    assert [(one, other) for one, other in leading if part[one] != part[other]] == []


def test_tables_and_hands_have_random_ids() -> None:
    """Sequential ids of several databases would collide."""
    for part in ("tables", "hands"):
        columns = {name: metadata.tables[name].autoincrement_column for name in PARTS[part].split()}
        counted = [name for name, column in columns.items() if column is not None and column.autoincrement is True]
        assert counted == (["reports"] if part == "tables" else []), "a report's number is only that of the queue"
