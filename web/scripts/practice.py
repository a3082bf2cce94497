"""Writes ``web/src/lessons/practice/*.json``: a position for each clause that can be practised, judged by the engine.

An exercise asks for a kind of move; every move that fits is right. It also names a move that the clause forbids there, or
none where the clause only allows. The learner sits in seat 0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from lessons import FOLDER, view_of
from positions import Positions

import dasan

Task = Literal["beat", "out", "lead", "bid", "call", "guard", "give", "offer"]


@dataclass(frozen=True)
class Exercise:
    """A position for a clause: what is asked, every right move, and a move that the clause refuses."""

    clause: str
    task: Task
    state: dasan.State
    forbidden: str | None = None

    @property
    def accept(self) -> tuple[str, ...]:
        """The legal moves that do what is asked; to beat what cannot be beaten is to pass."""
        moves = self.state.legal_moves()
        match self.task:
            case "beat":
                chosen = [move for move in moves if move.cards] or list(moves)
            case "out":
                chosen = [move for move in moves if len(move.cards) == len(self.state.hands[0])]
            case "guard":
                chosen = [move for move in moves if move.cards == (self.state.hands[0][-1],)]
            case _:
                chosen = list(moves)
        return tuple(str(move) for move in chosen)


def big_three() -> list[Exercise]:
    positions = Positions(dasan.rules("big-three", cut=False), (6, 5))
    follow, lead = positions.follow, positions.lead
    strong = "4H 5C 5S 9C 9D TH KC KD KS AD AC AH 2S 2H 3D 3C"
    *hands, kitty = positions.whole(strong)
    opening = dasan.start(positions.rules, hands, kitty=kitty, dealer=0)
    *hands, kitty = positions.whole(strong.replace("4H", "4S"), "4H")
    second = dasan.start(positions.rules, hands, kitty=kitty, dealer=0)
    return [
        Exercise("B3.02", "beat", follow("4C 8D AH 3S", "2H")),
        Exercise("B3.08", "bid", opening, "pass"),
        Exercise("B3.09", "bid", second.play("bid 2"), "bid 2"),
        Exercise("B3.13", "out", lead("6D 6H 7C 7S 8D 8H")),
        Exercise("B3.13", "out", lead("TD TC TH TS")),
        Exercise("B3.13", "out", lead("4D 4C 4H 5D 5C 5S 6C 6H 6S")),
        Exercise("B3.14", "beat", follow("5D JD QC KS AH", "9D TC JH"), "QC KS AH"),
        Exercise("B3.14", "out", lead("8D 9C TH JS QD KC")),
        Exercise("B3.15", "beat", follow("7D 8C 9H TS JD", "5D 6C 7H 8S"), "7D 8C 9H TS JD"),
        Exercise("B3.15", "beat", follow("4D JD JC JH JS", "6C 7D 8S 9H"), "JD JC JH JS"),
        Exercise("B3.15", "beat", follow("4C 4H 8D QS", "QC"), "QS"),
        Exercise("B3.16", "lead", lead("4C 9D 9H KS"), "pass"),
    ]


def big_three_4p() -> list[Exercise]:
    positions = Positions(dasan.rules("big-three-4p", cut=False), (4, 5, 6))
    follow, lead = positions.follow, positions.lead
    *hands, _ = positions.whole("4H 5C 5S 9C 9D KC KD AC AH 2S 2H 3D 3C")
    opening = dasan.start(positions.rules, hands, dealer=0)
    return [
        Exercise("B3.08", "bid", opening, "pass"),
        Exercise("B4.03", "call", opening.play("bid 3"), "call 9C"),
        Exercise("B4.03", "call", opening.play("bid 3"), "call JS"),
        Exercise("B3.13", "out", lead("5D 5H 6C 6S 7D 7H 8C 8S")),
        Exercise("B3.14", "beat", follow("5D QC KS AH", "TC JH QD"), "QC KS AH"),
        Exercise("B3.15", "beat", follow("4D 8D 8C 8H", "6C 6D 6S"), "8D 8C"),
        Exercise("B3.15", "beat", follow("4D 9D 9C TH TS JD JS", "7D 7C 8D 8C 9H 9S")),
        Exercise("B3.16", "lead", lead("6C TD TH AS"), "pass"),
    ]


def wa_keng() -> list[Exercise]:
    positions = Positions(dasan.rules("wa-keng"), (6, 5))
    follow, lead = positions.follow, positions.lead
    strong = "4S 5C 5S 9C 9D TH KC KD KS AD AC AH 2S 2H 3D 3C"
    *hands, kitty = positions.whole(strong, "4H")
    auction = dasan.start(positions.rules, hands, kitty=kitty, dealer=0)
    *hands, kitty = positions.whole(strong.replace("4S", "4H"))
    opening = dasan.start(positions.rules, hands, kitty=kitty, dealer=0)
    return [
        Exercise("B3.02", "beat", follow("4C 8D AH 3S", "2H")),
        Exercise("H.02", "bid", opening),
        Exercise("B3.09", "bid", auction.play("bid 2"), "bid 2"),
        Exercise("H.18", "out", lead("6D 6H 7C 7S 8D 8H")),
        Exercise("H.18", "lead", lead("4D 4C 4H 5D 5C 5S 6C 6H 6S"), "4D 4C 4H 5D 5C 5S 6C 6H 6S"),
        Exercise("B3.14", "beat", follow("5D JD QC KS AH", "9D TC JH"), "QC KS AH"),
        Exercise("B3.15", "beat", follow("4D JD JC JH JS", "6C 7D 8S 9H"), "JD JC JH JS"),
        Exercise("B3.16", "lead", lead("4C 9D 9H KS"), "pass"),
    ]


def dou_dizhu() -> list[Exercise]:
    positions = Positions(dasan.rules("dou-dizhu"), (6, 5))
    follow, lead = positions.follow, positions.lead
    *hands, _ = positions.whole("4D 5C 6S 7H 8D 9C 9D JD JC KC KS AD AC 2S 2H BJ RJ")
    auction = dasan.start(positions.rules, hands, leader=2)
    return [
        Exercise("DD.01", "beat", follow("5C KS 2D BJ", "2S")),
        Exercise("DD.02", "bid", auction.play("bid 2"), "bid 2"),
        Exercise("DD.04", "out", lead("7D 8C 9H TS JD")),
        Exercise("DD.04", "lead", lead("JD QC KH AS 2D"), "JD QC KH AS 2D"),
        Exercise("DD.04", "out", lead("6D 6H 7C 7S 8D 8H")),
        Exercise("DD.05", "out", lead("5D 5H 5S 6C 6D 6S 3C KD")),
        Exercise("DD.05", "lead", lead("9D 9C 9H BJ RJ"), "9D 9C 9H BJ RJ"),
        Exercise("DD.06", "beat", follow("4C 8D 8H 8S AD", "7C 7D 7H 2S"), "8D 8H 8S"),
        Exercise("DD.06", "beat", follow("4C QD QC QH QS 3D", "2C 2D")),
        Exercise("DD.06", "beat", follow("6D BJ RJ", "TD TC TH TS")),
        Exercise("DD.07", "lead", lead("4C 9D 9H KS"), "pass"),
    ]


def big_two() -> list[Exercise]:
    positions = Positions(dasan.rules("big-two"), (4, 5, 6))
    follow, lead = positions.follow, positions.lead
    first = dasan.start(positions.rules, positions.whole("3D 4C 4S 6D 6H 6S 7C 7S 8D 9C TH JH AH")[:4], dealer=0)
    guard = follow("4D 9D AS", "8C", (1, 4, 5))
    return [
        Exercise("D2.02", "beat", follow("4C 9H 9S QD", "QC"), "QD"),
        Exercise("D2.03", "lead", lead("7D 7C 7H KS"), "7D 7C 7H"),
        Exercise("D2.04", "beat", follow("5D 8H 8S KD", "8D 8C")),
        Exercise("D2.05", "beat", follow("3H 5H 6H 9H 2H KC", "3S 4C 5C 6S 7D")),
        Exercise("D2.05", "beat", follow("4D 4H 4S 9C 9S", "3C 6C 8C JC KC")),
        Exercise("D2.06", "lead", lead("JD QC KH AS 2D"), "JD QC KH AS 2D"),
        Exercise("D2.06", "out", lead("AD 2C 3H 4S 5D")),
        Exercise("D2.07", "beat", follow("3D 4H 5S 6C 7H KD", "2C 3C 4D 5D 6S")),
        Exercise("D2.08", "beat", follow("4H 6H 8H JH 2H", "3S 5S 9S QS KS")),
        Exercise("D2.09", "beat", follow("6D 6C 6S JD JH", "5D 5C 5H AD AC")),
        Exercise("D2.10", "beat", follow("5C 6C 7C 8C 9C KD", "TD TC TH TS 3D")),
        Exercise("D2.11", "lead", first, "4C 4S"),
        Exercise("D2.12", "lead", lead("5C 9D 9H 2C"), "pass"),
        Exercise("D2.16", "guard", guard),
    ]


def exchanges() -> tuple[dasan.State, dasan.State]:
    """The learner as the Loser who gives, and as the Winner who offers, after hands of lowest moves."""
    giving = offering = None
    for seed in range(200):
        session = dasan.session(dasan.rules("winner"), seed=seed)
        while session.state.to_act is not None:
            session = session.play(session.state.legal_moves()[0])
        assert session.state.result is not None
        places = session.state.result.finish_order
        following = session.next_hand().state if 0 in (places[0], places[-1]) else None
        if following is not None and places[-1] == 0:
            giving = giving or following
        elif following is not None:
            offering = offering or following.play(following.legal_moves()[0])
        if giving and offering:
            return giving, offering
    raise ValueError("no session gives the learner both parts")


def winner() -> list[Exercise]:
    positions = Positions(dasan.rules("winner"), (4, 5, 6))
    follow, lead = positions.follow, positions.lead
    giving, offering = exchanges()
    return [
        Exercise("W.03", "beat", follow("5C KS 2D", "KH")),
        Exercise("W.06", "out", lead("6D 6S 7C 7H")),
        Exercise("W.06", "out", lead("8D 8C 8H 9D 9C 9S")),
        Exercise("W.07", "beat", follow("4D KC KS", "KD KH")),
        Exercise("W.08", "beat", follow("7D 7C 7H 4S 4D", "6D 6C 6S AD AC")),
        Exercise("W.09", "out", lead("AD 2C 3H 4S 5D")),
        Exercise("W.09", "lead", lead("QD KC AH 2S 3D"), "QD KC AH 2S 3D"),
        Exercise("W.10", "beat", follow("4D 5C 6H 7C 8D KC", "3D 4C 5H 6S 7D")),
        Exercise("W.13", "beat", follow("6D 6C 6H 6S 9D", "KD KC KH")),
        Exercise("W.14", "beat", follow("5H 6H 7H 8H 9H", "TD TC TH TS 3D")),
        Exercise("W.16", "lead", lead("5C 9D 9H 2C"), "pass"),
        Exercise("W.20", "give", giving, f"give {giving.hands[0][0]}"),
        Exercise("W.20", "offer", offering),
    ]


PRACTICE = {
    "big-three": big_three,
    "big-three-4p": big_three_4p,
    "wa-keng": wa_keng,
    "dou-dizhu": dou_dizhu,
    "big-two": big_two,
    "winner": winner,
}


def written(preset: str) -> str:
    """The exercises as the page reads them."""
    exercises = PRACTICE[preset]()
    rules = exercises[0].state.rules
    data = {
        "preset": preset,
        "ranks": rules.ranks,
        "steps": [
            {"clause": one.clause, "task": one.task, "view": view_of(one.state), "accept": list(one.accept)}
            for one in exercises
        ],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    (FOLDER / "practice").mkdir(exist_ok=True)
    for name in PRACTICE:
        (FOLDER / "practice" / f"{name}.json").write_text(written(name), encoding="utf-8")
