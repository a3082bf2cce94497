"""Compare the legal moves of Dou Dizhu with those of RLCard, OpenSpiel and DouZero, in the same positions of random hands.

    pip install 'dasan[bench]' && pip install --no-deps douzero
    python benchmarks/dou_dizhu_moves.py --positions 100000

DouZero's environment needs neither PyTorch nor its other requirements. Moves are compared by rank, because suits do not
matter. For each peer the output has the positions, the moves, and the moves that only one side allows, by kind with an
example.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import dasan

ORDER = "3456789TJQKA2BR"
"""Ranks from low to high; B and R are the jokers."""
Moves = frozenset[str]


def ranks(cards: Iterable[dasan.Card]) -> str:
    """The ranks of cards, ascending: `334455`, `BR`."""
    return "".join(sorted((str(card)[0] for card in cards), key=ORDER.index))


class Peer(Protocol):
    """Another program that lists legal moves. options: the options of our rules that agree with it best."""

    @property
    def name(self) -> str: ...
    @property
    def options(self) -> Mapping[str, Any]: ...

    def begin(self, hands: list[str], kitty: str, landlord: int) -> None: ...
    def legal(self) -> Moves:
        """The moves of the seat to act as ranks; a pass is ""."""
        ...

    def play(self, move: str) -> None: ...
    def payments(self) -> list[float] | None:
        """At the end of the hand, the payment to each seat for a bid of 3; None if the peer does not report
        payments.
        """
        ...


VALUES = dict(zip(ORDER, (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 20, 30), strict=True))
"""DouZero's numbers for ranks."""
LETTERS = {value: letter for letter, value in VALUES.items()}


class DouZero:
    """The move generator that DouZero's actors use."""

    name = "DouZero"
    options = MappingProxyType[str, Any]({"joker_kickers": True})

    def __init__(self) -> None:
        from douzero.env.game import GameEnv

        self._game = GameEnv

    def begin(self, hands: list[str], kitty: str, landlord: int) -> None:
        self._env = self._game(dict.fromkeys(("landlord", "landlord_down", "landlord_up")))
        self._hands = [list(map(VALUES.__getitem__, hand)) for hand in hands]
        for card in kitty:
            self._hands[landlord].append(VALUES[card])
        self._turn = landlord

    def legal(self) -> Moves:
        self._env.acting_player_position = "landlord"
        self._env.info_sets["landlord"].player_hand_cards = sorted(self._hands[self._turn])
        moves = self._env.get_legal_card_play_actions()
        return frozenset("".join(LETTERS[card] for card in move) for move in moves)

    def play(self, move: str) -> None:
        cards = [VALUES[letter] for letter in move]
        self._env.card_play_action_seq.append(cards)
        for card in cards:
            self._hands[self._turn].remove(card)
        self._turn = (self._turn + 1) % 3

    def payments(self) -> None:
        return None


class RLCard:
    """RLCard's judge: all playable cards of a hand, and those greater than the last play."""

    name = "RLCard"
    options = MappingProxyType[str, Any]({})

    def __init__(self) -> None:
        from rlcard.games.doudizhu.judger import DoudizhuJudger
        from rlcard.games.doudizhu.utils import get_gt_cards

        self._judge, self._greater = DoudizhuJudger, get_gt_cards

    def begin(self, hands: list[str], kitty: str, landlord: int) -> None:
        self._hands = list(hands)
        self._hands[landlord] = _sorted(hands[landlord] + kitty)
        self._turn, self._table, self._owner = landlord, "", landlord

    def legal(self) -> Moves:
        if not self._table or self._owner == self._turn:
            return frozenset(map(_sorted, self._judge.playable_cards_from_hand(self._hands[self._turn])))
        asked, owner = _Seat(self._hands[self._turn]), _Seat("", self._table)
        return frozenset("" if move == "pass" else _sorted(move) for move in self._greater(asked, owner))

    def play(self, move: str) -> None:
        if move:
            self._table, self._owner = move, self._turn
            hand = self._hands[self._turn]
            for card in move:
                hand = hand.replace(card, "", 1)
            self._hands[self._turn] = hand
        self._turn = (self._turn + 1) % 3

    def payments(self) -> None:
        return None


class _Seat:
    """The part of a player that RLCard's `get_gt_cards` reads: cards with ranks, and the last play."""

    def __init__(self, hand: str, played: str = "") -> None:
        self.current_hand = [_Ranked(rank) for rank in hand]
        self.played_cards = played


class _Ranked(NamedTuple):
    rank: str


