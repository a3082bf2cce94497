"""Networks that score moves, and how they learn from playing against themselves."""
