"""Wrong types are refused where they enter, with one sentence; integers of any kind are integers."""

from __future__ import annotations

import copy
import pickle
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import dasan
from dasan import arena, features, puzzles, vector, worlds
from dasan.arena.contest import Contest
from dasan.arguments import amount
from dasan.features import encode, encode_into, observation_size
from dasan.features.packing import packed_size
from dasan.learn.dataset import Plan
from dasan.play.action_ids import action_ids
from dasan.ruleset.policies import Auction, Guard
from dasan.solver.review import judge

THREE = dasan.rules("big-three")
WINNER = dasan.rules("winner")
POSITION = ["5D", "6D", "7D"]


def given(wrong: object) -> Any:
    """A value of any type, as a program that nobody checks hands it over."""
    return wrong


REFUSED: list[tuple[str, Callable[[], object]]] = [
    ("dealer is a seat from 0 to 2, not True", lambda: dasan.deal(THREE, dealer=True)),
    ("dealer is a seat from 0 to 2, not 1.0", lambda: dasan.deal(THREE, dealer=given(1.0))),
    ("dealer is a seat from 0 to 2, not 3", lambda: dasan.deal(THREE, dealer=3)),
    ("deal takes rules", lambda: dasan.deal(given("big-three"))),
    ("a seed is a whole number, not 2.5", lambda: dasan.deal(THREE, seed=given(2.5))),
    ("a seed is a whole number, not True", lambda: dasan.deal(THREE, seed=True)),
    ("bid is a whole number, not 2.0", lambda: dasan.start(THREE, POSITION, bidder=0, bid=given(2.0))),
    ("bid is a whole number, not True", lambda: dasan.start(THREE, POSITION, bidder=0, bid=True)),
    ("bidder is a seat from 0 to 2, not '0'", lambda: dasan.start(THREE, POSITION, bidder=given("0"))),
    ("dealer is a seat", lambda: dasan.start(THREE, POSITION, bidder=0, dealer=True)),
    ("passed are seats", lambda: dasan.start(THREE, POSITION, bidder=0, passed=given(5))),
    ("passed is a seat", lambda: dasan.start(THREE, POSITION, bidder=0, table="8D", table_seat=1, passed=[given(2.0)])),
    ("not the one text", lambda: dasan.start(THREE, "5D 6D 7D")),
    ("has cards in it", lambda: dasan.start(THREE, given([["5D"], "6D", "7D"]), bidder=0)),
    ("text or a sequence of cards", lambda: dasan.start(THREE, given([5, "6D", "7D"]), bidder=0)),
    ("has cards in it, like dasan.card('4H'), not '3D'", lambda: THREE.combination(given(["3D"]))),
    ("text or a sequence of cards, not None", lambda: THREE.combination(given(None))),
    ("a move is one of pass, bid", lambda: dasan.Move(given(None))),
    ("a move is one of pass, bid", lambda: dasan.Move(given("shout"))),
    ("a bid is a whole number, not True", lambda: dasan.Move(given("bid"), bid=True)),
    ("not the text '4H'", lambda: dasan.Move(given("play"), given("4H"))),
    ("has cards in it", lambda: dasan.Move(given("play"), given(["4H"]))),
    ("there is no card", lambda: dasan.Card("5", "X")),
    ("there is no card", lambda: dasan.Card(given(5), given(None))),
    ("is not a card", lambda: dasan.card(given(None))),
    ("is not a card", lambda: dasan.card(given([]))),
    ("who looks is a seat from 0 to 2, not 7", lambda: dasan.deal(THREE).view(7)),
    ("who looks is a seat from 0 to 2, not True", lambda: dasan.deal(THREE).view(True)),
    ("who looks is a seat", lambda: dasan.deal(THREE).record(view=given(1.0))),
    ("who looks is a seat from 0 to 2, not 'spectator'", lambda: dasan.deal(THREE).record(view="spectator")),
    ("a move is text", lambda: dasan.deal(THREE).play(given(None))),
    ("players is a whole number, not 3.0", lambda: replace(THREE, players=given(3.0))),
    ("cut is True or False, not 1", lambda: replace(THREE, cut=given(1))),
    ("cut is True or False, not a number with thousands", lambda: replace(THREE, cut=given(10**5000))),
    ("from 3 to 8, not a number with thousands", lambda: dasan.rules("winner", players=10**5000)),
    ("guard is one of foul, enforced, off", lambda: replace(THREE, guard=given("hard"))),
    ("scoring is BidScoring or", lambda: replace(THREE, scoring=given(5))),
    ("top is a whole number, not True", lambda: Auction(top=True)),
    ("shapes is Same or Run", lambda: replace(THREE, shapes=given([5]))),
    ("shapes is a tuple", lambda: replace(THREE, shapes=given("all"))),
    ("a whole number from 3 to 8, not 5.0", lambda: dasan.rules("winner", players=given(5.0))),
    ("a whole number from 3 to 8, not True", lambda: dasan.rules("winner", players=True)),
    ("one of 1, 2, not 2.0", lambda: dasan.rules("winner", decks=given(2.0))),
    ("there is no preset None", lambda: dasan.rules(given(None))),
    ("session takes rules", lambda: dasan.session(given("winner"))),
    ("a dictionary of strings, not 1", lambda: dasan.session(THREE, seats=given([1]))),
    ("there are 3 seats", lambda: dasan.session(THREE, seats=[{}] * 4)),
    ("a sequence of strings", lambda: dasan.session(THREE, contributions="abc")),
    ("a seed is a whole number, not None", lambda: dasan.session(THREE, seed=given(None))),
    ("solve takes a state", lambda: dasan.solve(given("4H"))),
    ("there is no bot 5", lambda: dasan.bot(given(5))),
    ("a seed is a whole number", lambda: dasan.bot("random", seed=given(1.5))),
    ("a record is text", lambda: dasan.replay(given(5))),
]


