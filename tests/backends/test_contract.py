"""What backends declare: fields by name, the defaults of all others, and a refusal of everything else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass, make_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from tests.vector.covering import allowed, pairwise

import dasan
from dasan import backends, vector
from dasan.backends import Backend, Purpose
from dasan.ruleset.fields import WORDS
from dasan.ruleset.policies import (
    Auction,
    BidScoring,
    Call,
    CardScoring,
    Ending,
    FixedScoring,
    Guard,
    LaterLead,
    OpeningLead,
    Restart,
)
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import AllJokers, AnyShape, Flush, Groups, Kickers, Run, Same

pytestmark = pytest.mark.full

KNOWN = (
    *(Rules, Auction, Call, OpeningLead, BidScoring, FixedScoring, CardScoring),
    *(Same, Run, Flush, Groups, Kickers, AllJokers),
)
"""`Rules`, and every policy and shape that it can hold."""
DECLARED = [backend for backend in backends.BACKENDS if backend.honours is not None]
EXAMPLES = [
    dasan.rules(preset, **options)
    for preset, options in (
        *((preset, {}) for preset in ("big-three", "big-three-4p", "big-two", "winner", "dou-dizhu")),
        ("big-two", {"scoring": "cards"}),
        ("winner", {"scoring": "cards"}),
    )
]
GOLDEN = Path(__file__).parents[1] / "golden"
ORIGINAL = (
    *("big-three", "big-three-denexa", "big-three-fr", "big-three-4p"),
    *("big-two", "winner", "winner-bomb"),
)
SHAPE_FIELDS = "kind clause family tier power also_beats type"
FIRST_FIELDS = {
    Rules: "name settings players direction decks jokers ranks suits suits_ranked shapes hand_size first_dealer next_dealer "
    "ending scoring clauses citations cut auction call reveal_kitty opening later_lead pass_is_final guard "
    "announce_last_card restart exchange stake_chips show_played show_hands_after left_out",
    Auction: "top suit passing_is_final opener_may_pass must_dig",
    Call: "ranks",
    OpeningLead: "card in_the_lead",
    BidScoring: "type pay_each_winner",
    FixedScoring: "type stake",
    CardScoring: "type tiers unplayed",
    Same: f"{SHAPE_FIELDS} count by_suit",
    Run: f"{SHAPE_FIELDS} copies sequence shortest longest tie crown flush plain",
    Flush: f"{SHAPE_FIELDS} size suit_first",
    Groups: f"{SHAPE_FIELDS} main side any_side by_suit",
}
"""By class, the fields that the first presets were written with."""
FASTEST = {
    "big-three": ("ranks",),
    "big-two": ("cardsets", "regional"),
    "winner": ("patterns",),
    "dou-dizhu": ("kickers",),
}
INTERPRETED = {
    "big-three": {"runs_to"},
    "big-two": {"dragon", "players"},
    "winner": {"pass_is_final", "joker_bomb", "exchange", "bomb", "two_of_spades_restart"},
    "dou-dizhu": set(),
}
"""By game, options whose values other than the default no compiled code plays."""
SOLVED_BY_THE_ENGINE = {
    "big-three": {
        *(
            "auction_rounds",
            "all_pass",
            "bidder_leads",
            "bombs",
            "bomb_doubles",
            "doubling_cap",
            "spring",
            "pack",
        ),
        *("auction_ends_after",),
    },
}
"""By game, further options whose values other than the default no compiled solver knows."""
REGIONAL = (
    *("wa-keng", "wa-keng-4", "dou-dizhu"),
    *("big-two-hong-kong", "big-two-taiwan", "big-two-philippines", "big-two-indonesia"),
)
"""Presets of regions whose every setting compiled code plays."""


def settings(preset: str, usual_only: set[str]) -> Iterator[dict[str, Any]]:
    """The preset, and settings of it in which every two values of two options come together, those of `usual_only` apart."""
    usual = {option.name: option.default for option in dasan.PRESETS[preset].options}
    yield {}
    for setting in pairwise(preset)[0]:
        played = {name: usual[name] if name in usual_only else value for name, value in setting.items()}
        if allowed(preset, played):
            yield played


@pytest.mark.sampled(0, 8)
@pytest.mark.parametrize("preset", [*ORIGINAL, *REGIONAL])
def test_every_setting_of_a_preset_is_compiled(preset: str) -> None:
    family = dasan.PRESETS[preset].family
    for setting in settings(preset, INTERPRETED[family]):
        rules = dasan.rules(preset, **setting)
        for purpose in (Purpose.ENVIRONMENTS, Purpose.WORLDS):
            refusals = [backend.unsupported(rules) for backend in DECLARED if backend.name in FASTEST[family]]
            words = f"{setting}: {refusals}; list what no compiled code plays in INTERPRETED"
            assert backends.choose(rules, purpose).name in FASTEST[family], words
        assert (backends.GPU.unsupported(rules) is None) == (FASTEST[family] == ("ranks",))


@pytest.mark.parametrize("preset", ORIGINAL)
def test_settings_of_the_auction_are_solved_by_compiled_code(preset: str) -> None:
    family = dasan.PRESETS[preset].family
    for setting in settings(preset, INTERPRETED[family] | SOLVED_BY_THE_ENGINE.get(family, set())):
        rules = dasan.rules(preset, **setting)
        assert backends.choose(rules, Purpose.SOLVER).name == ("open-hands" if rules.auction else "endgame")


@pytest.mark.parametrize("preset", dasan.PRESETS)
def test_every_setting_of_a_preset_is_solved(preset: str) -> None:
    for setting in settings(preset, set()):
        assert backends.choose(dasan.rules(preset, **setting), Purpose.SOLVER).name in ("open-hands", "endgame")
    state = dasan.deal(dasan.rules(preset), seed=1)
    assert state.result is not None or not dasan.solve(state, nodes=1).exact


def added(kind: type[Any]) -> type[Any]:
    """The dataclass `kind` with one more field."""
    params = kind.__dataclass_params__
    slots = "__slots__" in kind.__dict__
    return make_dataclass(
        f"More{kind.__name__}",
        [("novelty", bool, False)],
        bases=(kind,),
        frozen=params.frozen,
        slots=slots,
        kw_only=kind in (Same, Run, Flush, Groups, Kickers, AllJokers),
    )


def grown(part: Any, kind: type[Any], **more: bool) -> Any:
    """`part` with every value of `kind` in it, including itself, replaced by one that has one more field, `novelty`."""
    if isinstance(part, tuple):
        return tuple(grown(entry, kind, **more) for entry in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    values = {field.name: grown(getattr(part, field.name), kind, **more) for field in fields(part)}
    return added(kind)(**values, **more) if type(part) is kind else type(part)(**values)


@pytest.mark.parametrize("kind", KNOWN, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("backend", DECLARED, ids=lambda backend: backend.name)
def test_a_field_that_is_added_is_refused_by_name_unless_it_has_its_default(backend: Backend, kind: type[Any]) -> None:
    seen = 0
    for rules in EXAMPLES:
        more = grown(rules, kind, novelty=True)
        if backend.unsupported(rules) is None and more != rules:
            assert backend.unsupported(grown(rules, kind)) is None
            refusal = backend.unsupported(more)
            assert refusal is not None
            assert refusal.endswith("novelty is True, not False")
            seen += 1
    knows = backend.honours is not None and kind in backend.honours
    assert bool(seen) == knows


def test_an_added_field_without_a_default_is_refused_by_name() -> None:
    rules = dasan.rules("big-three")
    more = make_dataclass("More", [("novelty", bool)], bases=(Same,), frozen=True, slots=True, kw_only=True)
    first = {field.name: getattr(rules.shapes[0], field.name) for field in fields(rules.shapes[0])}
    changed = replace(rules, shapes=(more(**first, novelty=True), *rules.shapes[1:]))
    assert backends.RANKS.unsupported(changed) == "shapes[0].novelty is True, and ranks does not know this field"


@pytest.mark.parametrize("backend", DECLARED, ids=lambda backend: backend.name)
def test_only_fields_with_a_default_are_not_declared(backend: Backend) -> None:
    assert backend.honours is not None
    for kind, conditions in backend.honours.items():
        optional = {field.name for field in fields(kind) if field.default is not MISSING}
        named = {field.name for field in fields(kind)}
        assert named - optional - WORDS <= conditions.keys() <= named - WORDS, kind


@pytest.mark.parametrize("preset", ORIGINAL)
def test_every_default_means_as_before(preset: str) -> None:
    """Every later field has a default that leaves the first presets unchanged: their digests are those of their oldest
    records.
    """
    header = json.loads((GOLDEN / f"{preset}.jsonl").read_text().split("\n", 1)[0])
    rules = dasan.rules(preset)
    assert rules.digest == header["rules"]["digest"]
    for part in parts(rules):
        for field in fields(part):
            if field.default is not MISSING and field.name not in (*FIRST_FIELDS[type(part)].split(), *WORDS):
                assert getattr(part, field.name) == field.default, f"{type(part).__name__}.{field.name}"


def parts(value: Any) -> Iterator[Any]:
    """Rules, and the policies and shapes in them."""
    for entry in value if isinstance(value, tuple) else (value,):
        if is_dataclass(entry):
            yield entry
            for field in fields(entry):
                yield from parts(getattr(entry, field.name))


def test_what_a_refusal_says() -> None:
    rules = dasan.rules("big-three")
    for changed, words in (
        ({"ending": Ending.LAST_IN}, "ending is last-in, not first-out"),
        ({"guard": Guard.FOUL}, "guard is foul, not off"),
        ({"players": 5, "hand_size": 10}, "players is 5, not 3 to 4"),
        ({"auction": replace(rules.auction, must_dig=("X" * 50,))}, "auction.must_dig is"),  # type: ignore[type-var]
        ({"shapes": (*rules.shapes[:4], Flush(kind="flush", clause="", size=5))}, "shapes[4] is Flush, which"),
        ({"shapes": tuple(replace(s, family="one") for s in rules.shapes)}, "shapes are two of the same family"),
    ):
        refusal = backends.RANKS.unsupported(replace(rules, **changed))
        assert refusal is not None
        assert refusal.startswith(words)
        assert len(refusal) < 150


def changed(preset: str, **changes: Any) -> Rules:
    return replace(dasan.rules(preset), **changes)


def bombs_of(kind: str) -> tuple[AnyShape, ...]:
    """Big Two's shapes, plays of one kind being bombs."""
    return tuple(replace(shape, power=int(shape.kind == kind)) for shape in dasan.rules("big-two").shapes)


