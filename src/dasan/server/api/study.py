"""Reviews of finished hands, by the exact solver and by players' information; variations; puzzles. Worker processes
compute them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from fastapi import Request

from dasan import __version__
from dasan.puzzles import Puzzle
from dasan.reasons import reason
from dasan.server.api.dependencies import Player, StoreHere, TablesHere
from dasan.server.api.hands import JsonLines
from dasan.server.api.strict import router as strict_router
from dasan.server.connections.rate_limits import limit
from dasan.server.operations.reporting import report
from dasan.server.protocol.hand import View
from dasan.server.protocol.rest import (
    Advice,
    PositionValue,
    PuzzleAnswer,
    PuzzleInfo,
    PuzzleList,
    PuzzleSummary,
    PuzzleVerdict,
    SolvePosition,
    TurningPoint,
)
from dasan.server.refusals import Refused
from dasan.server.store import Store
from dasan.server.store.hand import FinishedHand
from dasan.server.study import puzzle_book
from dasan.server.tables.directory import Tables, check_bot
from dasan.server.tables.facts import facts
from dasan.server.workers.jobs import position
from dasan.server.workers.process import JobError

router = strict_router("/api")

Kind: TypeAlias = Literal["open", "known"]
VERSION = {"open": f"{__version__}/2", "known": f"{__version__}/2", "turning": f"{__version__}/1"}
"""By kind: reviews stored by another version are computed again."""
EACH_POSITION = 1.0
"""Seconds per position of a review."""
EACH_TURNING, TURNING = 0.5, 2.0
"""Seconds per position of the search for the decisive move, and for the whole search."""
PUZZLE_NODES = 2_000_000


@router.get("/hands/{hand_id}/review", response_class=JsonLines)
async def review(hand_id: str, request: Request, tables: TablesHere, store: StoreHere, player: Player) -> JsonLines:
    """Every move of a finished hand judged with open hands, one JSON object per line; a move comes again when its
    judgement improves.
    """
    return await _judged(hand_id, "open", request, tables, store, player)


@router.get("/hands/{hand_id}/turning")
async def turning(hand_id: str, request: Request, tables: TablesHere, store: StoreHere, player: Player) -> TurningPoint:
    """The move that decided a finished hand, as far as a short search finds it.

    Every page at the table requests it when the hand ends. So it is computed once, has its own limit apart from
    reviews, and is stored even if the search is inconclusive; a review of the hand may find the move later.
    """
    charged = None if hand_id in tables.turning else "turning"
    hand, stored = await _kept_or_limited(hand_id, "turning", charged, request, store, player)
    if stored is not None:
        return TurningPoint.model_validate_json(stored[0])
    return TurningPoint.model_validate(await tables.turning.do(hand_id, lambda: _decided_by(tables, hand)))


async def _decided_by(tables: Tables, hand: FinishedHand) -> dict[str, Any]:
    answer: dict[str, Any] = {"move": None, "held": False}
    try:
        answer = await tables.study.run("turning", hand.record, EACH_TURNING, TURNING, tables.settings.search_memory_mb)
    except JobError:
        if tables.closing:  # the server is terminating its worker processes
            return answer
    if answer["move"] is None and not answer["held"]:
        # A review may have found more in the meantime.
        stored = await tables.store.reviews.get(hand.id, "turning", VERSION["turning"])
        if stored is not None:
            return dict(json.loads(stored[0]))
    await _keep(tables, hand, "turning", [json.dumps(answer) + "\n"])
    return answer


async def _kept_or_limited(
    hand_id: str, kind: str, charged: str | None, request: Request, store: Store, player: str | None
) -> tuple[FinishedHand, tuple[str, ...] | None]:
    """(finished hand, stored lines of its review). Without stored lines, take a token of the limit ``charged`` for
    computing it.
    """
    hand = await shown_hand(store, hand_id, player)
    stored = await store.reviews.get(hand_id, kind, VERSION[kind])
    if stored is None and charged is not None:
        limit(request, charged, player)
    if stored is None:
        await asyncio.to_thread(hand.state)
    return hand, stored


async def _keep(
    tables: Tables, hand: FinishedHand, kind: str, lines: list[str], moves: Collection[Mapping[str, Any]] = ()
) -> None:
    """Store a review for later requests. A failure does not affect the current request."""
    try:
        await tables.store.reviews.keep(hand, kind, VERSION[kind], lines, moves)
    except Exception as error:
        report("storing a review failed", error)


@router.get("/hands/{hand_id}/known", response_class=JsonLines)
async def known(hand_id: str, request: Request, tables: TablesHere, store: StoreHere, player: Player) -> JsonLines:
    """Every move of a finished hand judged by its player's information, in order, one JSON object per line."""
    return await _judged(hand_id, "known", request, tables, store, player)