@pytest.mark.parametrize(("says", "call"), REFUSED, ids=range(len(REFUSED)))
def test_a_wrong_argument_is_one_sentence(says: str, call: Callable[[], object]) -> None:
    with pytest.raises((TypeError, ValueError, dasan.DasanError)) as caught:
        call()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_was_once_taken_in_silence_is_refused() -> None:
    twos: Any = np.arange(2)
    call: Callable[[], object]
    for says, call in (
        ("a position is a whole number from 0 to 1, not True", lambda: PLACES.put(True, DEAL)),
        ("a position is a whole number from 0 to 1, not -1", lambda: PLACES.put(-1, DEAL)),
        ("a position is a whole number from 0 to 1, not -1", lambda: PLACES.legal(-1)),
        ("opening is a whole number, not 1.0", lambda: placed("play_out", opening=1.0)),
        ("a seed is a whole number, not 1.5", lambda: placed("play_out", seed=1.5)),
        ("a seed is a whole number, not 1.5", lambda: worlds.deals(VIEW, 1, seed=given(1.5))),
        ("the first world is a whole number", lambda: worlds.deals(VIEW, 1, first=given(2.5))),
        ("worlds is a whole number", lambda: worlds.sample(VIEW, True)),
        ("worlds explain a view", lambda: worlds.sample(given(DEAL), 1)),
        ("size is a whole number", lambda: worlds.Positions(THREE, True)),
        ("an action id is a whole number, not 2.0", lambda: ENV.ids.text(given(2.0))),
        ("an action id is a whole number, not True", lambda: ENV.ids.text(True)),
        ("an action id is a whole number", lambda: ENV.ids.text(twos[:1])),
        ("a move is looked up in a view", lambda: ENV.ids.move(2, given(None))),
        ("the view is of winner", lambda: ENV.ids.move(2, dasan.deal(WINNER).view(0))),
        ("the number of features is a whole number", lambda: vector.unpack(np.zeros((2, 1), np.uint64), given(12.0))),
        ("packed rows are an array", lambda: vector.unpack(given([[5]]), 4)),
        ("places, not (2, 368)", lambda: encode_into(VIEW, np.zeros((2, len(LINE)), np.uint8))),
        ("an array of bool", lambda: encode_into(VIEW, np.zeros(len(LINE), np.bool_))),
        ("since is a whole number from 0 on, not -1", lambda: VIEW.to_json(since=-1)),
        ("moves is True or False, not 'x'", lambda: dasan.solve(STATE, moves=given("x"))),
        ("seconds is a number from 0 on, not b'3'", lambda: dasan.solve(STATE, seconds=given(b"3"))),
        ("memory_mb is a number", lambda: dasan.solve_many([], memory_mb=-1)),
        ("scope is paranoid or max-n, not 'x'", lambda: dasan.solve_many([], scope=given("x"))),
        ("total is a number", lambda: judge(STATE, total=-1)),
        ("session is True or False, not 'off'", lambda: vector.make(THREE, 1, session=given("off"))),
        ("hands follow one another is True or False, not 'off'", lambda: features.layout(THREE, given("off"))),
        ('mask is True, False or "packed", not array', lambda: vector.make(THREE, 1, mask=given(np.ones(2)))),
        ("num_envs is a whole number from 1 to 2147483647", lambda: vector.make(THREE, 10**12)),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert says in str(caught.value)


def test_integers_of_any_kind_are_integers() -> None:
    """What NumPy's integers begin is written, read and compared like what Python's begin."""
    one, two = cast(int, np.int64(1)), cast(int, np.uint8(2))
    state = dasan.deal(THREE, seed=cast(int, np.int32(7)), dealer=one)
    assert state == dasan.deal(THREE, seed=7, dealer=1)
    assert state.record(view=one) == state.record(view=1)
    assert dasan.replay(state.record()) == state
    assert state.view(one) == state.view(1)
    assert type(state.view(one).seat) is int
    placed = dasan.start(THREE, POSITION, bidder=one, bid=two, leader=two)
    assert placed == dasan.start(THREE, POSITION, bidder=1, bid=2, leader=2)
    assert dasan.replay(placed.record()) == placed
    assert dasan.rules("winner", players=cast(int, np.int64(5))) == dasan.rules("winner", players=5)
    assert dasan.Rules.from_json(replace(WINNER, stake_chips=two).to_json()) == replace(WINNER, stake_chips=2)
    assert state.play(dasan.Move(given("bid"), bid=two)) == state.play("bid 2")
    assert packed_size(cast(int, np.uint8(175))) == packed_size(175) == 3
    assert ENV.ids.text(cast(int, np.uint8(2))) == "bid 2"
    assert dasan.bot("random", seed=one).choose(state.view(state.to_act)) in state.legal_moves()


def test_words_and_lists_become_what_rules_are_made_of() -> None:
    """A policy given as a word is that policy: `is` finds it, and the game is the one that was meant."""
    big_two = dasan.rules("big-two")
    assert replace(big_two, guard=given("enforced")).guard is Guard.ENFORCED
    assert replace(big_two, shapes=given(list(big_two.shapes))) == big_two
    assert hash(replace(big_two, shapes=given(list(big_two.shapes)))) == hash(big_two)


def test_a_card_is_a_value() -> None:
    four = dasan.card("4H")
    assert dasan.Card("4", "H") == four
    assert dasan.Card("R", "J") == dasan.card("RJ")
    assert copy.deepcopy(four) is copy.copy(four) is pickle.loads(pickle.dumps(four)) is four
    for name in ("rank", "suit", "colour"):
        with pytest.raises(AttributeError, match="never changes"):
            setattr(four, name, "5")
        with pytest.raises(AttributeError, match="never changes"):
            delattr(four, name)
    assert (four.rank, four.suit, str(four)) == ("4", "H", "4H")


def test_dir_shows_the_public_names_and_nothing_else() -> None:
    shown = set(dir(dasan))
    assert {"vector", "worlds", "deal", "rules", "solve"} <= shown
    assert shown == {*dasan.__all__, "envs", "vector", "worlds"}
    assert all(getattr(dasan, name) is not None for name in shown)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("♥10 ♦5", "10H 5D"),
        ("h10, d5", "10H 5D"),
        ("\ufeff10H 5D", "10H 5D"),
        ("10H\t5D", "10H 5D"),
        ("\tpass\n", "pass"),
        ("bid2", "bid 2"),
        ("BID\t2", "bid 2"),
        ("call\u00a0♣8", "call 8C"),
    ],
)
def test_what_people_type(said: str, meant: str) -> None:
    from dasan.play.moves import read_move

    assert read_move(said) == read_move(meant)