def too_many_sets() -> tuple[AnyShape, ...]:
    """Big Two's shapes with two pairs and full houses by suit, of which the catalogue does not list every set of cards."""
    shapes = dasan.rules("big-two", two_pairs=True).shapes
    return tuple(replace(s, by_suit=True) if isinstance(s, Groups) else s for s in shapes)


SEEN = (
    *[
        (changed(preset, **{name: value}), name)
        for preset in ("big-three", "big-three-4p")
        for name, value in (
            ("ending", Ending.LAST_IN),
            ("pass_is_final", True),
            ("guard", Guard.FOUL),
            ("guard", Guard.ENFORCED),
            ("restart", Restart.ALWAYS),
            ("restart", Restart.WHEN_UNBEATABLE),
            ("scoring", FixedScoring(stake=2)),
            ("scoring", CardScoring()),
            ("jokers", True),
        )
        if (preset, name) != ("big-three-4p", "jokers")
    ],
    *[
        (changed("big-two", **{name: value}), name)
        for name, value in (
            ("suits_ranked", False),
            ("restart", Restart.ALWAYS),
            ("restart", Restart.WHEN_UNBEATABLE),
            ("later_lead", LaterLead.LOSER),
            *(("shapes", bombs_of(kind)) for kind in ("single", "pair")),
            ("shapes", too_many_sets()),
        )
    ],
    *[
        (changed("winner", **{name: value}), name)
        for name, value in (
            ("opening", OpeningLead(card="3D", in_the_lead=True)),
            ("pass_is_final", True),
            ("guard", Guard.FOUL),
            ("guard", Guard.ENFORCED),
        )
    ],
)
"""Rules that compiled code once played as if the value had not been changed, and the field's name."""


