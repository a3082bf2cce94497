"""Searches of endgames over the positions of the batched environments."""
