"""Puzzles: the shipped ones are solved again from their file, and generation is reproducible."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.backends.proof import worth
from tests.solver.positions import payment

import dasan
from dasan.puzzles import THEMES, Puzzle, flaws, generate, load, read, regraded, write
from dasan.puzzles.making import find_key
from dasan.puzzles.position import canonical, forced
from dasan.puzzles.sight import Sight
from dasan.puzzles.themes import themes_of
from dasan.puzzles.tree import CUT, MOST_MOVES, Winning, ends
from dasan.puzzles.truth import Truth

RULES = dasan.rules("big-three")
TEXT = files("dasan.puzzles").joinpath("puzzles.jsonl").read_text(encoding="utf-8")


@cache
def sample() -> tuple[Puzzle, ...]:
    return load()[::16]


@pytest.fixture
def puzzles(request: pytest.FixtureRequest) -> tuple[Puzzle, ...]:
    return load() if request.param is None else sample()[: request.param]


def some_or_all(some: int) -> pytest.MarkDecorator:
    """A sample of this many puzzles, and in the slow suite all of them."""
    every = pytest.param(None, marks=pytest.mark.slow, id="all")
    return pytest.mark.parametrize("puzzles", [pytest.param(some, id="some"), every], indirect=True)


@pytest.mark.full
def test_a_sample_is_solved_again_from_its_file() -> None:
    assert {puzzle.id: flaws(puzzle) for puzzle in sample()} == {puzzle.id: [] for puzzle in sample()}


@pytest.mark.slow
def test_all_are_solved_again_from_their_file() -> None:
    assert {puzzle.id: flaws(puzzle) for puzzle in load()} == {puzzle.id: [] for puzzle in load()}


@pytest.mark.full
@some_or_all(25)
def test_one_move_wins_as_the_solver_values_moves(puzzles: tuple[Puzzle, ...]) -> None:
    for puzzle in puzzles:
        solution = dasan.solve(puzzle.state, nodes=3_000_000, memory_mb=32)
        ours = puzzle.state.to_act in puzzle.state.partners
        assert len(solution.moves) == len(puzzle.state.legal_moves()) >= 3
        winning = [move for move, value in solution.moves.items() if (value > 0) == ours]
        assert winning == [puzzle.key]


@pytest.mark.full
def test_the_smallest_are_right_by_minimax() -> None:
    """No code is shared with the solver here."""
    for puzzle in sorted(load(game="big-three"), key=lambda puzzle: puzzle.cards)[:12]:
        ours = puzzle.state.to_act in puzzle.state.partners
        won = [move for move in puzzle.state.legal_moves() if (payment(puzzle.state.play(move)) > 0) == ours]
        assert won == [puzzle.key]


def test_no_move_has_a_twin_that_wins_too() -> None:
    """In every puzzle: moves with and without the called card are two (B4.07), although with open hands they are equal."""
    for puzzle in load():
        after = canonical(puzzle.state.play(puzzle.key))
        others = [move for move in puzzle.state.legal_moves() if move != puzzle.key]
        assert all(canonical(puzzle.state.play(move)) != after for move in others), puzzle.id


def decisions(puzzle: Puzzle, most: int) -> int:
    """`moves` by the definition of the guide, or most + 1 if there are more than `most`."""
    truth, side = Truth(puzzle.state, 3_000_000), Sight(puzzle.state).allies
    known: dict[tuple[str, int], int] = {}

    def until_sure(state: dasan.State, most: int) -> int:
        while state.to_act is not None and len(state.legal_moves()) == 1:
            state = state.play(state.legal_moves()[0])
        at = canonical(state), most
        if at not in known:
            known[at] = searched(state, most)
        return known[at]

    def searched(state: dasan.State, most: int) -> int:
        if state.to_act is None or (state.to_act in side and Sight(state).sure()):
            return 0
        after = [state.play(move) for move in state.legal_moves()]
        if state.to_act not in side:
            longest = 0
            for one in after:
                longest = max(longest, until_sure(one, most))
                if longest > most:
                    break
            return longest
        shortest = most + 1
        for one in after:
            if shortest > 1 and truth.wins(one, side):
                shortest = min(shortest, 1 + until_sure(one, shortest - 2))
        return shortest

    return until_sure(puzzle.state, most)


def test_moves_are_the_decisions_until_the_win_is_sure() -> None:
    small = sorted((puzzle for puzzle in load(game="big-three") if puzzle.moves), key=lambda puzzle: puzzle.cards)[:8]
    assert {puzzle.id: decisions(puzzle, 6) for puzzle in small} == {puzzle.id: puzzle.moves for puzzle in small}
    assert len({puzzle.moves for puzzle in small}) > 1


@pytest.mark.full
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_moves_are_those_of_the_guide(step: int) -> None:
    """Where none is stated, a search ends after 800 positions, or shows that there are more than five."""
    puzzles = load()[::step]
    counted = [puzzle for puzzle in puzzles if puzzle.moves is not None]
    assert {p.id: decisions(p, p.moves or 0) for p in counted} == {p.id: p.moves for p in counted}
    ends: Counter[bool] = Counter()
    for puzzle in puzzles:
        if puzzle.moves is None:
            winning = Winning(Truth(puzzle.state, 3_000_000), Sight(puzzle.state).allies)
            assert winning.moves(puzzle.state) is None
            cut = winning._positions < 0
            ends[cut] += 1
            assert cut or decisions(puzzle, MOST_MOVES) > MOST_MOVES
    assert len(counted) + ends.total() == len(puzzles)
    assert min(ends[True], ends[False]) >= 5


@pytest.mark.full
def test_every_puzzle_of_dou_dizhu_is_right() -> None:
    """Its statements, and that one move wins: by the solver's values of all moves, the smallest ones also by plain minimax."""
    shelf = load(game="dou-dizhu")
    assert len(shelf) >= 100
    assert (
        len({puzzle.id for puzzle in shelf}) == len({puzzle.source.partition(",")[0] for puzzle in shelf}) == len(shelf)
    )
    assert {puzzle.id: flaws(puzzle) for puzzle in shelf} == {puzzle.id: [] for puzzle in shelf}
    assert {theme for puzzle in shelf for theme in puzzle.themes} == set(THEMES)
    for puzzle in shelf:
        solution = dasan.solve(puzzle.state, nodes=3_000_000, memory_mb=32)
        ours = puzzle.state.to_act in puzzle.state.partners
        assert set(solution.moves) == set(puzzle.state.legal_moves())
        assert [move for move, value in solution.moves.items() if (value > 0) == ours] == [puzzle.key]
    for puzzle in sorted(shelf, key=lambda puzzle: puzzle.cards)[:12]:
        known: dict[object, int] = {}
        ours, bidder = puzzle.state.to_act in puzzle.state.partners, puzzle.state.bidder or 0
        values = {move: worth(puzzle.state.play(move), bidder, known) for move in puzzle.state.legal_moves()}
        assert [move for move, value in values.items() if (value > 0) == ours] == [puzzle.key]


