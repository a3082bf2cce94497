"""A cache of a table's answers to commands, so that a repeated command gets the same answer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from copy import copy
from typing import TypeAlias, TypeVar

import dasan
from dasan.server.refusals import Refused
from dasan.server.store.log import REMEMBERED, Done

Key: TypeAlias = tuple[str, str]
"""A player, and the id of a command."""
K = TypeVar("K")
V = TypeVar("V")


class Answers:
    """The last `REMEMBERED` commands carried out, and as many refused."""

    def __init__(self) -> None:
        self._done: OrderedDict[Key, Done] = OrderedDict()
        self._refused: OrderedDict[tuple[Key, str], dasan.DasanError | Refused] = OrderedDict()

    @property
    def full(self) -> bool:
        """Whether older commands may have been dropped."""
        return len(self._done) >= REMEMBERED

    def given(self, key: Key, digest: str) -> int | None:
        """The length of the log after the command; None if unknown. Raises the command's refusal if it was refused.

        ``Refused``: another command had this id.
        """
        done = self._done.get(key)
        if done is not None:
            return same(done, digest)
        if (key, digest) in self._refused:
            raise copy(self._refused[key, digest])
        return None

    def load(self, done: Mapping[Key, Done]) -> None:
        """Add commands from the log."""
        self._done.update(done)

    def done(self, key: Key, done: Done) -> None:
        """Store the outcome of a command."""
        _keep(self._done, key, done)

    def refused(self, key: Key, digest: str, refusal: dasan.DasanError | Refused) -> None:
        """Store the refusal of a command."""
        _keep(self._refused, (key, digest), copy(refusal))


def same(done: Done, digest: str) -> int:
    """The answer to a repeated command. ``Refused``: it is a different command."""
    if done.digest != digest:
        raise Refused("malformed", "this command id was already used for another command")
    return done.seq


def _keep(answers: OrderedDict[K, V], key: K, answer: V) -> None:
    """Store the answer, and drop the oldest one if there are too many."""
    answers[key] = answer
    if len(answers) > REMEMBERED:
        answers.popitem(last=False)
