"""Proof-number search, and its transposition table."""
