"""Generate puzzles from hands that bots play."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import zip_longest
from math import ceil

from dasan.arguments import MOST_WORKERS, WrongType, items, shown, whole
from dasan.bots import bot
from dasan.games import make_rules
from dasan.play.new_hand import deal
from dasan.play.phases import Phase
from dasan.play.state import State
from dasan.processes import worker_processes
from dasan.puzzles.making import Key, find_key, solved
from dasan.puzzles.position import without_history
from dasan.puzzles.puzzle import Puzzle
from dasan.puzzles.themes import THEMES
from dasan.puzzles.truth import Truth, Unproved

PRESETS = {3: "big-three", 4: "big-three-4p"}
SOURCES = ("greedy", "random")
"""Bots that play the hands, in turn."""
NODES_A_HAND = 50_000
"""The node budget for finding the puzzles of one hand; positions that need more are skipped."""
BATCH = 50
"""Hands in a batch; after each batch the list of missing themes is updated."""
SPARE = 1.5
"""Candidates to collect for each puzzle returned, so that all grades are available."""


def generate(
    count: int,
    *,
    seed: int = 0,
    themes: Collection[str] = tuple(THEMES),
    players: Sequence[int] = (3, 4),
    cards: tuple[int, int] = (8, 30),
    hands: int = 20_000,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> list[Puzzle]:
    """`count` different puzzles, equally many for each theme and number of players, spread over the grades.

    The same arguments give the same puzzles, whatever the number of `workers`, while solver and bots are unchanged.

    - cards: the minimum and maximum number of cards in all hands together.
    - hands: the most hands to play for each number of players. If they yield too few puzzles of a theme, other themes
      fill the gap, and the result may be shorter than `count`.
    - progress: called with the number of hands played and the number of puzzles still missing.

    ValueError: an unknown theme, a count below 1, a number of players other than 3 or 4, or a minimum above the
    maximum. TypeError: an argument has the wrong type.
    """
    count, seed, themes, players, cards, hands = _checked(count, seed, themes, players, cards, hands)
    workers = whole(workers, "workers", 1, MOST_WORKERS)
    if progress is not None and not callable(progress):
        raise WrongType(f"progress is a function, not {shown(progress)}")
    cells = [(theme, n) for theme in THEMES if theme in themes for n in players]
    share = {cell: (count + (i - seed) % len(cells)) // len(cells) for i, cell in enumerate(cells)}
    wanted = Counter({cell: ceil(SPARE * share[cell]) for cell in cells if share[cell]})
    by_cell: dict[tuple[str, int], list[Puzzle]] = {cell: [] for cell in cells}
    with worker_processes(workers) if workers > 1 else nullcontext() as pool:
        for first in range(0, hands, BATCH):
            for n in players:
                names = tuple(theme for theme, of in +wanted if of == n)
                if not names:
                    continue
                one = partial(puzzles_of_hand, seed, n, wanted=names, cards=cards)
                batch = range(first, min(first + BATCH, hands))
                for of_hand in map(one, batch) if pool is None else pool.map(one, batch):
                    for theme, puzzle in of_hand.items():
                        by_cell[theme, n].append(puzzle)
                        wanted[theme, n] -= 1
            if progress is not None:
                progress(first + BATCH, (+wanted).total())
            if not +wanted:
                break
    return _chosen(by_cell, share)


def _checked(
    count: int, seed: int, themes: Collection[str], players: Sequence[int], cards: tuple[int, int], hands: int
) -> tuple[int, int, tuple[str, ...], tuple[int, ...], tuple[int, int], int]:
    """The validated arguments. ValueError or TypeError: see `generate`."""
    count = whole(count, "the number of puzzles", 1)
    seed = whole(seed, "a seed")
    hands = whole(hands, "hands", 0)
    names = items(themes, "themes are a list of names")
    names = (themes,) if isinstance(themes, str) else names
    unknown = [name for name in names if not isinstance(name, str) or name not in THEMES]
    if unknown:
        raise ValueError(f"there is no theme {', '.join(map(shown, unknown))}; there are {', '.join(THEMES)}")
    if not names:
        raise ValueError(f"themes are one or more of {', '.join(THEMES)}")
    numbers = tuple(whole(n, "the number of players", 3, 4) for n in items(players, "players are a list of numbers"))
    if not numbers:
        raise ValueError("Big Three is played by three or four: name one")
    bounds = tuple(whole(n, "the number of cards", 1) for n in items(cards, "cards are the least and the most"))
    if len(bounds) != 2 or bounds[0] > bounds[1]:
        raise ValueError(f"the least number of cards is at least 1, and not more than the most, not {shown(cards)}")
    return count, seed, names, numbers, (bounds[0], bounds[1]), hands


def _chosen(by_cell: dict[tuple[str, int], list[Puzzle]], share: dict[tuple[str, int], int]) -> list[Puzzle]:
    """Take each cell's share, cycling through grades; fill the rest from all cells in turn. At most one puzzle a
    hand.
    """
    queues = {cell: _grades_in_turn(puzzles) for cell, puzzles in by_cell.items()}
    chosen: list[Puzzle] = []
    seen: set[str] = set()

    def take(cell: tuple[str, int]) -> bool:
        for puzzle in queues[cell]:
            hand = puzzle.source.partition(",")[0]
            if seen.isdisjoint((hand, puzzle.id)):
                seen.update((hand, puzzle.id))
                chosen.append(puzzle)
                return True
        return False

    for cell, number in share.items():
        for _ in range(number):
            take(cell)
    count = sum(share.values())
    more = list(queues)
    while more and len(chosen) < count:
        more = [cell for cell in more if len(chosen) < count and take(cell)]
    return chosen


def _grades_in_turn(puzzles: list[Puzzle]) -> Iterator[Puzzle]:
    by_grade = [[p for p in puzzles if p.grade == grade] for grade in range(1, 6)]
    return (p for row in zip_longest(*by_grade) for p in row if p is not None)


def puzzles_of_hand(
    seed: int, players: int, number: int, *, wanted: Collection[str], cards: tuple[int, int]
) -> dict[str, Puzzle]:
    """For each `wanted` theme that occurs in hand `number`, its puzzle with the most cards."""
    name = SOURCES[number % len(SOURCES)]
    positions = [at for at in _played(seed, players, number, name) if cards[0] <= sum(at[1].hand_sizes) <= cards[1]]
    puzzles: dict[str, tuple[int, State, Key]] = {}
    if not positions:
        return {}
    truth = Truth(positions[0][1], NODES_A_HAND)
    try:
        for move, state in reversed(positions):
            key = find_key(state, truth, wanted)
            if key is not None:
                for theme in key.themes:
                    if theme in wanted:
                        puzzles[theme] = (move, without_history(state), key)
    except Unproved:
        pass
    made: dict[int, Puzzle | None] = {}
    for move, state, key in puzzles.values():
        if move not in made:
            made[move] = solved(state, key, f"seed {seed} players {players} hand {number}, {name}, move {move}")
    out = {theme: made[move] for theme, (move, _, _) in puzzles.items()}
    return {theme: puzzle for theme, puzzle in out.items() if puzzle is not None}


def _played(seed: int, players: int, number: int, name: str) -> Iterator[tuple[int, State]]:
    """(number of the move, position) wherever a hand offers at least three moves."""
    source = random.Random(f"puzzles {seed} {players} {number}")
    state = deal(make_rules(PRESETS[players]), seed=source.randrange(1 << 60), dealer=source.randrange(players))
    player = bot(name, seed=source.randrange(1 << 30))
    move = 0
    while state.phase is not Phase.OVER:
        if state.phase is Phase.PLAY and len(state.legal_moves()) >= 3:
            yield move, state
        state = state.play(player.choose(state.view(state.to_act)))
        move += 1
