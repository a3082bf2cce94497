"""The kind of a set of cards, and what beats what: a naive second implementation of the rules.

Written straight from the clauses, for comparison with the engine; it shares nothing with it. Every kind is a
function that says, for a set of cards, either how strong they are as that kind or `None`; a set of cards is
shown to all the kinds of its game, and at most one may recognise it.

>>> classify("big-three", {}, ["6H", "7D", "8S"])
Reading(kind='straight', size=3, strength=(4,))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Value = bool | int | str
Options = Mapping[str, Value]
Strength = tuple[int, ...]
Kind = Callable[[Sequence[str], Options], Strength | None]

BIG_THREE = ("big-three", "big-three-denexa", "big-three-fr", "big-three-4p")
WINNER = ("winner", "winner-bomb")
PRESETS = (*BIG_THREE, "big-two", *WINNER)

FIFTY_TWO = tuple(rank + suit for rank in "3456789TJQKA2" for suit in "DCHS")
JOKERS = ("BJ", "RJ")

DEFAULTS: dict[str, dict[str, Value]] = {
    **{preset: {} for preset in BIG_THREE},
    "big-two": {
        "triples": False,  # D2.03
        "flush_order": "rank",  # D2.08
        "straights": "ace-low-or-high",  # D2.06
        "suit_order": "diamonds-low",  # D2.02
        "fours": False,  # H.07
        "two_pairs": False,  # H.08
        "four_plus_one": True,  # H.09
    },
    "winner": {
        "decks": 1,  # W.01
        "jokers": False,  # W.02
        "min_straight": 5,  # W.09
        "straight_tie": "suit",  # W.10
        "bomb": "quad-plus-one",  # W.15
        "suits_ranked": True,  # H.10
    },
}
DEFAULTS["winner-bomb"] = {**DEFAULTS["winner"], "bomb": "quad"}  # W.15


@dataclass(frozen=True)
class Reading:
    """A combination: its kind, its number of cards, and its strength among plays of that kind and number."""

    kind: str
    size: int
    strength: Strength


def complete(preset: str, options: Options) -> dict[str, Value]:
    """The options, with the preset's values for missing ones; unknown options stay.

    Winner without an order of suits cannot break ties of straights by suit (H.10).
    """
    filled = {**DEFAULTS[preset], **options}
    if filled.get("suits_ranked") is False:
        filled["straight_tie"] = "rank"
    return filled


def fresh_pack(preset: str, options: Options) -> list[str]:
    """All the cards of the game: one pack of 52, or in Winner one or two, with or without jokers (W.01, W.02)."""
    filled = complete(preset, options)
    deck = FIFTY_TWO + JOKERS if filled.get("jokers") else FIFTY_TWO
    return list(deck) * (2 if filled.get("decks") == 2 else 1)


def are_in_the_pack(cards: Sequence[str], options: Options) -> bool:
    """No card more often than there are decks, and no jokers where there are none."""
    decks = 2 if options.get("decks") == 2 else 1
    for card in cards:
        if cards.count(card) > decks or (card not in FIFTY_TWO and not (card in JOKERS and options.get("jokers"))):
            return False
    return True


def classify(preset: str, options: Options, cards: Sequence[str]) -> Reading | None:
    """The kind of these cards in this game, or `None` if they form no combination."""
    filled = complete(preset, options)
    if not cards or not are_in_the_pack(cards, filled):
        return None
    readings = []
    for kind, recognise in kinds(preset, filled).items():
        strength = recognise(cards, filled)
        if strength is not None:
            readings.append(Reading(kind, len(cards), strength))
    assert len(readings) <= 1, f"{cards} are more than one kind: {readings}"
    return readings[0] if readings else None


def beats(preset: str, options: Options, a: Reading, b: Reading) -> bool:
    """Whether `a` may be played over `b`."""
    filled = complete(preset, options)
    if preset in BIG_THREE:
        return higher(a, b)
    if preset == "big-two":
        return big_two_beats(a, b)
    if filled["bomb"] == "quad":
        return winner_beats_with_fours_as_bombs(a, b)
    return winner_beats(a, b)


def higher(a: Reading, b: Reading) -> bool:
    """B3.15, D2.12, W.06: same kind, same number of cards, strictly higher."""
    return a.kind == b.kind and a.size == b.size and a.strength > b.strength


def kinds(preset: str, options: Options) -> dict[str, Kind]:
    """The kinds of the game, each with the function that recognises it."""
    if preset in BIG_THREE:
        return BIG_THREE_KINDS
    if preset == "big-two":
        names = dict(BIG_TWO_KINDS)
        if options["triples"]:  # D2.03
            names["triplet"] = big_two_triplet
        if options["fours"]:  # H.07
            names["quad"] = big_two_quad
        if options["two_pairs"]:  # H.08
            names["two-pair"] = big_two_two_pair
        if options["four_plus_one"]:  # D2.05, H.09
            names["four-plus-one"] = big_two_four_plus_one
        return names
    names = dict(WINNER_KINDS)
    if options["bomb"] == "quad":  # W.15: four alone is the bomb, and with a fifth card it is no combination
        names["bomb"] = winner_four
    else:
        names["quad"] = winner_four  # W.06
        names["bomb"] = winner_four_and_any_card  # W.06, W.13
    return names


def rank(card: str) -> str:
    return card[0]


def suit(card: str) -> str:
    return card[1]


def is_joker(card: str) -> bool:
    return card in JOKERS


def groups(cards: Sequence[str]) -> list[int]:
    """How many there are of each rank, most first: a full house is [3, 2]."""
    return sorted(Counter(rank(card) for card in cards).values(), reverse=True)


def rank_held(cards: Sequence[str], times: int) -> str:
    """The one rank of which there are `times` cards or more."""
    (letters,) = [letter for letter, count in Counter(rank(card) for card in cards).items() if count >= times]
    return letters


def in_one_suit(cards: Sequence[str]) -> bool:
    return len({suit(card) for card in cards}) == 1


# Big Three: B3.02 ranks, and no order of suits.

BIG_THREE_RANKS = "456789TJQKA23"
BIG_THREE_RUN_RANKS = "456789TJQK"  # B3.14


def of_one_rank(size: int) -> Kind:
    def recognise(cards: Sequence[str], options: Options) -> Strength | None:
        """B3.13 single, pair, triplet, quad; B3.15 by rank alone."""
        if groups(cards) != [size]:
            return None
        return (BIG_THREE_RANKS.index(rank(cards[0])),)

    return recognise


def run_of(times: int) -> Kind:
    def recognise(cards: Sequence[str], options: Options) -> Strength | None:
        """B3.13 three or more consecutive; B3.14 within 4..K; B3.15 by the highest card."""
        counts = Counter(rank(card) for card in cards)
        if len(counts) < 3 or set(counts.values()) != {times} or set(counts) - set(BIG_THREE_RUN_RANKS):
            return None
        places = sorted(BIG_THREE_RUN_RANKS.index(letter) for letter in counts)
        if places != list(range(places[0], places[0] + len(places))):
            return None
        return (BIG_THREE_RANKS.index(BIG_THREE_RUN_RANKS[places[-1]]),)

    return recognise


BIG_THREE_KINDS: dict[str, Kind] = {
    "single": of_one_rank(1),
    "pair": of_one_rank(2),
    "triplet": of_one_rank(3),
    "quad": of_one_rank(4),
    "straight": run_of(1),
    "pair-run": run_of(2),
    "triplet-run": run_of(3),
    "quad-run": run_of(4),
}


# Big Two: D2.02 ranks, and suits in the order the option names.

CLIMBING_RANKS = "3456789TJQKA2"  # D2.02 and W.03 alike

MIDDLE = ["34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA"]
STRAIGHTS = {  # from the lowest to the highest, each from its first card to the one that decides
    "ace-low-or-high": ["A2345", "23456", *MIDDLE],  # D2.06, D2.07
    "hong-kong": [*MIDDLE, "JQKA2"],  # H.03
    "taiwan": ["A2345", *MIDDLE, "34562"],  # H.04: two of the highest by the suit of the 2
    "no-twos": MIDDLE,  # H.05
}


def big_two_suit(card: str, options: Options) -> int:
    """D2.02; H.06 has the clubs lowest."""
    return ("CDHS" if options["suit_order"] == "clubs-low" else "DCHS").index(suit(card))


def big_two_card(card: str, options: Options) -> Strength:
    """D2.02: by rank, then by suit."""
    return (CLIMBING_RANKS.index(rank(card)), big_two_suit(card, options))


def big_two_single(cards: Sequence[str], options: Options) -> Strength | None:
    """D2.02, D2.03."""
    return big_two_card(cards[0], options) if groups(cards) == [1] else None


def big_two_pair(cards: Sequence[str], options: Options) -> Strength | None:
    """D2.04: by rank, then by the higher suit."""
    return max(big_two_card(card, options) for card in cards) if groups(cards) == [2] else None


def big_two_triplet(cards: Sequence[str], options: Options) -> Strength | None:
    """D2.03: by rank."""
    return (CLIMBING_RANKS.index(rank(cards[0])),) if groups(cards) == [3] else None


def big_two_quad(cards: Sequence[str], options: Options) -> Strength | None:
    """H.07: by rank."""
    return (CLIMBING_RANKS.index(rank(cards[0])),) if groups(cards) == [4] else None


def big_two_two_pair(cards: Sequence[str], options: Options) -> Strength | None:
    """H.08: two ranks; by the higher pair's rank, then by that pair's higher suit."""
    return max(big_two_card(card, options) for card in cards) if groups(cards) == [2, 2] else None


def big_two_sequence(cards: Sequence[str], options: Options) -> Strength | None:
    """D2.06, D2.07, H.03-H.05: the straight's place among straights, then the suit of its ending card."""
    order = STRAIGHTS[str(options["straights"])]
    for place, letters in enumerate(order):
        if sorted(rank(card) for card in cards) == sorted(letters):
            (ending,) = [card for card in cards if rank(card) == letters[-1]]
            return (place, big_two_suit(ending, options))
    return None


