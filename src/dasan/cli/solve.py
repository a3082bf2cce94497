"""`dasan solve`: the values of recorded positions with all cards open."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from dasan.arguments import MOST_WORKERS, quantity
from dasan.cli.files import AsJson, RecordFile
from dasan.cli.group import CannotRun
from dasan.cli.output import say
from dasan.cli.progress import notice
from dasan.cli.recorded import HandNumber, RecordNumber, place_in, print_found, read_hands
from dasan.text.moves import move_words, worth_words
from dasan.text.position import to_act, words_of
from dasan.text.words import bidder_word

if TYPE_CHECKING:
    from dasan.play.state import State
    from dasan.ruleset.rules import Rules
    from dasan.solver.solution import Solution


class ScopeName(StrEnum):
    PARANOID = "paranoid"
    MAX_N = "max-n"


Seconds = Annotated[float, typer.Option(min=0.01, help="The time limit for each position.")]
ScopeChoice = Annotated[
    ScopeName | None,
    typer.Option(
        "--scope",
        help="In games without sides: paranoid (all against the seat to act) or max-n (everybody for themselves).",
    ),
]


def _fits(memory: float) -> float:
    """MemoryError: there is not so much."""
    from dasan.memory import require_memory

    require_memory(memory * 1e6, f"tables of {quantity(memory, 'MB', 'MB')}")
    return memory


Memory = Annotated[float, typer.Option(min=1, max=1 << 20, callback=_fits, help="Memory of the search in megabytes.")]

Threads = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_WORKERS, help="Threads that search together; default and limit: one per processor."),
]


def solve(
    file: RecordFile,
    number: RecordNumber = None,
    hand: HandNumber = None,
    before: Annotated[
        int | None, typer.Option(min=0, help="Solve the position before the move with this number.")
    ] = None,
    seconds: Seconds = 10,
    memory: Memory = 512,
    threads: Threads = None,
    scope: ScopeChoice = None,
    as_json: AsJson = False,
) -> None:
    """Compute the value of a record's last position, and of every legal move there, under best play with all cards open."""
    from dasan.processes import processors
    from dasan.records.retrace import moves_of
    from dasan.solver import solve as find

    states = read_hands(file, number, hand)
    if before is not None:
        for place, state in states.items():
            moves = [at for at, _ in moves_of(state)]
            if not moves or moves[-1].next_seq < before:
                last = f"the last one is {moves[-1].next_seq}" if moves else "nobody has moved"
                raise CannotRun(f"{place_in(file, place)}: there is no move {before}: {last}")
            states[place] = next(at for at in moves if at.next_seq >= before)
    solutions: list[Solution] = []
    for i, (place, state) in enumerate(states.items()):
        if state.to_act is None:
            raise CannotRun(f"{place_in(file, place)}: the hand is over; --before goes back to an earlier move")
        try:
            solution = find(
                state,
                seconds=seconds,
                memory_mb=memory,
                threads=threads or processors(),
                scope=None if scope is None else scope.value,
                notice=notice,
            )
        except ValueError as error:
            raise CannotRun(f"{place_in(file, place)}: {error}") from error
        solutions.append(solution)
        if not as_json:
            say(("\n" if i else "") + (f"Record {place}. " if len(states) > 1 else "") + _solution_text(state, solution))
    if as_json:
        print_found([solution.to_json() for solution in solutions])


def _solution_text(state: State, solution: Solution) -> str:
    lines = [to_act(words_of(state), state)]
    rules = state.rules
    whose = f"the {bidder_word(rules)}" if rules.auction else f"seat {state.to_act}"
    of = "" if solution.scope == "auction" else f" for {whose}"
    lines.append(f"{_sentence(rules, solution)}{of}")
    for seat, value in solution.by_seat.items():
        lines.append(f"  seat {seat}: {worth_words(rules, value)}")
    for seat, hand_value in solution.by_bidder.items():
        lines.append(f"  seat {seat} as bidder, for a bid of 1: {_sentence(rules, hand_value)}")
    for move in state.legal_moves():
        if solution.scope != "auction":
            worth = solution.moves.get(move)
            best = "  best" if worth is not None and worth == solution.value else ""
            lines.append(f"  {move_words(move):24}{'?' if worth is None else worth_words(rules, worth)}{best}")
    if solution.line:
        lines.append("best play: " + ", ".join(move_words(move) for move in solution.line))
    lines.append(f"{solution.scope}; {quantity(solution.nodes, 'position')}")
    return "\n".join(lines)


def _sentence(rules: Rules, solution: Solution) -> str:
    if solution.value is not None:
        return worth_words(rules, solution.value)
    if solution.lower is None or solution.upper is None:
        return "not predicted"
    low, high = sorted((solution.lower, solution.upper))
    return f"not proved: from {worth_words(rules, low)} to {worth_words(rules, high)}"
