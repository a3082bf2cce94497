"""The measured work, through the public API only: the engine, batched environments, and whatever players wait for.

Run as a program it measures the `dasan` that its Python imports, possibly of another commit: see `against`.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import dasan
from dasan import backends

STEPS = 50
"""Steps of all environments per call."""

SERVER_MOVES = 20
"""A player's moves per call of `server_move`, because the number of bots' moves between them differs."""

Work = Callable[[], tuple[int, int]]
"""Plays some hands; returns the number of plies and of finished hands."""


def engine(rules: dasan.Rules, threads: int) -> Work:
    """Whole hands by random moves, with the interpreted engine."""
    source = random.Random(1)

    def work() -> tuple[int, int]:
        state = dasan.deal(rules, seed=source.getrandbits(32), dealer=0)
        plies = 0
        while moves := state.legal_moves():
            state = state.play(moves[int(source.random() * len(moves))])
            plies += 1
        return plies, 1

    return work


def whole_hands(rules: dasan.Rules, threads: int) -> Work:
    """Whole hands by random moves, compiled (`dasan.vector.playouts`)."""
    hands = (2_000 if rules.hand_size is None else 10_000) * threads
    first = 0

    def work() -> tuple[int, int]:
        nonlocal first
        done = dasan.vector.playouts(rules, hands, seed=1, first=first, threads=threads, backend="compiled")
        first += hands
        return int(done.plies.sum()), hands

    return work


def batch_size(rules: dasan.Rules) -> int:
    """The number of environments per thread: 4,096, or 512 in games with more than 10,000 plays, whose masks are
    wide.
    """
    return 4096 if len(rules.catalogue.rows) <= 10_000 else 512


def batch(**outputs: Any) -> Callable[[dasan.Rules, int], Work]:
    """Batched environments with these outputs, see `dasan.vector.make`."""

    def works(rules: dasan.Rules, threads: int) -> Work:
        import numpy as np

        env = dasan.vector.make(rules, batch_size(rules) * threads, seed=1, threads=threads, **outputs)
        for _ in range(2 * STEPS):
            env.step(env.sample())

        def work() -> tuple[int, int]:
            games = 0
            for _ in range(STEPS):
                env.step(env.sample())
                games += int(np.count_nonzero(env.done))
            return STEPS * env.num_envs, games

        return work

    return works


def solver(cards: int, count: int, nodes: int) -> Callable[[dasan.Rules, int], Work]:
    """`dasan.solve` on `count` fixed positions of at most `cards` cards on lead, within `nodes` each. Counts positions."""

    def works(rules: dasan.Rules, threads: int) -> Work:
        states = [late(rules, cards, random.Random(place)) for place in range(count)]

        def work() -> tuple[int, int]:
            for state in states:
                dasan.solve(state, moves=False, nodes=nodes)
            return count, 0

        return work

    return works


def search(rules: dasan.Rules, threads: int) -> Work:
    """The moves of `search` in eight fixed positions. Counts moves."""
    views = []
    for place in range(8):
        state = late(rules, 10 * rules.players, random.Random(place))
        views.append(state.view(state.to_act))

    def work() -> tuple[int, int]:
        for place, view in enumerate(views):
            dasan.bot("search", seed=place).choose(view)
        return len(views), 0

    return work


def worlds(rules: dasan.Rules, threads: int) -> Work:
    """Worlds consistent with a view after the first trick. Counts worlds."""
    state = late(rules, 10 * rules.players, random.Random(1))
    view = state.view(state.to_act)

    def work() -> tuple[int, int]:
        dasan.worlds.deals(view, 20_000, seed=1)
        return 20_000, 0

    return work


def review(rules: dasan.Rules, threads: int) -> Work:
    """The review of a hand played at random, with 2,000 search nodes for each position. Counts reviews."""
    from dasan.review.best_play import review as judge

    source = random.Random(1)
    state = dasan.deal(rules, seed=1, dealer=0)
    while state.to_act is not None:
        state = state.play(source.choice(state.legal_moves()))

    def work() -> tuple[int, int]:
        judge(state, nodes=2_000)
        return 1, 0

    return work


def server_move(rules: dasan.Rules, threads: int) -> Work:
    """A player's random moves over a socket, each until the player's next turn, or the end of the hand. The server runs in
    this process, on SQLite in a folder for temporary files; its other seats are `random` bots that answer immediately. Counts the
    player's moves; dealing is included.
    """
    import json
    import tempfile
    from contextlib import ExitStack
    from itertools import count

    from websockets.sync.client import connect

    address = _served(tempfile.mkdtemp())
    table, cookie = _table(address, rules)
    url = f"{address.replace('http', 'ws', 1)}/ws/tables/{table}"
    socket = ExitStack().enter_context(connect(url, additional_headers={"Cookie": cookie}, max_size=None))
    source = random.Random(1)
    numbers = count()

    def turn() -> dict[str, Any]:
        """The view at this player's next turn or the end of the hand."""
        while True:
            message = json.loads(socket.recv(timeout=60))
            if message["type"] == "probe":
                socket.send(json.dumps(message))
            elif message["type"] == "error":
                raise ValueError(f"the server refused a move: {message}")
            elif "view" in message:
                view: dict[str, Any] = message["view"]
                if view["phase"] == "over" or view["to_act"] == view["seat"]:
                    return view

    view = turn()

    def work() -> tuple[int, int]:
        nonlocal view
        ended = 0
        for _ in range(SERVER_MOVES):
            while view["phase"] == "over":
                socket.send(json.dumps({"type": "next", "id": f"n{next(numbers)}"}))
                view, ended = turn(), ended + 1
            move = source.choice(view["legal_moves"])["move"]
            socket.send(json.dumps({"type": "move", "id": f"m{next(numbers)}", "move": move}))
            view = turn()
        return SERVER_MOVES, ended

    return work


