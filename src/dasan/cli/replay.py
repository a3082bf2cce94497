"""`dasan replay`: a record, move by move."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dasan.cli.files import AsJson, RecordFile, print_json, read_text, shown
from dasan.cli.group import Refused
from dasan.errors import DasanError

if TYPE_CHECKING:
    from dasan.sessions import Session
    from dasan.state import State
    from dasan.tui.words import Words


def replay(
    file: RecordFile,
    hand: Annotated[int | None, typer.Option(min=1, help="Only this hand of a session.")] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after every move.")] = False,
    as_json: AsJson = False,
) -> None:
    """Tell a recorded hand or session move by move, every move checked against the rules."""
    from dasan.record import replay as read
    from dasan.sessions import Session

    if step and (as_json or file == "-"):
        raise Refused("--step waits at the keyboard: it goes neither with --json nor with a record from stdin")
    text = read_text(file)
    try:
        game = read(text)
    except DasanError as error:
        raise Refused(f"{shown(file)}: {error}") from error
    hands = (*game.past, game.state) if isinstance(game, Session) else (game,)
    if hand is not None and hand > len(hands):
        raise Refused(f"{shown(file)} has {len(hands)} {'hand' if len(hands) == 1 else 'hands'}, no hand {hand}")
    wanted = [(i, state) for i, state in enumerate(hands, 1) if hand in (None, i)]
    if as_json:
        print_json(_json(game, wanted))
        return
    for line in _story(game, wanted):
        typer.echo(line)
        if step and line.startswith("  ") and not sys.stdin.readline():
            break


def _story(game: State | Session, hands: list[tuple[int, State]]) -> Iterator[str]:
    """Lines to read; those that tell an event begin with two spaces."""
    from dasan.games import PRESETS
    from dasan.sessions import Session
    from dasan.tui.words import YOU, Words, seat_names, signs

    rules, origin = game.rules, game.origin
    names = seat_names(origin.seats, rules.players)
    words = Words(rules, names, names.index(YOU) if YOU in names else None, signs)
    title = PRESETS[rules.name].title if rules.name in PRESETS else rules.name
    yield f"{title} · {rules.name} · recorded by dasan {origin.engine}"
    if isinstance(game, Session) and hands[0][0] == 1:
        yield from (f"  {words.event(event)}" for event in game.opening)
    for number, state in hands:
        yield ""
        yield from _hand_story(words, number, state)
    if isinstance(game, Session) and words.scored and game.results:
        yield ""
        yield words.balances(game.balances)


def _hand_story(words: Words, number: int, state: State) -> Iterator[str]:
    from dasan.tui.words import signs

    yield words.begun(state.begun, number)
    width = max(len(name) for name in (*words.names, "kitty"))
    for name, cards in zip(words.names, state.begun.hands, strict=True):
        yield f"{name:{width}}  {signs(cards)}"
    if state.begun.kitty:
        yield f"{'kitty':{width}}  {signs(state.begun.kitty)}"
    for event in state.events:
        yield f"  {event.seq:>3}  {words.event(event)}"
    if state.result is None:
        yield "The record ends here; the hand is not over."
    else:
        yield from words.result(state.result)


def _json(game: State | Session, hands: list[tuple[int, State]]) -> dict[str, Any]:
    from dasan.record import result_json
    from dasan.retrace import positions
    from dasan.sessions import Session

    out: dict[str, Any] = {
        "preset": game.rules.name,
        "options": game.rules.options,
        "engine": game.origin.engine,
        "seats": list(game.origin.seats),
        "hands": [],
    }
    for number, state in hands:
        steps: list[dict[str, Any]] = []
        told = 0
        for now in positions(state):
            steps.append(_step_json(now, told))
            told = len(now.events)
        result = None if state.result is None else result_json(state.result)
        out["hands"].append({"number": number, "dealer": state.dealer, "steps": steps, "result": result})
    if isinstance(game, Session):
        out["balances"] = list(game.balances)
    return out


def _step_json(now: State, told: int) -> dict[str, Any]:
    """A position, and the events that led to it from the one before."""
    return {
        "events": [event.to_json() for event in now.events[told:]],
        "phase": now.phase.value,
        "to_act": now.to_act,
        "hands": [str(hand) for hand in now.hands],
        "table": None if now.table is None else {"kind": now.table.kind, "cards": str(now.table)},
        "table_seat": now.table_seat,
    }
