"""The memory that a training run takes, at least: a run that cannot fit is refused before its first hand.

The numbers are lower bounds. Runs of Big Three, Big Two, Winner and Dou Dizhu took two to four times as much, and
more with branches.
"""

from __future__ import annotations

from dasan.arguments import quantity
from dasan.features import observation_size
from dasan.learn.config import Config
from dasan.networks.derived import input_sizes
from dasan.networks.network import LayerSizes
from dasan.play.action_ids import action_ids
from dasan.ruleset.rules import Rules

MOVES = 8
"""Legal moves of a seat that leads from a whole hand, at least, if it has so many cards."""
OF_A_WEIGHT = 28.0
"""Bytes of a weight: its value, gradient, two moments of Adam and average, and two copies that play, each of four bytes."""


def learner_memory(config: Config, shape: LayerSizes) -> float:
    """Bytes of the weights, and with actors of the decisions of a round, which are collected from all of them."""
    collected = 0.0
    if config.actors:
        row = min(sum(input_sizes(one.rules(), one.reads)) for one in config.games())
        collected = 2 * config.actors * config.keep * row * min(map(decisions, config.games()))
    return OF_A_WEIGHT * shape.size + collected


def play_memory(config: Config) -> float:
    """Bytes of the environments of a process that plays, the hidden layers of their moves, and the decisions of a round, as
    recorded and as learnt from. With several games those of the smallest; policy gradients play all of them, and also store
    the other moves of each decision and the hidden cards.
    """
    parts = [_game_memory(one) for one in config.games()]
    return sum(parts) if config.method == "policy" else min(parts)


def _game_memory(config: Config) -> float:
    rules, layers = config.rules(), 4 * (config.first + config.second)
    number = decisions(config)
    count = action_ids(rules, config.session).count
    outputs = config.envs * (observation_size(rules, config.session) + count)
    kept, copies = (1.0, 4.0) if config.method == "policy" else (config.keep, 1 + config.keep)
    learnt = 0.0 if config.actors else min(config.batch, kept * number)
    hidden = max(moves(config), learnt) * layers
    return outputs + hidden + copies * number * sum(input_sizes(rules, config.reads))


def decisions(config: Config) -> float:
    """The decisions in a round of the environments of one game, at least: half of the moves of its steps, and in the hands
    that are then played to their ends as many as a seat has cards.
    """
    rules = config.rules()
    steps = config.steps / 2 if config.method == "values" and config.branches == 1 else 0.0
    return _choosing(config, rules) * (_cards(rules) + steps)


def moves(config: Config) -> float:
    """The moves that are scored together in the environments of one game, at least, as hands begin with a lead."""
    rules = config.rules()
    return _choosing(config, rules) * min(MOVES, _cards(rules))


def _choosing(config: Config, rules: Rules) -> float:
    """The environments in which the network chooses moves, at least. With branches that is one of each deal, as there may be no
    move for the others; opponents from a pool leave it one seat.
    """
    return config.envs / config.branches * (1 - config.share * (1 - 1 / rules.players))


def _cards(rules: Rules) -> float:
    """The cards that a seat is dealt, on average."""
    return rules.hand_size or len(rules.pack) / rules.players


def described(config: Config) -> str:
    """The sizes that decide about memory, in words."""
    hands = quantity(config.envs, "parallel hand")
    parts = [f"{quantity(config.actors, 'actor')} with {hands} each" if config.actors else hands]
    if config.method == "values" and config.branches == 1:
        parts.append(f"{quantity(config.steps, 'step')} in a round")
    return f"{', '.join(parts)} and layers of {config.first:,} and {quantity(config.second, 'unit')}"