def big_two_straight(cards: Sequence[str], options: Options) -> Strength | None:
    """D2.06, D2.07; in one suit it is a straight flush (D2.05)."""
    return None if in_one_suit(cards) else big_two_sequence(cards, options)


def big_two_straight_flush(cards: Sequence[str], options: Options) -> Strength | None:
    """D2.10: as a straight."""
    return big_two_sequence(cards, options) if in_one_suit(cards) else None


def big_two_flush(cards: Sequence[str], options: Options) -> Strength | None:
    """D2.08: by the highest card's rank, then suit, or suit, then rank."""
    if len(cards) != 5 or not in_one_suit(cards) or big_two_sequence(cards, options) is not None:
        return None
    high_rank, high_suit = max(big_two_card(card, options) for card in cards)
    return (high_suit, high_rank) if options["flush_order"] == "suit" else (high_rank, high_suit)


def big_two_full_house(cards: Sequence[str], options: Options) -> Strength | None:
    """D2.09: by the triple."""
    return (CLIMBING_RANKS.index(rank_held(cards, 3)),) if groups(cards) == [3, 2] else None


def big_two_four_plus_one(cards: Sequence[str], options: Options) -> Strength | None:
    """D2.05, D2.09: by the four."""
    return (CLIMBING_RANKS.index(rank_held(cards, 4)),) if groups(cards) == [4, 1] else None


