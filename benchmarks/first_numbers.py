"""Fit the networks that give the solver of Big Three its first numbers: `kernels/ranks/solver/learned-*.npz`.

    python benchmarks/first_numbers.py collect deals.npz --seed 50000 --deals 120
    python benchmarks/first_numbers.py collect later.npz --seed 52000 --deals 250 --cards 42 --nodes 100000 --every 400
    python benchmarks/first_numbers.py fit deals.npz later.npz --out learned-three.npz
    python benchmarks/first_numbers.py collect four.npz --game big-three-4p --seed 60000 --deals 240 --nodes 120000
    python benchmarks/first_numbers.py fit four.npz --form beside --out learned-beside.npz

`collect` searches deals, and now and then takes children that the search has judged but not settled: of its current ply, of the
one above, and of one at random. Each is then solved alone. The targets are who wins, and the logarithm of the nodes to prove it.
`fit` trains on nine of ten deals by gradient descent (Adam), and prints how well the others are judged: the share whose winner is
right, the logarithmic loss, and the errors of the two logarithms (root of the mean square). Positions with a partner are
also used with the roles rotated; the result is negated if the sides change places.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import dasan
from dasan.arrays import Doubles, Floats, Longs, U
from dasan.bench.solver import at_random
from dasan.kernels.proofs.loop import AT, COUNT, FIRST
from dasan.kernels.proofs.transpositions import disproof_in, proof_in
from dasan.kernels.ranks.play import taken
from dasan.kernels.ranks.solver import search as solver_search
from dasan.kernels.ranks.solver.estimate import SPLIT_WORDS, choices_of, losers_of, split_all
from dasan.kernels.ranks.solver.learned import FORMS, SCALE, UNITS, form_of, role_of
from dasan.kernels.ranks.solver.position import SEATS, action_of, mover_of, on_lead, owner_of
from dasan.kernels.ranks.solver.sure_wins import filled
from dasan.kernels.ranks.tables import rank_catalogue
from dasan.solver.open_hands import OpenPosition, position

CATALOGUE = rank_catalogue(dasan.rules("big-three"))
OURS = {"three": (0,), "beside": (0, 1), "opposite": (0, 2)}
"""The roles of the bidder's side."""
ROTATIONS = {"three": (0,), "beside": (0, 2), "opposite": (0, 1, 2, 3)}
"""By how many seats the roles of a position are moved in equivalent positions."""
MOST = 80
"""More columns than a position has."""
LESS, STEEPER = 1.5, 1.25
"""The search takes STEEPER × (the logarithm of the nodes - LESS) as the logarithm of a first number."""
HIGHEST = 8.0
"""The highest output of a unit."""
BATCH = 512
"""The number of positions between two changes of the weights."""
INPUTS = 64
"""The most weights that a unit adds up: 52 cards, and twelve of context, turns and losers."""


class Example(NamedTuple):
    """won: 1 if the bidder's side wins, -1 if not, 0 if unknown. work: log2 of the nodes + 1."""

    deal: int
    at: OpenPosition
    won: int
    work: float


def children(search: solver_search.Search, root: OpenPosition, source: random.Random) -> Iterator[OpenPosition]:
    """Children of the search's line that are not settled."""
    at, players = int(search.counters[AT]), len(root.hands)
    for ply in {at - 1, at - 2, source.randrange(at + 1)}:
        first, count = (int(search.plies[ply, column]) for column in (FIRST, COUNT))
        if ply < 0 or count <= 0:
            continue
        child = first + source.randrange(count)
        if proof_in(search.numbers[child]) == 0 or disproof_in(search.numbers[child]) == 0:
            continue
        move = search.children[child, solver_search.MOVE]
        hands = search.hands[SEATS * ply : SEATS * ply + players].copy()
        seat = mover_of(search.contexts[ply])
        hands[seat] = taken(hands[seat], move & U(0xFF), CATALOGUE)
        yield OpenPosition(tuple(map(int, hands)), root.side, int(move >> U(8) & U(0xFFFF)))


def begun(at: OpenPosition, memory: int) -> tuple[solver_search.Search, int]:
    """(search, value if it is decided at once) of a position."""
    search = solver_search.new_search(memory)
    return search, solver_search.set_out(search, len(at.hands), at.hands, at.side, at.context, CATALOGUE)


def searched(search: solver_search.Search, at: OpenPosition, nodes: int) -> tuple[int, int]:
    """(value, nodes) after a search has continued."""
    return solver_search.search_on([search], len(at.hands), at.side, nodes, CATALOGUE)


def solved(at: OpenPosition, memory: int, nodes: int) -> tuple[int, int]:
    """(value, nodes) of a position solved alone."""
    (search, value), used = begun(at, memory), 0
    while value == 0 and used < nodes:
        value, more = searched(search, at, nodes - used)
        used += more
    return value, used


