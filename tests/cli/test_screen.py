"""The full-screen table, played with Textual's pilot by keyboard and by mouse."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

import dasan
from dasan.games import PRESETS
from dasan.play.moves import MoveType
from dasan.play.phases import Phase
from dasan.records.verify import verify
from dasan.text.words import Words
from dasan.tui.app import Action, TableApp
from dasan.tui.asking import question
from dasan.tui.fan import Fan
from dasan.tui.screens import CallScreen, PageScreen

from .hands import greedy_game, opening_seed, play_on

SIZE = (100, 30)


def table(preset: str, seed: int = 7, **options: bool | int | str) -> TableApp:
    return TableApp(greedy_game(preset, seed, **options), pace=0)


async def my_turn(app: TableApp, pilot: Pilot[None]) -> None:
    """Wait until the bots have moved."""
    while not app.game.my_turn and not app.game.over:
        await pilot.pause()
    await pilot.pause()


async def answer(app: TableApp, pilot: Pilot[None]) -> None:
    """Make one sensible move with the keyboard alone."""
    wanted = app.game.hint()
    match wanted.type:
        case MoveType.PASS:
            await pilot.press("p")
        case MoveType.BID:
            await pilot.press(str(wanted.bid))
        case MoveType.PLAY | MoveType.OFFER:
            await pilot.press("h", "enter")
        case MoveType.CALL:
            assert isinstance(app.screen, CallScreen)
            await pilot.press("right", "down", "up", "enter")
        case MoveType.GIVE | MoveType.TAKE:
            await pilot.press("slash", *str(wanted.cards[0]), "enter")
    await pilot.pause()


async def play_hand(app: TableApp, pilot: Pilot[None]) -> None:
    while True:
        await my_turn(app, pilot)
        if app.game.over:
            return
        before = app.game.session
        await answer(app, pilot)
        assert app.game.session is not before, "every answer is a move"


def shown(app: TableApp, selector: str) -> str:
    return str(app.screen_stack[0].query_one(selector, Static).render())


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("preset", PRESETS)
async def test_a_whole_hand_is_played_by_keyboard(preset: str) -> None:
    app = table(preset)
    hand = 2 if app.game.rules.exchange else 1
    play_on(app.game, hands=hand - 1)
    async with app.run_test(size=SIZE) as pilot:
        if hand == 2:
            await pilot.press("enter")
        await play_hand(app, pilot)
        assert app.game.session.number == hand
        assert "win" in shown(app, "#caption")
        await pilot.press("enter")
        assert app.game.session.number == hand + 1
    verify(app.game.session.record())


@pytest.mark.full
async def test_the_highest_bid_of_wa_keng_for_four_has_a_key() -> None:
    app = table("wa-keng-4", opening_seed("wa-keng-4"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("4")
        await pilot.pause()
        assert app.game.view.bid == 4


@pytest.mark.full
async def test_the_bidder_calls_a_card_and_looks_at_the_table_first() -> None:
    app = table("big-three-4p", opening_seed("big-three-4p"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("3")
        await pilot.pause()
        assert isinstance(app.screen, CallScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert app.game.view.phase is Phase.CALL
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, CallScreen)
        await pilot.press("down", "enter")
        await pilot.pause()
        assert app.game.session.state.called is not None


@pytest.mark.full
async def test_cards_are_raised_by_mouse_and_played_by_button() -> None:
    app = table("big-two", opening_seed("big-two"))
    async with app.run_test(size=SIZE) as pilot:
        hand = app.hand
        left, step = hand._left(0, hand.size.width), hand._rows(hand.size.width)[1]
        await pilot.click("#hand", offset=(hand.styles.padding.left + left + 1 + step, 2))
        assert hand.chosen == {1}
        assert "the first lead must include the 3D — D2.11" in shown(app, "#asked")
        await pilot.click("#hand", offset=(hand.styles.padding.left + left + 1 + step, 1))
        await pilot.click("#hand", offset=(hand.styles.padding.left + left + 1, 2))
        assert [str(c) for c in hand.chosen_cards] == ["3D"]
        await pilot.click(next(b for b in app.query(Action) if b.does == "play"))
        await pilot.pause()
        assert [str(e.cards[0]) for e in app.game.view.events if e.type == "play"][:1] == ["3D"]


@pytest.mark.parametrize("size", [(80, 24), (104, 24)])
async def test_a_guards_duty_is_shown_whole(size: tuple[int, int]) -> None:
    app = table("big-two", opening_seed("big-two"))
    rules = dasan.rules("big-two")
    lead = dasan.start(rules, ["5C 9H KD", "AS", "6D 6C", "7D 7C"], leader=0)
    sentence = question(lead.view(0), Words(rules, ("You", "Bot 1", "Bot 2", "Bot 3"), 0))
    async with app.run_test(size=size) as pilot:
        await my_turn(app, pilot)
        app._tell(sentence)
        await pilot.pause()
        asked = app.screen.query_one("#asked", Static)
        lines = [strip.text.strip() for strip in asked.render_lines(asked.size.region)]
        assert " ".join(lines).strip() == sentence
        assert app.screen.query_one("#actions").region.bottom <= size[1]


async def test_cards_are_raised_by_their_rank() -> None:
    app = table("big-three", opening_seed("big-three"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("1")
        while app.game.view.phase is not Phase.PLAY or not app.game.my_turn:
            if app.game.my_turn:
                await pilot.press("p")
            await pilot.pause()
        rank = app.hand.cards[-1].rank
        same = [c for c in app.hand.cards if c.rank == rank]
        for n in range(1, len(same) + 1):
            await pilot.press(rank.lower())
            assert app.hand.chosen_cards == tuple(same[:n])
        await pilot.press(rank.lower())
        assert app.hand.chosen_cards == ()
        await pilot.press("s")
        assert app.hand.chosen_cards == app.game.view.legal_moves()[0].cards
        await pilot.press("escape")
        assert app.hand.chosen_cards == ()
        await pilot.press("end", "space")
        assert app.hand.chosen_cards == app.hand.cards[-1:]


async def test_a_refusal_stands_where_the_question_stood() -> None:
    app = table("big-three", opening_seed("big-three"))
    async with app.run_test(size=SIZE) as pilot:
        assert shown(app, "#asked") == "Your bid: bid 1, bid 2 or bid 3?"
        await pilot.press("p")
        assert shown(app, "#asked") == "you open the auction and must bid at least 1 — B3.08"
        await pilot.press("slash", *"bid 9", "enter")
        assert "B3.08" in shown(app, "#asked")
        assert app.game.my_turn


@pytest.mark.sampled(1, 2)
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (104, 30), (200, 60)])
async def test_it_fits(size: tuple[int, int]) -> None:
    app = table("winner", players=4, decks=2, jokers=True)
    async with app.run_test(size=size) as pilot:
        await my_turn(app, pilot)
        assert len(app.hand.cards) == 27
        rows = [app.hand.render_line(y).text for y in range(app.hand.size.height)]
        assert sum(row.count("▏") for row in rows) == 27 * 3
        assert all(len(row) == app.hand.size.width for row in rows)
        assert app.query_one("#actions").region.bottom <= size[1]
        for x in range(app.hand.size.width):
            at = app.hand._card_at(x, 2)
            assert (at is not None) == _on_paper(app.hand, x)


def _on_paper(fan: Fan, x: int) -> bool:
    """Whether a card lies at this column of the first row."""
    for segment in fan.render_line(2):
        if x < len(segment.text):
            return segment.style is not None and segment.style.bgcolor != fan.rich_style.bgcolor
        x -= len(segment.text)
    return False


@pytest.mark.full
async def test_pages_open_and_close() -> None:
    app = table("big-two")
    async with app.run_test(size=SIZE) as pilot:
        for key in ("r", "question_mark"):
            await pilot.press(key)
            await pilot.pause()
            assert isinstance(app.screen, PageScreen)
            await pilot.press("escape")
            await pilot.pause()
            assert not isinstance(app.screen, PageScreen)


async def test_a_hint_is_raised_or_said() -> None:
    app = table("big-three", opening_seed("big-three"))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("h")
        assert shown(app, "#asked") == f"A bot would say: {app.game.hint()}"
        while app.game.view.phase is not Phase.PLAY or not app.game.my_turn or app.game.view.table is not None:
            await answer(app, pilot)
            await my_turn(app, pilot)
        await pilot.press("h")
        assert app.hand.chosen_cards == app.game.hint().cards
