"""Arguments of a wrong type are refused at once, with one sentence; integers of any kind are integers."""

from __future__ import annotations

import copy
import pickle
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import dasan
from dasan import features, puzzles, vector, worlds
from dasan.arena.contest import Contest, run
from dasan.arguments import amount
from dasan.features import encode_into
from dasan.features.packing import packed_size
from dasan.play.action_ids import action_ids
from dasan.review.rounds import judge_within
from dasan.ruleset.policies import Auction, Guard

THREE = dasan.rules("big-three")
WINNER = dasan.rules("winner")
TWO_DECKS = dasan.rules("winner", decks=2)
FOUR = dasan.card("4H")
POSITION = ["5D", "6D", "7D"]


def given(wrong: object) -> Any:
    """A value of any type, as an unchecked program passes it."""
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
    ("not the single text", lambda: dasan.start(THREE, "5D 6D 7D")),
    ("has cards in it", lambda: dasan.start(THREE, given([["5D"], "6D", "7D"]), bidder=0)),
    ("text or a sequence of cards", lambda: dasan.start(THREE, given([5, "6D", "7D"]), bidder=0)),
    ("has cards in it, like dasan.card('4H'), not '3D'", lambda: THREE.combination(given(["3D"]))),
    ("text or a sequence of cards, not None", lambda: THREE.combination(given(None))),
    ("a move is one of pass, bid", lambda: dasan.Move(given(None))),
    ("a move is one of pass, bid", lambda: dasan.Move(given("shout"))),
    ("a bid is a whole number, not True", lambda: dasan.Move(given("bid"), bid=True)),
    ("not the text '4H'", lambda: dasan.Move(given("play"), given("4H"))),
    ("has cards in it", lambda: dasan.Move(given("play"), given(["4H"]))),
    ("what rules.combination gives", lambda: dasan.Move(given("play"), (FOUR,), None, given("4H"))),
    ("that of its cards, not 5D 5H", lambda: dasan.Move(given("play"), (FOUR,), None, THREE.combination("5D 5H"))),
    ("that of its cards, not 4H 4H", lambda: dasan.Move(given("play"), (FOUR,), None, TWO_DECKS.combination("4H 4H"))),
    ("that of its cards, not 4H", lambda: dasan.Move(given("pass"), (), None, THREE.combination("4H"))),
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
    ("a preset is named by a text, such as 'big-three', not by None", lambda: dasan.rules(given(None))),
    ("not by <Rules big-three ", lambda: dasan.rules(given(THREE))),
    ("session takes rules", lambda: dasan.session(given("winner"))),
    ("a dictionary of strings, not 1", lambda: dasan.session(THREE, seats=given([1]))),
    ("there are 3 seats", lambda: dasan.session(THREE, seats=[{}] * 4)),
    ("a sequence of strings", lambda: dasan.session(THREE, contributions="abc")),
    ("a seed is a whole number, not None", lambda: dasan.session(THREE, seed=given(None))),
    ("solve takes a state", lambda: dasan.solve(given("4H"))),
    ("a bot is named by a text, such as 'greedy', not by 5", lambda: dasan.bot(given(5))),
    ("a seed is a whole number", lambda: dasan.bot("random", seed=given(1.5))),
    ("a record is text", lambda: dasan.replay(given(5))),
]


@pytest.mark.parametrize(("says", "call"), REFUSED, ids=range(len(REFUSED)))
def test_a_wrong_argument_is_one_sentence(says: str, call: Callable[[], object]) -> None:
    with pytest.raises((TypeError, ValueError, dasan.DasanError)) as caught:
        call()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_type_is_a_type_error() -> None:
    env = vector.make("big-three", 2)
    wrong: tuple[tuple[str, Callable[[], object]], ...] = (
        ("a preset is named by a text", lambda: dasan.rules(given(THREE))),
        ("a bot is named by a text", lambda: dasan.bot(given(object))),
        ("a game is a Preset or a Game, not str", lambda: dasan.register(given("big-two"))),
        ("a seed is a whole number, or there is one for each environment, not 'x'", lambda: env.reset(given("x"))),
        ("a seed is a whole number, or there is one for each environment, not", lambda: env.reset(given([1, "x"]))),
        ("step takes action ids, whole numbers, not", lambda: env.step(given([0.5, 0.5]))),
        ("step takes action ids, whole numbers, not None", lambda: env.step(given(None))),
        ("backend is auto, compiled or engine, not 5", lambda: vector.make("big-three", 2, backend=given(5))),
        ("a bot is named by a text, not by 5", lambda: dasan.bots.register(given(5), lambda seed: dasan.bot("greedy"))),
        (
            "a view is described in en, zh-Hans, zh-Hant, fr, not []",
            lambda: dasan.deal(THREE).view(0).describe(given([])),
        ),
        ("puzzles are of big-three or dou-dizhu, not []", lambda: puzzles.generate(1, game=given([]))),
        ("option cut is one of off, on, not None", lambda: dasan.rules("big-three", cut=given(None))),
        ("option players is a whole number from 3 to 8, not 5.5", lambda: dasan.rules("winner", players=given(5.5))),
        ("scope is paranoid or max-n, not 5", lambda: dasan.solve_many([], scope=given(5))),
        ("a policy is named by a text, not 5", lambda: worlds.Positions(THREE, 2).play_out(policy=given(5))),
        ("themes are a list of names, not 120", lambda: puzzles.generate(1, themes=given(b"x"))),
    )
    for says, call in wrong:
        with pytest.raises(TypeError) as caught:
            call()
        assert says in str(caught.value)


