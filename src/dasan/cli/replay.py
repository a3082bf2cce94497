"""`dasan replay`: print records move by move."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from dasan.cli.files import AsJson, RecordFile
from dasan.cli.group import CannotRun
from dasan.cli.output import say
from dasan.cli.recorded import RecordNumber, hands_of, no_hand, print_found, read_games
from dasan.text.position import held, to_act, words_of

if TYPE_CHECKING:
    from dasan.play.sessions import Session
    from dasan.play.state import State
    from dasan.text.words import Words

    Chosen: TypeAlias = tuple[int, State | Session, list[tuple[int, State]]]
    """(position of a record in the file, the record, the chosen hands by number)."""


def replay(
    file: RecordFile,
    number: RecordNumber = None,
    hand: Annotated[int | None, typer.Option(min=1, help="Only this hand of a session.")] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after every move.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a recorded hand or session move by move; every move is checked against the rules."""
    if step and (as_json or file == "-"):
        raise CannotRun("--step reads the keyboard: it excludes --json and records from stdin")
    games = read_games(file, number)
    for place, game in games.items():
        if hand is not None and hand > len(hands_of(game)):
            raise no_hand(file, place, game, hand)
    chosen: list[Chosen] = [
        (place, game, [(i, state) for i, state in enumerate(hands_of(game), 1) if hand in (None, i)])
        for place, game in games.items()
    ]
    if as_json:
        print_found([_json(game, hands) for _, game, hands in chosen])
        return
    for line in _stories(chosen):
        say(line)
        if step and line.startswith("  ") and not sys.stdin.readline():
            break


def _stories(chosen: list[Chosen]) -> Iterator[str]:
    """The lines to print; event lines begin with two spaces."""
    for i, (place, game, hands) in enumerate(chosen):
        if i:
            yield ""
        yield from _story(f"Record {place}. " if len(chosen) > 1 else "", game, hands)


def _story(heading: str, game: State | Session, hands: list[tuple[int, State]]) -> Iterator[str]:
    from dasan.play.sessions import Session
    from dasan.text.description import title

    rules, origin = game.rules, game.origin
    words = words_of(hands[0][1])
    yield f"{heading}{title(rules)} · {rules.name} · recorded by dasan {origin.engine}"
    if isinstance(game, Session) and hands[0][0] == 1:
        yield from (f"  {words.event(event)}" for event in game.opening)
    for number, state in hands:
        yield ""
        yield from _hand_story(words, number, state)
    if isinstance(game, Session) and words.rules.pays and game.results:
        yield ""
        yield words.balances(game.balances)


def _hand_story(words: Words, number: int, state: State) -> Iterator[str]:
    from dasan.play.dealing import Deal
    from dasan.records.retrace import positions
    from dasan.ruleset.policies import Leftover
    from dasan.text.words import signs

    first = next(positions(state))
    dealt = isinstance(state.begun, Deal)
    yield words.begun(state.begun, number) if dealt else f"Hand {number}, from a given position."
    name = ""
    if state.begun.kitty:
        name = "kitty" if state.rules.leftover is Leftover.BIDDER else "left over"
    yield from held(words, first, len(name))
    if name:
        yield f"{name:{max(map(len, words.names))}}  {signs(state.begun.kitty)}"
    if not dealt:
        yield to_act(words, first)
    for event in state.events:
        yield f"  {event.seq:>3}  {words.event(event)}"
    if state.result is None:
        yield f"The record ends here; the hand is not over. {to_act(words, state) if state.events else ''}".rstrip()
    else:
        yield from words.result(state.result)


def _json(game: State | Session, hands: list[tuple[int, State]]) -> dict[str, Any]:
    from dasan.play.sessions import Session
    from dasan.records.retrace import positions

    out: dict[str, Any] = {
        "preset": game.rules.name,
        "options": game.rules.options,
        "engine": game.origin.engine,
        "seats": list(game.origin.seats),
        "hands": [],
    }
    for number, state in hands:
        steps: list[dict[str, Any]] = []
        shown = 0
        for now in positions(state):
            steps.append(_step_json(now, shown))
            shown = len(now.events)
        result = None if state.result is None else state.result.to_json()
        out["hands"].append({"number": number, "dealer": state.dealer, "steps": steps, "result": result})
    if isinstance(game, Session):
        out["balances"] = list(game.balances)
    return out


def _step_json(now: State, shown: int) -> dict[str, Any]:
    """A position, and the events since the previous one."""
    return {
        "events": [event.to_json() for event in now.events[shown:]],
        "phase": now.phase.value,
        "to_act": now.to_act,
        "hands": [str(hand) for hand in now.hands],
        "table": None if now.table is None else {"kind": now.table.kind, "cards": str(now.table)},
        "table_seat": now.table_seat,
        "passed": list(now.passed),
    }
