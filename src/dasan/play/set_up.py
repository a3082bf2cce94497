"""Hands from given cards: whole, or from the middle of a hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import gt

from dasan.arguments import WrongType, instance, items, shown, whole
from dasan.arguments import seat as seat_of
from dasan.cards import Card, card, cards_of, missing
from dasan.errors import DasanError
from dasan.play import auction
from dasan.play.dealing import Deal, Position, draws_opener
from dasan.play.events import EventType
from dasan.play.fields import StateFields
from dasan.play.phases import Phase
from dasan.play.scoring import doublings, settle_first_out
from dasan.play.state import State
from dasan.play.tricks import clear, dealt_out, first_leader, with_leader
from dasan.play.turns import in_turn, neighbour
from dasan.ruleset.policies import CardScoring, Ending, Guard, Leftover
from dasan.ruleset.rules import Rules
from dasan.ruleset.shapes import Combination


def start(
    rules: Rules,
    hands: Sequence[str | Iterable[Card]],
    *,
    kitty: str | Iterable[Card] | None = None,
    dealer: int = 0,
    bidder: int | None = None,
    bid: int | None = None,
    called: str | Card | None = None,
    leader: int | None = None,
    table: str | Iterable[Card] | None = None,
    table_seat: int | None = None,
    to_act: int | None = None,
    passed: Iterable[int] = (),
    finished: Iterable[int] = (),
    has_played: Iterable[int] | None = None,
    partner: int | None = None,
    payments: Iterable[int] | None = None,
    watching: int | None = None,
    bombs: int | None = None,
    bidder_plays: int | None = None,
    foul: int | None = None,
) -> State:
    """A hand from given cards, whole or from the middle.

    In a game with an auction and without `bidder`, the hand begins with the auction. With `bidder`, and in games without an
    auction, play goes on from here with any number of cards left; duties of the opening card apply only to complete deals.

    - hands: for each seat one text, or iterable of cards.
    - kitty: the kitty; before the auction the rest of the pack by default.
    - bidder, bid, called, partner: the outcome of the auction. In four-player Big Three the partner is by default whoever holds
      the called card; without `called` the bidder of a complete deal calls first.
    - table, table_seat: the combination to beat, and the seat that played it.
    - to_act: by default the seat after `table_seat`, or the leader. All seats between `table_seat` and `to_act` have passed.
    - passed: these seats, and where a pass is final the others who are out of the trick.
    - finished: the seats that are out, in order.
    - has_played: the seats that have played in this hand, by default `table_seat` and those that hold fewer cards
      than they were dealt and took up. In Big Two for three, also name the seat that took the left-over card if two
      seats hold 17 cards.
    - payments: by seat, fixed when the first seat went out; needed only if they depend on the cards held and played
      then (W.22).
    - watching: the guard who has just neglected its duty; it commits a foul if the guarded player, who is to act,
      goes out now (D2.17).
    - bombs, bidder_plays: if the payment can be doubled, the number of bombs and of plays by the bidder's side so
      far, including the play on the table. By default no bombs except one on the table, and several plays unless the
      bidder's hand shows that there was none or one (H.15, H.16).
    - foul: the guard who let the first seat go out, if play went on after that (D2.17).

    In the auction of a game whose opener is drawn (DD.02), leader is the opener, by default the dealer.

    ValueError: the position is impossible. TypeError: an argument has the wrong type.
    """
    instance(rules, Rules, "start takes rules, such as dasan.rules('big-three')")
    paid = () if payments is None else items(payments, "payments are whole numbers by seat")
    given = items(hands, "hands are a list with one text, or one sequence of cards, for each seat")
    if isinstance(hands, str):
        raise WrongType(
            f"hands are one text, or one sequence of cards, for each seat, not the single text {shown(hands)}"
        )
    if called is not None and not isinstance(called, str):
        instance(called, Card, "the called card is text like '8C' or a card")
    n = rules.players

    def one(value: object, what: str) -> int | None:
        return None if value is None else seat_of(value, n, what)

    def several(values: Iterable[int], what: str) -> tuple[int, ...]:
        return tuple(seat_of(value, n, what) for value in items(values, f"{what} are seats"))

    try:
        dealer = seat_of(dealer, n, "dealer")
        held = tuple(tuple(rules.order.hand(cards_of(h))) for h in given)
        rest = cards_of(() if kitty is None else kitty)
        played = several(() if has_played is None else has_played, "has_played")
        whole_hands = all(len(h) == rules.hand_size for h in held) and not table and not played
        if kitty is None and bidder is None and rules.kitty_size and (rules.auction is not None or whole_hands):
            rest = tuple(missing(rules.pack, [c for h in held for c in h]))
        position = Position(
            hands=held,
            kitty=tuple(rules.order.hand(rest)),
            dealer=dealer,
            leader=one(leader, "leader"),
            bidder=one(bidder, "bidder"),
            bid=None if bid is None else whole(bid, "bid"),
            called=card(called) if isinstance(called, str) else called,
            partner=one(partner, "partner"),
            table=cards_of(() if table is None else table),
            table_seat=one(table_seat, "table_seat"),
            to_act=one(to_act, "to_act"),
            passed=several(passed, "passed"),
            finished=several(finished, "finished"),
            has_played=tuple(sorted(played)),
            payments=tuple(whole(amount, "a payment") for amount in paid),
            watching=one(watching, "watching"),
            bombs=None if bombs is None else whole(bombs, "bombs", 0, len(rules.pack)),
            bidder_plays=None if bidder_plays is None else whole(bidder_plays, "bidder_plays", 0, len(rules.pack)),
            foul=one(foul, "foul"),
        )
        if has_played is None and len(held) == n:
            position = replace(position, has_played=_have_played(rules, position))
        return from_position(rules, position)
    except DasanError as error:
        raise ValueError(error.message) from error
    except KeyError as error:
        raise ValueError(f"{error.args[0]} is not in the pack") from error


def from_position(rules: Rules, p: Position) -> State:
    """The state at a position. ValueError or `DasanError`: it is impossible."""
    hands = tuple(rules.order.hand(c for c in hand if c is not None) for hand in p.hands)
    kitty = tuple(c for c in p.kitty if c is not None)
    _check(rules, p, hands, kitty)
    whole = rules.auction is not None and p.bidder is None
    base = State(rules=rules, begun=p, hands=hands, kitty=kitty, dealer=p.dealer, phase=Phase.PLAY, to_act=None)
    if whole:
        drawn = draws_opener(rules)
        given = (
            None if drawn else p.leader,
            p.to_act,
            p.partner,
            p.table_seat,
            p.watching,
            p.bombs,
            p.bidder_plays,
            p.foul,
        )
        if any(value is not None for value in given) or p.table:
            raise ValueError("the hand begins with the auction: without a bidder nobody has led, played or passed")
        if any(len(h) != rules.hand_size for h in hands) or len(kitty) != rules.kitty_size:
            raise ValueError(f"the auction takes {rules.hand_size} cards a seat and {rules.kitty_size} in the kitty")
        return auction.opened(base, p.leader)
    if rules.call is not None and p.called is None:
        if not p.is_complete_deal(rules) or p.table or p.to_act not in (None, p.bidder):
            raise ValueError("a card is called before the first lead, when every card is still in a hand")
        opener = p.leader if p.leader is not None else p.dealer
        return base.then(phase=Phase.CALL, to_act=p.bidder, bidder=p.bidder, bid=p.bid or 1, opener=opener)
    on_table = rules.combination(p.table) if p.table else None
    partner, shown = _partner(p, hands)
    has_played = tuple(sorted({*p.has_played, *(() if p.table_seat is None else (p.table_seat,))}))
    state = base.then(
        bidder=p.bidder,
        bid=(p.bid or 1) if p.bidder is not None else None,
        called=p.called,
        partner=partner,
        partner_shown=shown,
        finished=p.finished,
        has_played=has_played,
        kitty=kitty if rules.leftover is not Leftover.BIDDER else (),
        bombs=_bombs(rules, p, on_table),
        bidder_plays=_bidder_plays(rules, p, partner, has_played),
    )
    if p.finished:
        state = _settled(state, p)
    if kitty and p.bidder is not None:
        state = state.then(
            hands=state.with_hand(p.bidder, rules.order.hand((*hands[p.bidder], *kitty))),
        )
    if on_table is not None:
        return _watched(_mid_trick(state, p, on_table), p)
    whole_deal = rules.auction is None and p.is_complete_deal(rules)
    if whole_deal and p.leader is None and p.to_act is None:
        return with_leader(state)
    leads = p.to_act if p.to_act is not None else p.leader
    if p.leader not in (None, leads):
        raise ValueError(f"with nothing on the table the leader must act: seat {p.leader}, not seat {leads}")
    if leads is None:
        leads = p.bidder if p.bidder is not None else next(s for s in range(rules.players) if hands[s])
    if not state.hands[leads]:
        raise ValueError(f"seat {leads} has no cards and cannot lead")
    led = state.then(to_act=leads, leader=leads, opener=leads)
    if not whole_deal:
        return _watched(led, p)
    opener, shown_card = first_leader(rules, p.dealer, hands)
    duty = rules.opening is not None and rules.opening.in_the_lead and leads == opener
    return dealt_out(led.then(must_include=shown_card[0] if duty else None))


def _bombs(rules: Rules, p: Position, on_table: Combination | None) -> int:
    """How many bombs have been played (H.15)."""
    least = int(rules.doubles and on_table is not None and on_table.power > 0)
    if p.bombs is None:
        return least
    if p.bombs < least:
        raise ValueError("bombs must include the bomb on the table")
    return p.bombs


def bidder_plays(state: StateFields, partner: int | None) -> int:
    """The plays of the bidder's side in `state` if `partner` were the bidder's partner."""
    begun, side = state.begun, (state.bidder, partner)
    made = sum(e.type is EventType.PLAY and e.seat in side for e in state.events)
    if isinstance(begun, Deal):
        return made
    if partner != state.partner:
        begun = replace(begun, bidder_plays=None)  # the given number is only true of the state's own partner
    has_played = {*begun.has_played, *(() if begun.table_seat is None else (begun.table_seat,))}
    return made + _bidder_plays(state.rules, begun, partner, tuple(has_played))


def _bidder_plays(rules: Rules, p: Position, partner: int | None, has_played: Sequence[int]) -> int:
    """The number of plays by the bidder's side; 2 (several) if it has played and nothing shows how often."""
    side = [s for s in (p.bidder, partner) if s is not None and s in has_played]
    if p.bidder_plays is None:
        if p.bidder is None or side != [p.bidder]:
            return 2 if side else 0
        gone = _dealt(rules, p.bidder, p.dealer) + rules.kitty_size - len(p.hands[p.bidder])
        on_table = len(p.table) if p.table_seat == p.bidder else 0
        return 1 if gone in (1, on_table) else 2
    if (p.bidder_plays > 0) is not bool(side):
        raise ValueError("bidder_plays must be positive exactly if the bidder's side has played a card")
    return p.bidder_plays


