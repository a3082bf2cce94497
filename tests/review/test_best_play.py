"""Reviews of hands with known blunders."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations, pairwise
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from benchmarks.endgames import endgame as alone
from tests.rules.big_three import EXAMPLE, example
from tests.solver.minimax import wins
from tests.solver.positions import RULES, endgame, payment
from tests.solver.test_endgame import plain

import dasan
from dasan.bench.solver import at_random
from dasan.play.phases import Phase
from dasan.records.retrace import moves_of
from dasan.review.best_play import Judged, Review, decisive, judge_all, listed_as, review
from dasan.review.chart import picture
from dasan.review.report import Report
from dasan.solver.budget import Budget
from dasan.solver.solving import Warm

SVG = "{http://www.w3.org/2000/svg}"


def of(state: dasan.State) -> Review:
    return review(state, nodes=3_000_000, memory_mb=16)


def test_the_worked_example() -> None:
    """B3.23, with the unnamed cards dealt in order: A should have beaten the twos, and C returns the favour."""
    state = example()
    for _, move in EXAMPLE:
        state = state.play(move)
    report = of(state)
    assert [(j.seat, str(j.move)) for j in report.turning_points] == [(0, "pass"), (2, "4S")]
    assert report.turning_point is report.turning_points[0]
    assert [str(move) for move in report.turning_points[0].keeping] == ["3D 3C"]
    assert report.moves[0].as_bidder == report.moves[1].value == 6
    for j, following in pairwise(report.moves[1:]):
        assert j.worth == following.value
    assert report.moves[0].kept is None


def test_what_decided_a_hand_is_its_last_turning_point() -> None:
    """Going back from the end, as far as moves are judged; none if all of them kept the result."""
    state = example()
    for _, move in EXAMPLE:
        state = state.play(move)
    report = of(state)
    assert decisive(reversed(report.moves)) == (report.turning_points[-1], False)
    until = [j for j in report.moves if j.seq < report.turning_points[0].seq]
    assert decisive(reversed(until)) == (None, True)
    unknown = replace(report.moves[-1], kept=None)
    call = replace(report.moves[-1], phase=Phase.CALL, kept=False)
    assert decisive([call]) == (call, False)
    bid = replace(report.moves[0], kept=None)
    assert decisive([replace(call, kept=True), bid]) == (None, True)
    assert decisive([unknown, *reversed(report.moves[:-1])]) == (None, False)
    assert decisive([unknown, *reversed(report.moves)]) == (report.turning_points[-1], False)
    rest = reversed(report.moves[:-1])
    assert decisive(chain([unknown], rest), once=True) == (None, False)
    assert next(rest) == report.moves[-2], "no more are asked for"
    bare = replace(call, keeping=())
    assert decisive(chain([bare], rest), once=True) == (bare, False)
    assert next(rest) == report.moves[-3]


def test_the_worked_example_with_few_cards_is_judged_as_minimax_judges() -> None:
    hands = ["5D 5C KD KC AD", "2D 2C 5H 6H 7H 8S", "9D 9C JS QS KS 4S"]
    state = dasan.start(RULES[3], hands, bidder=0, bid=3, leader=0)
    for _, move in EXAMPLE:
        state = state.play(move)
    assert_minimax(of(state))


def assert_minimax(found: Review) -> None:
    """Every judgement of a finished or unfinished hand, against minimax."""
    for (now, move), j in zip(moves_of(found.hand), found.moves, strict=True):
        value = payment(now)
        keeping = [m for m in now.legal_moves() if payment(now.play(m)) == value]
        assert (j.value, j.worth, j.choices) == (value, payment(now.play(move)), len(now.legal_moves()))
        assert j.kept is (payment(now.play(move)) == value)
        assert list(j.keeping) == keeping
        assert j.shares == pytest.approx((len(keeping) / j.choices,) * 2)
        assert j.could_turn is (len(keeping) < j.choices)


def with_a_blunder(source: random.Random) -> tuple[dasan.State, int] | None:
    """A hand of best play except for one move, and the number of that move; None if no move of the hand can be one."""
    state = endgame(source, 9)
    blunder: int | None = None
    skip = source.randrange(4)
    while state.phase is not dasan.Phase.OVER:
        value = payment(state)
        keeping: list[dasan.Move] = []
        losing: list[dasan.Move] = []
        for move in state.legal_moves():
            (keeping if payment(state.play(move)) == value else losing).append(move)
        if losing and blunder is None and skip == 0:
            blunder = state.next_seq
            state = state.play(source.choice(losing))
        else:
            skip -= bool(losing and skip)
            state = state.play(source.choice(keeping))
    return None if blunder is None else (state, blunder)


@pytest.mark.parametrize("players", [3, 4])
def test_a_losing_move_in_a_won_hand_is_the_turning_point(players: int) -> None:
    source = random.Random(players)
    hands = 0
    while hands < 10:
        wins.cache_clear()
        made = with_a_blunder(source)
        if made is None or made[0].rules.players != players:
            continue
        state, blunder = made
        report = of(state)
        assert report.turning_point is not None
        assert [j.seq for j in report.turning_points] == [blunder]
        assert report.last_chance is not None
        assert report.last_chance.seq >= blunder
        assert_minimax(report)
        hands += 1


BLUNDERS: dict[str, tuple[dict[str, Any], str, str]] = {
    "an ally who would have led the last card is beaten": (
        {
            "hands": ["9H 3D", "JD 2C", "8S"],
            "bidder": 0,
            "leader": 2,
            "table": "6C",
            "table_seat": 2,
            "to_act": 1,
            "passed": [0],
        },
        "JD",
        "pass",
    ),
    "three of a kind are split to beat a card": (
        {"hands": ["9C 9H 9S", "9D", "JD"], "bidder": 2, "leader": 2, "table": "8S", "table_seat": 2},
        "9C",
        "pass",
    ),
    "the card that would have won the last trick is led": (
        {"hands": ["TC JD KD", "JC QS", "TH TS"], "bidder": 0, "leader": 1},
        "QS",
        "JC",
    ),
    "the partner is led a card too high": (
        {"hands": ["JD KS", "KH", "AD", "JC QC"], "bidder": 1, "leader": 0, "called": "4C", "partner": 0},
        "KS",
        "JD",
    ),
    "a card is spent before a partner can go out with it": (
        {
            "hands": ["JC", "7S 9C", "9H", "JH"],
            "bidder": 1,
            "leader": 0,
            "table": "8S",
            "table_seat": 0,
            "called": "4C",
            "partner": 2,
        },
        "9C",
        "pass",
    ),
}
"""The blunder, the position, the move made, the only move that keeps the result."""


@pytest.mark.parametrize("blunder", BLUNDERS)
def test_known_blunders(blunder: str) -> None:
    position, wrong, right = BLUNDERS[blunder]
    begun = dasan.start(RULES[len(position["hands"])], bid=1, **position)
    (judged,) = of(begun.play(wrong)).turning_points
    assert [str(move) for move in judged.keeping] == [right]
    assert of(begun.play(right)).turning_point is None
    assert_minimax(of(begun.play(wrong)))


def test_one_blunder_in_a_longer_hand() -> None:
    """Too long for minimax: both sides follow the solver except once."""
    source = random.Random(4)
    hands = 0
    while hands < 3:
        deal = at_random(22, source)
        state = dasan.start(RULES[3], deal.hands, bidder=deal.bidder, bid=2, leader=deal.to_act)
        blunder = None
        while state.phase is not dasan.Phase.OVER:
            solution = dasan.solve(state, nodes=3_000_000, memory_mb=16)
            losing = [m for m, v in solution.moves.items() if v != solution.value]
            if losing and blunder is None:
                blunder = state.next_seq
                state = state.play(source.choice(losing))
            else:
                state = state.play(source.choice([m for m, v in solution.moves.items() if v == solution.value]))
        if blunder is not None:
            assert [j.seq for j in of(state).turning_points] == [blunder]
            hands += 1


def test_a_hand_nobody_could_turn() -> None:
    state = dasan.start(RULES[3], ["4H", "5H 6H", "7H 8C"], bidder=0, bid=2, leader=0).play("4H")
    report = of(state)
    assert (report.turning_point, report.last_chance) == (None, None)
    assert report.moves[0].forced


@pytest.mark.parametrize(
    "rules", [dasan.rules("big-two"), dasan.rules("winner", players=3), dasan.rules("winner", decks=2, jokers=True)]
)
def test_games_without_sides_are_judged_as_minimax_judges(rules: dasan.Rules) -> None:
    source = random.Random(5)
    for _ in range(8):
        state = alone(rules, source, 7, 0 if rules.players == 3 else 1 if rules.name == "winner" else 0)
        while state.phase is not dasan.Phase.OVER:
            state = state.play(source.choice(state.legal_moves()))
        report = review(state, nodes=200_000)
        for (now, move), j in zip(moves_of(state), report.moves, strict=True):
            seat = now.to_act or 0
            assert (j.value, j.worth) == (plain(now, seat), plain(now.play(move), seat))
            assert j.kept is (j.value == j.worth)
            assert j.scope == ("two players" if len(now.active) == 2 else "paranoid")


def test_a_play_that_is_not_listed_is_judged_too() -> None:
    """`legal_moves()` lists one of Winner's plays that differ only in suits."""
    begun = dasan.start(dasan.rules("winner", players=3), ["3D 3C 3H 4D 4C 5D", "5H 6D", "7D 8D"], leader=0)
    move = next(text for text in ("3C 3H 4D 4C", "3D 3H 4D 4C") if text not in map(str, begun.legal_moves()))
    (judged,) = review(begun.play(move), nodes=100_000).moves
    assert judged.worth == plain(begun.play(move), 0)
    assert set(judged.keeping) | set(judged.losing) == set(begun.legal_moves())


