"""Registries by name: entries that come with dasan, that a program registers, and that installed packages add.

Packages add entries by an entry point group, which is read when an unknown name is looked up, or when the names are
listed.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dasan.arguments import WrongType, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_NAME = 40


class Registry(Mapping[str, T], Generic[T]):
    """A mapping by name that packages and programs can extend.

    kind: the noun for an entry, in messages. group: the entry points. take: called with an entry point's name and
    object; puts it into the registry by `add`.
    """

    def __init__(self, kind: str, group: str, own: Mapping[str, T], take: Callable[[str, Any], None]) -> None:
        self.kind = kind
        self.group = group
        self.own = frozenset(own)
        """The names that come with dasan."""
        self._known = dict(own)
        self._take = take
        self._looked = False

    def check(self, name: str, thing: T) -> None:
        """ValueError: the name is taken, or is not lower-case words joined by hyphens, at most `MAX_NAME` characters. TypeError:
        it is not a string.
        """
        if not isinstance(name, str):
            raise WrongType(f"a {self.kind} is named by a text, not by {shown(name)}")
        if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
            raise ValueError(f"a {self.kind} is named in lower-case words joined by hyphens, not {shown(name)}")
        if self._known.get(name, thing) is not thing:
            raise ValueError(f"there is a {self.kind} {name!r} already")

    def add(self, name: str, thing: T) -> None:
        """Errors as for `check`; adding the same thing again changes nothing."""
        self.check(name, thing)
        self._known[name] = thing

    def remove(self, name: str) -> None:
        """Forget what was added. ValueError: it comes with dasan. KeyError: there is none."""
        if name in self.own:
            raise ValueError(f"the {self.kind} {name!r} comes with dasan")
        del self._known[name]

    def __getitem__(self, name: str) -> T:
        if name not in self._known:
            self._look()
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        self._look()
        return iter(tuple(self._known))

    def __len__(self) -> int:
        self._look()
        return len(self._known)

    def __repr__(self) -> str:
        return f"<{self.kind}s: {', '.join(self)}>"

    def _look(self) -> None:
        """Load the entry points, once. One that fails is skipped with a warning."""
        if self._looked:
            return
        self._looked = True
        from importlib.metadata import entry_points

        for point in sorted(entry_points(group=self.group), key=lambda point: (point.name, point.value)):
            self._load(point)

    def _load(self, point: EntryPoint) -> None:
        try:
            self._take(point.name, point.load())
        except Exception as error:
            package = point.dist.name if point.dist is not None else point.value
            warnings.warn(f"{package} adds no {self.kind} {point.name!r}: {error}", RuntimeWarning, stacklevel=4)