def _settled(state: State, p: Position) -> State:
    """`state` with the payments that were fixed when the first seat went out."""
    rules, first = state.rules, p.finished[0]
    if p.foul is not None and (rules.guard is not Guard.FOUL or (p.foul + 1) % rules.players != first):
        raise ValueError(f"seat {p.foul} did not guard seat {first}, who went out first")
    state = state.then(foul=p.foul)
    scoring = rules.scoring
    if not isinstance(scoring, CardScoring) and not rules.doubles:
        state = settle_first_out(state)
        if p.payments and p.payments != state.payments:
            raise ValueError(f"seat {first} went out first, which pays {list(state.payments or ())}")
        return state
    if not p.payments:
        raise ValueError(f"give the payments: they depend on the cards held when seat {first} went out")
    if isinstance(scoring, CardScoring):
        _check_paid(state, p, scoring)
    else:
        once = (
            settle_first_out(state.then(bombs=0, bidder_plays=2, has_played=tuple(range(rules.players)))).payments or ()
        )
        most = doublings(rules, state.bombs, spring=True)
        if p.payments not in [tuple(amount << n for amount in once) for n in range(most + 1)]:
            raise ValueError(f"seat {first} went out first, which pays {list(once)}, or doubles of that")
    return state.then(payments=p.payments)


