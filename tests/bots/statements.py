"""Check every statement that bots make about a move, in every world of a small endgame, with the engine alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from math import comb, factorial, prod

from tests.worlds import brute
from tests.worlds.brute import placements

import dasan
from dasan import Card, DasanError, Move, Rules, State
from dasan.bots.explanation import Reason
from dasan.bots.facts import Facts
from dasan.bots.heuristics.sides import enmity
from dasan.bots.heuristics.two_hands import winning
from dasan.play.tricks import guarding, neglects
from dasan.ruleset.policies import Guard, Leftover

MOST_WORLDS = 130
"""More worlds than this are drawn at random."""
MOST_REPLAYED = 80
"""If at most this many deals are possible, each is replayed, to find those that give the same view."""
MOST_POSITIONS = 6_000
"""The most positions in which a forced win is searched."""
RANKS = "3456789TJQKA2"
WHO_MAY_ACT = (
    "pass_is_final",
    "guard",
    "restart",
    "ending",
    "suits_ranked",
    "decks",
    "jokers",
    "exchange",
    "dragon",
    "leftover",
)
"""The fields of rules that decide who may act, and what beats what."""


def small_rules(name: str, rng: random.Random) -> Rules:
    """A preset with random options and, in place of the whole pack, random ranks and suits."""
    preset = dasan.PRESETS[name]
    while True:
        chosen = {
            option.name: rng.choice(option.choices)
            if option.choices is not None
            else rng.randint(option.minimum, option.maximum)
            for option in preset.options
            if rng.random() < 0.5
        }
        ranks = rng.randint(0, 7)
        ranks_left = {
            "3",
            "A",
            "2",
            *(RANKS[ranks : ranks + 5] if rng.random() < 0.5 else rng.sample(RANKS, rng.randint(2, 4))),
        }
        suits = "DCHS" if rng.random() < 0.6 else rng.choice(("DHS", "DCHS"))
        try:
            rules = preset.rules(chosen)
            final = rules.pass_is_final or rng.random() < 0.4
            left_out = "".join(x for x in RANKS + "DCHS" if x not in ranks_left and x not in suits)
            kept_cards = [c for c in rules.pack if c.rank not in left_out and c.suit not in left_out]
            size = None if rules.leftover is Leftover.BIDDER else (len(kept_cards) - 1) // rules.players
            smaller = replace(rules, settings=(), left_out=left_out, pass_is_final=final, hand_size=size)
            if rules.hand_size is not None and len(smaller.pack) % rules.players == 0 and rules.kitty_size:
                smaller = replace(smaller, hand_size=len(smaller.pack) // rules.players - 1)
            if len(smaller.pack) <= 36:
                dasan.deal(smaller, seed=0)  # refuses packs that do not go round
                return smaller
        except (ValueError, DasanError):
            continue


def worlds(state: State, seat: int, rng: random.Random) -> tuple[list[State], bool]:
    """States that `seat` cannot distinguish, and whether these are all of them."""
    rules, called = state.rules, state.called
    others = [s for s in range(rules.players) if s != seat]
    secret = called is not None and not state.partner_shown and called not in state.hands[seat]
    fixed = {s: [] if secret else [c for c in state.hands[s] if c == called] for s in others}
    pool = [c for s in others for c in state.hands[s] if secret or c != called]
    kitty = list(state.kitty) if state.bidder is None else []
    pool += kitty
    sizes = [len(state.hands[s]) - len(fixed[s]) for s in others] + [len(kitty)]

    def placed(parts: Sequence[Sequence[Card]]) -> State:
        hands = list(state.hands)
        for s, part in zip(others, parts, strict=False):
            hands[s] = rules.order.hand([*fixed[s], *part])
        return replace(state, hands=tuple(hands), kitty=tuple(parts[-1]) if kitty else state.kitty)

    def possible(world: State) -> bool:
        return not secret or called not in world.hands[state.bidder or 0]

    if factorial(len(pool)) // prod(factorial(n) for n in sizes) <= MOST_WORLDS:
        return [world for world in map(placed, placements(pool, sizes)) if possible(world)], True
    out: list[State] = []
    while len(out) < 40:
        rng.shuffle(pool)
        ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
        world = placed([pool[end - n : end] for end, n in zip(ends, sizes, strict=True)])
        out += [world] * possible(world)
    return out, False


def kitties(state: State) -> int:
    """The number of ways in which the kitty may have been dealt, for the seat to act."""
    taken = [event for event in state.view(state.mover).events if event.type == "kitty" and None in event.cards]
    return prod(
        comb(len(state.hands[e.seat]) + len(brute.played_by(state.view(None), e.seat)), len(e.cards)) for e in taken
    )


def enemies(world: State, seat: int, other: int) -> bool:
    """Whether the two are opponents in this world."""
    if world.bidder is None:
        return True
    side = {world.bidder, partner(world)}
    return (seat in side) is not (other in side)


def partner(world: State) -> int | None:
    """The bidder's partner; while hidden, the holder of the called card."""
    if world.called is None or world.partner_shown:
        return world.partner
    return next((s for s, hand in enumerate(world.hands) if world.called in hand), world.partner)