STATE = dasan.start(THREE, ["4H 4S 3D", "5H 6H", "7H 8C"], bidder=0, bid=2, leader=0)


@pytest.mark.parametrize("wrong", [-1, True, 2.5, "5"])
def test_nodes_are_a_whole_number(wrong: object) -> None:
    for call in (dasan.solve, lambda state, nodes: dasan.solve_many([state], nodes=nodes)):
        with pytest.raises(ValueError, match=r"^nodes is a whole number from 0 on, not"):
            call(STATE, nodes=given(wrong))


@pytest.mark.parametrize("wrong", [-1, float("nan"), 10**400, True, "5", [], np.bool_(True)])
@pytest.mark.parametrize("what", ["seconds", "memory_mb"])
def test_budgets_are_numbers(what: str, wrong: object) -> None:
    """A wrong type is a TypeError, a wrong number is none."""
    with pytest.raises(ValueError, match=rf"^{what} is a number from 0 ") as caught:
        dasan.solve(STATE, **{what: given(wrong)})
    assert isinstance(caught.value, TypeError) == (type(wrong) not in (int, float))


def test_a_bound_that_is_no_whole_number_is_said_as_it_is() -> None:
    assert amount(0.75, "a share", 0.75) == 0.75
    with pytest.raises(ValueError, match=r"^a share is a number from 0 to 0\.75, not 0\.8$"):
        amount(0.8, "a share", 0.75)
    with pytest.raises(ValueError, match=r"^eps is a number from 0 to 1, not 2$"):
        amount(2, "eps", 1.0)


