"""One annotated playthrough of every preset, with each seat's view: pinned, and replayed exactly (G.03)."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from tests.golden import HERE, REWRITE, pinned
from tests.golden.narrate import PLAYTHROUGHS

import dasan
from dasan import Session, State
from dasan.play.dealing import Deal
from dasan.play.new_hand import begin
from dasan.records.verify import verify

presets = pytest.mark.parametrize("preset", list(dasan.PRESETS))


def told(preset: str) -> str:
    """The pinned annotated record of a preset."""
    return (HERE / "playthroughs" / f"{preset}.jsonl").read_text(encoding="utf-8")


def without_notes(text: str) -> str:
    return "".join(row + "\n" for row in text.splitlines() if json.loads(row).get("type") != "note")


@presets
def test_g_03_the_playthrough_is_replayed_exactly(preset: str) -> None:
    text = told(preset)
    session = dasan.replay(text)
    assert isinstance(session, Session)
    assert session.record() == without_notes(text), f"{REWRITE} rewrites the playthroughs"
    assert (session.rules.name, session.number) == (preset, PLAYTHROUGHS[preset][2])
    checked = verify(text)
    assert not checked.unproved
    assert len(checked.statements) == 2 + session.number


@presets
def test_every_step_has_its_note(preset: str) -> None:
    rows = [json.loads(row) for row in told(preset).splitlines()]
    for row, following in pairwise(rows):
        if row.get("type") not in ("note", "reveal"):
            assert following["type"] == "note"
            assert following.get("seq") == row.get("seq")
            assert following["text"].endswith(".")


@presets
def test_the_moves_lead_to_the_same_events_again(preset: str) -> None:
    """From the moves alone, not from the record: nothing that follows from the rules is trusted."""
    session = dasan.replay(told(preset))
    assert isinstance(session, Session)
    for hand in (*session.past, session.state):
        assert isinstance(hand.begun, Deal)
        state = begin(hand.rules, hand.begun, first_seq=hand.first_seq)
        for event in hand.events:
            match event.type.value:
                case "pass":
                    state = state.play("pass")
                case "bid":
                    state = state.play(f"bid {event.bid}")
                case "play":
                    state = state.play(" ".join(map(str, event.cards)))
                case "call" | "give" | "offer" | "take":
                    state = state.play(f"{event.type} {' '.join(map(str, event.cards))}")
        assert state.events == hand.events
        assert state.result == hand.result


def moments(session: Session) -> list[State]:
    """A third of the way, two thirds, and the end of the last hand."""
    lines = session.record().splitlines()
    start = max(i for i, row in enumerate(lines) if '"type":"deal"' in row)
    count = len(session.state.events)
    states: list[State] = []
    for share in (1, 2):
        stop = start + 1 + count * share // 3
        while True:
            try:
                again = dasan.replay("\n".join(lines[:stop]))
            except dasan.BadRecord:
                stop += 1
                continue
            break
        assert isinstance(again, Session)
        states.append(again.state)
    return [*states, session.state]


@presets
def test_g_02_what_each_seat_sees_is_pinned(preset: str) -> None:
    session = dasan.replay(told(preset))
    assert isinstance(session, Session)
    out: list[str] = []
    for state in moments(session):
        for seat in (0, 1, None):
            view = state.view(seat).to_json()
            view["events"] = view["events"][-3:]
            out.append(json.dumps(view, ensure_ascii=False))
    pinned(f"views/{preset}.jsonl", "\n".join(out) + "\n")


def test_the_playthroughs_show_what_is_special() -> None:
    """Every type of event occurs in one of them, and every clause of scoring applies in one."""
    seen = {json.loads(row).get("type") for preset in dasan.PRESETS for row in told(preset).splitlines()}
    assert seen >= {"open", "bid", "pass", "kitty", "call", "partner", "play", "trick", "last-card", "out"}
    assert seen >= {"draw", "dealer", "give", "offer", "take", "result", "reveal", "note"}
