"""`view.describe()`: complete in four languages, and silent about cards that the seat may not see (G.02)."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from string import Formatter

import pytest
from tests.playing import fill

import dasan
from dasan.cards import Card
from dasan.ruleset.clauses import LANGUAGES, load
from dasan.text.description import messages

TITLES = {f"title.{preset}" for preset in dasan.PRESETS}
"""The keys of presets' titles; the English title is the preset's own."""
CARD = re.compile(r"\b(?:[2-9TJQKA][DCHS]|BJ|RJ)\b")


def page_of(language: str) -> dict[str, str]:
    path = Path(__file__).parents[2] / "web" / "src" / "i18n" / f"{language}.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def fields_of(sentence: str) -> set[str | None]:
    return {field for _, field, _, _ in Formatter().parse(sentence)} - {None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_say_the_same(language: str) -> None:
    english = messages("en")
    other = {key: text for key, text in messages(language).items() if key not in TITLES}
    assert other.keys() == english.keys()
    assert {key: fields_of(text) for key, text in other.items()} == {k: fields_of(text) for k, text in english.items()}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", sorted(dasan.PRESETS))
def test_every_kind_has_a_name(preset: str, language: str) -> None:
    kinds = {shape.kind for shape in dasan.rules(preset).shapes}
    assert {kind for kind in kinds if f"kind.{kind}" not in messages(language)} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_games_have_the_names_of_the_page(language: str) -> None:
    page = page_of(language)
    for preset in dasan.PRESETS.values():
        name = preset.title if language == "en" else page[f"preset.{preset.name}"]
        assert name in dasan.deal(preset.rules({}), seed=1).view(0).describe(language).splitlines()[0]
    own = replace(dasan.rules("big-two"), left_out_cards="3C 4C 5C 6C", hand_size=12, settings=(), name="own")
    known = messages(language).get("title.big-two", dasan.PRESETS["big-two"].title)
    said = messages(language)["title.own"].format(game=known)
    assert said in dasan.deal(own, seed=1).view(0).describe(language)


@pytest.mark.parametrize("language", ["zh-Hans", "zh-Hant"])
def test_plays_have_the_names_of_the_page_and_of_the_rules(language: str) -> None:
    """In Chinese a kind has one name, without an article or a plural."""
    words, clauses, page = messages(language), load(language), page_of(language)
    named = {key: text for key, text in words.items() if key.startswith("kind.")}
    bare = {f"kind.{kind.removeprefix('kind.bare.')}": text for kind, text in page.items() if "kind.bare." in kind}
    assert bare.items() <= named.items()
    for preset, clause in (("big-three", "B3.13"), ("winner", "W.06")):
        kinds = {shape.kind for shape in dasan.rules(preset).shapes}
        assert {kind for kind in kinds if bare[f"kind.{kind}"] not in clauses[clause].text} == set()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("preset", sorted(dasan.PRESETS))
def test_a_description_shows_the_cards_that_the_view_shows(preset: str) -> None:
    """At every ply of three hands, for every seat and for a spectator, in languages that alternate from ply to ply."""
    source = random.Random(preset)
    for seed in range(3):
        session = dasan.session(dasan.rules(preset), seed=seed)
        ply = 0
        while True:
            state = session.state
            for seat in (None, *range(state.rules.players)):
                check(state.view(seat), LANGUAGES[ply % len(LANGUAGES)])
            if state.phase is dasan.Phase.OVER:
                break
            session = session.play(source.choice(state.legal_moves()))
            ply += 1


def check(view: dasan.View, language: str) -> None:
    lines = view.describe(language).splitlines()
    words = messages(language)
    for key, (holds, fields) in facts(view).items():
        assert (words[key].format(**fields) in lines) is holds, key
    explained = words["cards"]
    named = set(CARD.findall("\n".join(line for line in lines if line != explained)))
    assert named <= {str(card) for card in public_or_own(view)}
    assert {str(card) for card in view.hand} <= named
    numbered = [line for line in lines if re.match(r"\d+\. ", line)]
    assert len(numbered) == len(view.legal_moves())
    for line, move in zip(numbered, view.legal_moves(), strict=True):
        assert set(CARD.findall(line)) == {str(card) for card in move.cards}


def facts(view: dasan.View) -> dict[str, tuple[bool, dict[str, object]]]:
    """By key, whether a sentence belongs into the description of a view, and what it names."""
    seat, result, bidding, playing = view.seat, view.result, view.phase == "auction", view.phase == "play"
    last, moves = view.rules.players - 1, bool(view.legal_moves())
    return {
        "you": (seat is not None, {"seat": seat, "last": last}),
        "spectator": (seat is None, {"last": last}),
        "dealer": (True, {"seat": view.dealer}),
        "log": (bool(view.events), {}),
        "bid.none": (bidding and view.bid is None, {}),
        "bidder": (bidding and view.bid is not None, {"bid": view.bid, "seat": view.bidder}),
        "called": (view.called is not None, {"card": view.called}),
        "partner": (view.called is not None and view.partner is not None, {"seat": view.partner}),
        "partner.unknown": (view.called is not None and view.partner is None, {}),
        "table.none": (playing and view.table is None, {}),
        "hand": (bool(view.hand), {"cards": " ".join(map(str, view.hand))}),
        "hand.none": (seat is not None and not view.hand, {}),
        "must_include": (view.must_include is not None, {"card": view.must_include}),
        "your_turn": (moves, {}),
        "to_act": (view.to_act is not None and not moves, {"seat": view.to_act}),
        "void": (result is not None and not result.winners, {}),
    }


def public_or_own(view: dasan.View) -> set[Card]:
    """Every card in the view, and those of its legal moves: a call names a card that the seat does not hold."""
    cards = {*view.hand, *(view.offered or ()), *(view.played or ()), *(view.kitty or ())}
    cards |= {card for event in view.events for card in event.cards if card is not None}
    cards |= {card for hand in view.hands or () for card in hand}
    cards |= {card for move in view.legal_moves() for card in move.cards}
    return cards | ({view.called} if view.called else set())


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_doubling_is_said_in_the_singular(language: str) -> None:
    hands = ["3S 3D 3C 3H 4S", "6H 7H 9H 9S", "5S 5D 5C 5H 7C"]
    once = dasan.start(dasan.rules("dou-dizhu"), hands, bidder=0, bid=1, leader=0).play("3S 3D 3C 3H")
    twice = once.play("pass").play("5S 5D 5C 5H")
    words = messages(language)
    assert words["doublings.one"] in once.view(1).describe(language).splitlines()
    assert words["doublings"].format(n=2) in twice.view(1).describe(language).splitlines()


BIDDERS = {
    "en": ("bidder", "landlord"),
    "fr": ("preneur", "propriétaire"),
    "zh-Hans": ("坑主", "地主"),
    "zh-Hant": ("坑主", "地主"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bidder_of_dou_dizhu_is_the_landlord(language: str) -> None:
    for preset, here in (("big-three", 0), ("dou-dizhu", 1)):
        state = dasan.start(dasan.rules(preset), ["3S", "4S", "5S"], bidder=0, bid=1, leader=0)
        lines = state.view(1).describe(language).splitlines()[1:]
        said = [word in "\n".join(lines) for word in BIDDERS[language]]
        assert said == [here == 0, here == 1]


@pytest.mark.parametrize("language", ["zh-Hans", "zh-Hant"])
def test_in_chinese_who_opens_bids_or_leads(language: str) -> None:
    bids, leads = dasan.deal(dasan.rules("big-three"), seed=1), dasan.deal(dasan.rules("big-two"), seed=1)
    said = [state.view(0).describe(language) for state in (bids, leads)]
    assert [(f" {first}" in text, f" {other}" in text) for text in said for first, other in [("先叫", "先出")]] == [
        (True, False),
        (False, True),
    ]


def test_in_french_a_seat_is_guarded_not_kept() -> None:
    """« Garder » a card or a seat is to keep it."""
    said = [text for key, text in messages("fr").items() if key.startswith(("foul", "guarding"))]
    assert [text for text in said if "gardien" not in text] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_of_dou_dizhu_have_no_bidder(language: str) -> None:
    """A sentence with the word has another for Dou Dizhu, or is about a called card, which Dou Dizhu has not."""
    words, (bidder, _) = messages(language), BIDDERS[language]
    named = {key for key, text in words.items() if bidder in text}
    calls = {"phase.call", "called", "partner", "partner.unknown", "event.partner"}
    assert not {key for key in named - calls if f"{key}.dou-dizhu" not in words}
    assert not {key for key in named if key.endswith(".dou-dizhu")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_trick_can_end_although_nobody_passed(language: str) -> None:
    """With this option a 2♠ ends the trick at once."""
    rules = dasan.rules("winner", two_of_spades_restart="always")
    state = dasan.start(rules, ["2S 4S", "5S 6S", "7S 8S", "9S TS"], leader=0).play("2S")
    said = state.view(1).describe(language)
    assert messages(language)["event.trick"].format(seat=0) in said
    assert not re.search("passed|ont passé|过牌|過牌", said)


@pytest.mark.parametrize("preset", ["winner", "zheng-shangyou", "big-three"])
def test_payments_are_named_where_somebody_pays(preset: str) -> None:
    rules = dasan.rules(preset)
    hands = ["5S", "6S", "7S", "8S"][: rules.players]
    bid = None if rules.auction is None else 1
    state = dasan.start(rules, hands, leader=0, bidder=bid and 0, bid=bid)
    while state.to_act is not None:
        state = state.play(state.legal_moves()[0])
    assert ("Payments: " in state.view(0).describe()) is rules.pays


def test_a_language_that_is_not_there_is_refused() -> None:
    view = dasan.deal(dasan.rules("winner"), seed=1).view(0)
    with pytest.raises(ValueError, match="a view is described in en, zh-Hans, zh-Hant, fr, not in 'de'"):
        view.describe("de")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_guard_who_leads_cannot_pass_and_one_who_follows_should_not(language: str) -> None:
    words = messages(language)
    rules, hands = dasan.rules("big-two"), ["5C 9H KD", "AS", "6D 6C", "7D 7C"]
    leading, following = dasan.start(rules, hands, leader=0), dasan.start(rules, hands, table="4D", table_seat=3)
    for state, key, other in ((leading, "guarding.lead", "guarding"), (following, "guarding", "guarding.lead")):
        lines = state.view(0).describe(language).splitlines()
        assert words[key].format(seat=1) in lines
        assert words[other].format(seat=1) not in lines


def told(state: dasan.State, language: str, seat: int | None = None) -> list[str]:
    return state.view(seat).describe(language).splitlines()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_card_left_over_in_big_two_is_no_kitty(language: str) -> None:
    """H.27: its taker sees it in the log, and all at the end of the hand."""
    words, state = messages(language), dasan.deal(dasan.rules("big-two", players=3), seed=1)
    (left,) = state.begun.kitty
    for seat, cards in ((state.to_act, left), (None, words["hidden.one"])):
        assert f"- {words['event.leftover'].format(seat=state.to_act, cards=cards)}" in told(state, language, seat)
    while state.to_act is not None:
        state = state.play(state.legal_moves()[0])
    assert words["leftover"].format(cards=left) in told(state, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_options_change_what_is_told(language: str) -> None:
    """D2.11, D2.12, H.10 and H.28 in words: the first lead, a final pass, suits without order, a guard who pays for all."""
    words, hands = messages(language), ["4D 9D", "5D 2D", "6D 6C", "7D 7C"]

    lead = dasan.deal(dasan.rules("big-two", suit_order="clubs-low"), seed=1)
    assert words["must_include"].format(card="3C") in told(lead, language, lead.to_act)
    for final, key in ((True, "passed.final"), (False, "passed")):
        passed = dasan.start(dasan.rules("big-two", pass_is_final=final), hands, leader=0).play("4D").play("pass")
        assert words[key].format(seats=words["seat"].format(seat=1)) in told(passed, language)
    for flushes, key in ((True, "equal_suits.flush"), (False, "equal_suits")):
        rules = dasan.rules("winner", suits_ranked=False, straight_flushes=flushes)
        assert words[key] in told(dasan.deal(rules, seed=1), language)
    for pays, key in ((True, "foul.pays"), (False, "foul")):
        rules = dasan.rules("big-two", guard_pays=pays)
        over = dasan.start(rules, ["5C KD", "AS", "6D 6C", "7D 7C"], leader=0).play("5C").play("AS")
        assert words[key].format(seat=0) in told(over, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("top", "held"), [("3D 3C 3S KH", "3 3 3"), ("2D 2C 3S 3C", "3 3 2 2"), ("2D KC 3S 3C", None)])
def test_h_01_a_hand_that_must_dig_is_told(top: str, held: str | None, language: str) -> None:
    rules = dasan.rules("big-three", must_dig=True)
    others = " ".join(str(c) for c in rules.pack if c.rank in "23" and str(c) not in top)
    hands = fill(rules, ["4H " + top, others, ""], 16)
    state = dasan.start(rules, hands)
    duty = messages(language)["must_dig"].format(cards=held, bid=3)
    assert (duty in told(state, language, 0)) == (len(state.legal_moves()) == 1) == (held is not None)
    assert duty not in told(state, language)
    assert duty not in told(dasan.start(dasan.rules("big-three"), hands), language, 0)
    # Rules of one's own may oblige every hand.
    assert rules.auction is not None
    every = dasan.start(replace(rules, auction=replace(rules.auction, must_dig=("",))), hands)
    assert len(every.legal_moves()) == 1
    assert messages(language)["must_dig.every"].format(bid=3) in told(every, language, 0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_spring_is_told_where_it_doubles(language: str) -> None:
    """H.16: the opponents go out while the bidder has made one play; with a cap, a bomb leaves nothing to double."""
    hands, spring = ["5D 6D 7D", "4H 4C 4D 4S 9D", "8D 9C"], messages(language)["spring"]
    for options, sprung in (({"spring": True}, True), ({}, False), ({"spring": True, "doubling_cap": 1}, False)):
        rules = dasan.rules("big-three", bombs=True, bomb_doubles=True, **options)
        state = dasan.start(rules, hands, bidder=0, bid=2, leader=0, has_played=(1, 2))
        for move in ("5D", "4H 4C 4D 4S", "pass", "pass", "9D"):
            state = state.play(move)
        assert (spring in told(state, language)) == sprung


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_choices_of_cards_are_told_where_a_play_is_listed_once(language: str) -> None:
    once, hands = messages(language)["listed_once"], ["6D 6C 6H", "7D 8D", "8C", "9C"]
    for preset, listed_once in (("winner", True), ("zheng-shangyou", False), ("big-two", False)):
        state = dasan.start(dasan.rules(preset), hands, leader=0)
        assert (once in told(state, language, 0)) == listed_once
        assert once not in told(state, language, 1)
    assert dasan.start(dasan.rules("winner"), hands, leader=0).play("6C 6H").table is not None


def test_a_dragon_goes_out_with_all_its_cards() -> None:
    """H.31: its player has won, and has no place among those without cards."""
    rules = dasan.rules("big-two", dragon=True)
    hands = fill(rules, ["3D 4D 5D 6D 7D 8D 9D TD JC QC KC AC 2C", "", "", ""], 13)
    said = told(dasan.start(rules, hands), "en")
    assert "Winners: seat 0." in said
    assert not [line for line in said if line.startswith("Out of cards")]