def answers(world: State, play: Move) -> Iterator[tuple[int, Move]]:
    """Every play over `play` before its trick ends, made after passes alone: the seat and the move."""
    seat = world.mover
    after = world.play(play)
    tricks = sum(event.type == "trick" for event in world.events)
    while after.to_act is not None and after.table_seat == seat and after.to_act != seat:
        if sum(event.type == "trick" for event in after.events) > tricks:
            return
        moves = after.legal_moves()
        yield from ((after.mover, move) for move in moves if move.combination is not None)
        if all(move.combination is not None for move in moves):
            return
        after = after.play("pass")


class TooMuchError(Exception):
    pass


@dataclass
class Forced:
    """Whether a seat can force going out before all others who still hold cards, all hands being open."""

    seat: int
    known: dict[object, bool] = field(default_factory=dict)

    def wins(self, state: State) -> bool:
        if not state.hands[self.seat]:
            return True
        if state.phase == "over" or len(state.finished) > self.out:
            return False
        key = (state.hands, state.to_act, state.table and state.table.cards, state.table_seat, state.passed)
        win = self.known.get(key)
        if win is None:
            if len(self.known) > MOST_POSITIONS:
                raise TooMuchError
            after = (self.wins(state.play(move)) for move in state.legal_moves())
            win = self.known[key] = any(after) if state.to_act == self.seat else all(after)
        return win

    out: int = 0


def forced(world: State, move: Move) -> bool:
    """Whether the seat to act goes out first after `move`, against any defence. `TooMuchError`: the search is too long."""
    return Forced(world.mover, out=len(world.finished)).wins(world.play(move))


def fewest_plays(rules: Rules, cards: Sequence[Card]) -> int:
    """The fewest plays that cards can be split into."""

    @cache
    def fewest(left: tuple[Card, ...]) -> int:
        if not left:
            return 0
        first, rest = left[0], left[1:]
        best = len(left)
        for size in range(len(rest) + 1):
            for chosen in combinations(range(len(rest)), size):
                try:
                    rules.combination((first, *(rest[i] for i in chosen)))
                except DasanError:
                    continue
                best = min(best, 1 + fewest(tuple(c for i, c in enumerate(rest) if i not in chosen)))
        return best

    return fewest(tuple(cards))