class OpenSpiel:
    """OpenSpiel's C++ game, played in step through its Python binding."""

    name = "OpenSpiel"
    options = MappingProxyType[str, Any]({})

    def __init__(self) -> None:
        import pyspiel

        self._spiel = pyspiel.load_game("dou_dizhu")

    def begin(self, hands: list[str], kitty: str, landlord: int) -> None:
        self._state = self._spiel.new_initial_state()
        self._state.apply_action(landlord)  # this card is shown, so its owner bids first
        left: Counter[str] = Counter()
        for place in range(51):  # the rest is the kitty
            card = hands[place % 3][place // 3]
            if card in "BR":
                self._state.apply_action(103 if card == "B" else 104)
            else:
                self._state.apply_action(51 + 13 * left[card] + ORDER.index(card))
                left[card] += 1
        bids = {self._state.action_to_string(action): action for action in self._state.legal_actions()}
        self._state.apply_action(bids["Bid 3"])

    def legal(self) -> Moves:
        return frozenset(self._named())

    def _named(self) -> dict[str, int]:
        return {_from_spiel(self._state.action_to_string(action)): action for action in self._state.legal_actions()}

    def play(self, move: str) -> None:
        self._state.apply_action(self._named()[move])

    def payments(self) -> list[float]:
        return list(self._state.returns())


def _sorted(cards: str) -> str:
    return "".join(sorted(cards, key=ORDER.index))


def _from_spiel(text: str) -> str:
    return "" if text == "Pass" else _sorted(text.replace("-", "").replace("(BWJ)", "B").replace("(CJ)", "R"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=100_000, help="for each peer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peer", choices=["DouZero", "RLCard", "OpenSpiel"], action="append")
    wanted = parser.parse_args()
    for make in (DouZero, RLCard, OpenSpiel):
        if wanted.peer and make.__name__ not in wanted.peer:
            continue
        compare(make(), wanted.positions, wanted.seed)


def compare(peer: Peer, positions: int, seed: int) -> None:
    rules = dasan.rules("dou-dizhu", **peer.options)
    source = random.Random(seed)
    seen = moves = equal = hands = settled = equally_paid = 0
    only: dict[str, Counter[str]] = {"ours": Counter(), "theirs": Counter()}
    examples: dict[tuple[str, str], str] = {}
    begun = time.perf_counter()
    while seen < positions:
        hands += 1
        state = _dealt(rules, source)
        bidder = state.bidder or 0
        dealt = [ranks(hand) for hand in _before_kitty(state)]
        peer.begin(dealt, ranks(card for card in state.begun.kitty if card is not None), bidder)
        while state.to_act is not None:
            ours = {ranks(move.cards): move for move in state.legal_moves()}
            theirs = peer.legal()
            seen, moves = seen + 1, moves + len(ours)
            equal += ours.keys() == theirs
            for side, extra in (("ours", ours.keys() - theirs), ("theirs", theirs - ours.keys())):
                for move in extra:
                    kind = _kind(rules, move)
                    only[side][kind] += 1
                    table = "" if state.table is None else f" over {ranks(state.table.cards)}"
                    examples.setdefault((side, kind), f"{move}{table} from {ranks(state.hands[state.to_act])}")
            common = sorted(ours.keys() & theirs)
            kinds: dict[str, list[str]] = {}
            for move in common:
                combination = ours[move].combination
                kinds.setdefault("pass" if combination is None else combination.kind, []).append(move)
            move = source.choice(kinds[source.choice(sorted(kinds))])
            state = state.play(ours[move])
            peer.play(move)
        paid = peer.payments()
        if paid is not None and state.result is not None:
            settled += 1
            equally_paid += paid == [pay * 3 / state.bid for pay in state.result.payments if state.bid]
    print(
        f"{peer.name}: {seen} positions of {hands} hands, {moves} moves, {equal} positions equal "
        f"({time.perf_counter() - begun:.0f} s)"
    )
    if settled:
        print(f"  payments: {equally_paid} of {settled} hands equal")
    for side, counts in only.items():
        for kind, count in counts.most_common():
            print(f"  only {side}: {kind} {count}, for example {examples[side, kind]}")
    sys.stdout.flush()


def _dealt(rules: dasan.Rules, source: random.Random) -> dasan.State:
    """A hand that a random seat plays for 3."""
    while True:
        state = dasan.deal(rules, seed=source.randrange(1 << 60))
        while state.phase is dasan.Phase.AUCTION:
            state = state.play(source.choice(state.legal_moves()))
        if state.phase is dasan.Phase.PLAY:
            return state


def _before_kitty(state: dasan.State) -> list[list[dasan.Card]]:
    return [[card for card in hand if card is not None] for hand in state.begun.hands]


def _kind(rules: dasan.Rules, move: str) -> str:
    """The kind of a set of ranks by our rules, or a note that it is none."""
    if not move:
        return "pass"
    suits: Counter[str] = Counter()
    cards = []
    for rank in move:
        cards.append(f"{rank}J" if rank in "BR" else rank + "DCHS"[suits[rank] % 4])
        suits[rank] += 1
    try:
        return rules.combination(" ".join(cards)).kind
    except dasan.DasanError:
        return "no combination"


if __name__ == "__main__":
    main()
