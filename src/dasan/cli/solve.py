"""`dasan solve` and `dasan review`: exact analysis of recorded hands, all cards open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dasan.cli.files import AsJson, RecordFile, print_json, read_text, shown
from dasan.cli.group import Refused
from dasan.errors import DasanError

if TYPE_CHECKING:
    from dasan.solver.review import Judged
    from dasan.state import State

Seconds = Annotated[float, typer.Option(min=0.01, help="How long to search at most, for each position.")]
Memory = Annotated[float, typer.Option(min=1, help="Megabytes that the search may take.")]


def solve(
    file: RecordFile,
    before: Annotated[int | None, typer.Option(help="Go back to before the move with this number.")] = None,
    seconds: Seconds = 10,
    memory: Memory = 512,
    as_json: AsJson = False,
) -> None:
    """Say what the last position of a record is worth under best play, and every move of it."""
    from dasan.retrace import moves_of
    from dasan.solver import solve as find

    state = _read(file)
    if before is not None:
        state = next((at for at, _ in moves_of(state) if at.next_seq >= before), state)
    try:
        solution = find(state, seconds=seconds, memory_mb=memory)
    except ValueError as error:
        raise Refused(f"{shown(file)}: {error}; --before goes back to an earlier move") from error
    if as_json:
        print_json(solution.to_json())
        return
    typer.echo(_sentence(solution.value, solution.lower, solution.upper))
    for seat, found in solution.by_bidder.items():
        typer.echo(f"  seat {seat} as bidder: {_sentence(found.value, found.lower, found.upper)}")
    for move in state.legal_moves():
        if solution.scope != "auction":
            worth = solution.moves.get(move)
            typer.echo(f"  {move!s:24}{'?' if worth is None else f'{worth:+}'}")
    if solution.line:
        typer.echo("best play: " + ", ".join(str(move) for move in solution.line))
    typer.echo(f"{solution.scope}; {solution.nodes:,} positions")


def review(
    file: RecordFile,
    seconds: Seconds = 2,
    memory: Memory = 256,
    as_json: AsJson = False,
) -> None:
    """Judge every play of a recorded hand: did it keep the result, and which moves would have."""
    from dasan.retrace import moves_of
    from dasan.solver.review import review as judge
    from dasan.solver.review import turning_point

    moves = list(moves_of(_read(file)))

    def show(judged: Judged) -> None:
        if not as_json:
            typer.echo(_line(judged))

    try:
        found = judge(moves, seconds=seconds, memory_mb=memory, progress=show)
    except ValueError as error:
        raise Refused(f"{shown(file)}: {error}") from error
    turn = turning_point(found)
    if as_json:
        print_json({"moves": [j.to_json() for j in found], "turning_point": None if turn is None else turn.seq})
    elif turn is not None:
        better = " or ".join(str(move) for move in turn.keeping) or "nothing that was found"
        typer.echo(f"Turning point: move {turn.seq}, seat {turn.seat} played {turn.move}; better: {better}")


def _read(file: str) -> State:
    """The hand in a record; the last one of a session."""
    from dasan.record import replay
    from dasan.sessions import Session

    try:
        game = replay(read_text(file))
    except DasanError as error:
        raise Refused(f"{shown(file)}: {error}") from error
    return game.state if isinstance(game, Session) else game


def _sentence(value: int | None, lower: int | None, upper: int | None) -> str:
    if value is not None:
        return f"value {value:+}"
    return "not proved" if lower is None or upper is None else f"not proved: from {lower:+} to {upper:+}"


def _line(j: Judged) -> str:
    verdict = "forced" if j.forced else {True: "keeps the result", False: "LOSES", None: "not proved"}[j.kept]
    return f"{j.seq:>4}  seat {j.seat}  {j.move!s:28}{verdict}, {len(j.keeping)} of {j.choices} moves keep it"
