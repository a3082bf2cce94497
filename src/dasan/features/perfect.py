"""Perfect information: the cards hidden from the seat to act, for critics and teachers, never for players.

Seats are relative, as in an observation. Every game hides the other hands; Big Three also hides the kitty, and Big Three for
four the holder of the called card.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dasan.arguments import instance
from dasan.features.cards import Feature, card_flags, card_slots, eights, one_flag
from dasan.ruleset.cache import cached_by_rules
from dasan.ruleset.rules import Rules

if TYPE_CHECKING:
    from dasan.play.state import State


@cached_by_rules()
def perfect_layout(rules: Rules) -> tuple[Feature, ...]:
    """Every feature of perfect information, in order; all are flags.

    >>> import dasan
    >>> [(f.name, f.start, f.size) for f in perfect_layout(dasan.rules("big-three"))]
    [('hands', 0, 104), ('hidden_kitty', 104, 52)]
    """
    slots, players = card_slots(rules), rules.players
    planes = [("hands", (players - 1) * slots, "the cards of each other seat, starting with the next")]
    if rules.kitty_size > 0:
        planes.append(("hidden_kitty", slots, "the kitty as dealt"))
    if rules.call is not None:
        planes.append(("hidden_partner", players, "the bidder's partner, also while it is hidden"))
    out: list[Feature] = []
    for name, size, text in planes:
        start = out[-1].start + out[-1].size if out else 0
        out.append(Feature(name, start, size, True, text))
    return tuple(out)


def perfect_size(rules: Rules) -> int:
    """The length of a row of perfect information, a multiple of eight."""
    last = perfect_layout(rules)[-1]
    return eights(last.start + last.size)


def encode_perfect(state: State) -> list[int]:
    """The cards hidden from the seat to act: `perfect_size` flags, see `perfect_layout`. ValueError: the hand is over."""
    from dasan.play.state import State

    instance(state, State, "perfect information is encoded from a state, such as dasan.deal returns")
    if state.to_act is None:
        raise ValueError("nobody is to act")
    rules, me = state.rules, state.to_act
    n = rules.players
    out: list[int] = []
    for k in range(1, n):
        out += card_flags(rules, state.hands[(me + k) % n])
    if rules.kitty_size > 0:
        out += card_flags(rules, state.begun.kitty)
    if rules.call is not None:
        out += one_flag(n, None if state.partner is None else (state.partner - me) % n)
    return out + [0] * (perfect_size(rules) - len(out))
