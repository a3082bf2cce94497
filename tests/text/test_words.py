"""Events at a table in words, for the command line and the terminal."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

import dasan
from dasan.play.dealing import Deal
from dasan.play.events import EventType
from dasan.text.words import Words, bidder_word

SOURCE = Path(dasan.__file__).parent
PRINTED = ("text", "tui", "cli", "review", "puzzles")
"""The folders of sentences that the command line and the terminal print."""
OF_BIG_THREE = {
    "text/words.py": {" the bidder's partner"},  # of a called card
    "cli/deals.py": {
        "the best bidder of the deal",
        "the bidder that greedy bots make",
        ": as bidder ",
        "The seats to value as bidder: all, a random one, or the winner of an auction of greedy bots.",
        "| bidder | | bidders | deals | not settled | wins | 95 % |\n|---|---|---|---|---|---|---|",
    },
    # Only its auctions are solved and judged.
    "cli/solve.py": {" as bidder, for a bid of 1: "},
    "review/report.py": {
        "as bidder: not proved",
        "as bidder ",
        ", beyond what the hand is worth to each bidder; what others would bid is not known",
    },
}
"""By file, the pieces of sentences that are about Big Three and Wa Keng only."""


def test_one_card_is_cut_in_the_singular() -> None:
    rules = dasan.rules("big-three")
    begun = dasan.deal(rules, seed=1).begun
    assert isinstance(begun, Deal)
    words = Words(rules, ("A", "B", "C"))
    for cut, cards in ((1, "1 card"), (2, "2 cards")):
        assert words.begun(replace(begun, cut=cut, cutter=2), 1).endswith(f" C cuts {cards} off the pack.")


@pytest.mark.parametrize(("preset", "said"), [("big-three", "opens the auction"), ("big-two", "leads the hand")])
def test_the_holder_of_the_lowest_card_bids_or_leads(preset: str, said: str) -> None:
    state = dasan.deal(dasan.rules(preset), seed=1)
    words = Words(state.rules, ("A", "B", "C", "D")[: state.rules.players])
    assert f" {said}, holding the " in words.event(next(event for event in state.events if event.type == "open"))


@pytest.mark.parametrize(
    ("exchange", "said"),
    [("double", "A gives the 4C 5S away."), ("winner-and-loser", "A gives the 2D away as tribute.")],
)
def test_what_a_winner_gives_back_is_no_tribute(exchange: str, said: str) -> None:
    """H.40: four gifts, of which the last two are returned; W.20: the loser's gift."""
    rules, bot = dasan.rules("winner", exchange=exchange), dasan.bot("greedy")
    session = dasan.session(rules, seed=3)
    while session.number == 1 or session.state.phase is dasan.Phase.EXCHANGE:
        if session.state.to_act is None:
            session = session.next_hand()
        session = session.play(bot.choose(session.state.view(session.state.to_act)))
    gifts = [event for event in session.state.events if event.type is EventType.GIVE]
    words = Words(rules, ("A", "B", "C", "D"))
    assert said in [words.event(event) for event in gifts]
    assert all(words.event(event).endswith("as tribute.") == (exchange != "double") for event in gifts)


def test_sentences_ask_what_the_bidder_is_called() -> None:
    """In Dou Dizhu it is the landlord, so no other sentence has the word."""
    assert bidder_word(dasan.rules("dou-dizhu")) == "landlord"
    found: dict[str, set[str]] = {}
    for path in (path for folder in PRINTED for path in sorted((SOURCE / folder).rglob("*.py"))):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        comments = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            text = node.value if isinstance(node, ast.Constant) and node not in comments else None
            if isinstance(text, str) and " " in text and re.search(r"\bbidders?\b", text):
                found.setdefault(path.relative_to(SOURCE).as_posix(), set()).add(text)
    assert found == OF_BIG_THREE
