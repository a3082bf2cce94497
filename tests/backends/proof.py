"""Compare every backend with the engine under the rules that it honours: `python -m tests.backends.proof --help`.

For each preset, each field of `Rules`, of its policies and its shapes with each other value, then every two of those
together that a compiled backend honours. An assertion fails where two backends differ; what is refused is counted.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.backends.variations import Change, pairs, singles
from tests.vector.differential import Played, follow

import dasan
from dasan import Phase, Rules, State, backends, vector, worlds
from dasan.backends import Purpose
from dasan.interpreted.env import moves_by_id
from dasan.play.action_ids import action_ids
from dasan.ruleset.policies import Ending


def compiled(rules: Rules, purpose: Purpose = Purpose.ENVIRONMENTS) -> bool:
    """Whether a compiled backend honours the rules; if none does, `backend="compiled"` is refused."""
    try:
        backends.choose(rules, purpose, "compiled")
    except ValueError:
        return False
    return True


def environments(rules: Rules, seed: int, hands: int) -> Played:
    """Compare compiled environments with the engine move by move, as single hands and as a session, features included;
    features of moves only for a third of the seeds, because their tables take seconds to make.
    """
    played = Played()
    for session in (False, True):
        moves: vector.Moves | bool = "ragged" if session and seed % 3 == 0 else False
        env = vector.make(rules, 2, seed, session=session, moves=moves, perfect=True, backend="compiled")
        played += follow(env, hands, every=15)
    return played


def engine_alone(rules: Rules, seed: int, steps: int) -> None:
    """The engine's environments: their outputs describe the state and fit into the buffers."""
    for session in (False, True):
        env = vector.make(rules, 1, seed, session=session, moves=True, perfect=True, backend="engine")
        assert env.moves is not None
        for _ in range(steps):
            n = int(env.num_legal[0])
            listed = env.legal[0, :n].tolist()
            assert listed == env.mask[0].nonzero()[0].tolist()
            assert n == len(listed) > 0
            assert env.rewards.sum() == 0
            env.step(env.sample())


def positions(rules: Rules, seed: int) -> int:
    """Positions of the fastest backend beside the engine's, from a deal to the end: legal ids, what thrifty does, results;
    and worlds filled in and played out. Returns the plies.
    """
    source = random.Random(seed)
    state = dasan.deal(rules, seed=seed, dealer=seed % rules.players)
    fast, slow = (worlds.Positions(rules, 3, backend=wanted) for wanted in ("auto", "engine"))
    for where in (fast, slow):
        where.put(0, state)
    plies = 0
    looks = source.randrange(40)
    while not slow.over[0]:
        legal = slow.legal(0).tolist()
        assert legal == fast.legal(0).tolist()
        assert slow.to_act(0) == fast.to_act(0)
        if plies % 7 == 0:
            assert slow.thrifty(0) == fast.thrifty(0)
        if plies == looks:
            fill(state, fast, slow, seed)
        action = source.choice(legal)
        state = state.play(moves_by_id(state, action_ids(rules, True))[action])
        for where in (fast, slow):
            where.step(0, action)
        plies += 1
    assert fast.over[0]
    assert np.array_equal(fast.payments[0], slow.payments[0])
    assert np.array_equal(fast.places[0], slow.places[0])
    assert fast.payments[0].sum() == 0
    return plies


def fill(state: State, fast: worlds.Positions, slow: worlds.Positions, seed: int) -> None:
    """Put worlds into positions 1 and 2 of both, and let thrifty, which depends on the whole position, play them out."""
    view = state.view(state.to_act)
    dealt = worlds.deals(view, 2, seed)
    (world,) = worlds.sample(view, 1, seed)
    ends = []
    for where in (fast, slow):
        where.put_worlds(1, world, dealt)
        ends.append(where.play_out(first=1))
    assert np.array_equal(ends[0].payments, ends[1].payments)
    assert np.array_equal(ends[0].places, ends[1].places)
    assert ends[0].plies == ends[1].plies


def endgame(rules: Rules, source: random.Random) -> State | None:
    """An endgame of a few cards of neighbouring ranks, some moves after a lead; None if these cards allow none."""
    n = rules.players
    each = 3 if n <= 3 else 2 if n <= 4 else 1
    low = source.randrange(9)
    pack = [c for c in rules.pack if c.is_joker or 0 <= rules.order.place[c][0] - low < 5]
    source.shuffle(pack)
    hands = [[pack.pop() for _ in range(source.randint(1, each))] for _ in range(n)]
    where: dict[str, Any] = {"leader": source.randrange(n)}
    if rules.auction is not None:
        where |= {"bidder": source.randrange(n), "bid": source.randint(1, rules.auction.top)}
    if rules.call is not None:
        held = [c for s, hand in enumerate(hands) for c in hand if s != where["bidder"] and c.rank in rules.call.ranks]
        if not held:
            return None
        where["called"] = held[0]
    try:
        state = dasan.start(rules, hands, **where)
    except ValueError:
        return None
    for _ in range(source.randrange(3)):
        state = state.play(source.choice(state.legal_moves()))
        if state.phase is not Phase.PLAY:
            return None
    return state