def test_what_else_a_solver_is_given() -> None:
    assert dasan.solve(STATE, nodes=cast(int, np.int64(50)), memory_mb=cast(float, np.float32(16))).value == 4
    for says, call in (
        ("from 0 to 1048576", lambda: dasan.solve(STATE, memory_mb=1e12)),
        ("progress is a function", lambda: dasan.solve(STATE, progress=given(5))),
        ("notice is a function", lambda: dasan.solve(STATE, notice=given(5))),
        ("cancel says is_set", lambda: dasan.solve(STATE, cancel=given(5))),
        ("scope is paranoid or max-n", lambda: dasan.solve(STATE, scope=given([]))),
        ("solve_many takes states, not", lambda: dasan.solve_many(given(STATE))),
        ("solve_many takes states, such as", lambda: dasan.solve_many(given("x"))),
        ("workers is a whole number from 1 on", lambda: dasan.solve_many([STATE], workers=0)),
        ("workers is a whole number from 1 on", lambda: dasan.solve_many([STATE], workers=given(2.0))),
        ("cluster is an address", lambda: dasan.solve_many([STATE], cluster=given(5))),
        ("a bot is asked with a view", lambda: dasan.bot("greedy").choose(given(STATE))),
        ("a bot is asked with a view", lambda: dasan.bot("random").explain(given(None))),
        ("beats a combination or does not", lambda: THREE.combination("4H").beats(given("5H"))),
        ("for each seat, not None", lambda: dasan.start(THREE, given(None))),
        ("payments are whole numbers by seat", lambda: dasan.start(THREE, POSITION, bidder=0, payments=given(5))),
    ):
        with pytest.raises((TypeError, ValueError), match=says):
            call()


# What a stranger hands to every public function: one argument of a call that works is replaced at a time.

HOSTILE: dict[str, Any] = {
    "None": None,
    "True": True,
    "np.True_": np.True_,
    "-1": -1,
    "0": 0,
    "1.5": 1.5,
    "nan": float("nan"),
    "inf": float("inf"),
    "1j": 1j,
    "10**30": 10**30,
    "empty text": "",
    "text": "x",
    "bytes": b"x",
    "list": [],
    "list of None": [None],
    "ragged": [[1], [2, 3]],
    "dictionary": {},
    "set": {1},
    "object": object(),
    "type": int,
    "function": lambda *_: None,
    "int8": np.int8(-1),
    "float array": np.array([1.0, 2.0]),
    "0-d": np.array(1.5),
    "objects": np.array([None, "x"], object),
    "rules": THREE,
}
DEAL = dasan.deal(THREE, seed=5)
VIEW = DEAL.view(DEAL.to_act)
ENV = vector.make(THREE, 2, seed=1, moves="ragged")
BATCHES = vector.functional(THREE, 2)
BATCH = BATCHES.init(1)
PLACES = worlds.Positions(THREE, 2)
WORLDS = worlds.deals(VIEW, 2)
SESSION = dasan.session(THREE, seed=1)
LINE = np.zeros(observation_size(THREE), np.uint8)


