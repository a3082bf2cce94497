"""Sessions: successive hands of the same players, with the dealer, the exchange and the balances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dasan.arguments import WrongType, instance, items, shown
from dasan.errors import IllegalPlay
from dasan.play import fairness
from dasan.play.dealing import Deal, deal_hand, draw_first_dealer
from dasan.play.events import Event
from dasan.play.moves import Move
from dasan.play.new_hand import begin, hand_secret
from dasan.play.origin import Origin, current_origin, named
from dasan.play.result import Result
from dasan.play.state import State
from dasan.reasons import reason
from dasan.records.write import ALL, write_session
from dasan.ruleset.policies import LaterLead
from dasan.ruleset.rules import Rules


@dataclass(frozen=True)
class Session:
    """A session at one moment, frozen like a state: `play` and `next_hand` return the next one.

    state: the current hand. past: the last states of the hands before it, in order. opening: the draw for the first deal (B3.04,
    D2.18, W.04). The secrets of all hands come from `seed`; without it (a session read from a record) no further hand can be
    dealt.
    """

    rules: Rules
    state: State
    opening: tuple[Event, ...]
    past: tuple[State, ...] = ()
    seed: int | bytes | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Session {self.rules.name}, hand {self.number}, balances {self.balances}>"

    @property
    def number(self) -> int:
        """1 for the first hand."""
        return len(self.past) + 1

    @property
    def dealer(self) -> int:
        """The dealer of the current hand."""
        return self.state.dealer

    @property
    def results(self) -> tuple[Result, ...]:
        """Results of the hands that are over, including the current one."""
        return tuple(s.result for s in (*self.past, self.state) if s.result is not None)

    @property
    def balances(self) -> tuple[int, ...]:
        """By seat, the units won so far, or the counters if players start with some (B3.21); the current hand counts
        when it is over.
        """
        start = self.rules.stake_chips
        return tuple(start + sum(r.payments[s] for r in self.results) for s in range(self.rules.players))

    @property
    def commitment(self) -> str | None:
        """The commitment to the secret of the *next* hand, to publish before anybody adds to its seed; None without a
        seed.
        """
        if self.seed is None:
            return None
        return fairness.commitment(hand_secret(self.seed, self.number + 1))

    @property
    def origin(self) -> Origin:
        """The version that dealt the current hand, or wrote its record."""
        return self.state.origin

    def play(self, move: Move | str) -> Session:
        """The session after `move` in the current hand; refusals as in `State.play`."""
        return replace(self, state=self.state.play(move))

    def next_hand(self, *, contributions: Sequence[str] = ()) -> Session:
        """Deal the next hand: the dealer and the leader follow from the last one (B3.20, D2.18, W.19–W.21).

        contributions: strings that the players add to the seed. `IllegalPlay`: the hand is not over. ValueError: the session has
        no seed to deal from.
        """
        if self.state.result is None:
            raise IllegalPlay(reason("not-over"), clause="G.04")
        if self.seed is None:
            raise ValueError("this session was read without its seed; give replay a seed to deal further hands")
        state = following(self.state, self.seed, contributions)
        return replace(self, state=state, past=(*self.past, self.state))

    def record(self, view: int | str | None = ALL) -> str:
        """The session so far as climb/1 text. view: as for `State.record`."""
        return write_session(self.rules, self.opening, (*self.past, self.state), view)


def session(
    rules: Rules,
    *,
    seed: int | bytes = 0,
    contributions: Sequence[str] = (),
    seats: Sequence[dict[str, str]] = (),
) -> Session:
    """A new session with its first hand dealt.

    seed: an integer or bytes, from which all hands come. contributions: strings that the players add to the seed.
    seats: names for the record, such as {"kind": "bot", "name": "greedy"}, at most one for each seat. TypeError: an
    argument has another type. ValueError: contributions or seats are too many or too long.

    >>> import dasan
    >>> dasan.session(dasan.rules("winner"), seed=7).balances
    (0, 0, 0, 0)
    """
    instance(rules, Rules, "session takes rules, such as dasan.rules('big-three')")
    given = _strings(contributions)
    drawn = fairness.deal_seed(hand_secret(seed, 1), given, rules.digest, 0)
    dealer, opening = draw_first_dealer(rules, drawn)
    origin = replace(current_origin(), seats=named(seats, rules.players))
    state = _deal(rules, seed, 1, dealer, given, first_seq=len(opening) + 1, origin=origin)
    return Session(rules, state, opening, seed=seed)


def following(state: State, seed: int | bytes, contributions: Sequence[str] = ()) -> State:
    """The hand that a session deals after `state`. `IllegalPlay`: `state` is not over. ValueError: `state` was not
    dealt, and so has no number.
    """
    result = state.result
    if result is None:
        raise IllegalPlay(reason("not-over"), clause="G.04")
    if not isinstance(state.begun, Deal):
        raise ValueError("a hand that starts from a position has no next hand")
    leader, exchange = succession(state.rules, result.finish_order)
    return _deal(
        state.rules,
        seed,
        state.begun.number + 1,
        result.next_dealer,
        _strings(contributions),
        first_seq=state.next_seq + 1,
        leader=leader,
        exchange=exchange,
        origin=state.origin,
    )


def succession(rules: Rules, order: Sequence[int]) -> tuple[int | None, tuple[int, ...] | None]:
    """The leader of the next hand, and the seats that exchange cards (see `Deal.exchange`); each may be None.

    order: the finish order of the hand before.
    """
    leads = {LaterLead.WINNER: 0, LaterLead.LOSER: -1, LaterLead.OPENING: None}[rules.later_lead]
    leader = None if leads is None else order[leads]
    if not rules.exchange:
        return leader, None
    return leader, (order[0], order[-1], order[1], order[-2]) if rules.double_exchange else (order[0], order[-1])


def _strings(contributions: Sequence[str]) -> tuple[str, ...]:
    texts = items(contributions, "contributions are a sequence of strings")
    if isinstance(contributions, str) or not all(isinstance(text, str) for text in texts):
        raise WrongType(f"contributions are a sequence of strings, not {shown(contributions)}")
    return texts


def _deal(
    rules: Rules,
    seed: int | bytes,
    number: int,
    dealer: int,
    contributions: tuple[str, ...],
    *,
    first_seq: int,
    origin: Origin,
    leader: int | None = None,
    exchange: tuple[int, ...] | None = None,
) -> State:
    secret = hand_secret(seed, number)
    dealt = deal_hand(
        rules,
        fairness.deal_seed(secret, contributions, rules.digest, number),
        number=number,
        dealer=dealer,
        leader=leader,
        exchange=exchange,
        commitment=fairness.commitment(secret),
        contributions=contributions,
    )
    return begin(rules, dealt, first_seq=first_seq, origin=replace(origin, secret=secret))
