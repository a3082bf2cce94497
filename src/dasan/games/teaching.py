"""Teaching variants: small versions of the games, for equilibrium computations and lectures. No list of games shows them.

The rules are those of the full game with ranks and suits left out of the pack; see `docs/guide/environments.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dasan.games import big_three, big_two, winner
from dasan.games.option import Preset
from dasan.ruleset.policies import Auction, OptionValue
from dasan.ruleset.rules import Rules


def _left_out(rules: Rules, ranks: str, suits: str) -> str:
    """The cards that are left out of the pack if only these ranks and suits stay."""
    return "".join(x for x in rules.ranks + rules.suits if x not in ranks + suits)


def _full(presets: tuple[Preset, ...], name: str) -> Rules:
    return next(preset for preset in presets if preset.name == name).rules({})


Build = Callable[[str, dict[str, OptionValue], frozenset[str]], Rules]


def _big_three(ranks: str, hand_size: int) -> Build:
    def build(name: str, values: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
        rules = _full(big_three.PRESETS, "big-three")
        return replace(
            rules,
            name=name,
            settings=(),
            cut=False,
            hand_size=hand_size,
            auction=Auction(top=2),
            left_out=_left_out(rules, ranks, "HS"),
        )

    return build


def _big_two(name: str, values: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    rules = _full(big_two.PRESETS, "big-two")
    return replace(rules, name=name, settings=(), players=2, hand_size=3, left_out=_left_out(rules, "3A2", "DS"))


def _winner(name: str, values: dict[str, OptionValue], chosen: frozenset[str]) -> Rules:
    rules = _full(winner.PRESETS, "winner")
    return replace(rules, name=name, settings=(), players=3, exchange=False, left_out=_left_out(rules, "3A2", "DS"))


PRESETS = (
    Preset("big-three-tiny", "Big Three in miniature: three ranks, two cards each", (), _big_three("A23", 2)),
    Preset("big-three-small", "Big Three in miniature: five ranks, three cards each", (), _big_three("JQK23", 3)),
    Preset("big-two-tiny", "Big Two in miniature: two players, three cards each", (), _big_two),
    Preset("winner-tiny", "Winner in miniature: three players, two cards each", (), _winner),
)
