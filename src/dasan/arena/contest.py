"""Contests of two bots over duplicate deals: one bot plays alone among copies of the other, in every seat.

A deal is one sample, because its hands are not independent. Outcomes are plain data, so that contests can be resumed
and distributed over processes or a cluster.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from math import inf
from pathlib import Path
from statistics import fmean
from typing import Any

from dasan.arena.child_process import outcomes_in_child
from dasan.arena.hands import Tally, earned, play_fairly, role
from dasan.arena.outcome import Outcome
from dasan.arguments import (
    MOST_SECONDS,
    MOST_WORKERS,
    WrongType,
    flag,
    function,
    instance,
    positive,
    quantity,
    shown,
    whole,
)
from dasan.bots import BOTS, PROGRAM, Bot, Maker
from dasan.bots.external.program import ProgramBot, forget_programs, player
from dasan.bots.external.wire import Fault
from dasan.cluster import check_cluster, over_cluster
from dasan.estimates import Estimate
from dasan.memory import require_memory
from dasan.networks import NETWORK
from dasan.play.new_hand import deal
from dasan.processes import worker_processes
from dasan.ruleset.outcomes import earning_bounds
from dasan.ruleset.rules import Rules
from dasan.stored_lines import stored_lines
from dasan.whole_file import naming, whole_file

PATIENCE = 60.0
"""Seconds that a program may take for a move without an explicit limit. It also sets when bots of other packages are
killed."""
OF_A_DEAL = 300
"""Bytes of memory that the outcome of a deal takes, at least."""
LOOKS = 20
"""The number of interim tests of a contest that may stop early."""


@dataclass(frozen=True)
class Contest:
    """`deals` deals, numbered from `seed`: `a` in one seat against `b` in all others, each deal once for every seat of `a`.

    move_seconds: how long a bot may think about a move. records: a folder for the record of every hand.
    """

    rules: Rules
    a: str
    b: str
    deals: int
    seed: int = 0
    move_seconds: float | None = None
    records: str = ""

    def __post_init__(self) -> None:
        instance(self.rules, Rules, "a contest has rules, such as those from dasan.rules")
        for name in ("a", "b", "records"):
            instance(getattr(self, name), str, f"{name} is text")
        object.__setattr__(self, "deals", whole(self.deals, "deals", 1))
        object.__setattr__(self, "seed", whole(self.seed, "a seed"))
        if self.move_seconds is not None:
            object.__setattr__(self, "move_seconds", positive(self.move_seconds, "move_seconds", MOST_SECONDS))


@lru_cache(maxsize=64)
def _made(name: str, seed: int, seconds: float | None) -> Bot:
    """The bot or program of this name, cached: networks are loaded once, and programs started once."""
    return player(name, seed=seed, seconds=seconds or PATIENCE)


def checked_player(name: str, rules: Rules) -> Bot:
    """The bot, program or network of this name, before a contest. ValueError: there is none, the program does not start, or
    the network reads features of other rules. OSError: a network's file cannot be read.
    """
    instance(name, str, "a bot is named by a text, such as 'greedy'")
    instance(rules, Rules, "a bot is checked for rules, such as those from dasan.rules")
    if name.startswith((PROGRAM, NETWORK)):  # the program may have been mended since, and the network trained further
        _made.cache_clear()
        _key.cache_clear()
        forget_programs()
    one = player(name, rules=rules)
    if isinstance(one, ProgramBot):
        try:
            one.begin()
        except Fault as fault:
            raise ValueError(f"{name} does not start: {fault}") from None
    return one


def networks_of(names: Iterable[str]) -> dict[str, str]:
    """The versions of the networks among these bots, by name: other processes and machines read their files themselves."""
    return {name: _version(name) for name in names if name.startswith(NETWORK)}


def require_same(name: str, one: Bot, networks: Mapping[str, str]) -> None:
    """ValueError: `one`, the bot of this name, plays by another network than `networks_of` said."""
    if networks.get(name, one.version) != one.version:
        raise ValueError(f"{name} is no longer the network that began to play: name a file that does not change")


def _ours(name: str) -> bool:
    """Whether this is a bot of dasan, or plays by a network as one."""
    return name.startswith(NETWORK) or name in BOTS.own


@lru_cache(maxsize=64)
def _load(name: str, rules: Rules) -> None:
    """Load the code and tables of one of dasan's bots, which would count against the limits of its first moves: another bot
    of this name chooses once in each phase.
    """
    state, phases = deal(rules, seed=0), set()
    with suppress(Exception):  # it fails again when it is asked, and that counts
        one = player(name)
        while state.to_act is not None and "play" not in phases:
            moves, view = state.legal_moves(), state.view(state.to_act)
            if len(moves) > 1 and view.phase not in phases:
                phases.add(view.phase)
                one.choose(view)
            state = state.play(moves[0])


def play_deal(
    contest: Contest,
    seed: int,
    makers: Mapping[str, Maker] | None = None,
    *,
    networks: Mapping[str, str] | None = None,
    muted: Collection[bool] = (),
    asking: Callable[[bool | None], None] | None = None,
) -> Outcome:
    """One deal of a contest, in every seat. makers: bots by name beside those of `dasan.bot`. networks: those of
    `networks_of` that must play. muted, asking: as in `play_fairly`, but with False for `a` and True for `b`.

    ValueError: a bot plays by another network than that of `networks`.
    """
    rules, own = contest.rules, makers or {}
    players = rules.players
    if contest.move_seconds is not None:
        for name in {contest.a, contest.b} - own.keys():
            if _ours(name):
                _load(name, rules)
    means: list[float] = []
    won = decided = above = below = 0
    roles: dict[str, tuple[int, int]] = {}
    total = Tally(), Tally()
    for mine in range(players):
        names = [contest.a if seat == mine else contest.b for seat in range(players)]
        bots = [own[n](seat) if n in own else _made(n, seat, contest.move_seconds) for seat, n in enumerate(names)]
        for name, one in zip(names, bots, strict=True):
            require_same(name, one, networks or {})
        state, clocks = play_fairly(
            rules,
            bots,
            seed=seed,
            dealer=seed % players,
            seconds=contest.move_seconds,
            muted=[seat for seat in range(players) if (seat != mine) in muted],
            asking=None if asking is None else partial(_asking, asking, mine),
        )
        gains = earned(state)
        winners = () if state.result is None else state.result.winners
        means.append(gains[mine])
        decided += winners != ()
        won += mine in winners
        above += sum(gain < gains[mine] for gain in gains)
        below += sum(gain > gains[mine] for gain in gains)
        if winners:
            known = roles.get(role(state, mine), (0, 0))
            roles[role(state, mine)] = (known[0] + 1, known[1] + (mine in winners))
        for seat, clock in enumerate(clocks):
            _add(total[seat != mine], clock)
        if contest.records:
            with whole_file(_record_file(contest, seed, mine)) as stream:
                stream.write(state.record().encode())
    a, b = total
    return Outcome(
        seed,
        fmean(means),
        won / max(decided, 1),
        above,
        below,
        roles,
        (a.moves, b.moves),
        (a.seconds, b.seconds),
        (a.faults, b.faults),
    )


def _asking(announce: Callable[[bool | None], None], mine: int, seat: int | None) -> None:
    announce(None if seat is None else seat != mine)


def _file_name(contest: Contest) -> str:
    """The game and the bots as part of a file name, with a digest, because a program's name can be a long command."""
    names = [re.sub(r"[^\w.-]+", "_", name)[-60:] for name in (contest.rules.name, contest.a, contest.b)]
    exactly = json.dumps([contest.rules.digest, contest.a, contest.b])
    return f"{'-'.join(names)}-{hashlib.blake2b(exactly.encode(), digest_size=4).hexdigest()}"