@pytest.mark.parametrize(("rules", "name"), SEEN, ids=[f"{r.name} {n} {i}" for i, (r, n) in enumerate(SEEN)])
def test_a_backend_with_wrong_results_is_refused_by_name(rules: Rules, name: str) -> None:
    for purpose in (Purpose.ENVIRONMENTS, Purpose.WORLDS):
        with pytest.raises(ValueError, match=rf"\b{name}[. ]"):
            backends.choose(rules, purpose, "compiled")


@pytest.mark.long
@pytest.mark.parametrize("top", [11, 12])
def test_as_many_bids_and_calls_as_there_are_bits(top: int) -> None:
    """A pass, 11 bids and 52 cards fill the 64 bits; one more has no bit."""
    rules = changed("big-three-4p", auction=Auction(top=top), call=Call(ranks=dasan.rules("big-three-4p").ranks))
    if top == 12:
        assert (backends.RANKS.unsupported(rules) or "").startswith("auction.top is 12")
        return
    env = vector.make(rules, 256, seed=1, mask="packed", backend="compiled")
    last = env.ids.rows - 1
    env.step(np.full(256, top))
    legal = [last in env.legal[i, : env.num_legal[i]] for i in range(256)]
    assert any(legal)
    assert env.packed_mask is not None
    assert (vector.unpack(env.packed_mask, env.num_actions)[:, last].astype(bool) == legal).all()
    for _ in range(20):
        env.step(env.sample())