def _served(folder: str) -> str:
    """Start a server in a thread that ends with this process; its address."""
    import os
    import threading
    from pathlib import Path
    from queue import Queue

    from dasan.server.main import serve

    os.environ |= {
        "DASAN_BOT_DELAY": "0",
        "DASAN_WARM": "0",
        "DASAN_MESSAGE_RATE": "1e6",
        "DASAN_MESSAGE_BURST": "1000000",
    }
    addresses: Queue[str] = Queue()
    threading.Thread(
        target=serve, args=("127.0.0.1", 0, Path(folder)), kwargs={"on_ready": addresses.put}, daemon=True
    ).start()
    return addresses.get(timeout=60)


def _table(address: str, rules: dasan.Rules) -> tuple[str, str]:
    """Open a table with bots in the other seats; its id and the player's cookie."""
    import json
    from urllib.request import Request, urlopen

    body = {"preset": rules.name, "seats": ["me", *["random"] * (rules.players - 1)], "settings": {"grace": 3600}}
    request = Request(f"{address}/api/tables", json.dumps(body).encode(), {"content-type": "application/json"})
    with urlopen(request, timeout=60) as answer:
        return json.load(answer)["id"], answer.headers["set-cookie"].partition(";")[0]


def late(rules: dasan.Rules, cards: int, source: random.Random) -> dasan.State:
    """A position of a random hand with at most `cards` cards and a free lead."""
    while True:
        state = dasan.deal(rules, seed=source.getrandbits(32), dealer=0)
        while state.to_act is not None:
            if state.phase is dasan.Phase.PLAY and state.table is None and sum(state.hand_sizes) <= cards:
                return state
            state = state.play(source.choice(state.legal_moves()))


WORKS: dict[str, Callable[[dasan.Rules, int], Work]] = {
    "engine": engine,
    "whole-hands": whole_hands,
    "batch-mask": batch(observations=False),
    "batch-obs": batch(observations=True),
    "batch-moves": batch(observations=True, moves="ragged"),
    "batch-packed-mask": batch(observations=False, mask="packed", legal=False),
    "batch-packed-obs": batch(observations="packed", mask="packed", legal=False),
    "solve-deals": solver(52, 6, 50_000),
    "solve-30-cards": solver(30, 40, 50_000),
    "solve-endgames": solver(16, 40, 20_000),
    "worlds": worlds,
    "search": search,
    "review": review,
    "server-move": server_move,
}
"""The work of each path. Rates count plies, except: positions for the solver, and worlds, moves, hands and moves of one
player for `worlds`, `search`, `review` and `server-move`."""
CLOCKS = {"server-move": time.perf_counter}
"""The clock of each path that spends time in several processes; others are measured by process time."""


def applies(path: str, rules: dasan.Rules) -> bool:
    """Whether a path measures these rules: whole deals are solved where the search of open hands plays them, else endgames;
    the server plays presets.
    """
    whole = backends.OPEN_HANDS.unsupported(rules) is None
    of_path = {"solve-deals": whole, "solve-30-cards": whole, "solve-endgames": not whole}
    of_path["server-move"] = rules.digest == dasan.rules(rules.name).digest
    return of_path.get(path, True)


def rates(work: Work, seconds: float, clock: Callable[[], float]) -> tuple[float, float]:
    """Plies and finished hands a second, over at least `seconds` of `clock`."""
    plies = hands = 0
    start = clock()
    while (spent := clock() - start) < seconds or plies == 0:
        more, ended = work()
        plies += more
        hands += ended
    return plies / spent, hands / spent


def main() -> None:
    """Print the file of the package; read a line `path seconds preset [option=value …]` and prepare the work; then for every
    empty line measure one run and print its rate a second.
    """
    print(dasan.__file__, flush=True)
    path, seconds, preset, *given = sys.stdin.readline().split()
    options = {name: int(value) for name, _, value in (text.partition("=") for text in given)}
    work = WORKS[path](dasan.rules(preset, **options), 1)
    clock = CLOCKS.get(path, time.process_time)
    work()
    print("ready", flush=True)
    for _ in sys.stdin:
        print(rates(work, float(seconds), clock)[0], flush=True)


if __name__ == "__main__":
    main()
