"""Validation of `Rules`: why some values are refused.

A record may contain rules of its own, so rules are untrusted input. Rules that pass compile into a catalogue of bounded
size, always leave the seat to act a move (G.04), and pay amounts that sum to zero (G.05).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from math import comb

from dasan.cards import JOKERS, RANKS, SUITS, Card, parse_cards, spelled_out
from dasan.errors import Malformed
from dasan.ruleset.fields import RulesFields
from dasan.ruleset.overlaps import overlaps
from dasan.ruleset.policies import Guard, LaterLead, Leftover, Opener
from dasan.ruleset.shapes import AllJokers, AnyShape, Flush, Groups, Kickers, Run, Same

MAX_PLAYERS = 8
MAX_DECKS = 2
MAX_TEXT = 100
MAX_ENTRIES = 64
MAX_SHAPES = 16
MAX_COPIES = 8
MAX_LEVEL = 15
MAX_SEQUENCE = 26
MAX_NUMBER = 1_000_000
MAX_BID = 20
MOST_DOUBLINGS = 10
"""The largest limit on doublings that rules may set; without one, `most_doublings` bounds them."""
MAX_PATTERNS = 40_000
"""The largest sum of `_most_patterns` over the kinds; Dou Dizhu has the largest of any preset, 39,379."""


def objection(rules: RulesFields) -> str | None:
    """Why these rules are unplayable, or None."""
    return next(_objections(rules), None)


def _objections(rules: RulesFields) -> Iterator[str]:
    yield from _texts(rules)
    if not 2 <= rules.players <= MAX_PLAYERS:
        yield f"a game has 2 to {MAX_PLAYERS} players"
    if not 1 <= rules.decks <= MAX_DECKS:
        yield f"a game has 1 to {MAX_DECKS} packs"
    if sorted(rules.ranks) != sorted(RANKS) or sorted(rules.suits) != sorted(SUITS):
        yield "ranks and suits must be all those of a pack, each once; left_out removes some from it"
    yield from _left_out(rules)
    if abs(rules.stake_chips) > MAX_NUMBER:
        yield "there are too many counters"
    if not any(isinstance(shape, Same) and shape.count == 1 for shape in rules.shapes):
        yield "single cards must be playable, or a leader may have no legal play"
    yield from _shapes(rules.shapes)
    yield from _shapes(rules.excluded)
    yield from _jokers(rules)
    for one, other in overlaps(rules.shapes, len(SUITS) * rules.decks):
        yield f"the same cards would be a {one.kind} and a {other.kind}"
    yield from _dealing(rules)
    yield from _auction(rules)
    yield from _endings(rules)
    yield from _scoring(rules)


def _left_out(rules: RulesFields) -> Iterator[str]:
    left_out = set(rules.left_out)
    if len(left_out) < len(rules.left_out) or not left_out <= {*RANKS, *SUITS}:
        yield "only ranks and suits of the pack can be left out, each once"
    elif len(left_out & set(RANKS)) > len(RANKS) - 2 or left_out >= set(SUITS):
        yield "at least two ranks and a suit must stay in the pack"
    elif rules.left_out_cards:
        cards = spelled_out(rules.left_out_cards)
        if cards is None or len(set(cards)) < len(cards) or any(c.is_joker for c in cards):
            yield "single cards to leave out are written like 2C 3C, each once, without jokers"
        elif any(not any(c.rank == rank for c in rules.pack) for rank in rules.ranks if rank not in left_out):
            yield "to leave out every card of a rank, leave out the rank"


def _texts(rules: RulesFields) -> Iterator[str]:
    lists = (rules.settings, rules.clauses, rules.citations)
    if any(len(entries) > MAX_ENTRIES for entries in lists):
        yield f"there are at most {MAX_ENTRIES} options, clauses and citations"
    if len({name for name, _ in rules.settings}) < len(rules.settings):
        yield "an option is given twice"
    flat = [rules.name, *rules.clauses, *(x for pair in (*rules.settings, *rules.citations) for x in pair)]
    for entry in flat:
        if isinstance(entry, str):
            yield from _text(entry)
        if isinstance(entry, int) and abs(entry) > MAX_NUMBER:
            yield "an option's number is too large"


def _text(text: str) -> Iterator[str]:
    if len(text) > MAX_TEXT or not text.isprintable():
        yield f"a text has at most {MAX_TEXT} characters, all of them printable"


def _shapes(shapes: tuple[AnyShape, ...]) -> Iterator[str]:
    if len(shapes) > MAX_SHAPES:
        yield f"there are at most {MAX_SHAPES} kinds of combination"
    for shape in shapes:
        for text in (shape.kind, shape.clause, shape.family):
            yield from _text(text)
        yield from _also_beats(shape, shapes)
        if not 0 <= shape.tier <= MAX_LEVEL or not 0 <= shape.power <= MAX_LEVEL:
            yield f"tier and power are from 0 to {MAX_LEVEL}"
        sizes: tuple[int, ...]
        match shape:
            case Same(count=count):
                sizes = (count,)
            case Groups(main=main, side=side):
                sizes = (main, side)
            case Run(copies=copies):
                sizes = (copies,)
                yield from _run(shape)
            case Kickers(copies=copies, side=side, sides=sides):
                sizes = (copies, side, sides)
                yield from _kickers(shape)
            case AllJokers():
                sizes = ()
            case Flush(size=size):
                sizes = ()
                if not 2 <= size <= len(RANKS):
                    yield f"a flush has 2 to {len(RANKS)} cards"
        if not all(1 <= size <= MAX_COPIES for size in sizes):
            yield f"a group has 1 to {MAX_COPIES} cards"
    if sum(map(_most_patterns, shapes)) > MAX_PATTERNS:
        yield f"the kinds have more than {MAX_PATTERNS:,} patterns of cards"


def _jokers(rules: RulesFields) -> Iterator[str]:
    for shape in rules.shapes:
        if isinstance(shape, AllJokers) and (not rules.jokers or shape.count != len(JOKERS) * rules.decks):
            yield "a play of all jokers must have as many as the pack"


def _kickers(shape: Kickers) -> Iterator[str]:
    if not 1 <= shape.shortest <= shape.longest <= len(shape.sequence) <= len(RANKS):
        yield f"a play with kickers has 1 to {len(RANKS)} groups, at most as many as its sequence has ranks"
    elif len(set(shape.sequence)) < len(shape.sequence) or not set(shape.sequence) <= set(RANKS):
        yield "the sequence of a play with kickers consists of ranks of the pack, each once"


def _also_beats(shape: AnyShape, shapes: tuple[AnyShape, ...]) -> Iterator[str]:
    if len(shape.also_beats) > MAX_SHAPES:
        yield f"a kind beats at most {MAX_SHAPES} others"
    groups = {other.kind for other in shapes if isinstance(other, Same) and not other.tier}
    kinds = {other.kind for other in shapes}
    for kind, rank in shape.also_beats:
        known = kind in kinds if rank == "" else kind in groups and rank in tuple(RANKS)
        if not known or kind == shape.kind:
            yield "also_beats names groups of one rank with a lowest rank, or whole kinds, other than the kind itself"


def _run(run: Run) -> Iterator[str]:
    if not 2 <= run.shortest <= run.longest <= len(RANKS):
        yield f"a run has 2 to {len(RANKS)} ranks"
    elif not run.longest <= len(run.sequence) <= MAX_SEQUENCE or not set(run.sequence) <= set(RANKS):
        yield f"a sequence has at most {MAX_SEQUENCE} ranks, and at least as many as its longest run"
    elif any(len(set(window)) < run.longest for window in _windows(run)):
        yield "a run cannot contain a rank twice"
    if run.crown and run.crown not in run.sequence:
        yield "the run that counts above all others must be in the sequence"


def _most_patterns(shape: AnyShape) -> int:
    """An upper bound on the number of patterns of a shape in any pack."""
    ranks, suits = len(RANKS), len(SUITS)
    match shape:
        case Same():
            return (ranks + len(JOKERS)) * suits
        case Groups():
            return ranks * (ranks + len(JOKERS)) * suits
        case Run(sequence=sequence, shortest=shortest, longest=longest):
            return sum(len(sequence) - length + 1 for length in range(shortest, longest + 1)) * suits
        case Flush(size=size):
            return comb(ranks, size) * suits
        case AllJokers():
            return 1
        case Kickers(sequence=sequence, shortest=shortest, longest=longest, sides=sides, side=side, distinct=distinct):
            alike = side == 1 and not distinct
            return sum(
                (len(sequence) - n + 1) * comb(ranks + len(JOKERS) - n + (sides * n - 1 if alike else 0), sides * n)
                for n in range(shortest, min(longest, len(sequence)) + 1)
            )


def _windows(run: Run) -> Iterable[str]:
    return (run.sequence[i : i + run.longest] for i in range(len(run.sequence) - run.longest + 1))


def _dealing(rules: RulesFields) -> Iterator[str]:
    size, auction = rules.hand_size, rules.auction
    if size is not None and (size < 1 or size * rules.players > len(rules.pack)):
        yield "the pack has too few cards for the hands"
    elif rules.leftover is Leftover.BIDDER and rules.kitty_size and auction is None:
        yield "a kitty needs an auction, whose bidder takes it"
    elif rules.leftover is not Leftover.BIDDER and (auction is not None or not rules.kitty_size):
        yield "cards left over go to the bidder if there is an auction; otherwise the deal must leave some over (H.27)"
    elif rules.leftover is not Leftover.BIDDER and (rules.opening is None or not rules.opening.lowest_dealt):
        yield "if cards are left over, the holder of the lowest card dealt must lead (H.27)"
    elif auction is not None and auction.opener is Opener.LOWEST_CARD and _all_in_kitty(rules, auction.suit):
        yield "the kitty could contain a whole suit, and then nobody could open"
    if rules.opening is not None:
        try:
            (card,) = parse_cards(rules.opening.card)
        except (Malformed, ValueError):
            yield "the opening card is not a card"
        else:
            if card not in rules.pack:
                yield "the opening card is not in the pack"
            elif rules.opening.in_the_lead and not _told_alone(rules, card):
                yield "the lead cannot have to include the opening card if the suit of a single does not count"


def _all_in_kitty(rules: RulesFields, suit: str) -> bool:
    """Whether the kitty has room for every card of the suit that is in the pack."""
    return rules.kitty_size >= sum(c.suit == suit for c in rules.pack)


def _told_alone(rules: RulesFields, card: Card) -> bool:
    """Whether the card has a row of its own among the singles, instead of sharing one with its rank."""
    by_suit = any(isinstance(shape, Same) and shape.count == 1 and shape.by_suit for shape in rules.shapes)
    return by_suit or card.is_joker or card.suit == rules.suits[0]


def _auction(rules: RulesFields) -> Iterator[str]:
    auction, call = rules.auction, rules.call
    if auction is not None:
        if not 1 <= auction.top <= MAX_BID or auction.suit not in set(SUITS) - set(rules.left_out):
            yield f"the highest bid is from 1 to {MAX_BID}, and the suit that decides the opener is in the pack"
        if len(auction.must_dig) > MAX_ENTRIES or any(len(held) > MAX_TEXT for held in auction.must_dig):
            yield "there are too many hands that must bid"
        if rules.opening is not None or rules.exchange:
            yield "a game with an auction has no opening card and no exchange"
        if auction.all_pass_is_void and not auction.opener_may_pass:
            yield "a hand can be void only if the opener may pass (H.12)"
        if auction.all_pass_is_void and rules.later_lead is not LaterLead.OPENING:
            yield "a void hand has no winner to lead the next hand"
        if not 0 <= auction.passes_to_end < rules.players:
            yield "the number of passes that ends an auction is below the number of players (H.43)"
    if call is not None:
        callable_cards = len({c for c in rules.pack if c.rank in call.ranks})
        if auction is None or rules.kitty_size or rules.decks > 1 or rules.players < 3:
            yield "calling a card needs an auction, one pack, no kitty and at least three players"
        elif len(call.ranks) > len(RANKS) or callable_cards <= rules.most_cards:
            yield "the bidder could hold every card that can be called"


def _endings(rules: RulesFields) -> Iterator[str]:
    to_the_end = rules.ending.value == "last-in"
    if rules.guard_pays and rules.guard is not Guard.FOUL:
        yield "a guard can pay for all only if the guard is a foul (H.28)"
    if rules.dragon and (rules.auction is not None or rules.exchange or rules.opening is None):
        yield "a dragon needs an opening card, and neither auction nor exchange (H.31)"
    if rules.double_exchange and (not rules.exchange or rules.players < 4):
        yield "the exchange in two pairs needs an exchange and at least four players (H.40)"
    if not to_the_end and (rules.exchange or rules.next_dealer.value == "last-in"):
        yield "an exchange, or a deal by the last player, needs play to the end"
    if rules.exchange and rules.most_cards < 4:
        yield "an exchange needs hands of at least four cards"


def _scoring(rules: RulesFields) -> Iterator[str]:
    scoring = rules.scoring
    for field in fields(scoring):
        value = getattr(scoring, field.name)
        numbers = [value] if isinstance(value, int) else [n for tier in value for n in tier if isinstance(n, int)]
        if len(numbers) > MAX_ENTRIES or not all(0 <= n <= MAX_NUMBER for n in numbers):
            yield "a number of the scoring is out of bounds"
    if scoring.type == "bid" and scoring.most_doublings > MOST_DOUBLINGS:
        yield f"a payment is doubled at most {MOST_DOUBLINGS} times (H.15)"
    if scoring.type == "bid" and not scoring.pay_each_winner and (rules.call is None or rules.players != 4):
        yield "with sides of different size each loser must pay each winner, or payments would not sum to zero"
