"""The REST endpoints, one module per subject."""

from __future__ import annotations

from dasan.server.api import (
    bidding,
    events,
    friends,
    games,
    groups,
    hands,
    health,
    ladder,
    moderation,
    notifications,
    passkeys,
    people,
    profiles,
    quick,
    study,
    tables,
    together,
)

ROUTERS = (
    health.router,
    games.router,
    tables.router,
    hands.router,
    study.router,
    bidding.router,
    people.router,
    profiles.router,
    ladder.router,
    passkeys.router,
    quick.router,
    together.router,
    events.router,
    moderation.router,
    friends.router,
    notifications.router,
    groups.router,
)