async def _judged(
    hand_id: str, kind: Kind, request: Request, tables: Tables, store: Store, player: str | None
) -> JsonLines:
    """A stored review, or one streamed while it is computed. ``Refused``, before anything is sent: it cannot begin."""
    hand, stored = await _kept_or_limited(hand_id, kind, "study", request, store, player)
    if stored is not None:
        return JsonLines(iter(stored))
    seconds = tables.settings.review_seconds
    if kind == "open":
        memory, threads = tables.settings.search_memory_mb, tables.settings.study_threads
        verdicts = tables.study.stream("review", hand.record, EACH_POSITION, seconds, memory, threads)
    else:
        verdicts = tables.study.stream("known", hand.record, seconds)
    return JsonLines(_lines(tables, hand, kind, verdicts))


async def _lines(
    tables: Tables, hand: FinishedHand, kind: Kind, verdicts: AsyncIterator[dict[str, Any]]
) -> AsyncIterator[str]:
    """Compute a review: a line for a move when it is judged or its judgement improves, then a line that says whether
    all are judged. A complete review is stored, with one line per move.
    """
    moves: dict[int, dict[str, Any]] = {}
    complete = True
    decided: dict[str, Any] | None = None
    try:
        async for move in verdicts:
            if move["type"] == "decided":
                decided = move["by"]
                continue
            moves[move["seq"]] = move
            yield json.dumps(move) + "\n"
    except JobError:
        complete = False
    if kind == "known":
        complete = complete and all(move["estimates"] or not _decided(move) for move in moves.values())
    turning = _turning(moves.values()) if kind == "open" else {}
    last = json.dumps({"type": "done", **turning, "complete": complete}) + "\n"
    if complete:
        lines = [json.dumps(move) + "\n" for move in moves.values()]
        await _keep(tables, hand, kind, [*lines, last], moves.values() if kind == "known" else ())
    if decided is not None:
        await _keep(tables, hand, "turning", [json.dumps(decided) + "\n"])
    yield last


def _turning(moves: Collection[dict[str, Any]]) -> dict[str, Any]:
    """The moves that lost the result, and the last move that could have changed it."""
    turning = sorted(move["seq"] for move in moves if move["kept"] is False)
    could_turn = [move["seq"] for move in moves if move["value"] is not None and move["losing"]]
    return {"turning_points": turning, "last_chance": max(could_turn, default=None)}


def _decided(move: dict[str, Any]) -> bool:
    """Whether the move was a decision that reviews value."""
    return bool(move["choices"] > 1 and move["phase"] != "exchange")


@router.post("/hands/{hand_id}/solve")
async def solve(
    hand_id: str, wanted: SolvePosition, request: Request, tables: TablesHere, store: StoreHere, player: Player
) -> PositionValue:
    """Solve a position of a finished hand, or of a variation."""
    limit(request, "study", player)
    hand = await open_hand(store, hand_id, player)
    memory = tables.settings.search_memory_mb
    answer = await tables.study.ask("solver", "solve", hand.record, wanted.seq, wanted.moves, 3.0, memory)
    return PositionValue.model_validate(answer)