@pytest.mark.full
def test_the_set_is_large_and_spread() -> None:
    puzzles = load(game="big-three")
    assert len(puzzles) >= 500
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles)
    assert len({puzzle.source.partition(",")[0] for puzzle in puzzles}) == len(puzzles)
    themes = Counter((theme, puzzle.players) for puzzle in puzzles for theme in puzzle.themes)
    assert set(themes) == {(theme, players) for theme in THEMES for players in (3, 4)}
    assert min(themes.values()) >= 40
    assert min(Counter(puzzle.grade for puzzle in puzzles).values()) >= 50
    assert min(Counter(puzzle.players for puzzle in puzzles).values()) >= 200
    assert min(Counter(puzzle.cards // 10 for puzzle in puzzles if 10 <= puzzle.cards < 30).values()) >= 100


@pytest.mark.full
def test_the_documents_count_them_right() -> None:
    root = Path(__file__).parents[2]
    page = " ".join((root / "docs" / "guide" / "puzzles.md").read_text(encoding="utf-8").split())
    puzzles = load(game="big-three")
    both = f"{len(puzzles)} of Big Three and {len(load(game='dou-dizhu'))} of Dou Dizhu"
    assert both in (root / "README.md").read_text(encoding="utf-8")
    for theme in THEMES:
        three, four = (len(load(game="big-three", theme=theme, players=players)) for players in (3, 4))
        assert f"| {theme} | {three} | {four} |" in page
    grades = [len(load(game="big-three", grade=grade)) for grade in range(1, 6)]
    assert f"{len(puzzles)} puzzles of Big Three come with the package" in page
    assert f"Of grades 1 to 5 there are {', '.join(map(str, grades[:4]))} and {grades[4]}." in page
    whole = sum(CUT not in json.dumps(puzzle.tree) for puzzle in puzzles)
    assert f"{whole} trees are complete" in page


@pytest.mark.full
@some_or_all(10)
def test_a_puzzle_is_graded_again(puzzles: tuple[Puzzle, ...]) -> None:
    for puzzle in puzzles:
        again = regraded(replace(puzzle, grade=5, nodes=1))
        assert again.to_json() | {"nodes": 0} == puzzle.to_json() | {"nodes": 0} | {"grade": again.grade}
        assert flaws(again) == []
    two_moves = dasan.start(RULES, ["4H 3H", "2D 5C", "2C 6C"], bidder=0, bid=1, leader=0)
    with pytest.raises(ValueError, match="not a puzzle"):
        regraded(replace(sample()[0], state=two_moves))


def test_load_chooses() -> None:
    assert all("control" in puzzle.themes for puzzle in load(theme="control"))
    assert {puzzle.grade for puzzle in load(grade=4)} == {4}
    assert {puzzle.players for puzzle in load(players=4)} == {4}
    assert len(load(players=3)) + len(load(players=4)) == len(load())


@pytest.mark.full
def test_every_puzzle_is_a_record_with_its_solution_beside() -> None:
    again = write(read(TEXT))
    assert list(read(again)) == list(read(TEXT)), (
        "records of earlier versions lack later options, which have their defaults"
    )
    assert write(read(again)) == again
    puzzle = sample()[0]
    assert dasan.replay(puzzle.record()) == puzzle.state
    beside = [json.loads(line) for line in puzzle.record().splitlines()][-1]
    assert beside["type"] == "analysis"
    assert beside["puzzle"]["key"] == str(puzzle.key)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace('"analysis"', '"note"').replace('"puzzle"', '"riddle"'),
        lambda text: text.replace('"key":"', '"key":"2D '),
        lambda text: "\n".join(text.splitlines()[:2]),
        lambda text: text.replace('"hands"', '"feet"'),
        lambda text: re.sub('"grade":.', '"grade":true', text),
        lambda text: re.sub('"grade":.', '"grade":1.0', text),
    ],
)
def test_what_is_no_puzzle_is_refused(damage: Callable[[str], str]) -> None:
    with pytest.raises(dasan.errors.BadRecord):
        list(read(damage(sample()[0].record())))