def worth(state: State, seat: int, known: dict[object, int]) -> int:
    """Plain minimax: the payment of the bidder's side, or without sides the result that `seat` can force, places negated."""
    if state.rules.ending is Ending.LAST_IN and seat in state.finished:
        return -(state.finished.index(seat) + 1)
    if state.result is not None:
        if state.rules.ending is Ending.LAST_IN:
            return -(state.result.finish_order.index(seat) + 1)
        return state.result.payments[seat]
    table = None if state.table is None else (state.table.family, state.table.power, state.table.strength)
    trick = (state.to_act, table, state.table_seat, frozenset(state.passed), state.watching, state.must_include)
    key = (state.hands, trick, state.finished, frozenset(state.has_played), state.payments)
    if key not in known:
        ours = state.partners if state.bidder is not None else {seat}
        best = max if state.to_act in ours else min
        known[key] = best(worth(state.play(move), seat, known) for move in state.legal_moves())
    return known[key]


def solved(rules: Rules, source: random.Random, count: int) -> int:
    """Check that the solver's proved values of small endgames equal plain minimax. Returns their number."""
    done = 0
    for _ in range(3 * count):
        state = endgame(rules, source)
        if state is None or done == count:
            continue
        seat = state.to_act if state.bidder is None else state.bidder
        assert seat is not None
        solution = dasan.solve(state, nodes=30_000, memory_mb=4)
        sign = -1 if rules.ending is Ending.LAST_IN else 1
        known: dict[object, int] = {}
        if solution.exact:
            assert solution.value == sign * worth(state, seat, known)
            done += 1
        for move, value in solution.moves.items():
            assert value == sign * worth(state.play(move), seat, known)
    return done


@dataclass(frozen=True)
class Case:
    """Rules to compare. what: the field that differs, or "pairs"."""

    preset: str
    what: str
    rules: Rules


def cases(preset: str, paired: int = 1) -> Iterator[Case]:
    """Every change alone, then sets of changes that compiled backends honour, among one change in `paired`."""
    alone = singles(preset)
    for change, rules in alone:
        yield Case(preset, change.path[-1], rules)
    honoured: list[Change] = [change for change, rules in alone[::paired] if compiled(rules)]
    for _, rules in pairs(preset, honoured, compiled):
        yield Case(preset, "pairs", rules)


def check(case: Case, seed: int, hands: int = 2) -> Counter[str]:
    """Run every comparison of one case; returns the counts by name."""
    rules, done = case.rules, Counter[str](rules=1)
    if compiled(rules):
        played = environments(rules, seed, hands)
        done.update(compiled=1, hands=played.hands, plies=played.plies, features=played.observed)
    else:
        done["refused"] = 1
        engine_alone(rules, seed, 8)
    done["positions"] = positions(rules, seed)
    try:
        backends.choose(rules, Purpose.SOLVER)
    except ValueError:
        done["no solver"] = 1
    else:
        done["solved"] = solved(rules, random.Random(seed), 2)
    return done


COLUMNS = ("rules", "compiled", "refused", "hands", "plies", "features", "positions", "solved", "no solver")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.backends.proof", description=__doc__)
    parser.add_argument("presets", nargs="*", default=list(dasan.PRESETS), help="which (all)")
    parser.add_argument("--every", type=int, default=1, help="only every so many cases (%(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the first of them (%(default)s)")
    parser.add_argument("--hands", type=int, default=2, help="of environments, twice (%(default)s)")
    chosen = parser.parse_args(arguments)
    began = time.perf_counter()
    print(f"| preset | change | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 2)}", flush=True)
    total: Counter[str] = Counter()
    for preset in chosen.presets:
        sums: dict[str, Counter[str]] = {"alone": Counter(), "pairs": Counter()}
        for number, case in enumerate(cases(preset)):
            if number % chosen.every == chosen.first % chosen.every:
                try:
                    done = check(case, number, chosen.hands)
                except Exception:
                    print(f"{preset} number {number}: {json.dumps(case.rules.to_json())}", file=sys.stderr, flush=True)
                    raise
                sums["pairs" if case.what == "pairs" else "alone"].update(done)
                total.update(done)
        for name, done in sums.items():
            print(f"| {preset} | {name} | {' | '.join(f'{done[column]:,}' for column in COLUMNS)} |", flush=True)
    print(f"| all | | {' | '.join(f'{total[column]:,}' for column in COLUMNS)} |")
    print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
