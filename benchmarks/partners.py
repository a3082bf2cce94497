"""What a seat can infer about the bidder's hidden partner, and what it would be worth to know: Big Three for four.

    python benchmarks/partners.py --among greedy --hands 300 --seed 300000

One seat plays as `net` among three of the named bot; among `net`, every seat counts. Measured are its plays and passes
while the partner is hidden and not deducible: worlds that fit the view differ in the holder of the called card.

- Inference: each possible partner's probability is its share of even worlds, or is weighted by the network's likelihood
  of the others' plays and passes, where those of one seat are independent of the other seats' given the partner. A
  number is the temperature of the softmax, in the network's scores.
- Value: rollouts of up to six candidates in the worlds. In one half of the worlds the best candidate is chosen, once
  from all worlds and once for each possible partner; in the other half the two choices are compared. Players keep
  guessing in the rollouts, so that it is the value of knowing the partner for this one move.

Brackets are 95 % intervals over hands.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

import dasan
from dasan.arrays import Doubles, Flags, Longs
from dasan.bots.greedy import worthy
from dasan.bots.heuristics.certain import Certain
from dasan.bots.net import score
from dasan.bots.protocol import choices
from dasan.bots.sampling.beliefs import Beliefs
from dasan.bots.sampling.likelihood import Story, _at_the_start, stories
from dasan.bots.sampling.rollouts import by_network
from dasan.bots.sampling.simulator import ROOM, simulator_for
from dasan.bots.seeds import seed_of
from dasan.estimates import t_quantile
from dasan.kernels.cards import words_of
from dasan.networks.trained import Fitted, fitted
from dasan.play.view import View
from dasan.worlds.deals import Deals, deals
from dasan.worlds.states import Sampler

TEMPERATURES = (0.06, 0.1, 0.25, 0.5)
PLAYED, WIDTH, TRUST = 256, 6, 100.0
"""For the value: worlds for each decision, candidates, and the weight of the network's score, in worlds."""
LEAST = 4
"""The fewest worlds from which a move is chosen for one partner."""
TRICKS = (1, 2, 3, 4, 5, 14)
"""The tricks up to which the rows of the table go."""


@dataclass(frozen=True)
class Decision:
    """One decision. hand: the number of its deal. chances: the true partner's probability in even worlds and for each of
    TEMPERATURES. first: for each of these, whether the true partner is the likeliest. worth: the value, in units.
    """

    hand: int
    bidder: bool
    trick: int
    chances: tuple[float, ...]
    first: tuple[bool, ...]
    worth: float


@dataclass
class Tally:
    """Counts: hands, those in which the bidder called the opener's card, and decisions by seats who were not told."""

    hands: int = 0
    shown: int = 0
    unaware: int = 0


