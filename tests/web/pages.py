"""Pages around the table with fixed contents: a finished hand and its review, a profile, no server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route
from pydantic import BaseModel
from tests.web.browsing import answer
from tests.web.states import finished, show

import dasan
from dasan import puzzles
from dasan.server.protocol.bidding import BiddingHand
from dasan.server.protocol.hand import Result
from dasan.server.protocol.people import History, HistoryChoices, Me, Profile, Rating, RatingPoint, RoleStatistics
from dasan.server.protocol.rest import HandInfo, HandSeat, HandSummary, HandTurn, Lobby, LobbyTable, TurningPoint
from dasan.server.protocol.study import Habit, Habits, ReviewNote, ReviewNotes
from dasan.server.protocol.table import SeatInfo, TableSettings
from dasan.server.study import bid_practice
from dasan.server.study.puzzle_play import verdict
from dasan.server.tables.facts import facts, title_of
from dasan.server.workers import jobs

LOOKS = Path(__file__).parent / "looks"
VERDICTS = {"review": LOOKS / "review.ndjson", "known": LOOKS / "known.ndjson"}
"""The server's judgement of the finished hand's moves, recorded once by :func:`judge`."""
LINE = LOOKS / "line.json"
"""Its judgement of the position in which another line is tried."""
AT = 7
"""The move of the hand that the page shows."""
DAY = "2026-03-01T19:30:00.000+00:00"
HAND = "/h/fixed"


def judge() -> None:
    """Review the fixed hand, and record the review."""
    record = finished().record()
    moves = list(jobs.review(record, 20.0, 600.0, 256.0))
    turning = sorted(move["seq"] for move in moves if move["type"] == "move" and move["kept"] is False)
    done = {"type": "done", "turning_points": turning, "last_chance": None, "complete": True}
    _write(VERDICTS["review"], [*(move for move in moves if move["type"] == "move"), done])
    _write(VERDICTS["known"], [*jobs.known(record, 600.0), {"type": "done", "complete": True}])
    _write(LINE, [jobs.solve(record, _seq(finished(), AT), [], 600.0, 256.0)])


def _write(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")


def review(page: Page) -> None:
    """The hand's page at its fourth play, before the verdicts are requested."""
    state = finished()
    bodies = {
        "/record": state.record(),
        "/review": VERDICTS["review"].read_text(encoding="utf-8"),
        "/known": VERDICTS["known"].read_text(encoding="utf-8"),
        "/notes": ReviewNotes(
            notes=[ReviewNote(seq=_seq(state, AT), text="The nine was enough.")], next=None
        ).model_dump_json(),
        "/solve": LINE.read_text(encoding="utf-8"),
    }
    info = hand_info(state).model_dump_json()

    def tell(route: Route) -> None:
        path = route.request.url.partition("?")[0]
        route.fulfill(body=next((body for end, body in bodies.items() if path.endswith(end)), info))

    page.route("**/api/hands/**", tell)
    page.goto(f"{HAND}?move={_seq(state, AT)}")
    page.locator(".moves .here").wait_for()


def reviewed(page: Page) -> None:
    """The same with the verdicts."""
    review(page)
    page.locator(".right button.primary").first.click()
    page.get_by_text("Turning points").wait_for()
    page.get_by_text("Mean over").wait_for()
    page.mouse.move(0, 0)


def decided(page: Page) -> None:
    """The result of the hand, with the move that decided it."""
    moves = map(json.loads, VERDICTS["review"].read_text(encoding="utf-8").splitlines())
    move = next(one for one in moves if one["type"] == "move" and one["kept"] is False and one["keeping"])
    point = TurningPoint(move=move, held=False)
    page.route("**/api/hands/*/turning", lambda route: route.fulfill(body=point.model_dump_json()))
    show(page, "settlement")
    page.locator(".turning a").wait_for()


def line(page: Page) -> None:
    """The page with another line tried."""
    reviewed(page)
    page.get_by_role("button", name="Try another line").click()
    page.get_by_role("button", name="Back to the game").wait_for()
    page.get_by_role("button", name="Try another line").wait_for(state="detached")


def _seq(state: dasan.State, at: int) -> int:
    moves = [event for event in state.events if event.type in ("bid", "pass", "play")]
    return moves[at].seq


def hand_info(state: dasan.State) -> HandInfo:
    assert state.result is not None
    names = ["Ada", "Master Hu", "Lan"]
    return HandInfo(
        id="fixed",
        table="fixed",
        event=None,
        number=1,
        preset="big-three",
        title=title_of("big-three"),
        options=state.rules.options,
        facts=facts(state.rules),
        finished=DAY,
        seats=[
            HandSeat(seat=seat, name=name, kind="bot" if seat else "human", bot="greedy" if seat else None, player=None)
            for seat, name in enumerate(names)
        ],
        result=Result.model_validate(state.result, from_attributes=True),
        doublings=[],
        you=0,
        shown=True,
    )


