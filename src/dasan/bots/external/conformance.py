"""The checks of `dasan bot-test`: whether a program follows the bot protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic

from dasan.bots import bot
from dasan.bots.external import wire
from dasan.bots.external.program import Program, ProgramBot, split_command
from dasan.bots.external.wire import Fault
from dasan.play.new_hand import deal
from dasan.ruleset.rules import Rules


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check. fault: what went wrong, or None."""

    name: str
    fault: str | None


def check(command: str, games: list[Rules], *, hands: int, seconds: float) -> Iterator[Check]:
    """Run all checks and yield their results; if the program does not start, yield only that.

    command: the program and its arguments, as for a shell. games: rules by which it plays `hands` hands each, in every seat by
    turns, against random bots. seconds: the time limit for a move.
    """
    words = split_command(command)
    begun = _attempt("says hello", lambda: _says_hello(words))
    yield begun
    if begun.fault is not None:
        return
    yield _attempt("exits on the message quit", lambda: _ends(words, quit=True))
    yield _attempt("exits at the end of its input", lambda: _ends(words, quit=False))
    for rules in games:
        yield _attempt(f"plays {rules.name}", lambda rules=rules: _plays(command, rules, hands, seconds))  # type: ignore[misc]
    rules = games[0]
    yield _attempt("ignores unknown messages", lambda: _skips(words, rules, seconds))
    yield _attempt("accepts a new hand in the middle of another", lambda: _drops(words, rules, seconds))
    yield _attempt("chooses the same move for the same hand", lambda: _repeats(command, rules, seconds))


def _attempt(name: str, work: Callable[[], None]) -> Check:
    try:
        work()
    except Fault as fault:
        return Check(name, f"{fault.kind}: {fault}")
    return Check(name, None)


def _says_hello(words: list[str]) -> None:
    Program(words).kill()


def _ends(words: list[str], *, quit: bool) -> None:
    program = Program(words)
    status = program.close() if quit else program.hang_up()
    if status is None:
        raise Fault("stall", "it still runs after two seconds")
    if status != 0:
        raise Fault("crash", f"its exit status is {status}")


def _moves(player: ProgramBot, rules: Rules, seed: int, seat: int) -> list[str]:
    """The program's moves in one hand, in `seat`, against random bots."""
    others = [bot("random", seed=s) for s in range(rules.players)]
    state = deal(rules, seed=seed, dealer=seed % rules.players)
    moves = []
    while state.to_act is not None:
        view = state.view(state.to_act)
        move = (player if state.to_act == seat else others[state.to_act]).choose(view)
        moves += [str(move)] if state.to_act == seat else []
        state = state.play(move)
    player.watch(state.view(seat))
    return moves


def _plays(command: str, rules: Rules, hands: int, seconds: float) -> None:
    with ProgramBot(command, seconds=seconds) as player:
        for number in range(hands):
            _moves(player, rules, number, number % rules.players)


def _repeats(command: str, rules: Rules, seconds: float) -> None:
    answers = []
    for _ in range(2):
        with ProgramBot(command, seconds=seconds) as player:
            answers.append(_moves(player, rules, 1, 0))
    if answers[0] != answers[1]:
        raise Fault("different", "the same hand was played in two ways: records cannot be reproduced")


def _skips(words: list[str], rules: Rules, seconds: float) -> None:
    state = deal(rules, seed=2)
    view = state.view(state.to_act)
    seen = view.to_json()
    program = Program(words)
    unknown = {"type": "weather", "text": "a later version may say this"}
    messages = [wire.hand(view), unknown, wire.events([e.to_json() for e in view.events])]
    wire.move(program.ask([*messages, {**wire.choose(1, seconds, seen), "later": True}], seconds), 1, seen)
    program.kill()


def _drops(words: list[str], rules: Rules, seconds: float) -> None:
    program = Program(words)
    until = monotonic() + 4 * seconds
    for number in (1, 2, 3):
        state = deal(rules, seed=number)
        view = state.view(state.to_act)
        seen = view.to_json()
        messages = [wire.hand(view), wire.events([e.to_json() for e in view.events]), wire.choose(number, seconds, seen)]
        wire.move(program.ask(messages, min(seconds, until - monotonic())), number, seen)
    program.kill()


__all__ = ["Check", "check"]