def test_the_gpu_refuses_before_it_looks_for_one() -> None:
    with pytest.raises(ValueError, match="suits_ranked is True"):
        vector.on_gpu("big-two", 2)


def test_the_compiled_solver_leaves_other_rules_to_the_engine() -> None:
    """Payments that are not bids (the value was half the payment), more than four players, runs of two ranks."""
    rules = dasan.rules("big-three")
    short = tuple(replace(s, shortest=2) if isinstance(s, Run) else s for s in rules.shapes)
    for other, word in (
        (replace(rules, scoring=FixedScoring(stake=2)), "scoring"),
        (replace(rules, players=5, hand_size=10), "players"),
        (replace(rules, players=8, hand_size=6), "players"),
        (replace(rules, shapes=short), r"shapes\[4\].shortest"),
        (replace(rules, shapes=rules.shapes[:3]), "shapes"),
        (replace(rules, ending=Ending.LAST_IN), "ending"),
        (replace(rules, hand_size=15), "hand_size"),
    ):
        assert re.match(word, backends.OPEN_HANDS.unsupported(other) or "")
        assert backends.choose(other, Purpose.SOLVER) is backends.ENDGAME
        assert not dasan.solve(dasan.deal(other, seed=1), nodes=10).exact


def test_choosing() -> None:
    rules = dasan.rules("big-two")
    assert backends.choose(rules, Purpose.ENVIRONMENTS, "engine").name == "engine"
    with pytest.raises(ValueError, match="auto, compiled or engine"):
        backends.choose(rules, Purpose.ENVIRONMENTS, "fast")  # type: ignore[arg-type]
    assert [backend.name for backend, refusal in backends.report(rules) if refusal is None] == [
        "cardsets",
        "regional",
        "engine",
        "endgame",
    ]