class Checked:
    """Counts of the statements that were checked, and what was wrong."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    def check(self, name: str, right: bool, state: State, move: Move, reason: Reason | None) -> None:
        self.counts[name] += 1
        if not right:
            text = reason.text if reason else "nothing"
            self.wrong.append(f"{name}: {move}: {text}\n{describe(state)}")

    def all_of(self, state: State, rng: random.Random) -> None:
        """Check the statements about every legal move."""
        seat = state.mover
        view = state.view(seat)
        facts = Facts(view)
        possible, whole = worlds(state, seat, rng)
        fitting = list(brute.worlds(view)) if whole and len(possible) * kitties(state) <= MOST_REPLAYED else []
        self._two_hands(state)
        for move in state.legal_moves():
            reasons = {reason.id.removesuffix(".one"): reason for reason in facts.of(move)}
            several = [r for r in facts.of(move) if r.id == "may-go-out"]
            if "only-move" in reasons:
                self.check("only-move", len(state.legal_moves()) == 1, state, move, reasons["only-move"])
            elif move.combination is not None:
                self._play(state, move, reasons, several, possible, fitting)
            elif move.type == "pass" and state.phase == "play":
                self._pass(state, move, reasons, possible)

    def _two_hands(self, state: State) -> None:
        """Where all cards can be counted, the moves that win are exactly those that force a win with open hands."""
        winners = winning(state.view(state.mover))
        if winners is None:
            return
        for move in state.legal_moves():
            try:
                self.check("two hands", (move in winners) is forced(state, move), state, move, None)
            except TooMuchError:
                self.counts["two hands: too much"] += 1

    def _sure(self, state: State, move: Move, reasons: dict[str, Reason], possible: list[State]) -> None:
        for id in ("wins-for-sure", "cannot-be-stopped"):
            if id in reasons:
                try:
                    self.check(id, all(forced(world, move) for world in possible), state, move, reasons[id])
                except TooMuchError:
                    self.counts[f"{id}: too much"] += 1

    def _pass(self, state: State, move: Move, reasons: dict[str, Reason], possible: list[State]) -> None:
        self._sure(state, move, reasons, possible)
        seat, owner = state.mover, state.table_seat
        after = state.play(move)
        hands_over = (
            after.table is None
            and after.to_act == owner
            and owner is not None
            and len(after.hands[owner]) == 1
            and enmity(state.view(seat))[owner] > 0
        )
        self.check(
            "hands-over-lead", ("hands-over-lead" in reasons) is hands_over, state, move, reasons.get("hands-over-lead")
        )
        if "leaves-ally" in reasons and owner is not None:
            ally = all(not enemies(world, seat, owner) for world in possible)
            self.check("leaves-ally", ally, state, move, reasons["leaves-ally"])

    def _play(
        self,
        state: State,
        move: Move,
        reasons: dict[str, Reason],
        several: list[Reason],
        possible: list[State],
        fitting: list[State],
    ) -> None:
        seat = state.mover
        if "goes-out" in reasons:
            self.check("goes-out", not state.play(move).hands[seat], state, move, reasons["goes-out"])
            return
        self._sure(state, move, reasons, possible)
        if fitting:
            self._chances(state, move, reasons, several, fitting)
        elif "cannot-be-beaten" in reasons:
            drawn = dasan.worlds.sample(state.view(seat), 20)
            unbeaten = not any(enemies(world, seat, s) for world in drawn for s, _ in answers(world, move))
            self.check("cannot-be-beaten", unbeaten, state, move, reasons["cannot-be-beaten"])
        lower = [m for m in state.legal_moves() if m.combination is not None and len(m.cards) == 1]
        duty = state.rules.guard is not Guard.OFF and guarding(state) and len(move.cards) == 1
        highest = duty and move.combination is not None and not neglects(state, move.combination) and bool(lower)
        self.check("guards", ("guards" in reasons) is highest, state, move, reasons.get("guards"))
        left = [c for c in state.hands[seat] if c not in move.cards]
        if len(left) + len(move.cards) == len(state.hands[seat]) and len(left) <= 7:
            reason = reasons["plays-left"]
            self.check("plays-left", reason.values["plays"] == fewest_plays(state.rules, left), state, move, reason)

    def _chances(
        self, state: State, move: Move, reasons: dict[str, Reason], several: list[Reason], fitting: list[State]
    ) -> None:
        """Chances are shares of the deals that give the same view."""
        seat = state.mover
        made = [[(s, m) for s, m in answers(world, move) if enemies(world, seat, s)] for world in fitting]
        stands = sum(not answered for answered in made) / len(fitting)
        if "cannot-be-beaten" in reasons or stands == 1:
            same = ("cannot-be-beaten" in reasons) is (stands == 1)
            self.check("cannot-be-beaten", same, state, move, reasons.get("cannot-be-beaten"))
        else:
            statement = reasons.get("stands")
            self._percent("stands", stands, statement, state, move)
        named = {reason.values["seat"]: reason for reason in several}
        for who, hand in enumerate(state.hands):
            out = [any(s == who and len(m.cards) == len(hand) for s, m in answered) for answered in made]
            statement = named.get(who)
            if statement is not None or any(out):
                self._percent("may-go-out", sum(out) / len(fitting), statement, state, move)

    def _percent(self, name: str, share: float, told: Reason | None, state: State, move: Move) -> None:
        percent = 0.0 if told is None else float(told.values["percent"])
        right = abs(percent - 100 * share) < 0.51 or (percent == 99 and share < 1)
        self.check(name, right, state, move, told)
        self.counts[f"{name}, by preset: {state.rules.name}"] += 1


def describe(state: State) -> str:
    """A position as text, for the report of a fault."""
    rules = state.rules
    differing = {
        name: str(getattr(rules, name))
        for name in ("name", "players", "pass_is_final", "guard", "restart", "ending", "decks")
    }
    table = "" if state.table is None else f" over {' '.join(map(str, state.table.cards))} of {state.table_seat}"
    hands = " / ".join(" ".join(map(str, hand)) for hand in state.hands)
    return f"{differing} seat {state.to_act}, passed {state.passed}{table}: {hands}"


def endgames(rules: Rules, rng: random.Random, seed: int) -> Iterator[State]:
    """Positions of a random hand in which few cards are hidden."""
    state = dasan.deal(rules, seed=seed)
    while state.to_act is not None:
        hidden = sum(len(hand) for s, hand in enumerate(state.hands) if s != state.to_act)
        if state.phase == "play" and hidden <= 9 and len(state.hands[state.to_act]) <= 8:
            yield state
        moves = state.legal_moves()
        passes = [m for m in moves if m.type == "pass"]
        state = state.play(passes[0] if passes and rng.random() < 0.3 else rng.choice(moves))


def checked(games: int, seed: int) -> Checked:
    """The statements of all endgames of random hands, each by rules of its own."""
    counts, presets = Checked(), list(dasan.PRESETS)
    for number in range(games):
        rng = random.Random(f"{seed} {number}")
        rules = small_rules(presets[number % len(presets)], rng)
        counts.counts["rules"] += 1
        counts.counts[f"rules: {rules.name}"] += 1
        counts.counts.update(f"{name}: {getattr(rules, name)}" for name in WHO_MAY_ACT)
        for state in endgames(rules, rng, number):
            counts.counts["positions"] += 1
            counts.all_of(state, rng)
    return counts
