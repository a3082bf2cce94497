"""Matches between bots, with honest statistics."""

from __future__ import annotations

from dasan.arena.duplicate import Match, Standing, duplicate
from dasan.estimates import Estimate

__all__ = ["Estimate", "Match", "Standing", "duplicate"]