def _record_file(contest: Contest, seed: int, mine: int) -> Path:
    """The file of the hand of deal `seed` in which `a` has the seat `mine`."""
    return Path(contest.records) / f"{_file_name(contest)}-{seed}-{mine}.jsonl"


def _recorded(contest: Contest, seed: int) -> bool:
    """Whether the records of a deal are there, if the contest keeps any."""
    return not contest.records or all(
        _record_file(contest, seed, mine).exists() for mine in range(contest.rules.players)
    )


def _add(total: Tally, clock: Tally) -> None:
    total.moves += clock.moves
    total.seconds += clock.seconds
    for kind, n in clock.faults.items():
        total.faults[kind] = total.faults.get(kind, 0) + n


@dataclass(frozen=True)
class _Chunk:
    """Some deals of a contest: a process's unit of work. networks: as for `play_deal`."""

    contest: Contest
    seeds: tuple[int, ...]
    networks: Mapping[str, str]


def _play_chunk(chunk: _Chunk) -> list[dict[str, Any]]:
    return [asdict(outcome) for outcome in _here(chunk.contest, chunk.seeds, chunk.networks)]


def _here(contest: Contest, seeds: Sequence[int], networks: Mapping[str, str]) -> Iterator[Outcome]:
    """The outcomes of these deals in sequence: in a child process if a bot of another package takes part, because it
    might end the process; otherwise in this one.
    """
    if all(name.startswith(PROGRAM) or _ours(name) for name in (contest.a, contest.b)):
        return (play_deal(contest, seed, networks=networks) for seed in seeds)
    return outcomes_in_child(partial(play_deal, contest, networks=networks), seeds, contest.move_seconds or PATIENCE)