@pytest.mark.full
def test_what_was_once_taken_in_silence_is_refused() -> None:
    from tests.calls import DEAL, ENV, LINE, PLACES, VIEW, placed

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
        ("worlds are drawn from a view", lambda: worlds.sample(given(DEAL), 1)),
        ("size is a whole number", lambda: worlds.Positions(THREE, True)),
        ("an action id is a whole number, not 2.0", lambda: ENV.ids.text(given(2.0))),
        ("an action id is a whole number, not True", lambda: ENV.ids.text(True)),
        ("an action id is a whole number", lambda: ENV.ids.text(twos[:1])),
        ("a move is looked up in a view", lambda: ENV.ids.move(2, given(None))),
        ("the view is of winner", lambda: ENV.ids.move(2, dasan.deal(WINNER).view(0))),
        ("the number of features is a whole number", lambda: vector.unpack(np.zeros((2, 1), np.uint64), given(12.0))),
        ("packed rows are an array", lambda: vector.unpack(given([[5]]), 4)),
        ("numbers, not (2, 368)", lambda: encode_into(VIEW, np.zeros((2, len(LINE)), np.uint8))),
        ("an array of bool", lambda: encode_into(VIEW, np.zeros(len(LINE), np.bool_))),
        ("since is a whole number from 0 on, not -1", lambda: VIEW.to_json(since=-1)),
        ("moves is True or False, not 'x'", lambda: dasan.solve(STATE, moves=given("x"))),
        ("seconds is a number from 0 on, not b'3'", lambda: dasan.solve(STATE, seconds=given(b"3"))),
        ("memory_mb is a number", lambda: dasan.solve_many([], memory_mb=-1)),
        ("scope is paranoid or max-n, not 'x'", lambda: dasan.solve_many([], scope=given("x"))),
        ("total is a number", lambda: judge_within(STATE, -1)),
        ("session is True or False, not 'off'", lambda: vector.make(THREE, 1, session=given("off"))),
        ("hands follow one another is True or False, not 'off'", lambda: features.layout(THREE, given("off"))),
        ('mask is True, False or "packed", not array', lambda: vector.make(THREE, 1, mask=given(np.ones(2)))),
        ("num_envs is a whole number from 1 to 2147483647", lambda: vector.make(THREE, 10**12)),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            call()
        assert says in str(caught.value)


def test_integers_of_any_kind_are_integers() -> None:
    """Hands made with NumPy's integers are written, read and compared like those made with Python's."""
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
    with_jokers = dasan.rules("winner", jokers=cast(bool, np.True_), straight_tie=np.str_("rank"))
    assert with_jokers == dasan.rules("winner", jokers=True, straight_tie="rank")
    assert dasan.Rules.from_json(replace(WINNER, stake_chips=two).to_json()) == replace(WINNER, stake_chips=2)
    assert state.play(dasan.Move(given("bid"), bid=two)) == state.play("bid 2")
    assert packed_size(cast(int, np.uint8(175))) == packed_size(175) == 3
    assert action_ids(THREE, False).text(cast(int, np.uint8(2))) == "bid 2"
    assert dasan.bot("random", seed=one).choose(state.view(state.to_act)) in state.legal_moves()


