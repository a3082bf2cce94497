"""`dasan deals`: random deals of Big Three, and who wins them under exact play."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dasan.arguments import quantity
from dasan.cli.files import AsJson
from dasan.cli.group import CannotRun, writing
from dasan.cli.output import print_json, say
from dasan.cli.progress import progress_bar
from dasan.cli.solve import Memory
from dasan.cli.spreading import FewProcesses, Workers, failures_refused
from dasan.stored_lines import stored_lines

if TYPE_CHECKING:
    from dasan.bench.deals import Share, Valued

DEFAULT_NODES = 2_000_000
OF_A_DEAL = 1_000
"""Bytes of memory that a valued deal takes, at least."""
NAMES = {
    "all": "every valued seat",
    "some": "the best bidder of the deal",
    "bids": "the bidder that greedy bots make",
    "place": "place after the opener, who leads",
    "threes": "threes",
    "twos": "twos",
    "high": "aces, twos and threes",
    "turns": "turns in the hand",
    "run": "ranks in the longest run",
    "sets": "triplets and quads",
    "kitty_high": "aces, twos and threes in the kitty",
    "kitty_turns": "turns that the kitty adds",
}
"""The words for each group of bidders in the printed rows."""


def deals(
    stats: Annotated[bool, typer.Option("--stats", help="Print shares with their intervals.")] = False,
    count: Annotated[int, typer.Option(min=1, help="Number of deals.")] = 10,
    seed: Annotated[int, typer.Option(help="The seed of the deals.")] = 0,
    players: Annotated[int, typer.Option(min=3, max=4, help="3 or 4.")] = 3,
    seats: Annotated[
        Literal["all", "one", "greedy"],
        typer.Option(
            help="The seats to value as bidder: all, a random one, or the winner of an auction of greedy bots."
        ),
    ] = "all",
    seconds: Annotated[float | None, typer.Option(min=0.01, help="The time limit for each deal.")] = None,
    nodes: Annotated[
        int | None, typer.Option(min=1, help="The most search nodes for each deal; default: 2,000,000.")
    ] = None,
    memory: Memory = 512,
    processes: FewProcesses = 1,
    workers: Workers = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Store every deal in this file; stored deals are solved again only with more nodes."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Solve random deals of Big Three for each seat as the bidder, and count how often the bidder's side wins."""
    from dasan.bench.deals import shares, value_deals, with_bids
    from dasan.memory import require_memory

    if seconds is not None and nodes is not None:
        raise CannotRun("give --seconds or --nodes, not both")
    require_memory(count * OF_A_DEAL, quantity(count, "deal"))
    number = min(workers or processes, count)
    require_memory(
        number * memory * 1e6,
        f"{quantity(number, 'process', 'processes')} with tables of {quantity(memory, 'MB', 'MB')} each",
    )
    budget = {"seconds": seconds} if seconds is not None else {"nodes": nodes or DEFAULT_NODES}
    enough = budget.get("nodes", 0)
    stored = [
        one
        for one in _stored_deals(out)
        if (one.seed, one.players, one.seats) == (seed, players, seats) and one.number in range(count)
        if one.settled or one.nodes >= enough
    ]
    # The last line of a deal counts. Files that were put together may have several, in any order.
    stored.sort(key=lambda one: (sum(bidder.won is not None for bidder in one.bidders), one.nodes))
    known: dict[int, Valued] = {}
    with progress_bar() as show, failures_refused("it solved a deal", "memory ran out"):
        for done, one in enumerate(stored, 1):
            if (deal := with_bids(one)) is not None:
                known[deal.number] = deal
            show("auctions of stored deals", done, len(stored))
        todo = [number for number in range(count) if number not in known]
        values = value_deals(
            todo, seed=seed, players=players, seats=seats, processes=workers or processes, memory_mb=memory, **budget
        )
        for done, deal in enumerate(values, 1):
            _keep(out, deal)
            known[deal.number] = deal
            show("deals", done, len(todo))
    valued = [known[number] for number in range(count)]
    if stats:
        rows = shares(valued)
        if as_json:
            print_json(
                {
                    "seed": seed,
                    "players": players,
                    "seats": seats,
                    **budget,
                    "shares": [one.to_json() for one in rows],
                }
            )
        else:
            _print(rows)
    elif as_json:
        print_json([deal.to_json() for deal in valued])
    else:
        for deal in valued:
            say(_line(deal))


def _stored_deals(file: str | None) -> Iterator[Valued]:
    """The deals in the file. A last line that a crash has cut off is dropped, and its deal solved again."""
    from dasan.bench.deals import Valued

    if file is None or not Path(file).exists():
        return
    try:
        for line in stored_lines(Path(file), b'{"seed"'):
            yield Valued.from_json(json.loads(line))
    except OSError as error:
        raise CannotRun(f"cannot read {file}: {error.strerror or error}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise CannotRun(f"{file} does not hold valued deals: {error}") from error


def _keep(file: str | None, deal: Valued) -> None:
    if file is None:
        return
    with writing(file), Path(file).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(deal.to_json(), separators=(",", ":")) + "\n")


def _line(deal: Valued) -> str:
    words = {True: "wins", False: "loses", None: "not settled"}
    each = "; ".join(
        f"seat {one.seat} {words[one.won]}{' (opens)' if one.place == 0 else ''}{' (bids)' if one.bids else ''}"
        for one in deal.bidders
    )
    return f"deal {deal.number}: as bidder {each}"


def _print(rows: Sequence[Share]) -> None:
    """Print a Markdown table."""
    say("| bidder | | bidders | deals | not settled | wins | 95 % |\n|---|---|---|---|---|---|---|")
    shown = ""
    for one in rows:
        name = NAMES[one.kind] if one.kind != shown else ""
        shown = one.kind
        wins = f"{one.low:.1%}" if not one.unsettled else f"{one.low:.1%} to {one.high:.1%}"
        low, high = one.interval
        say(
            f"| {name} | {one.value} | {one.bidders} | {one.deals} | {one.unsettled} | {wins} | {low:.1%} to {high:.1%} |"
        )
