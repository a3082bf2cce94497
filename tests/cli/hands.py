"""Games at a terminal, played by bots in the person's place."""

from __future__ import annotations

from dasan.bots import bot
from dasan.games import make_rules
from dasan.ruleset.policies import OptionValue
from dasan.tui.game import TableGame

SEED = 7


def greedy_game(preset: str, seed: int = SEED, **options: OptionValue) -> TableGame:
    rules = make_rules(preset, **options)
    return TableGame(rules, [bot("greedy", seed=seat) for seat in range(rules.players - 1)], seed=seed)


def play_on(game: TableGame, hands: int = 1) -> list[str]:
    """Play until this many hands are over; returns the person's input."""
    answers: list[str] = []
    while len(game.session.results) < hands:
        while not game.over:
            if game.my_turn:
                move = game.hint()
                answers.append(str(move))
                game.play(move)
            else:
                game.play_bot(game.bot_move())
        if game.session.number < hands:
            answers.append("next")
            game.next_hand()
    return answers


def opening_seed(preset: str) -> int:
    """A seed with which the person moves first."""
    return next(seed for seed in range(100) if greedy_game(preset, seed).my_turn)