def _check_paid(state: State, p: Position, scoring: CardScoring) -> None:
    """ValueError unless each payment is possible for some hand that contains the cards the seat holds now."""
    rules, first = state.rules, p.finished[0]
    others = [s for s in range(rules.players) if s != first]
    if len(p.payments) != rules.players or sum(p.payments) != 0:
        raise ValueError(f"payments are {rules.players} whole numbers that sum to zero")
    costs = {seat: _costs(state, seat, scoring) for seat in others}
    if rules.guard_pays and p.foul is not None:
        sums = {0}
        for possible in costs.values():
            sums = {total + cost for total in sums for cost in possible}
        costs = {seat: sums if seat == p.foul else {0} for seat in others}
    for seat in others:
        if -p.payments[seat] not in costs[seat]:
            raise ValueError(f"seat {seat} cannot have paid {-p.payments[seat]} when seat {first} went out")


def _costs(state: State, seat: int, scoring: CardScoring) -> set[int]:
    """The amounts that `seat` may have owed when the first seat went out: it held its present cards, and perhaps
    others that it has played since.
    """
    rules, hand = state.rules, state.hands[seat]
    most = _most_held(rules, seat, state)
    top, copies = rules.ranks[-1], len(rules.suits) * rules.decks
    twos = sum(c.rank == top for c in hand)
    held = range(max(1, len(hand)), most + 1)
    many = [(n, k) for n in held for k in range(twos, min(copies, twos + n - len(hand)) + 1)]
    whole = [(n, k) for n, k in many if n >= _dealt(rules, seat, state.dealer)]
    unplayed = {scoring.cost(n, False, k) for n, k in whole}
    return unplayed | ({scoring.cost(n, True, k) for n, k in many} if seat in state.has_played else set())


