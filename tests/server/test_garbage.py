"""Full garbage collections: begun when memory has grown, not because much was replaced."""

from __future__ import annotations

import gc
import weakref

from dasan.server.garbage import Garbage, collected_by_size


class Node:
    """Something in a cycle with itself."""

    def __init__(self) -> None:
        self.me = self
        self.load: list[list[int]] = [[] for _ in range(100)]


def full_collections() -> int:
    collections: int = gc.get_stats()[2]["collections"]
    return collections


def replace_states() -> None:
    """What moves do: new states take the place of old ones, which were there for a while."""
    states: list[list[list[int]]] = []
    for _ in range(60):
        states = [[[] for _ in range(20)] for _ in range(2000)]
    assert states


async def test_replacing_much_begins_no_full_collection() -> None:
    gc.collect()
    gc.freeze()
    try:
        before = full_collections()
        replace_states()
        assert full_collections() > before, "Python begins them"
    finally:
        gc.unfreeze()
    thresholds = gc.get_threshold()
    async with collected_by_size():
        before = full_collections()
        replace_states()
        assert full_collections() == before
    assert gc.get_threshold() == thresholds
    assert gc.get_freeze_count() == 0


async def test_memory_that_has_grown_is_collected() -> None:
    async with collected_by_size():
        garbage = Garbage()
        old = Node()
        gc.collect()
        gone = weakref.ref(old)
        del old
        assert not await garbage.look()
        assert gone() is not None, "it is in a cycle, and old"
        many: list[Node] = []
        while not await garbage.look():
            many.extend(Node() for _ in range(1000))
        assert gone() is None
        assert not await garbage.look()
