"""Advice, reviews and puzzles over HTTP, from bots and the exact solver in worker processes."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

import dasan
from dasan.puzzles import Puzzle
from dasan.reasons import reason
from dasan.records.verify import verify
from dasan.ruleset.policies import FixedScoring
from dasan.server.api import study
from dasan.server.protocol.commands import HintCommand
from dasan.server.protocol.messages import Candidate, Hint
from dasan.server.protocol.table import TableSettings
from dasan.server.refusals import Refused
from dasan.server.store.database import DATABASE_FILE, Unreachable
from dasan.server.store.hand import FinishedHand
from dasan.server.store.hand import Player as Seated
from dasan.server.store.hands import insert_hand
from dasan.server.study import puzzle_book, puzzle_play
from dasan.server.tables.commands import Commands
from dasan.server.tables.directory import MOST_HINTS, Tables
from dasan.server.tables.facts import facts
from dasan.server.workers.process import Job, JobTimeout
from dasan.server.workers.warming import Warming

from .conftest import only_process
from .harness import RATED, SECONDS, Json, Serve, Served, play_hand


@pytest.mark.full
def test_hints_come_with_reasons_in_every_phase(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-three", ["random", "random"])
    phases: set[str] = set()
    with player.sit(table_id) as socket:
        while socket.my_turn() and phases != {"auction", "play"}:
            phase = socket.view["phase"]
            n = socket.table["seq"]
            if phase not in phases:
                socket.send(type="hint", id=f"h{n}")
                hint = socket.until(lambda m: m["type"] in ("hint", "error"))
                assert hint["type"] == "hint", hint
                best = hint["candidates"][0]
                assert best["move"]["move"] in [move["move"] for move in socket.view["legal_moves"]]
                assert all(reason["text"] for reason in best["reasons"])
                phases.add(phase)
            socket.send(type="move", id=f"m{n}", move=socket.view["legal_moves"][-1]["move"])
            assert socket.answer(f"m{n}")["type"] == "ack"
        if not socket.my_turn():
            socket.send(type="hint", id="late")
            assert socket.answer("late")["code"] == "illegal"
    rated = player.open_table("big-three", ["random", "random"], settings=RATED)
    with player.sit(rated) as socket:
        socket.send(type="hint", id="h")
        assert socket.answer("h")["code"] == "forbidden"


@asynccontextmanager
async def adviser(tmp_path: Path) -> AsyncIterator[tuple[Commands, Warming, Callable[..., Awaitable[str]]]]:
    """A table at a person's turn: its commands, the kernels that are compiled, and a function that returns the bot that
    gives a hint.
    """
    warming = Warming()
    async with only_process(tmp_path) as tables:
        commands = Commands(tables, tables.settings, warming)
        table_id, _ = await tables.create("ann", "big-three-4p", {}, ["me", "random", "random", "random"], name="Ann")
        end = time.monotonic() + SECONDS
        while (await tables.look(table_id)).to_act != 0:
            assert time.monotonic() < end
            await asyncio.sleep(0.01)

        async def who(bot: str | None = None) -> str:
            answer = await commands.carry_out(table_id, "ann", HintCommand(type="hint", id="h", bot=bot), "")
            assert isinstance(answer, Hint)
            return answer.bot

        yield commands, warming, who


@pytest.mark.full
async def test_nobody_is_helped_at_a_rated_table_or_another_players(tables: Tables) -> None:
    commands = Commands(tables, tables.settings, Warming())
    seats = ["me", *["open"] * 3]
    casual, _ = await tables.create("ann", "big-two", {}, seats, name="Ann")
    rated, _ = await tables.create("ann", "big-two", {}, seats, name="Ann", settings=TableSettings.model_validate(RATED))
    for table_id, player, why in (
        (rated, "ann", "hints.rated"),
        (casual, "bob", "watching"),
        (casual, "ann", "hints.turn"),
    ):
        with pytest.raises(Refused) as refused:
            await commands.carry_out(table_id, player, HintCommand(type="hint", id="h"), "")
        assert refused.value.message == reason(why)


@pytest.mark.full
async def test_search_gives_the_hints_once_it_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing: list[str] = []

    async def explain(bot: str, view: dasan.View) -> tuple[str, list[Candidate]]:
        if bot in failing:
            raise Refused("unavailable", reason("advice"))
        return "none", []

    async with adviser(tmp_path) as (commands, warming, who):
        monkeypatch.setattr(commands, "explain", explain)
        assert await who() == "greedy"
        warming._ready.add("big-three")
        assert await who() == "search"
        assert await who("random") == "random"
        failing.append("search")
        assert await who() == "greedy"
        with pytest.raises(Refused):
            await who("search")
        failing.append("greedy")
        with pytest.raises(Refused):
            await who()


@pytest.mark.full
async def test_a_hint_that_no_process_has_room_for_is_refused_without_asking_another_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    async with adviser(tmp_path) as (commands, warming, who):
        explain = commands.explain

        async def noted(bot: str, view: dasan.View) -> tuple[str, list[Candidate]]:
            asked.append(bot)
            return await explain(bot, view)

        warming._ready.add("big-three")
        monkeypatch.setattr(commands, "explain", noted)
        monkeypatch.setattr(commands._tables.bots, "_most_waiting", 0)
        with pytest.raises(Refused) as refused:
            await who()
    assert (refused.value.code, refused.value.message) == ("unavailable", reason("hints"))
    assert asked == ["search"]


@pytest.mark.full
async def test_bots_move_before_waiting_hints_and_too_many_hints_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[object, ...]] = []
    answers = asyncio.Semaphore(0)

    class Slow:
        alive = True

        def __init__(self, memory_mb: int) -> None: ...

        async def start(self) -> None: ...

        async def do(self, job: Job) -> object:
            begun.append((job.name, *job.given[:1]))
            await answers.acquire()
            return ("pass", 0.1) if job.name == "choose" else {"unit": "none", "candidates": []}

        def end(self) -> None: ...

    view = dasan.deal(dasan.rules("big-two"), seed=1).view(0)
    async with only_process(tmp_path, bot_processes=1) as tables:
        commands = Commands(tables, tables.settings, Warming())
        monkeypatch.setattr("dasan.server.workers.pools.Worker", Slow)
        hints = [asyncio.create_task(commands.explain("strong", view)) for _ in range(MOST_HINTS)]
        await asyncio.sleep(0)
        with pytest.raises(Refused) as refused:
            await commands.explain("strong", view)
        assert (refused.value.code, refused.value.message) == ("unavailable", reason("hints"))
        moves = [asyncio.create_task(tables.choices.think(bot, view)) for bot in ("greedy", "random")]
        await asyncio.sleep(0)
        for _ in (*hints, *moves):
            answers.release()
        assert [thought.move for thought in await asyncio.gather(*moves)] == ["pass", "pass"]
        await asyncio.gather(*hints)
        hint = ("explain", "strong")
        assert begun == [hint, ("choose", "greedy"), ("choose", "random"), *[hint] * (MOST_HINTS - 1)]


@pytest.mark.full
def test_hints_are_limited_for_an_address_with_many_guests(serve: Serve) -> None:
    with serve(hint_burst=2, hint_rate=0.001) as server:
        answers = []
        for _ in range(3):
            guest = server.player()
            table_id = guest.open_table("big-two", ["random"] * 3)
            with guest.sit(table_id) as socket:
                assert socket.my_turn()
                command = {"type": "hint", "id": "h", "bot": "random"}
                answers.append(guest.http.post(f"/api/tables/{table_id}/commands", json=command).json())
    assert [answer["type"] for answer in answers[:2]] == ["hint", "hint"]
    assert answers[2]["wording"]["id"] == "hints"


@pytest.mark.full
def test_a_finished_hand_has_a_page_a_record_and_a_review(server: Served) -> None:
    player, stranger = server.player(), server.player()
    table_id = player.open_table("big-three", ["greedy", "greedy"])
    with player.sit(table_id) as socket:
        play_hand(socket, random.Random(3))
        hand_id = socket.table["session"]["results"][-1]["hand"]
        result = socket.view["result"]
    page = stranger.http.get(f"/api/hands/{hand_id}").json()
    assert (page["result"], page["you"], page["table"], page["shown"]) == (result, None, None, True)
    assert player.http.get(f"/api/hands/{hand_id}").json()["you"] == 0
    text = stranger.http.get(f"/api/hands/{hand_id}/record").text
    assert verify(text).unproved == ()
    lines = [json.loads(line) for line in stranger.http.get(f"/api/hands/{hand_id}/review").text.splitlines()]
    moves, done = list({line["seq"]: line for line in lines[:-1]}.values()), lines[-1]
    played = [json.loads(line) for line in text.splitlines()]
    assert [move["seq"] for move in reversed(moves)] == [
        line["seq"] for line in played if line.get("type") in ("bid", "pass", "play")
    ]
    assert done["complete"]
    assert done["turning_points"] == sorted(move["seq"] for move in moves if move["kept"] is False)
    again = stranger.http.get(f"/api/hands/{hand_id}/review").text
    assert [json.loads(line) for line in again.splitlines()] == [*moves, done]
    assert player.http.get("/api/hands/nothing/turning").status_code == 404
    last = moves[0]
    other = {"seq": last["seq"], "moves": []}
    answer = stranger.http.post(f"/api/hands/{hand_id}/solve", json=other).json()
    assert answer["value"] == last["value"]
    assert answer["to_act"] == last["seat"]
    assert stranger.http.post(f"/api/hands/{hand_id}/solve", json={"seq": 0}).status_code == 400
    assert stranger.http.get("/api/hands/nothing").status_code == 404
    assert player.http.get(f"/api/tables/{table_id}/hands").json()[0]["id"] == hand_id


@pytest.mark.full
def test_a_review_that_cannot_be_kept_is_sent_whole(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    player = server.player()
    table_id = player.open_table("big-two", ["random"] * 3)
    with player.sit(table_id) as socket:
        play_hand(socket, random.Random(3))
        hand_id = socket.table["session"]["results"][-1]["hand"]

    async def stream(*_: object, **__: object) -> AsyncIterator[Json]:
        yield {"type": "known", "seq": 3, "estimates": [], "choices": 1, "phase": "play"}

    async def keep(*_: object) -> None:
        raise Unreachable

    monkeypatch.setattr(server.tables.study, "stream", stream)
    monkeypatch.setattr(server.tables.store.reviews, "keep", keep)
    lines = player.http.get(f"/api/hands/{hand_id}/known").text.splitlines()
    assert json.loads(lines[-1]) == {"type": "done", "complete": True}


@pytest.mark.full
@pytest.mark.parametrize(
    ("preset", "seed", "decided"), [("big-two-tiny", 0, 5), ("big-two-tiny", 1, None), ("winner-tiny", 3, 9)]
)
@pytest.mark.parametrize("reviewed", [False, True])
def test_the_move_that_decided_a_hand_is_the_last_that_did_not_keep_its_result(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, preset: str, seed: int, decided: int | None, reviewed: bool
) -> None:
    # Such hands are solved in milliseconds, but a busy machine may need longer.
    for limit in ("EACH_POSITION", "EACH_TURNING", "TURNING"):
        monkeypatch.setattr(study, limit, 30.0)
    with serve(review_seconds=30.0) as server:
        hand_id, http = kept_hand(server, preset, seed), server.player().http
        if reviewed:
            assert http.get(f"/api/hands/{hand_id}/review").status_code == 200
        turning = http.get(f"/api/hands/{hand_id}/turning").json()
        *moves, done = map(json.loads, http.get(f"/api/hands/{hand_id}/review").text.splitlines())
        again = http.get(f"/api/hands/{hand_id}/turning").json()
    assert done["complete"]
    assert turning == {"move": next((m for m in moves if m["seq"] == decided), None), "held": decided is None}
    assert next((move["seq"] for move in moves if not move["kept"]), None) == decided
    assert again == turning


@pytest.mark.full
def test_what_a_short_search_does_not_decide_is_kept_until_a_review_tells(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_id, http = kept_hand(server, "big-two-tiny", 0), server.player().http
    path = f"/api/hands/{hand_id}/turning"
    unknown = {"move": None, "held": False}
    asked = []

    async def nothing(job: str, *_: object) -> Json:
        asked.append(job)
        raise JobTimeout

    with monkeypatch.context() as patch:
        patch.setattr(server.tables.study, "run", nothing)
        assert [http.get(path).json() for _ in range(3)] == [unknown] * 3
        assert asked == ["turning"]
    assert http.get(f"/api/hands/{hand_id}/review").status_code == 200
    assert http.get(path).json()["move"]["seq"] == 5


@pytest.mark.full
def test_the_move_that_decided_a_hand_costs_no_review(serve: Serve) -> None:
    with serve(study_burst=1, study_rate=0.001) as server:
        hand_id, another = kept_hand(server, "big-two-tiny", 0), kept_hand(server, "big-two-tiny", 1)
        http = server.player().http
        paths = [f"{hand_id}/turning", f"{hand_id}/review", f"{hand_id}/known"]
        # It has its own limit, for work that is not done yet.
        paths += [f"{hand_id}/turning", f"{another}/turning"]
        assert [http.get(f"/api/hands/{path}").status_code for path in paths] == [200, 200, 429, 200, 429]


def kept_hand(server: Served, preset: str, seed: int) -> str:
    """The id of a hand of random moves in the server's database."""
    state, rng = dasan.deal(dasan.rules(preset), seed=seed), random.Random(seed)
    while state.to_act is not None:
        state = state.play(rng.choice(state.legal_moves()))
    assert state.result is not None
    players = [
        Seated(seat, f"Random {seat}", None, "random", "player", payment, seat in state.result.winners)
        for seat, payment in enumerate(state.result.payments)
    ]
    result = state.result.to_json()
    hand = FinishedHand(
        f"{preset}-{seed}", "table", seed, preset, 1, True, False, result, [], state.record(), tuple(players)
    )
    engine = sa.create_engine(f"sqlite:///{server.settings.data_dir / DATABASE_FILE}")
    with engine.begin() as connection:
        insert_hand(connection, hand)
    engine.dispose()
    return hand.id