BIG_TWO_KINDS: dict[str, Kind] = {
    "single": big_two_single,
    "pair": big_two_pair,
    "straight": big_two_straight,
    "flush": big_two_flush,
    "full-house": big_two_full_house,
    "straight-flush": big_two_straight_flush,
}

# D2.05 for five cards; H.08 for four; a kind alone in its number of cards has nobody to be compared with.
BIG_TWO_CLASSES = ("two-pair", "quad", "straight", "flush", "full-house", "four-plus-one", "straight-flush")


def big_two_beats(a: Reading, b: Reading) -> bool:
    """D2.12 the same number of cards, higher; D2.05 and H.08 a higher class beats any lower one."""
    if a.size != b.size:
        return False
    if a.kind != b.kind:
        return BIG_TWO_CLASSES.index(a.kind) > BIG_TWO_CLASSES.index(b.kind)
    return higher(a, b)


# Winner: W.03 ranks with the jokers above.

WINNER_RANKS = CLIMBING_RANKS + "BR"
PLACES = "A23456789TJQKA"  # W.09: an ace stands first or last, a 2 second


def winner_rank(card: str) -> int:
    return WINNER_RANKS.index(rank(card))


def winner_suit(card: str, options: Options) -> int:
    """W.03; jokers have no suit; H.10: no suit is above another."""
    if is_joker(card) or not options["suits_ranked"]:
        return 0
    return "DCHS".index(suit(card))


def winner_single(cards: Sequence[str], options: Options) -> Strength | None:
    """W.03: by rank, then by suit."""
    return (winner_rank(cards[0]), winner_suit(cards[0], options)) if len(cards) == 1 else None


def winner_pair(cards: Sequence[str], options: Options) -> Strength | None:
    """W.07: by rank, then by the higher suit. W.12: of jokers only two that are identical."""
    if groups(cards) != [2]:
        return None
    return (winner_rank(cards[0]), max(winner_suit(card, options) for card in cards))