def profile(page: Page) -> None:
    """The player's own page: an account with ratings, statistics, habits and hands."""
    climbing = [1500 + 9 * at - 40 * (at % 5 == 2) for at in range(24)]
    ratings = [
        Rating(preset="big-three", players=3, rating=climbing[-1], deviation=62, hands=24, provisional=False, level=7),
        Rating(preset="big-two", players=4, rating=1466, deviation=140, hands=6, provisional=True, level=None),
    ]
    points = [RatingPoint(at=DAY, rating=rating).model_dump() for rating in climbing]
    statistics = [
        RoleStatistics(preset="big-three", role="bidder", hands=9, won=5, payment=14),
        RoleStatistics(preset="big-three", role="defender", hands=15, won=8, payment=3),
        RoleStatistics(preset="big-two", role="player", hands=6, won=1, payment=-11),
    ]
    habits = Habits(
        preset="big-three",
        unit="payment",
        hands=12,
        habits=[
            Habit(habit="bid-high", decisions=12, mistakes=4, cost=0.61, hand="a", seq=5),
            Habit(habit="spend", decisions=70, mistakes=9, cost=0.32, hand="b", seq=31),
        ],
    )
    hands = [_summary(number, paid) for number, paid in enumerate((3, -3, 6, -1, 2), 1)]
    answers: dict[str, object] = {
        "/api/me": Me(id="p", name="Ada", account="Ada", password=True).model_dump(),
        "/api/me/profile": Profile(name="Ada", kind="account", ratings=ratings, statistics=statistics).model_dump(),
        "/api/me/habits": [habits.model_dump()],
        "/api/me/history": History(hands=hands, before=None).model_dump(),
        "/api/me/history/choices": HistoryChoices(
            presets=["big-three", "big-two"],
            roles=["bidder", "defender", "player"],
            bids=[1, 3],
            opponents=["Blaise", "bot:level-4"],
        ).model_dump(),
        "/api/me/sessions": [],
        "/api/me/passkeys": [],
        "/api/account/sessions": [],
        "/api/account/passkeys": [],
    }

    def tell(route: Route) -> None:
        path = "/api" + route.request.url.partition("/api")[2].partition("?")[0]
        route.fulfill(json=points if "/ratings/" in path else answers[path])

    page.route("**/api/me**", tell)
    page.route("**/api/me/**", tell)
    page.route("**/api/account/**", tell)
    page.goto("/me")
    page.locator("a[href^='/h/']").first.wait_for()
    page.locator("svg[role=img]").first.wait_for()


def player(page: Page) -> None:
    """Another player's page: ratings with charts, and statistics."""
    ratings = [
        Rating(preset="big-three", players=3, rating=1707, deviation=62, hands=24, provisional=False, level=7),
        Rating(preset="winner", players=5, rating=1466, deviation=140, hands=6, provisional=True, level=None),
    ]
    points = [RatingPoint(at=DAY, rating=1500 + 9 * at).model_dump() for at in range(24)]
    statistics = [
        RoleStatistics(preset="big-three", role="bidder", hands=9, won=5, payment=14),
        RoleStatistics(preset="winner", role="player", hands=6, won=1, payment=-11),
    ]
    profile = Profile(name="Blaise", kind="account", ratings=ratings, statistics=statistics)

    def tell(route: Route) -> None:
        route.fulfill(json=points if "/ratings/" in route.request.url else profile.model_dump())

    page.route("**/api/people/**", tell)
    page.goto("/players/Blaise")
    page.locator("svg[role=img]").first.wait_for()


def claimed(page: Page) -> None:
    """A personal link has brought a seat to this browser."""
    page.route(
        "**/api/me/claim", lambda route: route.fulfill(body=Me(id="p", name="Ada", account=None).model_dump_json())
    )
    page.goto("/link/fixed")
    page.locator("main button").click()
    page.locator("main a").wait_for()


def unclaimed(page: Page) -> None:
    """A personal link that the server does not know."""
    page.goto("/link/fixed")
    page.locator("main button").click()
    page.get_by_role("alert").wait_for()


def lobby(page: Page) -> None:
    """A start page with tables to join and to watch, and one to continue."""
    seats = [
        SeatInfo(seat=0, name="Ada", kind="human"),
        SeatInfo(seat=1, name="", kind="bot", bot="level-4"),
        SeatInfo(seat=2, name="", kind="open"),
    ]
    table = LobbyTable(
        id="fixed",
        preset="big-three",
        title=title_of("big-three"),
        players=3,
        created=DAY,
        status="waiting",
        seats=seats,
        open=1,
        settings=TableSettings(),
        number=3,
        watch=True,
    )
    content = Lobby(open=[table], live=[table.model_copy(update={"id": "live", "status": "playing", "open": 0})])
    page.route("**/api/lobby", lambda route: route.fulfill(body=content.model_dump_json()))
    page.goto("/")
    page.locator('a[href="/t/live"]').wait_for()


