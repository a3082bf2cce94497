"""Self-play training of networks that score moves."""

CHANGEABLE = ("epochs", "every", "deals")
"""Settings that may change when a run is resumed."""
