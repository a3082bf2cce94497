"""A naive second implementation of the combinations of Dou Dizhu and of the house rules from H.14 on.

Written from the clauses, and sharing nothing with the engine: a set of cards is tried as every kind, each kicker as every kicker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .classify import (
    BIG_THREE_RANKS,
    CLIMBING_RANKS,
    Options,
    Reading,
    big_two_flush,
    big_two_four_plus_one,
    big_two_full_house,
    big_two_pair,
    big_two_single,
    big_two_straight,
    big_two_straight_flush,
    groups,
    higher,
    in_one_suit,
    is_joker,
    rank,
)

DOU_DIZHU_RANKS = "3456789TJQKA2BR"
DOU_DIZHU_RUN = "3456789TJQKA"


def consecutive(letters: Sequence[str], sequence: str) -> int | None:
    """The place of the lowest of these ranks, which follow one another in the sequence; None if they do not."""
    if not letters or not set(letters) <= set(sequence):
        return None
    places = sorted(sequence.index(letter) for letter in letters)
    return places[0] if places == list(range(places[0], places[0] + len(places))) else None


def run(cards: Sequence[str], times: int, shortest: int, sequence: str) -> int | None:
    """The place of a run with `times` cards of each of `shortest` or more ranks."""
    counts = Counter(map(rank, cards))
    if set(counts.values()) != {times} or len(counts) < shortest:
        return None
    return consecutive(list(counts), sequence)


def dou_dizhu(cards: Sequence[str], options: Options) -> Reading | None:
    """DD.04, DD.05: of several readings a run of triplets, else the one with the highest triplets."""
    readings = list(dou_dizhu_readings(cards, options))
    runs = [reading for reading in readings if reading.kind == "triplet-run"]
    return max(runs or readings, key=lambda reading: reading.strength, default=None)


def dou_dizhu_readings(cards: Sequence[str], options: Options) -> Iterator[Reading]:
    n, form = len(cards), groups(cards)
    place = DOU_DIZHU_RANKS.index(rank(cards[0]))
    if sorted(cards) == ["BJ", "RJ"]:
        yield Reading("rocket", 2, (0,))
        return
    for kind, size in (("single", 1), ("pair", 2), ("triplet", 3), ("bomb", 4)):
        if form == [size]:
            yield Reading(kind, n, (place,))
    for kind, times, shortest in (("straight", 1, 5), ("pair-run", 2, 3), ("triplet-run", 3, 2)):
        start = run(cards, times, shortest, DOU_DIZHU_RUN)
        if start is not None:
            yield Reading(kind, n, (start,))
    counts = Counter(map(rank, cards))
    for main in mains(counts, 3):
        start = DOU_DIZHU_RANKS.index(main[0])
        for side, word in ((1, "single"), (2, "pair")):
            if kickers(counts, main, len(main), side, options):
                kind = f"triplet-with-{word}" if len(main) == 1 else f"plane-with-{word}s"
                yield Reading(kind, n, (start,))
    for main in mains(counts, 4):
        for side, word in ((1, "singles"), (2, "pairs")):
            if len(main) == 1 and kickers(counts, main, 2, side, options):
                yield Reading(f"four-with-{word}", n, (DOU_DIZHU_RANKS.index(main[0]),))


def mains(counts: Counter[str], times: int) -> Iterator[list[str]]:
    """Every row of consecutive ranks held exactly `times`; a row of one may be of twos."""
    held = [letter for letter in DOU_DIZHU_RANKS if counts[letter] == times]
    for first in range(len(held)):
        for last in range(first + 1, len(held) + 1):
            row = held[first:last]
            if len(row) == 1 or consecutive(row, DOU_DIZHU_RUN) is not None:
                yield row


def kickers(counts: Counter[str], main: list[str], wanted: int, side: int, options: Options) -> bool:
    """Whether all other cards are `wanted` kickers of `side` cards (DD.05)."""
    rest = [letter for letter in counts.elements() if letter not in main]
    if len(rest) != wanted * side:
        return False
    if side == 2:
        return all(counts[letter] == 2 for letter in rest) and not set(rest) & set("BR")
    if options.get("kickers") == "distinct" and len(set(rest)) < len(rest):
        return False
    return bool(options.get("joker_kickers")) or not set("BR") <= set(rest)


def dou_dizhu_beats(a: Reading, b: Reading) -> bool:
    """DD.06."""
    if "rocket" in (a.kind, b.kind):
        return a.kind == "rocket"
    if a.kind == "bomb":
        return b.kind != "bomb" or higher(a, b)
    return higher(a, b)


def big_three(cards: Sequence[str], options: Options) -> Reading | None:
    """B3.13, H.17, H.18."""
    form = groups(cards)
    if len(form) == 1 and form[0] <= 4:
        kind = ("single", "pair", "triplet", "quad")[form[0] - 1]
        return Reading(kind, len(cards), (BIG_THREE_RANKS.index(rank(cards[0])),))
    sequence = "456789TJQKA" if options.get("runs_to") == "ace" else "456789TJQK"
    kinds = ("straight", "pair-run", "triplet-run", "quad-run")
    for times, kind in enumerate(kinds[: 2 if options.get("runs") == "singles-and-pairs" else 4], 1):
        start = run(cards, times, 3, sequence)
        if start is not None:
            return Reading(kind, len(cards), (start,))
    return None


def big_three_beats(a: Reading, b: Reading, options: Options) -> bool:
    """B3.15, H.14."""
    if options.get("bombs") and a.kind == "quad":
        return b.kind != "quad" or higher(a, b)
    return higher(a, b)


def big_two(cards: Sequence[str], options: Options) -> Reading | None:
    """D2.03 to D2.10 and H.22; options: those of `classify`."""
    if len(cards) == 3 and groups(cards) == [3] and options["triples"]:
        return Reading("triplet", 3, (CLIMBING_RANKS.index(rank(cards[0])),))
    kinds = {
        "single": big_two_single,
        "pair": big_two_pair,
        "straight": big_two_straight,
        "full-house": big_two_full_house,
        "four-plus-one": big_two_four_plus_one,
        "straight-flush": big_two_straight_flush,
        "flush": big_two_flush,
    }
    if not options["flushes"]:
        del kinds["flush"]
    for kind, recognise in kinds.items():
        strength = recognise(cards, options)
        if strength is not None:
            return Reading(kind, len(cards), strength)
    return None


CLASSES = ("straight", "flush", "full-house", "four-plus-one", "straight-flush")


def big_two_beats(a: Reading, b: Reading, options: Options) -> bool:
    """D2.05, D2.12, H.23, H.24."""
    strong = ("four-plus-one", "straight-flush")
    if a.kind == b.kind:
        return higher(a, b)
    if a.kind in strong and b.kind in strong:
        return a.kind == "straight-flush"
    if a.kind in strong:
        return bool(options["bombs"]) or b.size == 5
    if b.kind in strong or a.size != b.size or options["five_card_order"] == "own-kind":
        return False
    return CLASSES.index(a.kind) > CLASSES.index(b.kind)


def winner(cards: Sequence[str], options: Options) -> Reading | None:
    """W.06 to W.12 without an order of suits, and H.35 to H.39 and H.41."""
    form, n, decks = groups(cards), len(cards), int(options["decks"])
    jokers = sum(map(is_joker, cards))
    place = (CLIMBING_RANKS + "BR").index(rank(cards[0]))
    if options["joker_bomb"] and jokers == n == 2 * decks:
        return Reading("joker-bomb", n, (0,))
    for kind, size in (("single", 1), ("pair", 2), ("triplet", 3)):
        if form == [size] and (not jokers or size <= decks):
            return Reading(kind, n, (place,))
    if len(form) == 1 and n >= 4 and not jokers:
        if options["bomb"] == "any-size":
            return Reading("bomb", n, (place,))
        if options["bomb"] == "quad":
            return Reading("bomb", n, (place,)) if n == 4 else None
        if n == 4:
            return Reading("quad", n, (place,))
    if options["bomb"] == "quad-plus-one" and form in ([4, 1], [5]):
        four = next(letter for letter, count in Counter(map(rank, cards)).items() if count >= 4)
        return Reading("bomb", n, (CLIMBING_RANKS.index(four),))
    if jokers:
        return None
    if form == [3, 2]:
        three = next(letter for letter, count in Counter(map(rank, cards)).items() if count == 3)
        return Reading("full-house", n, (CLIMBING_RANKS.index(three),)) if options["full_houses"] else None
    rows = ("A23456789TJQK", "23456789TJQKA") if options["twos_in_runs"] else ("3456789TJQKA",)
    for times, kind, shortest in (
        (1, "straight", int(options["min_straight"])),
        (2, "pair-run", int(options["min_pair_run"])),
        (3, "triplet-run", int(options["min_triplet_run"])),
    ):
        for number, row in reversed(list(enumerate(rows))):
            start = run(cards, times, shortest, row)
            if start is not None:
                flush = times == 1 and options["straight_flushes"] and in_one_suit(cards)
                return Reading("straight-flush" if flush else kind, n, (start + number,))
    return None


def winner_beats(a: Reading, b: Reading, options: Options) -> bool:
    """W.13 to W.15, H.37, H.38."""
    if "joker-bomb" in (a.kind, b.kind):
        return a.kind == "joker-bomb" and b.kind != "joker-bomb"
    above = {"quad-plus-one": ("bomb", "straight-flush")}.get(str(options["bomb"]), ("straight-flush", "bomb"))
    level = {kind: i for i, kind in enumerate(above, 1)}
    if level.get(a.kind, 0) != level.get(b.kind, 0):
        return level.get(a.kind, 0) > level.get(b.kind, 0)
    if a.kind == b.kind == "bomb" and a.size != b.size:
        return options["bomb"] == "any-size" and a.size > b.size
    return higher(a, b)