def test_words_and_lists_become_what_rules_are_made_of() -> None:
    """A policy given as a word becomes that policy (`is` holds), and the game follows it."""
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
    assert shown == {*dasan.__all__, "envs", "puzzles", "vector", "worlds"}
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
    """A wrong type is a TypeError, a wrong number is not."""
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
        ("cancel has a method is_set", lambda: dasan.solve(STATE, cancel=given(5))),
        ("scope is paranoid or max-n", lambda: dasan.solve(STATE, scope=given([]))),
        ("solve_many takes states, not", lambda: dasan.solve_many(given(STATE))),
        ("solve_many takes states, such as", lambda: dasan.solve_many(given("x"))),
        ("processes is a whole number from 1 on", lambda: dasan.solve_many([STATE], processes=0)),
        ("processes is a whole number from 1 on", lambda: dasan.solve_many([STATE], processes=given(2.0))),
        ("processes is a whole number from 1 on", lambda: dasan.solve_many([STATE], workers=0)),
        ("processes is a whole number from 1 to 4096", lambda: puzzles.generate(1, workers=0)),
        ("cluster is an address", lambda: dasan.solve_many([STATE], cluster=given(5))),
        ("a cluster has an address", lambda: run(Contest(THREE, "low", "random", 1), ray=given(5))),
        ("a bot needs a view", lambda: dasan.bot("greedy").choose(given(STATE))),
        ("a bot needs a view", lambda: dasan.bot("random").explain(given(None))),
        ("beats a combination or does not", lambda: THREE.combination("4H").beats(given("5H"))),
        ("for each seat, not None", lambda: dasan.start(THREE, given(None))),
        ("payments are whole numbers by seat", lambda: dasan.start(THREE, POSITION, bidder=0, payments=given(5))),
    ):
        with pytest.raises((TypeError, ValueError), match=says):
            call()


# Hostile arguments to every public function: in a valid call one argument is replaced at a time.

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
SHARES = 8
"""The number of tests that share the calls of `tests.calls`, so that collecting tests makes none of them."""

ENDLESS = {
    *(("VectorEnv.duel", "deals"), ("arena.duplicate", "deals")),
    *(("puzzles.generate", "hands"), ("bench.value_deals", "nodes")),
}
PLAYERS = {
    *(("VectorEnv.best", "score"), ("VectorEnv.duel", "one"), ("VectorEnv.duel", "others")),
    *(("arena.run", "keep"), ("arena.run", "progress")),
}
DOCUMENTED = {"ids.text", "ids.pick", "ids.move", "VectorEnv.action_text", "Positions.text"}
"""Functions whose IndexError for an unknown id is part of their contract."""
SOURCE = str(Path(dasan.__file__).parent)


def check_refusal(call: str, error: BaseException) -> None:
    """Check that the error has an expected type, is one sentence, and is raised by our own line."""
    kinds = (TypeError, ValueError, dasan.DasanError, *((IndexError,) if call in DOCUMENTED else ()))
    where = traceback.extract_tb(error.__traceback__)[-1]
    assert isinstance(error, kinds), f"{type(error).__name__}: {error}"
    assert where.filename.startswith(SOURCE), f"{where.filename}:{where.lineno} raised {error}"
    assert (where.line or "").startswith("raise "), f"{where.filename}:{where.lineno} {where.line} raised {error}"
    message = str(error)
    assert message.strip()
    assert "\n" not in message
    assert len(message) < 400


def unrefused(
    call: str,
    function: Callable[..., object],
    arguments: dict[str, Any],
    endless: Collection[tuple[str, str]],
    players: Collection[tuple[str, str]],
) -> Iterator[str]:
    """A line for every hostile argument that is neither answered nor refused. endless: arguments for which 10**30 is
    valid, but takes forever. players: arguments that are functions, whose own errors reach the caller.
    """
    for name in arguments:
        for what, value in HOSTILE.items():
            if (what == "10**30" and (call, name) in endless) or (what == "type" and (call, name) in players):
                continue
            try:
                function(**{**arguments, name: value})
            except Exception as error:
                try:
                    check_refusal(call, error)
                except AssertionError as failure:
                    yield f"{call} {name}={what}: {str(failure).splitlines()[0]}"


@pytest.mark.full
@pytest.mark.parametrize("share", range(SHARES))
def test_a_stranger_is_answered_or_refused(share: int) -> None:
    from tests.calls import CALLS, ENV

    wrong: list[str] = []
    for call, (function, arguments) in list(CALLS.items())[share::SHARES]:
        wrong += unrefused(call, function, arguments, ENDLESS, PLAYERS)
        ENV.reset(1)
    assert not wrong, "\n".join(wrong)