def test_what_was_not_judged_is_said() -> None:
    """The beginning of a hand of Big Two is too large to solve, and no bid is a blunder."""
    source = random.Random(6)
    state = dasan.deal(dasan.rules("big-two"), seed=1)
    while state.phase is not dasan.Phase.OVER:
        state = state.play(source.choice(state.legal_moves()))
    report = review(state, nodes=300)
    assert report.moves[0].kept is None
    assert report.moves[-1].kept is True
    assert report.moves[0] in report.not_judged
    assert all(j.kept is True for j in report.moves if j.forced)


def test_the_time_for_a_hand_leaves_out_the_loading_of_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock advances only at the first position, when the solver is loaded: that takes no time from any position."""
    clock = [0.0]

    @lru_cache(maxsize=1)
    def load() -> None:
        clock[0] = 100.0

    monkeypatch.setattr("dasan.kernels.ranks.solver.search.warm_up", load)
    monkeypatch.setattr("dasan.review.best_play.monotonic", lambda: clock[0])
    monkeypatch.setattr("dasan.solver.budget.time", SimpleNamespace(monotonic=lambda: clock[0]))
    late: list[bool] = []

    def budget_of(is_late: bool) -> Budget:
        late.append(is_late)
        return Budget(None, 10)

    state = example()
    for _, move in EXAMPLE:
        state = state.play(move)
    judged = list(judge_all(state, Warm(16, None), budget_of, None, 2.0))
    assert clock == [100.0]
    assert len(judged) >= len(late) > 2
    assert not any(late)


def test_bids_are_not_judged_but_calls_are() -> None:
    state = dasan.deal(RULES[4], seed=2).play("bid 1").play("pass").play("bid 3")
    state = state.play(state.legal_moves()[0])
    report = review(state, nodes=60_000, memory_mb=16)
    assert [j.phase for j in report.moves] == [dasan.Phase.AUCTION] * 3 + [dasan.Phase.CALL]
    *bids, call = report.moves
    assert [j.kept for j in bids] == [None] * 3
    for j, worst in zip(bids, (1, 2, 3), strict=True):
        assert j.as_bidder in (None, worst, -worst)
    assert call.scope == "two sides"


def test_a_picture_that_a_screen_reader_can_read() -> None:
    source = random.Random(7)
    made = None
    while made is None:
        made = with_a_blunder(source)
    report = of(made[0])
    root = ET.fromstring(picture(report, 'A & B <"best">'))
    assert root.get("role") == "img"
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text == 'A & B <"best">'
    assert desc is not None
    assert f"Move {made[1]}, " in (desc.text or "")
    assert len(root.findall(f"{SVG}g/{SVG}title")) == len(report.moves)
    assert sum(path.get("class") == "bad" for path in root.iter(f"{SVG}path")) == len(report.turning_points) + 1
    assert picture(Review(made[0], ()))
    open_ = tuple(replace(j, kept=None, value=None) for j in report.moves if not j.forced)
    assert "kept it" not in picture(Review(made[0], open_))
    assert "No move was judged." in picture(Review(made[0], open_))


def test_shares_claim_no_more_than_was_proved() -> None:
    """A decision without a known move that keeps the result is not the narrowest."""
    state = dasan.start(RULES[3], ["4D 5D", "6H 7H", "8C 9C"], bidder=0, bid=1, leader=0)
    made, other = state.legal_moves()[:2]
    whole = Judged(1, 0, Phase.PLAY, made, 2, 1, 1, True, (made,), (other,), "two sides")
    part = replace(whole, seq=2, choices=9, value=-1, worth=1, kept=False, keeping=(), losing=(made,))
    some = replace(whole, seq=3, choices=9, keeping=(made,) * 3)
    shown = Review(state, (whole, part, some))
    summary = Report(shown).summary
    assert "Narrowest: move 3, where at least 3 of 9 moves keep it." in summary
    assert "Turning point: move 2, seat 0: 4♦; better moves were not proved." in summary
    titles = [t.text for t in ET.fromstring(picture(shown, text=lambda j: "plays")).findall(f"{SVG}g/{SVG}title")]
    assert titles == [
        "Move 1, seat 0: plays. 1 of 2 moves keeps the result. It keeps the result.",
        "Move 2, seat 0: plays. It does not keep the result.",
        "Move 3, seat 0: plays. At least 3 of 9 moves keep the result. It keeps the result.",
    ]
    assert not any("Narrowest" in sentence for sentence in Report(Review(state, (part,))).summary)


def test_a_picture_fits_on_a_phone_and_nothing_in_it_overlaps() -> None:
    """A hundred moves, blunders side by side, long names and cards."""
    made = None
    source = random.Random(7)
    while made is None:
        made = with_a_blunder(source)
    one = next(j for j in of(made[0]).moves if j.kept is False)
    moves = tuple(replace(one, seq=n, kept=n % 7 > 2, keeping=(), losing=(one.move,)) for n in range(60, 160))
    names = [f"a player with a rather long name {seat}" for seat in range(4)]
    svg = picture(
        Review(made[0], moves), "A title that says more than a line can hold " * 3, names, lambda j: "4♣ " * 12
    )
    root = ET.fromstring(svg)
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert width <= 390
    marked = [t for t in root.iter(f"{SVG}text") if t.get("class") == "badly" and (t.text or "").isdigit()]
    assert sorted(int(t.text or "") for t in marked) == [j.seq for j in moves if j.kept is False]
    places = [(float(t.get("x", "")), float(t.get("y", ""))) for t in marked]
    assert all(abs(a[0] - b[0]) >= 27 or abs(a[1] - b[1]) >= 15 for a, b in combinations(places, 2))
    for text in root.findall(f"{SVG}text"):
        x, y = float(text.get("x", "")), float(text.get("y", ""))
        assert 0 <= x <= width
        assert 0 <= y <= height - 20
        if text.get("text-anchor") is None:
            assert x + 7 * len(text.text or "") <= width + 8


def test_plays_that_differ_only_in_kickers_have_their_own_verdicts() -> None:
    """DD.05: of 4-4-4 with a 3 and 4-4-4 with a 7 one may win and the other lose."""
    loses = dasan.start(
        dasan.rules("dou-dizhu"), ["3C 4D 4H 4S 7D 7C", "3D TH AH", "7H 7S AC"], bidder=0, bid=1, leader=0
    )
    first = of(loses.play("4D 4H 4S 7D")).moves[0]
    assert (first.value, first.worth, first.kept) == (2, -2, False)
    assert of(loses.play("4D 4H 4S 3C")).moves[0].kept is True
    wins = dasan.start(
        dasan.rules("dou-dizhu"), ["5C 5H QH AC AH AS", "5S QS KS", "9D KH 2D"], bidder=0, bid=1, leader=0
    )
    first = of(wins.play("QH AC AH AS")).moves[0]
    assert (first.value, first.worth, first.kept) == (2, 2, True)


def test_a_pair_of_equal_cards_is_not_the_single_card() -> None:
    """W.03 with two packs: of 3D and 3D 3D one may cost a place."""
    rules = dasan.rules("winner", players=6, decks=2)
    state = dasan.start(rules, ["3D 3D KS", "4S 4H 6H", "", "", "", ""], leader=0, finished=(2, 3, 4, 5))
    report = of(state.play("3D 3D")).moves[0]
    assert (report.value, report.worth, report.kept) == (5, 6, False)


@pytest.mark.parametrize(
    ("preset", "options"),
    [("dou-dizhu", {}), ("zheng-shangyou", {}), ("winner", {"players": 6, "decks": 2}), ("big-three-4p", {})],
)
def test_every_listed_move_is_listed_as_itself(preset: str, options: dict[str, Any]) -> None:
    source = random.Random(4)
    for seed in range(3):
        state = dasan.deal(dasan.rules(preset, **options), seed=seed)
        while state.to_act is not None:
            legal = state.legal_moves()
            for move in source.sample(legal, min(4, len(legal))):
                assert listed_as(legal, state, move, state.play(move)) == move
            state = state.play(source.choice(legal))
