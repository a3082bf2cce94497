"""Fair deals: the hash that makes the seed, the stream, the shuffle, and the arithmetic behind them."""

from __future__ import annotations

import hashlib
import hmac
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations
from math import factorial, log2, sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dasan
from dasan.cards import pack
from dasan.play.dealing import deal_hand
from dasan.play.fairness import (
    MAX_CONTRIBUTIONS,
    MAX_TEXT_BYTES,
    SECRET_BYTES,
    SEED_BYTES,
    Stream,
    commitment,
    deal_seed,
    local_seed,
    new_secret,
    shuffle,
)

SECRET = bytes(range(SECRET_BYTES))
DOCS = Path(__file__).parents[2] / "docs" / "guide" / "fairness.md"

secrets_ = st.binary(min_size=SECRET_BYTES, max_size=SECRET_BYTES)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=MAX_TEXT_BYTES // 4)
contributions_ = st.lists(texts, max_size=MAX_CONTRIBUTIONS)
numbers = st.integers(0, 2**64 - 1)


def chi_square(counts: Sequence[int]) -> float:
    """The chi-square statistic's excess over its expectation for equal chances, in standard deviations."""
    expected, free = sum(counts) / len(counts), len(counts) - 1
    return (sum((n - expected) ** 2 for n in counts) / expected - free) / sqrt(2 * free)


def test_secrets_are_long_and_never_the_same() -> None:
    made = {new_secret() for _ in range(100)}
    assert len(made) == 100
    assert {len(secret) for secret in made} == {SECRET_BYTES}


def test_a_commitment_is_the_plain_sha_256_of_the_secret() -> None:
    assert commitment(SECRET) == "471fb943aa23c511f6f72f8d1652d9c880cfa392ad80503120547703e56a2be5"
    assert commitment(SECRET) == hashlib.sha256(SECRET).hexdigest()


def test_vectors() -> None:
    """Pinned: a change would break existing records."""
    seed = deal_seed(SECRET, ["tea", "", "大三"], "5f" * 32, 3)
    digests = [
        hashlib.sha256(made).hexdigest()[:16] for made in (seed, local_seed(7, "deal", 1), local_seed(b"7", "", 0))
    ]
    assert digests == ["c000a6c5904040ef", "1d5792421c6ba7b5", "af4d5f28bfb30e24"]
    stream = Stream(seed)
    assert [stream.below(n) for n in (1, 2, 3, 256, 257, 10**30)] == [0, 0, 1, 171, 48, 646992210694768326546522153067]
    assert " ".join(map(str, shuffle(seed, pack())[:13])) == "7H 8H AC 4S AH 7D AS 5S 9H 4C 5C JD 9D"


def test_every_input_changes_the_seed_and_parts_never_run_together() -> None:
    other = bytes([1, *SECRET[1:]])
    seeds = [
        deal_seed(SECRET, ["ab", "c"], "d1", 1),
        deal_seed(other, ["ab", "c"], "d1", 1),
        deal_seed(SECRET, ["a", "bc"], "d1", 1),
        deal_seed(SECRET, ["abc"], "d1", 1),
        deal_seed(SECRET, ["c", "ab"], "d1", 1),
        deal_seed(SECRET, ["ab", "c", ""], "d1", 1),
        deal_seed(SECRET, ["", "ab", "c"], "d1", 1),
        deal_seed(SECRET, [], "d1", 1),
        deal_seed(SECRET, ["ab", "c"], "d1a", 1),
        deal_seed(SECRET, ["b", "c"], "d1a", 1),
        deal_seed(SECRET, ["ab", "c"], "d2", 1),
        deal_seed(SECRET, ["ab", "c"], "d1", 2),
        local_seed(SECRET, "d1", 1),
        local_seed(7, "deal", 1),
        local_seed(-7, "deal", 1),
        local_seed(b"7", "deal", 1),
        local_seed(7, "deal", 2),
        local_seed(7, "draw", 1),
        local_seed(7, "deal1", 1),
    ]
    assert len(set(seeds)) == len(seeds)
    assert {len(seed) for seed in seeds} == {SEED_BYTES}
    halves = [half for seed in seeds for half in (seed[:64], seed[64:])]
    assert len(set(halves)) == len(halves), "both halves depend on every input"


@given(secrets_, contributions_, texts, numbers)
def test_the_seed_is_a_function_of_its_inputs(secret: bytes, given: list[str], digest: str, hand: int) -> None:
    seed = deal_seed(secret, given, digest, hand)
    assert seed == deal_seed(bytes(bytearray(secret)), tuple(given), digest, hand)
    assert len(seed) == SEED_BYTES


