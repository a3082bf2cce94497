"""The deal of the day: every player gets the same, and bots play it first."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from dasan.server.app import create_app
from dasan.server.events.running import Events
from dasan.server.refusals import CannotServe

from .harness import Serve, fast
from .test_events import play_deal


@pytest.mark.full
def test_the_deal_of_the_day(serve: Serve) -> None:
    with serve(daily_deals=2, daily_preset="big-three") as server:
        ann, bo = server.player(), server.player()
        answers = [player.http.get("/api/events/today").json() for player in (ann, bo)]
        assert answers[0] == answers[1]
        event = answers[0]["event"]
        assert (event["preset"], event["deals"], event["people"]) == ("big-three", 2, 1)
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", event["day"])
        coming = ann.http.get(f"/api/events/{answers[0]['next']}").json()
        assert coming["event"]["status"] == "before"
        assert len(coming["commitments"]) == 2
        assert play_deal(ann, event["id"])["table"]["event"]["id"] == event["id"]
    with serve(daily_deals=2, daily_preset="big-three") as server:
        assert server.player().http.get("/api/events/today").json()["event"]["id"] == event["id"]
        assert server.player().http.get(f"/api/events/{event['id']}").json()["event"]["entries"] == 1
    with serve(daily_deals=0) as server:
        assert server.player().http.get("/api/events/today").json() == {"event": None, "next": None}


async def test_a_daily_game_that_is_none_stops_the_server(tmp_path: Path) -> None:
    app = create_app(fast(tmp_path, daily_preset="poker"))
    with pytest.raises(CannotServe, match="DASAN_DAILY_PRESET names one of"):
        async with app.router.lifespan_context(app):
            pass


async def test_bots_play_the_deal_of_the_day_before_events_of_players(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots take minutes for an event, and one player can open many."""
    events = Events(SimpleNamespace(store=None))  # type: ignore[arg-type]
    played: list[str] = []

    async def play(event_id: str) -> None:
        played.append(event_id)
        if event_id == "a":  # in the meantime somebody opens the deal of the day
            events._asked["day"] = True
        if event_id == "b":
            raise RuntimeError

    monkeypatch.setattr(events, "_play_bots", play)
    events._asked = dict.fromkeys("abc", False)
    for _ in range(5):
        await events._play_asked()
    assert played == ["a", "day", "b", "c", "b"]
    assert list(events._asked) == ["b"], "it is tried again later"


async def test_bots_try_the_deal_of_the_day_again_although_players_open_events_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events = Events(SimpleNamespace(store=None))  # type: ignore[arg-type]
    played: list[str] = []

    async def play(event_id: str) -> None:
        played.append(event_id)
        if len(played) < 20:
            events._asked[f"e{len(played)}"] = False
        if event_id == "day" and played.count("day") < 3:
            raise RuntimeError

    monkeypatch.setattr(events, "_play_bots", play)
    events._asked = {"e0": False, "day": True}
    for _ in range(6):
        await events._play_asked()
    assert played == ["day", "e0", "day", "e1", "day", "e2"]