@router.get("/hands/{hand_id}/advice")
async def advice(
    hand_id: str, seq: int, request: Request, tables: TablesHere, store: StoreHere, player: Player, bot: str = "greedy"
) -> Advice:
    """The move that a bot would have made instead of event ``seq``, from the same view."""
    limit(request, "study", player)
    check_bot(bot)
    hand = await open_hand(store, hand_id, player)
    advised = await tables.study.ask("advice", "advise", hand.record, seq, bot)
    return Advice.model_validate(advised)


async def open_hand(store: Store, hand_id: str, reader: str | None) -> FinishedHand:
    """A finished hand whose cards ``reader``, a player's id, may all see, and whose record replays."""
    hand = await shown_hand(store, hand_id, reader)
    await asyncio.to_thread(hand.state)
    return hand


async def shown_hand(store: Store, hand_id: str, reader: str | None) -> FinishedHand:
    """A finished hand whose cards ``reader`` may all see."""
    hand = await store.hands.load(hand_id, reader)
    if not hand.shown:
        raise Refused("forbidden", reason("hands.hidden"))
    return hand


@router.get("/puzzles")
async def puzzles(
    request: Request,
    game: str | None = None,
    theme: str | None = None,
    grade: int | None = None,
    players: int | None = None,
    offset: int = 0,
) -> PuzzleList:
    """A page of matching puzzles from ``offset``, the easy ones first."""
    await _loaded(request)
    puzzles = await asyncio.to_thread(puzzle_book.chosen, game, theme, grade, players)
    games, themes, grades = puzzle_book.counted()
    first = max(0, offset)
    shown = sorted(puzzles, key=lambda puzzle: (puzzle.grade, puzzle.id))[first : first + puzzle_book.PAGE]
    return PuzzleList(
        puzzles=[_summary(one) for one in shown], total=len(puzzles), games=games, themes=themes, grades=grades
    )


@router.get("/puzzles/today")
async def puzzle_of_the_day(request: Request) -> PuzzleInfo:
    """The puzzle of the day, which changes at midnight UTC."""
    await _loaded(request)
    daily = puzzle_book.of_day(datetime.now(UTC).date())
    return await asyncio.to_thread(_info, daily)


@router.get("/puzzles/{puzzle_id}")
async def puzzle(puzzle_id: str, request: Request) -> PuzzleInfo:
    """A puzzle, without its solution."""
    await _loaded(request)
    return await asyncio.to_thread(lambda: _info(puzzle_book.find(puzzle_id)))


@router.post("/puzzles/{puzzle_id}/answer")
async def answer(
    puzzle_id: str, wanted: PuzzleAnswer, request: Request, tables: TablesHere, player: Player
) -> PuzzleVerdict:
    """Whether the last move is correct, and its continuation."""
    limit(request, "study", player)
    await _loaded(request)
    puzzle_book.find(puzzle_id)
    verdict = await tables.study.ask("solver", "puzzle_answer", puzzle_id, wanted.moves, PUZZLE_NODES)
    return PuzzleVerdict.model_validate(verdict)


async def _loaded(request: Request) -> None:
    """Load the puzzles in one thread, however many pages ask for them after a restart: others need the threads."""
    if not puzzle_book.is_loaded():
        await request.app.state.loading_puzzles.do("puzzles", lambda: asyncio.to_thread(puzzle_book.book))


def _summary(one: Puzzle) -> PuzzleSummary:
    name = one.state.rules.name
    return PuzzleSummary(id=one.id, preset=name, players=one.players, themes=list(one.themes), grade=one.grade)


def _info(one: Puzzle) -> PuzzleInfo:
    shown = position(one.state)
    return PuzzleInfo(
        **_summary(one).model_dump(),
        moves=one.moves,
        facts=facts(one.state.rules),
        view=View.model_validate(shown["view"]),
        hands=shown["hands"],
    )