def decisions(among: str, seed: int, tally: Tally, *, value: bool) -> Iterator[Decision]:
    """The decisions of one hand."""
    rules = dasan.rules("big-three-4p")
    network = fitted(rules)
    if network is None:
        raise SystemExit("there is no network for these rules")
    net, other = dasan.bot("net"), dasan.bot(among)
    mine = None if among == "net" else seed % 4
    state = dasan.deal(rules, seed=seed, dealer=seed // 4 % 4)
    while state.to_act is not None:
        view = state.view(state.to_act)
        unaware = view.phase == "play" and view.partner is None and len(choices(view)) > 1
        if unaware and mine in (None, view.seat) and state.partner is not None:
            tally.unaware += 1
            measured = measure(view, seed, state.partner, network, value=value)
            if measured is not None:
                yield measured
        state = state.play((net if mine in (None, state.to_act) else other).choose(view))
    (shown,) = next(event.cards for event in state.events if event.type.value == "open")
    tally.hands += 1
    tally.shown += state.called == shown


def measure(view: View, hand: int, partner: int, network: Fitted, *, value: bool) -> Decision | None:
    """One decision; None if the partner is deducible, or there is one candidate."""
    moves, seed = choices(view), seed_of(view, 0)
    first = dict(zip(moves, score(network, view).tolist(), strict=True))
    certain = Certain(view)
    candidates = sorted(certain.moves or worthy(view, moves, certain), key=lambda move: -first[move])[:WIDTH]
    drawn = deals(view, ROOM, seed)
    holders = holder(view, drawn)
    if len(candidates) < 2 or len(set(holders.tolist())) < 2:
        return None
    (world,) = Sampler(view).states(1, seed)
    story = stories(view, world)[0]
    logs = by_seat(view, story, _at_the_start(view, story, drawn), network)
    found = [posterior(holders, logs[k] * weight) for k, weight in ((0, 0.0), *((k, 1.0) for k in range(len(logs))))]
    worth = 0.0
    if value:
        part = replace(drawn, one=drawn.one[:PLAYED], two=drawn.two[:PLAYED])
        tried = by_network(view, candidates, Beliefs(world, part, np.ones(PLAYED)), network)
        worth = worth_of(tried.values, np.array([first[move] for move in candidates]), holders[:PLAYED])
    trick = 1 + sum(event.type.value == "trick" for event in view.events)
    return Decision(
        hand,
        view.seat == view.bidder,
        trick,
        tuple(one.get(partner, 0.0) for one in found),
        tuple(one.get(partner, 0.0) == max(one.values()) for one in found),
        worth,
    )


def holder(view: View, drawn: Deals) -> Longs:
    """int64 [worlds]: the holder of the called card."""
    assert view.called is not None
    bit = np.uint64(words_of(view.rules, (view.called,))[0])
    out: Longs = (drawn.one[:, : view.rules.players] & bit != 0).argmax(axis=1)
    return out


def by_seat(view: View, story: Story, drawn: Deals, network: Fitted) -> Doubles:
    """float64 [temperatures, seats, worlds]: the log-likelihood of each seat's plays and passes since the call; 0 for
    the seat of `view`.
    """
    simulator = simulator_for(view.rules, network.trained.session)
    simulator.positions.put_worlds(0, story.start, drawn)
    env = simulator.env
    env.load(simulator.positions)
    called = False
    every, out = np.arange(len(drawn)), np.zeros((len(TEMPERATURES), view.rules.players, len(drawn)))
    for seat, action in zip(story.seats, story.actions, strict=True):
        choosing = every[env.num_legal > 1]
        if called and seat != view.seat and len(choosing):
            scores = simulator.scorer(env, choosing, network.network.weights)
            starts, lengths = scores.begin[:-1], np.diff(scores.begin)
            rows = scores.rows.astype(np.float64)
            below = rows - np.repeat(np.maximum.reduceat(rows, starts), lengths)
            place = starts + (env.legal[choosing, : lengths.max()] == action).argmax(axis=1)
            for k, heat in enumerate(TEMPERATURES):
                out[k, seat, choosing] += below[place] / heat - np.log(np.add.reduceat(np.exp(below / heat), starts))
        called = called or env.ids.text(action).startswith("call")
        env.step(np.full(env.num_envs, action, np.int32))
    return out


def posterior(holders: Longs, logs: Doubles) -> dict[int, float]:
    """Each possible partner's probability. logs: float64 [seats, worlds]."""
    found = {}
    for seat in np.unique(holders).tolist():
        of = logs[:, holders == seat]
        top = of.max(axis=1)
        found[seat] = float(
            np.log(np.mean(holders == seat)) + (top + np.log(np.exp(of - top[:, None]).mean(axis=1))).sum()
        )
    most = max(found.values())
    total = sum(np.exp(one - most) for one in found.values())
    return {seat: float(np.exp(one - most) / total) for seat, one in found.items()}


def worth_of(outcomes: Doubles, first: Doubles, holders: Longs) -> float:
    """The value of knowing the partner. outcomes: float64 [moves, worlds]. first: the network's scores."""

    def chosen(worlds: Flags) -> int:
        return int(((PLAYED * outcomes[:, worlds].mean(axis=1) + TRUST * first) / (PLAYED + TRUST)).argmax())

    gains = 0.0
    for half in (0, 1):
        choosing = np.arange(PLAYED) % 2 == half
        common = chosen(choosing)
        for seat in np.unique(holders).tolist():
            mine = holders == seat
            move = chosen(choosing & mine) if (choosing & mine).sum() >= LEAST else common
            gains += float((outcomes[move] - outcomes[common])[~choosing & mine].sum())
    return gains / PLAYED


def mean(found: Sequence[Decision], values: Sequence[float], hands: int = 0) -> str:
    """The mean over decisions, or the sum for each of `hands` hands, with the interval over hands."""
    sums: dict[int, float] = {}
    centre = 0.0 if hands else float(np.mean(values))
    for one, value in zip(found, values, strict=True):
        sums[one.hand] = sums.get(one.hand, 0.0) + value - centre
    of = np.array([*sums.values(), *[0.0] * (hands - len(sums))])
    size = hands or len(values)
    half = (
        t_quantile(0.975, len(of) - 1) * float(np.sqrt(((of - of.mean()) ** 2).sum() * len(of) / (len(of) - 1))) / size
    )
    middle = float(np.sum(values)) / size
    return f"{middle:+.3f} [{middle - half:+.3f}, {middle + half:+.3f}]"


def report(found: Sequence[Decision], tally: Tally, *, seats: int, value: bool) -> None:
    """Print the tables. seats: the number of seats measured in each hand."""
    print(f"In {tally.shown} of {tally.hands} hands the bidder called the card that the opener had shown.")
    print(
        f"{len(found)} of {tally.unaware} decisions by seats who were not told, in {len({one.hand for one in found})} hands."
    )
    if not found:
        return
    names = ("even", *(f"likely, {heat}" for heat in TEMPERATURES))
    print("\n| partner by | log loss | less than even | right |\n|---|---|---|---|")
    losses = [[-float(np.log(max(one.chances[k], 1e-3))) for one in found] for k in range(len(names))]
    for k, name in enumerate(names):
        less = mean(found, [a - b for a, b in zip(losses[0], losses[k], strict=True)]) if k else ""
        print(f"| {name} | {np.mean(losses[k]):.3f} | {less} | {np.mean([one.first[k] for one in found]):.1%} |")
    print(f"\n| trick | decisions | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    for low, high in zip((0, *TRICKS), TRICKS, strict=False):
        rows = [i for i, one in enumerate(found) if low < one.trick <= high]
        if rows:
            cells = (
                f"{np.mean([loss[i] for i in rows]):.3f}, {np.mean([found[i].first[k] for i in rows]):.0%}"
                for k, loss in enumerate(losses)
            )
            print(f"| {low + 1}{'' if high == low + 1 else '+'} | {len(rows)} | {' | '.join(cells)} |")
    if value:
        played = seats * tally.hands
        print(f"\nKnowing the partner is worth {mean(found, [one.worth for one in found], played)} units a hand,")
        for bidder, who in ((True, "as bidder"), (False, "as opponent")):
            print(f"{who} {mean(found, [one.worth * (one.bidder == bidder) for one in found], played)}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--among", default="greedy", help="the bot in the other seats (default: greedy)")
    parser.add_argument("--hands", type=int, default=300)
    parser.add_argument("--seed", type=int, default=300_000, help="the number of the first deal (default: 300000)")
    parser.add_argument("--skip-value", action="store_true", help="no rollouts")
    chosen = parser.parse_args(arguments)
    tally = Tally()
    numbers = range(chosen.seed, chosen.seed + chosen.hands)
    found = [one for seed in numbers for one in decisions(chosen.among, seed, tally, value=not chosen.skip_value)]
    report(found, tally, seats=4 if chosen.among == "net" else 1, value=not chosen.skip_value)


if __name__ == "__main__":
    main()
