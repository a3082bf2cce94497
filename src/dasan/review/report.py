"""A review in words: a row for each move, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dasan.play.phases import Phase
from dasan.review.best_play import Judged, Review
from dasan.review.expected import Known
from dasan.text.description import title as title_of
from dasan.text.moves import move_words, moves_words, worth_words
from dasan.text.words import bidder_word, seat_names, signed


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One move. verdict: "keeps", "loses", "forced", "unproved", "unjudged" or "bid". words: the judgement with all hands open.
    known: the judgement by its player's information, if requested.
    """

    number: str
    who: str
    move: str
    verdict: str
    words: str
    known: str = ""


def share_words(j: Judged, one: str = "keeps it", more: str = "keep it") -> str:
    """The number of legal moves that keep the result; at least that number, if some moves are not proved."""
    proved = len(j.keeping) + len(j.losing)
    least = "" if proved == j.choices else "at least "
    return f"{least}{len(j.keeping)} of {j.choices} moves {one if len(j.keeping) == 1 else more}"


class Report:
    """A review for people: `title`, which begins with `heading`, `rows`, `summary`.

    known: the judgement by the player's information, by number of the event.
    """

    def __init__(self, review: Review, heading: str = "", known: Mapping[int, Known] | None = None) -> None:
        self.heading = heading
        self.known = known or {}
        self.review = review
        self.hand = review.hand
        self.names = seat_names(self.hand.origin.seats, self.hand.rules.players)
        self.sides = self.hand.rules.has_sides
        self.bidder = bidder_word(self.hand.rules)
        self.side = f"the {self.bidder}'s side"

    @property
    def title(self) -> str:
        rules, hand = self.hand.rules, self.hand
        title = self.heading + title_of(rules)
        if hand.bidder is None:
            return title
        with_ = "" if hand.partner is None else f" with {self.names[hand.partner]}"
        return f"{title}: {self.names[hand.bidder]}{with_} for {hand.bid}"

    @property
    def rows(self) -> list[ReportRow]:
        return [
            ReportRow(
                str(j.seq), self.who(j.seat), move_words(j.move), self.verdict(j), self.words(j), self.known_words(j)
            )
            for j in self.review.moves
        ]

    def who(self, seat: int) -> str:
        """A seat's name, marked for the bidder's side in games with sides."""
        return f"{self.names[seat]} *" if self.sides and seat in self.hand.partners else self.names[seat]

    def verdict(self, j: Judged) -> str:
        if j.phase is Phase.AUCTION:
            return "bid"
        if j.forced:
            return "forced"
        if j.kept is None:
            return "unjudged" if j.scope is None else "unproved"
        return "keeps" if j.kept else "loses"

    def words(self, j: Judged) -> str:
        match self.verdict(j):
            case "bid":
                if j.as_bidder is None:
                    return "as bidder: not proved"
                does = "wins" if j.as_bidder > 0 else "loses"
                return f"as bidder {does} with best play, {signed(j.as_bidder)}"
            case "keeps":
                if not j.could_turn:
                    return "any move keeps it" if len(j.keeping) == j.choices else "keeps it"
                return f"keeps it ({share_words(j, 'does', 'do')})"
            case "loses":
                better = f"{share_words(j)}: {moves_words(j.keeping)}" if j.keeping else UNPROVED
                return f"{self._cost(j)}; {better}"
            case "unproved" if j.scope == "two sides" and j.worth is not None:
                return f"not proved; after it {self._leader(j.worth)}"
            case "forced" | "unproved" | "unjudged" as verdict:
                return {"forced": "forced", "unproved": "not proved", "unjudged": "not judged"}[verdict]
            case other:
                raise ValueError(other)

    def known_words(self, j: Judged) -> str:
        """The judgement of a move by its player's information; empty if the move was not valued."""
        one = self.known.get(j.seq)
        if one is None or not one.estimates:
            return ""
        if one.best == one.made:
            return "known: the best"
        better = f"{move_words(one.best)} by {max(0.0, one.cost):.2f} ± {one.margin:.2f}"
        return f"known: {'WORSE than' if one.mistake else 'perhaps'} {better}"

    def _cost(self, j: Judged) -> str:
        if j.worth is None or j.value is None or (j.scope == "two sides" and (j.worth > 0) != (j.value > 0)):
            return "LOSES THE HAND"
        rules = self.hand.rules
        who = f"the {self.bidder} gets " if self.sides else ""
        return f"COSTS: {who}{worth_words(rules, j.worth)} instead of {worth_words(rules, j.value)}"

    def _leader(self, value: int) -> str:
        if value > 0:
            return f"{self.side} wins" if self.hand.rules.call is not None else f"the {self.bidder} wins"
        return "the others win"

    @property
    def summary(self) -> list[str]:
        return list(self._summary())

    def _summary(self) -> Iterator[str]:
        review = self.review
        judged = [j for j in review.moves if j.value is not None]
        if not review.moves:
            yield "Nobody has moved in this hand."
            return
        if not judged:
            yield "No move could be judged: there are too many cards for the time that was given."
            return
        first = judged[0]
        if first.scope == "two sides" and first.value is not None:
            now = "At the first lead" if first is self._first_play() else f"Before move {first.seq}"
            yield f"{now} {self._leader(first.value)} with best play, all hands open."
        turns = review.turning_points
        first_known = "Turning point"
        if turns and any(j.seq < turns[0].seq and j.kept is None for j in self._played()):
            first_known = "First known turning point"
        for i, j in enumerate(turns):
            point = first_known if i == 0 else "Turned again" if first.scope == "two sides" else "Then"
            better = f"better {moves_words(j.keeping, 'or')}" if j.keeping else UNPROVED
            yield f"{point}: move {j.seq}, {self.names[j.seat]}: {move_words(j.move)}; {better}."
        yield from self._counted()
        yield from self._known()
        last = review.last_chance
        if last is None:
            yield "No other move that was judged would have changed the result."
        else:
            yield f"Last chance: move {last.seq}. After it no other move that was judged would have changed the result."
            # Without a known move that keeps it, a decision would be the narrowest only because little of it was proved.
            known = [j for j in judged if j.could_turn and j.keeping]
            if known:
                narrow = min(known, key=lambda j: len(j.keeping) / j.choices)
                yield f"Narrowest: move {narrow.seq}, where {share_words(narrow)}."
        yield from self._scope(judged)
        for tried, what in ((True, "Not proved in the time"), (False, "Not judged, too many cards for the time")):
            open_ = [j for j in self._played() if j.kept is None and (j.scope is not None) is tried]
            if open_:
                yield f"{what}: {len(open_)} of {len(review.moves)} moves, {numbers(open_, review.moves)}."
        for phase, what in ((Phase.AUCTION, "bids"), (Phase.EXCHANGE, "the exchange of cards")):
            if any(j.phase is phase for j in review.moves):
                yield f"Not judged: {what}{AUCTION if phase is Phase.AUCTION else ''}."

    def _known(self) -> Iterator[str]:
        """The number of decisions that were mistakes by the players' information."""
        tried = [one for one in self.known.values() if one.estimates]
        if tried:
            worse = sum(one.mistake for one in tried)
            yield f"By what the players could know, {worse} of {len(tried)} decisions were worse than another move."

    def _played(self) -> list[Judged]:
        """The moves that a review can judge: all but bids and the exchange of cards."""
        return [j for j in self.review.moves if j.phase not in (Phase.AUCTION, Phase.EXCHANGE)]

    def _counted(self) -> Iterator[str]:
        """The number of moves that kept the result, and the number judged."""
        verdicts = [self.verdict(j) for j in self._played()]
        keeps, lost, forced = (verdicts.count(verdict) for verdict in ("keeps", "loses", "forced"))
        known = keeps + lost
        sentence = f"{keeps} of the {known} moves that were judged kept the result" if known else "No move was judged"
        if known and not lost:
            sentence = (
                f"All {known} moves that were judged kept the result"
                if known > 1
                else "The 1 move judged kept the result"
            )
        yield f"{sentence}; {forced} more {'was' if forced == 1 else 'were'} forced." if forced else f"{sentence}."

    def _first_play(self) -> Judged | None:
        return next((j for j in self.review.moves if j.phase is Phase.PLAY), None)

    def _scope(self, judged: Sequence[Judged]) -> Iterator[str]:
        if any(j.scope == "paranoid" for j in judged):
            yield "With more than two players left, the result is what the seat to act can be sure of against all others."
        if any(j.scope == "max-n" for j in judged):
            yield "The result is what the seat to act gets if everybody plays for themselves."


UNPROVED = "better moves were not proved"
AUCTION = ", beyond what the hand is worth to each bidder; what others would bid is not known"


def numbers(some: Sequence[Judged], moves: Sequence[Judged]) -> str:
    """The numbers of `some` moves; moves adjacent in `moves` form ranges."""
    runs: list[list[int]] = []
    neighbours = {after.seq: before.seq for before, after in pairwise(moves)}
    for j in some:
        if runs and neighbours.get(j.seq) == runs[-1][-1]:
            runs[-1][1:] = [j.seq]
        else:
            runs.append([j.seq])
    return ", ".join("–".join(map(str, run)) for run in runs)
