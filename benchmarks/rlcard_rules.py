"""A bot of ours against `doudizhu-rule-v1`, the rules that RLCard ships for Dou Dizhu, in both roles over duplicate deals.

    pip install 'dasan[bench]'
    python benchmarks/rlcard_rules.py net --deals 1000

RLCard has no auction: the landlord of a deal is a seat drawn at random, for a bid of 1. Each deal is played twice: our bot is the
landlord against two peasants by RLCard's rules, and then both peasants against a landlord by them. Prints how often our bot wins
in each role, and its payment for both hands of a deal (both peasants' together), with 95 % intervals over deals.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from functools import partial
from itertools import dropwhile
from statistics import fmean
from typing import Any, NamedTuple

import dasan
from dasan.bots.external.program import player
from dasan.estimates import Estimate, jackknife
from dasan.play.events import EventType
from dasan.processes import worker_processes

ORDER = "3456789TJQKA2BR"


def ranks(cards: Sequence[dasan.Card | None]) -> str:
    """The ranks of cards, ascending: `334455`, `BR`."""
    return "".join(sorted((str(card)[0] for card in cards if card is not None), key=ORDER.index))


class RuleAgent:
    """RLCard's rule agent as one of our bots: it is shown what RLCard's environment shows. seed: of its random choices."""

    name = "doudizhu-rule-v1"
    version = "1"

    def __init__(self, seed: int) -> None:
        import numpy as np
        from rlcard.games.doudizhu.utils import CARD_TYPE
        from rlcard.models.doudizhu_rule_models import DouDizhuRuleAgentV1

        np.random.seed(seed % (1 << 32))
        self._agent = DouDizhuRuleAgentV1()
        self._text = {"".join(sorted(text, key=ORDER.index)): text for text in CARD_TYPE[0]}

    def _said(self, cards: Sequence[dasan.Card | None]) -> str:
        """A play as RLCard writes it."""
        return self._text[ranks(cards)] if cards else "pass"

    def choose(self, view: dasan.View) -> dasan.Move:
        by_ranks = {ranks(move.cards): move for move in view.legal_moves()}
        played = [event for event in view.events if event.type in (EventType.PLAY, EventType.PASS)]
        played = list(dropwhile(lambda event: event.type is EventType.PASS, played))  # those of the auction
        shown: dict[str, Any] = {
            "self": view.seat,
            "landlord": view.bidder,
            "current_hand": ranks(view.hand),
            "trace": [(event.seat, self._said(event.cards)) for event in played],
            "actions": [self._said(move.cards) for move in by_ranks.values()],
        }
        chosen = str(self._agent.step({"raw_obs": shown}))
        return by_ranks["" if chosen == "pass" else "".join(sorted(chosen, key=ORDER.index))]


class Pair(NamedTuple):
    """A deal played in both roles. payments: our bot's, first as the landlord, then of both peasants together."""

    as_landlord: int
    as_peasants: int


def dealt(seed: int) -> dasan.State:
    """Deal `seed`, with its landlord on lead."""
    rules = dasan.rules("dou-dizhu")
    state = dasan.deal(rules, seed=seed)
    landlord = random.Random(seed).randrange(3)
    while state.phase is dasan.Phase.AUCTION:
        state = state.play("bid 1" if state.to_act == landlord else "pass")
    return state


def hand(seed: int, landlord: Any, peasants: Any) -> int:
    """What the landlord is paid."""
    state = dealt(seed)
    while state.to_act is not None:
        mover = landlord if state.to_act == state.bidder else peasants
        state = state.play(mover.choose(state.view(state.to_act)))
    assert state.result is not None
    assert state.bidder is not None
    return state.result.payments[state.bidder]


def pair(name: str, seed: int) -> Pair:
    """Deal `seed` in both roles."""
    ours, rules = player(name, seed=seed), RuleAgent(seed)
    return Pair(hand(seed, ours, rules), -hand(seed, rules, ours))


def report(name: str, pairs: Sequence[Pair]) -> str:
    """A row of the page."""
    wins = [Estimate.of([float(p[role] > 0) for p in pairs], bounds=(0, 1)) for role in (0, 1)]
    sums = [p.as_landlord + p.as_peasants for p in pairs]
    mean = fmean(sums)
    half = jackknife([(sum(sums) - one) / (len(sums) - 1) for one in sums])
    shares = " | ".join(f"{100 * w.mean:.1f} % [{100 * w.low:.1f}, {100 * w.high:.1f}]" for w in wins)
    return f"| `{name}` | {len(pairs)} | {shares} | {mean:+.2f} [{mean - half:+.2f}, {mean + half:+.2f}] |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "bots", nargs="*", default=["greedy", "net"], help="bots of ours, or net:FILE (default: greedy net)"
    )
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7000, help="the number of the first deal")
    parser.add_argument("--processes", type=int, default=1, help="how many at once (default: 1)")
    chosen = parser.parse_args(arguments)
    print(
        "| bot | deals | wins as the landlord | wins as the peasants | payment, both hands of a deal |\n|---|---|---|---|---|"
    )
    seeds = range(chosen.seed, chosen.seed + chosen.deals)
    for name in chosen.bots:
        if chosen.processes == 1:
            pairs = [pair(name, seed) for seed in seeds]
        else:
            with worker_processes(chosen.processes) as pool:
                pairs = list(pool.map(partial(pair, name), seeds, chunksize=8))
        print(report(name, pairs), flush=True)


if __name__ == "__main__":
    main()