@pytest.mark.full
def test_a_review_is_refused_like_anything_else_while_too_many_wait(server: Served) -> None:
    hand_id, http = kept_hand(server, "big-two-tiny", 0), server.player().http
    server.tables.study._most_waiting = 0
    for path in ("review", "known", "turning", "advice?seq=0"):
        answer = http.get(f"/api/hands/{hand_id}/{path}")
        assert (answer.status_code, answer.headers["content-type"]) == (503, "application/json"), path
        assert (answer.json()["code"], answer.json()["wording"]["id"]) == ("unavailable", "study.busy")
    server.tables.study._most_waiting = 1
    assert http.get(f"/api/hands/{hand_id}/review").status_code == 200


@pytest.mark.full
def test_hands_that_are_not_shown_are_not_reviewed(server: Served) -> None:
    player = server.player()
    table_id = player.open_table("big-three", ["random", "random"], options={"show_hands_after": False})
    with player.sit(table_id) as socket:
        play_hand(socket, random.Random(3))
        hand_id = socket.table["session"]["results"][-1]["hand"]
    stranger = server.player().http
    assert stranger.get(f"/api/hands/{hand_id}/review").status_code == 403
    assert stranger.post(f"/api/hands/{hand_id}/solve", json={"seq": 1}).status_code == 403
    assert '"?' in stranger.get(f"/api/hands/{hand_id}/record").text


