"""The checks of `dasan bot-test`: whether a program follows the bot protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from time import monotonic

from dasan.arguments import MOST_SECONDS, instance, items, positive, whole
from dasan.bots import bot
from dasan.bots.external import wire
from dasan.bots.external.program import Program, ProgramBot, split_command
from dasan.bots.external.wire import Fault
from dasan.play.dealing import Deal
from dasan.play.new_hand import deal
from dasan.play.sessions import following
from dasan.play.state import State
from dasan.ruleset.rules import Rules


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check. fault: what went wrong, or None."""

    name: str
    fault: str | None


def check(command: str, games: list[Rules], *, hands: int, seconds: float) -> Iterator[Check]:
    """Run all checks and yield their results; if the program does not start, yield only that.

    command: the program and its arguments, as for a shell. games: rules by which it plays `hands` hands each, in
    turn in every seat (or in those that exchange cards), against random bots. seconds: the time limit for a move. ValueError:
    an argument is wrong.
    """
    words = split_command(command)
    hands, seconds = whole(hands, "hands", 1), positive(seconds, "seconds", MOST_SECONDS)
    games = [instance(one, Rules, "games are a list of rules") for one in items(games, "games are a list of rules")]
    if not games:
        raise ValueError("a program is checked in one game or more")
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


def _moves(player: ProgramBot, state: State, seat: int) -> tuple[list[str], State]:
    """The program's moves in the rest of a hand, in `seat`, against random bots; and the end of the hand."""
    others = [bot("random", seed=s) for s in range(state.rules.players)]
    moves = []
    while state.to_act is not None:
        view = state.view(state.to_act)
        move = (player if state.to_act == seat else others[state.to_act]).choose(view)
        moves += [str(move)] if state.to_act == seat else []
        state = state.play(move)
    player.watch(state.view(seat))
    return moves, state


def _plays(command: str, rules: Rules, hands: int, seconds: float) -> None:
    """Play successive hands, as at a table. The program's seat changes; where seats exchange cards, it is one of them."""
    state = deal(rules, seed=0)
    with ProgramBot(command, seconds=seconds, reported=0) as player:
        for number in range(hands):
            exchanging = state.begun.exchange if isinstance(state.begun, Deal) else None
            seats = exchanging or range(rules.players)
            state = _moves(player, state, seats[number % len(seats)])[1]
            state = following(state, seed=0)


def _repeats(command: str, rules: Rules, seconds: float) -> None:
    state = deal(rules, seed=1, dealer=1)
    answers = []
    for _ in range(2):
        with ProgramBot(command, seconds=seconds, reported=0) as player:
            answers.append(_moves(player, state, 0)[0])
    for number, (one, other) in enumerate(zip_longest(*answers), 1):
        if one != other:
            played = f"move {number} was {one or 'missing'}, then {other or 'missing'}"
            raise Fault("different", f"the same hand was played in two ways: {played}")


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
