"""Rate a bot on a ladder of fixed bots over fixed deals.

`ladder.json` lists, for each game, the deals and the ladder's bots (rungs): their versions, a digest of their play, and
their rating points. If a rung no longer plays as its digest says, `evaluate` refuses to rate. A new ladder gets a new
number; `benchmarks/ladder.py` measures its points.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from math import exp, sqrt
from typing import TYPE_CHECKING, Any

from dasan.arena.contest import OF_A_DEAL, Contest, checked_player, interval, run
from dasan.arena.outcome import Outcome, by_role
from dasan.arena.ratings import SCALE, blocks_of, half_width, leads, without
from dasan.arguments import MOST_SECONDS, MOST_WORKERS, function, instance, positive, quantity, whole
from dasan.bots import PROGRAM
from dasan.bots.external.program import player
from dasan.games import make_rules
from dasan.memory import require_memory
from dasan.networks import NETWORK
from dasan.play.new_hand import deal
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SAMPLE = 3
"""The number of hands that a rung's digest covers."""


class LadderChanged(Exception):
    """A rung no longer plays as it did when its points were measured."""


@dataclass(frozen=True)
class BotRung:
    """A bot of the ladder. points: its rating; 0 is `greedy`. digest: see `digest_of`. player: the bot that plays
    for it if the bot of its name has changed since, such as "net:winner".
    """

    name: str
    version: str
    digest: str
    points: float
    player: str = ""

    @property
    def seated(self) -> str:
        """The bot that plays for it, as in `dasan arena`."""
        return self.player or self.name


@dataclass(frozen=True)
class BotLadder:
    """The rungs for one game. number: the ladder's number. deals: the number of deals against each rung, numbered from
    `seed`.
    """

    number: int
    game: str
    deals: int
    seed: int
    rungs: tuple[BotRung, ...]

    @property
    def rules(self) -> Rules:
        return make_rules(self.game)

    @property
    def digest(self) -> str:
        """A digest of everything that a rating depends on except the bot."""
        about = asdict(self)
        for rung in about["rungs"]:
            del rung["player"]  # its play is the same
        return _digest(json.dumps([about, self.rules.digest], sort_keys=True))