def scored(obs: Any, moves: Any, starts: Any) -> Any:
    return np.zeros(len(moves), np.float32)


def placed(name: str, *arguments: object, **named: object) -> object:
    """A method of positions, both of which hold a hand."""
    for i in range(2):
        PLACES.put(i, DEAL)
    return getattr(PLACES, name)(*arguments, **named)


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
    "rules": (dasan.rules, {"preset": "winner", "players": 4, "decks": 1, "jokers": False, "scoring": "off"}),
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
    "review.judge": (judge, {"state": STATE, **BUDGET, "scope": None, "cancel": None, "notice": None, "total": 5}),
    "vector.make": (vector.make, MAKE),
    "vector.functional": (
        vector.functional,
        {k: MAKE[k] for k in ("preset", "num_envs", "session", "threads", "backend")},
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
    "dataset.Plan": (
        Plan,
        {"rules": THREE, "bots": ("random",) * 3, "hands": 5, "first": 0, "part": 2, "solve": 0},
    ),
    "puzzles.load": (puzzles.load, {"theme": None, "grade": None, "players": None}),
    "puzzles.read": (lambda text: list(puzzles.read(text)), {"text": ""}),
    "puzzles.write": (puzzles.write, {"puzzles": puzzles.load()[:1]}),
    "puzzles.regraded": (puzzles.regraded, {"puzzle": puzzles.load()[0]}),
    "puzzles.of_record": (puzzles.of_record, {"record": None}),
    "puzzles.flaws": (puzzles.flaws, {"puzzle": puzzles.load()[0], "nodes": 10}),
}
ENDLESS = {("VectorEnv.duel", "deals"), ("arena.duplicate", "deals")}
"""Arguments for which 10**30 is a number like any other, and takes that long."""
PLAYERS = {("VectorEnv.best", "score"), ("VectorEnv.duel", "one"), ("VectorEnv.duel", "others")}
"""Arguments that are functions, whose own errors reach the caller."""
DOCUMENTED = {"ids.text", "ids.pick", "ids.move", "VectorEnv.action_text", "Positions.text"}
"""Functions whose IndexError for an id that there is not is part of their contract."""
SOURCE = str(Path(dasan.__file__).parent)


def check_refusal(call: str, error: BaseException) -> None:
    """One sentence of a type that a caller can expect, raised by a line of ours and not by what happened to break."""
    kinds = (TypeError, ValueError, dasan.DasanError, *((IndexError,) if call in DOCUMENTED else ()))
    where = traceback.extract_tb(error.__traceback__)[-1]
    assert isinstance(error, kinds), f"{type(error).__name__}: {error}"
    assert where.filename.startswith(SOURCE), f"{where.filename}:{where.lineno} raised {error}"
    assert (where.line or "").startswith("raise "), f"{where.filename}:{where.lineno} {where.line} raised {error}"
    said = str(error)
    assert said.strip()
    assert "\n" not in said
    assert len(said) < 400


@pytest.mark.parametrize("call", CALLS)
def test_a_stranger_is_answered_or_refused(call: str) -> None:
    function, arguments = CALLS[call]
    wrong: list[str] = []
    for name in arguments:
        for what, value in HOSTILE.items():
            if (what == "10**30" and (call, name) in ENDLESS) or (what == "type" and (call, name) in PLAYERS):
                continue
            try:
                function(**{**arguments, name: value})
            except Exception as error:
                try:
                    check_refusal(call, error)
                except AssertionError as failure:
                    wrong.append(f"{name}={what}: {str(failure).splitlines()[0]}")
    ENV.reset(1)
    assert not wrong, "\n".join(wrong)
