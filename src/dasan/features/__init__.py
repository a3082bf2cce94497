"""Inputs of networks: rows of small integers.

`encode` (what a seat knows) and `encode_moves` (one row a legal move) read a `View`, which contains nothing that the
seat may not know. `encode_perfect` reads a `State` and adds the hidden cards, for critics and teachers. The batched
environments write the same rows; tests compare the two.
"""

from dasan.features.cards import Feature, by_rank, card_flags, card_slots, kinds
from dasan.features.moves import action_features, cards_taken, encode_moves, move_layout, move_size
from dasan.features.observation import encode, encode_into, layout, observation_size
from dasan.features.perfect import encode_perfect, perfect_layout, perfect_size

__all__ = [
    "Feature",
    "action_features",
    "by_rank",
    "card_flags",
    "card_slots",
    "cards_taken",
    "encode",
    "encode_into",
    "encode_moves",
    "encode_perfect",
    "kinds",
    "layout",
    "move_layout",
    "move_size",
    "observation_size",
    "perfect_layout",
    "perfect_size",
]
