"""The value of calls in Big Three for four: the bidder calls a card by one method, or another, and plays on alike.

    python benchmarks/calls.py --cards net --among greedy --deals 700 --seed 410000

One seat plays as --cards among three of --among, in every seat of each deal. Where it is the bidder, the hand is played
again with other calls: that of `greedy`, and the network's best call but for the card that the opener has shown, which
tells everybody who the partner is. A row is the difference to the bot's own call in units, for each hand in which it is
the bidder and for each hand, with the 95 % interval over deals in brackets. --worlds plays `search` with so many even
worlds a move instead of its own effort.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

import dasan
from dasan.bots import Bot, bot
from dasan.bots.net import score
from dasan.bots.protocol import choices
from dasan.bots.search import Effort, SearchBot
from dasan.estimates import Estimate, jackknife
from dasan.networks.trained import fitted
from dasan.play.moves import Move
from dasan.play.state import State

RULES = dasan.rules("big-three-4p")
Call = Callable[[dasan.View], Move]


@dataclass(frozen=True)
class Played:
    """What one hand paid the seat: with the bot's own call, and the differences of the other calls by name. own: whether
    the bot called the card that the opener had shown.
    """

    paid: int
    own: bool
    more: dict[str, int]


def shown(view: dasan.View) -> dasan.Card | None:
    """The card that the opener showed."""
    return next(event.cards[0] for event in view.events if event.type.value == "open")


def hidden(view: dasan.View) -> Move:
    """The network's best call but for the card that the opener has shown."""
    network = fitted(RULES)
    assert network is not None
    values = dict(zip(choices(view), score(network, view).tolist(), strict=True))
    return max((move for move in values if shown(view) not in move.cards), key=lambda move: values[move])


CALLS: dict[str, Call] = {"greedy": bot("greedy").choose, "hidden": hidden}


def played(state: State, bots: Sequence[Bot], call: Call | None) -> State:
    """The end of a hand. call: how the bidder calls, instead of as its bot does."""
    while state.to_act is not None:
        view = state.view(state.to_act)
        choose = call if call is not None and view.phase == "call" else bots[state.to_act].choose
        state = state.play(choose(view))
    return state


def hand(seed: int, seat: int, cards: Bot, among: Bot) -> Played | None:
    """One hand with the seat as bidder; None if it is not."""
    bots = [cards if one == seat else among for one in range(RULES.players)]
    state = dasan.deal(RULES, seed=seed, dealer=seed % RULES.players)
    while state.phase == "auction" and state.to_act is not None:
        state = state.play(bots[state.to_act].choose(state.view(state.to_act)))
    if state.to_act != seat:
        return None
    ends = {name: played(state, bots, call) for name, call in (("own", None), *CALLS.items())}
    paid = {name: end.result.payments[seat] for name, end in ends.items() if end.result is not None}
    more = {name: paid[name] - paid["own"] for name in CALLS}
    return Played(paid["own"], ends["own"].called == shown(state.view(seat)), more)


def ratio(deals: Sequence[Sequence[Played]], name: str) -> Estimate:
    """The mean difference of a call for each hand of the bidder, with a jackknife over deals."""

    def of(some: Sequence[Sequence[Played]]) -> float:
        return fmean([one.more[name] for deal in some for one in deal] or [0.0])

    half = jackknife([of([*deals[:i], *deals[i + 1 :]]) for i in range(len(deals))])
    return Estimate(of(deals), of(deals) - half, of(deals) + half, len(deals))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", default="net", help="the bot in one seat (default: net)")
    parser.add_argument("--among", default="greedy", help="the bot in the other seats (default: greedy)")
    parser.add_argument("--worlds", type=int, help="with --among search: even worlds a move")
    parser.add_argument("--deals", type=int, default=700)
    parser.add_argument("--seed", type=int, default=410_000, help="the number of the first deal (default: 410000)")
    chosen = parser.parse_args(arguments)
    effort = None if chosen.worlds is None else Effort(worlds=chosen.worlds, width=6)
    among = SearchBot(0, effort) if chosen.among == "search" else bot(chosen.among)
    cards = bot(chosen.cards)
    deals = []
    for seed in range(chosen.seed, chosen.seed + chosen.deals):
        hands = [hand(seed, seat, cards, among) for seat in range(RULES.players)]
        deals.append([one for one in hands if one is not None])
    every = [one for deal in deals for one in deal]
    print(
        f"{len(every)} hands as bidder in {len(deals)} deals; the opener's card called in {sum(o.own for o in every)}."
    )
    print(f"With its own calls the bidder is paid {fmean(one.paid for one in every):+.3f}.")
    print("| call | a hand as bidder | a hand |\n|---|---|---|")
    for name in CALLS:
        each = [sum(one.more[name] for one in deal) / RULES.players for deal in deals]
        print(f"| {name} | {ratio(deals, name)} | {Estimate.of(each, (-6, 6))} |")


if __name__ == "__main__":
    main()
