"""Self-play as a data set: hands in Parquet files, reproducible from the arguments unless a bot has a time limit, and resumable.

A folder has `manifest.json` (the settings), `README.md` (the datasheet) and `hands/part-00000.parquet` … A part
is never incomplete; a later run makes the missing parts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from dasan.arena.contest import PATIENCE, checked_player, require_same
from dasan.arguments import WrongType, instance, items, quantity, shown, whole
from dasan.bots.external.program import player, tell_end
from dasan.bots.external.wire import Fault
from dasan.cluster import check_cluster, over_cluster
from dasan.memory import require_memory
from dasan.networks import NETWORK
from dasan.play.action_ids import action_ids
from dasan.play.events import MOVES
from dasan.play.new_hand import deal
from dasan.processes import worker_processes
from dasan.records.retrace import move_of
from dasan.ruleset.rules import Rules
from dasan.strict_json import NotJson, parse
from dasan.version import __version__
from dasan.whole_file import whole_file

SCHEMA = "dasan-hands/1"
MOST = 10**15
"""The most hands, and the highest number of a hand: columns are 64 bits wide."""
OF_A_HAND = 1_000
"""Bytes of memory that a hand takes before its file is written, at least."""
MOST_PARTS = 1_000_000
PART = re.compile(r"part-([0-9]{5,})\.parquet")
"""The name of a part. Other files are not the data set's, such as a copy of a part."""
COLUMNS = {
    "hand": "number of the hand; its deal is that of dasan.deal(rules, seed=hand, dealer=dealer)",
    "dealer": "seat that dealt",
    "dealt": "cards that each seat was dealt, as text",
    "kitty": "cards that were left over, as text",
    "bidder": "seat that bid most, null in games without an auction",
    "bid": "the highest bid, null in games without an auction",
    "seats": "seat of each move",
    "moves": "each move as dasan reads it",
    "actions": "each move's action id",
    "payments": "units by seat",
    "winners": "seats that won",
    "finish_order": "seats that went out, in order",
    "value": "with --solve: what the first lead is worth to the bidder, all hands open; null where it was not proved",
}


