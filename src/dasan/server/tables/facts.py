"""Facts about a game's rules for the page, so that it need not derive any from the game's name."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from dasan.cards import pack
from dasan.games import PRESETS
from dasan.ruleset.policies import BidScoring, FixedScoring
from dasan.ruleset.rules import Rules
from dasan.server.protocol.table import RulesFacts
from dasan.server.workers.process import MOST_RULES


@lru_cache(MOST_RULES)
def facts(rules: Rules) -> RulesFacts:
    """The facts of ``rules``.

    >>> import dasan
    >>> facts(dasan.rules("big-three")).bids, facts(dasan.rules("winner")).wins
    ([1, 2, 3], 'places')
    >>> facts(dasan.rules("big-three", pack="46")).left_out
    ['3C', 'AD', 'AC', 'AH', 'AS', '2C']
    """
    wins: Literal["side", "first-out", "places"] = "first-out"
    if rules.has_sides:
        wins = "side"
    elif rules.counts_places:
        wins = "places"
    opening = rules.opening
    return RulesFacts(
        family=family_of(rules.name),
        players=rules.players,
        cards=len(rules.pack),
        hand_size=rules.hand_size,
        kitty=rules.kitty_size,
        bids=[] if rules.auction is None else list(range(1, rules.auction.top + 1)),
        sides=rules.has_sides,
        call_ranks=None if rules.call is None else rules.call.ranks,
        exchange=rules.exchange,
        wins=wins,
        score="none" if rules.scoring == FixedScoring(stake=0) else rules.scoring.type,
        pay_each_winner=isinstance(rules.scoring, BidScoring) and rules.scoring.pay_each_winner,
        stake_chips=rules.stake_chips,
        decks=rules.decks,
        jokers=rules.jokers,
        left_out=[str(card) for card in pack(jokers=rules.jokers) if card not in rules.pack],
        ranks=rules.ranks,
        suits=rules.suits,
        suits_ranked=rules.suits_ranked,
        kinds=list(dict.fromkeys(shape.kind for shape in rules.shapes)),
        bombs=list(dict.fromkeys(shape.kind for shape in rules.shapes if shape.power)),
        opening_card=None if opening is None else opening.card,
        opening_card_in_lead=opening is not None and opening.in_the_lead,
        pass_is_final=rules.pass_is_final,
        guard=rules.guard.value,
        first_dealer=rules.first_dealer.value,
        show_played=rules.show_played,
        show_hands_after=rules.show_hands_after,
    )


def family_of(preset: str) -> str:
    """The main game of this preset's family; the preset's own name if this version does not know it."""
    known = PRESETS.get(preset)
    return preset if known is None else known.family or known.name


def title_of(preset: str) -> str:
    """The preset's title; its name if this version does not know it."""
    known = PRESETS.get(preset)
    return preset if known is None else known.title
