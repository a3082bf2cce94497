"""Matches between bots: duplicate deals, contests, ratings with confidence intervals, and the ladder."""

from __future__ import annotations

from dasan.arena.duplicate import Match, Standing, duplicate
from dasan.estimates import Estimate

__all__ = ["Estimate", "Match", "Standing", "duplicate"]
