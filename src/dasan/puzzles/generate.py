"""Generate puzzles from hands that bots play, and from endgames."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import zip_longest
from math import ceil

from dasan.arguments import MOST_WORKERS, function, instance, items, shown, whole
from dasan.bots import bot
from dasan.games import make_rules
from dasan.play.new_hand import deal
from dasan.play.phases import Phase
from dasan.play.set_up import start
from dasan.play.state import State
from dasan.processes import worker_processes
from dasan.puzzles.making import Key, find_key, solved
from dasan.puzzles.position import without_history
from dasan.puzzles.puzzle import Puzzle
from dasan.puzzles.themes import THEMES
from dasan.puzzles.truth import Truth, Unproved
from dasan.ruleset.rules import Rules

GAMES = {"big-three": {3: "big-three", 4: "big-three-4p"}, "dou-dizhu": {3: "dou-dizhu"}}
"""By game, the preset for each number of players."""
SOURCES = {"big-three": ("greedy", "random"), "big-three-4p": ("greedy", "random"), "dou-dizhu": ("endgame",)}
"""By preset, what the positions come from, in turn: hands that a bot plays, or endgames that are dealt and then played by
`greedy`. From the deal on, few hands of Dou Dizhu come to a position in which one move wins.
"""
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
    game: str = "big-three",
    themes: Collection[str] = tuple(THEMES),
    players: Sequence[int] | None = None,
    cards: tuple[int, int] = (8, 30),
    hands: int = 20_000,
    processes: int = 1,
    progress: Callable[[int, int], object] | None = None,
    workers: int | None = None,
) -> list[Puzzle]:
    """`count` different puzzles, equally many for each theme and number of players, spread over the grades.

    The same arguments give the same puzzles, whatever the number of `processes`, while solver and bots are unchanged.

    - game: "big-three" or "dou-dizhu". players: numbers of players; None: all that the game has.
    - cards: the least and the most cards that all hands together hold.
    - hands: the most hands to play for each number of players. If they do not suffice for a theme, other themes have more
      puzzles, and there may be fewer in all.
    - progress: called with the number of hands played and of puzzles still missing.
    - workers: the name of `processes` in version 0.1.0.

    ValueError: an unknown game or theme, a count below 1, a number of players that the game does not have, or bounds of cards
    out of order.
    TypeError: an argument has another type.
    """
    count, seed, game, themes, numbers, cards, hands = _checked(count, seed, game, themes, players, cards, hands)
    processes = whole(processes if workers is None else workers, "processes", 1, MOST_WORKERS)
    function(progress, "progress")
    cells = [(theme, n) for theme in THEMES if theme in themes for n in numbers]
    share = {cell: (count + (i - seed) % len(cells)) // len(cells) for i, cell in enumerate(cells)}
    wanted = Counter({cell: ceil(SPARE * share[cell]) for cell in cells if share[cell]})
    by_cell: dict[tuple[str, int], list[Puzzle]] = {cell: [] for cell in cells}
    with worker_processes(processes) if processes > 1 else nullcontext() as pool:
        for first in range(0, hands, BATCH):
            for n in numbers:
                names = tuple(theme for theme, of in +wanted if of == n)
                if not names:
                    continue
                one = partial(puzzles_of_hand, seed, GAMES[game][n], wanted=names, cards=cards)
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
    count: int,
    seed: int,
    game: str,
    themes: Collection[str],
    players: Sequence[int] | None,
    cards: tuple[int, int],
    hands: int,
) -> tuple[int, int, str, tuple[str, ...], tuple[int, ...], tuple[int, int], int]:
    """The arguments as they are meant. ValueError or TypeError: see `generate`."""
    count = whole(count, "the number of puzzles", 1)
    seed = whole(seed, "a seed")
    hands = whole(hands, "hands", 0)
    if instance(game, str, f"puzzles are of {' or '.join(GAMES)}") not in GAMES:
        raise ValueError(f"there are no puzzles of {shown(game)}; there are of {', '.join(GAMES)}")
    known = GAMES[game]
    names = items(themes, "themes are a list of names")
    names = (themes,) if isinstance(themes, str) else names
    for name in names:
        instance(name, str, "themes are a list of names")
    unknown = [name for name in names if name not in THEMES]
    if unknown:
        raise ValueError(f"there is no theme {', '.join(map(shown, unknown))}; there are {', '.join(THEMES)}")
    if not names:
        raise ValueError(f"themes are one or more of {', '.join(THEMES)}")
    given = known if players is None else items(players, "players are a list of numbers")
    numbers = tuple(dict.fromkeys(whole(n, "the number of players", min(known), max(known)) for n in given))
    if not numbers:
        raise ValueError("players are one number or more")
    bounds = tuple(whole(n, "the number of cards", 1) for n in items(cards, "cards are the least and the most"))
    if len(bounds) != 2 or bounds[0] > bounds[1]:
        raise ValueError(f"the least number of cards is at least 1, and not more than the most, not {shown(cards)}")
    return count, seed, game, names, numbers, (bounds[0], bounds[1]), hands


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
            if not take(cell):
                break
    count = sum(share.values())
    more = list(queues)
    while more and len(chosen) < count:
        more = [cell for cell in more if len(chosen) < count and take(cell)]
    return chosen


def _grades_in_turn(puzzles: list[Puzzle]) -> Iterator[Puzzle]:
    by_grade = [[p for p in puzzles if p.grade == grade] for grade in range(1, 6)]
    return (p for row in zip_longest(*by_grade) for p in row if p is not None)


def puzzles_of_hand(
    seed: int, preset: str, number: int, *, wanted: Collection[str], cards: tuple[int, int]
) -> dict[str, Puzzle]:
    """By theme, the puzzle with the most cards out of hand `number`, for each of the `wanted` themes that occurs in it."""
    name = SOURCES[preset][number % len(SOURCES[preset])]
    positions = [
        at for at in _played(seed, preset, number, name, cards) if cards[0] <= sum(at[1].hand_sizes) <= cards[1]
    ]
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
            made[move] = solved(state, key, f"seed {seed} {_source(preset)} hand {number}, {name}, move {move}")
    out = {theme: made[move] for theme, (move, _, _) in puzzles.items()}
    return {theme: puzzle for theme, puzzle in out.items() if puzzle is not None}


def _source(preset: str) -> str:
    """The preset as it is named where a puzzle comes from."""
    return next((f"players {n}" for n, name in GAMES["big-three"].items() if name == preset), preset)


def _played(seed: int, preset: str, number: int, name: str, cards: tuple[int, int]) -> Iterator[tuple[int, State]]:
    """The positions of a hand in which there is a choice of three moves or more, with the number of the move."""
    rules = make_rules(preset)
    source = random.Random(f"puzzles {seed} {_source(preset).removeprefix('players ')} {number}")
    if name == "endgame":
        endgame = _endgame(rules, source, cards)
        if endgame is None:
            return
        state, player = endgame, bot("greedy")
    else:
        state = deal(rules, seed=source.randrange(1 << 60), dealer=source.randrange(rules.players))
        player = bot(name, seed=source.randrange(1 << 30))
    move = 0
    while state.phase is not Phase.OVER:
        if state.phase is Phase.PLAY and len(state.legal_moves()) >= 3:
            yield move, state
        state = state.play(player.choose(state.view(state.to_act)))
        move += 1


def _endgame(rules: Rules, source: random.Random, cards: tuple[int, int]) -> State | None:
    """A lead with few cards in every hand. They come from few ranks, so that there are sets, runs and bombs among them; None if
    these have too few cards.
    """
    ranks = source.sample(rules.ranks, source.randint(5, 9))
    pack = [card for card in rules.pack if card.is_joker or card.rank in ranks]
    if len(pack) < cards[0]:
        return None
    source.shuffle(pack)
    left = source.randint(cards[0], min(cards[1], len(pack)))
    sizes = [2] * rules.players
    while sum(sizes) < left:
        sizes[source.randrange(rules.players)] += 1
    hands = [[pack.pop() for _ in range(size)] for size in sizes]
    bidder = source.randrange(rules.players)
    return start(rules, hands, bidder=bidder, bid=source.randint(1, 3), leader=source.randrange(rules.players))