def _most_held(rules: Rules, seat: int, p: Position | State) -> int:
    """The most cards that `seat` can have had in hand."""
    takes = seat == p.bidder or (rules.leftover is Leftover.LOWEST and not p.kitty)
    return _dealt(rules, seat, p.dealer) + (rules.kitty_size if takes else 0)


def _watched(state: State, p: Position) -> State:
    """`state` with the guard who has just neglected its duty (D2.17)."""
    if p.watching is None:
        return state
    rules, guard = state.rules, p.watching
    guarded = neighbour(state.hands, guard)
    if rules.guard is not Guard.FOUL:
        raise ValueError(f"{rules.name} with these options has no foul of a guard")
    if state.to_act != guarded or len(state.hands[guarded]) != 1:
        raise ValueError(f"watching = {guard} needs seat {guarded} to act, on the last card")
    on_table, highest = state.table, rules.combination(state.hands[guard][-1:])
    if on_table is None or len(on_table.cards) == 1:
        beaten = on_table is None or (highest.beats(on_table) and guard in (state.table_seat, *state.passed))
        if beaten:
            return state.then(watching=guard)
    raise ValueError(f"seat {guard} has neglected no duty: its highest card would not have beaten a single on the table")


def _mid_trick(state: State, p: Position, on_table: Combination) -> State:
    if p.table_seat is None:
        raise ValueError("say who played the cards on the table (table_seat)")
    passed = _have_passed(state, p, p.table_seat)
    leader = p.leader if p.leader is not None else p.table_seat
    state = state.then(
        table=on_table,
        table_seat=p.table_seat,
        passed=passed,
        leader=leader,
        opener=leader,
    )
    following = next(in_turn(state.hands, p.table_seat, passed), None)
    return clear(state) if following is None else state.then(to_act=following)


def _have_passed(state: State, p: Position, played: int) -> tuple[int, ...]:
    """Seats whose passes stand: all who had a turn since `played` played, and possibly others if a pass is final."""
    others = list(in_turn(state.hands, played, ()))
    passed = set(p.passed)
    if len(passed) < len(p.passed) or not passed <= set(others):
        raise ValueError(
            "passed must name players who hold cards, each once, and not the one who played the cards on the table"
        )
    if passed == set(others):
        return p.passed
    acts = p.to_act if p.to_act is not None else next(s for s in others if s not in passed)
    if acts not in others or acts in passed:
        raise ValueError(f"seat {acts} cannot act: it has passed, is out, or played the cards on the table")
    between = others[: others.index(acts)]
    if passed and not passed >= set(between):
        raise ValueError(f"the players between seat {played} and seat {acts} must have passed")
    if passed - set(between) and not state.rules.pass_is_final:
        raise ValueError(f"only the players between seat {played} and seat {acts} can have passed")
    return p.passed or tuple(between)


