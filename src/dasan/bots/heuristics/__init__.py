"""Heuristics and small exact searches for bots, computed only from a view."""