def with_tree(puzzle: Puzzle, tree: object) -> Puzzle:
    return replace(puzzle, tree=tree)


@pytest.mark.full
def test_flaws_are_found() -> None:
    puzzle = next(p for p in load(players=3) if p.moves == 3 and isinstance(p.tree[1], dict))
    first, *others = puzzle.tree[1]
    wrong = next(move for move in puzzle.state.legal_moves() if move != puzzle.key)
    assert flaws(puzzle) == []
    assert flaws(replace(puzzle, key=wrong))
    assert flaws(replace(puzzle, themes=("tempo", "refusing")))
    assert flaws(replace(puzzle, tempting=()))
    assert flaws(with_tree(puzzle, [str(wrong), CUT]))
    assert flaws(with_tree(puzzle, [str(puzzle.key), {name: puzzle.tree[1][name] for name in others}]))
    assert flaws(with_tree(puzzle, [str(puzzle.key), None]))
    assert flaws(with_tree(puzzle, [str(puzzle.key), {**puzzle.tree[1], first: ["2D 2C 2H 2S", None]}]))


@pytest.mark.full
@some_or_all(41)
def test_trees_end_where_nothing_can_go_wrong(puzzles: tuple[Puzzle, ...]) -> None:
    """At every leaf of a complete tree the player to act is of the winning side and goes out against any play."""
    whole = [puzzle for puzzle in puzzles if CUT not in json.dumps(puzzle.tree)]
    assert len(whole) > 10
    for puzzle in whole:
        side = Sight(puzzle.state).allies
        for state, sure in ends(puzzle.state, puzzle.tree):
            assert sure
            assert state.phase is dasan.Phase.OVER or state.to_act in side


@pytest.mark.full
@some_or_all(41)
def test_sight_is_sure_only_of_wins(puzzles: tuple[Puzzle, ...]) -> None:
    """By the solver, a hand that goes out for sure wins; and nobody can beat a play that stands."""
    sure = 0
    for puzzle in puzzles:
        for move in puzzle.state.legal_moves():
            state = forced(puzzle.state.play(move))
            if state.phase is dasan.Phase.OVER:
                continue
            sight = Sight(state)
            if sight.sure():
                sure += 1
                value = dasan.solve(state, nodes=10**6, memory_mb=16, moves=False).value
                assert value is not None
                assert (value > 0) == (state.to_act in state.partners)
            for play in state.legal_moves():
                if play.combination is not None and sight.stands(play.combination):
                    after = state.play(play)
                    while after.phase is dasan.Phase.PLAY and after.table is not None and after.table_seat == sight.seat:
                        assert after.to_act in sight.allies or len(after.legal_moves()) == 1
                        after = after.play("pass")
    assert sure > len(puzzles) / 4


def themes(hands: list[str], key: str, **where: Any) -> tuple[str, ...]:
    """The themes of a position for three if `key` were the only winning move."""
    state = dasan.start(RULES, hands, bidder=0, bid=1, **where)
    move = next(move for move in state.legal_moves() if str(move) == key)
    return themes_of(state, move, Sight(state), Truth(state, 10**6))