def _check(rules: Rules, p: Position, hands: tuple[tuple[Card, ...], ...], kitty: tuple[Card, ...]) -> None:
    n = rules.players
    if len(hands) != n:
        raise ValueError(f"{rules.name} takes {n} hands, not {len(hands)}")
    for name, seat in (
        ("dealer", p.dealer),
        ("bidder", p.bidder),
        ("leader", p.leader),
        ("table_seat", p.table_seat),
        ("to_act", p.to_act),
        ("partner", p.partner),
        ("watching", p.watching),
        ("foul", p.foul),
        *(("passed", s) for s in p.passed),
        *(("finished", s) for s in p.finished),
        *(("has_played", s) for s in p.has_played),
    ):
        if seat is not None and (isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < n):
            raise ValueError(f"{name} is a seat from 0 to {n - 1}, not {shown(seat)}")
    if (p.bombs is not None or p.bidder_plays is not None) and not rules.doubles:
        raise ValueError(f"payments are never doubled in {rules.name}: leave out bombs and bidder_plays")
    if not p.table and (p.passed or p.table_seat is not None):
        raise ValueError("with no cards on the table, nobody has passed or played")
    if p.bidder is not None and rules.auction is None:
        raise ValueError(f"{rules.name} has no bidder")
    if p.bidder is None and (p.bid is not None or p.called is not None):
        raise ValueError("a bid or a called card needs a bidder")
    if p.partner is not None and rules.call is None:
        raise ValueError(f"{rules.name} has no partners: no card is called")
    if p.bid is not None and (rules.auction is None or not 1 <= p.bid <= rules.auction.top):
        raise ValueError(f"a bid of {p.bid} is not possible")
    everything = Counter([c for h in hands for c in h] + list(kitty) + list(p.table))
    for c, count in everything.items():
        if count > Counter(rules.pack)[c]:
            raise ValueError(f"the card {c} appears {count} times")
    if kitty and not rules.kitty_size:
        raise ValueError(f"{rules.name} has no kitty")
    out = [s for s in range(n) if not hands[s]]
    if rules.ending is Ending.LAST_IN:
        if sorted(p.finished) != out or len(out) > n - 2:
            raise ValueError(
                "finished must name the seats without cards, in order; at least two seats must still hold some"
            )
    elif out or p.finished:
        raise ValueError("every player must hold cards: the hand ends when one is out")
    if (p.payments or p.foul is not None) and not p.finished:
        raise ValueError("payments and foul need finished: they are fixed when the first player goes out")
    _check_sizes(rules, p, hands, kitty)
    if p.called is not None:
        if rules.call is None or p.called.rank not in rules.call.ranks:
            raise ValueError(f"{p.called} cannot be called")
        if p.bidder is not None and p.called in hands[p.bidder]:
            raise ValueError("the bidder cannot hold the called card")


def _check_sizes(rules: Rules, p: Position, hands: tuple[tuple[Card, ...], ...], kitty: tuple[Card, ...]) -> None:
    """ValueError if a seat has more cards, including those on the table, than it was dealt and took up (G.05)."""
    if kitty and len(kitty) != rules.kitty_size:
        raise ValueError(f"the kitty has {rules.kitty_size} cards, not {len(kitty)}")
    for seat, hand in enumerate(hands):
        dealt = _dealt(rules, seat, p.dealer)
        if kitty and p.bidder is not None and (len(hand) != dealt or p.table):
            raise ValueError(
                "every hand must be complete, because the bidder takes up the kitty before a card is played"
            )
        most = _most_held(rules, seat, p)
        played = len(p.table) if seat == p.table_seat else 0
        if len(hand) > most:
            raise ValueError(f"seat {seat} has at most {most} cards, not {len(hand)}")
        if len(hand) + played > most:
            raise ValueError(f"seat {seat} had at most {most} cards, not {len(hand)} and {played} on the table")


def _partner(p: Position, hands: tuple[tuple[Card, ...], ...]) -> tuple[int | None, bool]:
    """(partner, whether the called card has been played)."""
    if p.called is None:
        return None, False
    holders = [s for s, h in enumerate(hands) if p.called in h]
    if holders:
        if p.partner not in (None, holders[0]):
            raise ValueError("the partner must hold the called card")
        return holders[0], False
    partner = p.partner if p.partner is not None else p.table_seat if p.called in p.table else None
    if partner is None or partner == p.bidder:
        raise ValueError("the called card has been played: say who is the partner")
    return partner, True


def _have_played(rules: Rules, p: Position) -> tuple[int, ...]:
    """Seats that hold fewer cards than they were dealt and have taken up, and the seat whose play is on the table."""
    sizes = [len(hand) for hand in p.hands]
    dealt = [_dealt(rules, seat, p.dealer) for seat in range(len(sizes))]
    if p.bidder is not None and not p.kitty:
        dealt[p.bidder] += rules.kitty_size
    played = {seat for seat, size in enumerate(sizes) if size < dealt[seat]}
    if p.table_seat is not None:
        played.add(p.table_seat)
    if rules.leftover is Leftover.LOWEST and not p.kitty and not any(map(gt, sizes, dealt)):
        # The seat that took the left-over card has played it, or another.
        unclear = [seat for seat in range(len(sizes)) if seat not in played]
        played.update(unclear if len(unclear) == 1 else ())
    return tuple(sorted(played))


def _dealt(rules: Rules, seat: int, dealer: int) -> int:
    """The number of cards that a seat is dealt."""
    n = rules.players
    return rules.hand_size or len(range((seat - dealer) % n, len(rules.pack), n))
