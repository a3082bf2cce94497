"""Events at a table in words, for the command line and the terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

import dasan
from dasan.play.dealing import Deal
from dasan.play.events import EventType
from dasan.text.words import Words


def test_one_card_is_cut_in_the_singular() -> None:
    rules = dasan.rules("big-three")
    begun = dasan.deal(rules, seed=1).begun
    assert isinstance(begun, Deal)
    words = Words(rules, ("A", "B", "C"))
    for cut, cards in ((1, "1 card"), (2, "2 cards")):
        assert words.begun(replace(begun, cut=cut, cutter=2), 1).endswith(f" C cuts {cards} off the pack.")


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