@dataclass(frozen=True)
class Evaluation:
    """A bot's rating. points: on the ladder, with a 95 % interval over deals; a lead of 400 points means that it earns
    more ten times as often as less. outcomes: by rung. move_seconds: the time limit for a move, None without one.
    faults: illegal, late or missing answers, by kind.
    """

    ladder: BotLadder
    name: str
    version: str
    points: float
    low: float
    high: float
    outcomes: Mapping[str, Sequence[Outcome]]
    move_seconds: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON data, which `dasan evaluate --check` can verify."""
        return {
            "ladder": self.ladder.number,
            "ladder_digest": self.ladder.digest,
            "game": self.ladder.game,
            "bot": self.name,
            "version": self.version,
            "points": round(self.points),
            "low": round(self.low),
            "high": round(self.high),
            "move_seconds": self.move_seconds,
            "seconds_per_move": round(self.seconds_per_move, 6),
            "faults": self.faults,
            "by_role": by_role(self._every()),
            "rungs": [self._rung_json(rung) for rung in self.ladder.rungs],
        }

    def _rung_json(self, rung: BotRung) -> dict[str, Any]:
        outcomes = self.outcomes[rung.name]
        estimate = interval(self.ladder.rules, outcomes)
        return {
            "name": rung.name,
            "version": rung.version,
            "points": rung.points,
            "deals": len(outcomes),
            "mean": estimate.mean,
            "low": estimate.low,
            "high": estimate.high,
            "outcomes": [[one.seed, one.mean, one.above, one.below] for one in outcomes],
        }

    def _every(self) -> list[Outcome]:
        """The outcomes of all rungs."""
        return [one for outcomes in self.outcomes.values() for one in outcomes]

    @property
    def seconds_per_move(self) -> float:
        every = self._every()
        return sum(one.seconds[0] for one in every) / max(1, sum(one.moves[0] for one in every))

    @property
    def faults(self) -> dict[str, int]:
        total = Counter[str]()
        for one in self._every():
            total.update(one.faults[0])
        return dict(total)


@cache
def ladders() -> Mapping[str, BotLadder]:
    """The current ladder of each game."""
    data = json.loads((files("dasan.arena") / "ladder.json").read_text(encoding="utf-8"))
    return {
        game: BotLadder(data["number"], game, one["deals"], one["seed"], tuple(BotRung(**rung) for rung in one["rungs"]))
        for game, one in data["games"].items()
    }


def evaluate(
    name: str,
    ladder: BotLadder,
    *,
    deals: int | None = None,
    move_seconds: float | None = None,
    processes: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> Evaluation:
    """Play a bot alone among each rung in turn. name: as in `dasan arena`. deals: fewer than the ladder's widen the
    interval.

    `LadderChanged`: a rung no longer plays as it did. ValueError: there is no such bot, its program does not start, its
    network reads features of other rules, or another argument is wrong. MemoryError: there is not enough for so many deals.
    """
    instance(ladder, BotLadder, "a bot is rated on one of ladders()")
    many = ladder.deals if deals is None else whole(deals, "deals", 1)
    processes, progress = whole(processes, "processes", 1, MOST_WORKERS), function(progress, "progress")
    if move_seconds is not None:
        move_seconds = positive(move_seconds, "move_seconds", MOST_SECONDS)
    candidate = checked_player(name, ladder.rules)
    require_memory(many * OF_A_DEAL, quantity(many, "deal"))
    outcomes: dict[str, list[Outcome]] = {}
    for rung in ladder.rungs:
        require_unchanged(rung, ladder.rules)
        contest = Contest(ladder.rules, name, rung.seated, many, ladder.seed, move_seconds)
        show = None if progress is None else lambda done, total, rung=rung: progress(rung.name, done, total)
        outcomes[rung.name] = run(contest, processes=min(processes, contest.deals), progress=show)
    points, low, high = _rating(ladder, outcomes)
    return Evaluation(ladder, candidate.name, candidate.version, points, low, high, outcomes, move_seconds)


@dataclass(frozen=True)
class _RungReport:
    name: str
    version: str
    points: float
    deals: int
    mean: float
    low: float
    high: float
    outcomes: list[tuple[int, float, float, float]]


@dataclass(frozen=True)
class _Report:
    """The types in a report, `Evaluation.to_json`."""

    ladder: int
    ladder_digest: str
    game: str
    bot: str
    version: str
    points: int
    low: int
    high: int
    seconds_per_move: float
    faults: dict[str, int]
    by_role: dict[str, dict[str, float]]
    rungs: list[_RungReport]


@cache
def _reader() -> TypeAdapter[_Report]:
    from pydantic import TypeAdapter

    return TypeAdapter(_Report)


def _read(report: object) -> _Report:
    """ValueError, with the first fault: not every value of `report` is there and has its type."""
    from pydantic import ValidationError

    try:
        return _reader().validate_json(json.dumps(report), strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
        fault = "missing" if first["type"] == "missing" else _short(first["input"])
        raise ValueError(f"{place.lstrip('.') or 'it'} is {fault}") from error


def require_report(report: object) -> None:
    """ValueError, with the first fault: `report` is not what `Evaluation.to_json` gives, or of another ladder than the
    current one. Whether it is true takes a new evaluation, see `differences`.
    """
    about = _read(report)
    ladder = ladders().get(about.game)
    if ladder is None:
        raise ValueError(f"there is no ladder for {_short(about.game)}")
    if about.ladder_digest != ladder.digest:
        raise ValueError(
            f"it is of ladder {about.ladder}, and the current one is {ladder.number}, with the digest {ladder.digest}: check"
            " it with the version of dasan that wrote it"
        )
    deals = len(about.rungs[0].outcomes) if about.rungs else 0
    seeds = list(range(ladder.seed, ladder.seed + deals))
    for rung, one in zip(ladder.rungs, about.rungs, strict=False):
        if (one.name, one.deals) != (rung.name, deals) or [row[0] for row in one.outcomes] != seeds:
            raise ValueError(f"its rung {_short(one.name)} does not have the deals of the ladder's {rung.name}")
    if deals < 2 or len(about.rungs) != len(ladder.rungs):
        raise ValueError(f"it needs two deals or more against each of {', '.join(rung.name for rung in ladder.rungs)}")


def differences(report: Mapping[str, Any], again: Evaluation) -> list[str]:
    """The differences between a report (`Evaluation.to_json`) and a new evaluation of the same bot. Times do not count, nor do
    the command of a program, whose version contains the name that it states, and the name of a network's file.
    """
    fresh = json.loads(json.dumps(again.to_json()))
    ignored = {"move_seconds", "seconds_per_move"}
    bots = str(report.get("bot")), fresh["bot"]
    if any(all(bot.startswith(prefix) for bot in bots) for prefix in (PROGRAM, NETWORK)):
        ignored.add("bot")
    return [line for key in fresh if key not in ignored for line in _differing(key, report.get(key), fresh[key])]


def _differing(place: str, was: Any, now: Any) -> Iterator[str]:
    """The differences of two JSON values, with their places. Of a list of lists, such as outcomes, the first is enough."""
    if was == now:
        return
    if isinstance(was, dict) and isinstance(now, dict):
        for key in now | was:
            yield from _differing(f"{place}.{key}", was.get(key), now.get(key))
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now) and isinstance(now[0], dict | list):
        differ = [n for n, (one, other) in enumerate(zip(was, now, strict=True)) if one != other]
        for n in differ if isinstance(now[0], dict) else differ[:1]:
            yield from _differing(f"{place}[{n}]", was[n], now[n])
    else:
        yield f"{place} is {_short(was)}, and now {_short(now)}"


def require_unchanged(rung: BotRung, rules: Rules) -> None:
    """Raise `LadderChanged` unless the rung plays as it did when its points were measured.

    Its version may be later, because of other games.
    """
    if digest_of(rung.seated, rules) != rung.digest:
        version = player(rung.seated).version
        raise LadderChanged(f"{rung.seated} {version} does not play as {rung.name} {rung.version} of the ladder did")


@cache
def digest_of(name: str, rules: Rules) -> str:
    """A digest of `SAMPLE` hands that the bot plays in all seats."""
    records = []
    for seed in range(SAMPLE):
        state = deal(rules, seed=seed)
        bots = [player(name, seed=seat) for seat in range(rules.players)]
        moves = []
        while state.to_act is not None:
            move = bots[state.to_act].choose(state.view(state.to_act))
            moves.append(str(move))
            state = state.play(move)
        records.append(moves)
    return _digest(json.dumps(records))


def _rating(ladder: BotLadder, outcomes: Mapping[str, Sequence[Outcome]]) -> tuple[float, float, float]:
    """The maximum-likelihood points of the bot, given those of the rungs, and their interval, see `half_width`."""
    blocks = blocks_of(outcomes.values())
    counts = _counts(ladder, outcomes)
    points = _likeliest(counts)
    parts = [
        _likeliest(_counts(ladder, {name: without(each, block, blocks) for name, each in outcomes.items()}))
        for block in range(blocks)
    ]
    shares = [(up + down, _expected(rung, points)) for rung, up, down in counts]
    information = sum(n * share * (1 - share) for n, share in shares) / SCALE**2
    half = half_width(parts, 1 / sqrt(information))
    return points, points - half, points + half


def _counts(ladder: BotLadder, outcomes: Mapping[str, Sequence[Outcome]]) -> list[tuple[float, float, float]]:
    """(points, times the bot earned more, times it earned less) of each rung; half a win each way keeps ratings finite."""
    counts = []
    for rung in ladder.rungs:
        above, below = leads(outcomes[rung.name])
        counts.append((rung.points, above + 0.5, below + 0.5))
    return counts


def _likeliest(counts: Sequence[tuple[float, float, float]]) -> float:
    """The points at which the expected number of wins equals the observed one."""
    wins = sum(up for _, up, _ in counts)
    low, high = -4_000.0, 4_000.0
    while high - low > 0.01:
        middle = (low + high) / 2
        expected = sum((up + down) * _expected(rung, middle) for rung, up, down in counts)
        low, high = (middle, high) if expected < wins else (low, middle)
    return (low + high) / 2


def _expected(rung: float, points: float) -> float:
    """The probability that a bot with `points` earns more than a rung with `rung` points."""
    return 1 / (1 + exp((rung - points) / SCALE))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
