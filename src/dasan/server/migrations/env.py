"""Alembic's entry: migrates the connection that the store hands over, inside its transaction."""

from __future__ import annotations

from alembic import context

from dasan.server.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