def _summary(number: int, paid: int) -> HandSummary:
    payments = [paid, -paid, 0]
    return HandSummary(
        id=f"h{number}",
        number=number,
        preset="big-three",
        title=title_of("big-three"),
        finished=DAY,
        names=["Ada", "Blaise", "Lan"],
        seat=0,
        payments=payments,
        winners=[0] if paid > 0 else [1, 2],
        finish_order=[0] if paid > 0 else [1],
        rated=True,
        bots=[None, None, "level-4"],
        role="bidder" if paid != 2 else "defender",
        bid=abs(paid) if paid != 6 else 3,
        turn=HandTurn(seq=5, seat=number % 3) if number > 1 else None,
    )


def puzzle(page: Page) -> None:
    """An easy puzzle of the package."""
    page.goto(f"/puzzles/{puzzles.load(players=3, grade=2)[0].id}")
    page.locator("button[data-at]").first.wait_for()


def puzzle_list(page: Page) -> None:
    page.goto("/puzzles")
    page.locator(".list a").first.wait_for()


def missed(page: Page, players: int = 3) -> None:
    """A wrong answer to a puzzle, and its refutation."""
    easy = (one for one in puzzles.load(players=players, grade=1) if one.tempting)
    wanted = next(one for one in easy if len(verdict(one, [str(one.tempting[0])], 1_000_000)["reply"]) > 1)
    page.goto(f"/puzzles/{wanted.id}")
    answer(page, str(wanted.tempting[0]))
    page.locator(".verdict.wrong").wait_for()


def bidding(page: Page) -> None:
    """A hand of the bidding trainer, whose server draws them."""
    preset, view = "big-three", bid_practice.shown("big-three", bytes(32))
    known = facts(dasan.rules(preset))
    hand = BiddingHand.model_validate(
        {"id": "fixed", "preset": preset, "title": title_of(preset), "facts": known, "view": view}
    )

    def deal(route: Route) -> None:
        route.fulfill(body=hand.model_dump_json()) if route.request.method == "POST" else route.fallback()

    page.route("**/api/bidding/*", deal)
    page.goto("/bidding")
    page.locator("[data-bid]").first.wait_for()


def lesson(page: Page) -> None:
    """A step of a lesson that asks for a move."""
    page.goto("/learn/big-three")
    page.locator("[data-do=next]").click()
    page.locator("button[data-at]").first.wait_for()


def lesson_wrong(page: Page) -> None:
    """A wrong answer in a lesson."""
    lesson(page)
    answer(page, "9C")
    page.locator(".verdict.wrong").wait_for()


def goes_to(path: str, there: str) -> Callable[[Page], None]:
    """Opens an address and waits until something appears."""

    def opened(page: Page) -> None:
        page.goto(path)
        page.locator(there).first.wait_for()

    return opened


def presses(button: str, there: str) -> Callable[[Page], None]:
    """Opens the start page and presses one of its buttons."""

    def opened(page: Page) -> None:
        page.goto("/")
        page.get_by_role("button", name=button, exact=True).first.click()
        page.locator(there).first.wait_for()

    return opened


def missing(page: Page) -> None:
    """An address without a page."""
    page.goto("/nowhere")
    page.get_by_text("There is no such page.").wait_for()


def no_table(page: Page) -> None:
    page.goto("/t/none")
    page.get_by_text("There is no such table.").wait_for()


def silent(page: Page) -> None:
    """The server does not answer."""
    page.route("**/api/**", lambda route: route.abort())


def down(page: Page) -> None:
    silent(page)
    page.goto("/")
    page.get_by_text("The server does not answer.").wait_for()


def puzzles_down(page: Page) -> None:
    silent(page)
    page.goto("/puzzles")
    page.get_by_text("The server does not answer.").wait_for()


AROUND: dict[str, Callable[[Page], None]] = {
    "review": review,
    "reviewed": reviewed,
    "profile": profile,
    "puzzle": puzzle,
    "puzzles": puzzle_list,
    "lesson-move": lesson,
    "lesson-wrong": lesson_wrong,
    "missed": missed,
    "line": line,
    "shelf": goes_to("/learn", "li .button"),
    "rules": goes_to("/rules/winner", "[data-clause]"),
    "guest": goes_to("/me", "form"),
    "settings": presses("Settings", "section.settings"),
    "options": presses("Options: Winner", "dialog[open] select"),
    "friends": presses("With friends: Big Two", "dialog[open] select"),
    "missing": missing,
    "no-table": no_table,
    "down": down,
    "puzzles-down": puzzles_down,
    "player": player,
    "personal-link": goes_to("/link/fixed", "main button"),
    "claimed": claimed,
    "unclaimed": unclaimed,
    "lobby": lobby,
}
"""Opens each of these pages and waits until it is complete."""


def checked(path: Path, *kinds: type[BaseModel]) -> int:
    """The number of lines of a recorded review; checks that each is one of these messages."""
    by_type = {kind.model_fields["type"].annotation.__args__[0]: kind for kind in kinds}  # type: ignore[union-attr]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        by_type[line["type"]].model_validate(line)
    return len(lines)