@pytest.mark.full
def test_what_the_themes_mean() -> None:
    lead = ["5H 9H 9S", "4D 8D 2D", "8C TC TS"]
    assert themes(lead, "4D", leader=1) == ("tempo",)
    assert themes(lead, "2D", leader=1) == ()
    hands = ["5H 9H 9S", "4D 8D 2D", "8C TC"]
    over = {"table": "7C", "table_seat": 0}
    assert themes(hands, "8D", **over) == ("control",)
    assert themes(hands, "pass", **over) == ("control",)
    assert themes(hands, "2D", **over) == ()
    assert themes(hands, "pass", table="7C", table_seat=2, to_act=1, passed=(0,)) == ("refusing",)
    assert themes(["5H 9H 9S", "6D 7D 8D", "8C TC"], "8D", table="5C", table_seat=0) == ("splitting",)
    assert themes(["5H 9H 9S", "6D 7D 8D 8H", "8C TC"], "8D", table="5C", table_seat=0) == ()


@pytest.mark.full
@pytest.mark.parametrize(
    ("theme", "hands", "where", "key"),
    [
        ("tempo", ["JD QC 3S", "4H KD", "5S 6H QS 3H"], {"leader": 2}, "QS"),
        ("feeding", ["5S KS 2S", "6S 7C TD", "7S AD"], {"leader": 1}, "6S"),
        ("control", ["5H 5S 2C", "9D JS 2D", "9C"], {"table": "8C", "table_seat": 0}, "pass"),
        ("refusing", ["JS QC", "QD", "6D 8S JH 2C"], {"table": "9D", "table_seat": 1}, "pass"),
    ],
)
def test_small_puzzles_are_found(theme: str, hands: list[str], where: dict[str, Any], key: str) -> None:
    state = dasan.start(RULES, hands, bidder=0, bid=1, **where)
    puzzle_key = find_key(state, Truth(state, 10**6))
    assert puzzle_key is not None
    assert (puzzle_key.themes, str(puzzle_key.move)) == ((theme,), key)
    assert find_key(state, Truth(state, 10**6), [other for other in THEMES if other != theme]) is None


@pytest.mark.full
@pytest.mark.parametrize(
    "hands",
    [
        ["9H TH 2H", "4D 5D", "6D 7D"],  # sure: only the last of these can be beaten
        ["4H 5H 6S", "2D 3D", "2C 3C"],  # lost
        ["4H 3H", "2D 5C", "2C 6C"],  # two moves only
    ],
)
def test_what_is_no_puzzle_is_not_found(hands: list[str]) -> None:
    state = dasan.start(RULES, hands, bidder=0, bid=1, leader=0)
    assert find_key(state, Truth(state, 10**6)) is None


@pytest.mark.full
@pytest.mark.parametrize(("count", "hands"), [(3, 30), pytest.param(30, 400, marks=pytest.mark.slow)])
def test_the_same_seed_gives_the_same_puzzles(count: int, hands: int) -> None:
    once = generate(count, seed=6, cards=(8, 20), hands=hands)
    again = generate(count, seed=6, cards=(8, 20), hands=hands, processes=2)
    assert once
    assert write(once) == write(again)
    assert {puzzle.id: flaws(puzzle) for puzzle in once} == {puzzle.id: [] for puzzle in once}
    assert all(8 <= puzzle.cards <= 20 for puzzle in once)


def test_a_number_of_players_given_twice_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known = load(game="big-three", players=3)

    def found(seed: int, preset: str, number: int, *, wanted: Collection[str], cards: object) -> dict[str, Puzzle]:
        return {theme: known[number] for theme in known[number].themes if theme in wanted}

    monkeypatch.setattr(sys.modules["dasan.puzzles.generate"], "puzzles_of_hand", found)
    once, twice = (generate(6, hands=50, players=players) for players in ([3], [3, 3]))
    assert len(once) == 6
    assert once == twice


@pytest.mark.full
@pytest.mark.parametrize(
    "wrong",
    [{"count": 0}, {"themes": ["luck"]}, {"themes": []}, {"players": [5]}, {"players": []}, {"cards": (9, 8)}],
)
def test_what_cannot_be_made_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"puzzle|theme|players|four|cards"):
        generate(**{"count": 1, **wrong})  # type: ignore[arg-type]


def test_bounds_that_an_endgame_cannot_meet_give_no_puzzle() -> None:
    """Few ranks and the jokers are at most 38 cards of Dou Dizhu."""
    assert generate(1, game="dou-dizhu", cards=(36, 60), hands=6) == []


@pytest.mark.full
def test_loading_needs_no_compiled_code() -> None:
    program = "import sys, dasan.puzzles; dasan.puzzles.load(); print('numba' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_a_number_that_no_hands_have_ends_after_the_last_hand() -> None:
    """It counted up to the number, whatever was left."""
    assert generate(10**15, hands=0) == []
