"""climb/1: records are read back as written, and tampered ones are refused (G.03)."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.playing import Options, at_random, every_setup, lively, play_hands, play_out, rules_of

import dasan
from dasan import BadRecord, IllegalPlay, Malformed, Session, State
from dasan.play.events import Event, EventType
from dasan.play.moves import Move, MoveType
from dasan.records.verify import verify
from dasan.ruleset.policies import Auction
from dasan.ruleset.shapes import Run

Line = dict[str, Any]
Tamper = Callable[[list[Line]], None]


def lines_of(text: str) -> list[Line]:
    return [json.loads(line) for line in text.splitlines()]


def text_of(lines: list[Line]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)


def of_type(lines: list[Line], kind: str) -> Line:
    return next(line for line in lines if line.get("type") == kind)


def forged(text: str, tamper: Tamper) -> BadRecord:
    """The refusal of a record after `tamper`."""
    lines = lines_of(text)
    tamper(lines)
    assert text_of(lines) != text
    with pytest.raises(BadRecord) as caught:
        verify(text_of(lines))
    assert caught.value.code == "bad-record"
    assert "\n" not in str(caught.value)
    return caught.value


@cache
def a_session(preset: str, hands: int = 2) -> Session:
    return play_hands(dasan.session(dasan.rules(preset), seed=4), hands, random.Random(4))


@pytest.mark.sampled(4, 9)
@every_setup
def test_g_03_record_replay_record(setup: tuple[str, Options]) -> None:
    """Byte for byte: hands, sessions, and both unfinished."""
    rules, rng = rules_of(setup), random.Random(1)
    hand = play_out(dasan.deal(rules, seed=3), rng)
    session = play_hands(dasan.session(rules, seed=3), 2, rng)
    unfinished = dasan.session(rules, seed=4)
    for _ in range(9):
        unfinished = unfinished.play(at_random(unfinished.state, rng))
    for game in (hand, session, unfinished, unfinished.state, session.state, session.past[0]):
        again = dasan.replay(game.record())
        assert again.record() == game.record()
        verified = verify(game.record()).game
        assert verified is not None
        assert verified.record() == game.record()
        if isinstance(game, State):
            assert again == game
        else:
            assert isinstance(again, Session)
            assert (again.state, again.past, again.balances) == (game.state, game.past, game.balances)


def test_g_03_every_beginning_of_a_record_is_a_hand_or_damage() -> None:
    """An event that follows by itself, such as the end of a trick, must not be missing."""
    lines = lines_of(a_session("big-three-4p").state.record())
    read = set[str]()
    for end in (*range(2, 50), *range(len(lines) - 6, len(lines))):
        beginning = text_of(lines[:end])
        try:
            assert dasan.replay(beginning).record() == beginning
        except BadRecord as error:
            assert re.search("that follows is missing|its result is missing", error.message)
        else:
            read.add(lines[end]["type"])
    assert read == {"bid", "pass", "call", "play", "reveal"}


def test_g_03_a_replayed_session_deals_on_from_its_seed() -> None:
    session = a_session("winner")
    again = dasan.replay(session.record(), seed=4)
    assert isinstance(again, Session)
    assert again.next_hand() == session.next_hand()


def test_g_03_a_started_hand_is_replayed_from_where_it_started() -> None:
    state = dasan.start(
        dasan.rules("winner"), ["5D", "6D", "", "8D 9D"], finished=(2,), table="4D 4C", table_seat=3, has_played=(2, 3)
    )
    text = state.play("pass").record()
    assert dasan.replay(text).record() == text
    tampered = text.replace('"seq":0', '"seq":4')
    with pytest.raises(BadRecord):
        dasan.replay(tampered)


def test_g_03_what_is_said_twice_is_refused() -> None:
    """Two readers of one line must not read it differently."""
    text = a_session("big-three").record()
    for twice in ('"bid":', '"cut":', '"format":'):
        with pytest.raises(BadRecord, match=r"line \d+ says '\w+' twice"):
            dasan.replay(text.replace(twice, f"{twice}1,{twice}", 1))
    with pytest.raises(BadRecord, match="not JSON"):
        dasan.replay(text.replace('"payments":[', '"payments":[NaN,', 1))


def of_its_own(**changes: Any) -> str:
    """A hand by custom rules that are named big-three."""
    return dasan.deal(replace(dasan.rules("big-three"), **changes), seed=1).record()


def test_verify_names_the_rules() -> None:
    """The header may claim anything: the verdict is about the actual rules."""
    three = dasan.rules("big-three")
    run = three.shapes[5]
    assert isinstance(run, Run)
    run = replace(run, shortest=2)
    verdicts = {
        three: "big-three, unchanged",
        dasan.rules("big-three", cut=False): "big-three with cut=off",
        dasan.rules("winner", players=7): "winner with players=7, decks=2",
        dasan.rules("winner-bomb"): "winner-bomb, unchanged",
        replace(three, auction=Auction(top=20)): "rules of its own, unlike big-three: auction.top is 20, not 3",
        replace(three, shapes=(*three.shapes[:5], run, *three.shapes[6:])): (
            "rules of its own, unlike big-three: the kind pair-run.shortest is 2, not 3"
        ),
        replace(three, cut=False): "rules of its own, unlike big-three: cut is off, not on",
        replace(three, name="mine"): "rules of its own, unlike big-three: name is mine, not big-three",
        replace(three, shapes=three.shapes[:-1]): "rules of its own, unlike big-three: there is no kind quad-run",
        replace(three, clauses=(), citations=()): "big-three, unchanged",
    }
    for rules, verdict in verdicts.items():
        assert str(verify(dasan.deal(rules, seed=1).record()).verdict) == verdict


def test_verify_can_insist_on_rules() -> None:
    record = dasan.deal(dasan.rules("big-three", cut=False), seed=1).record()
    assert verify(record, rules=dasan.rules("big-three", cut=False)).verdict.options == (("cut", False),)
    with pytest.raises(BadRecord, match="played by other rules: big-three with cut=off"):
        verify(record, rules=dasan.rules("big-three"))
    with pytest.raises(BadRecord, match="played by other rules: rules of its own"):
        verify(of_its_own(auction=Auction(top=20)), rules=dasan.rules("big-three"))


@pytest.mark.sampled(3, 6)
@every_setup
def test_g_03_a_copy_is_checked_as_far_as_its_cards_are_open(setup: tuple[str, Options]) -> None:
    """The visible cards count, not the header."""
    rules, rng = rules_of(setup), random.Random(5)
    session = play_hands(dasan.session(rules, seed=3), 2, rng)
    for view in (None, 1):
        copy = session.record(view=view)
        if rules.show_hands_after:
            assert dasan.replay(copy) == session
            assert verify(copy).statements == verify(session.record()).statements
            assert verify(copy).unproved == ()
            going_on = verify(session.next_hand().record(view=view))
            assert going_on.statements[: len(verify(copy).statements)] == verify(copy).statements
            assert "hides cards of hand 3" in going_on.unproved[0]
            assert (
                going_on.statements[-1].startswith("hand 3: every visible move is legal")
                or "line" in going_on.unproved[-1]
            )
        else:
            assert verify(copy).game is None
        with pytest.raises(BadRecord, match=r"line \d+: this copy hides cards of hand [13]"):
            dasan.replay(session.next_hand().record(view=view))


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_g_03_a_hand_that_hides_cards_is_checked_by_what_shows(preset: str) -> None:
    """Whose turn it is, what is a combination and what beats what does not depend on where the hidden cards lie."""
    rules, rng = dasan.rules(preset), random.Random(2)
    state = dasan.deal(rules, seed=2)
    while sum(event.type == "play" for event in state.events) < 9:
        state = state.play(lively(state, rng))
    copy = state.record(view=1)
    assert verify(copy).statements == ("hand 1: every visible move is legal for some deal of the hidden cards",)
    others = [i for i, line in enumerate(lines_of(copy)) if line.get("type") == "play" and line["seat"] != 1]
    out_of_turn, played_twice = lines_of(copy), lines_of(copy)
    out_of_turn[others[-1]]["seat"] = (out_of_turn[others[-1]]["seat"] + 1) % rules.players
    played_twice[others[-1]]["cards"] = played_twice[others[0]]["cards"]
    for lines, words in ((out_of_turn, "turn"), (played_twice, "in two places")):
        with pytest.raises(BadRecord, match=rf"line \d+: .*{words}"):
            verify(text_of(lines))


def position(preset: str, rng: random.Random, moves: int) -> dasan.State:
    """A hand that starts in the middle of another, and continues with some of its moves."""
    rules = dasan.rules(preset)
    state = dasan.deal(rules, seed=rng.randrange(99))
    while state.phase is not dasan.Phase.PLAY or len(state.has_played) < 3:
        state = state.play(lively(state, rng))
    on_table = state.table
    taken = {"bidder": state.bidder, "bid": state.bid, "called": state.called} if state.bidder is not None else {}
    trick = {"table": on_table.cards, "table_seat": state.table_seat, "to_act": state.to_act} if on_table else {}
    hidden = state.called is None or state.called in {c for hand in state.hands for c in hand}
    state = dasan.start(
        rules,
        state.hands,
        leader=None if on_table else state.to_act,
        partner=None if hidden else state.partner,
        has_played=state.has_played,
        **taken,  # type: ignore[arg-type]
        **trick,  # type: ignore[arg-type]
    )
    for _ in range(moves):
        state = state.play(lively(state, rng))
    return state


@pytest.mark.parametrize("preset", ["big-three", "big-three-4p", "big-two", "winner"])
def test_g_03_a_position_that_hides_cards_is_checked_by_what_shows(preset: str) -> None:
    rng = random.Random(4)
    for _ in range(3):
        copy = position(preset, rng, 6).record(view=rng.choice([None, 0, 1]))
        assert verify(copy).statements == ("hand 1: every visible move is legal for some deal of the hidden cards",)
        lines = lines_of(copy)
        last = next(line for line in reversed(lines) if line.get("type") in ("play", "pass"))
        last["seat"] = (last["seat"] + 1) % dasan.rules(preset).players
        with pytest.raises(BadRecord, match=r"line \d+: .*(turn|in two places)"):
            verify(text_of(lines))


def test_g_03_a_kitty_that_is_hidden_in_a_position_is_dealt_out_too() -> None:
    rules = dasan.rules("big-three")
    dealt = dasan.deal(rules, seed=5)
    for given in ({"bidder": 1, "bid": 2, "leader": 0}, {}):
        state = dasan.start(rules, dealt.hands, kitty=dealt.kitty, **given)  # type: ignore[arg-type]
        for _ in range(8):
            state = state.play(state.legal_moves()[-1])
        for view in (None, 0, 1):
            assert verify(state.record(view=view)).unproved[1:] == ()


@pytest.mark.parametrize(("exchange", "seed"), [("winner-and-loser", 0), ("double", 8)])
def test_w_20_h_40_an_exchange_that_a_copy_hides_is_dealt_out_too(exchange: str, seed: int) -> None:
    """Whoever gave its highest cards holds no higher ones, and whoever offered two cards held both."""
    rng = random.Random(seed)
    session = play_hands(dasan.session(dasan.rules("winner", exchange=exchange), seed=seed), 1, rng, lively)
    state = session.next_hand().state
    for _ in range(8):
        state = state.play(lively(state, rng))
        for view in (None, *range(4)):
            checked = verify(state.record(view=view)).statements
            assert checked == ("hand 1: every visible move is legal for some deal of the hidden cards",)


def test_g_03_what_could_not_be_checked_is_no_statement() -> None:
    """No hand that gives a 3 as its highest card can be dealt; that is said, and nothing is said to be right."""
    state = a_session("winner", 1).next_hand().state
    lines = lines_of(state.play(state.legal_moves()[0]).record(view=None))
    last_of(lines, "give")["cards"] = ["3D"]
    checked = verify(text_of(lines))
    assert checked.statements == ()
    assert checked.unproved[-1] == "hand 1 is checked up to line 2: from there on hidden cards decide"


def test_g_03_every_hidden_hand_of_a_session_is_checked() -> None:
    session = dasan.session(dasan.rules("big-three", show_hands_after=False), seed=4)
    copy = play_hands(session, 2, random.Random(4), lively).record(view=None)
    checked = [f"hand {n}: every visible move is legal for some deal of the hidden cards" for n in (1, 2)]
    assert list(verify(copy).statements) == checked


def last_of(lines: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(line for line in reversed(lines) if line.get("type") == kind)


def hidden(lines: list[dict[str, Any]], text: str) -> None:
    """Other texts for the hands that are hidden."""
    lines[1]["hands"] = [text if "?" in hand else hand for hand in lines[1]["hands"]]


FALSE_COPIES: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "a bid of 20": lambda lines: last_of(lines, "bid").update(bid=20),
    "a bid as text": lambda lines: last_of(lines, "bid").update(bid="3"),
    "an empty text as a bid": lambda lines: last_of(lines, "bid").update(bid=""),
    "a list as a bid": lambda lines: last_of(lines, "bid").update(bid=[]),
    "a pass with a bid": lambda lines: last_of(lines, "pass").update(bid=1),
    "five hands": lambda lines: lines[1]["hands"].extend(["?", "?"]),
    "two hands": lambda lines: lines[1]["hands"].pop(),
    "hands as text": lambda lines: lines[1].update(hands="? ?"),
    "hands as numbers": lambda lines: lines[1].update(hands=[1, 2, 3]),
    "small hands": lambda lines: hidden(lines, "? ? ? ? ?"),
    "large hands": lambda lines: hidden(lines, "? " * 30),
    "endless hands": lambda lines: hidden(lines, "? " * 300_000),
    "hidden and open": lambda lines: hidden(lines, "? " * 15 + "4H"),
    "a large kitty": lambda lines: lines[1].update(kitty="? " * 9),
    "no number": lambda lines: lines[1].pop("number"),
    "no dealer": lambda lines: lines[1].pop("dealer"),
    "dealer 9": lambda lines: lines[1].update(dealer=9),
    "dealer x": lambda lines: lines[1].update(dealer="x"),
    "an unknown field": lambda lines: lines[1].update(sealed=True),
    "an unknown event": lambda lines: lines[-1].update(type="foo"),
    "no event": lambda lines: lines[-1].clear(),
    "seat 9": lambda lines: lines[-1].update(seat=9),
    "no seat": lambda lines: lines[-1].pop("seat"),
    "card 99": lambda lines: last_of(lines, "play").update(cards=["99"]),
    "a joker": lambda lines: last_of(lines, "play").update(cards=["RJ"]),
    "a hidden play": lambda lines: last_of(lines, "play").update(cards=["?"]),
    "no cards": lambda lines: last_of(lines, "play").pop("cards"),
    "another number": lambda lines: lines[-1].update(seq=99),
    "an early result": lambda lines: lines.append({"type": "result", "payments": "x"}),
    "a false secret": lambda lines: lines.append({"type": "reveal", "secret": "x"}),
    "an exchange": lambda lines: last_of(lines, "play").update(type="give"),
    "a second draw": lambda lines: last_of(lines, "pass").update(type="draw"),
}


@pytest.mark.parametrize("change", FALSE_COPIES)
def test_g_03_what_no_hidden_card_could_mend_is_an_error(change: str) -> None:
    """Changes to a correct copy, each of which is false wherever the hidden cards are."""
    state = dasan.deal(dasan.rules("big-three"), seed=5)
    for _ in range(12):
        state = state.play(state.legal_moves()[-1])
    for view in (0, None):
        lines = lines_of(state.record(view=view))
        assert len(verify(text_of(lines)).statements) == 1
        FALSE_COPIES[change](lines)
        with pytest.raises(BadRecord, match=r"^line \d+[: ]"):
            verify(text_of(lines))


def test_a_hidden_event_where_a_deal_belongs_is_damage() -> None:
    header = a_session("big-three").state.record().splitlines()[0]
    with pytest.raises(BadRecord, match="line 2: a deal is expected"):
        verify(header + '\n{"seq":0,"seat":0,"type":"kitty","cards":["?"]}\n')


def test_notes_and_analysis_ride_beside() -> None:
    text = a_session("big-three").record()
    lines = lines_of(text)
    lines.insert(5, {"type": "note", "seq": 3, "text": "a fine lead"})
    lines.append({"type": "analysis", "value": [1, 2]})
    assert dasan.replay(text_of(lines)).record() == text


def test_g_03_what_does_not_continue_a_session_is_found_where_it_begins() -> None:
    lines = lines_of(a_session("big-three").record())
    dealt = [at for at, line in enumerate(lines) if line.get("type") == "deal"]
    for at, number in ((dealt[0], 2), (dealt[1], 3)):
        changed = {**lines[at], "number": number}
        with pytest.raises(BadRecord, match=f"^line {at + 1}: "):
            dasan.replay(text_of([*lines[:at], changed, *lines[at + 1 :]]))


def test_g_03_cards_exchanged_between_hidden_hands_are_told_by_the_secret() -> None:
    """Two cards were swapped between hands and never played: only the secret behind the deal reveals it."""
    session = a_session("big-three", hands=1)
    left = [h for h in session.state.hands if h]
    a, b = left[0][0], left[1][0]
    swapped = {str(a): str(b), str(b): str(a)}

    def swap(lines: list[Line]) -> None:
        deal = of_type(lines, "deal")
        for key in ("hands", "kitty"):
            old = deal[key] if key == "hands" else [deal[key]]
            new = [" ".join(swapped.get(c, c) for c in h.split()) for h in old]
            deal[key] = new if key == "hands" else new[0]

    assert "do not follow from the secret" in forged(session.record(), swap).message


@pytest.mark.parametrize("value", [5, None, "play", ["type", "seq", "seat"]])
def test_an_event_is_an_object(value: Any) -> None:
    with pytest.raises(BadRecord, match="an event is an object"):
        Event.from_json(value)


def test_moves_of_the_wrong_form_are_malformed() -> None:
    """A `Move` made by hand must match its type, as text must."""
    session = a_session("winner").next_hand()
    state = session.state
    highest = state.legal_moves()[0].cards[0]
    other = next(c for c in state.hands[state.to_act or 0] if c is not highest)
    wrong = [
        Move(MoveType.GIVE),
        Move(MoveType.OFFER, (highest,)),
        Move(MoveType.TAKE, (highest, other)),
        Move(MoveType.TAKE),
        Move(MoveType.CALL),
        Move(MoveType.CALL, (highest, other)),
        Move(MoveType.PLAY),
        Move(MoveType.PASS, (highest,)),
        Move(MoveType.BID),
        Move(MoveType.PASS, bid=1),
    ]
    for move in wrong:
        with pytest.raises(Malformed):
            state.play(move)
    with pytest.raises(IllegalPlay, match=r"the exchange asks for 1 card.*W\.20"):
        state.play(Move(MoveType.GIVE, (highest, other)))


def test_g_03_the_digest_covers_what_decides_and_nothing_else() -> None:
    """A later version may cite other clauses or know further options, and still reads old records."""
    rules = dasan.rules("big-three")
    reworded = replace(rules, clauses=(), citations=(), settings=(("tea", True),))
    shapes = tuple(replace(shape, clause="X.01") for shape in rules.shapes)
    assert reworded.digest == replace(rules, shapes=shapes).digest == rules.digest
    for changed in (
        replace(rules, show_played=True),
        replace(rules, hand_size=15, shapes=shapes),
        replace(rules, shapes=shapes[:-1]),
        replace(rules, name="mine"),
    ):
        assert changed.digest != rules.digest


def test_the_page_lists_every_type_of_event() -> None:
    page = (Path(__file__).parent.parent / "docs/reference/records.md").read_text(encoding="utf-8")
    rows = "".join(line.split(" | ")[0] for line in page.splitlines() if line.startswith("| `"))
    assert [kind for kind in EventType if f"`{kind}`" not in rows] == []


def test_lively_play_reaches_every_type_of_event() -> None:
    seen = set[str]()
    for preset in ("big-three-4p", "big-two", "winner"):
        session = play_hands(dasan.session(dasan.rules(preset), seed=1), 2, random.Random(2), lively)
        seen |= {e.type.value for hand in (*session.past, session.state) for e in hand.events}
        seen |= {e.type.value for e in session.opening}
    three = play_hands(dasan.session(dasan.rules("big-three"), seed=1), 1, random.Random(2))
    seen |= {e.type.value for e in three.state.events}
    suits = ["DCHS", "CHSD", "HSDC", "SDCH"]
    dealt = [" ".join(rank + suit[i % 4] for i, rank in enumerate("3456789TJQKA2")) for suit in suits]
    dragon = dasan.start(dasan.rules("big-two", dragon=True), dealt)
    seen |= {e.type.value for e in dragon.events}
    assert seen == {e.value for e in type(three.state.events[0].type)}
