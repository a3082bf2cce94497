"""Batched environments: the parts that all games share."""