@pytest.mark.parametrize("package", ["ranks", "cardsets", "regional", "patterns", "kickers"])
def test_planes_are_checked_by_name_where_tables_are_made(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the order of features differed from the order in which kernels write them, they would be mistaken for each other."""
    env = import_module(f"dasan.kernels.{package}.env")
    rules = dasan.rules(next(preset for preset, names in FASTEST.items() if package in names))
    assert env.tables(rules, False)
    for names in (env.PLANES.replace("hand ", "hands "), env.PLANES.replace("phase hand", "hand phase"), "phase"):
        with monkeypatch.context() as change:
            change.setattr(env, "PLANES", names)
            with pytest.raises(ValueError, match=r"features are laid out as phase hand .*, and written as"):
                env.tables(rules, False)
    monkeypatch.setattr(env, "HIDDEN", f"{env.HIDDEN} deck")
    with pytest.raises(ValueError, match="features are laid out as hands"):
        env.tables(rules, False)


def test_ids_that_do_not_fit_are_refused_where_tables_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    from dasan.kernels.cardsets import env
    from dasan.kernels.env import optional_outputs

    monkeypatch.setattr(optional_outputs, "MOST_IDS", 1_000)
    with pytest.raises(ValueError, match="there are more than 1000 action ids"):
        env.tables(dasan.rules("big-two"), False)


def with_many_ids() -> Rules:
    """Dou Dizhu's rules with more plays than compiled code has ids for, though a hand has few of them at once."""
    rules = dasan.rules("dou-dizhu", kickers="distinct", joker_kickers=True)
    single, *others = (shape for shape in rules.shapes if not isinstance(shape, Kickers))
    kickers = next(shape for shape in rules.shapes if isinstance(shape, Kickers) and shape.copies == 3)
    more = (
        replace(kickers, kind=kind, copies=copies, shortest=groups, longest=groups, sides=sides)
        for kind, copies, groups, sides in (("two-fours", 4, 2, 3), ("three-fours", 4, 3, 2), ("five-triplets", 3, 5, 1))
    )
    return replace(rules, shapes=(single, *more, *others))


def test_rules_with_more_ids_than_compiled_code_has_are_played_by_the_engine() -> None:
    rules = with_many_ids()
    assert re.match(r"shapes take 33\d\d\d action ids, not at most 32767", backends.KICKERS.unsupported(rules) or "")
    for purpose in (Purpose.ENVIRONMENTS, Purpose.WORLDS, Purpose.ENDGAME):
        assert not backends.choose(rules, purpose).compiled
    env = vector.make(rules, 1)
    env.step(env.sample())
    assert env.legal.dtype == np.int32
    state = dasan.start(rules, ["3H 4H 5S", "3D 5D", "3C 4C"], bidder=0, leader=0)
    assert dasan.solve(state).value == -2


def test_descriptive_fields_do_not_affect_the_backend() -> None:
    """One digest, one backend: a field that only words a refusal changes neither."""
    rules = dasan.rules("big-three")
    worded = replace(rules, excluded=(Flush(kind="flush", clause="H.09", size=5),))
    assert worded.digest == rules.digest
    for purpose in Purpose:
        assert backends.choose(worded, purpose) is backends.choose(rules, purpose)


def test_payments_beyond_32_bits_are_refused_before_a_hand() -> None:
    single, *others = dasan.rules("big-three", bombs=True, bomb_doubles=True).shapes
    rules = replace(dasan.rules("big-three", bombs=True, bomb_doubles=True), shapes=(replace(single, power=1), *others))
    for backend in get_args(backends.Wanted):
        with pytest.raises(ValueError, match="most_doublings is 0, not a limit where bombs have 1 cards"):
            vector.make(rules, 2, backend=backend)


@pytest.mark.parametrize(("price", "fits"), [(80_659, True), (80_660, False)])
def test_payments_that_twos_double_beyond_32_bits_are_refused_before_a_hand(price: int, fits: bool) -> None:
    """H.29 with two packs: a seat can hold eight twos."""
    scoring = CardScoring(tiers=((1, price),), twos_double=True)
    rules = replace(dasan.rules("winner", decks=2), scoring=scoring)
    if fits:
        assert vector.make(rules, 1).backend == "engine"
        return
    with pytest.raises(ValueError, match=r"scoring\.twos_double is True, too much where 8 twos double 80660 a card"):
        vector.make(rules, 1)
