"""The jobs of worker processes: plain functions, called by name.

A generator job streams its results. Arguments are texts, numbers and views; results are plain data.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import dasan
from dasan import bots
from dasan.bots.protocol import ExplainingBot
from dasan.play.events import MOVES
from dasan.server.workers.warming import Part, warm_hints, warm_solver

if TYPE_CHECKING:
    from dasan.review.best_play import Judged

MOST_CANDIDATES = 12


def choose(name: str, view: dasan.View) -> tuple[str, float]:
    """(the bot's move as text, thinking time in seconds). The time to compile new rules does not count: tables with many
    different house rules would otherwise make a quick bot count as slow.
    """
    bot = _bot(name)
    view.rules.catalogue.fits(())
    begun = time.perf_counter()
    return str(bot.choose(view)), time.perf_counter() - begun


def turn() -> None:
    """Do nothing, so that the caller waits as long as for the start of any job."""


def explain(name: str, view: dasan.View) -> dict[str, Any]:
    """The bot's advice: the ``unit`` of its values, and ``candidates``, best first."""
    explanation = _bot(name).explain(view)
    legal = {one["move"]: one for one in view.to_json()["legal_moves"]}
    candidates = [
        {"move": legal[str(one.move)], "value": one.value, "reasons": [reason.to_json() for reason in one.reasons]}
        for one in explanation.moves
        if str(one.move) in legal
    ]
    return {"unit": explanation.unit, "candidates": candidates[:MOST_CANDIDATES]}


def advise(record: str, seq: int, name: str) -> dict[str, Any]:
    """The bot's move before event ``seq`` of a finished hand, from the view of the seat to act."""
    state = before(_hand(record), seq)
    return {"bot": name, **explain(name, state.view(state.to_act))}


def known(record: str, seconds: float) -> Iterator[dict[str, Any]]:
    """The moves of a finished hand in order, judged by their players' information."""
    from dasan.review import expected as knowing

    for one in knowing.known(_hand(record), seconds=seconds):
        yield {"type": "known", **one.to_json()}


def review(record: str, seconds: float, total: float, memory_mb: float, threads: int = 1) -> Iterator[dict[str, Any]]:
    """The moves of a finished hand, judged with all hands open, as ``judge_within`` yields them, possibly repeatedly;
    then, if known, the decisive move (``decided``, and ``by`` as in ``TurningPoint``).

    seconds: per position; total: for the hand.
    """
    from dasan.review.rounds import judge_within

    moves = {}
    for one in judge_within(_hand(record), total, seconds=seconds, memory_mb=memory_mb, threads=threads):
        moves[one.seq] = one
        yield _judged(one)
    decided = _decided((moves[seq] for seq in sorted(moves, reverse=True)), once=True)
    if decided["move"] is not None or decided["held"]:
        yield {"type": "decided", "by": decided}


def turning(record: str, seconds: float, total: float, memory_mb: float) -> dict[str, Any]:
    """The decisive move of a finished hand, with all hands open: see ``TurningPoint``. seconds, total: as for
    `review`.
    """
    from dasan.review.rounds import judge_within
    from dasan.solver.open_hands import applies

    state = _hand(record)
    return _decided(judge_within(state, total, seconds=seconds, memory_mb=memory_mb), once=not applies(state))


def _decided(moves: Iterable[Judged], *, once: bool) -> dict[str, Any]:
    from dasan.review.best_play import decisive

    turning_point, held = decisive(moves, once=once)
    return {"move": None if turning_point is None else _judged(turning_point), "held": held}


def _judged(one: Judged) -> dict[str, Any]:
    row = one.to_json()
    row.pop("share")
    return {"type": "move", **row}


def par(record: str, seconds: float, memory_mb: float) -> list[int] | None:
    """The payments by seat of a finished hand if both sides had played best after its auction, with all hands open; None if the
    solver does not prove them within `seconds`, or does not play these rules.
    """
    from dasan.play.scoring import settle_first_out
    from dasan.records.retrace import moves_of
    from dasan.solver.open_hands import applies

    state = _hand(record)
    dealt = next((now for now, _ in moves_of(state) if now.phase is dasan.Phase.PLAY), None)
    if dealt is None or not applies(dealt):
        return None
    value = dasan.solve(dealt, seconds=seconds, memory_mb=memory_mb, moves=False).value
    if value is None:
        return None
    first = next(seat for seat in range(state.rules.players) if (seat in dealt.partners) == (value > 0))
    return list(settle_first_out(dealt.then(finished=(first,))).payments or ())


def solve(record: str, seq: int, moves: list[str], seconds: float, memory_mb: float) -> dict[str, Any]:
    """The value of the variation ``moves`` from a finished hand's position before event ``seq``."""
    state = before(_hand(record), seq)
    for text in moves:
        state = state.play(text)
    answer: dict[str, Any] = {"value": None, "exact": False, "scope": None, "moves": {}}
    if state.phase != "over":
        try:
            solution = dasan.solve(state, seconds=seconds, memory_mb=memory_mb)
        except ValueError:
            # No solver supports these rules or this phase: show the position without a value.
            pass
        else:
            answer = {name: value for name, value in solution.to_json().items() if name in answer}
    return {**answer, **position(state)}


def position(state: dasan.State) -> dict[str, Any]:
    """A position with open hands, for the page: the view of the seat to act, and all hands."""
    view = state.view(state.to_act).to_json()
    return {
        "to_act": state.to_act,
        "phase": state.phase.value,
        "legal_moves": view["legal_moves"],
        "view": view,
        "hands": [[str(card) for card in hand] for hand in state.hands],
    }


def before(state: dasan.State, seq: int) -> dasan.State:
    """The state in which the move with event ``seq`` was made. ``Malformed``: there is none."""
    from dasan.records.retrace import moves_of

    for event in state.events:
        if event.seq == seq and event.type in MOVES:
            return next(now for now, _ in moves_of(state) if now.next_seq == seq)
    raise dasan.Malformed(f"no move of this hand has the number {seq}")


def puzzle_answer(puzzle_id: str, moves: list[str], nodes: int) -> dict[str, Any]:
    """Whether the last of ``moves`` wins, and its continuation: see ``PuzzleVerdict``."""
    from dasan.server.study.puzzle_book import find
    from dasan.server.study.puzzle_play import verdict

    return verdict(find(puzzle_id), moves, nodes)


def bidding_hand(preset: str, seed: bytes) -> dict[str, Any]:
    """The view of the seat to bid in a hand of the bidding trainer."""
    from dasan.server.study.bid_practice import shown

    return shown(preset, seed)


def bid_verdict(preset: str, seed: bytes, bid: str, seconds: float, memory_mb: float) -> dict[str, Any]:
    """The verdict (``BidVerdict``) on a bid in a hand of the bidding trainer."""
    from dasan.server.study.bid_practice import verdict

    return verdict(preset, seed, bid, seconds, memory_mb)


def play_deals(
    preset: str, options: dict[str, Any], seeds: list[str], seats: list[int], name: str, house: str
) -> list[float]:
    """The scores (``payoffs``) of a bot in one seat of each deal. seeds: in hexadecimal. house: the bot in the other
    seats.
    """
    from dasan.envs.payoff import payoffs

    rules = dasan.games.make_rules(preset, **options)
    scores = []
    for seed, seat in zip(seeds, seats, strict=True):
        state = dasan.session(rules, seed=bytes.fromhex(seed)).state
        while state.to_act is not None:
            bot = _bot(name if state.to_act == seat else house)
            state = state.play(bot.choose(state.view(state.to_act)))
        scores.append(payoffs(state)[seat])
    return scores


def warm(part: Part = "solve") -> None:
    """Load the compiled code of a part's reviews, so that the first review need not wait."""
    from dasan.review.expected import decision

    warm_solver(part)
    if part != "solve":
        state = dasan.deal(dasan.rules(part), seed=1)
        decision(state, state.legal_moves()[0], 2)


def _hand(record: str) -> dasan.State:
    state = dasan.replay(record)
    if not isinstance(state, dasan.State):
        raise dasan.BadRecord("the record is a session, not a hand")
    return state


def _bot(name: str) -> ExplainingBot:
    made = _BOTS.get(name)
    if made is None:
        made = _BOTS[name] = bots.bot(name)
    return made


_BOTS: dict[str, ExplainingBot] = {}
"""The bots of this process, cached because creating one can be expensive."""

JOBS: dict[str, Callable[..., Any]] = {
    "choose": choose,
    "turn": turn,
    "explain": explain,
    "advise": advise,
    "known": known,
    "review": review,
    "turning": turning,
    "par": par,
    "solve": solve,
    "puzzle_answer": puzzle_answer,
    "bidding_hand": bidding_hand,
    "bid_verdict": bid_verdict,
    "play_deals": play_deals,
    "warm": warm,
    "warm_hints": warm_hints,
}