def run(
    contest: Contest,
    *,
    processes: int = 1,
    ray: str | None = None,
    early: bool = False,
    known: Mapping[int, Outcome] | None = None,
    keep: Callable[[Outcome], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Play the deals that are not in `known` (by number), or whose records are missing on this machine; return all outcomes
    in order. Independent of the number of processes.

    processes: processes on this computer. ray: the address of a cluster to play on instead. keep: called with every new
    outcome. progress: called with the number of deals played and the number of all deals. early: test `LOOKS` times at
    equal intervals, and stop once the `interval` excludes 0. ValueError: the file of a network changes while it plays. Errors
    of a cluster: as for `over_cluster`. MemoryError: there is not enough for so many deals or processes. Wrong arguments are a
    ValueError before the first deal.
    """
    instance(contest, Contest, "run plays a contest")
    processes, early = whole(processes, "processes", 1, MOST_WORKERS), flag(early, "early")
    keep, progress = function(keep, "keep"), function(progress, "progress")
    if known is not None and not isinstance(known, Mapping):
        raise WrongType(f"known outcomes are a dictionary by number, not {shown(known)}")
    if ray is not None:
        check_cluster(ray)
    require_memory(contest.deals * OF_A_DEAL, quantity(contest.deals, "deal"))
    numbers = range(contest.seed, contest.seed + contest.deals)
    # The machines of a cluster write records where they play.
    stored = {seed: one for seed, one in (known or {}).items() if seed in numbers}
    outcomes = {seed: one for seed, one in stored.items() if ray is not None or _recorded(contest, seed)}
    sizes = [contest.deals * k // LOOKS for k in range(1, LOOKS + 1)] if early else [contest.deals]
    for size in dict.fromkeys(sizes):
        missing = [seed for seed in range(contest.seed, contest.seed + size) if seed not in outcomes]
        for outcome in _played(contest, missing, processes, ray):
            outcomes[outcome.seed] = outcome
            if keep is not None:
                keep(outcome)
            if progress is not None:
                progress(len(outcomes), contest.deals)
        so_far = [outcomes[seed] for seed in range(contest.seed, contest.seed + size)]
        if early and so_far:
            estimate = interval(contest.rules, so_far, early=True)
            if estimate.low > 0 or estimate.high < 0:
                return so_far
    return [outcomes[seed] for seed in sorted(outcomes)]


def _played(contest: Contest, seeds: Sequence[int], processes: int, ray: str | None) -> Iterator[Outcome]:
    """The outcomes of these deals, as they are finished."""
    networks = networks_of((contest.a, contest.b))
    if processes == 1 and ray is None:
        yield from _here(contest, seeds, networks)
        return
    size = max(1, min(16, len(seeds) // (4 * max(1, processes))))
    chunks = [_Chunk(contest, tuple(seeds[at : at + size]), networks) for at in range(0, len(seeds), size)]
    if ray is not None:
        for _, part in over_cluster(_play_chunk, chunks, ray):
            yield from map(Outcome.from_json, part)
        return
    with worker_processes(processes) as pool:
        for done in as_completed([pool.submit(_play_chunk, chunk) for chunk in chunks]):
            yield from map(Outcome.from_json, done.result())


def interval(rules: Rules, outcomes: Sequence[Outcome], *, early: bool = False) -> Estimate:
    """The mean earnings of `a` a hand, with a 95 % interval. early: whether the contest could stop early."""
    return Estimate.of([one.mean for one in outcomes], earning_bounds(rules), any_time=early)


class OutcomeFile:
    """A file of outcomes, one JSON object per line, to resume contests from."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._outcomes: dict[str, dict[int, Outcome]] = {}
        self._limits: dict[tuple[str, int], float] = {}
        """The time limit for a move under which an outcome was played; infinite without one."""
        if not file.exists():
            return
        try:
            for line in stored_lines(file, b'{"contest"'):
                data = json.loads(line)
                key, outcome = str(data["contest"]), Outcome.from_json(data["outcome"])
                # Lines of version 0.1.0 have no limit. A program's is part of the key, so that no other limit finds them.
                earlier = 0.0 if f" {PROGRAM}" in key else PATIENCE
                self._remember(key, outcome, data.get("move_seconds", earlier))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            why = "" if file.is_file() else ": it is not a regular file"
            raise ValueError(f"{file} does not hold outcomes of contests{why}") from error

    def of(self, contest: Contest) -> dict[int, Outcome]:
        """The stored outcomes of a contest's game, bots and versions, by number of the deal. Not those with late moves,
        which a longer limit may change; nor those played under a longer limit, except where all moves together took no
        longer than this contest allows for one. ValueError: they earn more or less than the game pays.
        """
        key, limit = _key(contest), contest.move_seconds or inf
        outcomes = {
            seed: one
            for seed, one in self._outcomes.get(key, {}).items()
            if not _late(contest, one) and (self._limits[key, seed] <= limit or max(one.seconds) <= limit)
        }
        least, most = earning_bounds(contest.rules)
        if any(not least <= one.mean <= most for one in outcomes.values()):
            raise ValueError(f"{self._file} has outcomes that {contest.rules.name} cannot have")
        return outcomes

    def newest(self, contest: Contest) -> tuple[tuple[str, str], dict[int, Outcome]] | None:
        """The versions of `a` and `b`, and the outcomes of the contest's deals: for the current versions, otherwise for
        the highest versions in the file; None if there are no outcomes. Only for bots whose names have no spaces.
        """
        best: tuple[tuple[str, str], dict[int, Outcome]] | None = None
        for key, outcomes in self._outcomes.items():
            words = key.split(" ")
            if [words[0], words[1], *words[-2:-1]] != [contest.rules.digest[:16], contest.a, contest.b]:
                continue
            there = {seed: outcomes[seed] for seed in sorted(outcomes) if 0 <= seed - contest.seed < contest.deals}
            versions = words[2], words[-1]
            if there and key == _key(contest):
                return versions, there
            if there and (best is None or [*map(_numbers, versions)] > [*map(_numbers, best[0])]):
                best = versions, there
        return best

    def keep(self, contest: Contest, outcome: Outcome) -> None:
        """Append an outcome to the file; `of` and `newest` know it from then on."""
        key = _key(contest)
        self._remember(key, outcome, contest.move_seconds)
        stored = {"contest": key, "move_seconds": contest.move_seconds, "outcome": asdict(outcome)}
        line = json.dumps(stored, separators=(",", ":"))
        with naming(self._file), self._file.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")
            stream.flush()
            os.fsync(stream.fileno())

    def _remember(self, key: str, outcome: Outcome, limit: float | None) -> None:
        self._outcomes.setdefault(key, {})[outcome.seed] = outcome
        self._limits[key, outcome.seed] = inf if limit is None else float(limit)


def _late(contest: Contest, outcome: Outcome) -> bool:
    """Whether a bot moved late. Not for programs, whose outcomes are stored by their limit."""
    return any(
        faults.keys() & {"stall", "exit"}  # a bot that is far too late is ended too
        for name, faults in zip((contest.a, contest.b), outcome.faults, strict=True)
        if not name.startswith(PROGRAM)
    )


@lru_cache(maxsize=256)
def _key(contest: Contest) -> str:
    limit = f" in {contest.move_seconds or PATIENCE:g} s"  # the limit is part of a program's key, because programs receive it
    names = [f"{name} {_version(name)}{limit * name.startswith(PROGRAM)}" for name in (contest.a, contest.b)]
    return f"{contest.rules.digest[:16]} {' / '.join(names)}"


def _numbers(version: str) -> list[int]:
    """A sort key: version 10 comes after version 9."""
    return [int(number) for number in re.findall(r"\d+", version)]


def _version(name: str) -> str:
    if not name.startswith(PROGRAM):
        return _made(name, 0, None).version
    with ProgramBot(name.removeprefix(PROGRAM)) as program:
        return program.version
