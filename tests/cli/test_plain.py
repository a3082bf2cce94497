"""Line mode: through a pipe, for every preset, to the end of a hand and into the next."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import dasan
from dasan.games import PRESETS
from dasan.play.sessions import Session
from dasan.records.verify import verify
from dasan.text.words import Words
from dasan.tui.asking import question
from dasan.tui.panels import caption
from dasan.tui.plain import run

from .hands import SEED, greedy_game, opening_seed, play_on


def talk(preset: str, *lines: str, seed: int = SEED) -> str:
    """The table's output for these lines and the end of input after them."""
    out = io.StringIO()
    run(greedy_game(preset, seed), io.StringIO("".join(line + "\n" for line in lines)), out)
    return out.getvalue()


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("preset", PRESETS)
def test_a_whole_hand_goes_through_a_pipe(preset: str, tmp_path: Path) -> None:
    answers = play_on(greedy_game(preset))
    record = tmp_path / "game.jsonl"
    command = [sys.executable, "-m", "dasan", "tui", preset, "--plain", "--seed", str(SEED), "--record", str(record)]
    done = subprocess.run(
        command, input="\n".join([*answers, "quit"]), capture_output=True, encoding="utf-8", check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "The hand is over. Say next for the next hand, or quit." in done.stdout
    assert done.stdout.endswith("Goodbye.\n")
    assert "Not possible" not in done.stdout
    game = verify(record.read_text(encoding="utf-8")).game
    assert isinstance(game, Session)
    assert len(game.results) == 1


@pytest.mark.sampled(5)
@pytest.mark.parametrize("preset", PRESETS)
def test_the_next_hand_follows(preset: str) -> None:
    heard = talk(preset, *play_on(greedy_game(preset), hands=2))
    assert "Hand 2. " in heard
    assert heard.count("The hand is over.") == 2
    if preset.startswith("winner"):
        assert "as tribute" in heard


def test_the_end_of_input_is_a_goodbye() -> None:
    assert talk("big-two").endswith("Goodbye.\n")


def test_quit_leaves_with_the_balances() -> None:
    answers = play_on(greedy_game("big-two"))
    assert "Balances: " in talk("big-two", *answers, "quit", "never read").splitlines()[-2]


def test_a_refusal_cites_its_clause_and_the_turn_stays() -> None:
    heard = talk("big-three", "bid 7", "??", "2", seed=opening_seed("big-three")).splitlines()
    assert "Not possible: bids go from 1 to 3 — B3.08" in heard
    assert "Not possible: '??' is not a card: write rank then suit, like 4H, TS or RJ — G.01" in heard
    assert "You bid 2." in heard


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("?", "Say a move, or one of these words:"),
        ("hint", "A bot would say: bid "),
        ("hand", "Cards left: you: 16, Bot 1: 16, Bot 2: 16."),
        ("moves", "bid 2"),
        ("rules", "B3.15 Beating a play."),
        ("rules b3.14", "No big cards in runs."),
        ("rules D2.01", "There is no clause D2.01 in this game; rules lists them."),
        ("next", "Not possible: the hand is not over yet — G.04"),
        ("\ufeffmoves", "bid 2"),
        ("\ufeff?", "Say a move, or one of these words:"),
        ("", "Your bid: "),
    ],
)
def test_words_that_are_no_moves(line: str, answer: str) -> None:
    assert answer in talk("big-three", line, seed=opening_seed("big-three"))


def test_the_question_names_the_card_that_the_first_lead_must_contain() -> None:
    state = dasan.deal(dasan.rules("big-two"), seed=7)
    assert asked(state) == "You lead: play any combination that contains the 3D."
    rest = state.play("3D")
    while rest.table is not None:
        rest = rest.play("pass")
    assert asked(rest) == "You lead: play any combination."


def test_the_question_says_which_cards_to_give() -> None:
    """In H.40 the highest cards go first, and any cards in return."""
    table = dasan.session(dasan.rules("winner", exchange="double"), seed=5)
    while table.state.to_act is not None:
        table = table.play(table.state.legal_moves()[0])
    table = table.next_hand()
    questions = []
    while table.state.phase == "exchange":
        questions.append(asked(table.state).partition(":")[0])
        table = table.play(table.state.legal_moves()[0])
    assert questions == [
        "Give your two highest cards",
        "Give your highest card",
        "Give any two cards in return.",
        "Give any card in return.",
    ]


@pytest.mark.parametrize("guard", ["foul", "enforced"])
def test_the_question_says_what_a_guard_may_play(guard: str) -> None:
    hands = ["5C 9H KD", "AS", "6D 6C", "7D 7C"]
    for table, seat, duty in ((None, None, "any single must be your highest"), ("4D", 3, "play your highest")):
        state = dasan.start(dasan.rules("big-two", guard=guard), hands, leader=0, table=table, table_seat=seat, to_act=0)
        assert asked(state).endswith(f" Bot 1 has one card left: {duty}.")
        assert "pass" not in asked(state)
    assert "one card left" not in asked(dasan.start(dasan.rules("big-two", guard="off"), hands, leader=0))


@pytest.mark.parametrize("options", [{}, {"ending": "last-in"}, {"guard_pays": True}])
def test_a_foul_of_any_seat_is_told_above_the_settlement(options: dict[str, bool | str]) -> None:
    for guard in range(4):
        hands = ["6D 6C"] * 4
        hands[guard], hands[(guard + 1) % 4] = "5C KD", "AS"
        hands[(guard + 2) % 4], hands[(guard + 3) % 4] = "6D", "7D 7C"
        state = dasan.start(dasan.rules("big-two", **options), hands, leader=guard).play("5C").play("AS")
        while state.to_act is not None:
            state = state.play(state.legal_moves()[0])
        assert state.result is not None
        assert state.result.foul == guard
        words = Words(state.rules, ("You", "Bot 1", "Bot 2", "Bot 3"), 0)
        lines = caption(state.view(0), words).plain.splitlines()
        assert lines[1:] == words.foul(state.result)
        assert len(lines) == (3 if "guard_pays" in options else 2)


def asked(state: dasan.State) -> str:
    """The question to the seat to act."""
    assert state.to_act is not None
    names = tuple(f"Bot {seat}" for seat in range(state.rules.players))
    return question(state.view(state.to_act), Words(state.rules, names, state.to_act))


def test_an_empty_hand_is_a_sentence() -> None:
    game = greedy_game("big-three", opening_seed("big-three"))
    hand = [str(c) for c in game.view.hand]
    position = dasan.start(game.rules, hand[:3], bidder=0, bid=1, leader=0)
    game.session = replace(game.session, state=position)
    out = io.StringIO()
    run(game, io.StringIO(f"{hand[0]}\nhand\n"), out)
    assert "\nYou have no cards left.\nCards left: you: 0, " in out.getvalue()


def test_nothing_hidden_is_said() -> None:
    game = greedy_game("big-three", opening_seed("big-three"))
    others = {str(c) for s in (1, 2) for c in game.session.state.hands[s]} | {str(c) for c in game.session.state.kitty}
    opening = {str(c) for event in game.session.opening for c in event.cards}
    opening |= {str(c) for event in game.view.events for c in event.cards}
    words = set(
        talk("big-three", "hand", "moves", "hint", seed=opening_seed("big-three"))
        .replace(",", " ")
        .replace(".", " ")
        .split()
    )
    assert not words & (others - opening)