@dataclass(frozen=True)
class DatasetPlan:
    """The settings of a data set. bots: a name for each seat, as in `dasan arena`. part: hands per file. solve: the solver's node
    budget per hand, 0 to solve none. ValueError: the settings contradict each other.
    """

    rules: Rules
    bots: tuple[str, ...]
    hands: int
    first: int = 0
    part: int = 10_000
    solve: int = 0

    def __post_init__(self) -> None:
        instance(self.rules, Rules, "a data set has rules, such as those from dasan.rules")
        bots, given = items(self.bots, "bots are a name for each seat"), cast("object", self.bots)
        if isinstance(given, str) or not all(isinstance(name, str) for name in bots):
            raise WrongType(f"bots are a name for each seat, not {shown(self.bots)}")
        checked = {
            "hands": whole(self.hands, "hands", 1, MOST),
            "first": whole(self.first, "the first hand", 0, MOST),
            "part": whole(self.part, "hands of a part", 1, MOST),
            "solve": whole(self.solve, "solve", 0),
            "bots": bots,
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if len(self.bots) != self.rules.players:
            raise ValueError(f"{self.rules.name} takes {self.rules.players} bots, not {len(self.bots)}")
        if self.solve and self.rules.auction is None:
            raise ValueError("only games with a bidder are solved")
        if self.parts > MOST_PARTS:
            raise ValueError(f"{self.hands:,} hands are at most {MOST_PARTS:,} files: put more into a part")

    @property
    def parts(self) -> int:
        return -(-self.hands // self.part)

    def manifest(self) -> dict[str, Any]:
        """The settings that determine the content, without the number of hands, as JSON data. ValueError: there is no such bot,
        its program does not start, or its network cannot play these rules. OSError: its network cannot be read.
        """
        ids = action_ids(self.rules)
        versions = {name: checked_player(name, self.rules).version for name in set(self.bots)}
        return {
            "schema": SCHEMA,
            "engine": __version__,
            "rules": self.rules.to_json(),
            "digest": self.rules.digest,
            "action_ids": {"version": ids.version, "digest": ids.digest},
            "bots": [{"name": name, "version": versions[name]} for name in self.bots],
            "first": self.first,
            "part": self.part,
            "solve": self.solve,
        }


def played(plan: DatasetPlan, number: int, networks: Mapping[str, str] | None = None) -> dict[str, Any]:
    """One hand as a row. A bot is asked only if it has a choice. networks: the versions of networks, by name; ValueError: another
    would play, or a program fails.
    """
    rules = plan.rules
    turn = number % rules.players
    shift = number // rules.players
    names = [plan.bots[(seat + shift) % rules.players] for seat in range(rules.players)]
    players = [player(name, seed=seat, seconds=PATIENCE, rules=rules) for seat, name in enumerate(names)]
    for name, one in zip(names, players, strict=True):
        require_same(name, one, networks or {})
    state = begun = deal(rules, seed=number, dealer=turn)
    of, actions, value = action_ids(rules).of, [], None
    asked = plan.solve == 0
    while state.to_act is not None:
        if not asked and state.phase == "play":
            from dasan.solver.solving import solve

            value, asked = solve(state, seconds=None, nodes=plan.solve, moves=False).value, True
        seat, moves = state.to_act, state.legal_moves()
        try:
            move = moves[0] if len(moves) == 1 else players[seat].choose(state.view(seat))
        except Fault as fault:  # which no other process could read
            raise ValueError(f"{names[seat]} failed in hand {number}: {fault}") from None
        actions.append(of(move, state.called))
        state = state.play(move)
    tell_end(state, players)
    result, made = state.result, [e for e in state.events if e.type in MOVES]
    if result is None:
        raise AssertionError("a hand without a seat to act is over")
    return {
        "hand": number,
        "dealer": turn,
        "dealt": [str(hand) for hand in begun.hands],
        "kitty": " ".join(map(str, begun.kitty)),
        "bidder": state.bidder,
        "bid": state.bid,
        "seats": [e.seat for e in made],
        "moves": [str(move_of(e)) for e in made],
        "actions": actions,
        "payments": list(result.payments),
        "winners": list(result.winners),
        "finish_order": list(result.finish_order),
        "value": value,
    }


def make(
    plan: DatasetPlan,
    folder: Path,
    *,
    processes: int = 1,
    ray: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write the missing parts into `folder`; returns their number. No other process may write there.

    processes: processes on this machine, one part each. ray: the address of a Ray cluster to run on instead, see
    `over_cluster`; its machines need the bots and the extra `data`. progress: called with the number of parts done and
    the number of all parts.

    Hands beyond `plan.hands` stay. ValueError: the folder holds a data set with other settings, or an unreadable file; a bot
    cannot play, see `DatasetPlan.manifest`; a program fails, or a network's file changes.
    ValueError, ModuleNotFoundError, before anything is written: as for `check_cluster`. ClusterError: as for
    `over_cluster`. BrokenProcessPool: a process died, for example because a bot ended it. MemoryError: there is not enough for so
    many processes, or hands of a part.
    """
    import pyarrow as pa  # noqa: F401  before anything is written

    processes = whole(processes, "processes", 1)
    if ray is not None:
        check_cluster(ray)
    unwritten = min((processes if ray is None else 1) * plan.part, plan.hands)
    require_memory(unwritten * OF_A_HAND, f"{quantity(unwritten, 'hand')} in unfinished files")
    folder, manifest = Path(folder), plan.manifest()
    folder.mkdir(parents=True, exist_ok=True)
    _settle(folder, manifest)
    parts = folder / "hands"
    parts.mkdir(exist_ok=True)
    for unfinished in parts.glob(".part-*.tmp"):
        unfinished.unlink(missing_ok=True)
    held = held_parts(folder)
    wanted = [n for n in range(plan.parts) if held.get(n, 0) < _count(plan, n)]
    rows = {**held, **{n: _count(plan, n) for n in wanted}}
    with whole_file(folder / "README.md") as stream:
        stream.write(datasheet(replace(plan, hands=sum(rows.values()))).encode())
    if not wanted:
        return 0
    networks = {one["name"]: one["version"] for one in manifest["bots"] if one["name"].startswith(NETWORK)}
    work = partial(part_file, plan, networks=networks)
    for done, (number, data) in enumerate(_made(work, wanted, min(processes, len(wanted)), ray), start=1):
        with whole_file(parts / f"part-{number:05}.parquet") as stream:
            stream.write(data)
        if progress is not None:
            progress(done, len(wanted))
    return len(wanted)


def _made(
    work: Callable[[int], bytes], wanted: Sequence[int], processes: int, ray: str | None
) -> Iterator[tuple[int, bytes]]:
    """(number of the part, its file), as parts are finished."""
    if ray is not None:
        for place, data in over_cluster(work, wanted, ray):
            yield wanted[place], data
    elif processes == 1:
        for number in wanted:
            yield number, work(number)
    else:
        with worker_processes(processes) as pool:
            futures = {pool.submit(work, number): number for number in wanted}
            for future in as_completed(futures):
                yield futures.pop(future), future.result()


def _count(plan: DatasetPlan, part: int) -> int:
    return min(plan.part, plan.hands - part * plan.part)


def _settle(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest of a new data set. ValueError: the folder has one that differs."""
    file = folder / "manifest.json"
    if not file.exists():
        with whole_file(file) as stream:
            stream.write(f"{json.dumps(manifest, indent=2)}\n".encode())
    elif other := _unlike(_read(file), manifest):
        raise ValueError(f"{folder} holds a data set that was made with other settings: {', '.join(other)}")


def _read(manifest: Path) -> Any:
    try:
        return parse(manifest.read_bytes())
    except NotJson as error:
        raise ValueError(f"{manifest} is not a readable manifest: it {error}") from error


def _unlike(held: Any, manifest: dict[str, Any]) -> list[str]:
    """The settings in which a folder's manifest differs from that of a plan."""
    known = held if isinstance(held, dict) else {}
    return sorted(name for name in {*known, *manifest} if name not in known or known[name] != manifest.get(name))


def held_parts(folder: Path) -> dict[int, int]:
    """By number, the hands in each part that `folder` holds. ValueError: a part is not a readable Parquet file."""
    numbered = [(part, PART.fullmatch(part.name)) for part in sorted((folder / "hands").iterdir())]
    return {int(match[1]): _rows(part) for part, match in numbered if match}


def _rows(part: Path) -> int:
    """The number of hands in an existing part."""
    from pyarrow import ArrowException, parquet

    try:
        return int(parquet.read_metadata(part).num_rows)
    except (ArrowException, OSError) as error:
        raise ValueError(
            f"{part} is not a readable Parquet file: delete it, and its hands will be made again"
        ) from error


def part_file(plan: DatasetPlan, part: int, networks: Mapping[str, str] | None = None) -> bytes:
    """A part as a Parquet file. networks, ValueError: as for `played`."""
    import pyarrow as pa
    from pyarrow import parquet

    first = plan.first + part * plan.part
    rows = [played(plan, number, networks) for number in range(first, first + _count(plan, part))]
    table = pa.Table.from_pylist(rows, schema=schema())
    file = pa.BufferOutputStream()
    parquet.write_table(table.replace_schema_metadata({"schema": SCHEMA}), file, compression="zstd")
    data: bytes = file.getvalue().to_pybytes()
    return data


def schema() -> Any:
    """The types of the columns."""
    import pyarrow as pa

    small, texts = pa.list_(pa.int8()), pa.list_(pa.string())
    kinds: Sequence[Any] = (
        *(pa.int64(), pa.int8(), texts, pa.string(), pa.int8(), pa.int8(), small, texts),
        *(pa.list_(pa.int32()), pa.list_(pa.int32()), small, small, pa.int32()),
    )
    return pa.schema(list(zip(COLUMNS, kinds, strict=True)))


def datasheet(plan: DatasetPlan) -> str:
    """The datasheet for users of the data, as Markdown."""
    ids = action_ids(plan.rules)
    rows = "\n".join(f"| `{name}` | {text} |" for name, text in COLUMNS.items())
    again = "the same command writes the same hands again, with the same versions of the bots."
    if timed := ", ".join(name for name in dict.fromkeys(plan.bots) if getattr(player(name), "timed", False)):
        again = f"the same command deals the same cards again, but bots with a time limit ({timed}) may play them differently."
    return f"""# Hands of {plan.rules.name}

{plan.hands:,} hands played by {", ".join(plan.bots)} (turned by one seat whenever each seat has dealt), written by dasan
{__version__}.

- Schema `{SCHEMA}`; action ids `{ids.version}`, digest `{ids.digest}`; rules digest `{plan.rules.digest}`.
- Hand *n* is dealt from seed *n*: {again}
- The bots see what their seat sees. The data show all hands: a learner that is to play must not read `dealt` of others.
- Only these bots played: the data show how they play, not how people play, and not what is best.

| column | what it holds |
|---|---|
{rows}
"""
