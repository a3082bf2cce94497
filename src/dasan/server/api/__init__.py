"""REST: one module for each kind of thing that can be asked for."""

from __future__ import annotations

from dasan.server.api import games, hands, health, people, study, tables

ROUTERS = (health.router, games.router, tables.router, hands.router, study.router, people.router)