@pytest.mark.full
def test_puzzles_are_listed_and_solved(server: Served) -> None:
    http = server.player().http
    listed = http.get("/api/puzzles", params={"theme": "refusing", "players": 3}).json()
    assert listed["total"] >= len(listed["puzzles"]) > 0
    assert sum(listed["grades"].values()) == len(puzzle_book.book())
    pages = [http.get("/api/puzzles", params={"offset": at}).json()["puzzles"] for at in (0, 100, 100_000, -1)]
    assert len({one["id"] for page in pages[:2] for one in page}) == 200
    assert pages[2:] == [[], pages[0]]
    assert http.get("/api/puzzles", params={"theme": "nonsense"}).status_code == 400
    today = http.get("/api/puzzles/today").json()
    assert http.get(f"/api/puzzles/{today['id']}").json() == today
    assert http.get("/api/puzzles/nothing").status_code == 404
    puzzle = min(puzzle_book.book().values(), key=lambda one: (one.nodes, one.id))
    wrong = next(m for m in puzzle.state.legal_moves() if str(m) not in (str(puzzle.key),) and m in puzzle.tempting)
    refuted = answered(http.post(f"/api/puzzles/{puzzle.id}/answer", json={"moves": [str(wrong)]}))
    assert (refuted["right"], refuted["solution"]) == (False, str(puzzle.key))
    # The loss is shown: the other side is out first.
    assert refuted["view"]["phase"] == "over"
    assert puzzle.state.mover not in refuted["view"]["result"]["winners"]
    answer = answered(http.post(f"/api/puzzles/{puzzle.id}/answer", json={"moves": [str(puzzle.key)]}))
    assert answer["right"]
    assert http.post(f"/api/puzzles/{puzzle.id}/answer", json={"moves": ["3D 3D 3D"]}).status_code in (400, 409)


