"""Garbage collections: full ones begin when memory has grown, those of young objects rarely."""

from __future__ import annotations

import gc
import weakref

import pytest

from dasan.server.operations.garbage import Garbage, collected_by_size

pytestmark = pytest.mark.full


class Node:
    """Something in a cycle with itself."""

    def __init__(self) -> None:
        self.me = self
        self.load: list[list[int]] = [[] for _ in range(100)]


def full_collections() -> int:
    collections: int = gc.get_stats()[2]["collections"]
    return collections


def partial_collections() -> int:
    return sum(generation["collections"] for generation in gc.get_stats()[:2])


def replace_states(times: int = 60) -> None:
    """Like moves: new states replace old ones that existed for a while."""
    states: list[list[list[int]]] = []
    for _ in range(times):
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


async def test_young_objects_are_collected_more_rarely() -> None:
    before = partial_collections()
    replace_states(2)
    usual = partial_collections() - before
    async with collected_by_size():
        before = partial_collections()
        replace_states(2)
        assert partial_collections() - before < usual / 4


async def test_cycles_of_young_objects_are_freed() -> None:
    async with collected_by_size():
        first = Node()
        gone = weakref.ref(first)
        del first
        made: list[list[int]] = []
        while gone() is not None and len(made) < 10_000_000:
            made.append([])
        assert gone() is None


async def test_memory_that_has_grown_is_collected() -> None:
    async with collected_by_size():
        garbage = Garbage()
        old = Node()
        gc.collect()
        gone = weakref.ref(old)
        del old
        assert not await garbage.collect_if_grown()
        assert gone() is not None, "it is in a cycle, and old"
        many: list[Node] = []
        while not await garbage.collect_if_grown():
            many.extend(Node() for _ in range(1000))
        assert gone() is None
        assert not await garbage.collect_if_grown()