def winner_triplet(cards: Sequence[str], options: Options) -> Strength | None:
    """W.08: by rank alone."""
    return (winner_rank(cards[0]),) if groups(cards) == [3] else None


def winner_full_house(cards: Sequence[str], options: Options) -> Strength | None:
    """W.06, W.08: by the triplet; two ranks; W.12: no jokers."""
    if groups(cards) != [3, 2] or any(is_joker(card) for card in cards):
        return None
    return (WINNER_RANKS.index(rank_held(cards, 3)),)


def winner_four(cards: Sequence[str], options: Options) -> Strength | None:
    """W.08, W.15: by rank alone."""
    return (winner_rank(cards[0]),) if groups(cards) == [4] else None


def winner_four_and_any_card(cards: Sequence[str], options: Options) -> Strength | None:
    """W.13: by the four; W.12: the odd card may be a joker; with two decks also a fifth card of the rank."""
    if groups(cards) not in ([4, 1], [5]):
        return None
    return (WINNER_RANKS.index(rank_held(cards, 4)),)


def first_place(cards: Sequence[str], times: int) -> int | None:
    """W.09: where in the sequence a run with `times` cards of each rank starts (ace low: 1), or `None`.

    All thirteen ranks may start at the ace or at the two; the higher reading counts.
    """
    counts = Counter(rank(card) for card in cards)
    if set(counts.values()) != {times} or any(is_joker(card) for card in cards):
        return None
    length = len(counts)
    for start in reversed(range(len(PLACES) - length + 1)):
        if set(PLACES[start : start + length]) == set(counts):
            return start + 1
    return None


def winner_pair_run(cards: Sequence[str], options: Options) -> Strength | None:
    """W.06 two or more consecutive pairs; W.07 by place, then by the higher suit of the top pair; W.09."""
    start = first_place(cards, 2)
    length = len(cards) // 2
    if start is None or length < 2:
        return None
    top = PLACES[start - 1 + length - 1]
    return (start, max(winner_suit(card, options) for card in cards if rank(card) == top))


def winner_triplet_run(cards: Sequence[str], options: Options) -> Strength | None:
    """W.06 two or more consecutive triplets; W.08 by place; W.09."""
    start = first_place(cards, 3)
    return (start,) if start is not None and len(cards) >= 6 else None


def winner_sequence(cards: Sequence[str], options: Options) -> Strength | None:
    """W.09 how long; W.10 by place, then (unless a full rank is asked for) by the suit of the lowest card."""
    start = first_place(cards, 1)
    shortest = options["min_straight"]
    assert isinstance(shortest, int)
    if start is None or len(cards) < shortest:
        return None
    (lowest,) = [card for card in cards if rank(card) == PLACES[start - 1]]
    return (start,) if options["straight_tie"] == "rank" else (start, winner_suit(lowest, options))


def winner_straight(cards: Sequence[str], options: Options) -> Strength | None:
    """W.09, W.10; in one suit it is a straight flush (W.11)."""
    return None if in_one_suit(cards) else winner_sequence(cards, options)


def winner_straight_flush(cards: Sequence[str], options: Options) -> Strength | None:
    """W.11: as a straight of its length."""
    return winner_sequence(cards, options) if in_one_suit(cards) else None


WINNER_KINDS: dict[str, Kind] = {
    "single": winner_single,
    "pair": winner_pair,
    "pair-run": winner_pair_run,
    "triplet": winner_triplet,
    "triplet-run": winner_triplet_run,
    "full-house": winner_full_house,
    "straight": winner_straight,
    "straight-flush": winner_straight_flush,
}


def winner_beats(a: Reading, b: Reading) -> bool:
    """W.14 a straight flush beats all but those not lower or of another length; W.13 then bombs; W.06 the rest."""
    if a.kind == "straight-flush":
        return b.kind != "straight-flush" or higher(a, b)
    if b.kind == "straight-flush":
        return False
    if a.kind == "bomb":
        return b.kind != "bomb" or higher(a, b)
    return higher(a, b)


def winner_beats_with_fours_as_bombs(a: Reading, b: Reading) -> bool:
    """W.15 a four beats everything but a four that is not lower, and only a higher four beats it."""
    if a.kind == "bomb":
        return b.kind != "bomb" or higher(a, b)
    if b.kind == "bomb":
        return False
    return winner_beats(a, b)