@pytest.mark.full
def test_an_answer_that_is_proved_to_win_counts_where_the_rest_is_too_hard() -> None:
    puzzle = puzzle_book.find("654fbdef12")
    verdicts = set()
    for nodes in (16, 1024):
        try:
            verdicts.add(puzzle_play.verdict(puzzle, [str(puzzle.key)], nodes)["right"])
        except Refused as refused:
            assert refused.message == reason("puzzle.hard")
            verdicts.add(False)
    assert verdicts == {False, True}


def answered(response: object) -> Json:
    assert response.status_code == 200, response.text  # type: ignore[attr-defined]
    answer: Json = response.json()  # type: ignore[attr-defined]
    return answer


def test_threads_that_want_the_puzzles_at_once_load_them_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a restart many pages ask for them. All threads of the server loaded them, for which other requests waited."""
    loaded: list[int] = []

    def load(**wanted: object) -> tuple[Puzzle, ...]:
        loaded.append(1)
        time.sleep(0.05)
        return ()

    puzzle_book._book.cache_clear()
    monkeypatch.setattr("dasan.server.study.puzzle_book.puzzles.load", load)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: puzzle_book.book(), range(4))) == [{}] * 4
    assert len(loaded) == 1
    puzzle_book._book.cache_clear()


@pytest.mark.full
def test_the_puzzle_of_the_day_changes_daily() -> None:
    from datetime import date, timedelta

    days = [puzzle_book.of_day(date(2026, 11, 22) + timedelta(days=n)).id for n in range(len(puzzle_book.book()))]
    assert len(set(days)) == len(days)


def test_an_auction_whose_bid_is_not_paid_makes_no_sides() -> None:
    rules = replace(dasan.rules("big-three"), scoring=FixedScoring(stake=1))
    assert (facts(rules).sides, facts(rules).wins) == (False, "first-out")


@pytest.mark.full
def test_bots_and_facts_are_listed(server: Served) -> None:
    http = server.player().http
    assert {bot["name"] for bot in http.get("/api/bots").json()} >= {"random", "greedy"}
    facts = {preset["name"]: preset["facts"] for preset in http.get("/api/presets").json()}
    assert facts["big-three"]["bids"] == [1, 2, 3]
    assert [facts[name]["wins"] for name in ("big-three-4p", "big-two", "winner")] == ["side", "first-out", "places"]
    assert facts["winner"]["score"] == "none"
    scored = http.get("/api/rules/winner", params={"scoring": "cards"}).json()["facts"]
    assert (scored["score"], scored["family"]) == ("cards", "winner")


@pytest.mark.full
@pytest.mark.parametrize("word", ["me", "open"])
def test_a_deal_can_be_promised_before_anybody_says_anything(server: Served, word: str) -> None:
    player = server.player()
    promise = player.http.post("/api/promises").json()
    seats = ["me", word if word == "open" else "random", "random"]
    wanted = {"preset": "big-three", "seats": seats, "ticket": promise["ticket"], "contribution": "my own words"}
    table_id = player.http.post("/api/tables", json=wanted).json()["id"]
    if word == "open":
        waiting = player.http.get(f"/api/tables/{table_id}").json()
        assert waiting["session"]["next_commitment"] == promise["commitment"]
        assert waiting["session"]["contributions"][0] == "my own words"
        server.player().http.post(f"/api/tables/{table_id}/join", json={"name": "other"})
    deal = player.http.get(f"/api/tables/{table_id}").json()["session"]["opening"][-1]
    assert deal["commitment"] == promise["commitment"]
    assert deal["contributions"] == ["my own words"]
    assert player.http.post("/api/tables", json=wanted).status_code == 404, "a ticket is used once"
