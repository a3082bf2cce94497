"""A valid call of every public function, for tests that replace its arguments. Each is made when a test first needs
it, because some compile kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import dasan
from dasan import arena, features, puzzles, vector, worlds
from dasan.arena.contest import Contest, run
from dasan.bench.deals import value_deals
from dasan.bots.external import conformance
from dasan.bots.external.program import ProgramBot
from dasan.features import encode, encode_into, observation_size
from dasan.features.packing import packed_size
from dasan.learn.dataset import DatasetPlan
from dasan.play.action_ids import action_ids
from dasan.review.best_play import judge
from dasan.review.rounds import judge_within

THREE = dasan.rules("big-three")
TWO = dasan.rules("big-two-tiny")
PROGRAM = "no-program-of-this-name"
STATE = dasan.start(THREE, ["4H 4S 3D", "5H 6H", "7H 8C"], bidder=0, bid=2, leader=0)
DEAL = dasan.deal(THREE, seed=5)
VIEW = DEAL.view(DEAL.to_act)
ENV = vector.make(THREE, 2, seed=1, moves="ragged")
BATCHES = vector.functional(THREE, 2)
BATCH = BATCHES.init(1)
PLACES = worlds.Positions(THREE, 2)
WORLDS = worlds.deals(VIEW, 2)
SESSION = dasan.session(THREE, seed=1)
LINE = np.zeros(observation_size(THREE), np.uint8)


def rules(preset: Any, **options: Any) -> object:
    return dasan.rules(preset, **options)


def scored(obs: Any, moves: Any, starts: Any) -> Any:
    return np.zeros(len(moves), np.float32)


def placed(name: str, *arguments: object, **named: object) -> object:
    """A method of two positions, each of which holds a hand."""
    for i in range(2):
        PLACES.put(i, DEAL)
    return getattr(PLACES, name)(*arguments, **named)


def checked(**arguments: Any) -> object:
    """The first check of a program that does not exist: the others would take seconds."""
    return next(conformance.check(**arguments))


def valued(**arguments: Any) -> object:
    return list(value_deals(**arguments))


def returned(actions: Any) -> None:
    vector.Returns(ENV).step(actions)


MAKE = {
    "preset": "big-three",
    "num_envs": 2,
    "seed": 1,
    "session": False,
    "threads": 1,
    "observations": True,
    "mask": True,
    "legal": True,
    "moves": False,
    "perfect": False,
    "skip_forced": False,
    "history": 0,
    "buffers": None,
    "backend": "auto",
    "opener_may_pass": False,
}
BUDGET = {"seconds": 1, "nodes": 50, "memory_mb": 8}
SOLVE = {**BUDGET, "moves": True, "scope": None}
TELL = {"progress": None, "cancel": None, "notice": None}
CALLS: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {
    "card": (dasan.card, {"text": "4H"}),
    "Card": (dasan.Card, {"rank": "4", "suit": "H"}),
    "Move": (dasan.Move, {"type": "play", "cards": (dasan.card("4H"),), "bid": None, "combination": None}),
    "bot": (dasan.bot, {"name": "greedy", "seed": 1}),
    "Bot.choose": (dasan.bot("greedy").choose, {"view": VIEW}),
    "Bot.explain": (dasan.bot("greedy").explain, {"view": VIEW}),
    "deal": (dasan.deal, {"rules": THREE, "seed": 1, "dealer": 1}),
    "register": (dasan.register, {"game": THREE}),
    "replay": (dasan.replay, {"record": DEAL.record(), "seed": None}),
    "rules": (rules, {"preset": "winner", "players": 4, "decks": 1, "jokers": False, "scoring": "off"}),
    "Rules.from_json": (dasan.Rules.from_json, {"data": THREE.to_json()}),
    "Rules.combination": (THREE.combination, {"cards": "4H 4S"}),
    "session": (dasan.session, {"rules": THREE, "seed": 1, "contributions": (), "seats": ()}),
    "Session.play": (SESSION.play, {"move": "bid 1"}),
    "Session.record": (SESSION.record, {"view": 0}),
    "solve": (dasan.solve, {"state": STATE, **SOLVE, **TELL}),
    "solve_many": (dasan.solve_many, {"states": [STATE], "workers": 1, **SOLVE}),
    "start": (
        dasan.start,
        {
            "rules": THREE,
            "hands": ["4H 4S 3D", "5H 6H", "7H 8C"],
            "kitty": None,
            "dealer": 0,
            "bidder": 0,
            "bid": 2,
            "called": None,
            "leader": 1,
            "table": "5D",
            "table_seat": 1,
            "to_act": 2,
            "passed": (),
            "finished": (),
            "has_played": None,
            "partner": None,
            "payments": None,
            "watching": None,
        },
    ),
    "State.play": (DEAL.play, {"move": "bid 1"}),
    "State.view": (DEAL.view, {"seat": 0}),
    "State.record": (DEAL.record, {"view": 0}),
    "View.to_json": (VIEW.to_json, {"since": 0}),
    "review.judge": (judge, {"state": STATE, **BUDGET, "scope": None, "cancel": None, "notice": None}),
    "rounds.judge_within": (
        judge_within,
        {"state": STATE, "total": 5, "seconds": 1, "memory_mb": 8},
    ),
    "vector.make": (vector.make, MAKE),
    "vector.functional": (
        vector.functional,
        {k: MAKE[k] for k in ("preset", "num_envs", "session", "threads", "backend")},
    ),
    "vector.playouts": (
        vector.playouts,
        {
            "preset": "big-three",
            "hands": 2,
            "seed": 1,
            "policy": "random",
            "first": 0,
            "threads": 1,
            "backend": "auto",
            "cut": False,
        },
    ),
    "vector.on_gpu": (partial(vector.on_gpu, "big-two"), {"num_envs": 2, "seed": 1, "session": False}),
    "vector.Functional": (vector.Functional, {"env": ENV}),
    "vector.Returns": (vector.Returns, {"env": ENV, "forced": False}),
    "vector.unpack": (vector.unpack, {"words": np.zeros((2, 3), np.uint64), "size": 175, "flags": None}),
    "packed_size": (packed_size, {"size": 175, "flags": 10}),
    "Functional.init": (BATCHES.init, {"seed": 1}),
    "Functional.step": (BATCHES.step, {"batch": BATCH, "actions": BATCHES.sample(BATCH)}),
    "Functional.sample": (BATCHES.sample, {"batch": BATCH}),
    "Functional.observe": (BATCHES.observe, {"batch": BATCH}),
    "VectorEnv.reset": (ENV.reset, {"seed": 1}),
    "VectorEnv.load": (ENV.load, {"positions": PLACES}),
    "VectorEnv.step": (ENV.step, {"actions": np.zeros(2, np.int32)}),
    "VectorEnv.argmax": (ENV.argmax, {"scores": np.zeros((2, ENV.num_actions)), "eps": 0.5}),
    "VectorEnv.best": (ENV.best, {"score": scored, "envs": np.array([1])}),
    "VectorEnv.duel": (ENV.duel, {"one": scored, "others": "random", "deals": 2, "seed": 1}),
    "VectorEnv.like": (ENV.like, {"num_envs": 2, "seed": 1}),
    "VectorEnv.row_of": (ENV.row_of, {"actions": np.zeros(2, np.int32)}),
    "VectorEnv.action_text": (ENV.action_text, {"action": 2}),
    "VectorEnv.dealt": (ENV.dealt, {"i": 1}),
    "Returns.step": (returned, {"actions": np.zeros(2, np.int32)}),
    "action_ids": (action_ids, {"rules": THREE, "exchange": False}),
    "ids.text": (ENV.ids.text, {"action": 2}),
    "ids.of": (ENV.ids.of, {"move": DEAL.legal_moves()[0], "called": None}),
    "ids.move": (ENV.ids.move, {"action": 2, "view": VIEW}),
    "ids.pick": (ENV.ids.pick, {"action": 2, "hand": VIEW.hand, "called": None}),
    "encode": (encode, {"view": VIEW, "session": False}),
    "encode_into": (encode_into, {"view": VIEW, "out": LINE, "session": False}),
    "encode_moves": (features.encode_moves, {"view": VIEW, "session": False}),
    "encode_perfect": (features.encode_perfect, {"state": DEAL}),
    "layout": (features.layout, {"rules": THREE, "session": False}),
    "move_layout": (features.move_layout, {"rules": THREE, "session": False}),
    "action_features": (features.action_features, {"rules": THREE, "session": False}),
    "worlds.sample": (worlds.sample, {"view": VIEW, "count": 1, "seed": 1}),
    "worlds.deals": (worlds.deals, {"view": VIEW, "count": 1, "seed": 1, "first": 0}),
    "worlds.judge": (
        worlds.judge,
        {"view": VIEW, "worlds": 2, "playouts": 1, "policy": "random", "seed": 1, "threads": 1},
    ),
    "Deals.hand": (WORLDS.hand, {"world": 0, "column": 1}),
    "Positions": (worlds.Positions, {"rules": THREE, "size": 2, "backend": "auto"}),
    "Positions.put": (PLACES.put, {"i": 0, "state": DEAL}),
    "Positions.put_worlds": (PLACES.put_worlds, {"first": 0, "state": DEAL, "deals": WORLDS}),
    "Positions.copy": (partial(placed, "copy"), {"source": 0, "target": 1}),
    "Positions.to_act": (partial(placed, "to_act"), {"i": 0}),
    "Positions.legal": (partial(placed, "legal"), {"i": 0}),
    "Positions.text": (PLACES.text, {"action": 2}),
    "Positions.thrifty": (partial(placed, "thrifty"), {"i": 0}),
    "Positions.step": (partial(placed, "step"), {"i": 0, "action": 1}),
    "Positions.play_out": (
        partial(placed, "play_out"),
        {"policy": "random", "times": 1, "seed": 1, "first": 0, "last": 2, "opening": -1, "threads": 1},
    ),
    "arena.duplicate": (
        arena.duplicate,
        {"rules": THREE, "lineup": ["random"] * 3, "deals": 1, "seed": 1, "processes": 1, "makers": None},
    ),
    "arena.Contest": (
        Contest,
        {"rules": THREE, "a": "random", "b": "greedy", "deals": 2, "seed": 1, "move_seconds": None, "records": ""},
    ),
    "arena.run": (
        run,
        {
            "contest": Contest(TWO, "low", "random", 1),
            "processes": 1,
            "early": False,
            "known": None,
            "keep": None,
            "progress": None,
        },
    ),
    "ProgramBot": (ProgramBot, {"command": "python", "seconds": 5, "reported": 1}),
    "conformance.check": (checked, {"command": PROGRAM, "games": [TWO], "hands": 1, "seconds": 5}),
    "bench.value_deals": (
        valued,
        {"numbers": [0], "seed": 1, "players": 3, "seats": "one", "processes": 1, "nodes": 1},
    ),
    "dataset.Plan": (
        DatasetPlan,
        {"rules": THREE, "bots": ("random",) * 3, "hands": 5, "first": 0, "part": 2, "solve": 0},
    ),
    "puzzles.load": (puzzles.load, {"theme": None, "grade": None, "players": None}),
    "puzzles.generate": (
        puzzles.generate,
        {
            "count": 1,
            "seed": 0,
            "game": "big-three",
            "themes": ("refusing",),
            "players": [3],
            "cards": (8, 9),
            "hands": 0,
            "processes": 1,
            "progress": None,
            "workers": None,
        },
    ),
    "puzzles.read": (lambda text: list(puzzles.read(text)), {"text": ""}),
    "puzzles.write": (puzzles.write, {"puzzles": puzzles.load()[:1]}),
    "puzzles.regraded": (puzzles.regraded, {"puzzle": puzzles.load()[0]}),
    "puzzles.of_record": (puzzles.of_record, {"record": None}),
    "puzzles.flaws": (puzzles.flaws, {"puzzle": puzzles.load()[0], "nodes": 10}),
}