def examples(game: str, seed: int, deals: int, cards: int, nodes: int, every: int, alone: int) -> Iterator[Example]:
    """Examples from `deals` deals, each searched for at most `nodes` nodes, with children taken about every `every` nodes, and
    solved alone within `alone` nodes.
    """
    seen: set[OpenPosition] = set()
    for deal in range(seed, seed + deals):
        source = random.Random(deal)
        at = position(at_random(cards, source, game))
        (search, value), used = begun(at, 1 << 26), 0
        while value == 0 and used < nodes:
            value, more = searched(search, at, source.randrange(every // 2, 2 * every))
            used += more
            for child in {*children(search, at, source)} - seen:
                seen.add(child)
                won, work = solved(child, 1 << 21, alone)
                yield Example(deal, child, won, float(np.log2(1 + max(1, work))))
        print(f"deal {deal}: {len(seen)} positions", flush=True)


def collect(out: Path, game: str, seed: int, deals: int, cards: int, nodes: int, every: int, alone: int) -> None:
    every_one = list(examples(game, seed, deals, cards, nodes, every, alone))
    np.savez_compressed(
        out,
        hands=np.array([one.at.hands for one in every_one], U),
        side=[one.at.side for one in every_one],
        context=[one.at.context for one in every_one],
        deal=[one.deal for one in every_one],
        won=[one.won for one in every_one],
        work=[one.work for one in every_one],
    )


def rows_of(players: int) -> int:
    """The number of stored columns, see `learned.expanded`."""
    return (64 + 16 + 16) * players + 64 + 192 + 64 + 1


def columns_of(at: OpenPosition, ours: Sequence[int], rotation: int) -> list[int]:
    """The rows of the stored columns that a position has with its roles moved by `rotation` seats. ours: see `OURS`."""
    players, context = len(at.hands), U(at.context)
    roles = [(int(role_of(seat, U(at.side))) + rotation) % players for seat in range(players)]
    hands = np.array([*at.hands, 0][:SEATS], U)
    splits = np.zeros(SPLIT_WORDS * SEATS, U)
    split_all(hands, 0, players, splits)
    mover, owner = roles[mover_of(context)], roles[owner_of(context)]
    others = [role for role in range(players) if role not in (mover, owner)]
    waiting = {roles[seat] for seat in range(players) if at.context >> 4 + seat & 1}
    situation = 4 + 4 * (players * mover + owner) + sum(1 << i for i, role in enumerate(others) if role in waiting)
    choices = min(int(choices_of(hands[mover_of(context)], context, CATALOGUE)), 31)
    out = [64 * roles[seat] + bit for seat, hand in enumerate(at.hands) for bit in range(64) if hand >> bit & 1]
    first = 64 * players
    out += [first + (mover if on_lead(context) else situation), first + 64 + int(action_of(context))]
    out += [first + 256 + 32 * (mover in ours) + choices, first + 320 + 32 * players]
    for seat, role in enumerate(roles):
        enemies = [hand for other, hand in zip(roles, hands, strict=False) if (other in ours) != (role in ours)]
        one, rest = enemies[0], np.bitwise_or.reduce(np.array([0, *enemies[1:]], U))
        below = filled(one | rest) >> U(1) & U(0x0FFF_0FFF_0FFF_0FFF)
        lost = int(losers_of(splits, SPLIT_WORDS * seat, one, rest, below))
        turns = first + 320 + 16 * role + min(int(splits[SPLIT_WORDS * seat]), 15)
        out += [turns, first + 320 + 16 * players + 16 * role + min(lost, 15)]
    return out


class Layers(NamedTuple):
    """rows: the first layer. heads: a row a unit and one of constants; odds, work to prove, work to disprove."""

    rows: Doubles
    heads: Doubles


class Examples(NamedTuple):
    """Rows of `Example`. columns: padded with -1."""

    columns: npt.NDArray[np.int16]
    won: Longs
    work: Doubles

    def some(self, chosen: npt.NDArray[Any]) -> Examples:
        return Examples(self.columns[chosen], self.won[chosen], self.work[chosen])


def read(files: Sequence[Path], form: str) -> tuple[Examples, Longs]:
    """(examples, deals) of a form, in every rotation."""
    columns, won, work, deals = [], [], [], []
    for file in files:
        with np.load(file) as arrays:
            every = zip(
                *(arrays[name].tolist() for name in ("hands", "side", "context", "won", "work", "deal")), strict=True
            )
        for hands, side, context, result, effort, deal in every:
            if form_of(len(hands), U(side)) != [*FORMS].index(form):
                continue
            at = OpenPosition(tuple(hands), side, context)
            for rotation in ROTATIONS[form]:
                row = columns_of(at, OURS[form], rotation)
                columns.append(np.array(row + [-1] * (MOST - len(row)), np.int16))
                won.append(result if rotation in OURS[form] else -result)
                work.append(effort)
                deals.append(deal)
    return Examples(np.array(columns), np.array(won), np.array(work)), np.array(deals)


def inputs(columns: npt.NDArray[np.int16], rows: int) -> Floats:
    """A row a position, with 1 at its columns."""
    out = np.zeros((len(columns), rows + 1), np.float32)
    out[np.arange(len(columns))[:, None], columns] = 1
    return out[:, :rows]


def judged(layers: Layers, examples: Examples) -> tuple[npt.NDArray[Any], Doubles, Doubles]:
    """(inputs, outputs of the units and 1, heads)."""
    given = inputs(examples.columns, len(layers.rows))
    units = np.clip(given @ layers.rows.astype(np.float32), 0, HIGHEST).astype(np.float64)
    units = np.hstack([units, np.ones((len(units), 1))])
    return given, units, units @ layers.heads


def slopes(examples: Examples, heads: Doubles) -> Doubles:
    """The slopes of the loss: logarithmic of the odds, and 0.075 times the square of each error in work."""
    won = examples.won
    out = np.zeros_like(heads)
    out[:, 0] = np.where(won != 0, 1 / (1 + np.exp(-heads[:, 0])) - (won > 0), 0)
    out[:, 1] = np.where(won > 0, heads[:, 1] - examples.work, 0) * 0.15
    out[:, 2] = np.where(won < 0, heads[:, 2] - examples.work, 0) * 0.15
    return out / len(won)


def trained(examples: Examples, rows: int, epochs: int, rate: float, seed: int) -> Layers:
    source = np.random.default_rng(seed)
    layers = Layers(source.normal(0, 0.08, (rows, UNITS)), source.normal(0, UNITS**-0.5, (UNITS + 1, 3)))
    layers.heads[UNITS] = 0, 6, 6
    means, squares = Layers(*map(np.zeros_like, layers)), Layers(*map(np.zeros_like, layers))
    batches = len(examples.won) // BATCH
    if not batches:
        raise SystemExit(f"there are fewer than {BATCH} positions to learn from")
    steps = epochs * batches
    for step in range(1, steps + 1):
        if (step - 1) % batches == 0:
            order = source.permutation(len(examples.won))
        chosen = order[(step - 1) % batches * BATCH :][:BATCH]
        batch = examples.some(chosen)
        given, units, heads = judged(layers, batch)
        by_head = slopes(batch, heads)
        active = (units[:, :UNITS] > 0) & (units[:, :UNITS] < HIGHEST)
        by_unit = (by_head @ layers.heads[:UNITS].T * active).astype(np.float32)
        now = rate * min(1, step / 200) * max(0.03, 1 - step / steps)
        by_layer = Layers(given.T @ by_unit, units.T @ by_head)
        for one, mean, square, slope in zip(layers, means, squares, by_layer, strict=True):
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            one -= now * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return layers


def report(layers: Layers, examples: Examples) -> str:
    _, _, heads = judged(layers, examples)
    won, work = examples.won, examples.work
    known = won != 0
    right = float(np.mean((heads[known, 0] > 0) == (won[known] > 0)))
    loss = float(np.mean(np.logaddexp(0, -heads[known, 0] * won[known])))
    errors = [float(np.mean((heads[won == side, i] - work[won == side]) ** 2) ** 0.5) for i, side in ((1, 1), (2, -1))]
    return f"{len(won)} positions: {right:.1%} right, loss {loss:.3f}, errors {errors[0]:.2f} and {errors[1]:.2f}"


def fit(files: Sequence[Path], out: Path, form: str, epochs: int, rate: float, seed: int) -> None:
    """Train on all files, and write the network."""
    every, deals = read(files, form)
    held = deals % 10 == 0
    layers = trained(every.some(~held), rows_of(FORMS[form]), epochs, rate, seed)
    print(report(layers, every.some(held)))
    layers.heads[UNITS, 1:] -= LESS
    layers.heads[:, 1:] *= STEEPER
    rows = np.rint(layers.rows * SCALE)
    if np.sort(np.abs(rows), axis=0)[-INPUTS:].sum(axis=0).max() >= 1 << 15:
        raise SystemExit("a sum of weights does not fit 16 bits")
    with out.open("wb") as stream:
        np.savez_compressed(stream, columns=rows.astype(np.int16), heads=layers.heads.astype(np.float32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("collect")
    one.add_argument("out", type=Path)
    one.add_argument("--game", default="big-three", choices=["big-three", "big-three-4p"])
    one.add_argument("--seed", type=int, default=50_000, help="the number of the first deal")
    one.add_argument("--deals", type=int, default=100)
    one.add_argument("--cards", type=int, default=52)
    one.add_argument("--nodes", type=int, default=400_000, help="the most nodes for a deal")
    one.add_argument("--every", type=int, default=1_000, help="nodes between two looks")
    one.add_argument("--alone", type=int, default=5_000, help="the most nodes to solve a child alone")
    two = commands.add_parser("fit")
    two.add_argument("files", type=Path, nargs="+")
    two.add_argument("--out", type=Path, required=True)
    two.add_argument("--form", default="three", choices=[*FORMS])
    two.add_argument("--epochs", type=int, default=8)
    two.add_argument("--rate", type=float, default=0.003)
    two.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    if chosen.command == "collect":
        collect(
            chosen.out, chosen.game, chosen.seed, chosen.deals, chosen.cards, chosen.nodes, chosen.every, chosen.alone
        )
    else:
        fit(chosen.files, chosen.out, chosen.form, chosen.epochs, chosen.rate, chosen.seed)


if __name__ == "__main__":
    main()
