"""A network by the name that a user gives it: one of the package, a file that `dasan train` wrote, or the folder of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any

from dasan.arguments import instance
from dasan.networks import FILE, NETWORK
from dasan.networks.derived import every_reads, input_sizes
from dasan.networks.trained import WEIGHTS, Trained, described, known, load, named
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.networks.network import Network


@dataclass(frozen=True, eq=False)
class Source:
    """A network by the name that a user gave it, see `find`. digest: SHA-256 of its file, hexadecimal. card: its model card,
    None if its file has none.
    """

    name: str
    network: Network
    digest: str
    _trained: Trained | None

    @property
    def card(self) -> Mapping[str, Any] | None:
        return None if self._trained is None else self._trained.card

    def trained(self, rules: Rules) -> Trained:
        """What the network was trained for: `rules`, if it has no model card. ValueError: then it reads features of other
        rules.
        """
        return _without_card(self, rules) if self._trained is None else self._trained


def find(name: str) -> Source:
    """The network called `name`: the name of one of the package, or a file that `dasan train` wrote, or the folder of a run,
    which has one in `network.npz`. The prefix `net:`, with which it is named as a bot, may stand before it.

    ValueError: there is none of this name, or the file contains something else. OSError: the file cannot be read.
    """
    from dasan.networks.network import MOST_BYTES

    name = instance(name, str, "a network is named by a text").removeprefix(NETWORK)
    if known(name):
        return _of_package(name)
    path = Path(name)
    if not name or "\0" in name or (path.name == name and not path.suffix and not path.exists()):
        named(name)
    file = path / FILE if path.is_dir() else path
    about = file.stat()
    if not S_ISREG(about.st_mode) or about.st_size > MOST_BYTES:  # pipes and devices may have no end
        raise ValueError(f"{file}: the file does not contain a network")
    return _read(name, file, (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns))


@lru_cache(maxsize=16)
def _of_package(name: str) -> Source:
    return Source(name, load(named(name)), sha256((WEIGHTS / f"{name}.npz").read_bytes()).hexdigest(), named(name))


@lru_cache(maxsize=16)
def _read(name: str, file: Path, _version: tuple[int, ...]) -> Source:
    """The network of a file. ValueError: it contains something else."""
    from dasan.networks.network import Network

    data = file.read_bytes()
    try:
        network = Network.load(BytesIO(data))
        trained = None if network.card is None else described(name, network.card, network)
        shared = None if trained is None else trained.shared
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{file}: the model card of the network is malformed") from error
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from error
    if trained is not None:
        sizes = input_sizes(trained.rules, trained.reads) if shared is None else shared.sizes
        if network.sizes != sizes:
            raise ValueError(f"{file}: the network does not read the features that its model card says")
    return Source(name, network, sha256(data).hexdigest(), trained)


@lru_cache(maxsize=32)
def _without_card(source: Source, rules: Rules) -> Trained:
    """One for each game, so that `fit` remembers it."""
    for reads in every_reads(rules.exchange):
        if source.network.sizes == input_sizes(rules, reads):
            return Trained(source.name, rules, reads, {}, own=source.network)
    raise ValueError(f"the network {source.name} has no model card, and reads features of other rules")