@given(st.integers(0, SECRET_BYTES * 8 - 1))
def test_every_bit_of_the_secret_counts(bit: int) -> None:
    """Flipping one bit of the secret changes about half of the seed's 1,024 bits (512 ± 16)."""
    flipped = (int.from_bytes(SECRET, "big") ^ (1 << bit)).to_bytes(SECRET_BYTES, "big")
    seeds = [int.from_bytes(deal_seed(secret, [], "d", 1), "big") for secret in (SECRET, flipped)]
    assert 400 < (seeds[0] ^ seeds[1]).bit_count() < 624


@pytest.mark.parametrize(
    ("make", "says"),
    [
        pytest.param(lambda: deal_seed(SECRET[:-1], [], "d", 1), "a secret has 128 bytes, not 127", id="short secret"),
        pytest.param(lambda: deal_seed(b"", [], "d", 1), "not 0", id="no secret"),
        pytest.param(
            lambda: deal_seed(SECRET, ["x" * 257], "d", 1),
            "a contribution has at most 256 bytes",
            id="long contribution",
        ),
        pytest.param(
            lambda: deal_seed(SECRET, ["三" * 86], "d", 1),
            "a contribution has at most 256 bytes",
            id="long in bytes only",
        ),
        pytest.param(
            lambda: deal_seed(SECRET, ["x" * 50_000_000], "d", 1),
            "a contribution has at most 256 bytes",
            id="huge contribution",
        ),
        pytest.param(lambda: deal_seed(SECRET, ["\ud800"], "d", 1), "surrogates not allowed", id="lone surrogate"),
        pytest.param(lambda: deal_seed(SECRET, [""] * 17, "d", 1), "at most 16 contributions, not 17", id="too many"),
        pytest.param(lambda: deal_seed(SECRET, "abc", "d", 1), "not one string", id="one string"),
        pytest.param(
            lambda: deal_seed(SECRET, [], "d" * 257, 1), "the rules digest has at most 256 bytes", id="long digest"
        ),
        pytest.param(lambda: deal_seed(SECRET, [], "d", -1), "the number of the hand is between", id="negative hand"),
        pytest.param(lambda: deal_seed(SECRET, [], "d", 2**64), "the number of the hand is between", id="huge hand"),
        pytest.param(lambda: local_seed(1, "x" * 257, 1), "a label has at most 256 bytes", id="long label"),
        pytest.param(lambda: local_seed(1, "x", -1), "the number is between", id="negative number"),
        pytest.param(lambda: Stream(b"too short"), "a seed has 128 bytes, not 9", id="short seed"),
        pytest.param(lambda: Stream(bytes(SEED_BYTES + 1)), "not 129", id="long seed"),
        pytest.param(lambda: Stream(bytes(SEED_BYTES)).below(0), "no number from 0 to -1", id="below zero"),
        pytest.param(lambda: Stream(bytes(SEED_BYTES)).below(-5), "no number from 0 to -6", id="below a negative"),
        pytest.param(lambda: Stream(bytes(SEED_BYTES)).bytes(-1), "cannot take -1 bytes", id="negative length"),
    ],
)
def test_hostile_input_is_a_value_error(make: Callable[[], object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make()


def test_limits_are_inclusive() -> None:
    longest = ["三" * 85 + "x"] * MAX_CONTRIBUTIONS
    assert len(longest[0].encode()) == MAX_TEXT_BYTES
    assert len(deal_seed(SECRET, longest, "d" * MAX_TEXT_BYTES, 2**64 - 1)) == SEED_BYTES
    assert len(local_seed(-(10**10_000), "huge integers are welcome", 0)) == SEED_BYTES


@pytest.mark.parametrize(
    ("decks", "jokers", "bits"), [(1, False, 225.58), (1, True, 237.06), (2, False, 499.48), (2, True, 524.42)]
)
def test_there_are_more_secrets_and_seeds_than_decks(decks: int, jokers: bool, bits: float) -> None:
    cards = pack(decks, jokers)
    orders = factorial(len(cards))
    for same in Counter(cards).values():
        orders //= factorial(same)
    assert log2(orders) == pytest.approx(bits, abs=0.005)
    assert (orders > 2**512) == (decks == 2 and jokers), "a single SHA-512 would not do for two packs with jokers"
    assert orders < 2 ** (8 * min(SECRET_BYTES, SEED_BYTES))


def test_the_stream_reads_the_whole_seed_and_the_counter_first() -> None:
    """A 128-byte HMAC key would be hashed to 32 bytes, and a counter at the end would let only 512 bits through."""
    seed = local_seed(7, "stream", 0)
    blocks = [Stream(seed).bytes(32 * (i + 1))[32 * i :] for i in range(3)]
    assert blocks == [hmac.digest(seed[:64], i.to_bytes(8, "big") + seed[64:], "sha256") for i in range(3)]
    assert blocks[0] != hmac.digest(seed, bytes(8), "sha256")
    for place in range(SEED_BYTES):
        changed = bytearray(seed)
        changed[place] ^= 1
        assert Stream(bytes(changed)).bytes(32) != blocks[0]


@given(secrets_, st.lists(st.integers(0, 100), max_size=8))
def test_bytes_do_not_depend_on_how_they_are_taken(seed: bytes, lengths: list[int]) -> None:
    stream = Stream(seed)
    assert b"".join(stream.bytes(n) for n in lengths) == Stream(seed).bytes(sum(lengths))


class Dial(Stream):
    """A stream that returns given numbers, each in as many bytes as requested."""

    def __init__(self, *values: int) -> None:
        super().__init__(bytes(SEED_BYTES))
        self._values = iter(values)

    def bytes(self, n: int) -> Any:
        return next(self._values).to_bytes(n, "big")


@pytest.mark.parametrize("n", [2, 3, 5, 6, 7, 13, 52, 54, 104, 108, 127, 128, 129, 200, 255, 256])
def test_below_is_exactly_uniform_over_one_byte(n: int) -> None:
    """Every byte value is either rejected or gives one of 0..n-1, each of them equally often."""
    marker = 0  # never rejected, so it ends a second try; where it is left over, the first try was taken
    counts: Counter[int] = Counter()
    for value in range(256):
        dial = Dial(value, marker)
        number = dial.below(n)
        if next(dial._values, None) == marker:
            counts[number] += 1
    assert sorted(counts) == list(range(n))
    assert len(set(counts.values())) == 1
    assert 2 * counts.total() > 256, "on average fewer than two tries"


@pytest.mark.parametrize(("n", "size", "rejected"), [(257, 2, 257), (1000, 2, 1023), (65537, 3, 2**17 - 1)])
def test_below_keeps_the_low_bits_of_the_fewest_bytes(n: int, size: int, rejected: int) -> None:
    high = 1 << (8 * size - 1)
    assert Dial(high + rejected, high + n - 1).below(n) == n - 1
    stream = Stream(SECRET)
    while int.from_bytes(stream.bytes(size), "big") % (1 << (n - 1).bit_length()) >= n:
        pass
    reader = Stream(SECRET)
    reader.below(n)
    assert reader.bytes(8) == stream.bytes(8)


def test_below_one_is_zero_and_takes_nothing() -> None:
    stream = Stream(SECRET)
    assert stream.below(1) == 0
    assert stream.bytes(32) == Stream(SECRET).bytes(32)


@given(secrets_, st.integers(1, 2**200))
def test_below_is_in_range(seed: bytes, n: int) -> None:
    assert 0 <= Stream(seed).below(n) < n


@pytest.mark.parametrize("n", [2, 3, 6, 52, 100, 256, 257])
def test_below_looks_uniform(n: int) -> None:
    stream = Stream(local_seed(2024, "below", n))
    counts = Counter(stream.below(n) for _ in range(20_000))
    assert abs(chi_square([counts[i] for i in range(n)])) < 4


def test_the_test_of_uniformity_sees_a_modulo_bias() -> None:
    stream = Stream(local_seed(2024, "biased", 0))
    counts = Counter(stream.bytes(1)[0] % 100 for _ in range(20_000))
    assert chi_square([counts[i] for i in range(100)]) > 20


@given(secrets_, st.lists(st.integers(0, 20), max_size=120))
def test_a_shuffle_loses_and_adds_no_card(seed: bytes, cards: list[int]) -> None:
    before = list(cards)
    assert Counter(shuffle(seed, cards)) == Counter(cards)
    assert shuffle(seed, cards) == shuffle(Stream(seed), tuple(cards))
    assert cards == before


def test_a_shuffle_reads_a_stream_on() -> None:
    stream = Stream(SECRET)
    first, second = shuffle(stream, pack()), shuffle(stream, pack())
    assert first == shuffle(SECRET, pack())
    assert first != second


def test_each_choice_of_the_shuffle_gives_another_order() -> None:
    """For four cards the 4 · 3 · 2 equally likely choices reach each of the 24 orders exactly once."""
    reached = [shuffle(Dial(a, b, c), "abcd") for a in range(4) for b in range(3) for c in range(2)]
    assert sorted(reached) == sorted(permutations("abcd"))
    assert shuffle(Dial(0, 0, 0), "abcd") == tuple("abcd")
    assert shuffle(Dial(3, 0, 1), "abcd") == tuple("dbac")


@pytest.mark.parametrize("cards", ["", "a"])
def test_nothing_to_shuffle(cards: str) -> None:
    assert shuffle(SECRET, cards) == tuple(cards)


def test_all_orders_look_equally_likely() -> None:
    counts = Counter(shuffle(local_seed(1, "orders", i), "abcd") for i in range(12_000))
    assert abs(chi_square([counts[order] for order in permutations("abcd")])) < 4


def test_every_card_is_found_equally_often_at_every_place() -> None:
    stream, deals = Stream(local_seed(2, "places", 0)), 1_000
    counts = Counter(at for _ in range(deals) for at in enumerate(shuffle(stream, range(52))))
    assert abs(chi_square([counts[place, card] for place in range(52) for card in range(52)])) < 4


@cache
def script() -> str:
    """The stand-alone program of the page: the only block of Python in it that imports hashlib."""
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    (programs,) = (block for block in blocks if "import hashlib" in block)
    return str(programs)


@cache
def defined_by_the_script() -> dict[str, Any]:
    names: dict[str, Any] = {"print": lambda *_, **__: None}
    exec(compile(script(), str(DOCS), "exec"), names)
    return names


def test_the_script_in_the_docs_stands_alone_is_short_and_prints_what_the_page_says() -> None:
    assert re.findall(r"^(?:import|from) (\S+)", script(), re.MULTILINE) == ["hashlib", "hmac"]
    assert sum(bool(line.strip()) for line in script().splitlines()) <= 42
    command = [sys.executable, "-I", "-X", "utf8", "-c", script()]
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True, timeout=60)
    assert ran.stdout.startswith("commitment kept\n")
    assert f"```text\n{ran.stdout}```" in DOCS.read_text("utf-8")


def test_the_vectors_in_the_docs_are_right() -> None:
    page, names = DOCS.read_text("utf-8"), defined_by_the_script()
    seed = deal_seed(SECRET, names["CONTRIBUTIONS"], names["DIGEST"], names["HAND"])
    assert f"The seed begins with `{seed[:16].hex()}` and ends with `{seed[-16:].hex()}`" in page
    assert f"`{Stream(seed).bytes(16).hex()}`" in page
    deck = list(map(str, shuffle(seed, pack())))
    assert f"```text\n{' '.join(deck[:26])}\n{' '.join(deck[26:])}\n```" in page


@given(secrets_, contributions_, texts, numbers)
def test_the_script_in_the_docs_makes_the_same_seed(secret: bytes, given: list[str], digest: str, hand: int) -> None:
    assert defined_by_the_script()["deal_seed"](secret, given, digest, hand) == deal_seed(secret, given, digest, hand)


@pytest.mark.parametrize(
    ("preset", "options"),
    [
        ("big-three", {}),
        ("big-three-denexa", {}),
        ("big-three-4p", {}),
        ("big-three", {"pack": "46"}),
        ("big-two", {}),
        ("big-two", {"players": 2}),
        ("winner", {"players": 3, "jokers": True}),
        ("winner", {"players": 7, "decks": 2, "jokers": True}),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
@given(seed=secrets_, data=st.data())
def test_the_script_in_the_docs_deals_the_same_hands(
    preset: str, options: dict[str, Any], seed: bytes, data: st.DataObject
) -> None:
    names, rules = defined_by_the_script(), dasan.rules(preset, **options)
    dealer = data.draw(st.integers(0, rules.players - 1))
    left_out = {str(c) for c in pack(rules.decks, rules.jokers)} - {str(c) for c in rules.pack}
    fresh = names["fresh_pack"](rules.decks, rules.jokers, left_out)
    cut, *dealt = names["deal"](seed, fresh, rules.players, dealer, rules.hand_size, rules.cut)
    hand = deal_hand(rules, seed, number=1, dealer=dealer)
    assert cut == (hand.cut or 0)
    assert [sorted(cards.split()) for cards in dealt] == [sorted(map(str, cards)) for cards in (*hand.hands, hand.kitty)]
