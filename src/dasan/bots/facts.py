"""Facts about a move that follow from its player's view, whichever bot recommends it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from dasan.bots.explanation import Explanation, Reason, counted, explained, in_order
from dasan.bots.heuristics.bidding import enough, strength
from dasan.bots.heuristics.certain import Certain
from dasan.bots.heuristics.chances import Chances
from dasan.bots.heuristics.sides import enmity
from dasan.bots.protocol import Bot, Named, choices
from dasan.cards import Card
from dasan.play.moves import Move, MoveType
from dasan.play.view import View


class Facts:
    """Reasons for and against the moves of one view. certain: the moves that surely win."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._moves = choices(view)
        self._bids = [move.bid for move in self._moves if move.bid is not None]
        self.certain = Certain(view)
        # `ranks` leaves out jokers, which are above all of them.
        self._top = None if view.rules.jokers else view.rules.ranks[-1]

    @cached_property
    def _chances(self) -> Chances:
        return Chances(self._view, self._moves)

    def of(self, move: Move) -> tuple[Reason, ...]:
        """The reasons that apply to `move`, the most important first."""
        if len(self._moves) == 1:
            return (Reason("only-move"),)
        match move.type:
            case MoveType.BID:
                return self._forced(move) or self._bid(move.bid or 0)
            case MoveType.PASS if self._view.phase == "play":
                return (*self._sure(move), *self._pass())
            case MoveType.PASS:
                return self._no_bid()
            case MoveType.PLAY:
                return (*self._sure(move), *self._play(move))
            case _:
                return ()

    def _bid(self, bid: int) -> tuple[Reason, ...]:
        """Whether the hand is strong enough for `bid`."""
        limits = enough(self._view.rules)
        if not 1 <= bid <= len(limits):
            return ()
        good = strength(self._view) <= limits[bid - 1]
        return (Reason("bid-good" if good else "bid-weak", {"bid": bid}),)

    def _no_bid(self) -> tuple[Reason, ...]:
        """Why a pass of the auction is right: the hand is too weak for the lowest bid."""
        return self._weak(min(self._bids, default=0))

    def _forced(self, move: Move) -> tuple[Reason, ...]:
        """Why the lowest bid is right for a player who may not pass: the hand is too weak for the next one."""
        lowest, *higher = sorted(self._bids)
        must = len(self._bids) == len(self._moves) and move.bid == lowest and self._weak(lowest)
        return self._weak(higher[0]) if must else ()

    def _weak(self, bid: int) -> tuple[Reason, ...]:
        """That the hand is too weak for `bid`, if it is."""
        return tuple(reason for reason in self._bid(bid) if reason.id == "bid-weak")

    def _sure(self, move: Move) -> tuple[Reason, ...]:
        if move in self.certain.proved:
            return (Reason("wins-for-sure"),)
        sure = move in self.certain.moves and len(move.cards) < len(self._view.hand)
        return (Reason("cannot-be-stopped"),) if sure else ()

    def _pass(self) -> tuple[Reason, ...]:
        view, out = self._view, []
        owner = view.table_seat
        if owner is not None:
            stance = enmity(view)[owner]
            cards = view.hand_sizes[owner]
            if stance > 0 and cards == 1 and not view.waiting():
                out.append(Reason("hands-over-lead", {"seat": owner}))
            if stance == -1:
                out.append(counted("leaves-ally", "cards", seat=owner, cards=cards))
        held = self._of_top(view.hand)
        if held:
            out.append(counted("keeps-top", "held", held=held, rank=str(self._top)))
        return tuple(out)

    def _play(self, move: Move) -> tuple[Reason, ...]:
        view = self._view
        if move.combination is None:
            return ()
        if len(move.cards) == len(view.hand):
            return (Reason("goes-out"),)
        out = []
        stands = self._chances.stands(move.combination)
        if self.certain.costs.now.stands(move.combination) == 1 or (stands == 1 and self._chances.whole):
            out.append(Reason("cannot-be-beaten"))
        else:
            percent = min(99, round(100 * stands))
            out.append(Reason("stands", {"percent": percent}) if percent else Reason("hardly-stands"))
        for seat in view.answering():
            percent = round(100 * self._chances.goes_out(seat, move.combination))
            if percent:
                out.append(Reason("may-go-out", {"seat": seat, "percent": percent}))
        if view.guarding is not None and len(move.cards) == 1 and move.cards[0] == view.hand[-1]:
            out.append(Reason("guards"))
        spent = self._of_top(move.cards)
        if spent:
            held = self._of_top(view.hand)
            out.append(counted("spends-top", "held", spent=spent, held=held, rank=str(self._top)))
        out.append(counted("plays-left", "plays", plays=self.certain.costs.plays(move.cards)))
        return tuple(out)

    def _of_top(self, cards: Iterable[Card]) -> int:
        """The number of cards of the highest rank."""
        return sum(c.rank == self._top for c in cards)


def plain(bot: Bot, view: View) -> Explanation:
    """The explanation of a bot without values: its chosen move first, the others in the order of the rules."""
    facts = Facts(view)
    ordered = in_order(bot.choose(view), [(move, None) for move in choices(view)])
    return explained(bot.name, "none", ordered, {move: facts.of(move) for move, _ in ordered})


class Explained(Named):
    """Adds explanations by facts to a bot that has none."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.name = bot.name
        self.version = bot.version

    def choose(self, view: View) -> Move:
        return self._bot.choose(view)

    def explain(self, view: View) -> Explanation:
        return plain(self, view)
